"""Importance of columns: the average gradient outer product of a fitted model, in units of the columns' spreads.

    G = (1/n) sum_i grad f(x_i) grad f(x_i)',      importance_j = G_jj / tr G

Exact for Fourier features, from the moments of the fit. A model of kernel values has its gradients at up to 1,000 of
its points: rows of an exact machine; landmarks l with shares in proportion to mean_i k(x_i, l) / mean_l' k(l', l), a
ratio of densities, since they are not spread as the rows are.

Error bars are those of the coefficients under their posterior law N(w, s^2 (Z'Z + alpha)^-1), to first order:

    var importance_j = s^2 u_j'(Z'Z + alpha)^-1 u_j,      u_j = gradient of importance_j by the coefficients

For an exact machine, Z are the Nystroem features of up to 500 of its rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import solve_triangular

from bochner._typing import Array
from bochner.errors import AssumptionError
from bochner.features import FeatureMap, transform
from bochner.features.nystroem import KernelMap, draw_nystroem_map
from bochner.kernels import DistanceKernel
from bochner.memory import row_slices
from bochner.solvers import RidgeProblem
from bochner.solvers.cholesky import RidgeFactor, factorise
from bochner.statistics import Moments
from bochner.tuning.gradients import gradients, second_moment_product

__all__ = ["ColumnImportance", "LinearModel", "Posterior", "column_importance"]

_POINTS, _FEATURES, _BLOCK = 1000, 500, 4096


@dataclass(frozen=True)
class ColumnImportance:
    """Importance of columns, in units of their spreads; every target counts the same.

    Attributes
    ----------
    outer : array of shape (d, d)
        G / tr G, averaged over the targets; 0 for constant functions.
    deviations : array of shape (d,) or None
        Standard deviations of `values`; None if the model has no error bars.
    """

    outer: Array
    deviations: Array | None

    @property
    def values(self) -> Array:
        """Shares of the columns, which add up to 1."""
        return np.diagonal(self.outer).copy()


@dataclass(frozen=True)
class Posterior:
    """Law of the coefficients: penalty and noise variances (t,) of a ridge model."""

    alpha: float
    noise_variance: Array
    fit_intercept: bool


@dataclass(frozen=True)
class LinearModel:
    """A model linear in features.

    Attributes
    ----------
    feature_map : FeatureMap
    coef : array of shape (D, t)
    moments : Moments or None
    row_weight : array or None
        Weights of the rows of an exact machine.
    posterior : Posterior or None
    """

    feature_map: FeatureMap
    coef: Array
    moments: Moments | None = None
    row_weight: Array | None = None
    posterior: Posterior | None = None


def column_importance(model: LinearModel, unit: Array) -> ColumnImportance:
    """Importance of the columns of a model, for spreads (d,) of the columns; warped ones have that of normal scores.

    An `AssumptionError` says why a model has none.
    """
    field, n_targets = _field(model), model.coef.shape[1]
    unit = np.ones_like(unit) if field.warped else unit
    factor = None if model.posterior is None else field.factor(model.posterior)
    total, variance = np.zeros((len(unit), len(unit))), np.zeros(len(unit))
    for target, (outer, slopes) in enumerate(field.parts()):
        outer = outer * np.outer(unit, unit)
        size = float(np.trace(outer))
        if not 0 < size < np.inf:
            continue
        total += outer / (size * n_targets)
        if factor is not None and model.posterior is not None:
            steep, share = slopes * unit**2, np.diagonal(outer) / size
            by_coef = 2 * (steep - np.outer(steep.sum(axis=1), share)) / (size * n_targets)
            variance += model.posterior.noise_variance[target] * factor.squared_norms(by_coef.T)
    return ColumnImportance((total + total.T) / 2, None if factor is None else np.sqrt(variance))


def _field(model: LinearModel) -> _FourierField | _KernelField:
    """The gradients of a model; refused where they are not known."""
    if model.feature_map.gradient_form(model.coef[:, :1]) is not None:
        if model.moments is None:
            raise AssumptionError("Gradients of random features need the moments of the fit, which this one has not.")
        return _FourierField(model, model.moments)
    linear = model.feature_map.linear_form(model.coef)
    values = None if linear is None else linear[0].kernel_values
    kernel = None if values is None or values.transforms is not None else values.kernel.of_distance()
    if linear is None or values is None or kernel is None:
        raise AssumptionError("Gradients are known of paired Fourier features and of kernels of distance.")
    return _KernelField(model, linear[1], values, kernel, warped=linear[0] is not values)


@dataclass(frozen=True)
class _FourierField:
    """Gradients B z(x) of Fourier features."""

    model: LinearModel
    moments: Moments
    warped: bool = False

    def parts(self) -> Iterator[tuple[Array, Array]]:
        """G (d, d) of every target, and half the gradients (D, d) of its diagonal by the coefficients."""
        fourier = self.model.feature_map.fourier
        assert fourier is not None
        omega, m = fourier.omega, fourier.n_frequencies
        for coef in self.model.coef.T:
            form = fourier.gradient_form(coef[:, None])
            assert form is not None
            image = second_moment_product(self.moments, form[0].T)
            yield form[0] @ image, np.vstack([-omega * image[m:], omega * image[:m]])

    def factor(self, posterior: Posterior) -> RidgeFactor:
        problem = RidgeProblem.from_moments(self.moments, posterior.fit_intercept)
        return factorise(problem, posterior.alpha)


@dataclass(frozen=True)
class _KernelField:
    """Gradients of sums of kernel values, in coordinates c(x) = A'x of the kernel."""

    model: LinearModel
    weights: Array  # of the kernel values
    values: KernelMap
    kernel: DistanceKernel
    warped: bool

    def parts(self) -> Iterator[tuple[Array, Array]]:
        """G (d, d) of every target, and half the gradients (D, d) of its diagonal by the coefficients."""
        points, (landmarks, whitening) = self.values.points, self._landmarks()
        chosen, share = self._shares()
        back = self.kernel.coordinates(np.eye(points.shape[1]))
        at, scaled, marks = map(self.kernel.coordinates, (points[chosen], points, landmarks))
        decay, towards = self.kernel.decays(at, scaled), self.kernel.decays(at, marks)
        for coef in self.weights.T:
            slope = gradients(decay, at, scaled, coef[:, None])[0] @ back.T
            pulled = share[:, None] * slope
            by_values = (marks @ back.T) * (towards.T @ pulled) - towards.T @ (pulled * (at @ back.T))
            by_coef = solve_triangular(whitening, by_values, lower=True, check_finite=False)
            yield slope.T @ pulled, by_coef

    def factor(self, posterior: Posterior) -> RidgeFactor:
        moments = self._features_of_rows() if self.model.moments is None else self.model.moments
        return factorise(RidgeProblem.from_moments(moments, posterior.fit_intercept), posterior.alpha)

    def _landmarks(self) -> tuple[Array, Array]:
        """Landmarks, or some rows of an exact machine, and the factor that whitens kernel values against them."""
        whitened = self.model.feature_map.unwhitened
        if whitened is not None:
            return self.values.points, whitened[1]
        own = draw_nystroem_map(self._some())
        return own.values.points, own.factor

    def _some(self) -> KernelMap:
        """Kernel values against some of the rows."""
        rows = _spread_over(len(self.values.points), _FEATURES)
        return replace(self.values, points=self.values.points[rows], _cast={})

    def _features_of_rows(self) -> Moments:
        """Moments of the Nystroem features of all rows of an exact machine."""
        own, points, weight = draw_nystroem_map(self._some()), self.values.points, self.model.row_weight
        moments = Moments.empty(own.n_components, 0)
        for some in row_slices(len(points), _BLOCK):
            Z = transform(own, points[some], np.dtype(float))
            moments.update(Z, np.empty((len(Z), 0)), None if weight is None else weight[some])
        return moments

    def _shares(self) -> tuple[Array, Array]:
        """Which points gradients are taken at, and their shares in the average."""
        whitened, moments = self.model.feature_map.unwhitened, self.model.moments
        chosen = _spread_over(len(self.values.points), _POINTS)
        share = np.ones(len(chosen)) if self.model.row_weight is None else self.model.row_weight[chosen]
        if whitened is not None and moments is not None:
            factor = np.tril(whitened[1])
            of_rows, of_landmarks = factor @ moments.z_mean, factor @ factor.mean(axis=0)
            ratio = np.maximum(of_rows, 0) / np.maximum(of_landmarks, np.finfo(float).tiny)
            share = ratio[chosen] if np.any(ratio[chosen] > 0) else share
        return chosen, share / share.sum()


def _spread_over(n: int, most: int) -> Array:
    """At most so many of n numbers, evenly spread."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(np.intp))
