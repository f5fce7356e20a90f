"""Rows, solver, settings and checkpoint of a KernelRegressor fit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bochner._typing import ArrayLike, MatrixLike
from bochner.data import RowSource
from bochner.errors import InvalidDataError, invalid_parameter
from bochner.estimators.kernel_model import check_penalties, identified
from bochner.estimators.levels import level_columns
from bochner.estimators.ranges import note_ranges, note_target_ranges
from bochner.estimators.rows import rows_to_fit
from bochner.fitting import FitCheckpoint, RidgeSettings
from bochner.planning import EXACT_ROWS, choose_solver
from bochner.solvers import DirectSolver, IterativeSolver, KernelSolver, PenaltyRule, RidgeSolver, ToeplitzSolver

if TYPE_CHECKING:
    from bochner.estimators.regressor import KernelRegressor

_FEATURE_TOL, _KERNEL_TOL = 1e-6, 1e-4  # of iterations on random features, and of those on kernel values

__all__ = [
    "needs_random_features",
    "open_checkpoint",
    "passes_of",
    "ridge_rows",
    "ridge_settings",
    "solver_for",
    "solver_of_rows_to_come",
]


def ridge_rows(
    model: KernelRegressor, X: MatrixLike, y: ArrayLike | None, sample_weight: ArrayLike | None, *, reset: bool
) -> tuple[RowSource, bool]:
    """The rows to fit, and whether their target is a single one; with as many targets as before, unless reset."""
    rows, targets = rows_to_fit(model, X, y, sample_weight, reset=reset, multi_output=True, y_numeric=True)
    flat = rows.n_targets == 1 if targets is None else targets.ndim == 1
    if not reset and rows.n_targets != (known := model.fitted_.n_targets):
        raise InvalidDataError(f"y must have {known} targets as before. Got {rows.n_targets}.")
    note_ranges(model, rows, reset=reset)
    note_target_ranges(model, rows, reset=reset)
    before = None if reset else getattr(model, "level_columns_", None)
    model.level_columns_ = level_columns(rows, before) if reset or before is not None else None
    if rows.arrays is not None and model.uses_landmarks(rows):
        rows = replace(rows.arrays, dtype=np.dtype(np.float64))  # as its features: penalties below float32 are common
    return rows, flat


def solver_for(model: KernelRegressor, rows: RowSource) -> RidgeSolver:
    """The solver of a fit: the one asked for, or the one that is faster.

    Rows that can be read only once, or whose number is not known before, and maps of unknown width go to the direct
    one.
    """
    if model.asks_for_exact:
        return _exact_solver(model, rows)
    if model.uses_grid(rows):
        return _grid_solver(model)
    if not isinstance(model.solver, str):
        return model.solver
    return _solver_of_features(model, rows)


def _solver_of_features(model: KernelRegressor, rows: RowSource) -> RidgeSolver:
    """The direct or the iterative solver, by name or by the cost model."""
    landmarks = model.features == "nystroem"
    tol = _tol(model, _KERNEL_TOL if landmarks else _FEATURE_TOL)
    direct, iterative, width = DirectSolver(), IterativeSolver(tol, model.max_iter), model.n_components
    if model.solver != "auto":
        return direct if model.solver == "direct" else iterative
    other_features = model.features is not None and model.features not in ("auto", "fourier", "nystroem")
    if other_features or isinstance(width, str) or rows.passes is not None or rows.known_rows is None:
        return direct
    chosen = choose_solver(
        n_rows=rows.n_rows,
        n_features=rows.n_features,
        n_components=width,
        n_targets=rows.n_targets,
        alpha=model.alpha,
        dtype=rows.dtype,
        tol=tol,
        landmarks=landmarks,
    )
    return direct if chosen == "direct" else iterative


def _exact_solver(model: KernelRegressor, rows: RowSource) -> RidgeSolver:
    """The solver of an exact kernel machine: a factor of the kernel matrix for few rows, else products with it."""
    if not isinstance(model.solver, str):
        raise invalid_parameter(model, "solver", "'auto', 'direct' or 'iterative' for features='exact'", model.solver)
    many = rows.known_rows is not None and rows.n_rows > EXACT_ROWS
    if model.solver == "direct" or (model.solver == "auto" and not many):
        return DirectSolver()
    if model.validation_fraction is not None:
        none = "None for features='exact', which iterates to a promised distance"
        raise invalid_parameter(model, "validation_fraction", none, model.validation_fraction)
    return KernelSolver(_tol(model, _KERNEL_TOL), model.max_iter)


def _tol(model: KernelRegressor, automatic: float) -> float:
    """The tolerance of iterations: the one that is given, else that of their kind."""
    return automatic if isinstance(model.tol, str) else model.tol


def _grid_solver(model: KernelRegressor) -> RidgeSolver:
    """The solver of features on a grid of frequencies."""
    if not isinstance(model.solver, str) or model.solver == "direct":
        raise invalid_parameter(model, "solver", "'auto' or 'iterative' for features='grid'", model.solver)
    return ToeplitzSolver(_tol(model, _FEATURE_TOL), model.max_iter)


def solver_of_rows_to_come(model: KernelRegressor) -> RidgeSolver:
    """The solver of `partial_fit`, which keeps sums of the rows before."""
    if model.uses_grid(None):
        return _grid_solver(model)
    return DirectSolver() if isinstance(model.solver, str) else model.solver


def passes_of(model: KernelRegressor, solver: RidgeSolver, rows: RowSource) -> tuple[int, list[str]]:
    """Passes over the rows by the solver, at most, and what other ones are for."""
    if solver.needs == "products":
        return model.max_iter, []
    again = model.alpha == "auto" and rows.passes is None
    return 2 if model.alpha == "loo" else 1, ["for targets of rows to leave out", "for these rows"] if again else []


def needs_random_features(model: KernelRegressor) -> bool:
    """Whether a solver of products is asked for, which a search for the number of landmarks does not have."""
    solver = model.solver
    return solver == "iterative" if isinstance(solver, str) else solver.needs == "products"


def ridge_settings(model: KernelRegressor, solver: RidgeSolver, rows: RowSource | None) -> RidgeSettings:
    """The parameters of an estimator as a value, for some rows; None: for rows that are still to come."""
    return RidgeSettings(
        owner=type(model).__name__,
        features=model.feature_settings(model.seed_, rows),
        solver=solver,
        rule=PenaltyRule(model.alpha, check_penalties(model, model.alphas), model.fit_intercept),
        interval=model.interval,
        validation_fraction=model.validation_fraction,
        noise=model.noise,
    )


def open_checkpoint(model: KernelRegressor, solver: RidgeSolver, rows: RowSource) -> FitCheckpoint | None:
    """The checkpoint of this fit, with what an earlier run of it left there."""
    if model.checkpoint is None:
        return None
    identity = {"solver": solver.name, **model.checkpoint_identity(rows)}
    if solver.needs == "moments" and not model.may_iterate(rows):
        return FitCheckpoint.of_moments(model.checkpoint, identity)
    names = ("alpha", "alphas", "fit_intercept", "tol", "validation_fraction")
    identity |= {name: identified(getattr(model, name)) for name in names}
    if solver.needs == "fourier_sums":  # a penalty that is given decides the scales, and they the grid
        return FitCheckpoint.of_moments(model.checkpoint, identity)
    return FitCheckpoint.of_iterations(model.checkpoint, identity, rows)
