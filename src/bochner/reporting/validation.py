"""Test scores: regression and classification metrics, coverage of error bars, reliability of probabilities."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn import metrics

from bochner._typing import Array, ArrayLike, JsonDict, MatrixLike
from bochner.errors import BochnerError, InvalidDataError
from bochner.features import map_of, transform
from bochner.fitting import normal_half_widths
from bochner.reporting.diagnosis import diagnosis
from bochner.reporting.row_losses import error_name, quantile_scores
from bochner.reporting.shares import chance_band, true_shares
from bochner.reporting.view import GIVE_ROWS, ModelView, n_rows_of, points_of, sample_rows

__all__ = ["coverage", "reliability", "scores"]

_LEVELS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
_SPREAD_ROWS = 4000
_DRAWN_POINTS = 500
_BINS = 10
_REGIONS, _FEWEST_OF_REGION = 5, 20
_MATRIX_CLASSES = 12


def scores(view: ModelView, X: MatrixLike, y: ArrayLike | None, sample_weight: ArrayLike | None) -> JsonDict:
    """Scores on some rows, beside those of the best constant; whether the model has seen them is not known here."""
    if view.kind == "pca":
        return _components(view, X)
    if view.kind == "features":
        return {"missing": "A feature map predicts nothing, so it has no score; see how close its kernel is below."}
    if y is None:
        return {"missing": f"The score needs the targets of the rows: {GIVE_ROWS}."}
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
    if n_rows_of(y) != n_rows_of(X):
        raise InvalidDataError(f"X and y must have the same length. Got {n_rows_of(X)} and {n_rows_of(y)}.")
    return (_regression if view.kind == "regressor" else _classification)(view, X, np.asarray(y), weight)


def coverage(
    y: Array,
    mean: Array,
    std: Array,
    weight: Array | None = None,
    half_widths: Callable[[Array, float], Array] = normal_half_widths,
) -> JsonDict:
    """Share of targets inside the prediction interval of every level, with the band that chance allows.

        observed(p) = share of rows with abs(y - mean) <= half width of the interval of level p

    The band is that of the binomial law; `true_low` and `true_high` are the true shares that are compatible with the
    observed one. Intervals are those of the normal law unless told otherwise.
    """
    error, deviations = np.abs(y - mean).reshape(len(y), -1), std.reshape(len(y), -1)
    levels = np.array(_LEVELS)
    inside = np.stack([error <= half_widths(deviations, level) for level in _LEVELS], axis=2)
    observed = np.average(inside.mean(axis=1), axis=0, weights=weight)
    n_rows = _effective_rows(len(y), weight)
    low, high = chance_band(levels, n_rows)
    true_low, true_high = true_shares(observed, n_rows)
    return {
        "levels": levels,
        "observed": observed,
        "low": low,
        "high": high,
        "true_low": true_low,
        "true_high": true_high,
        "n_rows": len(y),
        "regions": _regions(mean, std, inside[:, :, _LEVELS.index(0.9)]),
    }


def _regions(mean: Array, std: Array, inside: Array) -> list[JsonDict]:
    """Coverage of 90 % intervals in fifths of the rows by their predictions, of the first target.

    Error bars may hold for all rows together, and be too wide here and too narrow there.
    """
    first, deviations = mean.reshape(len(inside), -1)[:, 0], std.reshape(len(inside), -1)[:, 0]
    if len(first) < _REGIONS * _FEWEST_OF_REGION:
        return []
    parts = np.array_split(np.argsort(first, kind="stable"), _REGIONS)
    shares = [float(inside[part, 0].mean()) for part in parts]
    limits = [true_shares(share, len(part)) for share, part in zip(shares, parts)]
    return [
        {
            "low": float(first[part].min()),
            "high": float(first[part].max()),
            "n_rows": len(part),
            "observed": share,
            "true_low": float(true_low),
            "true_high": float(true_high),
            "mean_std": float(deviations[part].mean()),
        }
        for part, share, (true_low, true_high) in zip(parts, shares, limits)
    ]


def reliability(hit: Array, probability: Array, weight: Array | None = None) -> JsonDict:
    """Reliability of probabilities: predicted against observed, in ten bins of equal width, and calibration error.

    ece = sum over bins of (share of rows) abs(mean probability - share of hits)
    """
    weight = np.ones(len(hit)) if weight is None else weight
    bins = np.clip((probability * _BINS).astype(int), 0, _BINS - 1)
    total, hits, mass = (np.bincount(bins, v * weight, _BINS) for v in (np.ones(len(hit)), hit, probability))
    used = total > 0
    predicted, observed = mass[used] / total[used], hits[used] / total[used]
    count = np.bincount(bins, minlength=_BINS)[used]
    bands = [chance_band(share, n) for share, n in zip(predicted, count)]
    return {
        "predicted": predicted,
        "observed": observed,
        "count": count,
        "low": np.array([low for low, _ in bands]),
        "high": np.array([high for _, high in bands]),
        "ece": float(total[used] @ np.abs(predicted - observed) / total.sum()),
    }


def _regression(view: ModelView, X: MatrixLike, y: Array, weight: Array | None) -> JsonDict:
    mean = points_of(np.asarray(view.model.predict(X), dtype=float), y)
    y = y.astype(float).reshape(mean.shape)
    centre, baseline = _centre(view, y, weight)
    squares = (y - mean) ** 2
    mse = float(np.average(squares.reshape(len(y), -1).mean(axis=1), weights=weight))
    # Delta method: the standard error of a root is that of the mean square, divided by twice the root.
    error = float(np.std(squares) / np.sqrt(_effective_rows(len(y), weight)) / (2 * np.sqrt(mse))) if mse > 0 else 0.0
    return {
        "kind": "regressor",
        "n_rows": len(y),
        "r2": _r2(y, mean, weight),
        "rmse": float(np.sqrt(mse)),
        "rmse_standard_error": error,
        "mae": float(metrics.mean_absolute_error(y, mean, sample_weight=weight)),
        "baseline": baseline,
        "baseline_rmse": float(metrics.root_mean_squared_error(y, centre, sample_weight=weight)),
        "targets": _per_target(y, mean, weight) if y.ndim == 2 else [],
        "residuals": _residuals(y, mean, view.seed),
        "coverage": _coverage(view, X, y, weight),
        "quantiles": quantile_scores(view, X, y, weight, _effective_rows(len(y), weight)),
        "drawn_quantile": view.drawn_quantile,
        "error_of_rows": error_name(view),
        "rows": diagnosis(view, X, y, mean),
    }


def _centre(view: ModelView, y: Array, weight: Array | None) -> tuple[Array, str]:
    """The best constant: the mean of the training targets where the model knows it."""
    if view.target_mean is not None:
        return np.broadcast_to(np.reshape(view.target_mean, y.shape[1:]), y.shape), "the mean of the training targets"
    return np.broadcast_to(np.average(y, axis=0, weights=weight), y.shape), "the mean of these targets"


def _r2(y: Array, mean: Array, weight: Array | None) -> float | None:
    return float(metrics.r2_score(y, mean, sample_weight=weight)) if len(y) > 1 else None


def _per_target(y: Array, mean: Array, weight: Array | None) -> list[JsonDict]:
    rmse = np.sqrt(np.average((y - mean) ** 2, axis=0, weights=weight))
    return [{"name": f"target {j}", "r2": _r2(y[:, j], mean[:, j], weight), "rmse": rmse[j]} for j in range(y.shape[1])]


def _residuals(y: Array, mean: Array, seed: int) -> JsonDict:
    """Residuals: a scatter plot (of the first target), and a histogram of all."""
    fitted, observed = mean.reshape(len(y), -1)[:, 0], y.reshape(len(y), -1)[:, 0]
    shown, actual, _ = sample_rows(fitted, observed, None, most=_DRAWN_POINTS, seed=seed)
    counts, edges = np.histogram(observed - fitted, bins=min(40, max(8, int(np.sqrt(len(y))))))
    return {"fitted": shown, "residual": actual - shown, "edges": edges, "counts": counts}


def _coverage(view: ModelView, X: MatrixLike, y: Array, weight: Array | None) -> JsonDict:
    if not view.has_error_bars:
        return {"missing": f"{type(view.estimator).__name__} has no error bars."}
    rows, targets, weights = sample_rows(X, y, weight, most=_SPREAD_ROWS, seed=view.seed)
    try:
        mean, std = view.estimator.predict(view.inputs(rows), return_std=True)
    except (BochnerError, AttributeError, NotImplementedError) as reason:
        return {"missing": f"This model has no error bars. {reason}"}
    return coverage(targets, np.asarray(mean, dtype=float), np.asarray(std, dtype=float), weights, view.half_widths)


def _classification(view: ModelView, X: MatrixLike, y: Array, weight: Array | None) -> JsonDict:
    classes, predicted = view.estimator.classes_, np.asarray(view.model.predict(X))
    known = np.isin(y, classes)
    if not known.any():
        raise InvalidDataError(f"y has none of the classes of the model, {list(classes)}. Got {list(np.unique(y))}.")
    accuracy = float(np.average(predicted == y, weights=weight))
    shares = np.array([np.average(y == c, weights=weight) for c in classes])
    return {
        "kind": "classifier",
        "n_rows": len(y),
        "n_unknown": int(np.sum(~known)),
        "classes": [str(c) for c in classes],
        "accuracy": accuracy,
        "accuracy_standard_error": float(np.sqrt(accuracy * (1 - accuracy) / _effective_rows(len(y), weight))),
        "baseline": f"always predicting {classes[int(np.argmax(shares))]}, the most frequent class of these rows",
        "baseline_accuracy": float(shares.max()),
        **_confusion(y[known], predicted[known], classes, None if weight is None else weight[known]),
        **_probabilities(view, X, y, known, weight, shares),
        "rows": diagnosis(view, X, y, predicted),
    }


def _confusion(y: Array, predicted: Array, classes: Array, weight: Array | None) -> JsonDict:
    matrix = metrics.confusion_matrix(y, predicted, labels=classes, sample_weight=weight)
    precision, recall, f1, _ = metrics.precision_recall_fscore_support(
        y, predicted, labels=classes, sample_weight=weight, zero_division=0.0
    )
    table = [
        {"name": str(c), "n_rows": int(np.sum(y == c)), "precision": p, "recall": r, "f1": f}
        for c, p, r, f in zip(classes, precision, recall, f1)
    ]
    off = matrix - np.diag(np.diag(matrix))
    worst = np.argsort(off, axis=None)[::-1][:_MATRIX_CLASSES]
    pairs = [np.unravel_index(k, off.shape) for k in worst if off.flat[k] > 0]
    return {
        "confusion": matrix if len(classes) <= _MATRIX_CLASSES else None,
        "most_confused": [
            {"true": str(classes[i]), "predicted": str(classes[j]), "n_rows": off[i, j]} for i, j in pairs
        ],
        "per_class": table,
    }


def _probabilities(
    view: ModelView, X: MatrixLike, y: Array, known: Array, weight: Array | None, shares: Array
) -> JsonDict:
    if not hasattr(view.estimator, "predict_proba"):
        return {"reliability": {"missing": "This model has no probabilities: fit with probability=True."}}
    classes, proba = view.estimator.classes_, np.asarray(view.model.predict_proba(X))[known]
    labels, w = np.searchsorted(classes, y[known]), None if weight is None else weight[known]
    of_true = np.maximum(proba[np.arange(len(labels)), labels], np.finfo(float).tiny)
    baseline = -float(np.sum(shares[shares > 0] * np.log(shares[shares > 0])))
    if len(classes) == 2:
        curve, of = reliability(labels == 1, proba[:, 1], w), f"probability of {classes[1]}"
    else:
        curve, of = reliability(proba.argmax(axis=1) == labels, proba.max(axis=1), w), "probability of the chosen class"
    return {
        "log_loss": float(-np.average(np.log(of_true), weights=w)),
        "baseline_log_loss": baseline,
        "reliability": {"of": of, **curve},
    }


def _components(view: ModelView, X: MatrixLike) -> JsonDict:
    """Share of the variance of the features that the first components keep, beside that of the training rows."""
    rows, _, _ = sample_rows(X, None, None, most=_SPREAD_ROWS, seed=view.seed)
    inputs = view.dense_inputs(rows)
    Z = transform(map_of(view.features, inputs), inputs, np.dtype(float))
    Z -= view.estimator.mean_
    scores = Z @ view.estimator.components_.T
    return {
        "kind": "pca",
        "n_rows": len(Z),
        "training_share": np.cumsum(view.estimator.explained_variance_ratio_),
        "held_out_share": np.cumsum(np.sum(scores**2, axis=0)) / max(np.sum(Z**2), np.finfo(float).tiny),
    }


def _effective_rows(n: int, weight: Array | None) -> float:
    """Effective sample size (sum w)^2 / sum w^2 (Kish)."""
    return float(n) if weight is None else float(weight.sum() ** 2 / np.sum(weight**2))
