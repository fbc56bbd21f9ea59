"""What expressions are, read in order, given what the names in them are."""

import ast
from collections.abc import Sequence

from graphmode.lint.kinds import Kind, computed_from, element_of, join, result_of
from graphmode.lint.source import Source
from graphmode.lint.words import words

Names = dict[str, Kind]

_KEEP_KIND = ("int", "float", "abs", "min", "max", "sum", "round", "pow")
_DATASET_METHODS = words(
    "map batch padded_batch shuffle prefetch take skip repeat cache filter enumerate zip "
    "interleave flat_map shard unbatch window concatenate with_options apply"
)


class Expressions:
    """Reads expressions; each method reads the kind of node that it is named after.

    Attributes:
        kinds: every node read, in order, and what it is (statements are OTHER).
        names: what each name is now.
        calls: the calls read.
    """

    def __init__(self, source: Source, names: Names) -> None:
        self._source = source
        self.kinds: dict[ast.AST, Kind] = {}
        self.names = dict(names)
        self.calls: list[ast.Call] = []

    def of(self, node: ast.AST) -> Kind:
        """What an expression is; OTHER where it was not read."""
        return self.kinds.get(node, Kind.OTHER)

    def _read(self, node: ast.AST) -> Kind:
        read = getattr(self, f"_{type(node).__name__.lower()}", self._read_children)
        kind: Kind = read(node)
        self.kinds[node] = kind
        return kind

    def _read_children(self, node: ast.AST) -> Kind:
        for child in ast.iter_child_nodes(node):
            self._read(child)
        return Kind.OTHER

    def _bind(self, target: ast.AST, kind: Kind, value: ast.AST | None = None) -> None:
        match target, value:
            case ast.Name(id=name), _:
                self.names[name] = kind
            case (
                (ast.Tuple(elts=targets) | ast.List(elts=targets)),
                (ast.Tuple(elts=values) | ast.List(elts=values)),
            ) if len(targets) == len(values):
                for one, its in zip(targets, values, strict=True):
                    self._bind(one, self.of(its), its)
            case ((ast.Tuple(elts=targets) | ast.List(elts=targets)), _):
                for one in targets:
                    self._bind(one, element_of(kind))
            case ast.Starred(value=rest), _:
                self._bind(rest, Kind.OTHER)
            case _:
                self._read_children(target)

    def _called(self, node: ast.AST) -> str | None:
        return self._source.meaning(node.func) if isinstance(node, ast.Call) else None

    def _name(self, node: ast.Name) -> Kind:
        return self.names.get(node.id, Kind.OTHER)

    def _attribute(self, node: ast.Attribute) -> Kind:
        self._read(node.value)
        return Kind.OTHER

    def _subscript(self, node: ast.Subscript) -> Kind:
        value = self._read(node.value)
        self._read(node.slice)
        if value is Kind.TENSORS and isinstance(node.slice, ast.Slice):
            return value
        return element_of(value) if value is not Kind.DATASET else Kind.OTHER

    def _binop(self, node: ast.BinOp) -> Kind:
        left, right = self._read(node.left), self._read(node.right)
        is_text = isinstance(node.left, ast.JoinedStr) or (
            isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
        )
        return Kind.OTHER if is_text else computed_from([left, right])

    def _unaryop(self, node: ast.UnaryOp) -> Kind:
        return computed_from([self._read(node.operand)])

    def _compare(self, node: ast.Compare) -> Kind:
        operands = [node.left, *node.comparators]
        kinds = [self._read(operand) for operand in operands]
        is_static = any(
            isinstance(operation, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for operation in node.ops
        ) or any(
            isinstance(operand, ast.Constant) and isinstance(operand.value, (str, bool, type(None)))
            for operand in operands
        )
        return Kind.OTHER if is_static else computed_from(kinds)

    def _boolop(self, node: ast.BoolOp) -> Kind:
        kinds = [self._read(value) for value in node.values]
        # `known or tf.shape(x)[0]` may well be the Python value before the `or`.
        is_surely_tensor = kinds[0] is Kind.TENSOR or Kind.OTHER not in kinds
        return computed_from(kinds) if is_surely_tensor else Kind.OTHER

    def _ifexp(self, node: ast.IfExp) -> Kind:
        self._read(node.test)
        return join(self._read(node.body), self._read(node.orelse))

    def _tuple(self, node: ast.Tuple | ast.List) -> Kind:
        kinds = [self._read(element) for element in node.elts]
        return Kind.TENSORS if kinds and set(kinds) == {Kind.TENSOR} else Kind.OTHER

    _list = _tuple

    def _listcomp(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp) -> Kind:
        kind = self._in_generators(node.generators, [node.elt])
        return (
            Kind.TENSORS if kind is Kind.TENSOR and isinstance(node, ast.ListComp) else Kind.OTHER
        )

    def _dictcomp(self, node: ast.DictComp) -> Kind:
        self._in_generators(node.generators, [node.key, node.value])
        return Kind.OTHER

    def _in_generators(
        self, generators: Sequence[ast.comprehension], elements: Sequence[ast.AST]
    ) -> Kind:
        outside = dict(self.names)
        for generator in generators:
            self._bind(generator.target, element_of(self._read(generator.iter)))
            for condition in generator.ifs:
                self._read(condition)
        kinds = [self._read(element) for element in elements]
        self.names = outside
        return kinds[-1]

    def _namedexpr(self, node: ast.NamedExpr) -> Kind:
        kind = self._read(node.value)
        self._bind(node.target, kind, node.value)
        return kind

    def _lambda(self, node: ast.Lambda) -> Kind:
        del node  # Read when it is called, as every function defined within.
        return Kind.OTHER

    def _call(self, node: ast.Call) -> Kind:
        self.calls.append(node)
        function = self._read(node.func)
        arguments = [self._read(argument) for argument in node.args]
        for keyword in node.keywords:
            self._read(keyword.value)
        name = self._source.meaning(node.func)
        if name is not None:
            return result_of(name)
        if isinstance(node.func, ast.Attribute):
            return self._method_result(node.func)
        return self._builtin_result(node.func, arguments) if function is Kind.OTHER else function

    def _method_result(self, function: ast.Attribute) -> Kind:
        is_dataset = self.of(function.value) is Kind.DATASET
        return Kind.DATASET if is_dataset and function.attr in _DATASET_METHODS else Kind.OTHER

    def _builtin_result(self, function: ast.AST, arguments: list[Kind]) -> Kind:
        if self._source.is_builtin(function, *_KEEP_KIND):
            kind = computed_from(map(element_of, arguments))
            return kind if kind is Kind.TENSOR else Kind.OTHER
        if self._source.is_builtin(function, "range"):
            return Kind.TENSOR if Kind.TENSOR in arguments else Kind.OTHER
        if self._source.is_builtin(function, "list", "tuple", "reversed"):
            return Kind.TENSORS if arguments == [Kind.TENSORS] else Kind.OTHER
        return Kind.OTHER
