"""Leverage scores of frequencies and effective dimension, on a pilot sample of the rows.

With K the kernel matrix of n rows, mu_j the eigenvalues of K / n, lambda > 0 and psi_omega(x) = exp(i omega . x),

    tau(omega) = k(0) psi* (K + n lambda I)^-1 psi        leverage of a frequency, in [0, k(0) / lambda]
    N(lambda)  = sum_j mu_j / (mu_j + lambda)             effective dimension, the mean of tau over the spectral measure

(Bach 2017; Rudi & Rosasco 2017, Example 2). lambda is normalised: scikit-learn's alpha divided by the number of rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from bochner._dense import dense
from bochner._random import Purpose, generator
from bochner._typing import Array, Rows
from bochner.kernels.base import Stationary

__all__ = ["Pilot", "PilotRecord", "ScoredPool", "leverage", "penalty_of_dimension", "sample_rows", "spectrum"]

_BLOCK = 1024  # frequencies whose cosines are held at a time
_SMALLEST_PENALTY = 1e-14  # of k(0): below, K + n lambda I is singular to working precision


@dataclass(frozen=True, eq=False)
class Pilot:
    """Pilot of a data-dependent sampler: rows and kernel.

    Attributes
    ----------
    X : array or CSR matrix of shape (n, d)
        All rows; the sampler takes as many as it wants.
    kernel : Stationary
    """

    X: Rows
    kernel: Stationary


@dataclass(frozen=True)
class PilotRecord:
    """Summary of a data-dependent draw: scores, weights and time.

    Attributes
    ----------
    n_rows : int
        Distinct rows that were used.
    pool_size : int
        Frequencies that were scored.
    penalty : float
        lambda = alpha / n of the scores.
    effective_dimension, standard_error : float
        Mean score over the pool, an estimate of N(lambda) on the pilot rows, and its standard error.
    largest_weight : float
        Largest importance weight p/q among the frequencies that were drawn.
    seconds : float
    """

    n_rows: int
    pool_size: int
    penalty: float
    effective_dimension: float
    standard_error: float
    largest_weight: float
    seconds: float


@dataclass(frozen=True, eq=False)
class ScoredPool:
    """A pool of frequencies with the law by which a sampler takes some of them.

    Attributes
    ----------
    omega : array of shape (s, d)
    scores : array of shape (s,)
        Leverage of each on the pilot rows.
    proposal : array of shape (s,)
        q, the probabilities of a draw; they sum to 1.
    replacement : bool
        The sampler draws independently from `proposal`.
    penalty : float
        lambda of the scores.
    n_rows : int
        Pilot rows.
    """

    omega: Array
    scores: Array
    proposal: Array
    replacement: bool
    penalty: float
    n_rows: int


def sample_rows(X: Rows, max_rows: int, seed: int) -> Array:
    """At most `max_rows` rows, chosen without replacement, in float64; a repeated row counts once."""
    n = X.shape[0]
    if n > max_rows:
        X = X[np.sort(generator(seed, Purpose.SUBSAMPLE).choice(n, size=max_rows, replace=False))]
    return np.unique(dense(X, float), axis=0)


def leverage(rows: Array, omega: Array, kernel: Stationary, penalty: float) -> Array:
    """tau of each frequency on the rows: ||L^-1 cos||^2 + ||L^-1 sin||^2 times k(0), L the factor of K + n lambda I."""
    shift = len(rows) * max(penalty, _SMALLEST_PENALTY * kernel.variance)
    K = kernel(rows)
    K.flat[:: len(rows) + 1] += shift
    factor = cholesky(K, lower=True, overwrite_a=True, check_finite=False)
    scores = np.empty(len(omega))
    for start in range(0, len(omega), _BLOCK):
        projection = rows @ omega[start : start + _BLOCK].T
        whitened = (
            solve_triangular(factor, part(projection), lower=True, overwrite_b=True, check_finite=False)
            for part in (np.cos, np.sin)
        )
        scores[start : start + _BLOCK] = sum(np.einsum("ij,ij->j", part, part) for part in whitened)
    return kernel.variance * scores


def spectrum(rows: Array, kernel: Stationary) -> Array:
    """Eigenvalues of K / n, descending."""
    eigenvalues: Array = np.linalg.eigvalsh(kernel(rows))[::-1] / len(rows)
    return np.maximum(eigenvalues, 0.0)


def penalty_of_dimension(eigenvalues: Array, dimension: float) -> float:
    """lambda at which N(lambda) is `dimension`, or the nearest that is not singular to working precision.

    N falls from the rank to 0 as lambda grows: bisection in its logarithm.
    """
    low, high = np.log(1e-13 * eigenvalues[0]), np.log(eigenvalues[0] * len(eigenvalues) / dimension)
    for _ in range(60):
        middle = (low + high) / 2
        above = np.sum(eigenvalues / (eigenvalues + np.exp(middle))) > dimension
        low, high = (middle, high) if above else (low, middle)
    return float(np.exp(high))
