"""Every kernel of the package obeys the laws of kernels: subclasses are found, not listed."""

import inspect

import numpy as np
import pytest
from sklearn.base import clone

import bochner as bo
from bochner.kernels import Kernel
from bochner.testing import check_kernel, concrete_subclasses

GIVEN = {"left": bo.Gaussian(0.7), "right": bo.Matern(nu=2.5), "kernel": bo.Cauchy(2.0), "factor": 3.0}


def example(cls):
    if cls is bo.Metric:
        return bo.Metric(bo.Gaussian(2.0), np.eye(2) + 0.3)
    required = [name for name, each in inspect.signature(cls).parameters.items() if each.default is each.empty]
    return cls(**{name: GIVEN[name] for name in required})


ALL = [example(cls) for cls in concrete_subclasses(Kernel, "bochner.")]
EVERY = [kernel for kernel in ALL if isinstance(kernel, bo.kernels.Stationary)]
OTHERS = [kernel for kernel in ALL if not isinstance(kernel, bo.kernels.Stationary)]


@pytest.mark.parametrize("kernel", OTHERS, ids=lambda kernel: type(kernel).__name__)
@pytest.mark.parametrize("seed", range(3))
def test_kernels_that_are_not_stationary_are_symmetric_and_positive_definite(kernel, seed):
    X = np.random.default_rng(seed).dirichlet(np.ones(4), 12)  # histograms are rows to all of them
    K = kernel(X)
    np.testing.assert_allclose(K, K.T, atol=1e-14)
    np.testing.assert_allclose(kernel.diag(X), np.diagonal(K), rtol=1e-9)
    assert np.linalg.eigvalsh(K)[0] > -1e-6 * np.abs(K).max()
    np.testing.assert_allclose(clone(kernel)(X, X[:5]), K[:, :5], rtol=1e-12)


@pytest.mark.parametrize("kernel", EVERY, ids=lambda kernel: type(kernel).__name__)
def test_every_kernel_obeys_the_laws(kernel):
    check_kernel(kernel, n_features=2, seed=4)
    assert type(clone(kernel)) is type(kernel)


@pytest.mark.parametrize("kernel", EVERY, ids=lambda kernel: type(kernel).__name__)
def test_what_is_called_non_negative_is(kernel):
    delta = np.random.default_rng(0).standard_normal((500, 2)) * 3
    if kernel.non_negative:
        assert np.min(kernel.at(delta)) >= 0


@pytest.mark.parametrize("kernel", EVERY, ids=lambda kernel: type(kernel).__name__)
def test_what_is_called_a_mixture_of_normals_is_completely_monotone_in_the_squared_distance(kernel):
    # k(sqrt(t) u) = E exp(-t tau / 2): differences alternate in sign, to the fifth.
    t = np.linspace(0.2, 6.0, 30)
    rays = np.random.default_rng(2).standard_normal((20, 2))
    values = kernel.at(np.sqrt(t)[:, None, None] * rays) / kernel.variance
    alternate = [(-1) ** order * np.diff(values, n=order, axis=0) for order in range(1, 6)]
    assert kernel.is_normal_mixture == all(np.all(each > -1e-10) for each in alternate)


@pytest.mark.parametrize("kernel", EVERY, ids=lambda kernel: type(kernel).__name__)
def test_what_is_called_isotropic_depends_on_the_distance(kernel):
    rng = np.random.default_rng(1)
    delta = rng.standard_normal((50, 3))
    rotation, _ = np.linalg.qr(rng.standard_normal((3, 3)))
    if kernel.isotropic:
        np.testing.assert_allclose(kernel.at(delta @ rotation), kernel.at(delta), rtol=1e-10)


@pytest.mark.parametrize("base", [Kernel, bo.kernels.Stationary, bo.kernels.Isotropic], ids=lambda cls: cls.__name__)
def test_a_base_class_is_no_kernel(base):
    with pytest.raises(TypeError, match="abstract"):
        base()
