"""What the user can mend: the command turns it into one line and exit code 2."""


class LintError(Exception):
    """A sentence that says what was expected, what came, and what to do."""
