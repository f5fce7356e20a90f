"""What is computed is right, and what is sampled has the coverage it promises."""

import numpy as np
import pytest
from scipy.stats import beta, binomtest

import bochner as bo
from bochner.errors import AssumptionError
from bochner.features import draw_fourier_map
from bochner.theory.a_posteriori import AllPairs, ResidualVariance, SampledPairs, SpectralCloseness
from bochner.theory.supremum import GridSupremum
from tests.strategies import rows


def matrices(n=60, width=40, seed=0):
    X = rows(seed, n, 3)
    Z = bo.FourierFeatures(n_components=width, random_state=seed).fit_transform(X)
    return X, bo.Gaussian()(X), Z @ Z.T


def test_the_largest_error_of_all_pairs_is_computed():
    _, K, approximate = matrices()
    certificate = AllPairs(error=approximate - K).certificate()
    assert certificate.value == np.abs(approximate - K).max()
    assert certificate.delta == 0


def test_a_fraction_has_the_limits_of_clopper_and_pearson():
    pairs = SampledPairs(error=np.r_[np.zeros(90), np.ones(10)], largest=2.0)
    assert pairs.fraction_above(0.5, 0.05).value == pytest.approx(beta.ppf(0.95, 11, 90))
    assert pairs.fraction_above(1.5, 0.05).value == pytest.approx(1 - 0.05 ** (1 / 100))
    assert SampledPairs(error=np.ones(5), largest=2.0).fraction_above(0.5, 0.05).value == 1.0


@pytest.mark.parametrize("kind", ["fraction", "quantile", "mean", "rms"])
def test_sampled_pairs_fail_at_most_as_often_as_they_say(kind):
    """Errors |N(0, 0.1)| clipped to 2: 1,500 samples of 200 pairs at delta = 0.1."""
    from scipy.stats import norm

    rng, delta, failures = np.random.default_rng(0), 0.1, 0
    truth = {
        "fraction": 2 * norm.sf(2.0),
        "quantile": 0.1 * norm.ppf(0.95),
        "mean": 0.1 * np.sqrt(2 / np.pi),
        "rms": 0.1,
    }[kind]
    for _ in range(1500):
        pairs = SampledPairs(error=0.1 * rng.standard_normal(200), largest=2.0)
        got = {
            "fraction": lambda p=pairs: p.fraction_above(0.2, delta),
            "quantile": lambda p=pairs: p.quantile(0.9, delta),
            "mean": lambda p=pairs: p.mean_absolute(delta),
            "rms": lambda p=pairs: p.root_mean_square(delta),
        }[kind]().value
        failures += got < truth
    assert binomtest(failures, 1500, delta, alternative="greater").pvalue > 1e-6
    if kind in ("fraction", "quantile"):
        assert failures > 0.03 * 1500  # exact limits are not wasteful


def test_spectral_closeness_is_its_definition():
    _, K, approximate = matrices()
    ratios = np.linalg.eigvals(np.linalg.solve(K + np.eye(60), approximate + np.eye(60))).real
    certificate = SpectralCloseness(exact=K, approximate=approximate, alpha=1.0).certificate()
    assert certificate.value == pytest.approx(np.abs(ratios - 1).max(), rel=1e-5)


def test_residual_variances_bound_the_error_of_all_pairs_of_any_rows():
    X, new = rows(0, 300, 3), rows(1, 400, 3)
    features = bo.NystroemFeatures(bo.Gaussian(2.0), n_components=40, random_state=0).fit(X)
    Z = features.transform(new)
    residual = 1 - np.sum(Z**2, axis=1)
    error = np.abs(Z @ Z.T - bo.Gaussian(2.0)(new))
    assert np.all(error <= np.sqrt(np.outer(residual, residual)) + 1e-12)
    certificate = ResidualVariance(residual=residual, rounding=1e-12).certificate()
    assert error.max() <= certificate.value == pytest.approx(residual.max())


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("sampler", [bo.MonteCarlo(), bo.Orthogonal(), bo.QuasiMonteCarlo()])
def test_the_grid_supremum_is_never_exceeded_and_nearly_reached(d, sampler):
    fourier = draw_fourier_map(bo.Gaussian(), sampler, n_features=d, n_components=60, embedding="paired", seed=0)
    bound = GridSupremum(kernel=bo.Gaussian(), omega=fourier.omega, power=fourier.amplitude**2, radius=2.0)
    certificate = bound.certificate()
    directions = rows(1, 60_000, d)
    radii = 2.0 * np.random.default_rng(2).uniform(size=(60_000, 1)) ** (1 / d)
    delta = directions / np.linalg.norm(directions, axis=1, keepdims=True) * radii
    seen = np.abs(np.cos(delta @ fourier.omega.T) @ fourier.amplitude**2 - bo.Gaussian().at(delta)).max()
    assert seen <= certificate.value <= 1.5 * seen + 0.06


def test_the_grid_supremum_refuses_what_it_cannot_do():
    omega = rows(0, 5, 4)
    with pytest.raises(AssumptionError, match="at most three features"):
        GridSupremum(kernel=bo.Gaussian(), omega=omega, power=np.ones(5) / 5, radius=1.0).certificate()
    with pytest.raises(AssumptionError, match="Lipschitz kernel"):
        GridSupremum(kernel=bo.Matern(nu=0.3), omega=omega[:, :2], power=np.ones(5) / 5, radius=1.0).certificate()
