"""Learning curves of width and rows: errors, memory and time of the model with other numbers of features or rows."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.base import clone
from sklearn.metrics import root_mean_squared_error

from bochner._typing import Array, ArrayLike, FloatType, JsonDict, MatrixLike
from bochner.config import get_config
from bochner.features import FourierShape, transform
from bochner.planning import Budget, calibrate
from bochner.reporting.approximation import EXACT
from bochner.reporting.nested import narrower_moments, nested_widths, why_not_nested
from bochner.reporting.row_losses import error_name, error_of, row_losses
from bochner.reporting.view import GIVE_ROWS, ModelView, points_of, sample_rows
from bochner.solvers import RidgePoint, RidgeProblem, classifier_bill, pca_bill, solve_ridge
from bochner.solvers.criteria import gcv_score
from bochner.statistics import Moments

__all__ = ["more"]

_ROWS = 2000
_WIDEST_SOLVE = 4096
_DOUBLINGS = 2


def more(view: ModelView, X: MatrixLike | None, y: ArrayLike | None, *, held_out: bool = False) -> JsonDict:
    """Learning curves by width and by rows, with memory and time of every width."""
    return {
        "width": view.width,
        "widths": _width_curve(view, X, y) | {"rows_held_out": held_out, "searched": _searched(view)},
        "rows": _rows_curve(view),
        "bills": _bills(view),
        "memory_budget": get_config().memory_budget(),
    }


def _searched(view: ModelView) -> bool:
    """Whether the width was left to the model."""
    asked = getattr(view.estimator, "n_components", None)
    return isinstance(asked, str) and asked == "auto"


def _width_curve(view: ModelView, X: MatrixLike | None, y: ArrayLike | None) -> JsonDict:
    refusal = why_not_nested(view)
    if refusal is not None:
        return {"missing": f"{refusal[0].upper()}{refusal[1:]}."}
    if view.kind in ("pca", "features"):
        return {"missing": "No target, no error by width: see the kernel error by width above."}
    if view.kind == "regressor" and view.moments is not None:
        return _from_moments(view, view.moments, X, y)
    if X is None or y is None:
        return {"missing": f"The error at other widths needs rows and targets: {GIVE_ROWS}."}
    return _from_refits(view, X, y)


def _from_moments(view: ModelView, moments: Moments, X: MatrixLike | None, y: ArrayLike | None) -> JsonDict:
    """The model at narrower widths on all training rows: its moments are part of those of the wide one."""
    assert view.fourier is not None
    Z, targets = _held_out_features(view, X, y)
    widths, gcv, held_out = [], [], []
    for width in nested_widths(view.width):
        if width > _WIDEST_SOLVE:
            break
        if width == view.width:
            columns, scale = np.arange(width), 1.0
            score, coef, intercept = _own_ridge(view, moments)
        else:
            part, columns, scale = narrower_moments(moments, view.fourier, width)
            score, coef, intercept = _narrow_ridge(view, part)
        widths.append(width)
        gcv.append(np.sqrt(score))
        if Z is not None:
            held_out.append(root_mean_squared_error(targets, scale * Z[:, columns] @ coef + intercept))
    return {
        "measure": "root mean square error",
        "how": "The narrower models are those of all training rows, from the moments of this one; nothing is refitted.",
        "n_refits": 0,
        "widths": widths,
        "gcv": gcv,
        "held_out": held_out or None,
        "n_rows": 0 if Z is None else len(Z),
    }


def _own_ridge(view: ModelView, moments: Moments) -> tuple[float, Array, Array]:
    """GCV, coefficients and intercept of the model itself."""
    estimator = view.estimator
    coef = np.reshape(estimator.coef_, (-1, moments.zy.shape[0])).T
    if view.path is not None:
        return float(np.nanmin(view.path.gcv)), coef, np.atleast_1d(estimator.intercept_)
    problem = RidgeProblem.from_moments(moments, bool(estimator.fit_intercept))
    fit, penalty = np.sum(problem.cross * coef, axis=0), np.sum(coef**2, axis=0)
    residual = np.maximum(problem.energy - fit - estimator.alpha_ * penalty, 0.0)
    assert view.dof is not None
    point = RidgePoint(estimator.alpha_, residual, penalty, view.dof, log_det=np.nan)
    return gcv_score(problem, point), coef, np.atleast_1d(estimator.intercept_)


def _narrow_ridge(view: ModelView, moments: Moments) -> tuple[float, Array, Array]:
    """GCV, coefficients and intercept of a narrower model, with its own penalty."""
    solution = solve_ridge(moments, fit_intercept=bool(view.estimator.fit_intercept), alpha="gcv")
    assert solution.path is not None
    return float(np.nanmin(solution.path.gcv)), solution.coef, solution.intercept


def _held_out_features(view: ModelView, X: MatrixLike | None, y: ArrayLike | None) -> tuple[Array | None, Array]:
    if X is None or y is None:
        return None, np.empty(0)
    rows, targets, _ = sample_rows(X, y, None, most=_ROWS, seed=view.seed)
    assert view.fourier is not None
    Z = transform(view.fourier, view.dense_inputs(rows), np.dtype(float))
    return Z, np.asarray(targets, dtype=float).reshape(len(Z), -1)


def _from_refits(view: ModelView, X: MatrixLike, y: ArrayLike) -> JsonDict:
    """Refits at several widths to one half of some rows, scored on the other: the trend, at that many rows.

    For models without moments (classifiers, iterative solvers). The page and its answer say how many refits were made.
    """
    rows, targets, _ = sample_rows(X, y, None, most=_ROWS, seed=view.seed)
    inputs, targets = view.dense_inputs(rows), np.asarray(targets)
    half = len(inputs) // 2
    if half < 20 or (view.kind == "classifier" and len(np.unique(targets[:half])) < 2):
        return {"missing": "Too few rows to compare widths: give 40 or more."}
    widths = [width for width in nested_widths(view.width) if width <= _WIDEST_SOLVE]
    errors = [_refit_error(view, width, inputs, targets, half) for width in widths]
    return {
        "measure": error_name(view),
        "how": f"This model keeps no moments, so the report refitted it {len(widths)} times, with the same kernel and "
        f"penalty per row: each refit has {half:,} of these rows and is scored on {len(inputs) - half:,} others. The "
        "errors are not those of this model, which is unchanged, but the trend shows when width stops helping.",
        "n_refits": len(widths),
        "widths": widths,
        "gcv": None,
        "held_out": errors,
        "n_rows": len(inputs) - half,
    }


def _refit_error(view: ModelView, width: int, X: Array, y: Array, half: int) -> float:
    n = view.n_rows or half
    settings = {
        "kernel": view.kernel,
        "length_scale": "auto",
        "n_components": width,
        "alpha": float(view.estimator.alpha_) * half / n,  # the same lambda = alpha / n
        "random_state": view.seed,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of models that nobody will use
        model = clone(view.estimator).set_params(**settings).fit(X[:half], y[:half])
        predicted = points_of(model.predict(X[half:]), y)
    return error_of(view, row_losses(view, y[half:], predicted))


def _rows_curve(view: ModelView) -> JsonDict:
    """The error that the model itself expects with more or fewer rows of the same law.

        sigma^2 (1 + dof(n') / n'),     dof(n') = tr G (G + alpha n / n')^-1 + 1

    It is a lower bound in the mean over rows, by convexity, if the targets follow the model (Opper & Vivarelli 1999).
    """
    if view.kind != "regressor" or view.moments is None:
        return {"missing": "What more rows would buy is told for regressors with moments only."}
    eigenvalues = view.eigenvalues
    if eigenvalues is None:
        return {"missing": "The features are too many for the spectrum that this needs."}
    n, alpha = view.moments.weight, float(view.estimator.alpha_)
    noise = float(np.mean(view.estimator.noise_variance_))
    counts = n * 2.0 ** np.arange(-4, 5)
    dof = [float(np.sum(eigenvalues / (eigenvalues + alpha * n / count))) + 1 for count in counts]
    return {
        "n_rows": counts,
        "rmse": np.sqrt(noise * (1 + np.array(dof) / counts)),
        "noise": float(np.sqrt(noise)),
        "now": n,
    }


def _bills(view: ModelView) -> JsonDict:
    """Memory, and seconds where a cost model is known, of a fit at every width, on this machine."""
    if view.n_rows is None:
        return {"missing": "The bill of a fit needs the number of rows; a feature map has seen none."}
    if view.kind == "regressor" and view.totals is None:
        return {"missing": "What other widths would take is known for direct solvers only."}
    if view.is_exact:
        return {"missing": EXACT}
    targets, dtype = _targets_and_type(view)
    budget = Budget(view.n_rows, view.n_inputs, targets, dtype, None, calibrate(dtype.name))
    widths = nested_widths(view.width, doublings=_DOUBLINGS)
    direct = view.kind == "regressor"
    return {
        "widths": widths,
        "memory": [_memory(view, budget, width, dtype) for width in widths],
        "seconds": [budget.seconds(width) for width in widths] if direct else None,
        "largest_width": budget.largest_width() if direct else None,
    }


def _targets_and_type(view: ModelView) -> tuple[int, FloatType]:
    """Number of targets, and the float type of the products."""
    if view.totals is None:
        return 1, np.dtype(np.float64)
    single = view.totals.precision > 1e-10
    return max(1, len(view.totals.y_mean)), np.dtype(np.float32) if single else np.dtype(np.float64)


def _memory(view: ModelView, budget: Budget, width: int, dtype: FloatType) -> int:
    shape = FourierShape(width, budget.d)
    if view.kind == "classifier":
        n_classes = len(view.estimator.classes_)
        return classifier_bill(shape, n_rows=budget.n, n_classes=n_classes, dtype=dtype).total
    if view.kind == "pca":
        axes = min(len(view.estimator.eigenvalues_), width)
        return pca_bill(budget.pass_plan(width), shape, n_axes=axes, dtype=dtype).total
    return budget.bill(width).total
