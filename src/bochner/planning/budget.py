"""Memory and time of a fit by its width, against the budgets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bochner.config import get_config
from bochner.features import FourierShape
from bochner.memory import MemoryBill
from bochner.planning.cost import FIRST_SECONDS, CostModel
from bochner.solvers import ridge_bill
from bochner.statistics import PassPlan, plan_pass

__all__ = ["Budget"]

_LARGEST_WIDTH = 2**20


@dataclass(frozen=True)
class Budget:
    """Memory and time of a fit by width, checked against the budgets."""

    n: int
    d: int
    targets: int
    dtype: np.dtype[Any]
    time: float | None
    cost: CostModel
    n_kernels: int = 0

    @property
    def tuning_seconds(self) -> float:
        """Time to learn the scales of the best of `n_kernels` kernels, which does not depend on the width."""
        return self.cost.tuning_seconds(self.n, self.d, self.n_kernels, get_config().threads())

    def pass_plan(self, width: int) -> PassPlan:
        return plan_pass(self.n, self._map(width), self.targets, self.dtype)

    def bill(self, width: int) -> MemoryBill:
        return ridge_bill(self.pass_plan(width), self._map(width), n_targets=self.targets, dtype=self.dtype)

    def _map(self, width: int) -> FourierShape:
        return FourierShape(width, self.d)

    def seconds(self, width: int) -> float:
        fit = self.cost.fit_seconds(self.n, self.d, width, self.pass_plan(width).n_threads)
        return FIRST_SECONDS + self.tuning_seconds + fit

    def allows(self, width: int) -> bool:
        within_time = self.time is None or self.seconds(width) <= self.time
        return within_time and self.bill(width).total <= get_config().memory_budget()

    def largest_width(self) -> int:
        """Largest even width that is allowed, 0 if none is."""
        return 2 * _largest(lambda half: self.allows(2 * half), _LARGEST_WIDTH // 2)


def _largest(holds: Callable[[int], bool], ceiling: int) -> int:
    """Largest integer in [0, ceiling] with `holds`, which is true up to some point and false after it."""
    low, high = 0, ceiling + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
