"""Search for a width: wider and wider nested maps, compared on rows that are held out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bochner._random import Purpose, generator
from bochner._typing import Array, FloatType
from bochner.config import get_config
from bochner.data import ArrayRows, ExcludedRows, RowSource
from bochner.features import FourierMap, linear_response
from bochner.fitting.features import DrawnFeatures, FeatureSettings
from bochner.fitting.moments import MomentsFit, moments_bill
from bochner.fitting.ridge_model import FittedRidge
from bochner.fitting.watch import Watch
from bochner.fitting.width_rule import WidthSearch
from bochner.kernels import Stationary
from bochner.memory import require_memory
from bochner.solvers import PenaltyRule, Solution
from bochner.statistics import Moments, PassPlan, accumulate, plan_pass, widen
from bochner.tuning import Tuning

if TYPE_CHECKING:
    from bochner.fitting.ridge import RidgeSettings

__all__ = ["search_width", "widens"]

_FEWEST_ROWS = 2000
_SHARE, _ENOUGH, _MOST = 0.1, 2000, 4000  # of the rows held out: m of them see gains of some 16 / m of the error


def widens(features: FeatureSettings, rule: PenaltyRule, rows: RowSource) -> bool:
    """Whether the width is found on held-out rows; otherwise it is what the rule says (`default_width`)."""
    asked = features.width is None and rule.alpha != "loo" and features.maker.nested
    return asked and rows.arrays is not None and len(_present(rows.arrays)) >= _FEWEST_ROWS


def search_width(
    rows: ArrayRows,
    kernel: Stationary,
    tuning: Tuning | None,
    settings: RidgeSettings,
    watch: Watch,
    publish: Callable[[FittedRidge], None],
) -> MomentsFit:
    """Moments of all rows at the width that held-out rows chose.

    At any time the published model is that of the last width whose pass is complete; during the first pass, that of the
    rows seen.
    """
    on_block, finish = watch.begin(None)
    index = _held_out(rows, settings.seed)
    held_out = replace(rows, X=rows.X[index], Y=rows.Y[index], sample_weight=_at(rows.sample_weight, index))

    def draw(width: int) -> DrawnFeatures:
        return settings.features.draw(kernel, width, rows, tuning)

    def model(stage: _Stage) -> FittedRidge:
        return FittedRidge(
            stage.features.transformer,
            stage.features.map,
            settings.rule,
            settings.solver,
            rows.dtype,
            moments=stage.moments,
            tuning=tuning,
        )

    passes = _Passes(rows, index, settings.rule, draw, lambda stage: publish(model(stage)), on_block)
    search = WidthSearch(rows.n_rows - len(index), held_out.sample_weight, rows.n_targets)
    passes.first(search.next_width)
    reason, best = None, passes.stage
    while reason is None:
        solution = passes.solution(lambda stage: model(stage).solution)
        if search.is_better(_squared_errors(held_out, passes.stage, solution)):
            best = passes.stage
        reason = search.is_over() or passes.widened(search.next_width, best)
    finish()
    held_out = replace(held_out, dtype=best.dtype)
    plan = plan_pass(held_out.n_rows, best.features.map, rows.n_targets, best.dtype)
    accumulate(held_out, best.features.map, best.moments, plan)
    return MomentsFit(replace(model(best), width_curve=search.curve(reason)), publish)


def _held_out(rows: ArrayRows, seed: int) -> Array:
    """Rows to compare widths on: a tenth of those of positive weight, or 2,000 if that is more, at most a quarter."""
    present = _present(rows)
    size = min(max(_ENOUGH, int(_SHARE * len(present))), _MOST, len(present) // 4)
    return np.sort(generator(seed, Purpose.HELD_OUT).choice(present, size=size, replace=False))


def _present(rows: ArrayRows) -> Array:
    return np.arange(rows.n_rows) if rows.sample_weight is None else np.flatnonzero(rows.sample_weight)


def _at(weight: Array | None, index: Array) -> Array | None:
    return None if weight is None else weight[index]


@dataclass(frozen=True)
class _Stage:
    """A width, and the moments of the rows to fit at it."""

    features: DrawnFeatures
    moments: Moments
    dtype: FloatType

    @property
    def bytes(self) -> int:
        return self.moments.zz.nbytes

    @property
    def fourier(self) -> FourierMap:
        assert self.features.map.fourier is not None
        return self.features.map.fourier


def _squared_errors(held_out: ArrayRows, stage: _Stage, solution: Solution) -> Array:
    """Squared errors of every held-out row, summed over targets in units of their variance."""
    variance = stage.moments.yy / stage.moments.weight
    fitted = linear_response(stage.features.map, held_out.X, solution.coef, solution.intercept, stage.dtype)
    return np.sum((held_out.targets()[0] - fitted) ** 2 / np.where(variance > 0, variance, 1.0), axis=1)


class _Passes:
    """The passes of a search: one over the first map, then one for the new columns of each wider map."""

    stage: _Stage

    def __init__(
        self,
        rows: ArrayRows,
        held_out: Array,
        rule: PenaltyRule,
        draw: Callable[[int], DrawnFeatures],
        publish: Callable[[_Stage], None],
        on_block: Callable[[int], bool],
    ) -> None:
        self._rows, self._held_out, self._rule = rows, held_out, rule
        self._draw, self._publish = draw, publish
        self._on_block, self._stopped = on_block, False

    def first(self, width: int) -> None:
        """The first map; its moments are published while they grow."""
        features = self._draw(width)
        plan, bill = moments_bill(self._train(), features.map, self._rule)
        require_memory(bill, "Raise the budget with bochner.set_config(memory=...).")
        self._enter(self._empty(features))
        self._gather(self.stage, plan)

    def solution(self, solve: Callable[[_Stage], Solution]) -> Solution:
        """The model at this width: from here on in float64, if float32 products cannot carry its best penalty."""
        solution = solve(self.stage)
        if not solution.at_floor or self._rows.dtype == np.float64 or self._stopped:
            return solution
        single, self._rows = self._rows, replace(self._rows, dtype=np.dtype(np.float64))
        plan = self._plan(self.stage.features, beside=self.stage.bytes)
        if plan is None:
            self._rows = single
            return solution
        double = self._empty(self.stage.features)
        self._gather(double, plan)
        if self._stopped:
            return solution
        self._enter(double)
        return solve(double)

    def widened(self, width: int, best: _Stage) -> str | None:
        """Next wider map, with the best one kept; or the reason that there is none."""
        features, stage = self._draw(width), self.stage
        plan = self._plan(features, beside=stage.bytes + (0 if best is stage else best.bytes))
        if plan is None:
            return f"{width:,} features do not fit in the memory budget."
        if self._stopped:
            return "A callback ended the fit."
        wide = features.map.fourier
        assert wide is not None
        moments = widen(stage.moments, self._train(), stage.fourier, wide, plan, on_block=self._watched)
        if self._stopped:
            return "A callback ended the fit."
        self._enter(_Stage(features, moments, self._rows.dtype))
        return None

    def _enter(self, stage: _Stage) -> None:
        self.stage = stage
        self._publish(stage)

    def _gather(self, stage: _Stage, plan: PassPlan) -> None:
        accumulate(self._train(), stage.features.map, stage.moments, plan, on_block=self._watched)

    def _watched(self, n_rows: int) -> bool:
        self._stopped = self._on_block(n_rows) or self._stopped
        return self._stopped

    def _train(self) -> ExcludedRows:
        return ExcludedRows(self._rows, self._held_out)

    def _empty(self, features: DrawnFeatures) -> _Stage:
        return _Stage(features, Moments.empty(features.map.n_components, self._rows.n_targets), self._rows.dtype)

    def _plan(self, features: DrawnFeatures, beside: int) -> PassPlan | None:
        """The pass over a map, if there is memory for it beside so many bytes."""
        plan, bill = moments_bill(self._train(), features.map, self._rule)
        return plan if bill.total + beside <= get_config().memory_budget() else None
