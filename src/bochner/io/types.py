"""Fixed table of the types in model files. A file names its types by the keys of this table, and no others are made.

Classes of users are the exception: `bochner.io.user_types`. A name is part of the file format: a class that moves keeps
the name it had.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

import numpy as np
from scipy.sparse import csr_array

from bochner.io.user_types import is_data, user_name

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
    "fitting",
    "comparison",
    "estimators",
)

# Data behind those, and classes of another kind: module, and its names, which files have after the package.
_INSIDE = {
    "features.base": ("TransformerMap",),
    "groups.combined": ("_Composed",),
    "features.nystroem": ("KernelMap", "NystroemMap"),
    "solvers.low_rank_spread": ("LowRankSpread",),
    "solvers.preconditioner": ("SampledRows", "ShiftedFactor", "SubsampleGram"),
    "comparison.sequential": ("ConformalEvidence",),
    "estimators.pre_image": ("PreImages", "ScoreMap"),
    "io.frequencies": ("SeededMap",),
    "io.landmarks": ("LandmarkMap",),
    "io.statistics": ("MomentsSummary", "PackedMoments", "PenaltySummary", "SpreadSummary"),
}

# Classes that have moved keep the package that files know them by.
_MOVED: dict[str, dict[str, tuple[str, ...]]] = {
    "planning": {"tuning": ("Stage", "Tuning"), "fitting": ("WidthCurve",)},
    "estimators": {"tables": ("TableEncoder",), "fitting": ("ConformalScores",)},
}

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
    """Every type of the fixed table, by its name in files."""
    table: dict[str, type] = {}
    for package in _PACKAGES:
        table.update(_exported(package))
    for path, names in _INSIDE.items():
        table.update(_named(path.split(".")[0], f"bochner.{path}", names))
    for package, moved in _MOVED.items():
        for path, names in moved.items():
            table.update(_named(package, f"bochner.{path}", names))
    for package, names in _SCIKIT_LEARN.items():
        table.update(_named("sklearn", f"sklearn.{package}", names))
    return table


def _exported(package: str) -> dict[str, type]:
    module = import_module(f"bochner.{package}")
    exported = {f"{package}.{name}": getattr(module, name) for name in module.__all__}
    return {name: value for name, value in exported.items() if isinstance(value, type) and is_data(value)}


def _named(prefix: str, path: str, names: tuple[str, ...]) -> dict[str, type]:
    module = import_module(path)
    return {f"{prefix}.{name}": getattr(module, name) for name in names}


@cache
def _names() -> dict[type, str]:
    return {type_: name for name, type_ in types_by_name().items()}


def name_of(type_: type) -> str | None:
    """The name of a type in files: that of the table, or "module:Class" for a user's; None if it cannot be in one."""
    return _names().get(type_) or user_name(type_)


def trusted_types() -> list[str]:
    """Full names of the types inside our models, for formats that ask for a list of trusted ones (skops, MLflow)."""
    ours = [type_ for type_ in types_by_name().values() if type_.__module__.startswith("bochner.")]
    return sorted({f"{type_.__module__}.{type_.__qualname__}" for type_ in [*ours, csr_array, np.dtype]})
