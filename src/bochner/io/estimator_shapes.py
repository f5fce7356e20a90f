"""Rules for fitted estimators: one number of columns for all that a fit leaves, and all that its methods read.

Without them a forged file is loaded and ends in an error of NumPy's or scikit-learn's when it is used. scikit-learn
does not declare what its estimators keep: the tables here do, for those that files may have (`bochner.io.types`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import get_type_hints

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import FeatureUnion, Pipeline

from bochner._typing import Array, JsonDict
from bochner.fitting import FittedClassifier
from bochner.io.hints import accepts, is_numbers
from bochner.io.schema import schema_of
from bochner.tables import TableEncoder
from bochner.tables.kinds import column_of

__all__ = ["columns_fit"]

_NEEDED: dict[str, tuple[str, ...]] = {
    "PCA": ("components_", "mean_"),
    "TruncatedSVD": ("components_",),
    "VarianceThreshold": ("variances_",),
    "MissingIndicator": ("features_",),
    "SimpleImputer": ("statistics_", "indicator_"),
    "Nystroem": ("components_", "normalization_"),
    "RBFSampler": ("random_weights_", "random_offset_"),
    "MultiOutputClassifier": ("estimators_",),
    "MultiOutputRegressor": ("estimators_",),
    "ColumnTransformer": ("transformers_", "sparse_output_", "output_indices_"),
    "TransformedTargetRegressor": ("regressor_", "transformer_"),
    "KBinsDiscretizer": ("bin_edges_", "n_bins_"),
    "LabelBinarizer": ("classes_", "y_type_", "sparse_input_"),
    "LabelEncoder": ("classes_",),
    "MaxAbsScaler": ("scale_", "max_abs_"),
    "MinMaxScaler": ("scale_", "min_", "data_min_", "data_max_"),
    "OneHotEncoder": ("categories_", "drop_idx_"),
    "OrdinalEncoder": ("categories_",),
    "PolynomialFeatures": ("n_output_features_",),
    "PowerTransformer": ("lambdas_",),
    "QuantileTransformer": ("quantiles_", "references_"),
    "RobustScaler": ("center_", "scale_"),
    "StandardScaler": ("mean_", "scale_", "n_samples_seen_"),
    "TargetEncoder": ("encodings_", "categories_", "target_mean_", "classes_"),
    **dict.fromkeys(("ElasticNet", "Lasso", "LinearRegression", "Ridge", "LinearSVR"), ("coef_", "intercept_")),
    **dict.fromkeys(("LogisticRegression", "LinearSVC"), ("coef_", "intercept_", "classes_")),
}
"""What methods of a fitted estimator of scikit-learn read."""

_BY_COLUMN: tuple[str, ...] = (
    *("mean_", "var_", "scale_", "center_", "min_", "data_min_", "data_max_", "data_range_", "max_abs_", "lambdas_"),
    *("statistics_", "variances_", "bin_edges_", "n_bins_", "quantiles_", "components_", "coef_"),
)
"""Arrays of scikit-learn's whose last axis is that of the columns; None, if a parameter has switched them off."""

_TEXTS = ("statistics_", "bin_edges_")  # arrays of objects, too
_is_integer = accepts(int)


def columns_fit(value: BaseEstimator) -> bool:
    """Whether what a fit has left speaks of the same columns, and is all there."""
    state, foreign = vars(value), type(value).__module__.startswith("sklearn.")
    d = state.get("n_features_in_")
    if not _parts_fit(value, state) or (foreign and not _is_complete(type(value).__name__, state)):
        return False
    if d is None:
        return True
    if not _is_integer(d) or not _names_fit(state.get("feature_names_in_"), d):
        return False
    return _foreign_columns(state, d) if foreign else _own_columns(value, state, d)


def _parts_fit(value: BaseEstimator, state: JsonDict) -> bool:
    """Steps of pipelines and columns of tables."""
    if isinstance(value, (Pipeline, FeatureUnion)):
        return _are_steps(state.get("steps", state.get("transformer_list")))
    return type(value) is not TableEncoder or all(map(_is_column, state.get("columns_", ())))


def _foreign_columns(state: JsonDict, d: int) -> bool:
    levels = "references_" not in state or len(state["quantiles_"]) == np.size(state["references_"])
    return levels and all(_has_columns(state, name, d) for name in _BY_COLUMN)


def _is_complete(name: str, state: JsonDict) -> bool:
    """Whether an estimator that is fitted, or says so, has what its methods read."""
    fitted = any(each.endswith("_") and not each.startswith("_") for each in state)
    return not fitted or all(each in state for each in _NEEDED.get(name, ()))


def _are_steps(steps: Sequence[Sequence[object]] | None) -> bool:
    """Pairs of a name and an estimator or a word, in a list or tuple."""
    return (
        steps is not None
        and type(steps) in (list, tuple)
        and all(type(each) in (list, tuple) and len(each) == 2 and type(each[0]) is str for each in steps)
    )


def _names_fit(names: Array | None, d: int) -> bool:
    if names is None:
        return True
    array = type(names) is np.ndarray and names.shape == (d,)
    return array and all(type(each) is str for each in names.tolist())


def _has_columns(state: JsonDict, name: str, d: int) -> bool:
    array = state.get(name)
    if array is None:
        return True
    numbers = is_numbers(array) or (type(array) is np.ndarray and name in _TEXTS)
    return numbers and array.ndim > 0 and array.shape[-1] == d


def _own_columns(value: BaseEstimator, state: JsonDict, d: int) -> bool:
    """Ranges, spreads, classes, settings and the maps of a fitted model of ours."""
    shapes = {"column_ranges_": (2, d), "column_spreads_": (d,)}
    if not all(_floats(state.get(name), shape) for name, shape in shapes.items()):
        return False
    if not _floats(state.get("target_ranges_"), (2, getattr(state.get("fitted_"), "n_targets", 0))):
        return False
    if not _are_levels(state.get("level_columns_"), d):
        return False
    widths = map(_width, _maps(state))
    return _settings_fit(value, state) and all(width in (None, d) for width in widths) and _classes_fit(state)


def _settings_fit(value: BaseEstimator, state: JsonDict) -> bool:
    """Whether all that is declared is there, and the settings of the fit are parameters."""
    schema = schema_of(value)
    declared = {name for name in schema.tests if name.endswith("_")}
    return declared <= state.keys() and state.get("_settings_of_fit", {}).keys() <= schema.parameters.keys()


def _maps(state: JsonDict) -> list[object]:
    """Feature maps of a fitted model, and those that they hold."""
    maps = [state.get("map_"), state.get("_feature_map"), getattr(state.get("fitted_"), "feature_map", None)]
    return [*maps, *(getattr(each, "waves", None) for each in maps)]


def _floats(array: Array | None, shape: tuple[int, ...]) -> bool:
    return array is None or (is_numbers(array) and array.dtype.kind == "f" and array.shape == shape)


def _are_levels(columns: Array | None, d: int) -> bool:
    """First and last columns of categories, from left to right; files of earlier versions have none."""
    if columns is None:
        return True
    pairs = type(columns) is np.ndarray and columns.dtype == np.int64 and columns.ndim == 2 and columns.shape[1] == 2
    ordered = pairs and np.all(np.diff(np.r_[0, columns.ravel(), d]) >= 0)
    return bool(ordered and np.all(columns[:, 0] < columns[:, 1]))


def _width(features: object) -> int | None:
    """Columns of the rows of a map; None if it does not tell."""
    for name in ("landmarks", "omega"):
        if type(array := getattr(features, "__dict__", {}).get(name)) is np.ndarray:
            return int(array.shape[1])
    told = getattr(features, "n_features", None)
    return None if told is None else int(told)


def _classes_fit(state: JsonDict) -> bool:
    """One column of coefficients a class, or one for two of them."""
    classes, fitted = state.get("classes_"), state.get("fitted_")
    if classes is None or type(fitted) is not FittedClassifier:
        return True
    k = fitted.solution.coef.shape[1]
    return len(classes) == k if k > 1 else len(classes) in (1, 2)


def _is_column(state: JsonDict) -> bool:
    """A column of a table as a dict of its fields, each of its declared type."""
    column = column_of(state)
    hints = get_type_hints(type(column))
    typed = all(accepts(hints[each.name])(getattr(column, each.name)) for each in fields(column))
    return typed and column.is_consistent()
