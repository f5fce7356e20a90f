"""Length scales learned before a fit: which rows, which kernels, which targets."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_regressor

from bochner._random import Purpose, generator
from bochner._typing import Array
from bochner.config import get_config
from bochner.data import RowSource
from bochner.errors import invalid_parameter
from bochner.kernels import Stationary, resolve_kernel
from bochner.tuning import (
    COMPARED_ROWS,
    FEWEST_ROWS,
    TUNING_ROWS,
    Tuning,
    candidate_kernels,
    tune,
    tune_classifier,
)

__all__ = ["TargetsOfRows", "check_learnable", "given_penalty", "kernels_to_try", "learn_scales"]


def kernels_to_try(owner: object, kernel: str | Stationary) -> list[Stationary]:
    """The candidates behind `kernel`: all of them for "auto", else the one it names."""
    return candidate_kernels() if isinstance(kernel, str) and kernel == "auto" else [resolve_kernel(owner, kernel)]


TargetsOfRows = tuple[Array, Array | None]
"""Targets (n, k) and weights (n,) of all rows; of a classifier, labels (n,) 0 ... n_classes - 1."""

_SHARE_OF_BUDGET = 0.125  # of memory, for the rows that a classifier's scales are learned from
_COPIES = 4  # of those rows, in float64


def learn_scales(model: Any, rows: RowSource, targets: TargetsOfRows, *, width: int) -> Tuning | None:
    """The scales of the model's kernel, learned on a random subsample of the rows; None: there are too few rows."""
    if not is_regressor(model):
        return _learn_from_labels(model, rows, targets, width)
    X, Y, weight = subsample(rows, targets, TUNING_ROWS, model.seed_)
    setting = _setting(model, rows, weight, width)
    return tune(X, Y, exact=model.features == "nystroem", penalty=given_penalty(model), **setting)


def _setting(model: Any, rows: RowSource, weight: Array | None, width: int) -> dict[str, Any]:
    """What tuning of every model takes."""
    return {
        "kernels": kernels_to_try(model, model.kernel),
        "per_feature": model.length_scale == "ard",
        "seed": model.seed_,
        "sample_weight": weight,
        "width": width,
        "n_samples": rows.n_rows,
    }


def _learn_from_labels(model: Any, rows: RowSource, targets: TargetsOfRows, width: int) -> Tuning | None:
    labels, weight = targets
    total = float(len(labels) if weight is None else weight.sum())
    affordable = int(_SHARE_OF_BUDGET * get_config().memory_budget() / (_COPIES * 8 * rows.n_features))
    available = min(affordable, len(labels) if weight is None else np.count_nonzero(weight))
    if available < FEWEST_ROWS and model.length_scale == "auto" and model.kernel != "auto":
        return None
    size = int(np.clip(affordable, FEWEST_ROWS, 2 * TUNING_ROWS))  # half of them to choose among what the others say
    X, labels, weight = subsample(rows, targets, size, model.seed_)
    penalty = None if isinstance(model.alpha, str) else float(model.alpha) / total
    return tune_classifier(X, labels, penalty=penalty, **_setting(model, rows, weight, width))


def given_penalty(model: Any) -> float | None:
    """The penalty of a ridge fit, if it is a number: the scales are then the best for it. Other losses have others."""
    alpha = model.alpha if is_regressor(model) else None
    return None if alpha is None or isinstance(alpha, str) or alpha == 0 else float(alpha)


def subsample(rows: RowSource, targets: TargetsOfRows, size: int, seed: int) -> tuple[Any, Array, Array | None]:
    """Rows of positive weight in random order, at most `size` of them: X, targets, weights.

    Few rows, of which every stage of the tuning sees all, keep their order: a weight of 2 is a row given twice.
    """
    Y, weight = targets
    present = np.arange(rows.n_rows) if weight is None else np.flatnonzero(weight)
    if len(present) > min(size, COMPARED_ROWS):
        size = min(size, len(present))
        present = generator(seed, Purpose.TUNING_ROWS).choice(present, size=size, replace=False)
    return rows.take(present), Y[present], None if weight is None else weight[present]


def check_learnable(model: Any) -> None:
    """Refuse what cannot be: a kernel to choose with a scale that is given."""
    if model.kernel == "auto" and model.length_scale not in ("auto", "ard"):
        raise invalid_parameter(model, "length_scale", "'auto' or 'ard' for kernel='auto'", model.length_scale)
