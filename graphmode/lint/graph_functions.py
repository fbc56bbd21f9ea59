"""The functions of a file that run as a graph, and why.

@tf.function, tf.function(f)   a root; its parameters are tensors by signature, or presumably
dataset.map(f)                 a root; always a graph
Keras 3 call, train_step ...   a root that AutoGraph does not convert
f(x), tf.cond(p, f, g)         inside any of these: f is one too, and takes what it is given
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from graphmode.lint.expressions import Names
from graphmode.lint.kinds import Kind, join
from graphmode.lint.reading import Reading
from graphmode.lint.roots import Root, find_roots
from graphmode.lint.source import Function, Source, name_of

_TAKES_FUNCTIONS = {
    "tensorflow.cond": (1, 2),
    "tensorflow.while_loop": (0, 1),
    "tensorflow.map_fn": (0,),
    "tensorflow.vectorized_map": (0,),
    "tensorflow.scan": (0,),
    "tensorflow.foldl": (0,),
    "tensorflow.foldr": (0,),
}
_HARMLESS_DECORATORS = ("staticmethod", "classmethod")


@dataclass(eq=False)
class GraphFunction:
    """A function that runs as a graph.

    Attributes:
        node: its definition.
        root: the `tf.function`, mapped function or Keras method that it belongs to.
        why: the reason, for messages; empty for a root.
        reading: what its body holds.
    """

    source: Source
    node: Function
    root: Root
    why: str
    parameters: Names
    outside: Names
    reading: Reading = field(init=False)

    def __post_init__(self) -> None:
        """Read the body."""
        self.reading = Reading(self.source, self.node, {**self.outside, **self.parameters})

    @property
    def name(self) -> str:
        """Its name, for messages."""
        return name_of(self.node)

    @property
    def nodes(self) -> list[ast.AST]:
        """Its nodes that run at trace, in order, without those of functions within."""
        return list(self.reading.kinds)

    def kind(self, node: ast.AST) -> Kind:
        """What an expression of its body is."""
        return self.reading.of(node)

    def takes(self, parameters: Names) -> bool:
        """Take in another call's arguments; whether that changed what is known."""
        merged = {
            name: join(kind, parameters.get(name, Kind.OTHER))
            for name, kind in self.parameters.items()
        }
        if merged == self.parameters:
            return False
        self.parameters = merged
        self.__post_init__()
        return True


def find_graph_functions(source: Source) -> list[GraphFunction]:
    """All functions of a file that run as a graph; a function appears once for each root."""
    waiting = [
        GraphFunction(source, root.function, root, "", root.parameters, {})
        for root in find_roots(source)
    ]
    roots = {graph.node for graph in waiting}
    found = {(graph.node, graph.root): graph for graph in waiting}
    while waiting:
        caller = waiting.pop()
        for callee, given in _callees(caller):
            if callee in roots:
                continue
            known = found.get((callee, caller.root))
            if known is None:
                found[callee, caller.root] = known = _called(caller, callee, given)
                waiting.append(known)
            elif known.takes(given):
                waiting.append(known)
    return list(found.values())


def _called(caller: GraphFunction, callee: Function, given: Names) -> GraphFunction:
    is_within = caller.node in caller.source.containers(callee)
    outside = caller.reading.names if is_within else {}
    why = f"`{name_of(callee)}` is called by `{caller.name}`"
    return GraphFunction(caller.source, callee, caller.root, why, given, outside)


def _callees(caller: GraphFunction) -> Iterator[tuple[Function, Names]]:
    for call in caller.reading.calls:
        called = caller.source.definition(call.func)
        if called is not None and _is_plain(caller.source, called):
            yield called, _given(caller, called, call)
        for passed in _passed_functions(caller.source, call):
            yield passed, {argument.arg: Kind.OTHER for argument in passed.args.args}


def _is_plain(source: Source, function: Function) -> bool:
    """Whether calling a function by its name runs just its body, in this same graph."""
    if isinstance(function, ast.AsyncFunctionDef):
        return False
    if any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in ast.walk(function)):
        return False
    return all(
        source.is_builtin(decorator, *_HARMLESS_DECORATORS)
        for decorator in getattr(function, "decorator_list", [])
    )


def _passed_functions(source: Source, call: ast.Call) -> Iterator[Function]:
    places = _TAKES_FUNCTIONS.get(source.meaning(call.func) or "", ())
    if isinstance(call.func, ast.Attribute) and call.func.attr in ("run", "experimental_run_v2"):
        places = (0,)
    for place in places:
        if place < len(call.args):
            function = source.definition(call.args[place])
            if function is not None and _is_plain(source, function):
                yield function


def _given(caller: GraphFunction, callee: Function, call: ast.Call) -> Names:
    names = [argument.arg for argument in [*callee.args.posonlyargs, *callee.args.args]]
    given = dict.fromkeys([*names, *(a.arg for a in callee.args.kwonlyargs)], Kind.OTHER)
    is_method = isinstance(call.func, ast.Attribute) and not _is_static(caller.source, callee)
    for name, argument in zip(names[is_method:], call.args, strict=False):
        if isinstance(argument, ast.Starred):
            break
        given[name] = caller.kind(argument)
    for keyword in call.keywords:
        if keyword.arg in given:
            given[keyword.arg] = caller.kind(keyword.value)
    return given


def _is_static(source: Source, function: Function) -> bool:
    decorators = getattr(function, "decorator_list", [])
    return any(source.is_builtin(decorator, "staticmethod") for decorator in decorators)
