"""How many features a data set wants: effective dimension, leverage of frequencies, and its largest value.

With L the integral operator of the kernel on the data, lambda > 0 and psi_omega(x) = exp(i omega . x),

    N(lambda)     = Tr(L (L + lambda)^-1) = Tr(K (K + n lambda I)^-1)              effective dimension
    tau(omega)    = ||(L + lambda)^-1/2 psi_omega||^2 = k(0) psi* (K + n lambda I)^-1 psi    leverage of a frequency
    F_inf(lambda) = sup over omega of tau(omega)  <=  k(0) / lambda                maximum feature dimension

E tau(omega) = N(lambda) under the spectral measure (Bach 2017; Rudi & Rosasco 2017). lambda is normalised: it is
scikit-learn's alpha divided by the number of rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from sklearn.utils import check_array

from bochner._random import Stream, generator, resolve_seed
from bochner._typing import Array
from bochner.errors import invalid_parameter
from bochner.kernels.base import Stationary
from bochner.sampling.monte_carlo import MonteCarlo

__all__ = ["Estimate", "effective_dimension", "leverage_scores", "maximum_feature_dimension"]

_REPLICATES = 4


@dataclass(frozen=True)
class Estimate:
    """A number from data, and how sure it is.

    Attributes
    ----------
    value : float
    standard_error : float
        0 where the value is exact for these rows.
    n_rows : int
        Rows used, in each replicate if there are several.
    """

    value: float
    standard_error: float
    n_rows: int

    def __float__(self) -> float:
        return self.value


def effective_dimension(
    X: Any, *, kernel: Stationary, penalty: float, max_rows: int = 4000, random_state: Any = 0
) -> Estimate:
    """N(lambda) = Tr(K (K + n lambda I)^-1) of the rows.

    Parameters
    ----------
    X : array-like of shape (n, d)
    kernel : Stationary
    penalty : float
        lambda = alpha / n.
    max_rows : int, default=4000
        Up to so many rows it is exact. Beyond, it is the mean over four disjoint subsamples of so many rows in all, at
        the same lambda, with the standard error of their spread (a subsample has a slightly smaller dimension).
    random_state : int, RandomState, Generator or None, default=0

    Returns
    -------
    estimate : Estimate

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import Gaussian
    >>> X = np.linspace(-3, 3, 200)[:, None]
    >>> round(effective_dimension(X, kernel=Gaussian(), penalty=1e-3).value, 2)
    7.77
    """
    rows = check_array(X, dtype=float)
    _check_penalty(penalty)
    if len(rows) <= max_rows:
        return Estimate(_trace(kernel(rows), penalty), 0.0, len(rows))
    size = max_rows // _REPLICATES
    order = generator(resolve_seed(random_state), Stream.SUBSAMPLE).permutation(len(rows))
    parts = [order[i * size : (i + 1) * size] for i in range(_REPLICATES)]
    values = [_trace(kernel(rows[part]), penalty) for part in parts]
    return Estimate(float(np.mean(values)), float(np.std(values, ddof=1) / np.sqrt(_REPLICATES)), size)


def leverage_scores(X: Any, omega: Array, *, kernel: Stationary, penalty: float) -> Array:
    """tau(omega) of each frequency on the rows: k(0) (c'(K + n lambda)^-1 c + s'(K + n lambda)^-1 s).

    Parameters
    ----------
    X : array-like of shape (n, d)
        A few thousand rows at most: the exact kernel matrix is factorised.
    omega : array of shape (m, d)
        Frequencies, such as `FourierFeatures.map_.omega`.
    kernel : Stationary
    penalty : float
        lambda = alpha / n.

    Returns
    -------
    scores : array of shape (m,)
        In [0, k(0) / lambda]; their mean over the spectral measure is the effective dimension.
    """
    rows = check_array(X, dtype=float)
    _check_penalty(penalty)
    factor = cho_factor(kernel(rows) + len(rows) * penalty * np.eye(len(rows)))
    projection = rows @ np.asarray(omega, dtype=float).T
    scores = np.zeros(projection.shape[1])
    for part in (np.cos(projection), np.sin(projection)):
        scores += np.sum(part * cho_solve(factor, part), axis=0)
    return kernel.variance * scores


def maximum_feature_dimension(
    X: Any, *, kernel: Stationary, penalty: float, n_frequencies: int = 2000, random_state: Any = 0
) -> Estimate:
    """The largest leverage over a pool of frequencies: an estimate of F_inf(lambda) from below.

    Parameters
    ----------
    X : array-like of shape (n, d)
        A few thousand rows at most.
    kernel : Stationary
    penalty : float
        lambda = alpha / n.
    n_frequencies : int, default=2000
        Size of the pool, drawn from the spectral measure.
    random_state : int, RandomState, Generator or None, default=0

    Returns
    -------
    estimate : Estimate
        Its standard error is that of the largest of the pool, by comparing its halves; k(0) / lambda is an upper bound.
    """
    rows = check_array(X, dtype=float)
    measure = kernel.spectral_measure(rows.shape[1])
    omega = MonteCarlo().draw(measure, n_frequencies, rows.shape[1], resolve_seed(random_state)).omega
    scores = leverage_scores(rows, omega, kernel=kernel, penalty=penalty)
    halves = [np.max(half) for half in np.array_split(scores, 2)]
    return Estimate(float(np.max(scores)), float(abs(halves[0] - halves[1])), len(rows))


def _trace(K: Array, penalty: float) -> float:
    """Tr(K (K + n lambda)^-1) = n - n lambda Tr((K + n lambda)^-1), without the loss of digits of the difference."""
    eigenvalues = np.maximum(np.linalg.eigvalsh(K), 0.0)
    return float(np.sum(eigenvalues / (eigenvalues + len(K) * penalty)))


def _check_penalty(penalty: float) -> None:
    if not 0 < penalty < np.inf:
        raise invalid_parameter("bochner.theory", "penalty", "a positive finite number (lambda = alpha / n)", penalty)
