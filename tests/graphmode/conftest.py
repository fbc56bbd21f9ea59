import html
import re
import shutil
import subprocess
from dataclasses import dataclass

import pytest

# The page stands in a frame as wide as the screen that is asked for; a frame whose text is given
# here is of the same origin, so its width can be read.
FRAME = """<!doctype html><body><iframe id="page" style="width:{width}px;height:900px;border:0"
srcdoc="{page}"></iframe><script>
addEventListener("load", () => {{
  const shown = document.getElementById("page").contentDocument.documentElement;
  document.body.dataset.width = shown.scrollWidth;
}});</script></body>"""


@dataclass(frozen=True)
class Shown:
    """What a browser made of a page."""

    content_width: int
    """Pixels; more than the screen's where the page must be pushed sideways."""
    console: list[str]
    """Errors and warnings."""


@pytest.fixture
def shown_in_browser(tmp_path):
    """Opens a page, given as text, in Chromium; skips where there is none."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        pytest.skip("no Chromium")

    def show(page, width):
        file = tmp_path / "frame.html"
        file.write_text(FRAME.format(width=width, page=html.escape(page)))
        flags = ["--no-sandbox", "--headless", "--disable-gpu", "--hide-scrollbars"]
        profile = f"--user-data-dir={tmp_path / 'profile'}"
        done = subprocess.run(
            [browser, *flags, profile, "--enable-logging=stderr", "--dump-dom", file.as_uri()],
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        (content_width,) = re.findall(r'data-width="(\d+)"', done.stdout)
        return Shown(int(content_width), re.findall(r".*CONSOLE.*", done.stderr))

    return show
