"""Every bound against simulation: the observed failure rate is never significantly above the promised one.

The observed rate enters through its Clopper-Pearson lower limit at 1e-7, so a true bound fails a comparison by chance
once in ten million. Seeds are fixed. Where a test also says that the comparison was informative, some promised
probability was below 1 while failures did occur.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from bochner.kernels import Gaussian, Laplacian, Matern
from bochner.sampling import Orthogonal
from bochner.testing import check_failure_rate, rate_at_least
from bochner.theory import (
    downstream,
    expectation,
    finite_set,
    line,
    lower,
    mean_square,
    moments,
    orbit,
    orthogonal,
    pointwise,
    published,
    uniform,
)

GAUSSIAN = Gaussian()
EPSILONS = np.array([0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7, 1.0, 1.5])


def draw_frequencies(kernel, shape: tuple[int, int], d: int, rng) -> np.ndarray:
    """Independent frequencies, shape (*shape, d)."""
    measure, n = kernel.spectral_measure(d), shape[0] * shape[1]
    omega = measure.frequencies(rng.standard_normal((n, measure.n_vectors, d)), rng.random((n, measure.n_uniforms)))
    return omega.reshape(*shape, d)


def draw_gram(kernel, X, n_components, embedding, rng, Y=None) -> np.ndarray:
    """One random approximation of kernel(X, Y)."""
    m = n_components // 2 if embedding == "paired" else n_components
    omega = draw_frequencies(kernel, (1, m), X.shape[1], rng)[0]
    b = rng.uniform(0, 2 * np.pi, m)

    def features(P: np.ndarray) -> np.ndarray:
        phases = P @ omega.T
        if embedding == "paired":
            return np.hstack([np.cos(phases), np.sin(phases)]) / np.sqrt(m)
        return np.sqrt(2 / m) * np.cos(phases + b)

    return kernel.variance * features(X) @ features(X if Y is None else Y).T


def test_a_false_promise_is_caught():
    class TooGood(pointwise.SubGaussian):
        def _tail(self, eps: float, m: int) -> float:
            return super()._tail(eps, 2 * m)  # the promise of twice as many frequencies

    rng = np.random.default_rng(0)
    errors = np.abs(np.cos(4 * rng.standard_normal((20_000, 25))).mean(axis=1) - np.exp(-8))
    check_failure_rate(pointwise.SubGaussian(kernel=GAUSSIAN), errors, 50)
    with pytest.raises(AssertionError):
        check_failure_rate(TooGood(kernel=GAUSSIAN), errors, 50)


@pytest.mark.parametrize("embedding", ["paired", "phase"])
@pytest.mark.parametrize(("n_components", "d"), [(50, 1), (50, 5), (200, 2)])
@pytest.mark.parametrize("kernel", [GAUSSIAN, Laplacian(2.0), Matern(nu=1.5), 2.0 * Gaussian(0.7)], ids=repr)
def test_pointwise_bounds_hold(kernel, d, n_components, embedding):
    rng = np.random.default_rng(10 * d + n_components)
    informative = 0
    for distance in (0.25, 1.0, 2.5):
        difference = np.full(d, distance / np.sqrt(d))
        m = n_components // 2 if embedding == "paired" else n_components
        phases = draw_frequencies(kernel, (2000, m), d, rng) @ difference
        summands = np.cos(phases)
        if embedding == "phase":
            summands += np.cos(rng.uniform(0, 2 * np.pi, phases.shape))
        errors = np.abs(kernel.variance * summands.mean(axis=1) - kernel.at(difference))
        variance = moments.variance(kernel, difference, n_components=n_components, embedding=embedding)
        assert np.mean(errors**2) == pytest.approx(variance, rel=0.25)
        setting = {"kernel": kernel, "embedding": embedding}
        bounds = [
            pointwise.Hoeffding(**setting),
            pointwise.Bernstein(difference=difference, **setting),
            pointwise.Cramer(difference=difference, **setting),
        ]
        if embedding == "paired":
            bounds.append(pointwise.ChernoffKL(difference=difference, **setting))
        if bounds[0]._normalised.is_gaussian:
            bounds.append(pointwise.SubGaussian(**setting))
        for bound in bounds:
            informative += check_failure_rate(bound, errors, n_components, EPSILONS * kernel.variance)
        self_normalised = _empirical_bernstein_failures(summands, kernel, difference, n_components, embedding)
        assert rate_at_least(self_normalised, len(errors)) <= 0.05
    assert informative >= 3


def _empirical_bernstein_failures(summands, kernel, difference, n_components, embedding) -> int:
    setting = {"n_components": n_components, "kernel": kernel, "embedding": embedding}
    constant = pointwise.EmpiricalBernstein(sample_variance=0.0, **setting).error(0.05)
    slope = pointwise.EmpiricalBernstein(sample_variance=1.0, **setting).error(0.05) - constant
    radius = constant + slope * np.sqrt(summands.var(axis=1, ddof=1))
    errors = np.abs(kernel.variance * summands.mean(axis=1) - kernel.at(difference))
    return int(np.sum(errors > radius))


@pytest.mark.parametrize("embedding", ["paired", "phase"])
@pytest.mark.parametrize("n_components", [50, 200])
@pytest.mark.parametrize(("kernel", "d"), [(GAUSSIAN, 1), (GAUSSIAN, 5), (Laplacian(2.0), 2)], ids=repr)
def test_finite_set_bounds_hold(kernel, d, n_components, embedding):
    rng = np.random.default_rng(d + n_components)
    X = rng.standard_normal((4, d))
    X[1] = X[0] + 0.05
    exact = kernel(X)
    errors = np.array([np.abs(draw_gram(kernel, X, n_components, embedding, rng) - exact).max() for _ in range(2000)])
    bounds = [
        finite_set.UnionHoeffding(kernel=kernel, n_points=4, embedding=embedding),
        finite_set.DataAware(kernel=kernel, X=X, embedding=embedding),
        finite_set.DataAware(kernel=kernel, X=X, embedding=embedding, method="bernstein"),
    ]
    if kernel is GAUSSIAN:
        bounds.append(finite_set.UnionSubGaussian(kernel=kernel, n_points=4, embedding=embedding))
    epsilons = np.linspace(0.05, 1.0, 20)
    informative = [check_failure_rate(bound, errors, n_components, epsilons) for bound in bounds]
    assert informative[1]


def region_errors(d: int, radius: float, m: int, trials: int, rng) -> np.ndarray:
    """Suprema over a grid of differences in the half ball, paired, Gaussian: at most the true suprema."""
    axis = np.linspace(-radius, radius, 241 if d == 1 else 31)
    grid = np.stack(np.meshgrid(*[axis] * d, indexing="ij"), axis=-1).reshape(-1, d)
    grid = grid[(np.linalg.norm(grid, axis=1) <= radius + 1e-12) & (grid[:, -1] >= 0)]
    exact = GAUSSIAN.at(grid)
    return np.array(
        [np.abs(np.cos(grid @ rng.standard_normal((d, m))).mean(axis=1) - exact).max() for _ in range(trials)]
    )


@pytest.mark.parametrize(("d", "diameter"), [(1, 6.0), (1, 0.5), (2, 3.0), (2, 1.0)])
@pytest.mark.parametrize("n_components", [50, 200])
def test_uniform_bounds_hold_with_pairs(d, diameter, n_components):
    errors = region_errors(d, diameter, n_components // 2, 1000, np.random.default_rng(n_components + d))
    setting = {"kernel": GAUSSIAN, "n_features": d, "diameter": diameter}
    bounds = [
        uniform.AnchoredCover(**setting),
        uniform.AnchoredCover(**setting, tail="bernstein"),
        uniform.SutherlandSchneiderProp1(**setting),
        uniform.RahimiRecht(**setting),
        uniform.SriperumbudurSzabo(**setting),
    ]
    if d == 1:
        bounds.append(line.LineSupremum(**setting))
    for bound in bounds:
        check_failure_rate(bound, errors, n_components)
    quantile = np.quantile(errors, 0.95)
    assert quantile <= bounds[0].error(n_components, 0.05)
    if diameter >= 3:  # on a small region the error is small everywhere, which no cover knows
        assert bounds[0].error(n_components, 0.05) <= 3 * quantile
    assert errors.mean() <= expectation.IntegratedCover(**setting).mean(n_components)
    assert errors.mean() <= expectation.DudleyPaired(**setting).mean(n_components)


@pytest.mark.parametrize("n_components", [50, 200])
def test_uniform_bounds_hold_with_phases(n_components):
    rng = np.random.default_rng(n_components)
    X = np.linspace(-3, 3, 61)[:, None]
    exact = GAUSSIAN(X)
    errors = np.array([np.abs(draw_gram(GAUSSIAN, X, n_components, "phase", rng) - exact).max() for _ in range(1000)])
    setting = {"kernel": GAUSSIAN, "n_features": 1, "diameter": 6.0}
    cover = uniform.AnchoredCover(**setting, embedding="phase")
    for bound in (
        cover,
        uniform.AnchoredCover(**setting, embedding="phase", tail="bernstein"),
        uniform.SutherlandSchneiderProp2(**setting),
    ):
        check_failure_rate(bound, errors, n_components)
    assert np.quantile(errors, 0.95) <= cover.error(n_components, 0.05) <= 3 * np.quantile(errors, 0.95)
    assert errors.mean() <= expectation.DudleyPhase(**setting).mean(n_components)
    assert check_concentration(errors, n_components, "phase")


@pytest.mark.parametrize("n_components", [50, 200])
def test_suprema_concentrate_with_pairs(n_components):
    errors = region_errors(1, 6.0, n_components // 2, 2000, np.random.default_rng(n_components))
    assert check_concentration(errors, n_components, "paired")


def check_concentration(errors, n_components, embedding) -> bool:
    """Around an upper confidence limit of the mean; the sup over a grid is itself a supremum the theorems cover."""
    mean = errors.mean() + 6 * errors.std() / np.sqrt(len(errors))
    excess, epsilons = errors - mean, np.linspace(0.01, 0.3, 15)
    bousquet = expectation.Concentration(kernel=GAUSSIAN, mean=mean, embedding=embedding)
    mcdiarmid = expectation.McDiarmid(kernel=GAUSSIAN, embedding=embedding)
    found = [check_failure_rate(bound, excess, n_components, epsilons) for bound in (bousquet, mcdiarmid)]
    return all(found)


@pytest.mark.parametrize("embedding", ["paired", "phase"])
@pytest.mark.parametrize("n_components", [50, 200])
def test_mean_squares_hold(n_components, embedding):
    rng = np.random.default_rng(n_components)
    X = np.linspace(-3, 3, 25)[:, None]
    exact = GAUSSIAN(X)
    squares = np.array(
        [np.mean((draw_gram(GAUSSIAN, X, n_components, embedding, rng) - exact) ** 2) for _ in range(1500)]
    )
    differences = (X[:, None] - X).reshape(-1, 1)
    bracket = mean_square.bracket(GAUSSIAN, differences, embedding=embedding)
    setting = {"kernel": GAUSSIAN, "embedding": embedding}
    mean = mean_square.ExactMean(bracket=bracket, **setting).mean(n_components)
    assert abs(squares.mean() - mean) <= 6 * squares.std() / np.sqrt(len(squares))
    norm = mean_square.HilbertNorm(bracket=bracket, **setting)
    assert check_failure_rate(norm, np.sqrt(squares), n_components, np.sqrt(mean) * np.linspace(1, 3, 20))
    check_failure_rate(mean_square.SquaredNormMcDiarmid(**setting), np.abs(squares - mean), n_components)


@pytest.mark.parametrize("embedding", ["paired", "phase"])
@pytest.mark.parametrize("n_components", [50, 200])
def test_mean_maps_and_mmd_hold(n_components, embedding):
    rng = np.random.default_rng(n_components)
    # Two far clusters: the mean maps have nothing to average out, and the errors are as large as they get.
    X, Y = np.array([[0.0, 0.0], [0.05, 0.0]]), np.array([[3.0, 0.0], [3.0, 0.05]])
    points, signs = np.vstack([X, Y]), np.array([0.5, 0.5, -0.5, -0.5])
    exact = GAUSSIAN(points)
    grams = np.array([draw_gram(GAUSSIAN, points, n_components, embedding, rng) for _ in range(4000)])
    mean_map = np.abs(grams[:, :2, 2:].mean(axis=(1, 2)) - exact[:2, 2:].mean())
    mmd = np.abs(grams @ signs @ signs - signs @ exact @ signs)
    setting = {"kernel": GAUSSIAN, "embedding": embedding}
    epsilons = np.linspace(0.05, 1.5, 60)
    found = [
        check_failure_rate(downstream.MeanMapKernel(**setting), mean_map, n_components, epsilons),
        check_failure_rate(downstream.MMDSquared(**setting), mmd, n_components, epsilons),
    ]
    assert any(found)


def test_full_orbits_hold_for_sign_flips():
    rng = np.random.default_rng(5)
    X = rng.standard_normal((4, 2))
    exact = (GAUSSIAN(X, X) + GAUSSIAN(X, -X)) / 2  # the group {1, -1}, averaged in full
    m = 50
    errors = []
    for _ in range(2000):
        C = np.cos(X @ rng.standard_normal((2, m)))  # the sines cancel over the orbit
        errors.append(np.abs(C @ C.T / m - exact).max())
    bound = orbit.FullOrbitHoeffding(kernel=GAUSSIAN, n_points=4)
    check_failure_rate(bound, np.array(errors), 2 * m)


@pytest.mark.parametrize(("d", "z"), [(4, 1.0), (16, 1.5), (3, 3.7)])
def test_orthogonal_variance_is_exact(d, z):
    difference = np.full(d, z / np.sqrt(d))
    measure = GAUSSIAN.spectral_measure(d)
    values = np.array(
        [np.cos(Orthogonal().draw(measure, d, d, seed).omega @ difference).mean() for seed in range(4000)]
    )
    errors = np.abs(values - np.exp(-(z**2) / 2))
    expected = orthogonal.variance_factor(z, d, d) / d
    squares = errors**2
    assert abs(squares.mean() - expected) <= 6 * squares.std() / np.sqrt(len(squares))
    assert check_failure_rate(orthogonal.Chebyshev(kernel=GAUSSIAN, difference=difference), errors, 2 * d)
    check_failure_rate(orthogonal.BlockHoeffding(kernel=GAUSSIAN, n_features=d), errors, 2 * d)


@pytest.mark.parametrize("embedding", ["paired", "phase"])
def test_ridge_and_svm_inputs_hold_on_training_and_test_pairs(embedding):
    rng = np.random.default_rng(11)
    X, X_test, D = rng.standard_normal((4, 2)), rng.standard_normal((2, 2)), 100
    within, across = GAUSSIAN(X), GAUSSIAN(X, X_test)
    errors = []
    for seed in range(1500):
        gram = draw_gram(GAUSSIAN, np.vstack([X, X_test]), D, embedding, np.random.default_rng(seed))
        errors.append(max(np.abs(gram[:4, :4] - within).max(), np.abs(gram[:4, 4:] - across).max()))
    bound = finite_set.UnionSubGaussian(kernel=GAUSSIAN, n_points=4, n_test=2, embedding=embedding)
    aware = finite_set.DataAware(kernel=GAUSSIAN, X=X, X_test=X_test, embedding=embedding)
    check_failure_rate(bound, np.array(errors), D)
    assert check_failure_rate(aware, np.array(errors), D, np.linspace(0.1, 0.6, 26))


def test_li_honorio_theorem_1_is_refuted():
    m, d, R = 40, 100, 3.0
    violations = 0
    for seed in range(10):
        omega = np.random.default_rng(seed).standard_normal((m, d))
        u = lower.violating_difference(omega)
        error = abs(np.cos(omega @ u).mean() - GAUSSIAN.at(u))
        violations += np.linalg.norm(u) <= R and error >= 1
    assert violations >= 8
    assert published.li_honorio_thm1(m, R, 1.0) < 0.07
    assert binom.sf(violations - 1, 10, published.li_honorio_thm1(m, R, 1.0)) < 1e-7


def test_impossibility_bound_is_attained():
    m, d, R = 40, 100, 3.0
    rng = np.random.default_rng(0)
    hits = [np.linalg.norm(lower.violating_difference(rng.standard_normal((m, d)))) <= R for _ in range(300)]
    assert np.mean(hits) == pytest.approx(lower.impossibility_lower_bound(m, d, R), abs=0.06)


def test_zhu_li_theorem_3_is_refuted():
    lam, delta = 1e-4, 0.1
    mu = np.r_[1.0, np.full(50, lam)]
    d_lambda = np.sum(mu / (mu + lam))
    s = 2600
    assert s >= published.ZhuLiFeatures(d_tau=d_lambda, d_lambda=d_lambda, delta=delta).value()
    claimed = published.ZhuLiTheorem3(R=1.0, lam=lam, r=1.0).value()
    for seed in range(10):
        features = np.random.default_rng(seed).choice([-1.0, 1.0], (s, 51)) * np.sqrt(mu)
        operator = features.T @ features / s
        target = np.eye(51)[0]  # f_H = L g with g = f_H = the first eigenfunction, so R = 1
        error = lam * np.linalg.norm(np.linalg.solve(operator + lam * np.eye(51), target))
        assert error > claimed
        assert error <= np.sqrt(2 * lam)  # what is true: r = 1/2, ||f_H||_H = 1


def test_raj_pointwise_bound_is_refuted_exactly():
    # q = 0.75 at the identity, the rest spread over many far shifts; x = y. k~ counts pairs of identities.
    r, eps, p = 100, 0.2, 0.75
    identities = np.arange(r + 1)
    value = identities * (identities - 1) / (r * (r - 1))
    exact = binom.pmf(identities, r, p)[np.abs(value - p**2) >= eps].sum()
    claim = published.RajTheorem31Pointwise(n_transforms=r, eps=eps)
    assert exact == pytest.approx(1.714e-3, rel=1e-3)
    assert claim.value() < exact <= claim.corrected()
