"""scikit-learn callbacks and warnings of a fit."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from bochner.data import RowSource
from bochner.errors import IllConditionedWarning, LargeWeightWarning, LittleDataWarning, NoSkillWarning, WidthWarning
from bochner.fitting import FittedClassifier, FittedRidge, Pass
from bochner.solvers import LinearSolution

__all__ = ["CallbackWatch", "warn_of_classifier", "warn_of_ridge", "warn_of_rows", "warn_of_solver"]

_FEW_ROWS, _SMALL_SHARE, _LARGE_SHARE = 5, 0.1, 5.0
_NO_SKILL = 1 - 1e-5  # of the error of the mean; a penalty that makes the model the mean has 1, up to what it leaves


class CallbackWatch:
    """Tells the callbacks of an estimator of every pass over its rows."""

    def __init__(self, estimator: Any, rows: RowSource) -> None:
        self._estimator = estimator
        self._X, self._y = getattr(rows, "X", None), getattr(rows, "Y", None)

    def begin(self, n_blocks: int | None) -> Pass:
        """scikit-learn's callback protocol for a pass over blocks."""
        estimator, left = self._estimator, n_blocks or 2**62
        root = estimator._init_callback_context(max_subtasks=n_blocks)
        root.call_on_fit_task_begin(estimator=estimator, X=self._X, y=self._y)

        def on_block(rows: int) -> bool:
            nonlocal left
            left -= 1
            if left < 0:  # a source cut its rows into more blocks than it said
                return False
            task = root.subcontext(task_name="block")
            task.call_on_fit_task_begin(estimator=estimator)
            return bool(task.call_on_fit_task_end(estimator=estimator))

        def finish() -> None:
            root.call_on_fit_task_end(estimator=estimator, X=self._X, y=self._y)

        return on_block, finish


def warn_of_rows(rows: RowSource, stacklevel: int, alpha: float | str | None = None) -> None:
    """Warn of very few rows, and of weights that count for far fewer rows than there are, or for far more.

    Not of weights where rows that are left out choose the penalty: their unit does not matter then. Only of small ones
    where the penalty is given, or chosen for a loss other than the squared one, `alpha` None.
    """
    known = rows.arrays
    if known is None:
        return
    weight = np.ones(known.n_rows) if known.sample_weight is None else known.sample_weight
    n, total = int(np.count_nonzero(weight)), float(np.sum(weight))
    if n <= _FEW_ROWS:
        n_rows = f"{n} row{'' if n == 1 else 's'}"
        told = f"The model is fitted to {n_rows}: what it chooses by them, and its error bars, are guesses."
        warnings.warn(told, LittleDataWarning, stacklevel=stacklevel + 1)
    elif alpha in ("auto", "loo"):
        return
    elif total < _SMALL_SHARE * n:
        warnings.warn(
            f"sample_weight of {n:,} rows sums to {total:.3g}. A weight counts copies of a row: the model takes "
            f"them for as few. If weights only compare rows, multiply them by {n / total:.3g}, for a mean of 1.",
            LittleDataWarning,
            stacklevel=stacklevel + 1,
        )
    elif alpha in ("gcv", "evidence") and total > _LARGE_SHARE * n:
        warnings.warn(
            f"sample_weight of {n:,} rows sums to {total:.3g}. alpha={alpha!r} takes a weight for copies of a row, and "
            "copies that agree say that there is no noise. If weights are exposures or precisions: alpha='auto', or "
            f"divide them by {total / n:.3g}, for a mean of 1.",
            LargeWeightWarning,
            stacklevel=stacklevel + 1,
        )


def warn_of_ridge(fit: FittedRidge, stacklevel: int) -> None:
    """Warn of a penalty that was raised, of no skill, of a width at its limit, and of a solver that stopped short."""
    if fit.solution.raised:
        warnings.warn(
            f"The equations are singular to working precision at alpha={fit.rule.alpha!r}; "
            f"alpha={fit.solution.alpha:.3g} was used instead. Choose a larger alpha, fewer features, or float64 "
            "input.",
            IllConditionedWarning,
            stacklevel=stacklevel + 1,
        )
    if fit.relative_error is not None and fit.relative_error > _NO_SKILL:
        warnings.warn(
            f"The model is no better than the mean: on rows that were left out its error is {fit.relative_error:.2f} "
            "times that of the mean. Try the defaults, if others were set, other inputs, or KernelHuberRegressor if "
            "some targets are far off.",
            NoSkillWarning,
            stacklevel=stacklevel + 1,
        )
    curve = fit.width_curve
    if curve is not None and curve.ended_early:
        warnings.warn(
            f"The search for a width ended at {curve.n_components:,} features, and the last step had lowered the "
            f"squared error by {100 * curve.gain[-1]:.0f} %. More may be better: features='nystroem' or 'fourier' with "
            f"n_components={4 * curve.n_components}.",
            WidthWarning,
            stacklevel=stacklevel + 1,
        )
    if fit.solution.status is not None:
        warnings.warn(fit.solution.status, ConvergenceWarning, stacklevel=stacklevel + 1)


def warn_of_classifier(fit: FittedClassifier, stacklevel: int) -> None:
    """Warn of a model without skill, and of a solver that stopped short."""
    solution = fit.solution
    if fit.relative_error is not None and fit.relative_error > _NO_SKILL:
        warnings.warn(
            f"The model is no better than the frequencies of the classes: on rows that were left out its error is "
            f"{fit.relative_error:.2f} times theirs. Try other inputs, or more rows.",
            NoSkillWarning,
            stacklevel=stacklevel + 1,
        )
    warn_of_solver(solution, stacklevel + 1)


def warn_of_solver(solution: LinearSolution, stacklevel: int) -> None:
    """Warn of a solver that stopped short."""
    if not solution.converged:
        warnings.warn(
            f"The solver stopped after {solution.n_iter} iterations with a relative gap of "
            f"{solution.gap / solution.objective:.2g}. Raise max_iter, alpha or tol.",
            ConvergenceWarning,
            stacklevel=stacklevel + 1,
        )
