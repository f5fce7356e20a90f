"""Certificate of the kernel matrix of features in the spectral norm, over the penalty, by a Lanczos iteration."""

from __future__ import annotations

import time
from itertools import takewhile

import numpy as np

from bochner._typing import Array
from bochner.estimators.map_transformer import MapTransformer
from bochner.features import transform
from bochner.memory import row_slices, rows_within
from bochner.solvers.exact_ridge import ExactRidge
from bochner.solvers.sampled_ridge import product_seconds
from bochner.theory import Certificate
from bochner.theory.lanczos_norm import lanczos_norms

__all__ = ["spectral_limit"]

_ROWS = 20_000  # whose products are made where no time is given: seconds
_PRODUCTS = 16


def spectral_limit(
    problem: ExactRidge, features: MapTransformer, weighted: bool, delta: float, seed: int, seconds: float | None
) -> list[Certificate]:
    """A limit on ||K^ - K|| / alpha, both with the roots of the weights at both sides.

    Nothing where it is above 1: K^ + alpha I may then be singular beside K + alpha I.
    """
    began, n = time.monotonic(), problem.product.n_rows
    if n > _ROWS if seconds is None else seconds < 2 * product_seconds(problem):
        return []
    norms = lanczos_norms(_Error(problem, features), n, random_state=seed)
    for norm in takewhile(lambda found: found.reached < 1, norms):
        spent = time.monotonic() - began
        if norm.n_products >= _PRODUCTS or (seconds is not None and spent * (1 + 1 / norm.n_products) > seconds):
            break
    else:
        return []
    weights = ", both times the roots of the sample weights from both sides," if weighted else ""
    claim = (
        f"on the {n:,} training rows, the spectral norm of K^ - K over alpha{weights} is {{value}} at alpha = "
        f"{problem.alpha:.4g}: so close, relatively, is K^ + alpha I to K + alpha I in the order of matrices"
    )
    rounding = problem.product.value_rounding() * problem.total / problem.alpha
    found = norm.certificate(delta, claim).widened(rounding, "rounding")
    return [found] if found.value < 1 else []


class _Error:
    """Products with (K^ - K) / alpha: features are computed again for each, block by block."""

    def __init__(self, problem: ExactRidge, features: MapTransformer) -> None:
        self._problem, self._features = problem, features.map_
        self._blocks = list(row_slices(problem.product.n_rows, rows_within(24 * features.n_components_)))

    def __call__(self, V: Array) -> Array:
        problem = self._problem
        image = -problem.root * problem.product.times(problem.root * V)
        inner = sum(self._rows(some).T @ V[some] for some in self._blocks)
        for some in self._blocks:
            image[some] += self._rows(some) @ inner
        return image / problem.alpha

    def _rows(self, some: slice) -> Array:
        X = self._problem.product.X[some]
        return self._problem.root[some] * transform(self._features, X, np.dtype(float))
