"""The book: all claims, from the modules that hold their experiments."""

import importlib

from graphmode.claims.claim import Claim

_MODULES = (
    "first_overhead",
    "first_tracing",
    "first_retracing",
    "first_graphs",
    "first_inputs",
    "first_effects",
    "first_state",
    "second_shapes",
    "second_arguments",
    "second_equality",
    "second_autograph",
    "second_loops",
    "second_logs",
    "second_saving",
    "second_speed",
    "second_serving",
)


def all_claims() -> tuple[Claim, ...]:
    """Collect the claims, by number.

    Raises:
        ValueError: a number is given twice.
    """
    found = [
        value
        for name in _MODULES
        for value in vars(importlib.import_module(f"graphmode.claims.{name}")).values()
        if isinstance(value, Claim)
    ]
    numbers = [claim.number for claim in found]
    twice = {number for number in numbers if numbers.count(number) > 1}
    if twice:
        raise ValueError(f"claims with the same number: {sorted(twice)}; each number is one claim")
    return tuple(sorted(found, key=lambda claim: claim.number))
