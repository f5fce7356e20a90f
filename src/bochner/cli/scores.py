"""How good a model is on rows that it has not seen, beside the simplest one."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.metrics import (
    accuracy_score,
    confusion_matrix,
    log_loss,
    mean_absolute_error,
    mean_squared_error,
    r2_score,
)

from bochner._typing import Array

__all__ = ["score"]

_CONFIDENCE, _NORMAL_QUANTILE = 0.9, 1.6448536


def score(
    model: Any, X: Array, y: Array, y_fit: Array, weight: Array | None, weight_fit: Array | None
) -> dict[str, Any]:
    """Scores on held-out rows, beside a baseline that knows the targets of the fit alone: their mean or shares."""
    classify = hasattr(model, "classes_")
    baseline = (DummyClassifier(strategy="prior") if classify else DummyRegressor()).fit(
        np.zeros((len(y_fit), 1)), y_fit, sample_weight=weight_fit
    )
    return (_classification if classify else _regression)(model, baseline, X, y, weight)


def _regression(model: Any, baseline: Any, X: Array, y: Array, weight: Array | None) -> dict[str, Any]:
    mean, std = model.predict(X, return_std=True)
    guess = baseline.predict(np.zeros((len(y), 1)))
    inside = np.abs(y - mean) <= _NORMAL_QUANTILE * std

    def errors(predicted: Array) -> dict[str, float]:
        return {
            "R2": float(r2_score(y, predicted, sample_weight=weight)) if len(y) > 1 else float("nan"),
            "RMSE": float(np.sqrt(mean_squared_error(y, predicted, sample_weight=weight))),
            "MAE": float(mean_absolute_error(y, predicted, sample_weight=weight)),
        }

    return {
        "rows": len(y),
        "model": errors(mean),
        "baseline": errors(guess),
        "error_bars": {"nominal": _CONFIDENCE, "observed": float(np.average(inside, weights=weight))},
    }


def _classification(model: Any, baseline: Any, X: Array, y: Array, weight: Array | None) -> dict[str, Any]:
    known = np.isin(y, model.classes_)

    def errors(of: Any, rows: Array) -> dict[str, float]:
        chances = np.zeros((len(y), len(model.classes_)))
        chances[:, np.searchsorted(model.classes_, of.classes_)] = of.predict_proba(rows)
        told = None if weight is None else weight[known]
        return {
            "accuracy": float(accuracy_score(y, of.predict(rows), sample_weight=weight)),
            "log loss": float(log_loss(y[known], chances[known], labels=model.classes_, sample_weight=told)),
        }

    labels = np.union1d(y, model.classes_)
    return {
        "rows": len(y),
        "model": errors(model, X),
        "baseline": errors(baseline, np.zeros((len(y), 1))),
        "labels": labels.tolist(),
        "confusion": confusion_matrix(y, model.predict(X), labels=labels, sample_weight=weight).tolist(),
    }
