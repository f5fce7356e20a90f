"""The parts of scikit-learn that are not public, or still experimental, wrapped once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.base import _fit_context
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight

from bochner.errors import InvalidDataError

__all__ = [
    "CallbackSupportMixin",
    "HasMethods",
    "Interval",
    "StrOptions",
    "check_sample_weight",
    "progress",
    "refuse_lazy",
    "validated",
    "with_callbacks",
]


def validated(method: Callable[..., Any]) -> Callable[..., Any]:
    """Check the constructor's parameters against `_parameter_constraints` before the method runs."""
    return _fit_context(prefer_skip_nested_validation=True)(method)  # type: ignore[no-any-return]


def check_sample_weight(sample_weight: Any, X: Any) -> Any:
    """Weights in float64: finite, not negative, not all zero; None stays None."""
    if sample_weight is None:
        return None
    return _check_sample_weight(sample_weight, X, ensure_non_negative=True)


def refuse_lazy(X: Any) -> None:
    """scikit-learn's message for a lazy frame is obscure; ours says what to do."""
    if hasattr(X, "collect") and not hasattr(X, "__array__"):
        raise InvalidDataError(
            f"X must be a table in memory. Got a {type(X).__name__}: call X.collect() first, or give "
            "bochner.scan_frame(X, target=...) to an estimator that takes scans."
        )


def progress(
    estimator: Any, n_blocks: int | None, X: Any = None, y: Any = None
) -> tuple[Callable[[int], bool], Callable[[], None]]:
    """scikit-learn's callback protocol for a pass over blocks: what to call after each block, and at the end."""
    root = estimator._init_callback_context(max_subtasks=n_blocks)
    root.call_on_fit_task_begin(estimator=estimator, X=X, y=y)

    left = n_blocks or 2**62

    def on_block(rows: int) -> bool:
        nonlocal left
        left -= 1
        if left < 0:  # a source cut its rows into more blocks than it said
            return False
        task = root.subcontext(task_name="block")
        task.call_on_fit_task_begin(estimator=estimator)
        return bool(task.call_on_fit_task_end(estimator=estimator))

    def finish() -> None:
        root.call_on_fit_task_end(estimator=estimator, X=X, y=y)

    return on_block, finish
