"""Eigenvalue decay of the kernel matrix, fitted: finite rank, exponential or polynomial.

Rates of learning with random features depend on the eigenvalues mu_1 >= mu_2 >= ... of the integral operator, which
those of K / n on a pilot estimate.

    finite rank   mu_i = 0 for i > rank
    exponential   log mu_i = a - c i
    polynomial    log mu_i = a - b log i            effective dimension of order lambda^(-1/b)
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np
from sklearn.utils import check_array

from bochner._dense import dense
from bochner._random import Purpose, generator, resolve_seed
from bochner._typing import Array, JsonDict, MatrixLike, Seed
from bochner.errors import invalid_parameter
from bochner.kernels.base import Stationary
from bochner.sampling.pilot import spectrum

__all__ = ["Decay", "SpectrumFit", "fit_spectrum"]

Decay = Literal["finite rank", "exponential", "polynomial"]

_FLOOR = 1e-11  # of the largest eigenvalue: below, rounding
_DROP = 1e4  # from the last eigenvalue above the floor to the next: rank deficient, not merely smooth
_PARTS = 4


@dataclass(frozen=True)
class SpectrumFit:
    """Eigenvalues of K / n on a pilot, and the decay that fits them best.

    Attributes
    ----------
    decay : {"finite rank", "exponential", "polynomial"}
    exponent : float
        c of exp(-c i), b of i^-b; the rank if it is finite.
    standard_error : float
        Of the exponent: from the spread of the fits on four disjoint quarters of the pilot, halved, because the
        residuals of neighbouring eigenvalues are far from independent. It says how well the pilot knows the exponent,
        not whether the law is right: that is what R^2 is for. nan with fewer than 64 rows; 0 for a rank.
    r_squared : dict
        Share of the variance of log mu_i explained by each of the two laws over the range.
    first, last : int
        The range of the fit, counted from 1: the leading tenth is left out, as is all beyond an eighth of the rows,
        where a pilot says little of the operator.
    eigenvalues : tuple of float
        Those of the pilot above rounding, at least one, descending.
    n_rows : int
        Rows of the pilot.
    """

    decay: Decay
    exponent: float
    standard_error: float
    r_squared: dict[str, float]
    first: int
    last: int
    eigenvalues: tuple[float, ...]
    n_rows: int

    @property
    def capacity(self) -> float:
        """gamma with N(lambda) of order lambda^-gamma: 1/b, at most 1; 0 for the faster decays (up to logarithms)."""
        return 1 / max(self.exponent, 1.0) if self.decay == "polynomial" else 0.0

    def to_dict(self) -> JsonDict:
        """The fit as plain data, ready for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        if self.decay == "finite rank":
            return f"finite rank {self.exponent:.0f}, on {self.n_rows:,} rows"
        law = "mu_i ~ i^-{}" if self.decay == "polynomial" else "mu_i ~ exp(-{} i)"
        other = next(name for name in self.r_squared if name != self.decay)
        value = f"{self.exponent:.3g} (+- {self.standard_error:.2g})"
        return (
            f"{self.decay} decay, {law.format(value)}, R^2 = {self.r_squared[self.decay]:.3f} "
            f"({other} {self.r_squared[other]:.3f}) for i = {self.first} to {self.last}, on {self.n_rows:,} rows"
        )


def fit_spectrum(X: MatrixLike, *, kernel: Stationary, max_rows: int = 1000, random_state: Seed = 0) -> SpectrumFit:
    """Fit the decay of the eigenvalues of K / n on a pilot of the rows.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
    kernel : Stationary
    max_rows : int, default=1000
        Rows of the pilot, chosen at random if there are more.
    random_state : int, RandomState, Generator or None, default=0

    Returns
    -------
    fit : SpectrumFit

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import Laplacian
    >>> fit = fit_spectrum(np.linspace(0, 1, 800)[:, None], kernel=Laplacian())
    >>> fit.decay, round(fit.exponent, 1)
    ('polynomial', 2.1)
    """
    if isinstance(max_rows, bool) or not int(max_rows) == max_rows or max_rows < 2:
        raise invalid_parameter("fit_spectrum", "max_rows", "an integer of at least 2", max_rows)
    table = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
    n = min(table.shape[0], max_rows)
    order = generator(resolve_seed(random_state), Purpose.SUBSAMPLE).choice(table.shape[0], size=n, replace=False)
    rows = dense(table[order], float)
    eigenvalues = spectrum(rows, kernel)
    rank = _numerical_rank(eigenvalues)
    kept = tuple(float(value) for value in eigenvalues[: max(1, rank)])
    first, last = _range(rank, n)
    if _stops(eigenvalues, rank) or last - first < 2:
        return SpectrumFit("finite rank", float(rank), 0.0, {}, 1, rank, kept, n)
    r_squared = {law: _line(eigenvalues, law, first, last)[1] for law in ("exponential", "polynomial")}
    decay: Decay = "exponential" if r_squared["exponential"] > r_squared["polynomial"] else "polynomial"
    exponent = _line(eigenvalues, decay, first, last)[0]
    return SpectrumFit(decay, exponent, _spread(rows, kernel, decay, first, last), r_squared, first, last, kept, n)


def _range(rank: int, n: int) -> tuple[int, int]:
    last = min(rank, max(n // 8, 4))
    return max(1, last // 10), last


def _numerical_rank(eigenvalues: Array) -> int:
    return int(np.count_nonzero(eigenvalues > _FLOOR * eigenvalues[0]))


def _stops(eigenvalues: Array, rank: int) -> bool:
    """Whether the eigenvalues end at a cliff, above the floor and before the pilot does."""
    return rank < len(eigenvalues) and eigenvalues[rank - 1] > _DROP * max(
        eigenvalues[rank], _FLOOR * eigenvalues[0] / _DROP
    )


def _line(eigenvalues: Array, law: str, first: int, last: int) -> tuple[float, float]:
    """Minus the slope, and R^2, of log mu_i on i or on log i for i = first ... last, by least squares.

    For the polynomial law indices are weighted by 1/i, that is evenly in log i; R^2 of both laws is over these weights.
    """
    i = np.arange(first, last + 1, dtype=float)
    x, y, weight = (np.log(i) if law == "polynomial" else i), np.log(eigenvalues[first - 1 : last]), 1 / i
    x_mean, y_mean = np.average(x, weights=weight), np.average(y, weights=weight)
    xx, xy, yy = (
        np.sum(weight * left * right)
        for left, right in ((x - x_mean, x - x_mean), (x - x_mean, y - y_mean), (y - y_mean, y - y_mean))
    )
    return float(-xy / xx), float(xy**2 / (xx * yy)) if yy > 0 else 0.0


def _spread(rows: Array, kernel: Stationary, decay: str, first: int, last: int) -> float:
    """Standard error of the exponent: a quarter of the pilot has twice the error of the whole."""
    if len(rows) < 64:
        return float("nan")
    slopes = []
    for part in np.array_split(rows, _PARTS):
        eigenvalues = spectrum(part, kernel)
        slopes.append(_line(eigenvalues, decay, first, min(last, _numerical_rank(eigenvalues)))[0])
    return float(np.std(slopes, ddof=1) / np.sqrt(_PARTS))
