"""The refusals of the server, in TensorFlow's words, before any transport sees them."""

import enum


class Fault(enum.IntEnum):
    """TensorFlow's canonical error codes; the status page and the metrics print their names."""

    CANCELLED = 1
    UNKNOWN = 2
    INVALID_ARGUMENT = 3
    DEADLINE_EXCEEDED = 4
    NOT_FOUND = 5
    ALREADY_EXISTS = 6
    PERMISSION_DENIED = 7
    RESOURCE_EXHAUSTED = 8
    FAILED_PRECONDITION = 9
    ABORTED = 10
    OUT_OF_RANGE = 11
    UNIMPLEMENTED = 12
    INTERNAL = 13
    UNAVAILABLE = 14
    DATA_LOSS = 15
    UNAUTHENTICATED = 16


class ServingError(Exception):
    """A request or a model that is refused, with a sentence its sender can act on."""

    def __init__(self, fault: Fault, sentence: str) -> None:
        super().__init__(sentence)
        self.fault = fault
        self.sentence = sentence


class StartError(Exception):
    """The server cannot start as asked; the message says what to change."""
