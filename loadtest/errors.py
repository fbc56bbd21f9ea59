"""The one error that a user of the load test can mend."""


class LoadTestError(Exception):
    """A comparison that cannot be made; the message is one line and says what to do."""
