"""Exact kernel ridge regression on more rows than can be factorised: the penalty from a sample, then iterations.

The penalty is searched by exact leave-one-out errors of 3,000 rows, as for few rows. A second machine, without 2,000
rows, is solved with the first one, in the same tiles: its errors on these rows calibrate error bars, if anything does.
Of classes with so many rows that these hardly teach anything, it is the only one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from bochner._random import Purpose, generator
from bochner._typing import Array
from bochner.data import RowSource
from bochner.engines import OnPart
from bochner.features.nystroem import KernelMap
from bochner.features.pivoting import pivoted_rows
from bochner.fitting.checkpoints import FitCheckpoint
from bochner.fitting.exact import ExactMachine
from bochner.fitting.exact_penalty import loss_by_raising, search_penalty
from bochner.fitting.exact_problem import ExactProblem, ordered_rows, rows_of_exact, targets_of
from bochner.fitting.exact_progress import TimeLeft, announce
from bochner.fitting.left_out import LEFT_OUT_ROWS, LeftOut
from bochner.fitting.ridge_model import FittedRidge
from bochner.fitting.watch import Watch
from bochner.kernels import Stationary
from bochner.memory import fits, require_memory
from bochner.planning import PILOT_ROWS, exact_fits_in_time, require_time
from bochner.solvers import (
    CANDIDATES,
    KernelBudget,
    KernelProblem,
    KernelSolver,
    LandmarkFeatures,
    PenaltyRule,
    Settling,
    SolverContext,
    float32_penalty,
    kernel_budget,
    kernel_matrix_bill,
)
from bochner.solvers.conjugate_gradient import State
from bochner.statistics import identify
from bochner.statistics.kernel_product import KernelProduct
from bochner.tuning import Tuning

if TYPE_CHECKING:
    from bochner.fitting.ridge import RidgeSettings

__all__ = [
    "bears_float32",
    "fit_exact_iteratively",
    "kernel_problem",
    "landmark_numbers_among",
    "smallest_single",
]

_LEFT_OUT_SHARE = 5  # one of so many rows is left out at most
_HARDLY_ANY = 25  # one of so many rows that are left out teaches next to nothing
_SMALLEST = 1e-7  # of k(x, x): a penalty of 0, or below the rounding of K, is raised to it
_CONDITION = 100.0  # of the preconditioned equations, for a penalty that is chosen: some 20 iterations
_MARGIN = 32.0  # times the penalty at which float32 tiles are rounding: at 8, iterations of 36,000 rows diverged
_DOUBLE_MARGIN = 1e3  # times float64 rounding of the trace: at 6, iterations of 700 rows diverged with one BLAS thread
_CLEAR = 16.0  # the same of a given penalty, which is raised below it; at 64 iterations converge
_WORTH_DOUBLE = 0.03  # of the logarithm of a mean squared error: float64 tiles take two to three times as long
_ROUNDING = 1e-9
_UNSOLVED = 30.0  # times a chosen penalty that could not be solved is the next one
_PATIENT_CONDITION = 2000.0  # some 200 iterations at most, where a larger penalty costs accuracy
_FACTOR_ROWS = 20_000  # up to which targets without noise, whose penalty iterations cannot bear, have a factor
_WORTH_ITERATIONS = 0.02  # of the logarithm of a mean squared error
_CONDITION_WITH_TILES = 400.0  # some 40 iterations, where a product takes a fifth of the time


def fit_exact_iteratively(
    rows: RowSource,
    kernel: Stationary,
    tuning: Tuning | None,
    settings: RidgeSettings,
    *,
    watch: Watch,
    checkpoint: FitCheckpoint | None = None,
    searched: float | None = None,
) -> tuple[FittedRidge, LeftOut]:
    """The exact machine of rows in memory, and its errors on rows that are left out of it; none of very few rows.

    `searched`: the penalty that was chosen on some of the rows, if it was. Many rows of classes whose model was chosen,
    too, then teach all but those that are left out, in half of the systems.
    """
    solver = cast("KernelSolver", settings.solver)
    ordered = ordered_rows(rows_of_exact(rows), settings.seed)
    chosen = isinstance(settings.rule.alpha, str)
    m, with_all = _left_out(settings, ordered.n_rows, model_chosen=searched is not None)
    columns = rows.n_targets * (1 + with_all)
    budget = kernel_budget(ordered.n_rows, rows.n_features, columns, PILOT_ROWS if chosen else 0)
    require_memory(budget.bill, "Use features='nystroem', or raise the budget with bochner.set_config(memory=...).")
    require_time(ordered.n_rows, rows.n_features, iterative=True, kept=budget.room > 0)
    drawn = settings.features.draw_exact(kernel, ordered, tuning)
    dense = ExactProblem.of(drawn.map, *targets_of(ordered), settings.rule.fit_intercept).in_fewer_columns()
    rule = _above_rounding(settings.rule, dense)
    schema = solver.state_schema(ordered.n_rows, columns, rule)
    state = None if checkpoint is None else checkpoint.resumed_state(schema)
    known = searched if state is None else float(state["alpha"])
    wanted = _penalty(dense.in_units(settings.alike), rule, tuning) if known is None else known
    single = bears_float32(dense, settings, wanted, known=state is not None)
    problem = kernel_problem(dense, budget, wanted, m, settings.seed, settling=_settling(settings), single=single)
    problem = replace(problem, with_all=with_all)
    if checkpoint is not None and state is not None:
        checkpoint.file.require(problem.fault(state))
    if state is None and chosen:
        least = _least_penalty(problem, dense, settings, can_be_factorised=_can_be_factorised(rows))
        if least is None:
            return ExactMachine.of(rows, kernel, tuning, settings).fit()
        problem = replace(problem, alpha=max(problem.alpha, least))
    announce(problem)
    on_block, finish = watch.begin(None)
    on_iteration = _on_iteration(on_block, checkpoint, TimeLeft(solver.tol, solver.max_iter))
    found = solver.solve_all(problem, SolverContext(on_iteration=on_iteration, state=state))
    while chosen and not found.is_solved:
        problem = replace(problem, alpha=_UNSOLVED * problem.alpha)
        found = solver.solve_all(problem, SolverContext(on_iteration=on_iteration))
    finish()
    alpha = problem.alpha
    fit = FittedRidge(
        features=drawn.transformer,
        feature_map=drawn.map,
        rule=settings.rule,
        solver=solver,
        row_type=rows.dtype,
        found=replace(found.solution, raised=rule.alpha == 0, at_floor=alpha > wanted),
        tuning=tuning,
        row_identity=identify(rows),
    )
    last = slice(len(dense.Y) - m, None)
    variances = np.maximum(found.variances + dense.values.kernel.variance / alpha, 1.0)
    return fit, LeftOut(found.errors, variances, dense.weight[last], dense.Y[last])


def _left_out(settings: RidgeSettings, n: int, *, model_chosen: bool) -> tuple[int, bool]:
    """Number of rows that are left out of the last machine, and whether there is one of all rows before it."""
    if not settings.calibrates:
        return 0, False
    m = min(LEFT_OUT_ROWS, n // _LEFT_OUT_SHARE)
    return m, not (settings.alike and model_chosen and _HARDLY_ANY * m <= n)


def _settling(settings: RidgeSettings) -> Settling | None:
    """Where iterations of a chosen penalty may end early; those of a given one may not."""
    if not isinstance(settings.rule.alpha, str):
        return None
    return Settling.of_classes() if settings.alike else Settling()


def _least_penalty(
    problem: KernelProblem, dense: ExactProblem, settings: RidgeSettings, *, can_be_factorised: bool
) -> float | None:
    """The least penalty for iterations: more of them where a larger one costs accuracy; None: a factor is better."""
    least = _solvable(problem, settings.seed, patient=False)
    if not _costs_accuracy(dense, settings, problem.alpha, least):
        return least
    least = _solvable(problem, settings.seed, patient=True)
    return None if can_be_factorised and _costs_accuracy(dense, settings, problem.alpha, least) else least


def _costs_accuracy(dense: ExactProblem, settings: RidgeSettings, alpha: float, raised: float) -> bool:
    """Whether a larger penalty than the one that was chosen predicts rows that are left out worse."""
    rule = settings.rule.alpha
    if raised <= alpha or not isinstance(rule, str):
        return False
    few = dense.in_units(settings.alike).last(PILOT_ROWS)
    return loss_by_raising(few, rule, alpha, raised) > _WORTH_ITERATIONS


def _can_be_factorised(rows: RowSource) -> bool:
    """Whether a Cholesky factor of the kernel matrix of up to 20,000 rows is within the budgets of memory and time."""
    n, d = rows.n_rows, rows.n_features
    bill = kernel_matrix_bill(n, d, rows.n_targets)
    return n <= _FACTOR_ROWS and fits(bill.total) and exact_fits_in_time(n, d, iterative=False)


def _above_rounding(rule: PenaltyRule, dense: ExactProblem) -> PenaltyRule:
    """The rule, with 0 in place of a given penalty that is not clear of the rounding of the kernel matrix."""
    rounding = _CLEAR * len(dense.Y) * np.finfo(float).eps * _largest(dense)
    return rule if isinstance(rule.alpha, str) or rule.alpha > rounding else replace(rule, alpha=0.0)


def _penalty(problem: ExactProblem, rule: PenaltyRule, tuning: Tuning | None) -> float:
    """The penalty of the model: given, or the best by a criterion on some thousand rows; 0 is raised."""
    return search_penalty(problem.last(PILOT_ROWS), rule.alpha, rule.alphas, tuning) or _SMALLEST * _largest(problem)


def _largest(problem: ExactProblem) -> float:
    """k(x, x)."""
    return float(np.max(problem.values.diagonal(problem.values.points[:1])))


def bears_float32(dense: ExactProblem, settings: RidgeSettings, wanted: float, *, known: bool) -> bool:
    """Whether tiles may be float32: with a given penalty, or one from a checkpoint, if it is above their rounding.

    One that is to be chosen may be raised there, unless rows that are left out then are predicted clearly worse: smooth
    kernels of long scales want penalties of a millionth.
    """
    least = smallest_single(dense)
    if not np.isfinite(least):
        return False
    if not isinstance(settings.rule.alpha, str):
        return least <= _MARGIN * wanted
    if known or wanted >= least:
        return wanted >= (1 - _ROUNDING) * least
    few = dense.in_units(settings.alike).last(PILOT_ROWS)
    return loss_by_raising(few, settings.rule.alpha, wanted, least) <= _WORTH_DOUBLE


def smallest_single(dense: ExactProblem) -> float:
    """The least penalty that is chosen with float32 tiles; infinite where there are none."""
    return _MARGIN * float32_penalty(_double_product(dense), dense.weight)


def _double_product(dense: ExactProblem) -> KernelProduct:
    return KernelProduct(dense.values.kernel, dense.values.points, precision=np.dtype(float))


def _solvable(problem: KernelProblem, seed: int, *, patient: bool) -> float:
    """The least penalty that some dozen iterations and the tiles can solve, or up to two hundred.

    The preconditioned condition number is 1 + ||K - Z Z'|| / alpha; with tiles that are kept it may be larger.
    """
    condition = _CONDITION_WITH_TILES if problem.working.room else _CONDITION
    single = _MARGIN * float32_penalty(problem.product, problem.weight) if problem.bears_float32 else 0.0
    double = _DOUBLE_MARGIN * np.finfo(float).eps * float(np.sum(problem.product.diagonal()) * np.max(problem.weight))
    return max(problem.unexplained(seed) / (_PATIENT_CONDITION if patient else condition), single, double)


def _on_iteration(on_block: OnPart, checkpoint: FitCheckpoint | None, left: TimeLeft) -> Callable[[State], bool]:
    """Callbacks and the log see every iteration, and the checkpoint is saved after some of them."""

    def told(state: State) -> bool:
        left.told(state)
        if checkpoint is not None:
            checkpoint.save_state(state)
        return on_block(0)

    return told


def kernel_problem(
    dense: ExactProblem,
    budget: KernelBudget,
    alpha: float,
    n_left_out: int,
    seed: int,
    *,
    settling: Settling | None,
    single: bool,
) -> KernelProblem:
    """The systems, with landmarks by pivoted Cholesky among some rows.

    `settling`: None unless the penalty was chosen, and may yet be raised. `single`: tiles and features of the landmarks
    are float32.
    """
    product, dtype = _double_product(dense), np.dtype(np.float32 if single else np.float64)
    working = replace(product, precision=dtype, room=budget.room, _counter=[0])
    landmarks = landmark_numbers_among(dense.values, budget.n_landmarks, seed)
    return KernelProblem(
        product=product,
        working=working,
        Y=dense.Y,
        weight=dense.weight,
        n_left_out=n_left_out,
        alpha=alpha,
        intercept=dense.intercept,
        features=LandmarkFeatures(product, landmarks, dtype, budget.keep),
        settling=settling,
    )


def landmark_numbers_among(values: KernelMap, size: int, seed: int) -> Array:
    """Numbers of landmarks among the points, by pivoted Cholesky."""
    rng = generator(seed, Purpose.SUBSAMPLE)
    n = len(values.points)
    some = np.sort(rng.choice(n, size=min(n, CANDIDATES * size), replace=False))
    chosen = pivoted_rows(values.points[some], lambda points: replace(values, points=points, _cast={}), size, rng)
    return some[chosen]
