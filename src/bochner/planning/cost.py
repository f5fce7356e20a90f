"""Cost model of a fit on this machine, with a handful of constants that are measured in about a second.

one pass:   n (a D^2 + b D + c d D) / threads       products, sines and cosines, projection
solution:   e D^2 + f D^3                            reduction to band form and the path of penalties
iterative:  g n D / threads a pass                   products with a few columns and back
tuning:     a (A s^3 + B r^3) + b C d s^2            exact kernel on s <= 600 rows, compared on r <= 1,500
landmarks:  a (4 n + 6 c + 3 m) L^2 + 10 a L^3       L of c candidates by pivoting, features whitened, m rows left out
            a (c p^2 + L^3) + 22 g n L + 100 g L^2   by products: p pivots, two factors, 20 iterations on values kept
exact:      a (n^3 / 3 + 5 s^3 / 3 + ...) + b n^2    Cholesky factors, of s <= 3,000 rows for the penalty
            20 (b + g) n^2 + 2 a n L^2               conjugate gradients with 40 products, of half of the matrix
            (b + 60 g) n^2 / 2 + 2 a n L^2           with 60, of tiles that are kept
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from functools import lru_cache

import numpy as np

from bochner._blas import lower_gram
from bochner._threads import single_threaded_blas
from bochner._typing import Array
from bochner.features import draw_fourier_map
from bochner.features.base import apply_map, new_scratch
from bochner.kernels import Gaussian
from bochner.planning.machine import keep, kept, machine
from bochner.sampling import MonteCarlo
from bochner.solvers import BandedRidge, RidgeProblem

__all__ = ["FIRST_BYTES", "FIRST_SECONDS", "CostModel", "calibrate"]

FIRST_SECONDS, FIRST_BYTES = 0.7, {"compiled code and buffers of threads": 100_000_000}
"""Of the first fit of a process."""

_ROWS, _WIDTH = 2048, 1024
_NARROW, _WIDE = 8, 72
_SOLVED = 1536

# Evaluations of the evidence and its gradient: one scale and one per column, for plain and for ranked columns.
_STEPS, _STEPS_OF_ANOTHER_KERNEL, _REFINING_STEPS = 80, 12, 10
_CUBES_OF_A_STEP = 4.0  # n^3 products: a factor, its inverse and their parts of the gradient
_SECONDS_OF_A_STEP = 1e-3  # whatever its size
_LEARNED, _COMPARED, _REFINED = 400, 2000, 1000  # rows (`bochner.tuning.automatic`)
_STEPS_OF_ERRORS, _LEARNED_BY_ERRORS = 120, 600  # of leave-one-out errors, for scales and metrics, and their rows
_EXPONENTS, _COMPARISONS = (
    2,
    8,
)  # kernels beside the roughest; candidates of the first one, in cubes of their rows
_PRODUCTS, _PRECONDITIONER, _SINGLE = 40, 2048, 0.5  # of exact machines by iterations, in float32: half of the time
_PRODUCTS_OF_KEPT, _FEWER = 60, 3  # products with tiles that are kept, and how many times fewer landmarks
_CLASSIFIER_STEPS = 60  # passes of a classifier over its features, of all penalties
_LANDMARK_ITERATIONS, _PIVOTS = 20, 2048  # of landmarks by products (`solvers.landmark_gram`, `features.pivoting`)
_PENALTIES, _FEW, _MORE, _LEFT_OUT = 5, 1000, 3000, 2000  # factors for the penalty, and their rows (`fitting.exact`)


@dataclass(frozen=True)
class CostModel:
    """Seconds per unit of work, on one thread.

    Attributes
    ----------
    product : float
        Per row and squared column of features.
    feature : float
        Per feature value.
    projection : float
        Per feature value and input column.
    penalties, reduction : float
        Of the solution: per D for a path of 40 penalties, per D^3 for the reduction, on all threads.
    columns : float
        Per feature value, of its products with four columns and back.
    """

    product: float
    feature: float
    projection: float
    penalties: float
    reduction: float
    columns: float

    def pass_seconds(self, n_rows: int, n_features: int, n_components: int, n_threads: int) -> float:
        """One pass over the rows."""
        D = float(n_components)
        per_row = self.product * D**2 + self.feature * D + self.projection * n_features * D
        return n_rows * per_row / n_threads

    def solve_seconds(self, n_components: int) -> float:
        """Reduction and path of penalties."""
        D = float(n_components)
        return self.penalties * D + self.reduction * D**3

    def fit_seconds(self, n_rows: int, n_features: int, n_components: int, n_threads: int) -> float:
        """A whole fit with a penalty chosen by GCV."""
        one_pass = self.pass_seconds(n_rows, n_features, n_components, n_threads)
        return 0.02 + one_pass + self.solve_seconds(n_components)

    def classifier_seconds(
        self, n_rows: int, n_features: int, n_components: int, n_classes: int, n_threads: int
    ) -> float:
        """A linear classifier on features that are kept: passes with a column for every class, of several penalties."""
        columns = 1 if n_classes == 2 else n_classes
        features = self.feature + self.projection * n_features
        per_value = features + _CLASSIFIER_STEPS * self.columns * max(1.0, columns / 4)
        return 0.02 + n_rows * float(n_components) * per_value / n_threads

    def tuning_seconds(self, n_rows: int, n_features: int, n_kernels: int, n_threads: int) -> float:
        """Length scales learned by the evidence of the exact kernel, for the best of some kernels; 0 for no kernel.

        It does not depend on the width: candidates are learned on up to 600 rows, compared on up to 2,000, and the best
        one is refined on 1,000 (`bochner.tuning.automatic`).
        """
        if n_kernels == 0:
            return 0.0
        sizes = (_LEARNED, _LEARNED_BY_ERRORS, _COMPARED, _REFINED)
        learned, by_errors, compared, refined = (float(min(n_rows, most)) for most in sizes)
        others = _STEPS_OF_ERRORS + _STEPS_OF_ANOTHER_KERNEL * (n_kernels - 1 + _EXPONENTS)
        steps = _STEPS + others
        cubes = _STEPS * learned**3 + others * by_errors**3 + _REFINING_STEPS * refined**3
        cubes += (_COMPARISONS + n_kernels) * compared**3 / _CUBES_OF_A_STEP
        squares = _STEPS * learned**2 + others * by_errors**2 + _REFINING_STEPS * refined**2
        work = (_CUBES_OF_A_STEP * self.product * cubes + self.feature * (4 + n_features) * squares) / n_threads
        return _SECONDS_OF_A_STEP * (steps + _REFINING_STEPS) + work

    def landmark_seconds(
        self, n_rows: int, n_features: int, n_landmarks: int, n_left_out: int, n_threads: int
    ) -> float:
        """A fit on landmarks: pivoting among twice as many candidates, a pass, eigenvectors, rows that are left out."""
        L, left_out = float(n_landmarks), min(n_rows, n_left_out)
        candidates = min(n_rows, 2 * n_landmarks)
        squares = 4 * n_rows + 6 * candidates * min(1.0, _PIVOTS / L) ** 2 + 3 * left_out
        values = (n_rows + candidates + left_out) * L * (self.feature + self.projection * n_features)
        return 0.02 + (self.product * (squares * L**2 + 10 * L**3) + values) / n_threads

    def landmark_product_seconds(
        self, n_rows: int, n_features: int, n_landmarks: int, n_threads: int, *, kept: bool
    ) -> float:
        """A fit on landmarks by products: pivoting, two factors, and iterations on kernel values, kept or made anew."""
        L, pivots = float(n_landmarks), float(min(n_landmarks, _PIVOTS))
        value, passes = self.feature + self.projection * n_features, _LANDMARK_ITERATIONS + 2
        factors = self.product * (2 * L * pivots**2 + L**3)
        values = n_rows * L * (value * (1 if kept else passes) + passes * self.columns)
        return 0.02 + (factors + values) / n_threads + 5 * _LANDMARK_ITERATIONS * self.columns * L**2

    def exact_seconds(self, n_rows: int, n_features: int, n_threads: int) -> float:
        """Exact kernel ridge: factors of fewer rows for the penalty, then one of all, with rows that are left out."""
        n, few, more, left_out = (float(min(n_rows, most)) for most in (n_rows, _FEW, _MORE, _LEFT_OUT))
        cubes = n**3 / 3 + left_out**3 + _PENALTIES * (few**3 + more**3 / 3 + left_out**3)
        values = (n**2 + few**2 + more**2) * (self.feature + self.projection * n_features)
        return 0.02 + (self.product * cubes + values) / n_threads

    def exact_iterative_items(self, n_rows: int, n_features: int, n_threads: int, *, kept: bool) -> dict[str, float]:
        """Exact kernel ridge by conjugate gradients: half of the kernel matrix a product, and its preconditioner.

        `kept`: whether the matrix is computed once.
        """
        n, L = float(n_rows), float(min(n_rows, _PRECONDITIONER)) / (_FEWER if kept else 1)
        products = _PRODUCTS_OF_KEPT if kept else _PRODUCTS
        value, half = self.feature + self.projection * n_features, n**2 / 2 * _SINGLE / n_threads
        return {
            "kernel values": half * value * (1 if kept else products),
            f"{products} products with them": half * self.columns * products,
            "landmarks of the preconditioner": self.product * (2 * n * L**2 * _SINGLE + 6 * L**3) / n_threads,
        }

    def exact_iterative_seconds(self, n_rows: int, n_features: int, n_threads: int, *, kept: bool) -> float:
        """Exact kernel ridge by conjugate gradients."""
        return 0.02 + sum(self.exact_iterative_items(n_rows, n_features, n_threads, kept=kept).values())

    def iterative_seconds(
        self,
        n_rows: int,
        n_features: int,
        n_components: int,
        n_threads: int,
        *,
        n_preconditioner: int,
        n_iter: int,
        kept: bool,
        searched: bool,
    ) -> float:
        """A ridge fit by conjugate gradients: subsample and its factor, and passes over features kept or computed anew.

        The search for a penalty takes as many passes with ten times the columns, at half the time for each.
        """
        D, m = float(n_components), float(n_preconditioner)
        factor = self.product * (m**2 * D + 2 * m**3 / 3)
        features = self.feature + self.projection * n_features
        one_pass = self.columns + (0.0 if kept else features)
        searching = n_iter * (5 * self.columns + (0.0 if kept else features)) if searched else 0.0
        per_value = features + (n_iter + 2) * one_pass + searching
        return 0.02 + factor + n_rows * D * per_value / n_threads


@lru_cache(maxsize=2)
def calibrate(dtype_name: str = "float32") -> CostModel:
    """The constants of this machine for float32 or float64 rows: measured once, then from a file (`machine`)."""
    setting = machine(dtype_name)
    constants = kept(setting, frozenset(field.name for field in fields(CostModel)))
    if constants is not None:
        return CostModel(**constants)
    measured = _measured(dtype_name)
    keep(setting, asdict(measured))
    return measured


def _measured(dtype_name: str) -> CostModel:
    dtype = np.dtype(dtype_name)
    Z = np.random.default_rng(0).standard_normal((_ROWS, _WIDTH)).astype(dtype)
    gram = np.empty((_WIDTH, _WIDTH), dtype=dtype)
    with single_threaded_blas():
        product = _seconds(lambda: lower_gram(Z, gram)) / (_ROWS * _WIDTH**2)
        few = Z[:4, :].T.copy()
        columns = _seconds(lambda: (Z @ few).T @ Z) / (_ROWS * _WIDTH)
        narrow, wide = (_features_seconds(d, Z) / (_ROWS * _WIDTH) for d in (_NARROW, _WIDE))
    projection = max(0.0, (wide - narrow) / (_WIDE - _NARROW))
    reduction, penalties = _solve_seconds(_SOLVED)
    return CostModel(
        product=product,
        feature=max(0.0, narrow - projection * _NARROW),
        projection=projection,
        penalties=penalties / _SOLVED,
        reduction=reduction / _SOLVED**3,
        columns=columns,
    )


def _features_seconds(d: int, out: Array) -> float:
    X = np.random.default_rng(0).standard_normal((_ROWS, d)).astype(out.dtype)
    fourier = draw_fourier_map(
        Gaussian(), MonteCarlo(), n_features=d, n_components=out.shape[1], embedding="paired", seed=0
    )
    scratch = new_scratch(fourier, out.dtype)
    return _seconds(lambda: apply_map(fourier, X, out, scratch))


def _solve_seconds(D: int) -> tuple[float, float]:
    """Seconds of the reduction, and of 40 penalties as in a fit."""
    factor = np.random.default_rng(0).standard_normal((D, D)) / np.sqrt(D)
    problem = RidgeProblem(factor @ factor.T, factor[:, :1], np.ones(1), float(D), True, 2.0**-52)
    solver = BandedRidge(problem)
    return _seconds(lambda: BandedRidge(problem), repeats=2), 40 * _seconds(lambda: solver.point(1.0))


def _seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """Shortest of a few runs, after one that warms up."""
    work()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)
