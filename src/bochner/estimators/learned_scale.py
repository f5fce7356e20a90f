"""Length scales learned before a fit: which rows, which kernels, which targets."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_regressor

from bochner._random import Stream, generator
from bochner._typing import Array
from bochner.data import RowSource
from bochner.errors import invalid_parameter
from bochner.kernels import Stationary, resolve_kernel
from bochner.planning.tuning import TUNING_ROWS, Tuning, candidate_kernels, tune

__all__ = ["TargetsOfRows", "check_learnable", "given_penalty", "kernels_to_try", "learn_scales"]


def kernels_to_try(owner: object, kernel: str | Stationary) -> list[Stationary]:
    """The candidates behind `kernel`: all of them for "auto", else the one it names."""
    return candidate_kernels() if isinstance(kernel, str) and kernel == "auto" else [resolve_kernel(owner, kernel)]


TargetsOfRows = tuple[Array, Array | None]
"""Targets (n, k) and weights (n,) of all rows."""


def learn_scales(model: Any, rows: RowSource, targets: TargetsOfRows, *, width: int) -> Tuning:
    """The scales of the model's kernel, by evidence on a random subsample of the rows."""
    X, Y, weight = subsample(rows, targets, TUNING_ROWS, model.seed_)
    return tune(
        X,
        Y,
        kernels_to_try(model, model.kernel),
        per_feature=model.length_scale == "ard",
        seed=model.seed_,
        sample_weight=weight,
        width=width,
        n_samples=rows.n_rows,
        penalty=given_penalty(model),
    )


def given_penalty(model: Any) -> float | None:
    """The penalty of a ridge fit, if it is a number: the scales are then the best for it. Other losses have others."""
    alpha = model.alpha if is_regressor(model) else None
    return None if alpha is None or isinstance(alpha, str) or alpha == 0 else float(alpha)


def subsample(rows: RowSource, targets: TargetsOfRows, size: int, seed: int) -> tuple[Any, Array, Array | None]:
    """Rows of positive weight in random order, at most `size` of them: X, targets, weights."""
    Y, weight = targets
    present = np.arange(rows.n_rows) if weight is None else np.flatnonzero(weight)
    if len(present) > size:
        present = generator(seed, Stream.TUNING_ROWS).choice(present, size=size, replace=False)
    return rows.take(present), Y[present], None if weight is None else weight[present]


def check_learnable(model: Any) -> None:
    """Refuse what cannot be: a kernel to choose with a scale that is given."""
    if model.kernel == "auto" and model.length_scale not in ("auto", "ard"):
        raise invalid_parameter(model, "length_scale", "'auto' or 'ard' for kernel='auto'", model.length_scale)
