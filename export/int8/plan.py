"""Which layers become 8-bit operations: what is decided before any photo is seen.

Rescaling, Normalization     into the first convolution's weights
Conv2D + ReLU                one convolution
Conv2D + Add + ReLU          one convolution that adds the other operand, its summand, in place
Conv2D + Add (projection)    a convolution of its own, whose result is such a summand
MaxPooling2D                 as it is
GlobalAveragePooling2D ...   float32 from there on
"""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from export.errors import ExportError
from export.folding import FoldedLayer, read_layers

_SCALING = ("Rescaling", "Normalization")
_FLOAT_TAIL = ("GlobalAveragePooling2D", "Dense", "Softmax", "Activation")


@dataclass(frozen=True, kw_only=True)
class Convolution:
    """A convolution with what is computed along with it."""

    folded: FoldedLayer
    output: int
    """Identity of the Keras tensor that it stands for: the ReLU's, or of a projection its own."""
    summand: int | None = None
    """Identity of the tensor that it adds, and overwrites."""
    is_projection: bool = False
    """It has no ReLU and may be negative; an addition alone reads it."""

    @property
    def input(self) -> int:
        """Identity of the tensor that it convolves."""
        return self.folded.inputs[0]


@dataclass(frozen=True, kw_only=True)
class MaxPool:
    """A pooling, the zeros before it included: its input is never negative."""

    folded: FoldedLayer
    padding: Any | None
    input: int
    output: int


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The whole network: `scaling`, then `nodes` in 8 bits, then `tail` in float32."""

    scaling: tuple[FoldedLayer, ...]
    nodes: tuple[Convolution | MaxPool, ...]
    tail: tuple[FoldedLayer, ...]
    image: int
    """Identity of the tensor that the first node reads."""


def plan_of(model: Any) -> Plan:  # noqa: ANN401
    """Reads a Functional Keras model.

    Raises:
        ExportError: a layer that has no place in the table above, or whose result would be
            overwritten before another layer has read it.
    """
    return _Planner(model).plan()


class _Planner:
    """Goes through the layers once, in the order of computation."""

    def __init__(self, model: Any) -> None:  # noqa: ANN401
        self._layers = read_layers(model)
        self._image = id(model.inputs[0])
        self._writers = {layer.output: layer for layer in self._layers}
        self._readers: dict[int, list[FoldedLayer]] = defaultdict(list)
        for layer in self._layers:
            for key in layer.inputs:
                self._readers[key].append(layer)
        self._nodes: list[Convolution | MaxPool] = []

    def plan(self) -> Plan:
        scaling, image = self._scaling()
        tail = self._tail()
        for layer in self._layers[len(scaling) : len(self._layers) - len(tail)]:
            self._place(layer)
        self._check_made(image)
        return Plan(scaling=scaling, nodes=tuple(self._nodes), tail=tail, image=image)

    def _scaling(self) -> tuple[tuple[FoldedLayer, ...], int]:
        found: list[FoldedLayer] = []
        for layer in self._layers:
            if layer.kind not in _SCALING:
                break
            found.append(layer)
        return tuple(found), found[-1].output if found else self._image

    def _tail(self) -> tuple[FoldedLayer, ...]:
        kinds = [layer.kind for layer in self._layers]
        if "GlobalAveragePooling2D" not in kinds:
            raise ExportError("int8 expects a GlobalAveragePooling2D before the classifier")
        tail = self._layers[kinds.index("GlobalAveragePooling2D") :]
        for layer in tail:
            if layer.kind not in _FLOAT_TAIL:
                raise _no_place(layer)
        return tuple(tail)

    def _check_made(self, image: int) -> None:
        """Nothing reads what a convolution has taken into itself, and the image only the first."""
        if not self._nodes or not isinstance(self._nodes[0], Convolution):
            raise ExportError("int8: no convolution reads the image")
        made = {image}
        for node in self._nodes:
            summand = node.summand if isinstance(node, Convolution) else None
            read = {node.input, node.input if summand is None else summand}
            if not read <= made:
                raise _no_place(node.folded)
            made = made - {image} | {node.output}

    def _place(self, layer: FoldedLayer) -> None:
        if layer.kind == "Conv2D":
            self._place_convolution(layer)
        elif layer.kind == "Add":
            self._place_addition(layer)
        elif layer.kind == "MaxPooling2D":
            self._place_pool(layer)
        elif layer.kind == "ZeroPadding2D":
            self._require_reader(layer, "MaxPooling2D")
        elif not _is_relu(layer) or not self._belongs_to_convolution(layer):
            raise _no_place(layer)

    def _place_convolution(self, layer: FoldedLayer) -> None:
        """Those that end in an addition are placed with it."""
        if layer.layer.get_config()["activation"] == "relu":
            self._nodes.append(Convolution(folded=layer, output=layer.output))
        elif _is_relu(reader := self._only_reader(layer)):
            self._nodes.append(Convolution(folded=layer, output=reader.output))
        elif reader.kind != "Add":
            raise _no_place(layer)

    def _place_addition(self, layer: FoldedLayer) -> None:
        relu = self._only_reader(layer)
        operands = [self._writers.get(key) for key in layer.inputs]
        sums = [one for one in operands if one is not None and self._ends_in(one, layer)]
        if not _is_relu(relu) or len(operands) != 2 or not sums:
            raise _no_place(layer)
        main = max(sums, key=self._layers.index)
        (summand,) = (key for key in layer.inputs if key != main.output)
        if len(sums) == 2:
            projection = min(sums, key=self._layers.index)
            self._nodes.append(
                Convolution(folded=projection, output=projection.output, is_projection=True)
            )
        self._check_overwritten(summand, main, layer)
        self._nodes.append(Convolution(folded=main, output=relu.output, summand=summand))

    def _place_pool(self, layer: FoldedLayer) -> None:
        before = self._writers.get(layer.inputs[0])
        padding = before if before is not None and before.kind == "ZeroPadding2D" else None
        self._nodes.append(
            MaxPool(
                folded=layer,
                padding=padding.layer if padding else None,
                input=(padding or layer).inputs[0],
                output=layer.output,
            )
        )

    def _check_overwritten(self, summand: int, main: FoldedLayer, addition: FoldedLayer) -> None:
        """The sum is written where the summand was: who else reads that must have done so."""
        done = [] if main.inputs[0] == summand else self._needed_by(main.inputs[0])
        late = [one for one in self._readers[summand] if one is not addition and one not in done]
        if late:
            raise ExportError(
                f"int8: {late[0].name} may read a tensor after {main.name} has written its sum "
                f"over it ({addition.name}); int8 takes networks where that convolution comes last"
            )

    def _needed_by(self, key: int) -> list[FoldedLayer]:
        """The layers that have run when the tensor is there."""
        needed: list[FoldedLayer] = []
        wanted = [key]
        while wanted:
            layer = self._writers.get(wanted.pop())
            if layer is not None and layer not in needed:
                needed.append(layer)
                wanted += layer.inputs
        return needed

    def _ends_in(self, layer: FoldedLayer, addition: FoldedLayer) -> bool:
        is_plain = layer.kind == "Conv2D" and layer.layer.get_config()["activation"] == "linear"
        return is_plain and self._readers[layer.output] == [addition]

    def _belongs_to_convolution(self, relu: FoldedLayer) -> bool:
        writer = self._writers.get(relu.inputs[0])
        return writer is not None and writer.kind in {"Conv2D", "Add"}

    def _only_reader(self, layer: FoldedLayer) -> FoldedLayer:
        readers = self._readers[layer.output]
        if len(readers) != 1:
            raise ExportError(
                f"int8: {layer.name} is read by {len(readers)} layers, expected one: "
                "a ReLU, or an addition before a ReLU"
            )
        return readers[0]

    def _require_reader(self, layer: FoldedLayer, kind: str) -> None:
        if self._only_reader(layer).kind != kind:
            raise _no_place(layer)


def _is_relu(layer: FoldedLayer) -> bool:
    name = layer.layer.get_config().get("activation")
    return layer.kind == "ReLU" or (layer.kind == "Activation" and name == "relu")


def _no_place(layer: FoldedLayer) -> ExportError:
    return ExportError(
        f"int8: {layer.name} stands where 8-bit operations have no place for it; they take "
        "Conv2D and batch norm followed by ReLU, or by Add and ReLU, and MaxPooling2D, "
        "then GlobalAveragePooling2D and Dense"
    )
