"""Effective dimension, leverage scores of frequencies, and maximum feature dimension of a data set.

With L the integral operator of the kernel on the data, lambda > 0 and psi_omega(x) = exp(i omega . x),

    N(lambda)     = Tr(L (L + lambda)^-1) = Tr(K (K + n lambda I)^-1)              effective dimension
    tau(omega)    = ||(L + lambda)^-1/2 psi_omega||^2 = k(0) psi* (K + n lambda I)^-1 psi    leverage of a frequency
    F_inf(lambda) = sup over omega of tau(omega)  <=  k(0) / lambda                maximum feature dimension

E tau(omega) = N(lambda) under the spectral measure (Bach 2017; Rudi & Rosasco 2017). lambda is normalised: it is
scikit-learn's alpha divided by the number of rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, overload

import numpy as np
from sklearn.utils import check_array

from bochner._dense import dense
from bochner._random import Purpose, generator, resolve_seed
from bochner._typing import Array, MatrixLike, Seed
from bochner.errors import invalid_parameter
from bochner.kernels.base import Stationary
from bochner.sampling.monte_carlo import MonteCarlo
from bochner.sampling.pilot import leverage, spectrum

__all__ = ["Estimate", "effective_dimension", "leverage_scores", "maximum_feature_dimension"]

_PARTS = 4


@dataclass(frozen=True)
class Estimate:
    """Estimate from data, with its standard error.

    Attributes
    ----------
    value : float
    standard_error : float
        0 where the value is exact for these rows.
    n_rows : int
        Rows used.
    """

    value: float
    standard_error: float
    n_rows: int

    def __float__(self) -> float:
        return self.value


def effective_dimension(
    X: MatrixLike, *, kernel: Stationary, penalty: float, max_rows: int = 4000, random_state: Seed = 0
) -> Estimate:
    """N(lambda) = Tr(K (K + n lambda I)^-1) of the rows.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
    kernel : Stationary
    penalty : float
        lambda = alpha / n.
    max_rows : int, default=4000
        Up to so many rows it is exact. Beyond, it is that of a random subsample of s = max_rows rows at the same
        lambda, whose bias, of order 1/s, is reduced by comparing with its halves:

            N(n) ~ N(s) + (N(s) - N(s/2)) (1 - s/n)

        The standard error has the spread of the quarters and all of that correction. A dimension near s means that the
        subsample is saturated: it is then too small still, and more rows are needed.
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
    _check_penalty(penalty)
    value, error, n_rows = _on_rows(
        lambda rows: np.atleast_1d(_dimension(spectrum(rows, kernel), penalty)), X, max_rows, random_state
    )
    return Estimate(float(value[0]), float(error[0]), n_rows)


@overload
def leverage_scores(
    X: MatrixLike,
    omega: Array,
    *,
    kernel: Stationary,
    penalty: float,
    max_rows: int = ...,
    random_state: Seed = ...,
    return_std: Literal[False] = ...,
) -> Array: ...


@overload
def leverage_scores(
    X: MatrixLike,
    omega: Array,
    *,
    kernel: Stationary,
    penalty: float,
    max_rows: int = ...,
    random_state: Seed = ...,
    return_std: Literal[True],
) -> tuple[Array, Array]: ...


def leverage_scores(
    X: MatrixLike,
    omega: Array,
    *,
    kernel: Stationary,
    penalty: float,
    max_rows: int = 4000,
    random_state: Seed = 0,
    return_std: bool = False,
) -> Array | tuple[Array, Array]:
    """tau(omega) of each frequency on the rows: k(0) (c'(K + n lambda)^-1 c + s'(K + n lambda)^-1 s).

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
    omega : array of shape (m, d)
        Frequencies, such as `FourierFeatures.map_.omega`.
    kernel : Stationary
    penalty : float
        lambda = alpha / n.
    max_rows : int, default=4000
        Up to so many rows scores are exact; beyond, they come from subsamples as in `effective_dimension`.
    random_state : int, RandomState, Generator or None, default=0
    return_std : bool, default=False
        Also return the standard errors, 0 where the scores are exact.

    Returns
    -------
    scores : array of shape (m,)
        In [0, k(0) / lambda]; their mean over the spectral measure is the effective dimension.
    standard_errors : array of shape (m,), if `return_std`
    """
    _check_penalty(penalty)
    frequencies = np.asarray(omega, dtype=float)
    value, error, _ = _on_rows(lambda rows: leverage(rows, frequencies, kernel, penalty), X, max_rows, random_state)
    scores = np.clip(value, 0.0, kernel.variance / penalty)
    return (scores, error) if return_std else scores


def maximum_feature_dimension(
    X: MatrixLike,
    *,
    kernel: Stationary,
    penalty: float,
    n_frequencies: int = 2000,
    max_rows: int = 4000,
    random_state: Seed = 0,
) -> Estimate:
    """The largest leverage over a pool of frequencies: an estimate of F_inf(lambda) from below.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
    kernel : Stationary
    penalty : float
        lambda = alpha / n.
    n_frequencies : int, default=2000
        Size of the pool, drawn from the spectral measure.
    max_rows : int, default=4000
        As in `leverage_scores`.
    random_state : int, RandomState, Generator or None, default=0

    Returns
    -------
    estimate : Estimate
        Its standard error has that of the largest score and the difference between the halves of the pool;
        k(0) / lambda is an upper bound.
    """
    table = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
    d, seed = table.shape[1], resolve_seed(random_state)
    omega = MonteCarlo().draw(kernel.spectral_measure(d), n_frequencies, d, seed).omega
    scores, errors = leverage_scores(
        table, omega, kernel=kernel, penalty=penalty, max_rows=max_rows, random_state=seed, return_std=True
    )
    largest = int(np.argmax(scores))
    halves = [np.max(half) for half in np.array_split(scores, 2)] if n_frequencies > 1 else [0.0, scores[0]]
    n_rows = min(table.shape[0], max_rows)
    return Estimate(float(scores[largest]), float(np.hypot(errors[largest], halves[0] - halves[1])), n_rows)


def _on_rows(
    statistic: Callable[[Array], Array], X: MatrixLike, max_rows: int, random_state: Seed
) -> tuple[Array, Array, int]:
    """A statistic of all rows, exact or from a subsample: values, standard errors, rows used."""
    table = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
    n = table.shape[0]
    if n <= max_rows:
        value = statistic(dense(table, float))
        return value, np.zeros_like(value), n
    if max_rows < 2 * _PARTS:
        raise invalid_parameter("bochner.theory", "max_rows", f"at least {2 * _PARTS}", max_rows)
    order = generator(resolve_seed(random_state), Purpose.SUBSAMPLE).choice(n, max_rows, replace=False)
    rows = dense(table[order], float)
    whole = statistic(rows)
    halves, parts = (np.array([statistic(part) for part in np.array_split(rows, k)]) for k in (2, _PARTS))
    correction = (whole - halves.mean(axis=0)) * (1 - max_rows / n)
    # A part of 1/k of the rows has k times the variance of the whole.
    spread = parts.std(axis=0, ddof=1) / np.sqrt(_PARTS)
    return whole + correction, np.hypot(spread, correction), max_rows


def _dimension(eigenvalues: Array, penalty: float) -> float:
    """Effective dimension from eigenvalues of K / n, without the cancellation in n - n lambda Tr((K + n lambda)^-1)."""
    return float(np.sum(eigenvalues / (eigenvalues + penalty)))


def _check_penalty(penalty: float) -> None:
    if not 0 < penalty < np.inf:
        raise invalid_parameter("bochner.theory", "penalty", "a positive finite number (lambda = alpha / n)", penalty)
