"""Rows, labels, settings and checkpoint of a KernelClassifier fit."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from bochner._typing import Array
from bochner.data import RowSource
from bochner.errors import InvalidDataError, invalid_parameter
from bochner.estimators.folds import folds_for
from bochner.estimators.kernel_model import check_penalties, identified
from bochner.estimators.ranges import note_ranges
from bochner.estimators.rows import rows_to_fit
from bochner.fitting import ClassifierSettings, FeatureSettings, FitCheckpoint, Labels
from bochner.planning import EXACT_ROWS

if TYPE_CHECKING:
    from bochner.estimators.classifier import KernelClassifier

__all__ = ["classifier_settings", "labelled_rows", "loss_for", "open_checkpoint"]

_DECIDE_ITERATIONS = ("alpha", "alphas", "cv", "fit_intercept", "probability", "tol", "max_iter")


def labelled_rows(
    model: KernelClassifier, X: Any, y: Any, sample_weight: Any, known: Array | None = None, *, reset: bool = True
) -> tuple[RowSource, Labels, Array]:
    """The rows, their labels 0 ... n_classes - 1 with their weights, and the classes: those that are known, if any."""
    rows, y = rows_to_fit(model, X, y, sample_weight, reset=reset)
    note_ranges(model, rows, reset=reset)
    weight = None if rows.arrays is None else rows.arrays.sample_weight
    if y is None:
        Y, weight = rows.targets()
        y = column_or_1d(Y)
    check_classification_targets(y)
    classes = _checked_classes(np.unique(y if weight is None else y[weight > 0]), known)
    labels = np.searchsorted(classes, np.where(np.isin(y, classes), y, classes[0]))
    if rows.arrays is not None:
        rows = replace(rows.arrays, Y=labels)  # labels may be text, and blocks have numbers
    model.classes_ = classes
    return rows, Labels(labels, model._row_weights(y, labels, weight, known), len(classes)), classes


def _checked_classes(present: Array, known: Array | None) -> Array:
    """The classes: those that are known, if there are none beside them, or those of the rows."""
    classes = present if known is None else known
    if len(classes) < 2:
        raise InvalidDataError(f"y must have at least two classes. Got 1 class: {classes[0]!r}.")
    unseen = np.setdiff1d(present, classes)
    if len(unseen):
        raise InvalidDataError(
            f"y must have the classes {list(classes)} only. Got {list(unseen)}: "
            "give all classes in the first call of partial_fit."
        )
    return classes


def loss_for(model: KernelClassifier, rows: RowSource | None) -> str:
    """The loss: that of some rows, or of rows that are still to come."""
    if model.loss == "squared_error" and model.alpha == "cv":
        raise invalid_parameter(model, "alpha", "'auto' or a number for loss='squared_error'", model.alpha)
    if model.loss != "auto":
        return model.loss
    if model.asks_for_exact:
        return "squared_error"
    return "squared_error" if model.alpha == "auto" and rows is not None and rows.arrays is not None else "logistic"


def classifier_settings(model: KernelClassifier, rows: RowSource | None) -> ClassifierSettings:
    """The parameters of an estimator as a value, for some rows; None: for rows that are still to come."""
    features = model.feature_settings(model.seed_, rows)
    return ClassifierSettings(
        features=replace(features, few=_few_landmarks(model, rows)),
        loss=loss_for(model, rows),
        alpha=None if isinstance(model.alpha, str) else float(model.alpha),
        alphas=check_penalties(model, model.alphas),
        folds=partial(folds_for, model.alpha, model.cv),
        fit_intercept=model.fit_intercept,
        probability=model.probability,
        tol=model.tol,
        max_iter=model.max_iter,
        may_hinge=model.loss == "auto",
    )


def _few_landmarks(model: KernelClassifier, rows: RowSource | None) -> FeatureSettings | None:
    """Settings of few landmarks for more rows than an exact machine is fitted to, however many; None: without them."""
    known = None if rows is None else rows.arrays
    if known is None or known.n_rows <= EXACT_ROWS:
        return None
    return model.feature_settings(model.seed_, known)


def open_checkpoint(model: KernelClassifier, loss: str, rows: RowSource, labels: Labels) -> FitCheckpoint | None:
    """The checkpoint of this fit, with what an earlier run of it left there."""
    if model.checkpoint is None:
        return None
    identity = {"loss": loss, **model.checkpoint_identity(rows), "class_weight": identified(model.class_weight)}
    iterates = model.may_iterate(rows) or (model.asks_for_exact and rows.n_rows > EXACT_ROWS)
    if loss == "squared_error" and not iterates:
        return FitCheckpoint.of_moments(model.checkpoint, identity)
    if hasattr(model.cv, "__next__"):
        raise invalid_parameter(model, "cv", "a number, splitter or list with a checkpoint", model.cv)
    identity |= {name: identified(getattr(model, name)) for name in _DECIDE_ITERATIONS}
    identity["checksum of the labels"] = f"{crc32(labels.weight.tobytes(), crc32(labels.labels.tobytes())):08x}"
    return FitCheckpoint.of_iterations(model.checkpoint, identity, rows)
