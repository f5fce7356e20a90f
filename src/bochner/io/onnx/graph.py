"""ONNX graph builder: NumPy formulas on a symbolic `Tensor` become nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from bochner._typing import Array
from bochner.errors import UnsupportedModelError

if TYPE_CHECKING:
    from onnx import NodeProto

__all__ = ["Operand", "Sink", "Tensor", "in_blocks", "onnx_type"]

_OPERATORS: dict[np.ufunc, str] = {
    np.add: "Add",
    np.subtract: "Sub",
    np.multiply: "Mul",
    np.divide: "Div",
    np.power: "Pow",
    np.matmul: "MatMul",
    np.maximum: "Max",
    np.minimum: "Min",
    np.negative: "Neg",
    np.absolute: "Abs",
    np.exp: "Exp",
    np.log: "Log",
    np.sqrt: "Sqrt",
    np.cos: "Cos",
    np.sin: "Sin",
    np.rint: "Round",
    np.greater: "Greater",
}


class Sink(Protocol):
    """Receiver of nodes and constants: a graph of our own, or one of skl2onnx."""

    def constant(self, array: Array) -> str:
        """Add a constant; its name."""
        ...

    def node(self, operator: str, inputs: list[str], **attributes: Any) -> str:
        """Add a node of one output; the name of that."""
        ...


class Tensor(np.lib.mixins.NDArrayOperatorsMixin):
    """A value of the graph that is known when the graph runs. NumPy's functions on it add nodes.

    Attributes
    ----------
    sink : Sink
    name : str
    dtype : numpy dtype
        Constants that meet the tensor take its type.
    """

    def __init__(self, sink: Sink, name: str, dtype: npt.DTypeLike) -> None:
        self.sink = sink
        self.name = name
        self.dtype = np.dtype(dtype)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Operand, **kwargs: object) -> Tensor:
        if method != "__call__" or kwargs or ufunc not in _OPERATORS:
            raise UnsupportedModelError(f"numpy.{ufunc.__name__} has no counterpart in the graph.")
        return self.apply(_OPERATORS[ufunc], *inputs)

    def __array__(self, *args: object, **kwargs: object) -> Array:
        raise UnsupportedModelError("A value of the graph is known only when it runs.")

    def apply(self, operator: str, *inputs: Operand, dtype: npt.DTypeLike | None = None, **attributes: Any) -> Tensor:
        """The node `operator` on tensors and arrays."""
        names = [each.name if isinstance(each, Tensor) else self._constant(each) for each in inputs]
        return Tensor(self.sink, self.sink.node(operator, names, **attributes), dtype or self.dtype)

    def sum(self, axis: int, *, keepdims: bool = False) -> Tensor:
        return self.apply("ReduceSum", self, np.array([axis], dtype=np.int64), keepdims=int(keepdims))

    def reshape(self, *shape: int) -> Tensor:
        return self.apply("Reshape", self, np.array(shape, dtype=np.int64))

    def column(self, j: int) -> Tensor:
        """Column j, of shape (n, 1)."""
        return self.apply("Gather", self, np.array([j], dtype=np.int64), axis=1)

    def columns(self, chosen: Sequence[int]) -> Tensor:
        """Some columns."""
        return self.apply("Gather", self, np.array(chosen, dtype=np.int64), axis=1)

    def astype(self, dtype: npt.DTypeLike) -> Tensor:
        return self.apply("Cast", self, dtype=dtype, to=onnx_type(dtype)) if np.dtype(dtype) != self.dtype else self

    def beside(self, *others: Tensor) -> Tensor:
        """The columns of this tensor and then those of the others."""
        return self.apply("Concat", self, *others, axis=1) if others else self

    def _constant(self, value: Array | float) -> str:
        array = np.asarray(value)
        meets = array.ndim == 0 or array.dtype.kind == self.dtype.kind == "f"  # indices and labels keep their type
        return self.sink.constant(array.astype(self.dtype) if meets else array)


class _BodySink:
    """Nodes of the body of a loop; its constants are those of the graph around it."""

    def __init__(self, outer: Sink, name: str) -> None:
        self.nodes: list[NodeProto] = []
        self._outer, self._name = outer, name

    def constant(self, array: Array) -> str:
        return self._outer.constant(array)

    def node(self, operator: str, inputs: list[str], **attributes: Any) -> str:
        from onnx import helper

        name = f"{self._name}_{operator.lower()}{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [name], name=name, **attributes))
        return name


def in_blocks(X: Tensor, function: Callable[[Tensor], Tensor], n_columns: int, most_rows: int) -> Tensor:
    """`function` of the rows X (n, d), some at a time: what it makes of a block is forgotten before the next one.

    The rows are filled up with zeros to whole blocks, of which there are as few as can be: a single row is one.
    """
    from onnx import helper

    n = X.apply("Shape", X, dtype=np.int64, start=0, end=1)
    one = n.apply("Max", n, np.array([1], dtype=np.int64))
    size = one.apply("Min", one, np.array([most_rows], dtype=np.int64))
    count = (one + size - np.array([1], dtype=np.int64)) / size
    zero, width = np.array([0], dtype=np.int64), np.array([n_columns], dtype=np.int64)
    pads = n.apply("Concat", zero, zero, count * size - n, zero, axis=0)
    blocks = X.apply("Reshape", X.apply("Pad", X, pads), n.apply("Concat", count, size, width, axis=0))
    sink = _BodySink(X.sink, f"of_{blocks.name}")
    rows = f"rows_{blocks.name}"
    found = function(Tensor(sink, rows, X.dtype))
    body = helper.make_graph(
        sink.nodes,
        f"block_{blocks.name}",
        [helper.make_tensor_value_info(rows, onnx_type(X.dtype), [None, n_columns])],
        [helper.make_tensor_value_info(found.name, onnx_type(found.dtype), [None, None])],
    )
    scanned = blocks.apply("Scan", blocks, dtype=found.dtype, body=body, num_scan_inputs=1)
    last = scanned.apply("Shape", scanned, dtype=np.int64, start=2, end=3)
    flat = scanned.apply("Reshape", scanned, n.apply("Concat", np.array([-1], dtype=np.int64), last, axis=0))
    return flat.apply("Slice", flat, zero, n, zero)


Operand: TypeAlias = Tensor | Array | float
"""What nodes are made of: values of the graph, and constants."""


def onnx_type(dtype: npt.DTypeLike) -> int:
    """ONNX's number of a NumPy type."""
    from onnx import helper

    return int(helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))
