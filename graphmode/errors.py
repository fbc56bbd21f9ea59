"""What the graph tools refuse, as one sentence for whoever called them."""


class GraphmodeError(Exception):
    """Names the thing, what was expected, what came and what to do; no traceback is needed."""
