"""Generalised cross-validation (GCV) and log evidence of a penalty, from the moments."""

from __future__ import annotations

import numpy as np

from bochner._typing import Array
from bochner.solvers.problem import RidgePoint, RidgeProblem

__all__ = ["calibrated_noise_variance", "gcv_score", "log_evidence", "noise_variance"]


def gcv_score(problem: RidgeProblem, point: RidgePoint) -> float:
    """Generalised cross-validation, an estimate of the mean squared error on new rows (Golub, Heath & Wahba 1979).

        GCV = (RSS / n) / (1 - dof / n)^2,    averaged over targets

    Infinite where the model interpolates (dof > 0.99 n): both halves of the ratio are then rounding errors.
    """
    spare = 1 - point.dof / problem.n
    return float(np.mean(_residual(problem, point)) / problem.n / spare**2) if spare > 0.01 else np.inf


def noise_variance(problem: RidgeProblem, point: RidgePoint) -> Array:
    """Maximum-likelihood noise variance of each target at fixed alpha.

    sigma^2 = (RSS + alpha ||w||^2) / nu,    nu = n, less 1 for an intercept with a flat prior
    """
    return (_residual(problem, point) + point.alpha * point.penalty) / _dimension(problem)


def calibrated_noise_variance(problem: RidgeProblem, point: RidgePoint) -> Array:
    """Noise variance of each target at which error bars are as wide as errors on new rows are, in the mean square.

        sigma^2 (1 + dof / n) = GCV,      since a predictive variance is sigma^2 (1 + leverage)

    and leverages have the mean dof / n. For a penalty that was not chosen as a prior, where the likelihood's noise
    variance says nothing of new rows. Where the model interpolates GCV says nothing, and the likelihood has to do.
    """
    share = point.dof / problem.n
    if not share < 0.99:
        return noise_variance(problem, point)
    return _residual(problem, point) / problem.n / ((1 - share) ** 2 * (1 + share))


def log_evidence(problem: RidgeProblem, point: RidgePoint) -> float:
    """Log marginal likelihood, summed over targets, with the noise variance at its maximum.

    w ~ N(0, sigma^2 / alpha I),  y | w ~ N(w_0 + Z w, sigma^2 I),   w_0 flat
    log p = -nu/2 (log 2 pi sigma^2 + 1) - 1/2 log det(I + G / alpha) - 1/2 log n  (the last for an intercept)
    """
    nu, targets = _dimension(problem), len(problem.energy)
    variance = np.maximum(noise_variance(problem, point), np.finfo(float).tiny)
    occam = point.log_det - problem.width * np.log(point.alpha)
    fit = -nu / 2 * np.sum(np.log(2 * np.pi * variance) + 1)
    return float(fit - targets / 2 * (occam + problem.intercept * np.log(problem.n)))


def _dimension(problem: RidgeProblem) -> float:
    """Dimension of the residual space; at least a half, so that one row has a finite variance."""
    return max(problem.n - problem.intercept, 0.5)


def _residual(problem: RidgeProblem, point: RidgePoint) -> Array:
    """RSS, at least 1e-10 of y'y: a difference of numbers of that size, it loses its digits to rounding below.

    A smaller penalty has nothing to gain there, and both criteria see it.
    """
    return np.maximum(point.residual, 1e-10 * problem.energy)
