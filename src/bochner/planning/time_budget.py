"""Time of exact kernel machines against the time budget, before the first product."""

from __future__ import annotations

from bochner._duration import in_words
from bochner.config import get_config
from bochner.errors import TimeBudgetError
from bochner.planning.cost import calibrate

__all__ = ["exact_fits_in_time", "require_time"]

_DIRECT = "factors of the kernel matrix"


def require_time(n_rows: int, n_features: int, *, iterative: bool, kept: bool = False) -> None:
    """Raise `TimeBudgetError` with the bill unless the exact machine is expected to take no longer than it may.

    `iterative`: by products instead of a factor; `kept`: of kernel values that are computed once.
    """
    budget = get_config().time
    items = {} if budget is None else _items(n_rows, n_features, iterative, kept)
    if budget is None or sum(items.values()) <= budget:
        return
    bill = "\n".join(f"  {in_words(seconds):>9}  {name}" for name, seconds in items.items())
    raise TimeBudgetError(
        f"The exact kernel machine of {n_rows:,} rows takes about {in_words(sum(items.values()))}, and the budget is "
        f"{in_words(budget)}:\n{bill}\nUse features='nystroem', or raise the budget with bochner.set_config(time=...)."
    )


def exact_fits_in_time(n_rows: int, n_features: int, *, iterative: bool) -> bool:
    """Whether `require_time` passes."""
    try:
        require_time(n_rows, n_features, iterative=iterative)
    except TimeBudgetError:
        return False
    return True


def _items(n_rows: int, n_features: int, iterative: bool, kept: bool) -> dict[str, float]:
    cost, threads = calibrate("float64"), get_config().threads()
    if iterative:
        return cost.exact_iterative_items(n_rows, n_features, threads, kept=kept)
    return {_DIRECT: cost.exact_seconds(n_rows, n_features, threads)}
