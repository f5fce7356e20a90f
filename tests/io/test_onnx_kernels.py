"""Kernel values and features as nodes, evaluated by NumPy."""

import numpy as np
import pytest

import bochner as bo
from bochner.errors import UnsupportedModelError
from bochner.io.onnx.graph import Tensor
from bochner.io.onnx.kernels import kernel_values
from bochner.io.onnx.maps import features, features_of
from tests.io.test_graph import Evaluator

RNG = np.random.default_rng(0)
X, POINTS = RNG.standard_normal((6, 3)), RNG.standard_normal((4, 3))


def evaluated(make):
    sink = Evaluator(X=X)
    return sink.values[make(Tensor(sink, "X", np.float64)).name]


@pytest.mark.parametrize(
    "kernel",
    [
        bo.Gaussian([0.5, 1.0, 2.0]),
        bo.Matern(nu=0.5),
        bo.Matern(nu=2.5),
        bo.RationalQuadratic(alpha=0.7),
        bo.Laplacian([0.5, 1.0, 2.0]),
        bo.Cauchy(2.0),
        2.0 * (bo.Gaussian() + bo.Cauchy()) * bo.Matern(),
    ],
    ids=repr,
)
def test_nodes_have_the_values_of_the_kernel(kernel):
    np.testing.assert_allclose(evaluated(lambda x: kernel_values(kernel, x, POINTS)), kernel(X, POINTS), rtol=1e-10)


@pytest.mark.parametrize("kernel", [bo.Matern(nu=1.2), bo.Spline()], ids=repr)
def test_kernels_without_a_formula_of_nodes_are_refused(kernel):
    with pytest.raises(UnsupportedModelError, match="has no static graph"):
        evaluated(lambda x: kernel_values(kernel, x, POINTS))


@pytest.mark.parametrize("embedding", ["paired", "phase"])
def test_fourier_features_are_those_of_the_transformer(embedding):
    fitted = bo.FourierFeatures(n_components=8, embedding=embedding, random_state=0).fit(X)
    np.testing.assert_allclose(evaluated(lambda x: features(fitted.map_, x)), fitted.transform(X), atol=1e-12)
    np.testing.assert_allclose(evaluated(lambda x: features_of(fitted, x)), fitted.transform(X), atol=1e-12)


def test_features_of_another_kind_are_refused_with_a_way_out():
    with pytest.raises(UnsupportedModelError, match="Pipeline before the model"):
        evaluated(lambda x: features_of(object(), x))
    with pytest.raises(UnsupportedModelError, match="object have no static graph"):
        evaluated(lambda x: features(object(), x))
