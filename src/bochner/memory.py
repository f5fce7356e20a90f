"""Memory bills and the memory budget: peak memory by item, checked before anything is allocated."""

from __future__ import annotations

from dataclasses import dataclass

from bochner.config import get_config
from bochner.errors import MemoryBudgetError

__all__ = ["MAP", "MemoryBill", "format_bytes", "require_memory"]

MAP = "feature map"
"""Name of the item that every feature map states for itself (`FeatureMap.n_bytes`)."""


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
    budget = get_config().memory_budget()
    if bill.total > budget:
        needs, has = format_bytes(bill.total), format_bytes(budget)
        raise MemoryBudgetError(f"This needs {needs} of memory, and the budget is {has}:\n{bill}\n{remedy}")


def format_bytes(size: float) -> str:
    """A size for people: 1.5 GB."""
    for unit in ("B", "kB", "MB", "GB"):
        if abs(size) < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} TB"
