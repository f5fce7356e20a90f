"""Equispaced frequencies as features: near the kernel, certified without probability, refused beyond three columns."""

import numpy as np
import pytest

import bochner as bo
from bochner.errors import AssumptionError
from bochner.sampling import Quadrature

RNG = np.random.default_rng(0)


def features(kernel, width=512, **given):
    return bo.FourierFeatures(kernel, n_components=width, sampling="quadrature", random_state=0, **given)


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("kernel", [bo.Gaussian(0.8), bo.Matern(0.8, nu=1.5), 2.0 * bo.Cauchy(0.8) + bo.Matern(1.0)])
def test_equispaced_frequencies_are_nearer_to_the_kernel_than_random_ones(kernel, d):
    X = RNG.uniform(-1, 2, (60, d))
    K = kernel(X)
    errors = {}
    for sampling in ("quadrature", "orthogonal"):
        drawn = bo.FourierFeatures(kernel, n_components=512, sampling=sampling, random_state=0).fit(X)
        Z = drawn.transform(X)
        assert Z.shape == (60, 512)
        errors[sampling] = np.abs(Z @ Z.T - K).max()
    assert errors["quadrature"] < errors["orthogonal"] / (20 if d == 1 else 2 if d == 2 else 0.5)


def test_the_certificate_speaks_of_the_whole_box_without_probability():
    X = RNG.uniform(0, 1, (500, 2))
    drawn = features(bo.Gaussian(0.5)).fit(X)
    certificate = drawn.certify(X)
    Z = drawn.transform(X)
    assert certificate.delta == 0
    assert np.abs(Z @ Z.T - bo.Gaussian(0.5)(X)).max() <= certificate.value < 1e-5
    assert any(other.delta == 0 for other in certificate.others)  # over the domain, on a grid of differences


def test_the_grid_does_not_depend_on_the_seed_and_follows_units():
    X, kernel = RNG.uniform(0, 1, (50, 2)), bo.Matern(0.4, nu=2.5)
    one, two = (features(kernel).set_params(random_state=seed).fit(X) for seed in (0, 1))
    np.testing.assert_array_equal(one.map_.omega, two.map_.omega)
    scaled = features(bo.Matern(400.0, nu=2.5)).fit(1000 * X)
    np.testing.assert_allclose(scaled.transform(1000 * X) @ scaled.transform(1000 * X).T,
                               one.transform(X) @ one.transform(X).T, atol=1e-6)  # fmt: skip


def test_models_take_it_as_any_sampling():
    X = RNG.uniform(0, 1, (300, 1))
    y = np.sin(8 * X[:, 0])
    model = bo.KernelRegressor(bo.Gaussian(0.2), features="fourier", sampling="quadrature", n_components=64, alpha=1e-6)
    assert model.fit(X, y).score(X, y) > 0.9999


def test_equal_rows_more_frequencies_than_needed_and_few_have_features():
    rows = np.ones((5, 2))
    Z = features(bo.Gaussian(1.0), width=2000).fit(rows).transform(rows)
    np.testing.assert_allclose(Z @ Z.T, 1.0, atol=1e-6)
    assert features(bo.Gaussian(1.0), width=2).fit(rows).transform(rows).shape == (5, 2)


def test_four_columns_kernels_without_a_density_and_draws_without_rows_are_refused():
    with pytest.raises(AssumptionError, match="at most 3 columns"):
        features(bo.Gaussian(1.0)).fit(np.eye(4))
    with pytest.raises(AssumptionError, match="not known in closed form"):
        features(bo.PowerExponential(1.0)).fit(np.eye(2))
    with pytest.raises(AssumptionError, match="fit FourierFeatures"):
        Quadrature().draw(bo.Gaussian().spectral_measure(2), 4, 2, 0)
    with pytest.raises(AssumptionError, match="no standard points"):
        Quadrature().points(4, 2, 1, 0, 0)
