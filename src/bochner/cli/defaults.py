"""Defaults of `bochner fit` that are not those of `KernelRegressor()` and `KernelClassifier()`, and why."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass

from sklearn.base import BaseEstimator

from bochner._typing import JsonDict
from bochner.tables import Task

__all__ = ["Departure", "departures", "penalty_rule"]

_DIRECT_WIDTH = 4096  # beyond, the iterative solver may be quicker, and it has no leave-one-out

_REASONS = {
    "loo": "leave-one-out sees the leverage of each row, where few rows with gaps mislead GCV",
    "gcv": "leave-one-out is not for more than 4,096 features, which may be solved iteratively",
    "cv": "cross-validation finds a penalty for this table, where a given number suits some",
}


@dataclass(frozen=True)
class Departure:
    """Parameter whose command-line default differs from the library's."""

    parameter: str
    here: str
    library: str
    model: str
    reason: str

    @property
    def sentence(self) -> str:
        return f"{self.parameter}={self.here}, where {self.model}() has {self.library}: {self.reason}"

    def to_dict(self) -> JsonDict:
        return {**asdict(self), "sentence": self.sentence}


def penalty_rule(task: Task, width: int) -> float | str:
    """Default rule for the penalty of a task.

    Leave-one-out sees the leverage of each row. Rows with a gap are few, far from the rest and noisy: GCV takes their
    leverage for the mean one and fits them at any price (tests/cli/test_fit_command.py).
    """
    if task == "classification":
        return "cv"
    return "loo" if width <= _DIRECT_WIDTH else "gcv"


def departures(model: BaseEstimator, asked: Collection[str]) -> list[Departure]:
    """Penalty and width of an unfitted model where they are neither the library's defaults nor asked for by name."""
    library, own = type(model)().get_params(deep=False), model.get_params(deep=False)
    different = [name for name in ("n_components", "alpha") if name not in asked and own[name] != library[name]]
    return [
        Departure(name, repr(own[name]), repr(library[name]), type(model).__name__, _reason(own[name]))
        for name in different
    ]


def _reason(value: float | str) -> str:
    return _REASONS.get(str(value), "what the budget has room for")
