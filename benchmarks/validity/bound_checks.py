"""Simulations of bounds that are not tails of one error: computed statements, means, operators, lower bounds.

Means are judged by the empirical Bernstein inequality (Maurer & Pontil 2009, Theorem 4), so that the promise is exact:
a repeat is a group of draws, and breaks the promise if the stated mean lies outside the limits that the group gives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import minimize
from scipy.special import expit

from bochner.kernels import Gaussian, Matern
from bochner.solvers import Logistic
from bochner.solvers.exact_classifier import logistic_gap
from bochner.solvers.exact_ridge import ExactRidge, Patience
from bochner.statistics.kernel_product import KernelProduct
from bochner.theory import (
    a_posteriori,
    columns,
    distance,
    downstream,
    expectation,
    generalization,
    lanczos_norm,
    lower,
    mean_square,
    orbit,
    pivoted,
    pointwise,
    spectral,
    supremum,
)

from . import bound_draws as draws
from .bound_draws import GAUSSIAN, LINE, POINTS

ROUNDING = 1e-9
_GROUP, _DELTA = 500, 0.05


class Check(NamedTuple):
    """Promises, and a function (generator, repeats) -> violations of each."""

    promised: Mapping[str, float]
    count: Callable[[np.random.Generator, int], list[int]]
    repeats: int
    per_task: int


def _each(promised: Mapping[str, float], one: Callable[[np.random.Generator], list[bool]], repeats: int) -> Check:
    """A check whose repeats are made one by one."""

    def count(rng: np.random.Generator, size: int) -> list[int]:
        return [int(total) for total in np.sum([one(rng) for _ in range(size)], axis=0)]

    return Check(promised, count, repeats, max(1, repeats // 10))


# What is computed for matrices at hand: it never fails.


def _pair_of_grams(rng: np.random.Generator, n: int = 12, width: int = 40) -> tuple[np.ndarray, np.ndarray]:
    X = rng.standard_normal((n, 2))
    return GAUSSIAN(X), draws.grams(GAUSSIAN, X, width, "paired", rng, 1)[0]


def _all_pairs(rng: np.random.Generator) -> list[bool]:
    exact, approximate = _pair_of_grams(rng)
    value = a_posteriori.AllPairs(error=approximate - exact).certificate().value
    return [bool(np.max(np.abs(approximate - exact)) > value)]


def _spectral_closeness(rng: np.random.Generator) -> list[bool]:
    exact, approximate = _pair_of_grams(rng)
    alpha = float(10 ** rng.uniform(-3, 1))
    value = a_posteriori.SpectralCloseness(exact=exact, approximate=approximate, alpha=alpha).certificate().value
    v = rng.standard_normal((200, len(exact)))
    v = np.vstack([v, np.linalg.eigh(approximate - exact)[1].T])
    ratio = _forms(approximate, alpha, v) / _forms(exact, alpha, v)
    return [bool(np.max(np.abs(ratio - 1)) > value * (1 + ROUNDING))]


def _forms(K: np.ndarray, alpha: float, v: np.ndarray) -> np.ndarray:
    return np.einsum("ij,jk,ik->i", v, K, v) + alpha * np.sum(v**2, axis=1)


def _any_target(rng: np.random.Generator) -> list[bool]:
    exact, approximate = _pair_of_grams(rng)
    n, alpha, intercept = len(exact), float(10 ** rng.uniform(-2, 1)), bool(rng.integers(2))
    y = rng.standard_normal((n, 1)) + 3 * rng.standard_normal()
    fitted = [_ridge_fit(K, y, alpha, intercept) for K in (exact, approximate)]
    gap = float(np.sqrt(np.mean((fitted[0] - fitted[1]) ** 2)))
    norms = np.linalg.norm(y - y.mean() if intercept else y, axis=0)
    setting = {"exact": exact, "approximate": approximate, "root": np.ones(n), "alpha": alpha, "intercept": intercept}
    return [gap > distance.AnyTargetDistance(**setting, norms=norms).certificate().value * (1 + 1e-6) + ROUNDING]


def _exact_ridge(rng: np.random.Generator) -> list[bool]:
    """Predictions near those of the exact model, weighted or not: both sides, and two new rows."""
    n, alpha, intercept = 12, float(10 ** rng.uniform(-2, 1)), bool(rng.integers(2))
    X, y, new = rng.standard_normal((n, 2)), rng.standard_normal((n, 1)) + 3, rng.standard_normal((2, 2))
    weight = rng.exponential(size=n) + 0.01 if rng.integers(2) else np.ones(n)
    fitted, at_new = _weighted_fit(X, y, weight, alpha, intercept, new)
    predictions = fitted + 10 ** rng.uniform(-4, 0) * rng.standard_normal((n, 1))
    exact = ExactRidge(KernelProduct(GAUSSIAN, X), y, weight, alpha, intercept)
    found = exact.distance(predictions, Patience(max_products=int(rng.integers(3, 8))))
    low, high = found.root_mean_square()
    truth = float(np.sqrt(np.sum(weight[:, None] * (fitted - predictions) ** 2) / weight.sum()))
    values, slack = found.at(new)
    inside = low * (1 - 1e-9) - ROUNDING <= truth <= high * (1 + 1e-9) + ROUNDING
    return [not inside, bool(np.any(np.abs(values - at_new) > slack * (1 + 1e-9) + ROUNDING))]


def _weighted_fit(
    X: np.ndarray, y: np.ndarray, weight: np.ndarray, alpha: float, intercept: bool, new: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Weighted kernel ridge at the rows and at new ones, by the bordered system."""
    n, s = len(X), np.sqrt(weight)[:, None]
    corner = np.full((1, 1), float(not intercept))
    system = np.block([[s * GAUSSIAN(X) * s.T + alpha * np.eye(n), s * intercept], [s.T * intercept, corner]])
    solution = np.linalg.solve(system, np.vstack([s * y, [[0.0]]]))
    return tuple(K @ (s * solution[:n]) + solution[n] for K in (GAUSSIAN(X), GAUSSIAN(new, X)))  # type: ignore[return-value]


def _classifier_distance(rng: np.random.Generator) -> list[bool]:
    """The exact logistic machine lies within the radius of a duality gap at any probabilities."""
    n, alpha = 12, float(10 ** rng.uniform(-1, 1))
    X, labels = rng.standard_normal((n, 2)), rng.permutation(np.arange(n) % 2)
    loss, scores = Logistic(labels, np.ones(n)), rng.standard_normal((n, 1))
    gap = logistic_gap(KernelProduct(GAUSSIAN, X), loss, scores, alpha, intercept=False)
    K, signs = GAUSSIAN(X), 2.0 * labels - 1

    def objective(a: np.ndarray) -> tuple[float, np.ndarray]:
        h = K @ a
        residual = -signs * expit(-signs * h)
        return float(np.sum(np.logaddexp(0, -signs * h)) + alpha / 2 * a @ h), K @ (residual + alpha * a)

    options = {"ftol": 0, "gtol": 1e-10, "maxiter": 5000, "maxfun": 20_000}
    best = K @ minimize(objective, np.zeros(n), jac=True, method="L-BFGS-B", options=options).x
    return [bool(np.any(np.abs(gap.scores[:, 0] - best) > gap.radius(np.ones(1))[0, 0] + 1e-4))]


def _residual_variance(rng: np.random.Generator) -> list[bool]:
    """Errors of Nystroem features at pairs of any rows, with anything on the diagonal of the landmarks."""
    X, landmarks = rng.standard_normal((12, 2)), rng.standard_normal((int(rng.integers(1, 9)), 2))
    K = GAUSSIAN(landmarks) + 10 ** rng.uniform(-10, 0) * np.eye(len(landmarks))
    cross = GAUSSIAN(X, landmarks)
    approximate = cross @ np.linalg.solve(K, cross.T)
    bound = a_posteriori.ResidualVariance(residual=1 - np.diagonal(approximate), rounding=1e-9)
    return [bool(np.max(np.abs(GAUSSIAN(X) - approximate)) > bound.certificate().value)]


def _ridge_fit(K: np.ndarray, y: np.ndarray, alpha: float, intercept: bool) -> np.ndarray:
    """Fitted values of kernel ridge, the offset from the bordered system."""
    n = len(K)
    if not intercept:
        return K @ np.linalg.solve(K + alpha * np.eye(n), y)
    system = np.block([[K + alpha * np.eye(n), np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
    solution = np.linalg.solve(system, np.vstack([y, [[0.0]]]))
    return K @ solution[:n] + solution[n]


def _grid_supremum(rng: np.random.Generator) -> list[bool]:
    d, kernel = int(rng.integers(1, 4)), (GAUSSIAN, Matern(nu=2.5))[rng.integers(2)]
    omega = draws.frequencies(kernel, 1, 20, d, rng)[0]
    power, radius = rng.dirichlet(np.ones(20)), float(rng.uniform(0.5, 4))
    bound = supremum.GridSupremum(kernel=kernel, omega=omega, power=power, radius=radius, n_points=2000)
    u = rng.standard_normal((2000, d))
    u *= radius * (rng.random((2000, 1)) ** (1 / d)) / np.linalg.norm(u, axis=1, keepdims=True)
    return [bool(np.max(np.abs(np.cos(u @ omega.T) @ power - kernel.at(u))) > bound.certificate().value)]


def _invariance(rng: np.random.Generator) -> list[bool]:
    moved, still = rng.standard_normal((3, 6, 8)), rng.standard_normal((6, 8))
    value = orbit.Invariance(moved=moved, still=still).certificate().value
    change = np.abs(np.einsum("hnd,kd->hnk", moved - still, still))
    return [bool(np.any(change > value * np.linalg.norm(still, axis=1) * (1 + ROUNDING)))]


def _ridge_prediction(rng: np.random.Generator) -> list[bool]:
    K, K_hat = _pair_of_grams(rng, 13)
    penalty, n = float(10 ** rng.uniform(-2, 0)), 12
    y = rng.standard_normal(n) + rng.standard_normal()
    eps = np.max(np.abs(K_hat - K)[:n])
    h, h_hat = (y @ np.linalg.solve(G[:n, :n] + n * penalty * np.eye(n), G[:n, n]) for G in (K, K_hat))
    bound = downstream.RidgePrediction(penalty=penalty, target_rms=float(np.sqrt(np.mean(y**2))))
    return [bool(abs(h - h_hat) > bound.change(float(eps)) * (1 + ROUNDING))]


def _svm_prediction(embedding: str) -> Callable[[np.random.Generator], list[bool]]:
    def one(rng: np.random.Generator) -> list[bool]:
        n, c0 = 8, float(10 ** rng.uniform(-1, 1))
        X = rng.standard_normal((n + 1, 2))
        K, K_hat = GAUSSIAN(X), draws.grams(GAUSSIAN, X, 2000, embedding, rng, 1)[0]
        labels = rng.choice([-1.0, 1.0], n)
        h, h_hat = (_svm(G[:n, :n], labels, c0 / n) @ G[:n, n] for G in (K, K_hat))
        bound = downstream.SVMPrediction(n_points=n, c0=c0, embedding=embedding)
        return [bool(abs(h - h_hat) > bound.change(float(np.max(np.abs(K_hat - K)))) * (1 + ROUNDING))]

    return one


def _svm(K: np.ndarray, labels: np.ndarray, C: float, sweeps: int = 300) -> np.ndarray:
    """Coefficients of a support vector machine without offset, by coordinate ascent on its dual."""
    a = np.zeros(len(K))
    Q = labels[:, None] * K * labels
    for _ in range(sweeps):
        for i in range(len(a)):
            a[i] = min(C, max(0.0, a[i] + (1 - Q[i] @ a) / Q[i, i]))
    return a * labels


# Statements about a law, from a sample of it.


def _sampled_pairs(rng: np.random.Generator) -> list[bool]:
    """Errors |e| uniform on [0, 1]: fraction above 0.9, 0.8-quantile, mean and root mean square are known."""
    pairs = a_posteriori.SampledPairs(error=rng.uniform(-1, 1, 150), largest=1.0)
    return [
        pairs.fraction_above(0.9, _DELTA).value < 0.1,
        pairs.quantile(0.8, _DELTA).value < 0.8,
        pairs.mean_absolute(_DELTA).value < 0.5,
        pairs.root_mean_square(_DELTA).value < np.sqrt(1 / 3),
    ]


def _sampled_rare(rng: np.random.Generator) -> list[bool]:
    """Errors that are 0 but for one in fifty: where limits on means and fractions are most easily wrong."""
    error = (rng.random(150) < 0.02).astype(float)
    pairs = a_posteriori.SampledPairs(error=error, largest=1.0)
    return [
        pairs.fraction_above(0.5, _DELTA).value < 0.02,
        pairs.quantile(0.985, _DELTA).value < 1.0,
        pairs.mean_absolute(_DELTA).value < 0.02,
        pairs.root_mean_square(_DELTA).value < np.sqrt(0.02),
    ]


def _new_rows(rng: np.random.Generator) -> list[bool]:
    rows = distance.NewRows(difference=rng.exponential(size=60))
    return [rows.certificate(0.9, _DELTA).value < np.log(10)]


def _empirical_bernstein(embedding: str) -> Callable[[np.random.Generator, int], list[int]]:
    """The radius is affine in the standard deviation of the summands: two calls give it for all draws."""
    kernel, difference, width = Gaussian(0.7), (0.3, 0.4), 100
    setting = {"n_components": width, "kernel": kernel, "embedding": embedding}

    def radius(deviation: np.ndarray, delta: float) -> np.ndarray:
        constant = pointwise.EmpiricalBernstein(sample_variance=0.0, **setting).error(delta)
        slope = pointwise.EmpiricalBernstein(sample_variance=1.0, **setting).error(delta) - constant
        return constant + slope * deviation

    def count(rng: np.random.Generator, size: int) -> list[int]:
        values = draws.summands(kernel, difference, width, embedding, rng, size)
        errors = np.abs(kernel.variance * values.mean(axis=1) - kernel.at(np.array(difference)))
        deviation = values.std(axis=1, ddof=1)
        return [int(np.sum(errors > radius(deviation, delta))) for delta in (0.5, 0.1, 0.01)]

    return count


def _orbit_empirical_bernstein(rng: np.random.Generator) -> list[bool]:
    """Sign flips averaged in full: the sines cancel, and a summand is cos(w.x) cos(w.y)."""
    x, y = POINTS[2], POINTS[3]
    phases = rng.standard_normal((50, 2)) @ np.array([x, y]).T
    values = np.cos(phases[:, 0]) * np.cos(phases[:, 1])
    exact = (GAUSSIAN.at(x - y) + GAUSSIAN.at(x + y)) / 2
    bound = orbit.FullOrbitEmpiricalBernstein(sample_variance=values.var(ddof=1), n_components=100, kernel=GAUSSIAN)
    return [bool(abs(values.mean() - exact) > bound.error(_DELTA))]


# Norms from a few products.


def _lanczos(n_starts: int, positive: bool) -> Callable[[np.random.Generator], list[bool]]:
    """One eigenvalue 1 above many as large as the limit lets them be; every number of products up to 6 at once."""
    n, deltas = 100, (0.5, 0.1, 0.01)

    def one(rng: np.random.Generator) -> list[bool]:
        gap = 1 / lanczos_norm.LanczosNorm(
            reached=1.0, n_rows=n, n_products=int(rng.integers(2, 7)), n_starts=n_starts, positive=positive
        ).factor(float(rng.choice(deltas)))
        values = np.append(np.linspace(0.0 if positive else -gap, gap, n - 1), 1.0)[:, None]
        norms = lanczos_norm.lanczos_norms(
            lambda block: values * block, n, n_starts=n_starts, positive=positive, random_state=rng
        )
        found = [next(norms) for _ in range(6)]
        return [any(norm.limit(delta) < 1 - ROUNDING for norm in found) for delta in deltas]

    return one


# What no map can do, and what pivots leave.


def _least_error(rng: np.random.Generator) -> list[bool]:
    """Random maps, landmarks and the best matrix of a rank, whose error the bound states exactly."""
    X, width = rng.standard_normal((12, 2)), int(rng.integers(1, 12))
    K = GAUSSIAN(X)
    values, vectors = np.linalg.eigh(K)
    least = columns.LeastError(eigenvalues=values, n_components=width).certificate("rows").value
    Z = rng.standard_normal((12, width))
    landmarks = K[:, :width] @ np.linalg.pinv(K[:width, :width], rcond=1e-10) @ K[:width]
    best = (vectors[:, -width:] * values[-width:]) @ vectors[:, -width:].T
    errors = [float(np.sqrt(np.mean((K_hat - K) ** 2))) for K_hat in (Z @ Z.T / width, landmarks, best)]
    return [min(errors) < least, errors[-1] > least * (1 + 1e-6) + ROUNDING]


def _pivoted(rng: np.random.Generator) -> list[bool]:
    """The mean share of the trace that pivots leave, of a kernel with two kinds of eigenvalues, by its own limit."""
    eigenvalues = np.concatenate([np.full(3, 4.0), np.full(27, 0.3)])
    basis = np.linalg.qr(rng.standard_normal((30, 30)))[0]
    K = (basis * eigenvalues) @ basis.T
    bound = pivoted.PivotedLandmarks(eigenvalues=eigenvalues)
    left = np.array([_left_by_pivots(K, 6, rng) for _ in range(_GROUP)])
    return [bound.mean_residual(6) < _mean_limits(left, float(np.trace(K)) / 30)[0]]


def _left_by_pivots(K: np.ndarray, count: int, rng: np.random.Generator) -> float:
    """tr(K - K^) / n of randomly pivoted landmarks, by the definition."""
    rest = K.copy()
    for _ in range(count):
        residual = np.maximum(np.diagonal(rest), 0.0)
        s = rng.choice(len(K), p=residual / residual.sum())
        rest -= np.outer(rest[:, s], rest[s]) / rest[s, s]
    return float(np.trace(rest)) / len(K)


def _pivoted_certificate(rng: np.random.Generator) -> list[bool]:
    X = rng.standard_normal((30, 2))
    K = GAUSSIAN(X)
    bound, left = pivoted.PivotedLandmarks(eigenvalues=np.linalg.eigvalsh(K)), _left_by_pivots(K, 5, rng)
    return [left > bound.certificate(5, delta).value for delta in (0.5, 0.1)]


def _pivoted_tail(rng: np.random.Generator) -> list[bool]:
    """The limit of the tail by a pilot of 300 rows, and the worst case that it has: equal eigenvalues above dust."""
    X = rng.standard_normal((300, 2))
    kernel, values = Gaussian(0.7), np.linalg.eigvalsh(Gaussian(0.7)(X))[::-1]
    failed = []
    for delta in (0.5, 0.1):
        bound = pivoted.pilot_tail(X, kernel, 20, delta=delta, size=60, random_state=int(rng.integers(2**32)))
        failed.append(bool(values[bound.rank :].sum() / 300 > bound.tail))
    return failed


# Means.


def _mean_limits(values: np.ndarray, reach: float) -> tuple[float, float]:
    """One-sided empirical Bernstein limits at delta = 0.05, for values in an interval of length `reach`."""
    n, log = len(values), np.log(2 / _DELTA)
    slack = np.sqrt(2 * values.var(ddof=1) * log / n) + 7 * reach * log / (3 * (n - 1))
    return float(values.mean() - slack), float(values.mean() + slack)


def _mean_square(embedding: str) -> Callable[[np.random.Generator], list[bool]]:
    width, X = 4, LINE[::8]
    V = mean_square.bracket(GAUSSIAN, (X[:, None] - X).reshape(-1, 1), embedding=embedding)
    mean = mean_square.ExactMean(kernel=GAUSSIAN, bracket=V, embedding=embedding).mean(width)
    errors = draws.mean_square(GAUSSIAN, X, width, embedding)

    def one(rng: np.random.Generator) -> list[bool]:
        low, high = _mean_limits(errors(rng, 20 * _GROUP), 4.0 if embedding == "paired" else 9.0)
        return [mean < low, mean > high]

    return one


def _mean_supremum(make: Callable[..., expectation.MeanSupremum], embedding: str) -> Callable[..., list[bool]]:
    errors = draws.over_pairs(GAUSSIAN, LINE[::2], 100, embedding)

    @cache
    def stated() -> float:
        return make(kernel=GAUSSIAN, n_features=1, diameter=6.0).mean(100)

    return lambda rng: [stated() < _mean_limits(errors(rng, _GROUP), 2.0 if embedding == "paired" else 3.0)[0]]


def _minimax_error(rng: np.random.Generator) -> list[bool]:
    """The mean error of the random-feature estimator at the difference where it is largest is not below the bound."""
    m, radius = 4, 2.0
    value = lower.MinimaxError(n_frequencies=m, radius=radius).value()
    omega = rng.standard_normal((_GROUP, m))
    highest = -np.inf
    for u in np.linspace(0.5, radius, 4):
        errors = np.abs(np.cos(omega * u).mean(axis=1) - np.exp(-(u**2) / 2))
        highest = max(highest, _mean_limits(errors, 2.0)[1])
    return [highest < value]


def _minimax_probability(rng: np.random.Generator, size: int) -> list[int]:
    """Draws whose error at one difference is within eps: the estimator of random features is one of all estimators."""
    errors = np.abs(np.cos(2.0 * rng.standard_normal((size, 2))).mean(axis=1) - np.exp(-2.0))
    return [int(np.sum(errors <= _PROBABILITY.eps))]


def _impossibility(rng: np.random.Generator, size: int) -> list[int]:
    omega = rng.standard_normal((size, 8, 20))
    norms = np.array([np.linalg.norm(lower.violating_difference(each)) for each in omega])
    return [int(np.sum(norms > 2.5))]


# Operators with known eigenvalues: features are random signs times the roots of these.

_LAM = 0.05
_MU = np.array([1.0, 0.5, 0.1, *np.full(10, 0.05)])
_D = float(np.sum(_MU / (_MU + _LAM)))
_OPERATOR = generalization.OperatorBound(d_tau=_D, d_lambda=_D, lam=_LAM, operator_norm=1.0)


def _random_operator(rng: np.random.Generator, delta: float) -> np.ndarray:
    s = _OPERATOR.features_needed(delta)
    features = rng.choice([-1.0, 1.0], (s, len(_MU))) * np.sqrt(_MU)
    return features.T @ features / s


def _operator(rng: np.random.Generator) -> list[bool]:
    found = []
    for delta in (0.5, 0.1):
        exact, shifted = np.diag(_MU + _LAM), _random_operator(rng, delta) + _LAM * np.eye(len(_MU))
        found.append(bool(eigh(shifted - exact / 2, eigvals_only=True)[0] < -ROUNDING))
    return found


def _approximation(rng: np.random.Generator) -> list[bool]:
    """A random f of norm 1 in the RKHS: ||f~ - f||^2 + lambda ||beta||^2 has minimum lambda f'(L_s + lambda)^-1 f."""
    found = []
    for delta in (0.5, 0.1):
        operator = _random_operator(rng, delta)
        direction = rng.standard_normal(len(_MU)) * (rng.random(len(_MU)) < 0.3)
        direction = direction if np.any(direction) else np.eye(len(_MU))[0]
        f = np.sqrt(_MU) * direction / np.linalg.norm(direction)
        solved = np.linalg.solve(operator + _LAM * np.eye(len(_MU)), f)
        limit = generalization.ApproximationError(operator=_OPERATOR, norm=1.0).error() ** 2
        found.append(bool(_LAM * f @ solved > limit * (1 + ROUNDING)))
    return found


def _spectral_approximation(embedding: str) -> Callable[[np.random.Generator], list[bool]]:
    K, alpha, accuracy = GAUSSIAN(POINTS), 1.5, 0.5
    dimension = float(np.trace(K @ np.linalg.inv(K + alpha * np.eye(4))))
    bound = spectral.SpectralApproximation(
        n_points=4, alpha=alpha, statistical_dimension=dimension, operator_norm=float(np.linalg.norm(K, 2)),
        embedding=embedding,
    )  # fmt: skip

    def one(rng: np.random.Generator) -> list[bool]:
        found = []
        for delta in (0.5, 0.1):
            m = int(np.ceil(bound.frequencies_needed(accuracy, delta)))
            K_hat = draws.grams(GAUSSIAN, POINTS, 2 * m if embedding == "paired" else m, embedding, rng, 1)[0]
            ratios = eigh(K_hat + alpha * np.eye(4), K + alpha * np.eye(4), eigvals_only=True)
            found.append(bool(np.max(np.abs(ratios - 1)) > accuracy))
        return found

    return one


_NEVER = {"computed": 0.0}
_LIMITS = {"fraction": _DELTA, "quantile": _DELTA, "mean": _DELTA, "root mean square": _DELTA}
_DELTAS = {"delta = 0.5": 0.5, "delta = 0.1": 0.1}
_PROBABILITY = lower.MinimaxProbability(n_frequencies=2, radius=2.0, eps=0.2)
_IMPOSSIBLE = 1 - lower.Impossibility(n_frequencies=8, radius=2.5, n_features=20).value()

CHECKS: dict[tuple[str, str], Check] = {
    ("a_posteriori.AllPairs", "random matrices"): _each(_NEVER, _all_pairs, 2000),
    ("a_posteriori.SpectralCloseness", "random matrices"): _each(_NEVER, _spectral_closeness, 2000),
    ("a_posteriori.ResidualVariance", "random landmarks"): _each(_NEVER, _residual_variance, 2000),
    ("distance.AnyTargetDistance", "random problems"): _each(_NEVER, _any_target, 2000),
    ("distance.RidgeDistance", "random problems"): _each({"training rows": 0.0, "new rows": 0.0}, _exact_ridge, 2000),
    ("distance.ClassifierDistance", "random problems"): _each(_NEVER, _classifier_distance, 1000),
    ("a_posteriori.SampledPairs", "uniform errors"): _each(_LIMITS, _sampled_pairs, 20_000),
    ("a_posteriori.SampledPairs", "rare errors"): _each(_LIMITS, _sampled_rare, 20_000),
    ("distance.NewRows", "exponential differences"): _each({"quantile": _DELTA}, _new_rows, 20_000),
    ("supremum.GridSupremum", "random balls"): _each(_NEVER, _grid_supremum, 1000),
    ("orbit.Invariance", "random features"): _each(_NEVER, _invariance, 2000),
    ("downstream.RidgePrediction", "random problems"): _each(_NEVER, _ridge_prediction, 4000),
    ("downstream.SVMPrediction", "paired"): _each(_NEVER, _svm_prediction("paired"), 500),
    ("downstream.SVMPrediction", "phase"): _each(_NEVER, _svm_prediction("phase"), 500),
    **{
        ("pointwise.EmpiricalBernstein", embedding): Check(
            {**_DELTAS, "delta = 0.01": 0.01}, _empirical_bernstein(embedding), 20_000, 2000
        )
        for embedding in ("paired", "phase")
    },
    ("orbit.FullOrbitEmpiricalBernstein", "sign flips"): _each(
        {"delta = 0.05": _DELTA}, _orbit_empirical_bernstein, 4000
    ),
    **{
        ("mean_square.ExactMean", embedding): _each(
            {"not above": _DELTA, "not below": _DELTA}, _mean_square(embedding), 200
        )
        for embedding in ("paired", "phase")
    },
    ("expectation.DudleyPaired", "an interval"): _each(
        {"the mean": _DELTA}, _mean_supremum(expectation.DudleyPaired, "paired"), 40
    ),
    ("expectation.DudleyPhase", "an interval"): _each(
        {"the mean": _DELTA}, _mean_supremum(expectation.DudleyPhase, "phase"), 40
    ),
    ("expectation.IntegratedCover", "an interval"): _each(
        {"the mean": _DELTA}, _mean_supremum(expectation.IntegratedCover, "paired"), 40
    ),
    ("lower.MinimaxError", "random features"): _each({"the mean": _DELTA}, _minimax_error, 500),
    ("lower.Impossibility", "8 frequencies, 20 features"): Check(
        {"an error below 1 in the ball": _IMPOSSIBLE}, _impossibility, 20_000, 2000
    ),
    ("lower.MinimaxProbability", "random features"): Check(
        {"an error within eps": 1 - _PROBABILITY.value()}, _minimax_probability, 20_000, 2000
    ),
    **{
        ("lanczos_norm.LanczosNorm", name): _each({**_DELTAS, "delta = 0.01": 0.01}, _lanczos(*setting), 20_000)
        for name, setting in {"one start": (1, False), "4 starts": (4, False), "one start, positive": (1, True)}.items()
    },
    ("columns.LeastError", "random maps"): _each({"below": 0.0, "the best above": 0.0}, _least_error, 10_000),
    ("pivoted.PivotedLandmarks", "two kinds of eigenvalues"): _each({"the mean": _DELTA}, _pivoted, 100),
    ("pivoted.PivotedTail", "pilots of 300 rows"): _each(_DELTAS, _pivoted_tail, 10_000),
    ("pivoted.PivotedLandmarks", "random rows"): _each(_DELTAS, _pivoted_certificate, 20_000),
    ("generalization.OperatorBound", "known eigenvalues"): _each(_DELTAS, _operator, 4000),
    ("generalization.ApproximationError", "known eigenvalues"): _each(_DELTAS, _approximation, 4000),
    **{
        ("spectral.SpectralApproximation", embedding): _each(_DELTAS, _spectral_approximation(embedding), 4000)
        for embedding in ("paired", "phase")
    },
}  # fmt: skip
