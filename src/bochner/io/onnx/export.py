"""Models as ONNX graphs, for runtimes without Python."""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from pathlib import Path
from typing import Any

import numpy as np
from scipy.linalg.lapack import dtrtri
from sklearn.utils.validation import check_is_fitted

import bochner
from bochner._archive import replacing
from bochner._typing import Array
from bochner.errors import MissingExtraError, UnsupportedModelError, invalid_parameter
from bochner.estimators import (
    DistributionClassifier,
    DistributionRegressor,
    DriftDetector,
    KernelClassifier,
    KernelPCA,
    KernelRegressor,
)
from bochner.estimators.map_transformer import MapTransformer
from bochner.features.nystroem import NystroemMap
from bochner.io.onnx.graph import Tensor, onnx_type
from bochner.io.onnx.maps import features
from bochner.solvers import PredictiveSpread

__all__ = ["outputs", "to_onnx"]

_OPSET, _IR = 18, 9
_MOST_BYTES = 2**31 - 2**20  # of one protocol buffer


def to_onnx(model: Any, path: str | Path | None = None, *, dtype: Any = None, std: bool = False, X: Any = None) -> Any:
    """Write a fitted model as an ONNX graph: opset 18, any number of rows.

    ============================  =======================================================================
    model                         outputs
    ============================  =======================================================================
    feature maps, `KernelPCA`     `transformed`
    `KernelRegressor`             `mean`, of shape (n, 1) or (n, n_targets), and `std` if asked for
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
    chosen = np.dtype(np.float32 if dtype is None else dtype)
    if chosen not in (np.float32, np.float64):
        raise invalid_parameter("to_onnx", "dtype", "float32, float64 or None", dtype)
    check_is_fitted(model)
    if std and not isinstance(model, KernelRegressor):
        raise invalid_parameter("to_onnx", "std", "False for a model other than KernelRegressor", std)
    if std and model.moments_ is None:
        raise invalid_parameter("to_onnx", "std", "False for a model of the iterative solver", std)
    if type(model).__module__.startswith("sklearn."):
        from bochner.io.onnx.pipelines import convert_pipeline

        proto = convert_pipeline(model, chosen, X, _OPSET)
    else:
        proto = _own_graph(_RegressorWithSpread(model) if std else model, chosen)
    proto.ir_version = _IR
    onnx.checker.check_model(proto)
    if path is not None:
        with replacing(Path(path)) as file:
            file.write(proto.SerializeToString())
    return proto


@singledispatch
def outputs(model: Any, X: Tensor) -> dict[str, Tensor]:
    """The outputs of a model on rows, by name."""
    raise UnsupportedModelError(f"{type(model).__name__} has no ONNX graph.")


@outputs.register
def _(model: MapTransformer, X: Tensor) -> dict[str, Tensor]:
    return {"transformed": features(model.map_, X)}


@outputs.register
def _(model: KernelRegressor, X: Tensor) -> dict[str, Tensor]:
    solution = model._solved()
    return {"mean": features(model._map(), X) @ solution.coef + solution.intercept}


@dataclass(frozen=True)
class _RegressorWithSpread:
    """A regressor whose graph has error bars."""

    model: KernelRegressor

    @property
    def n_features_in_(self) -> int:
        return int(self.model.n_features_in_)


@outputs.register
def _(with_spread: _RegressorWithSpread, X: Tensor) -> dict[str, Tensor]:
    model, solution = with_spread.model, with_spread.model._solved()
    Z = features(model._map(), X)
    spread = PredictiveSpread(model.moments_, fit_intercept=model.fit_intercept, alpha=solution.alpha)
    whitened = (Z.astype(np.float64) - spread._mean) @ _inverse(
        spread._factor.upper
    )  # in float64: its entries are large
    variance = (whitened * whitened).sum(1, keepdims=True) + spread._floor
    variance = variance + _unseen_variance(model._map(), Z.astype(np.float64), solution.alpha)
    std: Any = np.sqrt(variance * solution.noise_variance)
    return {"mean": Z @ solution.coef + solution.intercept, "std": std.astype(X.dtype)}


def _unseen_variance(feature_map: Any, Z: Tensor, alpha: float) -> Any:
    """`NystroemMap.unseen_variance` of rows with features Z; 0 for another map."""
    if not isinstance(feature_map, NystroemMap):
        return 0.0
    if feature_map.values.transforms is not None:
        raise UnsupportedModelError("Error bars of a model with invariant landmarks have no static graph.")
    shortfall = np.maximum(feature_map.values.kernel.variance - (Z * Z).sum(1, keepdims=True), 0.0)
    return feature_map.in_units_of_noise(shortfall, alpha)


@outputs.register
def _(model: KernelPCA, X: Tensor) -> dict[str, Tensor]:
    scores = model._scores()
    return {"transformed": features(scores.feature_map, X) @ scores.coef + scores.offset}


@outputs.register
def _(model: KernelClassifier, X: Tensor) -> dict[str, Tensor]:
    solution, classes = model._solution, model.classes_
    scores = features(model._map(), X) @ solution.coef + solution.intercept
    both = (scores * 0.0).beside(scores) if len(classes) == 2 else scores
    # The first of equal scores wins, here as in numpy.argmax: a score of 0 is the first of two classes.
    position = both.apply("ArgMax", both, dtype=np.int64, axis=1, keepdims=0)
    known = _classes(classes)
    label = position.apply("Gather", known, position, dtype=known.dtype)
    if not hasattr(model, "predict_proba"):
        return {"label": label, "scores": scores}
    tempered = both * model._inverse_temperature
    return {"label": label, "probabilities": tempered.apply("Softmax", tempered, axis=1)}


@outputs.register
def _(model: DistributionRegressor | DistributionClassifier, X: Tensor) -> dict[str, Tensor]:
    raise UnsupportedModelError(
        f"{type(model).__name__} takes bags of any size, which are no tensor: export its model_, and give that the "
        "embeddings of the bags."
    )


@outputs.register
def _(model: DriftDetector, X: Tensor) -> dict[str, Tensor]:
    raise UnsupportedModelError("DriftDetector keeps the state of a stream, which a graph does not have.")


def _inverse(upper: Array) -> Array:
    """U^-1 of a Cholesky factor: z'(G + alpha I)^-1 z = ||z'U^-1||^2."""
    inverse, _ = dtrtri(upper, lower=0)
    return np.triu(inverse)


def _classes(classes: Array) -> Array:
    """Labels in a type that graphs have: text, 64-bit integers, or what they are."""
    types = {"U": object, "i": np.int64, "u": np.int64}
    return classes.astype(types.get(classes.dtype.kind, classes.dtype))


class _ModelSink:
    """Nodes and constants of a model of our own."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
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


def _own_graph(model: Any, dtype: np.dtype[Any]) -> Any:
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
