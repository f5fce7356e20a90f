"""Rows, targets, settings and checkpoint of a regression by another loss than squares."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d

from bochner._sklearn import check_sample_weight
from bochner._typing import Array, ArrayLike, MatrixLike
from bochner.data import RowSource
from bochner.errors import InvalidDataError, invalid_parameter
from bochner.estimators.folds import folds_for
from bochner.estimators.kernel_model import check_penalties, identified
from bochner.estimators.ranges import note_ranges
from bochner.estimators.rows import rows_to_fit
from bochner.fitting import FitCheckpoint, Observed, RegressionSettings
from bochner.solvers import RegressionLoss

if TYPE_CHECKING:
    from bochner.estimators.loss_regressor import LossRegressor

__all__ = ["observed_rows", "open_checkpoint", "regression_settings", "scored_targets"]


def observed_rows(
    model: LossRegressor, X: MatrixLike, y: ArrayLike | None, sample_weight: ArrayLike | None
) -> tuple[RowSource, Observed]:
    """The rows, and their targets with their weights."""
    rows, targets = rows_to_fit(model, X, y, sample_weight, reset=True, y_numeric=True)
    note_ranges(model, rows, reset=True)
    weight = None if rows.arrays is None else rows.arrays.sample_weight
    if targets is None:
        targets, weight = rows.targets()
    if targets.ndim > 1 and targets.shape[1] > 1:
        raise InvalidDataError(f"y must be one target. Got {targets.shape[1]}.")
    if rows.arrays is not None and model.uses_landmarks(rows):
        rows = replace(rows.arrays, dtype=np.dtype(np.float64))  # as its features
    ones = np.ones(rows.n_rows)
    return rows, Observed(
        np.asarray(targets, dtype=float).reshape(-1), ones if weight is None else weight.astype(float)
    )


def regression_settings(
    model: LossRegressor, loss: RegressionLoss, rows: RowSource, *, conformal: bool
) -> RegressionSettings:
    """The parameters of an estimator as a value, for some rows."""
    return RegressionSettings(
        features=model.feature_settings(model.seed_, rows),
        loss=loss,
        alpha=None if isinstance(model.alpha, str) else float(model.alpha),
        alphas=check_penalties(model, model.alphas),
        folds=partial(folds_for, model.alpha, model.cv),
        fit_intercept=model.fit_intercept,
        tol=model.tol,
        max_iter=model.max_iter,
        conformal=conformal,
    )


def open_checkpoint(model: LossRegressor, rows: RowSource, observed: Observed) -> FitCheckpoint | None:
    """The checkpoint of this fit, with what an earlier run of it left there."""
    if model.checkpoint is None:
        return None
    if hasattr(model.cv, "__next__"):
        raise invalid_parameter(model, "cv", "a number, splitter or list with a checkpoint", model.cv)
    own = sorted(model.get_params(deep=False).keys() - {"checkpoint"})
    identity = model.checkpoint_identity(rows) | {name: identified(getattr(model, name)) for name in own}
    identity["checksum of the targets"] = f"{crc32(observed.weight.tobytes(), crc32(observed.y.tobytes())):08x}"
    return FitCheckpoint.of_iterations(model.checkpoint, identity, rows)


def scored_targets(loss: RegressionLoss, y: ArrayLike, sample_weight: ArrayLike | None) -> tuple[Array, Array]:
    """Targets and weights that predictions are compared with."""
    targets = column_or_1d(check_array(y, ensure_2d=False, dtype=float, input_name="y"), warn=True)
    given = check_sample_weight(sample_weight, targets[:, None])
    weight: Array = np.ones(len(targets)) if given is None else given
    check_consistent_length(targets, weight)
    wrong = loss.problem_with(targets[weight > 0], weight[weight > 0])
    if wrong is not None:
        raise InvalidDataError(f"y {wrong}.")
    return targets, weight
