import io
import re
from pathlib import Path

import pytest
from rich.console import Console

from graphmode.view.command import main
from graphmode.view.function_view import view_function
from graphmode.view.page import page
from graphmode.view.terminal import print_view

SUBJECTS = Path(__file__).with_name("subjects.py")


def test_a_function_is_printed_with_its_marks(capsys):
    assert main([f"{SUBJECTS}:doubled_to_ten", "--shape", "[None]:float32"]) == 0
    printed = capsys.readouterr().out
    assert "while: ag__.while_stmt, traced: StatelessWhile" in printed
    assert "ag__.while_stmt(loop_test, loop_body" in printed
    assert "\x1b" not in printed


def test_a_wide_terminal_shows_two_columns(view):
    shown = io.StringIO()
    print_view(view("everything"), Console(file=shown, width=160, force_terminal=True))
    lines = re.sub(r"\x1b\[[0-9;]*m", "", shown.getvalue()).splitlines()
    (beside,) = [line for line in lines if "= ag__.converted_call(ag__.ld(doubled_to_ten)" in line]
    assert "y = doubled_to_ten(x)" in beside.partition("ag__")[0]


def test_unconverted_functions_are_shown_with_what_to_do(capsys):
    assert main([f"{SUBJECTS}:one"]) == 0
    printed = capsys.readouterr().out
    assert "NOT converted: another lambda" in printed
    assert "what to do: write each lambda in lines of its own" in printed


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([f"{SUBJECTS}:Halving"], "view: Halving is a class: name one of its methods"),
        ([f"{SUBJECTS}:sign", "--shape", "3"], "expected [DIM,DIM,...]:DTYPE"),
        ([f"{SUBJECTS}:sign", "--shape", "[x]"], "dimension 'x' is neither a number nor None"),
        ([f"{SUBJECTS}:sign", "--shape", "[1]:real"], "'real' is no dtype of TensorFlow"),
        ([f"{SUBJECTS}:sign", "--html", "/nowhere/page.html"], "--html /nowhere/page.html"),
    ],
)
def test_what_cannot_be_shown_is_one_line(capsys, arguments, said):
    assert main(arguments) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line


def test_the_page_needs_nothing_else_and_escapes_what_it_shows(tmp_path, capsys):
    file = tmp_path / "page.html"
    assert main([f"{SUBJECTS}:everything", "--recursive", "--html", str(file)]) == 0
    assert capsys.readouterr().out.strip() == str(file)
    text = file.read_text()
    assert re.findall(r"<(?:script|link|img|iframe)|\bsrc=|https?:|@import|url\(", text) == []
    assert "&lt;b&gt;every&lt;/b&gt;" in text
    assert "<b>" not in text
    targets = set(re.findall(r'href="#(\w+)"', text))
    assert targets
    assert targets <= set(re.findall(r'id="(\w+)"', text))


def test_a_name_is_shown_as_it_is(subject):
    text = page(view_function(subject("doubled_to_ten"), "<i>name</i>"))
    assert "<h1>&lt;i&gt;name&lt;/i&gt;</h1>" in text


@pytest.mark.parametrize("name", ["everything", "rectifier", "from_exec"])
def test_the_page_fits_a_phone(tmp_path, shown_in_browser, name):
    file = tmp_path / "page.html"
    assert main([f"{SUBJECTS}:{name}", "--recursive", "--html", str(file)]) == 0
    shown = shown_in_browser(file.read_text(), width=390)
    assert shown.console == []
    assert shown.content_width == 390
