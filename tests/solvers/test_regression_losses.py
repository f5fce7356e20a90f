"""Pinball, Huber and Tweedie losses: derivatives, duals and minima against other solvers."""

import numpy as np
import pytest
from scipy.optimize import linprog, minimize
from sklearn.linear_model import HuberRegressor, PoissonRegressor, TweedieRegressor

from bochner.solvers import Huber, Pinball, QuadraticPenalty, Tweedie
from bochner.solvers.huber import HuberRows
from bochner.solvers.pinball import pinball
from bochner.solvers.regression import RegressionProblem
from bochner.solvers.smoothed_ascent import SmoothPinballRows
from bochner.solvers.tweedie import TweedieRows
from tests.identity_features import stream_of

RNG = np.random.default_rng(0)
N, D = 120, 5
Z = RNG.standard_normal((N, D))
Y = Z @ np.array([1.0, -0.5, 0.2, 0, 0]) + 0.3 * RNG.standard_t(2, N)
WEIGHT = RNG.integers(0, 3, N).astype(float)
COUNTS = RNG.poisson(np.exp(0.5 * Z[:, 0] + 0.3)).astype(float)


def solved(loss, y, alpha, *, weight=WEIGHT, Z=Z, intercept=True, tol=1e-9):
    problem = RegressionProblem(stream_of(Z), y, weight, loss, intercept, 0)
    return problem.solver(weight).solve(QuadraticPenalty(alpha), tol=tol, max_iter=20_000)


def reference_pinball(tau, alpha):
    """min sum s rho(y - w.z - w_0 - q) + alpha/2 (|w|^2 + w_0^2) by a general solver on the dual, and q."""
    offset = np.quantile(Y, tau, weights=WEIGHT, method="inverted_cdf")
    features, y = np.hstack([Z, np.ones((N, 1))]), Y - offset

    def minus_dual(beta):
        w = features.T @ beta / alpha
        return 0.5 * alpha * w @ w - beta @ y, features @ w - y

    bounds = list(zip((tau - 1) * WEIGHT, tau * WEIGHT))
    found = minimize(minus_dual, np.zeros(N), jac=True, bounds=bounds, options={"maxiter": 10_000, "ftol": 1e-15})
    return -found.fun


@pytest.mark.parametrize("tau", [0.1, 0.5, 0.9])
def test_quantiles_have_the_minimum_of_a_general_solver(tau):
    found = solved(Pinball((tau,)), Y, 2.0)
    assert found.objective == pytest.approx(reference_pinball(tau, 2.0), rel=1e-6)
    assert abs(found.gap) <= 1e-6 * found.objective  # below 0 by rounding only


@pytest.mark.parametrize("tau", [0.25, 0.8])
def test_quantiles_without_a_penalty_are_those_of_linear_programming(tau):
    found = solved(Pinball((tau,)), Y, 1e-4, tol=1e-6)
    residual = Y - Z @ found.coef[:, 0] - found.intercept[0]
    A = np.hstack([Z, -Z, np.ones((N, 1)), -np.ones((N, 1)), np.eye(N), -np.eye(N)])
    cost = np.concatenate([np.zeros(2 * D + 2), tau * WEIGHT, (1 - tau) * WEIGHT])
    best = linprog(cost, A_eq=A, b_eq=Y, method="highs").fun
    assert WEIGHT @ pinball(residual, np.array(tau)) == pytest.approx(best, rel=1e-4)


def test_several_quantiles_are_those_of_one_at_a_time():
    together = solved(Pinball((0.2, 0.5, 0.9)), Y, 2.0)
    for c, tau in enumerate((0.2, 0.5, 0.9)):
        alone = solved(Pinball((tau,)), Y, 2.0)
        np.testing.assert_allclose(together.coef[:, c], alone.coef[:, 0], atol=1e-4)


def test_nearly_collinear_features_are_solved_by_smoothing():
    u = np.linspace(-1, 1, 200)[:, None]
    bent = np.hstack([u**k for k in range(1, 8)]) * 1e-2  # small features and a small penalty: thousands of sweeps
    y = 2 * u[:, 0] + 0.1 * np.random.default_rng(1).standard_normal(200)
    found = solved(Pinball((0.5,)), y, 1e-6, weight=np.ones(200), Z=bent, tol=1e-4)
    assert found.converged
    assert np.mean(np.abs(y - bent @ found.coef[:, 0] - found.intercept[0])) < 0.1


@pytest.mark.parametrize("weight", [np.r_[0.0, np.ones(8)], np.r_[0.0, np.full(8, 3.0)]])
def test_quantiles_are_moved_to_the_middle_of_all_with_their_share_below(weight):
    left_out = np.r_[3.2, RNG.permutation(8)]  # the first has no weight
    moved = [Pinball((tau,)).shift(left_out, np.zeros((9, 1)), weight)[0] for tau in (0.1, 0.25, 0.5, 0.6, 0.75)]
    np.testing.assert_allclose(moved, [0, 1.5, 3.5, 4, 5.5])


def test_huber_has_the_minimum_of_scikit_learn():
    found = solved(Huber(1.35), Y, 0.5)
    theirs = HuberRegressor(alpha=0.5, tol=1e-10, max_iter=10_000).fit(Z, Y, sample_weight=WEIGHT)
    loss = HuberRows(Y, WEIGHT, 1.35)
    objective = loss.value((theirs.predict(Z))[:, None]) + 0.25 * theirs.coef_ @ theirs.coef_
    assert found.objective <= objective * (1 + 1e-9)
    assert found.objective == pytest.approx(objective, rel=1e-6)
    np.testing.assert_allclose(found.coef[:, 0], theirs.coef_, atol=1e-4)
    assert loss.scale(Z @ found.coef + found.intercept) == pytest.approx(theirs.scale_, rel=1e-3)


@pytest.mark.parametrize(
    ("power", "theirs"),
    [(1.0, PoissonRegressor), (1.5, lambda **given: TweedieRegressor(power=1.5, link="log", **given))],
)
def test_counts_have_the_minimum_of_scikit_learn(power, theirs):
    found = solved(Tweedie(power), COUNTS, 0.7)
    model = theirs(alpha=0.7 / WEIGHT.sum(), tol=1e-10, max_iter=10_000).fit(Z, COUNTS, sample_weight=WEIGHT)
    scores = (Z @ model.coef_ + model.intercept_)[:, None]
    objective = TweedieRows(COUNTS, WEIGHT, power).value(scores) + 0.35 * model.coef_ @ model.coef_
    assert found.objective == pytest.approx(objective, rel=1e-6)
    np.testing.assert_allclose(found.coef[:, 0], model.coef_, atol=1e-4)


SMOOTH = {
    "Huber": HuberRows(Y, WEIGHT, 1.35),
    "smoothed pinball": SmoothPinballRows(Y, WEIGHT, 0.8, 0.5),
    "Poisson": TweedieRows(COUNTS, WEIGHT, 1.0),
    "Tweedie": TweedieRows(COUNTS, WEIGHT, 1.5),
    "gamma": TweedieRows(COUNTS + 0.5, WEIGHT, 2.0),
}


@pytest.mark.parametrize("loss", SMOOTH.values(), ids=SMOOTH)
def test_gradients_are_those_of_the_value(loss):
    rng = np.random.default_rng(1)
    scores, move, h = 0.3 * rng.standard_normal((N, 1)), rng.standard_normal((N, 1)), 1e-6
    slope = (loss.value(scores + h * move) - loss.value(scores - h * move)) / (2 * h)
    assert float(np.sum(loss.gradient(scores) * move)) == pytest.approx(slope, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("name", ["Poisson", "Tweedie", "gamma", "smoothed pinball"])
def test_curvature_is_that_of_the_gradient(name):
    loss, rng = SMOOTH[name], np.random.default_rng(2)
    scores, move, h = 0.3 * rng.standard_normal((N, 1)), rng.standard_normal((N, 1)), 1e-7
    change = (loss.gradient(scores + h * move) - loss.gradient(scores - h * move)) / (2 * h)
    product = loss.weight[:, None] * loss.curvature_product(loss.curvature(scores), move)
    np.testing.assert_allclose(change, product, rtol=1e-4, atol=1e-4)


def test_the_scale_of_huber_minimises_its_loss():
    loss = SMOOTH["Huber"]
    scores = np.zeros((N, 1))
    sigma, r = loss.scale(scores), Y

    def value(s):
        u = np.abs(r) / s
        return WEIGHT @ (s + s * np.where(u <= 1.35, u**2, 2 * 1.35 * u - 1.35**2))

    assert value(sigma) <= min(value(0.99 * sigma), value(1.01 * sigma))
    assert HuberRows(np.zeros(3), np.ones(3), 1.35).scale(np.zeros((3, 1))) > 0  # no residuals at all


def test_equal_rows_share_a_fold_and_rows_without_weight_do_not_matter():
    X, y = np.repeat(Z[:40], 2, axis=0), np.repeat(Y[:40], 2)
    twice = RegressionProblem(stream_of(X), y, np.ones(80), Huber(1.35), True, 0)
    weighted = RegressionProblem(stream_of(Z[:40]), Y[:40], np.full(40, 2.0), Huber(1.35), True, 0)
    for (_, held), (_, once) in zip(twice.folds(5), weighted.folds(5)):
        np.testing.assert_array_equal(np.unique(held // 2), once)
