"""Rules for scikit-learn's encoders, whose `transform` trusts what `fit` has left behind.

A one-hot encoder makes a sparse matrix of indices that nobody checks, which SciPy's compiled loops then write to;
polynomial features and target encoders hand out memory that they fill only in part if sizes do not fit. No other class
of the table in `bochner.io.types` has compiled code behind its fitted attributes: they go through NumPy and SciPy,
which look at shapes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures, TargetEncoder

from bochner.io.hints import is_numbers
from bochner.io.shapes import fits

__all__: list[str] = []

_HIGHEST_DEGREE = 64
_LOOKS_LIKE_A_NUMBER = re.compile(r"\s*[-+.\d]|nan|inf", re.IGNORECASE)


@fits.register
def _(value: OneHotEncoder) -> bool:
    state = vars(value)
    if "categories_" not in state:
        return True
    categories = state["categories_"]
    if type(categories) is not list or not all(map(_are_categories, categories)):
        return False
    sizes = [len(each) for each in categories]
    if state.get("_infrequent_enabled", False):
        grouped = _grouped_sizes(sizes, state["_infrequent_indices"], state["_default_to_infrequent_mappings"])
    else:
        grouped = sizes
    dropped = state.get("_drop_idx_after_grouping")
    dropped = [None] * len(sizes) if dropped is None else list(dropped)
    outs = state.get("_n_features_outs")
    fitted = len(sizes) == state["n_features_in_"]
    return fitted and grouped is not None and _each(_may_drop, dropped, grouped) and outs == _left(grouped, dropped)


def _are_categories(values: object) -> bool:
    """One array of categories, in order where scikit-learn looks for them by bisection: numbers, and their texts."""
    if type(values) is not np.ndarray or values.ndim != 1:
        return False
    by_bisection = values.dtype.kind in "biuf" or any(map(_LOOKS_LIKE_A_NUMBER.match, map(str, values)))
    return values.dtype.kind == "O" or not by_bisection or bool(np.all(np.sort(values)[:-1] == values[:-1]))


def _grouped_sizes(sizes: list[int], rare: Any, mappings: Any) -> list[int] | None:
    """Numbers of categories after the rare ones of each column became one; None if the mappings are not such."""
    if not _each(_is_subset, rare, sizes):
        return None
    grouped = [size if some is None else size - len(some) + 1 for size, some in zip(sizes, rare)]
    mapped = _each(_is_mapping, mappings, list(zip(sizes, grouped)))
    same = all((a is None) == (b is None) for a, b in zip(rare, mappings))
    return grouped if mapped and same else None


def _each(test: Any, values: Any, sizes: Sequence[Any]) -> bool:
    return type(values) is list and len(values) == len(sizes) and all(map(test, values, sizes))


def _is_subset(rare: Any, size: int) -> bool:
    return rare is None or (_are_indices(rare, size) and len(np.unique(rare)) == len(rare) > 0)


def _is_mapping(mapping: Any, sizes: tuple[int, int]) -> bool:
    size, grouped = sizes
    return mapping is None or (_are_indices(mapping, grouped) and len(mapping) == size)


def _are_indices(values: Any, size: int) -> bool:
    """A vector of integers from 0 to size - 1."""
    integers = is_numbers(values) and values.ndim == 1 and values.dtype.kind in "iu"
    return integers and bool(np.all((values >= 0) & (values < size)))


def _may_drop(index: Any, size: int) -> bool:
    return index is None or (issubclass(type(index), (int, np.integer)) and 0 <= index < size)


def _left(sizes: list[int], dropped: list[Any]) -> list[int]:
    return [size - (index is not None) for size, index in zip(sizes, dropped)]


@fits.register
def _(value: PolynomialFeatures) -> bool:
    state = vars(value)
    if "_n_out_full" not in state:
        return True
    lowest, highest = state["_min_degree"], state["_max_degree"]
    if not 0 <= lowest <= highest <= _HIGHEST_DEGREE:
        return False
    wanted = (_combinations(value, degree) for degree in (lowest, 0))
    return (state["n_output_features_"], state["_n_out_full"]) == tuple(wanted)


def _combinations(value: Any, lowest: int) -> int:
    """Number of the features from a degree on."""
    state = vars(value)
    own = {name: state[name] for name in ("interaction_only", "include_bias")}
    count = type(value)._num_combinations(state["n_features_in_"], lowest, state["_max_degree"], **own)
    return int(count)


@fits.register
def _(value: TargetEncoder) -> bool:
    state = vars(value)
    if "encodings_" not in state:
        return True
    each = len(state["classes_"]) if state["target_type_"] == "multiclass" else 1
    sizes = [len(known) for known in state["categories_"] for _ in range(each)]
    means = np.size(state["target_mean_"]) == each
    encodings = _each(lambda values, size: is_numbers(values) and values.shape == (size,), state["encodings_"], sizes)
    return means and encodings and state["n_features_in_"] == len(state["categories_"])
