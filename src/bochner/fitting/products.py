"""Ridge regression by a solver of products: many passes of products with the normal equations, none of moments."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bochner._dense import dense
from bochner._random import Purpose, generator
from bochner._typing import Array, FloatType
from bochner.data import ArrayRows, RowSource
from bochner.features import FeatureMap
from bochner.features.kernel_tiles import float32_error
from bochner.features.nystroem import KernelMap
from bochner.fitting.checkpoints import FitCheckpoint
from bochner.fitting.exact_penalty import search_penalty
from bochner.fitting.exact_problem import ExactProblem, ordered_rows, targets_of
from bochner.fitting.features import ChosenFeatures
from bochner.fitting.ridge_model import FittedRidge
from bochner.fitting.watch import Watch
from bochner.memory import fits, require_memory
from bochner.planning import PILOT_ROWS
from bochner.solvers import PenaltyRule, SolverContext, iterative_bill, kernel_matrix_bill
from bochner.solvers.conjugate_gradient import State
from bochner.statistics import KEPT_FEATURES, RowIdentity, StreamedNormal, identify

if TYPE_CHECKING:
    from bochner.fitting.ridge import RidgeSettings

__all__ = ["fit_products", "left_out_rows", "solve_products"]

_VALIDATION_ROWS = 4096
_FEWEST = 256  # rows of a search for a penalty
_SHARE_OF_PENALTY, _SINGLE_ACCURACY = 0.01, 1e-5  # up to which rounding to float32 does not matter


def fit_products(
    rows: RowSource, settings: RidgeSettings, watch: Watch, checkpoint: FitCheckpoint | None
) -> FittedRidge:
    """The fit of features, by conjugate gradients or a user's solver of products."""
    chosen, fraction = settings.features.choose(rows), settings.validation_fraction
    left_out = None if fraction is None else left_out_rows(fraction, rows.n_rows, settings.seed)
    return solve_products(rows, chosen, settings, watch=watch, checkpoint=checkpoint, left_out=left_out)


def solve_products(
    rows: RowSource,
    chosen: ChosenFeatures,
    settings: RidgeSettings,
    *,
    watch: Watch,
    checkpoint: FitCheckpoint | None = None,
    left_out: Array | None = None,
    settles: bool = True,
) -> FittedRidge:
    """The fit of features that were chosen; iterations `settle` when the error on rows that are left out does."""
    D, rule = chosen.map.n_components, _settled_rule(rows, chosen, settings)
    searched = isinstance(rule.alpha, str)
    values = _value_type(chosen.map, rows, rule.alpha, settings.solver.accuracy)
    bill = iterative_bill(
        chosen.map,
        n_rows=rows.n_rows,
        n_targets=rows.n_targets,
        dtype=values,
        searched=searched,
        landmarks=chosen.map.unwhitened is not None,
    )
    require_memory(bill, f"Lower n_components (now {D}), or raise the budget with bochner.set_config(memory=...).")
    keep, intercept = KEPT_FEATURES in bill.items, rule.fit_intercept
    operator = StreamedNormal(
        rows, chosen.map, fit_intercept=intercept, keep=keep, left_out=left_out, value_type=values
    )
    on_block, finish = watch.begin(None)

    def on_iteration(state: State) -> bool:
        if checkpoint is not None:
            checkpoint.save_state(state)
        return on_block(0)

    schema = settings.solver.state_schema(D, rows.n_targets, rule)
    context = SolverContext(
        seed=settings.seed,
        validation=None if left_out is None or not settles else operator.error_on_left_out,
        on_iteration=on_iteration,
        state=None if checkpoint is None else checkpoint.resumed_state(schema),
    )
    solution = settings.solver.solve(operator, rule, context)
    finish()
    return FittedRidge(
        features=chosen.drawn.transformer,
        feature_map=chosen.map,
        rule=settings.rule,
        solver=settings.solver,
        row_type=rows.dtype,
        found=solution,
        tuning=chosen.tuning,
        row_identity=_identity(rows, left_out),
    )


def _value_type(feature_map: FeatureMap, rows: RowSource, alpha: float | str, accuracy: float) -> FloatType:
    """Float type of the features: that of the rows; of kernel values against landmarks, float32 where it does.

    Errors of size e in all values are a random matrix of norm 2 e sqrt(n), and e / c of a feature that is whitened by a
    diagonal entry c of the factor, so that its moment grows by n e^2 / c^2. Both are to be a hundredth of the penalty:
    fitted values then move by a hundredth of the residuals, and no feature is rounding.
    """
    bare = feature_map.unwhitened
    if bare is None:
        return rows.dtype
    values, least = bare[0].kernel_values, float(np.min(np.diagonal(bare[1])))
    plain = values is not None and values.transforms is None
    if values is None or not plain or isinstance(alpha, str) or accuracy < _SINGLE_ACCURACY:
        return np.dtype(float)
    weight, error = rows.targets()[1], float32_error(values.kernel, values.points)
    n = rows.n_rows * (1.0 if weight is None else float(np.max(weight)))
    moved = max(4 * error * np.sqrt(n), n * (error / least) ** 2)
    return np.dtype(np.float32 if moved <= _SHARE_OF_PENALTY * alpha else float)


def _settled_rule(rows: RowSource, chosen: ChosenFeatures, settings: RidgeSettings) -> PenaltyRule:
    """With alpha="auto", the penalty of the exact kernel machine by leave-one-out errors on 3,000 rows, if it has one.

    A solver of products has no leverages of its own, and GCV, which averages them, does not see rows far out.
    """
    rule, kernel = settings.rule, chosen.kernel
    if rule.alpha != "auto" or rule.alphas is not None or kernel is None or rows.passes is not None:
        return rule
    sample = ordered_rows(ArrayRows.sampled(rows, _pilot_rows(rows), settings.seed), settings.seed)
    X = dense(sample.X, float)
    problem = ExactProblem(KernelMap(kernel, X), *targets_of(sample), rule.fit_intercept)
    alpha = search_penalty(problem.in_units(settings.alike), "auto", None, chosen.tuning)
    return replace(rule, alpha=alpha)


def _pilot_rows(rows: RowSource) -> int:
    """Rows that a penalty is searched on: 3,000, or as many as the memory budget has room for, 256 at least."""
    size = PILOT_ROWS
    while size > _FEWEST and not fits(kernel_matrix_bill(size, rows.n_features, rows.n_targets).total):
        size = max(size // 2, _FEWEST)
    return size


def left_out_rows(fraction: float, n_rows: int, seed: int) -> Array:
    """Rows for validation: a share of them, and no more than 4,096."""
    size = min(_VALIDATION_ROWS, int(np.ceil(fraction * n_rows)))
    return np.sort(generator(seed, Purpose.FOLDS).choice(n_rows, size=size, replace=False))


def _identity(rows: RowSource, left_out: Array | None) -> RowIdentity:
    """The checksum of the rows that an iterative fit has used: one more reading pass, without features."""
    if left_out is None:
        return identify(rows)
    weight = rows.targets()[1]
    weight = np.ones(rows.n_rows) if weight is None else weight.copy()
    weight[left_out] = 0
    return identify(rows, weight=weight)
