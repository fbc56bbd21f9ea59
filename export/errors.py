"""The one exception that ends an export with a sentence for its user."""


class ExportError(Exception):
    """The export cannot go on; the message says what was expected, what came and what to do."""
