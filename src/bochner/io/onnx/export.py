"""ONNX export of models and feature maps, for runtimes without Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatch
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

import bochner
from bochner._files import replacing
from bochner._typing import Array, FilePath, FloatType, MatrixLike
from bochner.errors import MissingExtraError, UnsupportedModelError, invalid_parameter
from bochner.estimators import (
    DistributionClassifier,
    DistributionRegressor,
    DriftDetector,
    KernelClassifier,
    KernelPCA,
    KernelPoissonRegressor,
    KernelQuantileRegressor,
    KernelRegressor,
)
from bochner.estimators.kernel_model import KernelModel
from bochner.estimators.loss_regressor import LossRegressor
from bochner.estimators.map_transformer import MapTransformer
from bochner.io.onnx import catalogue  # noqa: F401  # registers its maps
from bochner.io.onnx.graph import Tensor, in_blocks, onnx_type
from bochner.io.onnx.maps import features_of
from bochner.io.onnx.spread import standard_deviation
from bochner.memory import MemoryBill, require_memory

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto, TensorProto

__all__ = ["outputs", "to_onnx"]

_OPSET, _IR = 18, 9
_BLOCK_VALUES, _FEWEST_ROWS = 2**20, 16  # features of a block of rows: 8 MB in float64, of which there are a few copies
_MOST_BYTES = 2**31 - 2**20  # of one protocol buffer


def to_onnx(
    model: BaseEstimator,
    path: FilePath | None = None,
    *,
    dtype: npt.DTypeLike | None = None,
    std: bool = False,
    X: MatrixLike | None = None,
) -> ModelProto:
    """Write a fitted model as an ONNX graph: opset 18, any number of rows.

    ============================  =======================================================================
    model                         outputs
    ============================  =======================================================================
    feature maps, `KernelPCA`     `transformed`
    `KernelRegressor`             `mean`, of shape (n, 1) or (n, n_targets), and `std` if asked for
    `KernelQuantileRegressor`     `quantiles`, of shape (n, n_quantiles); other losses have `mean`
    `KernelClassifier`            `label`, and `probabilities` (n, n_classes), or `scores` without them
    scikit-learn `Pipeline` ...   those of skl2onnx, which must be installed
    ============================  =======================================================================

    Parameters
    ----------
    model : fitted estimator or transformer
        What has no static graph is refused with the reason.
    path : str or Path, default=None
        Where to write the graph; None: it is only returned.
    dtype : numpy float type, default=None
        Type of input and computation; None: float32.
    std : bool, default=False
        Whether the graph of a `KernelRegressor` has the standard deviation of a prediction too: D x D more numbers.
    X : frame or array, default=None
        Some rows, for a pipeline whose columns are not all numbers: they tell the types of its inputs.

    Returns
    -------
    onnx.ModelProto
    """
    try:
        import onnx
    except ImportError:
        raise MissingExtraError("onnx", "onnx") from None
    chosen = _float_type(dtype)
    check_is_fitted(model)
    if std:
        width = getattr(getattr(model, "features_", None), "n_components_", 0)
        bill = MemoryBill({"factor of the error bars, and its copies in the graph": _GRAPH_COPIES * 8 * width**2})
        require_memory(bill, "Export the model without std=True, or one of fewer features.")
    if type(model).__module__.startswith("sklearn."):
        from bochner.io.onnx.pipelines import convert_pipeline

        proto = convert_pipeline(model, chosen, X, _OPSET)
    else:
        proto = _own_graph(_with_spread(model) if std else model, chosen)
    proto.ir_version = _IR
    onnx.checker.check_model(proto)
    if path is not None:
        with replacing(Path(path)) as file:
            file.write(proto.SerializeToString())
    return proto


_GRAPH_COPIES = 6
"""Of the largest array of a graph: in two float types, as bytes, in the graph, in the model, and when it is checked."""


def _float_type(dtype: npt.DTypeLike | None) -> FloatType:
    chosen = np.dtype(np.float32 if dtype is None else dtype)
    if chosen not in (np.float32, np.float64):
        raise invalid_parameter("to_onnx", "dtype", "float32, float64 or None", dtype)
    return cast("FloatType", chosen)


@singledispatch
def outputs(model: object, X: Tensor) -> dict[str, Tensor]:
    """The outputs of a model on rows, by name."""
    raise UnsupportedModelError(f"{type(model).__name__} has no ONNX graph.")


@outputs.register
def _(model: MapTransformer, X: Tensor) -> dict[str, Tensor]:
    return {"transformed": features_of(model, X).astype(X.dtype)}


@outputs.register
def _(model: KernelRegressor, X: Tensor) -> dict[str, Tensor]:
    return {"mean": _linear(model, X, *_coefficients(model))}


def _coefficients(model: KernelRegressor) -> tuple[Array, Array]:
    return np.atleast_2d(model.coef_).T, np.atleast_1d(model.intercept_)


def _linear(model: KernelModel, X: Tensor, coef: Array, intercept: Array) -> Tensor:
    """z(x).coef + intercept in the type of the rows; in the type of the features before."""
    return _of_features(model, X, len(coef), lambda Z: Z @ coef + intercept)


def _of_features(model: KernelModel, X: Tensor, width: int, function: Callable[[Tensor], Tensor]) -> Tensor:
    """A function of the features of the rows, block by block: features of many rows would not fit into memory."""

    def of_rows(rows: Tensor) -> Tensor:
        return function(features_of(model.features_, rows)).astype(X.dtype)

    return in_blocks(X, of_rows, int(model.n_features_in_), max(_FEWEST_ROWS, _BLOCK_VALUES // max(1, width)))


_WIDEST_SPREAD = 8192  # features up to which a graph may hold the inverse factor of the error bars


@dataclass(frozen=True)
class _RegressorWithSpread:
    """A regressor whose graph has error bars."""

    model: KernelRegressor

    @property
    def n_features_in_(self) -> int:
        return int(self.model.n_features_in_)


@singledispatch
def _with_spread(model: object) -> _RegressorWithSpread:
    raise invalid_parameter("to_onnx", "std", "False for a model other than KernelRegressor", True)


@_with_spread.register
def _(model: KernelRegressor) -> _RegressorWithSpread:
    if model.solver_ == "iterative":
        raise invalid_parameter("to_onnx", "std", "False for a model of the iterative solver", True)
    if model.fitted_.noise is not None:
        raise invalid_parameter("to_onnx", "std", "False for a model of noise='learned'", True)
    if model.feature_map_.n_components > _WIDEST_SPREAD:
        raise invalid_parameter("to_onnx", "std", f"False for a model of more than {_WIDEST_SPREAD:,} features", True)
    return _RegressorWithSpread(model)


@outputs.register
def _(with_spread: _RegressorWithSpread, X: Tensor) -> dict[str, Tensor]:
    model = with_spread.model
    coef, intercept = _coefficients(model)
    D, t = coef.shape
    both = _of_features(
        model, X, D, lambda Z: (Z @ coef + intercept).beside(standard_deviation(model, Z).astype(Z.dtype))
    )
    return {"mean": both.columns(range(t)), "std": both.columns(range(t, 2 * t))}


@outputs.register
def _(model: KernelPCA, X: Tensor) -> dict[str, Tensor]:
    axes = model.components_.T
    return {"transformed": _linear(model, X, axes, -model.mean_ @ axes)}


@outputs.register
def _(model: KernelClassifier, X: Tensor) -> dict[str, Tensor]:
    classes = model.classes_
    scores = _linear(model, X, model.coef_.T, model.intercept_)
    both = (scores * 0.0).beside(scores) if len(classes) == 2 else scores
    # The first of equal scores wins, here as in numpy.argmax: a score of 0 is the first of two classes.
    position = both.apply("ArgMax", both, dtype=np.int64, axis=1, keepdims=0)
    known = _classes(classes)
    label = position.apply("Gather", known, position, dtype=known.dtype)
    if not hasattr(model, "predict_proba"):
        return {"label": label, "scores": scores}
    tempered = both * model.inverse_temperature_
    return {"label": label, "probabilities": tempered.apply("Softmax", tempered, axis=1)}


@outputs.register
def _(model: LossRegressor, X: Tensor) -> dict[str, Tensor]:
    solution = model.fitted_.solution
    return {"mean": _linear(model, X, solution.coef, solution.intercept)}


@outputs.register
def _(model: KernelPoissonRegressor, X: Tensor) -> dict[str, Tensor]:
    logarithm = outputs.dispatch(LossRegressor)(model, X)["mean"]
    return {"mean": logarithm.apply("Exp", logarithm)}


@outputs.register
def _(model: KernelQuantileRegressor, X: Tensor) -> dict[str, Tensor]:
    scores, n = outputs.dispatch(LossRegressor)(model, X)["mean"], len(model.fitted_.solution.intercept)
    columns = [scores.column(j) for j in range(n)]
    for end in range(n - 1, 0, -1):  # sorted by exchanges of neighbours
        for j in range(end):
            left, right = columns[j], columns[j + 1]
            columns[j], columns[j + 1] = left.apply("Min", left, right), left.apply("Max", left, right)
    return {"quantiles": columns[0].beside(*columns[1:])}


@outputs.register
def _(model: DistributionRegressor | DistributionClassifier, X: Tensor) -> dict[str, Tensor]:
    raise UnsupportedModelError(
        f"{type(model).__name__} takes bags of any size, which are no tensor: export its model_, and give that the "
        "embeddings of the bags."
    )


@outputs.register
def _(model: DriftDetector, X: Tensor) -> dict[str, Tensor]:
    raise UnsupportedModelError("DriftDetector keeps the state of a stream, which a graph does not have.")


def _classes(classes: Array) -> Array:
    """Labels in a type that graphs have: text, 64-bit integers, or what they are."""
    types = {"U": object, "i": np.int64, "u": np.int64}
    return classes.astype(types.get(classes.dtype.kind, classes.dtype))


class _ModelSink:
    """Nodes and constants of a model of our own."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []
        self._bytes = 0

    def constant(self, array: Array) -> str:
        from onnx import numpy_helper

        self._bytes += array.nbytes
        if self._bytes > _MOST_BYTES:
            raise UnsupportedModelError("The graph would have more than 2 GB, the most of an ONNX file.")
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def node(self, operator: str, inputs: list[str], **attributes: Any) -> str:
        from onnx import helper

        name = f"{operator.lower()}{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [name], name=name, **attributes))
        return name


def _own_graph(model: BaseEstimator | _RegressorWithSpread, dtype: FloatType) -> ModelProto:
    from onnx import helper

    sink = _ModelSink()
    found = outputs(model, Tensor(sink, "X", dtype))
    for name, tensor in found.items():
        sink.nodes.append(helper.make_node("Identity", [tensor.name], [name]))
    rows = helper.make_tensor_value_info("X", onnx_type(dtype), ["n", int(model.n_features_in_)])
    results = [
        helper.make_tensor_value_info(name, onnx_type(tensor.dtype), ["n"] if name == "label" else ["n", None])
        for name, tensor in found.items()
    ]
    graph = helper.make_graph(sink.nodes, type(model).__name__, [rows], results, sink.constants)
    return helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", _OPSET)],
        producer_name="bochner",
        producer_version=bochner.__version__,
    )
