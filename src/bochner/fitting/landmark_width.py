"""Number of landmarks: more and more of them until leave-one-out errors see no gain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bochner._typing import Array
from bochner.data import RowSource
from bochner.errors import MemoryBudgetError
from bochner.features import FeatureMap
from bochner.fitting.checkpoints import FitCheckpoint
from bochner.fitting.left_out import LeftOut, left_out_errors
from bochner.fitting.moments import MomentsFit, moments_bill
from bochner.fitting.watch import Watch
from bochner.fitting.width_rule import WidthCurve, relative_gain
from bochner.kernels import Stationary
from bochner.memory import MemoryBill, require_memory
from bochner.planning import LANDMARKS, landmark_numbers
from bochner.solvers import PenaltyRule
from bochner.tuning import Tuning

if TYPE_CHECKING:
    from bochner.fitting.ridge import Publish, RidgeSettings

__all__ = ["search_landmarks"]

_SMALLEST_GAIN = 0.01  # of the mean squared error


def search_landmarks(
    rows: RowSource,
    kernel: Stationary,
    tuning: Tuning | None,
    settings: RidgeSettings,
    watch: Watch,
    publish: Publish,
    checkpoint: FitCheckpoint | None = None,
) -> tuple[MomentsFit, LeftOut]:
    """The fit of the number of landmarks that leave-one-out errors chose, and these errors.

    Each is compared with the best one before it on the same rows. A gain of one standard error and one percent goes on
    to the next. Numbers of more than half of the rows make way for all of them. A checkpoint has the moments of each.
    """
    steps = _Steps()
    best: tuple[MomentsFit, LeftOut] | None = None
    reason = "All of the rows are landmarks."
    for width in landmark_numbers(rows.n_rows):
        try:
            drawn = settings.features.draw(kernel, width, rows, tuning)
            _require_room(rows, drawn.map, settings.rule, best)
        except MemoryBudgetError:
            if best is None:
                raise
            reason = f"{width:,} landmarks do not fit in the memory budget."
            break
        ledger = None if checkpoint is None else checkpoint.moments(f"landmarks-{width}")
        gathered = MomentsFit.drawn(drawn, tuning, rows, settings.solver, settings.rule, publish=publish, ledger=ledger)
        gathered.add(rows, watch, ledger=ledger).solved(rows)
        variance = gathered.moments.yy / gathered.moments.weight
        left_out = left_out_errors(gathered.fit, rows, settings.seed)
        if not steps.is_better(width, left_out.squares(variance), left_out.weight):
            reason = f"{width:,} landmarks are not clearly better than {steps.best:,}."
            break
        best = gathered, left_out
        if width == LANDMARKS[-1]:
            reason = f"{width:,} landmarks are the most that are tried."
    assert best is not None
    return best[0].with_width_curve(steps.curve(reason)), best[1]


def _require_room(
    rows: RowSource, wider: FeatureMap, rule: PenaltyRule, best: tuple[MomentsFit, LeftOut] | None
) -> None:
    """Refuse a fit that does not fit in the memory budget beside the best one before it."""
    items = moments_bill(rows, wider, rule)[1].items
    if best is not None:
        fit = best[0].fit
        items = {**items, "best fit before": best[0].moments.zz.nbytes + fit.feature_map.n_bytes(rows.dtype)}
    require_memory(MemoryBill(items), "Raise the budget with bochner.set_config(memory=...).")


class _Steps:
    """Errors of the numbers that were tried."""

    def __init__(self) -> None:
        self.best = 0
        self._errors: Array = np.empty(0)
        self._rows: list[tuple[int, float, int, float, float]] = []

    def is_better(self, width: int, errors: Array, weight: Array) -> bool:
        """Take the squared errors of the next number; True if it is clearly better than the best before it."""
        gain, std = relative_gain(self._errors, errors, weight) if self.best else (np.nan, np.nan)
        mean = float(np.average(errors, weights=weight))
        self._rows.append((width, float(np.sqrt(mean)), self.best, gain, std))
        better = not self.best or gain > max(std, _SMALLEST_GAIN)
        if better:
            self.best, self._errors = width, errors
        return better

    def curve(self, reason: str) -> WidthCurve:
        widths, rmse, against, gain, std = (np.array(column) for column in zip(*self._rows, strict=True))
        return WidthCurve(widths, rmse, against, gain, std, self.best, len(self._errors), reason)
