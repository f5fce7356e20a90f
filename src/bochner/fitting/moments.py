"""Ridge fits from moments, step by step: a map, a pass over the rows, the solution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Self

import numpy as np

from bochner._typing import Array, FloatType
from bochner.config import get_config
from bochner.data import ArrayRows, RowSource, left_out_weight
from bochner.engines import engine_of
from bochner.errors import InvalidDataError
from bochner.features import FeatureMap
from bochner.fitting.features import ChosenFeatures, DrawnFeatures
from bochner.fitting.ridge_model import FittedRidge
from bochner.fitting.watch import Silent, Watch
from bochner.fitting.width_rule import WidthCurve
from bochner.memory import MemoryBill, require_memory, return_freed_memory
from bochner.solvers import EigenRidge, PenaltyRule, RidgeSolver, SolverContext, ridge_bill
from bochner.statistics import Moments, MomentsCheckpoint, PassPlan, accumulate, plan_of
from bochner.statistics.leave_one_out import LeaveOneOut
from bochner.tuning import Tuning, outlier_limits

__all__ = ["MomentsFit", "moments_bill", "rows_to_leave_out"]

_DOUBLE: FloatType = np.dtype(np.float64)
_ROUNDING = 1e-12  # of targets, relative to their mean: less is constant
_LEFT_OUT, _SEED = 4000, 0  # rows that choose the penalty of many; the same ones for every seed of the model


def moments_bill(
    rows: RowSource, feature_map: FeatureMap, rule: PenaltyRule | None = None
) -> tuple[PassPlan, MemoryBill]:
    """Plan of the pass of a direct fit, and its memory bill: blocks are what reading leaves room for.

    `rule` is None for a penalty that leaves no rows out.
    """
    plan = plan_of(rows, feature_map)
    leaves_out = rule is not None and rule.alpha in ("auto", "loo") and rows.passes is None
    bill = ridge_bill(
        plan,
        feature_map,
        n_targets=rows.n_targets,
        dtype=rows.dtype,
        reading=rows.read_bytes,
        leaves_out=leaves_out,
    )
    return plan, bill


def rows_to_leave_out(rule: PenaltyRule, rows: RowSource) -> RowSource | None:
    """All rows for "loo", and for "auto" if they are few; else a sample; None for those that are read only once."""
    if rule.alpha != "auto" or (rows.in_memory and rows.n_rows <= _LEFT_OUT):
        return rows
    return None if rows.passes is not None else ArrayRows.sampled(rows, _LEFT_OUT, _SEED)


class MomentsFit:
    """Builder of a ridge fit from moments: pass, solution, precision check. The model so far is `fit`.

    Parameters
    ----------
    fit : FittedRidge
        With the moments of the rows that were added.
    publish : callable
        Called with every state of the fit that is a model.
    """

    def __init__(self, fit: FittedRidge, publish: Callable[[FittedRidge], None] = lambda fit: None) -> None:
        self._publish = publish
        self.fit = fit

    @classmethod
    def drawn(
        cls,
        drawn: DrawnFeatures,
        tuning: Tuning | None,
        rows: RowSource,
        solver: RidgeSolver,
        rule: PenaltyRule,
        *,
        publish: Callable[[FittedRidge], None] = lambda fit: None,
        ledger: MomentsCheckpoint | None = None,
    ) -> Self:
        """Start from a new map and empty moments, or those of a checkpoint, after the memory bill is checked."""
        D = drawn.map.n_components
        remedy = f"Lower n_components (now {D}), or raise the budget with bochner.set_config(memory=...)."
        require_memory(moments_bill(rows, drawn.map, rule)[1], remedy)
        moments = Moments.empty(D, rows.n_targets)
        if ledger is not None:
            ledger.restore(moments)
        fit = FittedRidge(drawn.transformer, drawn.map, rule, solver, rows.dtype, moments=moments, tuning=tuning)
        publish(fit)
        return cls(fit, publish)

    @classmethod
    def begun(
        cls,
        chosen: ChosenFeatures,
        rows: RowSource,
        solver: RidgeSolver,
        rule: PenaltyRule,
        *,
        publish: Callable[[FittedRidge], None],
    ) -> Self:
        """Start from chosen features and empty moments."""
        return cls.drawn(chosen.drawn, chosen.tuning, rows, solver, rule, publish=publish)

    @property
    def moments(self) -> Moments:
        assert self.fit.moments is not None
        return self.fit.moments

    def add(self, rows: RowSource, watch: Watch, ledger: MomentsCheckpoint | None = None) -> Self:
        """One pass: add the moments of the rows."""
        plan, bill = moments_bill(rows, self.fit.feature_map, self.fit.rule)
        if ledger is not None:
            plan = replace(plan, block_rows=ledger.block_rows or plan.block_rows)
        D = self.fit.feature_map.n_components
        require_memory(bill, f"Lower n_components (now {D}), or raise the budget with bochner.set_config(memory=...).")
        on_block, finish = watch.begin(rows.n_blocks(plan.block_rows))
        try:
            accumulate(rows, self.fit.feature_map, self.moments, plan, on_block=on_block, checkpoint=ledger)
        finally:  # a callback may have asked for the solution of fewer rows, which the old value keeps
            self._enter(replace(self.fit, found=None))
        finish()
        return_freed_memory(bill)
        if not self.moments.weight > 0:
            raise InvalidDataError("The sum of sample_weight must be positive. Got 0.")
        return self

    def solved(self, rows: RowSource, left_out: RowSource | None = None, *, alike: bool = False) -> Self:
        """Choose the penalty and solve; "loo" makes one more pass. `left_out`: None for `rows_to_leave_out`.

        Targets that are `alike` count as they are, others in units of their spreads.
        """
        fit = self.fit
        again = rows_to_leave_out(fit.rule, rows) if left_out is None else left_out

        def leave_one_out(solver: EigenRidge, alphas: Array) -> Array:
            assert again is not None
            return self._leave_one_out(again, solver, alphas, alike)

        context = SolverContext(leave_one_out=None if again is None else leave_one_out)
        solution = fit.solver.solve(self.moments, fit.rule, context)
        self._enter(replace(fit, found=solution))
        return_freed_memory(moments_bill(rows, fit.feature_map, fit.rule)[1])
        return self

    def with_width_curve(self, curve: WidthCurve) -> Self:
        """With how the width was found."""
        self._enter(replace(self.fit, width_curve=curve))
        return self

    def in_enough_precision(self, rows: RowSource, *, alike: bool = False) -> Self:
        """Fit again in float64 if float32 is too imprecise for the best penalty, and there is memory for it.

        Callbacks have seen their pass.
        """
        single = self.fit.solution.at_floor and self.fit.precision == np.float32
        if not single or rows.arrays is None:
            return self
        double = replace(rows.arrays, dtype=_DOUBLE)
        if moments_bill(double, self.fit.feature_map, self.fit.rule)[1].total > get_config().memory_budget():
            return self
        moments = Moments.empty(self.fit.feature_map.n_components, rows.n_targets)
        again = MomentsFit(replace(self.fit, moments=moments, found=None))
        again.add(double, Silent()).solved(double, alike=alike)
        self._enter(again.fit)
        return self

    def _leave_one_out(self, rows: RowSource, solver: EigenRidge, alphas: Array, alike: bool) -> Array:
        """Mean squared leave-one-out error of every penalty; of targets that are not alike, with equal shares."""
        engine, feature_map = engine_of(rows), self.fit.feature_map
        plan = moments_bill(rows, feature_map)[0]
        basis = solver.basis(alphas, self.moments, rows.dtype)
        Y, weight = rows.targets()
        removed = None if rows.arrays is None else left_out_weight(rows.arrays.X, Y, weight)
        scale = None if alike else self._target_scale()
        limit = outlier_limits(Y, weight) if self.fit.rule.alpha == "auto" else None
        reduction = LeaveOneOut(engine.ship(feature_map), rows.dtype, basis, plan, removed, scale, limit)
        errors = engine.reduce(rows, reduction, reduction.empty())
        return errors / (float(rows.n_rows if weight is None else weight.sum()) * rows.n_targets)

    def _target_scale(self) -> Array:
        """Factors (t,) that give all targets the same mean square, which the mean over targets keeps."""
        squares, means = self.moments.yy / self.moments.weight, self.moments.y_mean
        varies = squares > (_ROUNDING * means) ** 2
        known = float(np.mean(squares[varies])) if varies.any() else 1.0
        return np.sqrt(np.divide(known, squares, out=np.ones_like(squares), where=varies))

    def _enter(self, fit: FittedRidge) -> None:
        self.fit = fit
        self._publish(fit)
