"""Kernel approximation error: measured at nested widths, certified, and features that the bounds ask for."""

from __future__ import annotations

from typing import Any

import numpy as np

from bochner._typing import Array, JsonDict, MatrixLike
from bochner.errors import AssumptionError, InvalidDataError, MemoryBudgetError
from bochner.features import FourierMap, transform
from bochner.reporting.nested import narrower, nested_widths, why_not_nested, wider
from bochner.reporting.view import GIVE_ROWS, ModelView, n_rows_of, sample_rows
from bochner.theory import Certificate, finite_set, pointwise
from bochner.theory.normalised import normalised
from bochner.theory.sub_gaussian import variance_proxy

__all__ = ["EXACT", "approximation", "features_by_bound", "kernel_error_curve"]

EXACT = "This is the exact kernel machine: it uses every training row, and its kernel is not approximated."
"""What a report says of the approximation of a model that has none."""

_ROWS = 300
_CERTIFIED_ROWS = 1000
_DOUBLINGS = 2
_EPS = 0.1


def approximation(
    view: ModelView, X: MatrixLike | None, *, certificate: Certificate | str | None = None, delta: float
) -> JsonDict:
    """Measured errors by width, the certificate, and what the bounds ask for."""
    return {
        "delta": delta,
        "width": view.width,
        "curve": kernel_error_curve(view, X, delta=delta),
        "certificate": _certificate(view, X, delta) if certificate is None else _stated(certificate),
        "bounds": features_by_bound(view, _n_points(view, X), delta=delta),
    }


def kernel_error_curve(view: ModelView, X: MatrixLike | None, *, delta: float = 0.01, n_rows: int = _ROWS) -> JsonDict:
    """Largest and root mean square kernel error over all pairs of some rows, at nested widths, and its bound.

        error(D) = max over i < j of abs(z_D(x_i).z_D(x_j) - k(x_i, x_j))

    z_D is the map of the first D columns' frequencies: the one that the same seed draws at that width.
    """
    if X is None:
        return {"missing": f"Measuring the kernel error needs rows: {GIVE_ROWS}."}
    if view.is_exact:
        return {"missing": EXACT}
    if view.fourier is None or view.kernel is None:
        name = type(view.features).__name__
        return {"missing": f"The error of the kernel by width is told for Fourier features. This model has {name}."}
    rows, _, _ = sample_rows(X, None, None, most=n_rows, seed=view.seed)
    points = view.dense_inputs(rows)
    if len(points) < 2:
        return {"missing": "Measuring the kernel error needs at least two rows."}
    exact = view.kernel(points)
    maps = _maps(view)
    errors = [_errors(fourier, points, exact) for fourier in maps]
    widths = [fourier.n_components for fourier in maps]
    return {
        "widths": widths,
        "largest": [largest for largest, _ in errors],
        "root_mean_square": [rms for _, rms in errors],
        "guaranteed": _guarantees(view, len(points), widths, delta),
        "width": view.width,
        "n_rows": len(points),
        "delta": delta,
        "k_zero": view.kernel.variance,
    }


def features_by_bound(view: ModelView, n_points: int, *, delta: float) -> JsonDict:
    """Features needed for eps = k(0) / 10, and what a page needs to tell them for any eps, delta and number of rows.

        pairs * 2 exp(-rate m (eps / k(0))^2) <= delta,      D = m * columns

    D is the smallest such width: for one pair, and for all pairs of n rows, by every bound that holds for this kernel.
    """
    if view.kernel is None or view.fourier is None or view.sampler is None:
        return {"missing": "Widths that theorems ask for are known for Fourier features of a stationary kernel only."}
    if not view.sampler.independent or view.sampler.uses_pilot:
        kind = type(view.sampler).__name__
        return {"missing": f"{kind} frequencies are not independent draws, which these bounds assume."}
    kernel = normalised(view.kernel)
    kinds: list[tuple[Any, Any, float]] = [
        (pointwise.Hoeffding, finite_set.UnionHoeffding, variance_proxy(None, view.embedding))
    ]
    if kernel.is_normal_mixture:
        kinds.insert(0, (pointwise.SubGaussian, finite_set.UnionSubGaussian, variance_proxy(kernel, view.embedding)))
    eps, setting = _EPS * view.kernel.variance, {"kernel": view.kernel, "embedding": view.embedding}
    return {
        "eps": eps,
        "delta": delta,
        "n_rows": n_points,
        "columns": 2 if view.embedding == "paired" else 1,
        "with_diagonal": view.embedding != "paired",  # the paired map is exact there
        "k_zero": view.kernel.variance,
        "bounds": [
            {
                **union.describe(),
                "label": str(union.source.result),
                "rate": 1 / (2 * proxy),
                "one_pair": pair(**setting).features_needed(eps, delta),
                "all_pairs": union(n_points=n_points, **setting).features_needed(eps, delta),
            }
            for pair, union, proxy in kinds
        ],
    }


def _maps(view: ModelView) -> list[FourierMap]:
    """The map, narrower ones if it has them, and wider ones if its sampler draws them."""
    assert view.fourier is not None
    if why_not_nested(view) is not None:
        return [view.fourier]
    below = [narrower(view.fourier, width) for width in nested_widths(view.width)[:-1]]
    widths = nested_widths(view.width, doublings=_DOUBLINGS)[-_DOUBLINGS:]
    widest = wider(view, widths[-1])
    above = [] if widest is None else [*(narrower(widest, width) for width in widths[:-1]), widest]
    return [*below, view.fourier, *above]


def _errors(fourier: FourierMap, points: Array, exact: Array) -> tuple[float, float]:
    Z = transform(fourier, points, np.dtype(float))
    error = (Z @ Z.T - exact)[np.triu_indices(len(points), 1)]
    return float(np.max(np.abs(error))), float(np.sqrt(np.mean(error**2)))


def _guarantees(view: ModelView, n_points: int, widths: list[int], delta: float) -> list[float | None] | None:
    """The bound for all pairs of so many rows at every width; None where none applies, as for odd paired widths."""
    if "missing" in features_by_bound(view, n_points, delta=delta):
        return None
    assert view.kernel is not None
    bound = finite_set.tightest(n_points=n_points, kernel=view.kernel, embedding=view.embedding)
    odd = [view.embedding == "paired" and width % 2 == 1 for width in widths]
    return [None if mixed else bound.error(width, delta) for width, mixed in zip(widths, odd)]


def _certificate(view: ModelView, X: MatrixLike | None, delta: float) -> JsonDict:
    rows = None if X is None else sample_rows(X, None, None, most=_CERTIFIED_ROWS, seed=view.seed)[0]
    try:
        certificate = view.certify(rows, delta=delta)
    except (AssumptionError, InvalidDataError, MemoryBudgetError) as refusal:
        remedy = f" Give rows: {GIVE_ROWS}." if X is None else ""
        return {"missing": f"{refusal}{remedy}"}
    return certificate.to_dict()


def _stated(certificate: Certificate | str) -> JsonDict:
    """A certificate that was made before, or the reason that there is none."""
    return {"missing": certificate} if isinstance(certificate, str) else certificate.to_dict()


def _n_points(view: ModelView, X: MatrixLike | None) -> int:
    """Rows whose pairs one would want a guarantee for."""
    if view.n_rows is not None:
        return view.n_rows
    return 1000 if X is None else n_rows_of(X)
