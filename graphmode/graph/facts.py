"""What there is to know of a graph: before and after TensorFlow's optimiser (grappler)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

CONTROL_FLOW_OPS = frozenset(
    {
        *("If", "StatelessIf", "Case", "StatelessCase", "While", "StatelessWhile"),
        # What the runtime makes of them.
        *("Switch", "_SwitchN", "Merge", "Enter", "Exit", "NextIteration", "LoopCond"),
    }
)

UNPLACED = "no device of their own"
"""Where nodes are before they are placed, and in functions that a placed node calls."""


@dataclass(frozen=True, kw_only=True)
class FusedOp:
    """Ops that one kernel computes together."""

    op: str
    fused_ops: tuple[str, ...]
    """What was fused into `op`, in order; empty where the op's name alone says it."""
    dtype: str
    """Its attribute T."""
    count: int


@dataclass(frozen=True, kw_only=True)
class Constant:
    """One Const node."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    bytes: int
    """In memory, not in the file, which may store a repeated value once."""


@dataclass(frozen=True, kw_only=True)
class Variable:
    """A variable that the graph holds a handle of."""

    name: str
    dtype: str
    shape: tuple[int | None, ...]
    bytes: int | None
    """None where a dimension is not known."""


@dataclass(frozen=True, kw_only=True)
class StageFacts:
    """A graph at one stage, the functions that it calls counted in once for each call."""

    ops: Mapping[str, int]
    """How many nodes of each op, most first."""
    fused: tuple[FusedOp, ...]
    casts: Mapping[str, int]
    """How many casts, by `from -> to`."""
    dtypes: Mapping[str, int]
    """How many ops compute in each dtype."""
    constants: tuple[Constant, ...]
    """Largest first."""
    devices: Mapping[str, Mapping[str, int]]
    """How many nodes of each op on each device, UNPLACED included."""

    @property
    def size(self) -> int:
        """Nodes."""
        return sum(self.ops.values())

    @property
    def control_flow(self) -> dict[str, int]:
        """How many nodes of each op that steers what runs."""
        return {op: count for op, count in self.ops.items() if op in CONTROL_FLOW_OPS}

    @property
    def constant_bytes(self) -> int:
        """Memory of all constants."""
        return sum(constant.bytes for constant in self.constants)

    @property
    def variable_reads(self) -> int:
        """Nodes that read a variable."""
        return self.ops.get("ReadVariableOp", 0) + self.ops.get("ResourceGather", 0)

    @property
    def variable_writes(self) -> int:
        """Nodes that change a variable."""
        starts = ("Assign", "ResourceApply", "ResourceSparseApply", "ResourceScatter")
        return sum(count for op, count in self.ops.items() if op.startswith(starts))


@dataclass(frozen=True, kw_only=True)
class GraphFacts:
    """A graph before and after the optimiser."""

    name: str
    inputs: Mapping[str, str]
    """Shape and dtype of what it was run with."""
    before: StageFacts
    after: StageFacts
    variables: tuple[Variable, ...]
    notes: tuple[str, ...] = ()
    """What a reader must know before believing the counts."""
    optimised: bytes = field(default=b"", repr=False)
    """The graph that ran, as a serialized GraphDef."""
