"""Widths: the optimal rate of Rudi & Rosasco (2017) for random features, and the numbers of landmarks to try."""

from __future__ import annotations

import numpy as np

__all__ = [
    "EXACT_ITERATIVE_ROWS",
    "EXACT_ROWS",
    "GRID_ROWS",
    "LANDMARKS",
    "MANY_LANDMARKS",
    "PILOT_ROWS",
    "PRODUCT_ROWS",
    "default_width",
    "grid_width",
    "landmark_numbers",
]

LANDMARKS = (256, 1024, 2048)
"""Numbers of landmarks that are tried."""

EXACT_ROWS = 10_000
"""Rows up to which the exact kernel machine is tried: 800 MB, and a few seconds for a factorisation."""

EXACT_ITERATIVE_ROWS = 64_000
"""Rows up to which the exact kernel machine is the model by default where it pays: tiles of 8 GB, a minute or two."""

MANY_LANDMARKS = 8192
"""Landmarks of the models of more rows, by products."""

PILOT_ROWS = 3000
"""Rows on which the exact machine is compared with landmarks, and its penalty is searched."""

PRODUCT_ROWS = 300_000
"""Rows up to which many landmarks by products are tried; more have 2,048 at most, by their moments."""

_MANY = 100_000
GRID_ROWS = {1: EXACT_ROWS, 2: _MANY, 3: _MANY}
"""Rows above which models of so many columns have a grid of frequencies.

Series of 10,000 rows: no larger errors in 44 to 73 % of the time. Two and three columns: errors of up to a tenth more
at 10,000 (`benchmarks/grid_choice.py`).
"""

_SMALLEST, _LARGEST = 256, 4096
_MODES_PER_ROW, _MODES = 8, (1024, 2**16)  # of a grid that is not asked for: a second or two of transforms


def default_width(n_rows: int) -> int:
    """sqrt(n) log n columns, rounded up to a multiple of 64, at least 256 and at most 4096.

    Of this order features suffice for the learning rate of exact kernel ridge, n^(-1/2) (Theorem 1 there, up to
    constants). Small problems are cheap enough for more; beyond 4096 a direct solver stops being the right one.
    """
    rule = np.sqrt(n_rows) * np.log(max(n_rows, 2))
    return int(np.clip(64 * np.ceil(rule / 64), _SMALLEST, _LARGEST))


def landmark_numbers(n_rows: int) -> list[int]:
    """The numbers of landmarks to try: those up to half of the rows, then all rows if they are few."""
    tried = [width for width in LANDMARKS if width <= n_rows / 2]
    return tried if len(tried) == len(LANDMARKS) else [*tried, min(n_rows, LANDMARKS[-1])]


def grid_width(n_rows: int) -> int:
    """Most frequencies on a grid, if their number is not given: of few rows, and of many."""
    return int(np.clip(_MODES_PER_ROW * n_rows, *_MODES))
