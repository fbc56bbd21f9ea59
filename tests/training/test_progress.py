"""Progress goes to stderr; off the terminal it is lines."""

from training.progress import PlainReporter, reporter


def test_where_stderr_is_no_terminal_progress_is_plain_lines(capsys):
    with reporter(10) as progress:
        assert isinstance(progress, PlainReporter)
        progress.say("epoch 1 of 2")
        for done in range(1, 11):
            progress.step(done, "loss 0.5")
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == "epoch 1 of 2\n"
