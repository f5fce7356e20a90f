"""Memory of exact kernel machines by iterations: landmarks of the preconditioner, and tiles that are kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bochner.config import get_config
from bochner.memory import MemoryBill
from bochner.solvers.kernel_matrix import kernel_matrix_bill
from bochner.statistics.kernel_product import symmetric_tile_bytes

__all__ = ["CANDIDATES", "KernelBudget", "kernel_budget"]

CANDIDATES = 2
"""Rows for every landmark of the preconditioner that is chosen by pivoting."""

_LANDMARKS, _MOST_LANDMARKS = 2048, 4096
_ROWS_OF_A_LANDMARK = 9  # between the two: factors then take about as long as the products that they save
_WITH_TILES = 3  # times fewer landmarks where tiles are kept: a product then takes a fifth of the time
_FEWEST_LANDMARKS = 64
_FEWEST_KEPT = 512  # fewer landmarks whose features are kept before more that are computed again in every pass
_COPIES = 12  # of a vector in conjugate gradients and products
_FEATURES, _TILES = "features of the preconditioner", "tiles of the kernel matrix"


@dataclass(frozen=True)
class KernelBudget:
    """What fits in the memory budget: the number of landmarks, whether their features are kept, and room for tiles.

    Attributes
    ----------
    n_landmarks : int
    keep : bool
    bill : MemoryBill
    """

    n_landmarks: int
    keep: bool
    bill: MemoryBill

    @property
    def room(self) -> int:
        """Bytes of tiles that are kept between products: of all in float32, or 0."""
        return self.bill.items.get(_TILES, 0)


def kernel_budget(n: int, d: int, columns: int, n_searched: int, *, tiles: bool = True) -> KernelBudget:
    """For n rows of d columns, so many systems, and a penalty that is searched on `n_searched` of the rows.

    `tiles`: whether tiles may be kept.
    """
    budget = get_config().memory_budget()
    for width, kept in _choices(n, tiles):
        bill = MemoryBill(_bill(n, d, columns, width, n_searched).items | kept)
        if bill.total <= budget:
            break
    return KernelBudget(width, _FEATURES in kept, bill)


def _choices(n: int, tiles: bool) -> Iterator[tuple[int, dict[str, int]]]:
    """Numbers of landmarks and the bytes of what is kept, in order of preference; the last one takes least memory."""
    wide = min(n, max(_LANDMARKS, min(_MOST_LANDMARKS, n // _ROWS_OF_A_LANDMARK)))
    if tiles and wide < n:
        few = -(-wide // _WITH_TILES)
        yield few, {_FEATURES: 8 * n * few, _TILES: symmetric_tile_bytes(n)}
    for width in _halves(wide, min(_FEWEST_KEPT, wide)):
        yield width, {_FEATURES: 8 * n * width}
    for width in _halves(wide, min(_FEWEST_LANDMARKS, wide)):
        yield width, {}


def _halves(width: int, least: int) -> Iterator[int]:
    """A width, half of it and so on, down to the least."""
    while width > least:
        yield width
        width = max(width // 2, least)
    yield least


def _bill(n: int, d: int, columns: int, width: int, n_searched: int) -> MemoryBill:
    """Memory of a fit without the features of all rows."""
    threads = get_config().threads()
    search = kernel_matrix_bill(min(n, n_searched), d, columns).total
    inverse = 8 * width * (CANDIDATES * width + (4 + threads) * width + 3 * threads * 1024)
    return MemoryBill(
        {
            "rows, as they are and prepared for tiles": 8 * n * (5 * d + 6),
            "solutions, residuals, directions, sums": 8 * n * columns * (_COPIES + threads),
            "search for a penalty, or landmarks and their factors": max(search, inverse),
        }
    )
