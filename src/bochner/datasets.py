"""Synthetic data set with a known regression function, for demonstrations and tests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bochner._typing import Array

__all__ = ["Waves", "make_waves"]


@dataclass(frozen=True)
class Waves:
    """Rows of `make_waves`: inputs X (n, 4), noisy targets y (n,), and the truth behind them (n,)."""

    X: Array
    y: Array
    truth: Array
    noise: float


def make_waves(n_rows: int = 100_000, *, noise: float = 0.2, seed: int = 0) -> Waves:
    """A smooth function of four inputs, uniform on [-2, 2], with interactions, plus normal noise.

        f(x) = sin(x_1 + x_2) + cos(1.5 x_3) x_4

    Examples
    --------
    >>> from bochner.datasets import make_waves
    >>> make_waves(3).X.shape
    (3, 4)
    """
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (n_rows, 4)).astype(np.float32)
    x = X.astype(float).T
    truth = np.sin(x[0] + x[1]) + np.cos(1.5 * x[2]) * x[3]
    return Waves(X, truth + noise * rng.standard_normal(n_rows), truth, noise)
