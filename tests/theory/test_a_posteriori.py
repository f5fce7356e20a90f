"""What is computed is right, and what is sampled has the coverage it promises."""

import numpy as np
import pytest
from scipy.stats import beta, binomtest
from sklearn.kernel_ridge import KernelRidge

import bochner as bo
from bochner.errors import AssumptionError, InvalidDataError
from bochner.features import draw_fourier_map
from bochner.theory.a_posteriori import AllPairs, NewRows, RidgeDistance, SampledPairs, SpectralCloseness
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
    assert certificate.value == pytest.approx(np.abs(ratios - 1).max())


@pytest.mark.parametrize("intercept", [True, False])
def test_the_distance_to_exact_kernel_ridge_is_the_distance(intercept):
    X, K, approximate = matrices()
    Y = np.c_[np.sin(X[:, 0]) + 3, X[:, 1]]
    distance = RidgeDistance(exact=K, approximate=approximate, alpha=0.5, intercept=intercept)
    model = bo.KernelRegressor(bo.Gaussian(), n_components=40, alpha=0.5, fit_intercept=intercept, random_state=0).fit(
        X, Y
    )
    dual, offset = distance.exact_dual(Y)
    exact = K @ dual + offset
    if not intercept:
        np.testing.assert_allclose(
            exact, KernelRidge(kernel="rbf", gamma=0.5, alpha=0.5).fit(X, Y).predict(X), atol=1e-8
        )
    true = np.sqrt(np.mean((model.predict(X) - exact) ** 2))
    assert distance.for_target(Y).value == pytest.approx(true, rel=1e-6)
    centred = Y - Y.mean(axis=0) if intercept else Y
    assert distance.for_every_target(np.linalg.norm(centred, axis=0)).value >= true * (1 - 1e-9)


def test_the_bound_for_every_target_is_reached_by_the_worst_one():
    _, K, approximate = matrices()
    distance = RidgeDistance(exact=K, approximate=approximate, alpha=0.5, intercept=False)
    values, vectors = np.linalg.eigh(distance._difference)
    worst = vectors[:, [np.argmax(np.abs(values))]]
    assert distance.for_target(worst).value == pytest.approx(distance.for_every_target(np.ones(1)).value)


def test_new_rows_fail_at_most_as_often_as_they_say():
    rng, failures = np.random.default_rng(1), 0
    for _ in range(2000):
        failures += NewRows(difference=rng.uniform(size=150)).certificate(0.9, 0.1).value < 0.9
    assert binomtest(failures, 2000, 0.1, alternative="greater").pvalue > 1e-6
    assert failures > 0.03 * 2000


def test_too_few_new_rows_say_how_many_are_needed():
    with pytest.raises(InvalidDataError, match=r"needs 90 new rows\. Got 10"):
        NewRows(difference=np.zeros(10)).certificate(0.95, 0.01)


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
