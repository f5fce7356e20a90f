"""How a KernelRegressor finds its width: wider and wider maps, compared on rows that are held out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bochner._random import Purpose, generator
from bochner._typing import Array
from bochner.config import get_config
from bochner.data import ArrayRows, ExcludedRows, RowSource
from bochner.estimators._sklearn import progress
from bochner.estimators.fourier import FourierFeatures
from bochner.estimators.ridge_fit import direct_bill
from bochner.features import linear_response
from bochner.planning import WidthSearch
from bochner.sampling import resolve_sampler
from bochner.solvers import RidgeSolution
from bochner.statistics import Moments, PassPlan, accumulate, plan_pass, widen

if TYPE_CHECKING:
    from bochner.estimators.regressor import KernelRegressor

__all__ = ["fit_widening", "widens"]

_FEWEST_ROWS = 2000
_SHARE, _ENOUGH, _MOST = 0.1, 2000, 4000  # of the rows held out: m of them see gains of some 16 / m of the error


def widens(model: KernelRegressor, rows: RowSource) -> bool:
    """Whether the width is found on held-out rows; otherwise it is what the rule says (`default_width`)."""
    asked = model.n_components == "auto" and model.features is None and model.alpha != "loo"
    possible = model.checkpoint is None and resolve_sampler(model.sampling).nested
    return asked and possible and isinstance(rows, ArrayRows) and len(_present(rows)) >= _FEWEST_ROWS


def fit_widening(model: KernelRegressor, rows: ArrayRows) -> None:
    """Set features and moments of the model to those of all rows at the width that held-out rows chose.

    The kernel is settled. At any time the model is that of the last width whose pass is complete; during the first
    pass, that of the rows seen.
    """
    on_block, finish = progress(model, None, rows.X, rows.Y)
    index = _held_out(rows, model.seed_)
    held_out = replace(rows, X=rows.X[index], Y=rows.Y[index], sample_weight=_at(rows.sample_weight, index))
    passes = _Passes(model, rows, index, on_block)
    search = WidthSearch(rows.n_rows - len(index), held_out.sample_weight, rows.n_targets)
    passes.first(search.next_width)
    reason, best = None, passes.stage
    while reason is None:
        solution = passes.solution()
        if search.is_better(_squared_errors(held_out, passes.stage, solution)):
            best = passes.stage
        reason = search.is_over() or passes.widened(search.next_width, best)
    finish()
    best.adopt(model)
    model.width_curve_ = search.curve(reason)
    held_out = replace(held_out, dtype=best.dtype)
    plan = plan_pass(held_out.n_rows, best.features.map_, rows.n_targets, best.dtype)
    accumulate(held_out, best.features.map_, model.moments_, plan)


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

    features: FourierFeatures
    moments: Moments
    dtype: np.dtype[Any]

    @property
    def bytes(self) -> int:
        return self.moments.zz.nbytes

    def adopt(self, model: KernelRegressor) -> None:
        """Make this the state of the model."""
        model.features_, model._feature_map = self.features, self.features.map_
        model.moments_, model._solution = self.moments, None


def _squared_errors(held_out: ArrayRows, stage: _Stage, solution: RidgeSolution) -> Array:
    """Of every held-out row, summed over targets in units of their variance."""
    variance = stage.moments.yy / stage.moments.weight
    fitted = linear_response(stage.features.map_, held_out.X, solution.coef, solution.intercept, stage.dtype)
    return np.sum((held_out.targets()[0] - fitted) ** 2 / np.where(variance > 0, variance, 1.0), axis=1)


class _Passes:
    """The passes of a search: one over the first map, then one for the new columns of each wider map."""

    stage: _Stage

    def __init__(
        self, model: KernelRegressor, rows: ArrayRows, held_out: Array, on_block: Callable[[int], bool]
    ) -> None:
        self._model, self._kernel = model, model.features_.kernel_
        self._rows, self._held_out = rows, held_out
        self._on_block, self._stopped = on_block, False

    def first(self, width: int) -> None:
        """The first map; the model has the moments while they grow."""
        self.stage = self._empty(self._drawn(width))
        self.stage.adopt(self._model)
        self._gather(self.stage, self._model._planned(self._train()))

    def solution(self) -> RidgeSolution:
        """The model at this width: from here on in float64, if float32 products cannot carry its best penalty."""
        solution = self._model._solve()
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
        return self._model._solve()

    def widened(self, width: int, best: _Stage) -> str | None:
        """Go on to a wider map while the best one is kept; if that cannot be, say why."""
        features, stage = self._drawn(width), self.stage
        plan = self._plan(features, beside=stage.bytes + (0 if best is stage else best.bytes))
        if plan is None:
            return f"{width:,} features do not fit in the memory budget."
        if not self._stopped:
            maps = stage.features.map_, features.map_
            moments = widen(stage.moments, self._train(), *maps, plan, on_block=self._watched)
        if self._stopped:
            return "A callback ended the fit."
        self._enter(_Stage(features, moments, self._rows.dtype))
        return None

    def _enter(self, stage: _Stage) -> None:
        self.stage = stage
        stage.adopt(self._model)

    def _gather(self, stage: _Stage, plan: PassPlan) -> None:
        accumulate(self._train(), stage.features.map_, stage.moments, plan, on_block=self._watched)

    def _watched(self, n_rows: int) -> bool:
        self._stopped = self._on_block(n_rows) or self._stopped
        return self._stopped

    def _train(self) -> ExcludedRows:
        return ExcludedRows(self._rows, self._held_out)

    def _drawn(self, width: int) -> FourierFeatures:
        return self._model._fourier_features(self._kernel, width, self._rows)

    def _empty(self, features: FourierFeatures) -> _Stage:
        moments = Moments.empty(features.map_.n_components, self._rows.n_targets)
        return _Stage(features, moments, self._rows.dtype)

    def _plan(self, features: FourierFeatures, beside: int) -> PassPlan | None:
        """The pass over a map, if there is memory for it beside so many bytes."""
        plan, bill = direct_bill(self._train(), features.map_)
        return plan if bill.total + beside <= get_config().memory_budget() else None
