"""Memory of exact kernel machines by iterations: how many landmarks of the preconditioner the budget has room for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bochner.config import get_config
from bochner.memory import MemoryBill
from bochner.solvers.kernel_matrix import kernel_matrix_bill

__all__ = ["CANDIDATES", "KernelBudget", "kernel_budget"]

CANDIDATES = 2
"""Rows for every landmark of the preconditioner that is chosen by pivoting."""

_LANDMARKS, _MOST_LANDMARKS = 2048, 4096
_ROWS_OF_A_LANDMARK = 9  # between the two: factors then take about as long as the products that they save
_FEWEST_LANDMARKS = 64
_FEWEST_KEPT = 512  # fewer landmarks whose features are kept before more that are computed again in every pass
_COPIES = 12  # of a vector in conjugate gradients and products


@dataclass(frozen=True)
class KernelBudget:
    """What fits in the memory budget: the number of landmarks, and whether their features are kept.

    Attributes
    ----------
    n_landmarks : int
    keep : bool
    bill : MemoryBill
    """

    n_landmarks: int
    keep: bool
    bill: MemoryBill


def kernel_budget(n: int, d: int, columns: int, n_searched: int) -> KernelBudget:
    """For n rows of d columns, so many systems, and a penalty that is searched on `n_searched` of the rows."""
    budget = get_config().memory_budget()
    wide = min(n, max(_LANDMARKS, min(_MOST_LANDMARKS, n // _ROWS_OF_A_LANDMARK)))
    for least, keep in ((_FEWEST_KEPT, True), (_FEWEST_LANDMARKS, False)):
        for width in _halves(wide, min(least, wide)):
            bill = _bill(n, d, columns, width, n_searched)
            if keep:
                bill = MemoryBill(bill.items | {"features of the preconditioner": 8 * n * width})
            if bill.total <= budget:
                return KernelBudget(width, keep, bill)
    return KernelBudget(width, False, bill)


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
