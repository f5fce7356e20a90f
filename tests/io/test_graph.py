"""Symbolic tensors: NumPy's notation becomes nodes."""

import numpy as np
import pytest

from bochner.errors import UnsupportedModelError
from bochner.io.onnx.graph import Tensor


class Evaluator:
    """A sink that computes at once, with NumPy: the reference of what a node means."""

    OPERATORS = {
        "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Pow": np.power, "MatMul": np.matmul,
        "Max": np.maximum, "Min": np.minimum, "Neg": np.negative, "Abs": np.abs, "Exp": np.exp, "Sqrt": np.sqrt,
        "Cos": np.cos, "Sin": np.sin,
    }  # fmt: skip

    def __init__(self, **values):
        self.values = dict(values)

    def constant(self, array):
        return self._keep(array)

    def node(self, operator, inputs, **attributes):
        parts = [self.values[name] for name in inputs]
        if operator == "ReduceSum":
            return self._keep(parts[0].sum(axis=int(parts[1][0]), keepdims=bool(attributes["keepdims"])))
        if operator == "Gather":
            return self._keep(np.take(parts[0], parts[1], axis=attributes["axis"]))
        if operator == "Concat":
            return self._keep(np.concatenate(parts, axis=attributes["axis"]))
        return self._keep(self.OPERATORS[operator](*parts))

    def _keep(self, array):
        name = f"v{len(self.values)}"
        self.values[name] = array
        return name


X = np.random.default_rng(0).standard_normal((5, 3))


@pytest.mark.parametrize(
    "formula",
    [
        lambda x: 2 * np.exp(-(x**2) / 3) - 1,
        lambda x: np.sqrt(np.maximum(np.abs(x), 0.5)) @ np.ones((3, 2)),
        lambda x: np.cos(x + np.arange(3.0)),
        lambda x: 1 / (1 + x * x),
        lambda x: (x * x).sum(1, keepdims=True),
        lambda x: -x,
    ],
)
def test_formulas_mean_what_they_mean_in_numpy(formula):
    sink = Evaluator(X=X)
    found = formula(Tensor(sink, "X", np.float64))
    np.testing.assert_allclose(sink.values[found.name], formula(X), rtol=1e-12)


def test_columns_are_taken_and_put_beside_each_other():
    sink = Evaluator(X=X)
    x = Tensor(sink, "X", np.float64)
    found = x.column(2).beside(x.column(0), x)
    np.testing.assert_array_equal(sink.values[found.name], np.c_[X[:, 2], X[:, 0], X])


def test_constants_take_the_type_of_the_tensor():
    sink = Evaluator(X=X.astype(np.float32))
    found = Tensor(sink, "X", np.float32) + np.ones(3)
    assert sink.values[found.name].dtype == np.float32


def test_what_a_graph_does_not_have_is_refused():
    x = Tensor(Evaluator(X=X), "X", np.float64)
    with pytest.raises(UnsupportedModelError, match=r"numpy\.arctan has no counterpart"):
        np.arctan(x)
    with pytest.raises(UnsupportedModelError, match="known only when it runs"):
        np.asarray(x)
