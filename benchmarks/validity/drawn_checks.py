"""Simulations of bounds on ridge regression with drawn features, and on frequencies drawn from a pool."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

import bochner as bo
from bochner.sampling.leverage import draw_groups, in_groups, inclusion_probabilities
from bochner.sampling.pilot import ScoredPool
from bochner.theory import fixed_design, generalization, pool

from . import bound_draws as draws
from .bound_checks import Check, _each
from .bound_draws import GAUSSIAN, POINTS

_DELTAS = {"delta = 0.5": 0.5, "delta = 0.1": 0.1}
_GROUPS = 200
_ROWS = np.random.default_rng(0).standard_normal((12, 1))


def _ridge_risk(rng: np.random.Generator) -> list[bool]:
    """Bias of a random f in the span of the kernel at the rows, plus the exact expectation of the variance."""
    K, n, lam, noise = GAUSSIAN(_ROWS), len(_ROWS), 0.1, 0.5
    dimension = float(np.trace(K @ np.linalg.inv(K + n * lam * np.eye(n))))
    operator = generalization.OperatorBound(
        d_tau=1 / lam, d_lambda=dimension, lam=lam, operator_norm=float(np.linalg.norm(K, 2)) / n
    )
    c = rng.standard_normal(n)
    bound = fixed_design.RidgeRisk(operator=operator, n_points=n, norm=float(np.sqrt(c @ K @ c)), noise=noise)
    found = []
    for delta in _DELTAS.values():
        m = bound.features_needed(delta)
        K_hat = draws.grams(GAUSSIAN, _ROWS, 2 * m, "paired", rng, 1)[0]
        smoother = K_hat @ np.linalg.inv(K_hat + n * lam * np.eye(n))
        bias = np.mean((smoother @ K @ c - K @ c) ** 2)
        found.append(bool(bias + noise**2 * np.sum(smoother**2) / n > bound.risk(m, delta)))
    return found


def _pool(rng: np.random.Generator) -> list[bool]:
    """A pool of 30 frequencies, drawn in proportion to a mixture of leverage and the uniform law."""
    alpha, accuracy, eye = 0.5, 0.5, np.eye(len(POINTS))
    phases = POINTS @ rng.standard_normal((2, 30))
    Z = np.array([np.cos(phases), np.sin(phases)]) / np.sqrt(30)  # (2, rows, frequencies)
    K = np.einsum("pif,pjf->ij", Z, Z)
    leverage = np.einsum("pif,ij,pjf->f", Z, np.linalg.inv(K + alpha * eye), Z)
    proposal = 0.5 * leverage / leverage.sum() + 0.5 / 30
    bound = pool.PoolApproximation(
        alpha=alpha, statistical_dimension=float(leverage.sum()), largest_ratio=float(np.max(leverage / proposal)),
        operator_norm=float(np.linalg.norm(K, 2)),
    )  # fmt: skip
    found = []
    for delta in _DELTAS.values():
        m = int(np.ceil(bound.frequencies_needed(accuracy, delta)))
        weights = rng.multinomial(m, proposal) / (m * proposal)
        K_hat = np.einsum("pif,f,pjf->ij", Z, weights, Z)
        ratios = eigh(K_hat + alpha * eye, K + alpha * eye, eigvals_only=True)
        found.append(bool(np.max(np.abs(ratios - 1)) > accuracy))
    return found


def _groups(rng: np.random.Generator) -> list[bool]:
    """A pool of 600 frequencies, one of each of 200 groups: as many as the bound asks for, at both deltas."""
    alpha, eye = 0.5, np.eye(len(POINTS))
    omega = rng.standard_normal((600, 2))
    phases = POINTS @ omega.T
    Z = np.array([np.cos(phases), np.sin(phases)]) / np.sqrt(len(omega))
    K = np.einsum("pif,pjf->ij", Z, Z)
    scores = np.einsum("pif,ij,pjf->f", Z, np.linalg.inv(K + alpha * eye), Z)
    proposal = 0.8 * scores / scores.sum() + 0.2 / len(omega)
    scored = ScoredPool(omega, scores, proposal, replacement=False, penalty=alpha / len(POINTS), n_rows=len(POINTS))
    m = _GROUPS
    bound = pool.GroupApproximation.of(scored, POINTS, kernel=GAUSSIAN, alpha=alpha, n_frequencies=m)
    order, inclusion = in_groups(inclusion_probabilities(proposal, m))
    taken = draw_groups(order, inclusion, rng.random(m))
    K_hat = np.einsum("pif,f,pjf->ij", Z[:, :, taken], 1 / inclusion[taken], Z[:, :, taken])
    distance = np.max(np.abs(eigh(K_hat + alpha * eye, K + alpha * eye, eigvals_only=True) - 1))
    return [bool(distance > bound.accuracy(m, delta)) for delta in _DELTAS.values()]


def _bounded(rng: np.random.Generator) -> list[bool]:
    """sqrt(M) |z| of drawn maps, pairs of a cosine and a sine together, stays at or below kappa."""
    X, D = rng.exponential(size=(20, 3)), 64
    seed = int(rng.integers(2**32))
    maps = (
        bo.SignFeatures(n_components=D, random_state=seed),
        bo.SignFeatures(bo.Gaussian(), n_components=D, random_state=seed),
        bo.ArcCosineFeatures(bo.ArcCosine(0), n_components=D, random_state=seed),
        bo.LaplaceFeatures(n_components=D, random_state=seed),
        bo.FourierFeatures(2.0 * bo.Gaussian(), n_components=D, embedding="phase", random_state=seed),
        bo.FourierFeatures(2.0 * bo.Gaussian(), n_components=D, random_state=seed),
        bo.MaclaurinFeatures(bo.Polynomial(1), n_components=D, random_state=seed),
    )
    broken = []
    for features in maps:
        Z = features.fit_transform(X)
        paired = Z.shape[1] == 2 * getattr(features.map_, "n_frequencies", 0)
        draws = np.hypot(*np.split(Z, 2, axis=1)) if paired else np.abs(Z)
        kappa = features.bounded_features(X).kappa
        broken.append(bool(np.max(draws) * np.sqrt(draws.shape[1]) > kappa * (1 + 1e-12)))
    return [any(broken)]


CHECKS: dict[tuple[str, str], Check] = {
    ("fixed_design.RidgeRisk", "12 rows"): _each(_DELTAS, _ridge_risk, 4000),
    ("bounded.BoundedFeatures", "drawn maps"): _each({"computed": 0.0}, _bounded, 500),
    ("pool.PoolApproximation", "30 frequencies"): _each(_DELTAS, _pool, 4000),
    ("pool.GroupApproximation", "a pool of 600"): _each(_DELTAS, _groups, 20_000),
}
