"""Fourier sums of weights and targets on a grid of modes: the sufficient statistics of ridge regression on it.

    t_q = sum_i s_i e^(-i q.theta_i),  |q_a| <= 2 m_a,        u_j = sum_i s_i y_i e^(-i j.theta_i),  |j_a| <= m_a

for weights s: the normal matrix is Toeplitz, T_jl = t_{j-l}, whatever the kernel and its length scales. Sums are kept
in Hartley's form, Re + Im, which is real and holds both (the even part and the odd one). They add up over any split of
the rows, and rows can be taken away again. Targets are shifted and scaled by constants of the pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bochner._dense import dense
from bochner._nufft import points_to_modes
from bochner._typing import Array
from bochner.config import get_config
from bochner.data import Block, RowSource
from bochner.engines import Cut, Ledger, OnPart, Reduction, engine_of
from bochner.errors import InvalidDataError
from bochner.memory import MemoryBill
from bochner.sampling.grid import FrequencyGrid
from bochner.statistics.identity import RowIdentity

__all__ = [
    "BoxOfRows",
    "FourierReduction",
    "FourierSums",
    "add_fourier_sums",
    "box_of",
    "fourier_bill",
    "fourier_cut",
    "fourier_sums_of_boxes",
]

_LARGEST_BLOCK = 2**20
_LARGE_GRID = (
    2**22
)  # modes from which one transform has all threads: every thread with its own would be too much memory
_ROW_ARRAYS = 12  # of eight bytes a row: angles, packed values and finufft's order of the points


@dataclass(frozen=True, eq=False)
class FourierSums:
    """Fourier sums of some rows. A commutative group under `+` and `-`, up to rounding.

    Attributes
    ----------
    grid : FrequencyGrid
    reference, unit : array of shape (t,)
        Targets are summed as (y - reference) / unit.
    density : array of shape (4 m + 1, ...)
        Sums of the weights, in Hartley's form.
    targets : array of shape (t, 2 m + 1, ...)
        Sums of weighted targets.
    weight : float
    y_sum, yy : array of shape (t,)
        Weighted sums of targets and of their squares.
    low, high : array of shape (d,)
        Least and largest number of every column, of all rows that were ever added.
    identity : RowIdentity
    """

    grid: FrequencyGrid
    reference: Array
    unit: Array
    density: Array
    targets: Array
    weight: float
    y_sum: Array
    yy: Array
    low: Array
    high: Array
    identity: RowIdentity

    @property
    def n_targets(self) -> int:
        return len(self.reference)

    @property
    def y_mean(self) -> Array:
        """Weighted means of the targets, shifted and scaled."""
        return self.y_sum / self.weight

    def __add__(self, other: FourierSums) -> FourierSums:
        return replace(
            self._plus(other, 1.0),
            low=np.minimum(self.low, other.low),
            high=np.maximum(self.high, other.high),
            identity=self.identity + other.identity,
        )

    def __sub__(self, other: FourierSums) -> FourierSums:
        """Sums of these rows without some of them; box and identity stay those of all."""
        return self._plus(other, -1.0)

    def _plus(self, other: FourierSums, sign: float) -> FourierSums:
        names = ("density", "targets", "weight", "y_sum", "yy")
        return replace(self, **{name: getattr(self, name) + sign * getattr(other, name) for name in names})


@dataclass(frozen=True, eq=False)
class FourierReduction(Reduction[FourierSums, FourierSums]):
    """Fourier sums of rows on a grid, with targets shifted by `reference` and divided by `unit`.

    Only of the rows in a box, if there is one; in blocks of `block_rows`, if they are given.
    """

    grid: FrequencyGrid
    reference: Array
    unit: Array
    box: BoxOfRows | None = None
    block_rows: int | None = None

    def cut(self, n_rows: int) -> Cut:
        cut = fourier_cut(self.grid, n_rows)
        return replace(cut, block_rows=self.block_rows or cut.block_rows)

    def elsewhere(self) -> FourierReduction:  # the cut is for all rows on this machine
        return replace(self, block_rows=None)

    def empty(self) -> FourierSums:
        d, t = len(self.grid.extent), len(self.reference)
        return FourierSums(
            grid=self.grid,
            reference=self.reference,
            unit=self.unit,
            density=np.zeros(_doubled(self.grid)),
            targets=np.zeros((t, *self.grid.shape)),
            weight=0.0,
            y_sum=np.zeros(t),
            yy=np.zeros(t),
            low=np.full(d, np.inf),
            high=np.full(d, -np.inf),
            identity=RowIdentity(),
        )

    def scratch(self, block_rows: int) -> None:
        return None

    def part(self, block: Block, scratch: None) -> FourierSums:
        X, Y, weight = _present(block)
        if self.box is not None:
            X, Y, weight = (each[self.box.contains(X)] for each in (X, Y, weight))
        if len(X) == 0:
            return self.empty()
        if not np.all(self.grid.contains(X)):
            row = X[np.argmin(self.grid.contains(X))]
            raise InvalidDataError(
                f"The row {np.array2string(row, precision=6)} is outside of the grid of this model, which is for rows "
                "near those of its first fit. Fit all rows at once."
            )
        scaled = (Y - self.reference) / self.unit
        columns = [weight, *(weight * column for column in scaled.T)]
        sums = self._hartley(self.grid.angles(X), columns)
        inner = tuple(slice(m, 3 * m + 1) for m in self.grid.extent)
        return FourierSums(
            grid=self.grid,
            reference=self.reference,
            unit=self.unit,
            density=sums[0],
            targets=np.array([each[inner] for each in sums[1:]]),
            weight=float(weight.sum()),
            y_sum=weight @ scaled,
            yy=weight @ scaled**2,
            low=X.min(axis=0),
            high=X.max(axis=0),
            identity=RowIdentity.of(block),
        )

    def add(self, total: FourierSums, part: FourierSums) -> FourierSums:
        return total + part

    def merge(self, total: FourierSums, other: FourierSums) -> FourierSums:
        return total + other

    def _hartley(self, angles: Array, columns: list[Array]) -> list[Array]:
        """Sums of real columns, two by one complex transform: C of a + i b has Re A + Im A in the even part of Re C

        and the odd part of Im C, and Re B + Im B in the even part of Im C less the odd part of Re C.
        """
        found = []
        for first in range(0, len(columns), 2):
            pair = columns[first : first + 2]
            values = pair[0].astype(complex) if len(pair) == 1 else pair[0] + 1j * pair[1]
            modes = points_to_modes(angles, values, _doubled(self.grid), _transform_threads(self.grid))
            found.append(_even(modes.real) + _odd(modes.imag))
            if len(pair) == 2:
                found.append(_even(modes.imag) - _odd(modes.real))
        return found


def add_fourier_sums(
    total: FourierSums,
    rows: RowSource,
    *,
    on_block: OnPart | None = None,
    ledger: Ledger | None = None,
    block_rows: int | None = None,
) -> FourierSums:
    """The sums with all rows added, in one pass: in threads, or on a cluster if the rows are there.

    With a ledger, blocks that are in it are not added again; `block_rows` is how they were cut.
    """
    reduction = FourierReduction(total.grid, total.reference, total.unit, block_rows=block_rows)
    return engine_of(rows).reduce(rows, reduction, total, on_part=on_block, ledger=ledger)


def fourier_sums_of_boxes(reductions: Sequence[FourierReduction], rows: RowSource) -> list[FourierSums]:
    """Sums of the rows of several boxes, by one pass."""
    together = _Boxes(tuple(reductions))
    found: tuple[FourierSums, ...] = engine_of(rows).reduce(rows, together, together.empty())
    return list(found)


@dataclass(frozen=True, eq=False)
class _Boxes(Reduction[tuple[FourierSums, ...], tuple[FourierSums, ...]]):
    """Fourier sums of several boxes."""

    reductions: tuple[FourierReduction, ...]

    def cut(self, n_rows: int) -> Cut:
        return Cut(_LARGEST_BLOCK // 8)

    def empty(self) -> tuple[FourierSums, ...]:
        return tuple(each.empty() for each in self.reductions)

    def scratch(self, block_rows: int) -> None:
        return None

    def part(self, block: Block, scratch: None) -> tuple[FourierSums, ...]:
        return tuple(each.part(block, None) for each in self.reductions)

    def add(self, total: tuple[FourierSums, ...], part: tuple[FourierSums, ...]) -> tuple[FourierSums, ...]:
        return tuple(whole + own for whole, own in zip(total, part))

    def merge(self, total: tuple[FourierSums, ...], other: tuple[FourierSums, ...]) -> tuple[FourierSums, ...]:
        return self.add(total, other)


def fourier_bill(grid: FrequencyGrid, n_rows: int, n_targets: int, reading: int = 0) -> MemoryBill:
    """Memory of a pass: sums, and the fine grids and rows of the transforms of all threads."""
    cut, modes = fourier_cut(grid, n_rows), int(np.prod(_doubled(grid)))
    threads, pairs = cut.n_threads or 1, 1 + n_targets // 2
    return MemoryBill(
        {
            "Fourier sums": 8 * modes * (n_targets + 1) * (threads + 2),
            "fine grids of the transforms": threads * 16 * modes * (2 ** len(grid.extent) + 2 * pairs),
            "blocks of rows": threads * 8 * cut.block_rows * (_ROW_ARRAYS + 2 * n_targets),
            "rows being read": reading,
        }
    )


def _transform_threads(grid: FrequencyGrid) -> int:
    """Threads of one transform: one where every thread has a block of rows, all where that would take their memory."""
    return get_config().threads() if np.prod(_doubled(grid)) > _LARGE_GRID else 1


def fourier_cut(grid: FrequencyGrid, n_rows: int) -> Cut:
    """Blocks of rows that take as long as the transform of the fine grid, at least, and threads that have their own."""
    threads = get_config().threads() // _transform_threads(grid)
    most = max(_LARGEST_BLOCK, int(np.prod(_doubled(grid))) // 2)
    return Cut(int(np.clip(-(-n_rows // threads), 1, most)), threads)


@dataclass(frozen=True, eq=False)
class BoxOfRows:
    """Least and largest number of every column, of rows of positive weight."""

    low: Array
    high: Array

    def contains(self, X: Array) -> Array:
        return np.all((self.low <= X) & (self.high >= X), axis=1)


class _Box(Reduction[BoxOfRows, BoxOfRows]):
    """Boxes of rows."""

    def __init__(self, d: int) -> None:
        self.d = d

    def cut(self, n_rows: int) -> Cut:
        return Cut(_LARGEST_BLOCK // 8)

    def empty(self) -> BoxOfRows:
        return BoxOfRows(np.full(self.d, np.inf), np.full(self.d, -np.inf))

    def scratch(self, block_rows: int) -> None:
        return None

    def part(self, block: Block, scratch: None) -> BoxOfRows:
        X = _present(block)[0]
        return BoxOfRows(X.min(axis=0), X.max(axis=0)) if len(X) else self.empty()

    def add(self, total: BoxOfRows, part: BoxOfRows) -> BoxOfRows:
        return BoxOfRows(np.minimum(total.low, part.low), np.maximum(total.high, part.high))

    def merge(self, total: BoxOfRows, other: BoxOfRows) -> BoxOfRows:
        return self.add(total, other)


def box_of(rows: RowSource) -> BoxOfRows:
    """The box of all rows of positive weight, by one reading pass."""
    box = engine_of(rows).reduce(rows, _Box(rows.n_features), _Box(rows.n_features).empty())
    if not np.all(np.isfinite(box.low)):
        raise InvalidDataError("The sum of sample_weight must be positive. Got 0.")
    return box


def _present(block: Block) -> tuple[Array, Array, Array]:
    """Rows of positive weight in float64, their targets (b, t) and weights (b,)."""
    X = dense(block.X, float)
    Y = np.asarray(block.Y, dtype=float).reshape(len(X), -1)
    if block.sample_weight is None:
        return X, Y, np.ones(len(X))
    kept = np.flatnonzero(block.sample_weight)
    return X[kept], Y[kept], np.asarray(block.sample_weight, dtype=float)[kept]


def _doubled(grid: FrequencyGrid) -> tuple[int, ...]:
    return tuple(int(4 * m + 1) for m in grid.extent)


def _even(values: Array) -> Array:
    return (values + np.flip(values)) / 2


def _odd(values: Array) -> Array:
    return (values - np.flip(values)) / 2
