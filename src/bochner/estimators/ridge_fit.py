"""How a KernelRegressor is fitted by conjugate gradients."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from bochner._random import Purpose, generator
from bochner._typing import Array
from bochner.data import RowSource
from bochner.errors import IllConditionedWarning, invalid_parameter
from bochner.estimators._sklearn import progress
from bochner.estimators.kernel_model import check_penalties
from bochner.features import FeatureMap
from bochner.memory import MemoryBill, require_memory
from bochner.planning import KEPT, choose_solver, iterative_bill, ridge_bill
from bochner.solvers import Ending, IterativeSolution, solve_ridge_iteratively
from bochner.statistics import CheckpointFile, PassPlan, RowIdentity, StreamedNormal, identify, plan_pass

if TYPE_CHECKING:
    from bochner.estimators.regressor import KernelRegressor

__all__ = ["direct_bill", "fit_iteratively", "identity_of_fit", "left_out_rows", "solver_for"]

_VALIDATION_ROWS = 4096


def solver_for(model: KernelRegressor, rows: RowSource) -> str:
    """The solver of a fit: the one asked for, or the one that is faster.

    Rows that can be read only once, or whose number is not known before, and maps of unknown width go to the direct
    one.
    """
    width = model.n_components
    if model.solver != "auto":
        return model.solver
    if model.features is not None or isinstance(width, str) or rows.passes is not None or rows.known_rows is None:
        return "direct"
    return choose_solver(
        n_rows=rows.n_rows,
        n_features=rows.n_features,
        n_components=width,
        n_targets=rows.n_targets,
        alpha=model.alpha,
        dtype=rows.dtype,
        tol=model.tol,
    )


def direct_bill(rows: RowSource, feature_map: FeatureMap) -> tuple[PassPlan, MemoryBill]:
    """How the pass of a direct fit is cut, and what the fit holds."""
    plan = plan_pass(rows.planned_rows, feature_map, rows.n_targets, rows.dtype)
    bill = ridge_bill(
        plan,
        n_features=rows.n_features,
        n_components=feature_map.n_components,
        n_targets=rows.n_targets,
        dtype=rows.dtype,
        reading=rows.read_bytes,
    )
    return plan, bill


def fit_iteratively(model: KernelRegressor, rows: RowSource, checkpoint: CheckpointFile | None) -> IterativeSolution:
    """Choose the penalty and solve; the features of the model are settled.

    With a checkpoint, what an earlier run of the fit left there is gone on from.
    """
    if model.alpha in ("evidence", "loo"):
        raise invalid_parameter(model, "alpha", "'gcv' or a number for solver='iterative'", model.alpha)
    feature_map = model._map()
    bill = iterative_bill(
        n_rows=rows.n_rows,
        n_features=rows.n_features,
        n_components=feature_map.n_components,
        n_targets=rows.n_targets,
        dtype=rows.dtype,
        searched=isinstance(model.alpha, str),
    )
    D = feature_map.n_components
    require_memory(bill, f"Lower n_components (now {D}), or raise the budget with bochner.set_config(memory=...).")
    left_out = _left_out(model, rows)
    operator = StreamedNormal(
        rows, feature_map, fit_intercept=model.fit_intercept, keep=KEPT in bill.items, left_out=left_out
    )
    on_block, finish = progress(model, None, getattr(rows, "X", None), getattr(rows, "Y", None))

    def on_iteration(state: dict[str, Any]) -> bool:
        if checkpoint is not None and checkpoint.due:
            _save(checkpoint, state)
        return on_block(0)

    solution = solve_ridge_iteratively(
        operator,
        alpha=model.alpha,
        alphas=None if model.alphas is None else check_penalties(model, model.alphas),
        tol=model.tol,
        max_iter=model.max_iter,
        validation=None if left_out is None else operator.error_on_left_out,
        seed=model.seed_,
        on_iteration=on_iteration,
        state=None if checkpoint is None else _resumed(checkpoint),
    )
    finish()
    _warn(model, solution)
    return solution


def left_out_rows(fraction: float, n_rows: int, seed: int) -> Array:
    """Rows for validation: a share of them, and no more than 4,096."""
    size = min(_VALIDATION_ROWS, int(np.ceil(fraction * n_rows)))
    return np.sort(generator(seed, Purpose.FOLDS).choice(n_rows, size=size, replace=False))


def _left_out(model: KernelRegressor, rows: RowSource) -> Array | None:
    if model.validation_fraction is None:
        return None
    if rows.distributed:
        raise invalid_parameter(model, "validation_fraction", "None for rows on a cluster", model.validation_fraction)
    return left_out_rows(model.validation_fraction, rows.n_rows, model.seed_)


def identity_of_fit(model: KernelRegressor, rows: RowSource) -> RowIdentity:
    """The checksum of the rows that an iterative fit has used: one more reading pass, without features."""
    left_out = _left_out(model, rows)
    if left_out is None:
        return identify(rows)
    weight = rows.targets()[1]
    weight = np.ones(rows.n_rows) if weight is None else weight.copy()
    weight[left_out] = 0
    return identify(rows, weight=weight)


def _save(checkpoint: CheckpointFile, state: dict[str, Any]) -> None:
    arrays = {name: value for name, value in state.items() if isinstance(value, np.ndarray)}
    checkpoint.save({name: value for name, value in state.items() if name not in arrays}, arrays)


def _resumed(checkpoint: CheckpointFile) -> dict[str, Any] | None:
    found = checkpoint.load()
    return None if found is None else {**found[0], **found[1]}


def _warn(model: KernelRegressor, solution: IterativeSolution) -> None:
    if solution.raised:
        warnings.warn(
            f"alpha={model.alpha!r} has no unique solution to working precision; alpha={solution.alpha:.3g} was used "
            "instead.",
            IllConditionedWarning,
            stacklevel=5,
        )
    if solution.ending in (Ending.MAX_ITER, Ending.ROUNDING):
        residual = float(np.max(solution.residuals[-1]))
        warnings.warn(
            f"{solution.ending.value} Relative residual {residual:.1e} after {solution.n_iter} iterations.",
            ConvergenceWarning,
            stacklevel=5,
        )
