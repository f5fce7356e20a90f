"""Default width rule: the optimal rate of Rudi & Rosasco (2017)."""

from __future__ import annotations

import numpy as np

__all__ = ["default_width"]

_SMALLEST, _LARGEST = 256, 4096


def default_width(n_rows: int) -> int:
    """sqrt(n) log n columns, rounded up to a multiple of 64, at least 256 and at most 4096.

    Of this order features suffice for the learning rate of exact kernel ridge, n^(-1/2) (Theorem 1 there, up to
    constants). Small problems are cheap enough for more; beyond 4096 a direct solver stops being the right one.
    """
    rule = np.sqrt(n_rows) * np.log(max(n_rows, 2))
    return int(np.clip(64 * np.ceil(rule / 64), _SMALLEST, _LARGEST))
