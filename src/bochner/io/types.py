"""The table of types that a model file may hold. A file names them by the keys of this table, and nothing else is made.

A name is part of the file format: a class that moves keeps the name it had.
"""

from __future__ import annotations

from dataclasses import is_dataclass
from enum import Enum
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator

__all__ = ["name_of", "trusted_types", "types_by_name"]

# Packages whose exported dataclasses, enumerations and estimators can be in a file.
_PACKAGES = (
    "kernels",
    "sampling",
    "groups",
    "features",
    "statistics",
    "solvers",
    "planning",
    "comparison",
    "estimators",
)

# Data behind those, and classes of another kind: module, and its names, which files have after the package.
_INSIDE = {
    "features.base": ("TransformerMap",),
    "groups.combined": ("_Composed",),
    "features.nystroem": ("KernelMap", "NystroemMap"),
    "solvers.preconditioner": ("LowRankSpread", "ShiftedFactor", "SubsampleGram"),
    "comparison.sequential": ("ConformalEvidence",),
    "estimators.pre_image": ("PreImages", "ScoreMap"),
    "estimators.intervals": ("ConformalScores",),
    "io.frequencies": ("SeededMap",),
    "io.statistics": ("MomentsSummary", "PackedMoments", "PenaltySummary", "SpreadSummary"),
}

# Classes that have moved keep the package that files know them by.
_MOVED = {"planning": {"tuning": ("Stage", "Tuning")}}

_SCIKIT_LEARN = {
    "compose": ("ColumnTransformer", "TransformedTargetRegressor", "make_column_selector"),
    "decomposition": ("PCA", "TruncatedSVD"),
    "feature_selection": ("VarianceThreshold",),
    "impute": ("MissingIndicator", "SimpleImputer"),
    "kernel_approximation": ("Nystroem", "RBFSampler"),
    "linear_model": ("ElasticNet", "Lasso", "LinearRegression", "LogisticRegression", "Ridge", "RidgeClassifier"),
    "multioutput": ("MultiOutputClassifier", "MultiOutputRegressor"),
    "pipeline": ("FeatureUnion", "Pipeline"),
    "preprocessing": (
        "Binarizer",
        "FunctionTransformer",
        "KBinsDiscretizer",
        "LabelBinarizer",
        "LabelEncoder",
        "MaxAbsScaler",
        "MinMaxScaler",
        "Normalizer",
        "OneHotEncoder",
        "OrdinalEncoder",
        "PolynomialFeatures",
        "PowerTransformer",
        "QuantileTransformer",
        "RobustScaler",
        "StandardScaler",
        "TargetEncoder",
    ),
    "svm": ("LinearSVC", "LinearSVR"),
}


@cache
def types_by_name() -> dict[str, type]:
    """Every type that can be in a model file, by its name there."""
    table: dict[str, type] = {}
    for package in _PACKAGES:
        module = import_module(f"bochner.{package}")
        exported = {name: getattr(module, name) for name in module.__all__}
        table.update({f"{package}.{name}": value for name, value in exported.items() if _is_data(value)})
    for path, names in _INSIDE.items():
        module = import_module(f"bochner.{path}")
        table.update({f"{path.split('.')[0]}.{name}": getattr(module, name) for name in names})
    for package, moved in _MOVED.items():
        for path, names in moved.items():
            module = import_module(f"bochner.{path}")
            table.update({f"{package}.{name}": getattr(module, name) for name in names})
    for package, names in _SCIKIT_LEARN.items():
        module = import_module(f"sklearn.{package}")
        table.update({f"sklearn.{name}": getattr(module, name) for name in names})
    return table


@cache
def _names() -> dict[type, str]:
    return {type_: name for name, type_ in types_by_name().items()}


def name_of(type_: type) -> str | None:
    """The name of a type in files; None if it cannot be in one."""
    return _names().get(type_)


def _is_data(value: Any) -> bool:
    return isinstance(value, type) and (is_dataclass(value) or issubclass(value, (BaseEstimator, Enum)))


def trusted_types() -> list[str]:
    """Full names of the types inside our models, for formats that ask for a list of trusted ones (skops, MLflow)."""
    ours = [type_ for type_ in types_by_name().values() if type_.__module__.startswith("bochner.")]
    return sorted(f"{type_.__module__}.{type_.__qualname__}" for type_ in [*ours, csr_array, np.dtype])
