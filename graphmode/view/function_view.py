"""Everything that is to be seen of one function under AutoGraph."""

from collections.abc import Sequence
from dataclasses import dataclass

import tensorflow as tf

from graphmode.errors import GraphmodeError
from graphmode.view.autograph import Generated, Unconverted, convert
from graphmode.view.callees import Callee, find_callees
from graphmode.view.control_flow import RULES, Flow, find_control_flow
from graphmode.view.source import Source, read_source
from graphmode.view.subject import Subject, find_subject
from graphmode.view.tracing import Trace, trace


@dataclass(frozen=True, kw_only=True)
class FunctionView:
    """A function's source, what AutoGraph made of it, and why not, where it made nothing."""

    name: str
    source: Source | None
    generated: Generated | None
    unconverted: str | None
    """Why AutoGraph leaves it as it is; None where it converts it."""
    remedy: str | None
    """What to do about that."""
    flows: tuple[Flow, ...]
    callees: tuple[Callee, ...]
    trace: Trace | None
    """Of it, or of the function that it was viewed with."""
    inner: tuple["FunctionView", ...] = ()
    """The converted functions that it calls, where they were asked for."""

    def traced(self, flow: Flow) -> str | None:
        """What a piece of control flow was in the trace; None where there is no trace."""
        if self.trace is None or self.trace.error is not None:
            return None
        if self.source is None or not RULES[flow.kind].ops:
            return None
        return (
            self.trace.op_at(self.source, flow.statement, RULES[flow.kind].ops) or "stayed Python"
        )


def view_function(
    target: object,
    name: str,
    *,
    parent: object = None,
    specs: Sequence[tf.TensorSpec] = (),
    is_recursive: bool = False,
) -> FunctionView:
    """See what AutoGraph makes of a function. It is not run; with a signature it is traced.

    Args:
        target: a function, method, `tf.function`, partial or callable object.
        name: how to call it.
        parent: the class that `target` was read from, if it was.
        specs: one for each argument; empty takes the function's own `input_signature`.
        is_recursive: also view the functions that it calls, one level deep.

    Raises:
        GraphmodeError: `target` holds no Python function.
    """
    subject = find_subject(target, name, parent)
    view = _view_alone(subject, trace(subject, specs))
    return view if not is_recursive else _with_inner(view)


def _view_alone(subject: Subject, traced: Trace | None) -> FunctionView:
    source = read_source(subject.function)
    generated, unconverted, remedy = _conversion(subject)
    if generated is not None and source is not None:
        generated = _at_statements(generated, source)
    shown = generated if unconverted is None else None
    return FunctionView(
        name=subject.name,
        source=source,
        generated=generated,
        unconverted=unconverted,
        remedy=remedy,
        flows=find_control_flow(source, shown) if source else (),
        callees=find_callees(source, subject.function, subject.owner) if source else (),
        trace=traced,
    )


def _at_statements(generated: Generated, source: Source) -> Generated:
    """The same code, with the first line of a statement as the origin of all that it became."""
    return Generated(
        lines=generated.lines,
        origins=tuple(at and source.statement_line(at) for at in generated.origins),
    )


def _conversion(subject: Subject) -> tuple[Generated | None, str | None, str | None]:
    if subject.kept_as_is is not None:
        return None, subject.kept_as_is, None
    try:
        generated = convert(subject.function, subject.features)
    except Unconverted as reason:
        return None, str(reason), _remedy(str(reason))
    caller = subject.caller
    if caller is None:
        return generated, None, None
    library = caller.__module__.partition(".")[0]
    name = subject.function.__name__
    why = f"{library} calls {name} itself, and what {library} calls AutoGraph does not see"
    remedy = (
        f"decorate {name} with @tf.function, or use tf.cond and tf.while_loop in it; "
        "what is shown is what it would become"
    )
    return generated, why, remedy


def _remedy(reason: str) -> str | None:
    return next((remedy for clue, remedy in _REMEDIES.items() if clue in reason), None)


_REMEDIES = {
    "lambda": "write each lambda in lines of its own, or name its parameters differently",
    "exec": "write it in a file, or use tf.cond and tf.while_loop in it",
    "no source file": "write it in a file, or use tf.cond and tf.while_loop in it",
    "generator": "return a tensor or a tf.data.Dataset instead of yielding",
}


def _with_inner(view: FunctionView) -> FunctionView:
    inner = []
    for callee in view.callees:
        try:
            subject = find_subject(callee.target, callee.name) if callee.is_converted else None
        except GraphmodeError:  # a callable without a Python function has nothing to show
            continue
        if subject is not None:
            # The caller's trace went through it, too.
            went_through = view.trace if view.trace is None or view.trace.error is None else None
            inner.append(_view_alone(subject, went_through))
    return FunctionView(**{**vars(view), "inner": tuple(inner)})
