"""What the user can mend: `__main__` turns it into one line and exit code 2."""


class TrainingError(Exception):
    """A sentence that says what was expected, what came, and what to do."""
