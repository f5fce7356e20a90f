"""scikit-learn callbacks and warnings of a fit."""

from __future__ import annotations

import warnings
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from bochner.data import RowSource
from bochner.errors import IllConditionedWarning, NoSkillWarning
from bochner.fitting import FittedClassifier, FittedRidge, Pass

__all__ = ["CallbackWatch", "warn_of_classifier", "warn_of_ridge"]


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


def warn_of_ridge(fit: FittedRidge, stacklevel: int) -> None:
    """Warn of a penalty that was raised, and of a solver that stopped short."""
    if fit.solution.raised:
        warnings.warn(
            f"The equations are singular to working precision at alpha={fit.rule.alpha!r}; "
            f"alpha={fit.solution.alpha:.3g} was used instead. Choose a larger alpha, fewer features, or float64 "
            "input.",
            IllConditionedWarning,
            stacklevel=stacklevel + 1,
        )
    if fit.relative_error is not None and fit.relative_error >= 1:
        warnings.warn(
            f"The model is no better than the mean: on rows that were left out its error is {fit.relative_error:.3g} "
            "times as large. Try features='auto' with alpha='auto', length_scale='ard' or other inputs.",
            NoSkillWarning,
            stacklevel=stacklevel + 1,
        )
    if fit.solution.status is not None:
        warnings.warn(fit.solution.status, ConvergenceWarning, stacklevel=stacklevel + 1)


def warn_of_classifier(fit: FittedClassifier, stacklevel: int) -> None:
    """Warn of a model without skill, and of a solver that stopped short."""
    solution = fit.solution
    if fit.relative_error is not None and fit.relative_error >= 1:
        warnings.warn(
            f"The model is no better than the frequencies of the classes: on rows that were left out its error is "
            f"{fit.relative_error:.3g} times as large. Try other inputs, or more rows.",
            NoSkillWarning,
            stacklevel=stacklevel + 1,
        )
    if not solution.converged:
        warnings.warn(
            f"The solver stopped after {solution.n_iter} iterations with a relative gap of "
            f"{solution.gap / solution.objective:.2g}. Raise max_iter, alpha or tol.",
            ConvergenceWarning,
            stacklevel=stacklevel + 1,
        )
