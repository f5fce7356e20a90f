"""Preprocessing steps of a pipeline, described in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline

__all__ = ["in_words"]

_MANY_COLUMNS = 8

_SENTENCES: dict[str, Callable[[Any], str]] = {
    "StandardScaler": lambda step: "brings each column to mean 0 and standard deviation 1",
    "RobustScaler": lambda step: "brings each column to median 0 and its quartiles to distance 1",
    "MinMaxScaler": lambda step: f"brings each column to the range {step.feature_range}",
    "MaxAbsScaler": lambda step: "divides each column by its largest absolute value",
    "SimpleImputer": lambda step: f"replaces missing values by the {step.strategy.replace('_', ' ')} of their column",
    "OneHotEncoder": lambda step: "turns every category into a column of zeros and ones",
    "OrdinalEncoder": lambda step: "numbers the categories of each column",
    "QuantileTransformer": lambda step: f"replaces values by their ranks ({step.output_distribution} law)",
    "PowerTransformer": lambda step: f"makes columns more normal by a {step.method} transform",
    "PCA": lambda step: f"keeps {step.n_components_} principal components",
    "VarianceThreshold": lambda step: "drops constant columns",
}


def in_words(steps: list[tuple[str, Any]]) -> list[str]:
    """One sentence for each step. A step with a `describe` method speaks for itself."""
    return [sentence for name, step in steps for sentence in _step(name, step)]


def _step(name: str, step: Any) -> list[str]:
    if isinstance(step, Pipeline):
        return in_words(step.steps)
    if isinstance(step, ColumnTransformer):
        return [sentence for part in step.transformers_ for sentence in _part(*part)]
    if hasattr(step, "describe"):
        told = step.describe()
        return [told] if isinstance(told, str) else list(map(str, told))
    if step in (None, "passthrough", "drop"):
        return ["dropped" if step == "drop" else "kept as they are"]
    return [f"{name}: {_SENTENCES.get(type(step).__name__, repr)(step)}"]


def _part(name: str, transformer: Any, columns: Any) -> list[str]:
    """Description of a column transformer's step on some columns."""
    if callable(columns) or isinstance(columns, slice):
        chosen = name
    else:
        names = [str(column) for column in columns]
        if not names:
            return []
        more = f" and {len(names) - _MANY_COLUMNS} more" if len(names) > _MANY_COLUMNS else ""
        chosen = ", ".join(names[:_MANY_COLUMNS]) + more
    return [f"{chosen}: {sentence}" for sentence in _step(name, transformer)]
