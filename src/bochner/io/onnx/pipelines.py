"""ONNX export of scikit-learn pipelines by skl2onnx, with converters of our estimators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, is_classifier

from bochner._typing import Array, FloatType, MatrixLike
from bochner.errors import UnsupportedModelError
from bochner.estimators import (
    AdditiveFeatures,
    ArcCosineFeatures,
    FourierFeatures,
    KernelClassifier,
    KernelHuberRegressor,
    KernelPCA,
    KernelPoissonRegressor,
    KernelQuantileRegressor,
    KernelRegressor,
    KernelTweedieRegressor,
    LaplaceFeatures,
    MaclaurinFeatures,
    NystroemFeatures,
    OrbitFeatures,
    PatchFeatures,
    PositiveFeatures,
    SignFeatures,
    SketchFeatures,
    SplineFeatures,
    TensorSketchFeatures,
)
from bochner.io.onnx.export import outputs
from bochner.io.onnx.graph import Tensor, onnx_type

if TYPE_CHECKING:
    from onnx import ModelProto
    from skl2onnx.common._container import ModelComponentContainer
    from skl2onnx.common._topology import Operator, Scope
    from skl2onnx.common.data_types import TensorType

__all__ = ["convert_pipeline", "register_skl2onnx"]

_CONVERTED = (
    AdditiveFeatures,
    ArcCosineFeatures,
    FourierFeatures,
    KernelClassifier,
    KernelHuberRegressor,
    KernelPCA,
    KernelPoissonRegressor,
    KernelQuantileRegressor,
    KernelRegressor,
    KernelTweedieRegressor,
    LaplaceFeatures,
    MaclaurinFeatures,
    NystroemFeatures,
    OrbitFeatures,
    PatchFeatures,
    PositiveFeatures,
    SignFeatures,
    SketchFeatures,
    SplineFeatures,
    TensorSketchFeatures,
)


def register_skl2onnx() -> None:
    """Teach skl2onnx our estimators, so that its `to_onnx` and `convert_sklearn` take pipelines with them."""
    from skl2onnx import update_registered_converter

    for cls in _CONVERTED:
        options = {"zipmap": [False, True, "columns"], "nocl": [True, False]} if cls is KernelClassifier else None
        update_registered_converter(cls, f"Bochner{cls.__name__}", _shapes, _convert, overwrite=True, options=options)


def convert_pipeline(model: BaseEstimator, dtype: FloatType, X: MatrixLike | None, opset: int) -> ModelProto:
    """The graph of a scikit-learn model that has ours inside."""
    try:
        import skl2onnx
    except ImportError:
        raise UnsupportedModelError(
            f"The graph of a {type(model).__name__} is made by skl2onnx, which is not there. Run: pip install skl2onnx"
        ) from None
    register_skl2onnx()
    options = {"zipmap": False} if hasattr(model, "classes_") else None
    try:
        return skl2onnx.to_onnx(model, initial_types=_input_types(model, dtype, X), target_opset=opset, options=options)
    except UnsupportedModelError:
        raise
    except Exception as error:  # skl2onnx has many, without a common base
        raise UnsupportedModelError(f"skl2onnx could not convert this {type(model).__name__}: {error}") from error


def _input_types(model: BaseEstimator, dtype: FloatType, X: MatrixLike | None) -> list[tuple[str, Any]]:
    from skl2onnx.algebra.type_helper import guess_initial_types
    from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType

    numbers = FloatTensorType if dtype == np.float32 else DoubleTensorType
    if X is None:
        return [("X", numbers([None, int(model.n_features_in_)]))]
    guessed = guess_initial_types(X[:1] if isinstance(X, np.ndarray) else X, None)
    floats = (FloatTensorType, DoubleTensorType)
    return [(name, numbers(type_.shape) if isinstance(type_, floats) else type_) for name, type_ in guessed]


class _ContainerSink:
    """Nodes and constants inside a model of skl2onnx."""

    def __init__(self, scope: Scope, container: ModelComponentContainer) -> None:
        self._scope = scope
        self._container = container

    def constant(self, array: Array) -> str:
        name = self._scope.get_unique_variable_name("constant")
        values = [str(each).encode() for each in array] if array.dtype.kind == "O" else array.ravel().tolist()
        self._container.add_initializer(name, onnx_type(array.dtype), list(array.shape), values)
        return str(name)

    def node(self, operator: str, inputs: list[str], **attributes: Any) -> str:
        name = str(self._scope.get_unique_variable_name(operator.lower()))
        own = self._scope.get_unique_operator_name(operator)
        self._container.add_node(operator, inputs, [name], op_version=18, name=own, **attributes)
        return name


def _shapes(operator: Operator) -> None:
    """The types of the outputs, for skl2onnx: label and probabilities of a classifier, else one table of numbers."""
    from skl2onnx.common import data_types

    rows = operator.inputs[0].get_first_dimension()
    table = _float_type(operator)([rows, None])
    if is_classifier(operator.raw_operator):
        names = {"O": "String", "U": "String", "b": "Boolean", "f": "Double"}
        label = names.get(operator.raw_operator.classes_.dtype.kind, "Int64")
        operator.outputs[0].type = getattr(data_types, f"{label}TensorType")([rows])
        operator.outputs[1].type = table
    else:
        operator.outputs[0].type = table


def _convert(scope: Scope, operator: Operator, container: ModelComponentContainer) -> None:
    sink = _ContainerSink(scope, container)
    dtype = np.float64 if _float_type(operator).__name__ == "DoubleTensorType" else np.float32
    given = Tensor(sink, operator.inputs[0].full_name, dtype)
    X = given.apply("Cast", given, dtype=dtype, to=onnx_type(dtype))
    for tensor, output in zip(outputs(operator.raw_operator, X).values(), operator.outputs, strict=True):
        container.add_node("Identity", [tensor.name], [output.full_name], op_version=16)


def _float_type(operator: Operator) -> type[TensorType]:
    from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType

    return DoubleTensorType if isinstance(operator.inputs[0].type, DoubleTensorType) else FloatTensorType
