"""Laws of rows under a null hypothesis: smooth, heavy-tailed, tied, constant, wide."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Law = Callable[[np.random.Generator, int], np.ndarray]


def _with_constant_columns(rng: np.random.Generator, n: int) -> np.ndarray:
    rows = np.full((n, 4), 3.0)
    rows[:, 1] = rng.standard_normal(n)
    return rows


LAWS: dict[str, Law] = {
    "normal": lambda rng, n: rng.standard_normal((n, 3)),
    "t, 2 degrees": lambda rng, n: rng.standard_t(2, (n, 3)),
    "counts": lambda rng, n: rng.poisson(1.0, (n, 1)).astype(float),
    "constant columns": _with_constant_columns,
    "rare events": lambda rng, n: (rng.random((n, 2)) < 0.01).astype(float),
    "100 columns": lambda rng, n: rng.standard_normal((n, 100)),
}
