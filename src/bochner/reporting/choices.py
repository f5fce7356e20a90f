"""Hyperparameters of a fitted model: kernel, length scales, penalty path, effective dimension, eigenvalue spectrum."""

from __future__ import annotations

import numpy as np

from bochner._typing import JsonDict
from bochner.kernels.text import without_matrices
from bochner.reporting.importance import importance
from bochner.reporting.numbers import number
from bochner.reporting.view import ModelView
from bochner.solvers import RidgePath

__all__ = ["choices", "penalty_path", "spectrum"]

_SHOWN_VALUES = 120


def choices(view: ModelView) -> JsonDict:
    """The settings that were used, those that were asked for, and the numbers that decided."""
    asked = view.estimator.get_params(deep=False)
    return {
        "kernel": None if view.kernel is None else repr(view.kernel),
        "kernel_in_words": _kernel_in_words(view),
        "features": type(view.features).__name__,
        "width": view.width,
        "exact": view.is_exact,
        "embedding": view.embedding if view.fourier is not None else None,
        "sampling": None if view.sampler is None else type(view.sampler).__name__,
        "seed": view.get("seed_"),
        "asked": {name: str(value) for name, value in asked.items() if value is not None},
        "bandwidths": _bandwidths(view),
        "importance": importance(view),
        "penalty": penalty_path(view),
        "dof": view.dof,
        "noise": _noise(view),
        "log_marginal_likelihood": view.get("log_marginal_likelihood_"),
        "spectrum": spectrum(view),
        "tuning": view.get("tuning_"),
        "width_curve": view.get("width_curve_"),
    }


def penalty_path(view: ModelView) -> JsonDict:
    """Criteria along the penalties that were tried, and the one that was chosen."""
    alpha = view.get("alpha_")
    if alpha is None:
        return {"missing": "This model has no penalty."}
    chosen = {"alpha": float(alpha), "asked": _asked(view)}
    if view.path is not None:
        return {**chosen, **_ridge_path(view.path), "loo": view.get("loo_errors_")}
    losses = view.get("cv_losses_")
    if losses is not None:
        return {**chosen, "alphas": view.get("alphas_"), "cv": np.mean(losses, axis=1)}
    given = chosen["asked"] not in ("auto", "gcv", "evidence", "loo", "cv")
    why = "The penalty was given, so" if given else "This model keeps no path of its search:"
    return {**chosen, "missing": f"{why} there is no path of penalties to show."}


def _asked(view: ModelView) -> str:
    """The penalty or rule that was asked for; of "auto", the evidence where no rows could be left out."""
    asked = str(getattr(view.estimator, "alpha", None))
    by_evidence = asked == "auto" and view.path is not None and view.get("loo_errors_") is None
    return "evidence" if by_evidence else asked


def _ridge_path(path: RidgePath) -> JsonDict:
    return {"alphas": path.alphas, "gcv": path.gcv, "log_evidence": path.log_evidence, "dof": path.dof}


def spectrum(view: ModelView) -> JsonDict:
    """Eigenvalues of the second moment of the features, divided by n: those of the kernel's operator on the data."""
    eigenvalues = view.eigenvalues
    if eigenvalues is None or view.moments is None:
        return {"missing": "The spectrum needs the moments of the features, which this model does not keep."}
    kept = eigenvalues[eigenvalues > 1e-15 * max(float(eigenvalues[0]), np.finfo(float).tiny)]
    if len(kept) == 0:
        return {"missing": "The features are constant: they have no spectrum."}
    ranks = np.unique(np.geomspace(1, len(kept), _SHOWN_VALUES).astype(int))
    alpha = view.get("alpha_") if view.kind == "regressor" else None
    return {
        "rank": ranks,
        "eigenvalue": kept[ranks - 1] / view.moments.weight,
        "penalty": None if alpha is None else float(alpha) / view.moments.weight,
        "n_above_penalty": None if alpha is None else int(np.sum(kept > float(alpha))),
        "width": view.width,
        "exact": view.is_exact,
    }


def _noise(view: ModelView) -> float | None:
    variance = view.get("noise_variance_")
    return None if variance is None else float(np.sqrt(np.mean(variance)))


def _kernel_in_words(view: ModelView) -> str:
    if view.kernel is None:
        return type(view.features).__name__
    scales = view.length_scales
    if scales is None:
        return without_matrices(repr(view.kernel))
    others = {
        k: v for k, v in view.kernel.get_params(deep=False).items() if k not in ("length_scale", "gamma", "kernel")
    }
    name = type(view.kernel).__name__ + "".join(f", {key} {value}" for key, value in others.items())
    many = f"{len(scales)} length scales, one per column"
    return f"{name}, " + (f"length scale {number(float(scales[0]))}" if len(scales) == 1 else many)


def _bandwidths(view: ModelView) -> JsonDict:
    scales = view.length_scales
    if scales is None:
        return {"missing": "The kernel is a sum or product, or the features have no length scale of their own."}
    if len(scales) == 1:
        return {"length_scale": float(scales[0])}
    order = np.argsort(scales, kind="stable")
    names = view.input_names
    return {"names": [names[i] for i in order], "length_scales": scales[order]}
