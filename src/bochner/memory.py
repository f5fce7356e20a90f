"""Memory bills and the memory budget: peak memory by item, checked before anything is allocated.

What a call returns is on its bill; what it was given is not.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

from bochner.config import get_config
from bochner.errors import MemoryBudgetError

__all__ = [
    "MAP",
    "MemoryBill",
    "advice_when_full",
    "fits",
    "format_bytes",
    "require_memory",
    "return_freed_memory",
    "row_slices",
    "rows_within",
]

MAP = "feature map"
"""Name of the item that every feature map states for itself (`FeatureMap.n_bytes`)."""

_LITTLE = 2**20  # bytes that the interpreter takes now and then: to ask what is left takes longer than a prediction
_LARGE = 0.25  # share of the budget from which on a bill has freed memory given back first


@dataclass(frozen=True)
class MemoryBill:
    """Peak memory of a computation beyond its inputs by item, in bytes."""

    items: dict[str, int]

    @property
    def total(self) -> int:
        return sum(self.items.values())

    def __str__(self) -> str:
        lines = [f"  {format_bytes(size):>9}  {name}" for name, size in self.items.items()]
        return "\n".join([*lines, f"  {format_bytes(self.total):>9}  in all"])


def require_memory(bill: MemoryBill, remedy: str) -> None:
    """Raise `MemoryBudgetError` with the bill and the remedy unless the bill is within the budget."""
    if not fits(bill.total):
        needs, has = format_bytes(bill.total), format_bytes(get_config().memory_budget())
        raise MemoryBudgetError(f"This needs {needs} of memory, and the budget is {has}:\n{bill}\n{remedy}")
    return_freed_memory(bill)


def return_freed_memory(bill: MemoryBill) -> None:
    """Give memory of freed arrays back to the system before the next stage of a computation with a large bill.

    malloc keeps it for the threads that had it, and the process would hold it beside what is billed.
    """
    if not fits(int(bill.total / _LARGE)):
        _trim()(0)


@cache
def _trim() -> Callable[[int], object]:
    """`malloc_trim` of glibc, which takes microseconds where nothing was kept; elsewhere there is none."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # other C libraries; Windows
        return lambda _: None


def fits(size: int) -> bool:
    """Whether so many bytes are within the budget; of a few, the system is not asked."""
    config = get_config()
    return (config.memory is None and size <= _LITTLE) or size <= config.memory_budget()


def rows_within(row_bytes: int, *, share: float = 0.125, least: int = 64, most: int = 8192) -> int:
    """Rows of a block whose working space, so many bytes a row, takes at most a share of the budget."""
    affordable = int(share * get_config().memory_budget() / max(1, row_bytes))
    return max(least, min(most, affordable))


def row_slices(n_rows: int, block_rows: int) -> Iterator[slice]:
    """Slices of consecutive rows."""
    return (slice(start, min(start + block_rows, n_rows)) for start in range(0, n_rows, block_rows))


@contextmanager
def advice_when_full() -> Iterator[None]:
    """Turn an allocation that the system refuses into a `MemoryBudgetError` that says what to do; also a decorator."""
    try:
        yield
    except MemoryBudgetError:
        raise
    except MemoryError as refused:
        has = format_bytes(get_config().memory_budget())
        raise MemoryBudgetError(
            f"The system gave no more memory ({str(refused) or 'no reason'}); {has} are left to bochner now. Free "
            "some, or set a smaller budget with bochner.set_config(memory=...): blocks of rows are then smaller."
        ) from refused


def format_bytes(size: float) -> str:
    """A size for people: 1.5 GB."""
    for unit in ("B", "kB", "MB", "GB"):
        if abs(size) < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} TB"
