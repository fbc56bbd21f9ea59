"""The rules, by group; each has a page of the same code in docs/lint."""

from graphmode.lint.rule import Rule
from graphmode.lint.rules import (
    contract,
    export,
    flow,
    frozen,
    remaking,
    signature,
    state,
    tracing,
    values,
)

RULES: tuple[Rule, ...] = tuple(
    sorted(
        (
            *frozen.RULES,
            *state.RULES,
            *flow.RULES,
            *values.RULES,
            *remaking.RULES,
            *tracing.RULES,
            *signature.RULES,
            *export.RULES,
            *contract.RULES,
        ),
        key=lambda rule: rule.code,
    )
)
