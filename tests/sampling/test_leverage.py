"""Leverage-weighted frequencies: unbiased, bounded, reproducible, and closer to the kernel where the data are."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import chi2

import bochner as bo
from bochner.errors import AssumptionError, FirstBlockWarning, MemoryBudgetError
from bochner.features import fourier_map, n_frequencies, transform
from bochner.sampling import Pilot
from bochner.sampling.leverage import draw_groups, in_groups, inclusion_probabilities
from bochner.sampling.pilot import leverage, penalty_of_dimension, sample_rows, spectrum
from bochner.theory.a_posteriori import SpectralCloseness
from tests.strategies import rows

X = rows(0, 300, 2)
KERNELS = [bo.Gaussian([0.5, 1.0]), 2.0 * bo.Laplacian(), bo.Matern(nu=0.7) + bo.Cauchy(), bo.Gaussian() * bo.Matern()]


def fitted(kernel=None, n_components=40, data=X, **parameters):
    sampler = bo.Leverage(**{"pilot_rows": 100, **parameters.pop("sampler", {})})
    return bo.FourierFeatures(kernel, n_components=n_components, sampling=sampler, **parameters).fit(data)


@pytest.mark.slow
@pytest.mark.parametrize(("embedding", "width"), [("paired", 17), ("phase", 9)])
@pytest.mark.parametrize("kernel", KERNELS, ids=range(len(KERNELS)))
@pytest.mark.parametrize("replacement", [False, True])
def test_the_mean_over_seeds_is_the_kernel(kernel, embedding, width, replacement):
    """Ten pairs and five diagonals, each a mean of 300 estimates: 5.7 standard errors, 2e-7 of false alarm in all."""
    points, sampler = X[:5], bo.Leverage(pilot_rows=30, pool_size=48, penalty=1e-3, replacement=replacement)
    measure, pilot, m = kernel.spectral_measure(2), Pilot(X[:30], kernel), n_frequencies(width, embedding)
    estimates = []
    for seed in range(300):
        fourier = fourier_map(sampler.draw(measure, m, 2, seed, pilot), kernel, n_components=width, seed=seed)
        Z = transform(fourier, points, np.dtype(float))
        estimates.append(Z @ Z.T)
    error = np.mean(estimates, axis=0) - kernel(points)
    assert np.all(np.abs(error) <= 5.7 * np.std(estimates, axis=0) / np.sqrt(300) + 1e-12)


def test_every_group_gives_one_frequency_with_its_probability():
    """A group hits i on a set of uniform numbers of length p_i: a fine grid of them shows it without chance."""
    scores = np.random.default_rng(0).pareto(1.0, 60) + 0.01
    order, inclusion = in_groups(inclusion_probabilities(scores / scores.sum(), 20))
    assert sorted(order) == list(range(60))
    hits = np.zeros(60)
    for uniform in (np.arange(4000) + 0.5) / 4000:
        kept = draw_groups(order, inclusion, np.full(20, uniform))
        assert len(np.unique(kept)) == 20
        hits[kept] += 1
    np.testing.assert_allclose(hits / 4000, inclusion, atol=1e-3)


@pytest.mark.parametrize("seed", range(20))
def test_groups_have_a_mass_of_one_and_differ_little_from_the_proposal(seed):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(1, 80))
    wanted = inclusion_probabilities(rng.pareto(rng.uniform(0.3, 3), 80) + 1e-3, m)
    order, inclusion = in_groups(wanted)
    ends = np.cumsum(inclusion[order])
    np.testing.assert_allclose(np.min(np.abs(ends - np.arange(1, m + 1)[:, None]), axis=1), 0, atol=1e-9)
    np.testing.assert_array_equal(inclusion[wanted >= 1], 1.0)
    largest = np.max(wanted[wanted < 1], initial=0.0)
    assert np.all(wanted <= inclusion * (1 + largest) + 1e-12)
    assert len(np.unique(draw_groups(order, inclusion, rng.random(m)))) == m


def test_inclusion_probabilities_sum_to_the_number_and_keep_the_order():
    scores = np.random.default_rng(1).pareto(0.5, 200) + 1e-3
    inclusion = inclusion_probabilities(scores, 50)
    assert inclusion.sum() == pytest.approx(50)
    assert inclusion.max() == 1
    below = inclusion < 1
    np.testing.assert_allclose(inclusion[below] / scores[below], inclusion[below][0] / scores[below][0])
    np.testing.assert_allclose(inclusion_probabilities(scores, 200), 1.0)


@pytest.mark.parametrize("replacement", [False, True])
@pytest.mark.parametrize("mixing", [0.05, 0.2, 0.5, 1.0])
def test_weights_are_bounded_by_the_mixing(mixing, replacement):
    sampler = {"mixing": mixing, "penalty": 1e-6, "replacement": replacement}
    features = fitted(bo.Laplacian(), 41, random_state=0, sampler=sampler)
    heaviest_group = 1 if replacement else 2
    assert features.pilot_.largest_weight <= heaviest_group / mixing * (1 + 1e-12)
    power = features.map_.amplitude[:-1] ** 2 * 21  # the last one has a phase, and twice the power
    assert power.max() <= 1 / mixing * (1 + 1e-12)
    assert (power.std() == pytest.approx(0, abs=1e-12)) == (mixing == 1.0)


def test_it_is_reproducible_and_its_record_says_what_was_done():
    one, two = (fitted(n_components=50, random_state=3) for _ in range(2))
    assert np.array_equal(one.map_.omega, two.map_.omega)
    assert np.array_equal(one.map_.amplitude, two.map_.amplitude)
    assert not np.array_equal(one.map_.omega, fitted(n_components=50, random_state=4).map_.omega)
    record = one.pilot_
    assert (record.n_rows, record.pool_size) == (100, 200)
    assert record.effective_dimension == pytest.approx(12.5, abs=5 * record.standard_error)
    assert record.seconds > 0
    assert bo.FourierFeatures().fit(X).pilot_ is None


def test_scores_are_those_of_the_definition():
    omega, points = rows(1, 7, 2), X[:40]
    K, psi = (2.0 * bo.Matern())(points), np.exp(1j * points @ omega.T)
    expected = 2.0 * np.real(np.sum(psi.conj() * np.linalg.solve(K + 40 * 1e-2 * np.eye(40), psi), axis=0))
    np.testing.assert_allclose(leverage(points, omega, 2.0 * bo.Matern(), 1e-2), expected, rtol=1e-9)


def test_the_default_penalty_has_the_dimension_it_is_asked_for():
    eigenvalues = spectrum(X, bo.Gaussian(0.3))
    penalty = penalty_of_dimension(eigenvalues, 60)
    assert np.sum(eigenvalues / (eigenvalues + penalty)) == pytest.approx(60)
    smooth = spectrum(X, bo.Gaussian(100.0))  # rank 10 or so: the penalty stays above rounding
    assert penalty_of_dimension(smooth, 60) > 1e-14


def test_a_repeated_row_counts_once():
    np.testing.assert_array_equal(sample_rows(np.repeat(X, 3, axis=0), 1000, 0), np.unique(X, axis=0))


def test_the_check_values_of_the_theory():
    """n = 200 points uniform on [-3, 3], lambda = 1e-2, m = 40 of a pool of 1,000 (section 8.5 of the audit).

    There: dimension 5.752, mean score 5.558, Delta .593 plain and .356 with leverage, drawn with replacement, 15 draws.
    """
    data = np.random.default_rng(0).uniform(-3, 3, (200, 1))
    kernel = bo.Gaussian()
    K = kernel(data)
    sampler = bo.Leverage(penalty=1e-2, pool_size=1000, mixing=0.2)
    deltas = {}
    for name, sampling in (("plain", "monte_carlo"), ("leverage", sampler)):
        maps = [
            bo.FourierFeatures(kernel, n_components=80, sampling=sampling, random_state=s).fit(data) for s in range(40)
        ]
        Z = [features.transform(data) for features in maps]
        values = [SpectralCloseness(exact=K, approximate=z @ z.T, alpha=2.0).certificate().value for z in Z]
        deltas[name] = np.mean(values)
    exact = bo.theory.effective_dimension(data, kernel=bo.Gaussian(), penalty=1e-2).value
    record = maps[0].pilot_
    assert exact == pytest.approx(5.752, abs=0.15)
    assert record.effective_dimension == pytest.approx(exact, abs=5 * record.standard_error)
    assert deltas["plain"] == pytest.approx(0.593, abs=0.1)
    assert deltas["leverage"] < 0.4


def test_half_the_features_have_the_spectral_error_of_plain_ones():
    """On points it has not seen, at a penalty that is small for a rough kernel."""
    data, fresh, penalty = rows(5, 1500, 2), rows(6, 300, 2), 1e-4
    kernel = bo.Matern(0.5)
    K = kernel(fresh)

    def delta(sampling, width):
        Z = [
            bo.FourierFeatures(kernel, n_components=width, sampling=sampling, random_state=s).fit(data).transform(fresh)
            for s in range(5)
        ]
        return np.mean(
            [SpectralCloseness(exact=K, approximate=z @ z.T, alpha=300 * penalty).certificate().value for z in Z]
        )

    assert delta(bo.Leverage(penalty=penalty, pilot_rows=500), 256) < delta("monte_carlo", 512)


def test_sparse_float32_and_memory_maps_give_what_dense_rows_give(tmp_path):
    np.save(tmp_path / "x.npy", X)
    dense = fitted(bo.Gaussian(), random_state=0)
    for data in (sp.csr_array(X), np.load(tmp_path / "x.npy", mmap_mode="r")):
        other = fitted(bo.Gaussian(), data=data, random_state=0)
        assert np.array_equal(other.map_.omega, dense.map_.omega)
    single = bo.FourierFeatures(n_components=40, sampling="leverage", random_state=0).fit(X.astype(np.float32))
    assert single.transform(X.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("pool", [bo.Orthogonal(), bo.QuasiMonteCarlo()])
def test_the_pool_may_come_from_another_sampler(pool):
    features = fitted(random_state=0, sampler={"pool": pool})
    expected = pool.draw(features.kernel_.spectral_measure(2), 160, 2, 0).omega
    assert all(np.any(np.all(omega == expected, axis=1)) for omega in features.map_.omega)


def test_a_regressor_hands_its_rows_over_and_leaves_out_those_of_weight_zero():
    y = np.sin(X).sum(axis=1)
    model = bo.KernelRegressor(bo.Gaussian(), n_components=40, sampling="leverage", random_state=0)
    weights = np.r_[np.ones(200), np.zeros(100)]
    weighted = model.fit(X, y, sample_weight=weights)
    assert weighted.features_.pilot_.n_rows == 200
    expected = weighted.predict(X)
    np.testing.assert_allclose(model.fit(X[:200], y[:200]).predict(X), expected, atol=1e-6)


def test_partial_fit_warns_that_the_first_block_settled_the_frequencies():
    model = bo.KernelRegressor(bo.Gaussian(), n_components=40, sampling="leverage", random_state=0)
    with pytest.warns(FirstBlockWarning, match="sampling"):
        model.partial_fit(X, X[:, 0])


def test_certificates_are_computed_or_refused_but_never_iid():
    features = fitted(n_components=200, random_state=0)
    certificate = features.certify(X)
    Z = features.transform(X)
    assert certificate.value == pytest.approx(np.abs(Z @ Z.T - features.kernel_(X)).max())
    assert "depend on the rows" in certificate.details["no_a_priori_bound"]
    assert all(other.delta == 0 for other in certificate.others)
    wide = rows(2, 5000, 5)
    many = bo.FourierFeatures(bo.Gaussian(), n_components=20, sampling="leverage", random_state=0).fit(wide)
    with pytest.raises(AssumptionError, match="too many rows"):
        many.certify(wide)


@pytest.mark.parametrize(
    ("parameters", "name"),
    [
        ({"mixing": 0.0}, "mixing"),
        ({"mixing": 1.5}, "mixing"),
        ({"penalty": -1.0}, "penalty"),
        ({"penalty": np.inf}, "penalty"),
        ({"pilot_rows": 0}, "pilot_rows"),
        ({"pilot_rows": 2.5}, "pilot_rows"),
        ({"pool_size": 3}, "pool_size"),
        ({"pool": bo.Leverage()}, "pool"),
    ],
)
def test_bad_parameters_are_named(parameters, name):
    with pytest.raises(ValueError, match=f"'{name}' parameter of Leverage"):
        fitted(sampler=parameters)


def test_it_needs_data_and_memory():
    with pytest.raises(AssumptionError, match="fit FourierFeatures"):
        bo.Leverage().draw(bo.Gaussian().spectral_measure(2), 4, 2, 0)
    with bo.config_context(memory="1MB"), pytest.raises(MemoryBudgetError, match="pilot_rows"):
        bo.FourierFeatures(sampling="leverage").fit(X)
    assert bo.Leverage().draw(bo.Gaussian().spectral_measure(2), 4, 2, 0, Pilot(X, bo.Gaussian())).omega.shape == (4, 2)


def test_with_replacement_the_draws_are_independent_and_follow_the_proposal():
    """Counts of 20,000 draws from a pool of 50: a chi-squared statistic above its 1 - 1e-7 quantile is not chance."""
    kernel, sampler = bo.Matern(), bo.Leverage(replacement=True, pool_size=50, pilot_rows=40, penalty=1e-4, mixing=0.1)
    pilot, measure, m = Pilot(X, kernel), kernel.spectral_measure(2), 20_000
    pool = sampler.scored_pool(measure, m, 2, 0, pilot)
    drawn = sampler.draw(measure, m, 2, 0, pilot)
    place = {tuple(row): i for i, row in enumerate(pool.omega)}
    taken = np.array([place[tuple(row)] for row in drawn.omega])
    counts = np.bincount(taken, minlength=50)
    assert np.sum((counts - m * pool.proposal) ** 2 / (m * pool.proposal)) <= chi2.isf(1e-7, 49)
    pairs = np.mean(taken[1:] == taken[:-1])  # of neighbours, as often alike as independent draws are
    alike = np.sum(pool.proposal**2)
    assert abs(pairs - alike) <= 6 * np.sqrt(alike / m)
    np.testing.assert_allclose(drawn.weights, 1 / (50 * pool.proposal[taken]))
    assert pool.proposal.sum() == pytest.approx(1.0)
    assert not bo.Leverage(pilot_rows=40).scored_pool(measure, 20, 2, 0, pilot).replacement


def test_the_scored_pool_is_that_of_the_fitted_map():
    features = fitted(n_components=50, random_state=3, sampler={"replacement": True})
    kernel, d = features.kernel_, X.shape[1]
    pool = features.sampling.scored_pool(kernel.spectral_measure(d), 25, d, features.seed_, Pilot(X, kernel))
    assert {tuple(row) for row in features.map_.omega} <= {tuple(row) for row in pool.omega}
    assert len(pool.omega) == features.pilot_.pool_size
    assert pool.penalty == features.pilot_.penalty


@pytest.mark.parametrize("bad", ["yes", 1, None])
def test_replacement_is_true_or_false(bad):
    with pytest.raises(ValueError, match="'replacement' parameter of Leverage must be True or False"):
        fitted(sampler={"replacement": bad})


def test_a_pool_smaller_than_the_map_needs_replacement():
    assert fitted(n_components=40, sampler={"replacement": True, "pool_size": 5}).map_.omega.shape == (20, 2)
    with pytest.raises(ValueError, match="at least 20"):
        fitted(n_components=40, sampler={"pool_size": 5})
