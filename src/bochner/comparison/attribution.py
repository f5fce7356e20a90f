"""Feature attribution of a difference between mean maps: which columns make two samples differ.

    c_j = mean over rows x of X of  w(x) - w(x with feature j from a row of the reference)

with w(x) = z(x).(mu_X - mu_reference) the witness function, large where X has more rows than the reference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from bochner._typing import Array

__all__ = ["SHARE_ROWS", "column_shares", "difference_in_words"]

_ROWS = 400
_SWAPS = 16
_MENTIONED, _MOST_NAMED = 0.1, 3  # columns of a sentence: their share in the difference, and how many

SHARE_ROWS = 2 * _ROWS
"""So many rows of a sample are looked at, half of them for each half of the rows."""


def column_shares(X: Array, reference: Array, witness_of: Callable[[Array], Callable[[Array], Array]]) -> Array:
    """Share of every column in the difference, shape (d,): positive parts of c_j over their sum.

    The witness comes from one half of X and is evaluated on the other, and the other way round, so that rows do not
    speak for themselves. Negative values, which are noise, count as 0; without positive ones all shares are equal.

    Parameters
    ----------
    X : array of shape (n, d), float64
    reference : array of shape (r, d)
        Rows of the reference to take columns from.
    witness_of : callable
        The witness function w of some rows, itself a function of points.
    """
    step = max(1, len(X) // _ROWS)
    halves = [X[::2], X[1::2]] if len(X) > 1 else [X, X]
    drops = np.zeros(X.shape[1])
    for teacher, other in (halves, halves[::-1]):
        drops += _drops(other[::step], reference, witness_of(teacher))
    drops = np.maximum(drops, 0.0)
    return drops / drops.sum() if drops.sum() > 0 else np.full(len(drops), 1 / len(drops))


def _drops(rows: Array, reference: Array, witness: Callable[[Array], Array]) -> Array:
    """Mean fall of the witness when one column of every row comes from the reference; one for every column."""
    whole = witness(rows).mean()
    picked = np.arange(len(rows) * _SWAPS) % len(reference)
    swapped = np.repeat(rows, _SWAPS, axis=0)
    drops = np.empty(rows.shape[1])
    for j in range(rows.shape[1]):
        column = swapped[:, j].copy()
        swapped[:, j] = reference[picked, j]
        drops[j] = whole - witness(swapped).mean()
        swapped[:, j] = column
    return drops


def difference_in_words(pvalue: float, shares: Sequence[tuple[str, float]], *, differ: bool, what: str) -> str:
    """What a two-sample test found, in a sentence, with the columns of the largest shares.

    `what` was compared: "samples", "tables". `differ`: whether the p-value is small enough to say so.
    """
    if not differ:
        return f"No change was found: the {what} may well come from one distribution (p = {pvalue:.3g})."
    ordered = sorted(shares, key=lambda item: -item[1])
    most = [f"{name} ({100 * share:.0f} %)" for name, share in ordered if share >= _MENTIONED]
    where = f" It lies most in {', '.join(most[:_MOST_NAMED])}." if len(shares) > 1 and most else ""
    return f"The {what} differ (p = {pvalue:.3g}).{where}"
