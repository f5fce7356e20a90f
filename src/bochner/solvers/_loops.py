"""Compiled loops of the solvers: imported on first use, compiled once, cached on disk."""

from __future__ import annotations

from bochner._compiled import compiled
from bochner._typing import Array

__all__ = ["dual_sweep"]


@compiled(fastmath=True)
def dual_sweep(
    Z: Array,
    order: Array,
    signs: Array,
    targets: Array,
    active: Array,
    squares: Array,
    diagonal: Array,
    weight: Array,
    upper: Array,
    share: Array,
    dual: Array,
    W: Array,
    bias: Array,
    alpha: float,
    constant: float,
    first: int,
    last: int,
) -> None:
    """One sweep of dual coordinate ascent over rows in an order, for the columns first ... last - 1.

    For row i with target t and a column, with y its sign and f = W.z + bias its score,

        beta <- clip(beta + (t - diagonal beta - y f) / (||z||^2 / alpha + diagonal), (share - 1) weight, share upper)

    and W and bias follow by the change of beta times y z / alpha and constant y / alpha. Arrays are (rows, columns), W
    is (columns, D). A row is read once for all columns.
    """
    D = Z.shape[1]
    for i in order:
        z = Z[i]
        for c in range(first, last):
            if not active[i, c]:
                continue
            w = W[c]
            score = z[0] * w[0]
            for j in range(1, D):
                score += z[j] * w[j]
            y, old = signs[i, c], dual[i, c]
            slope = targets[i] - diagonal[i] * old - y * (score + bias[c])
            new = old + slope / (squares[i] / alpha + diagonal[i])
            new = min(max(new, (share[c] - 1.0) * weight[i]), share[c] * upper[i])
            if new == old:
                continue
            dual[i, c] = new
            step = (new - old) * y / alpha
            bias[c] += constant * step
            scale = z.dtype.type(step)
            for j in range(D):
                w[j] += scale * z[j]
