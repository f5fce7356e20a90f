"""Held-out log loss of logistic regression on a narrow map as a function of scales and penalty, with its gradient.

With Theta = (W, w_0) fitted to the rows that are not held out,

    Theta* = argmin F(Theta),     F = sum_fitted s_i loss(y_i, W'z_i + w_0) + alpha/2 ||W||^2
    L = sum_held_out s_i loss(y_i, W*'z_i + w_0*) / sum_held_out s_i

the features Z act on L where rows are held out, and through Theta* where they are fitted. With G and C the first and
second derivative of F's losses by the scores, G_o = dL/dScores and the adjoint V = (d^2F/dTheta^2)^-1 dL/dTheta, the
implicit function theorem gives

    dL/dZ = G_o W' on held-out rows,   -(G V' + C(Z V) W') on fitted rows,     dL/d log alpha = -alpha <V, W>

The solver stops early, at some Theta. V also says what that does: L(Theta*) = L(Theta) - <V, dF/dTheta> to second
order, so that values are good to six digits where the objective has three.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from bochner._blas import product
from bochner._typing import Array
from bochner.data import ArrayRows
from bochner.solvers import LinearSolution, QuadraticPenalty
from bochner.solvers.newton import NewtonSolver
from bochner.statistics import FeatureStream
from bochner.tuning.labelled import LabelledRows
from bochner.tuning.narrow_map import NarrowMap
from bochner.tuning.parameters import ClassifierParameters

__all__ = ["HeldOutLoss"]


@dataclass
class HeldOutLoss:
    """A criterion to minimise over the vector of `ClassifierParameters`, whose penalty is alpha / sum s_i.

    Calling it gives the value and the gradient. Every fit starts from the one before.

    Attributes
    ----------
    rows : LabelledRows
    narrow : NarrowMap
    tol : float
        Relative duality gap of the fits.
    """

    rows: LabelledRows
    narrow: NarrowMap
    tol: float = 1e-4
    _last: LinearSolution | None = field(default=None, init=False)

    def __call__(self, theta: Array) -> tuple[float, Array]:
        fit = self._fit(theta)
        outside = self.rows.held_out_loss()
        back = _backward(fit, outside.gradient(fit.scores), accuracy=self.tol**0.5)
        by_scale = self.narrow.by_log_scales(fit.scaled, fit.features, back.by_features)
        one_scale = len(ClassifierParameters.from_vector(theta).log_scales) == 1
        slope = ClassifierParameters(by_scale.sum(keepdims=True) if one_scale else by_scale, back.by_log_penalty)
        return outside.value(fit.scores) - back.excess, slope.to_vector()

    def losses(self, theta: Array) -> Array:
        """Log loss of every row that is held out."""
        scores = self._fit(theta).scores
        return self.rows.held_out_loss().losses(scores)[self.rows.held_out]

    def _fit(self, theta: Array) -> _Fit:
        rows, parameters = self.rows, ClassifierParameters.from_vector(theta)
        loss = rows.fitted_loss()
        scaled = (rows.X / parameters.scales).astype(rows.X.dtype, copy=False)
        stream = FeatureStream(ArrayRows(scaled, rows.labels, None, scaled.dtype), self.narrow.fourier, keep=True)
        solver = NewtonSolver(stream, loss, rows.n_columns, fit_intercept=True, seed=0)
        penalty = QuadraticPenalty(float(parameters.penalty * loss.weight.sum()))
        found = solver.solve(penalty, tol=self.tol, max_iter=100, start=self._last, polish=False)
        self._last = found
        return _Fit(scaled, solver, penalty, found.coef, stream.forward(found.coef) + found.intercept)


@dataclass(frozen=True)
class _Fit:
    """A fitted model, and the scores of all rows."""

    scaled: Array
    solver: NewtonSolver
    penalty: QuadraticPenalty
    coef: Array
    scores: Array

    @property
    def features(self) -> Array:
        features = self.solver.stream.features
        assert features is not None
        return features


@dataclass(frozen=True)
class _Backward:
    """Derivatives of the held-out loss, and by how much it is too large because the solver stopped early."""

    by_features: Array
    by_log_penalty: float
    excess: float


def _backward(fit: _Fit, outside: Array, *, accuracy: float) -> _Backward:
    """The formulas of the module; `outside` is G_o (n, t), 0 on fitted rows."""
    stream, loss, coef = fit.solver.stream, fit.solver.loss, fit.coef
    inside = loss.gradient(fit.scores)
    by_parameters = np.vstack([stream.adjoint(outside), outside.sum(axis=0)])
    adjoint = fit.solver.hessian_solve(fit.scores, fit.penalty, by_parameters, accuracy=accuracy)
    moved = stream.forward(adjoint[:-1]) + adjoint[-1]
    curved = loss.weight[:, None] * loss.curvature_product(loss.curvature(fit.scores), moved)
    left, right = np.hstack([outside - curved, -inside]), np.hstack([coef, adjoint[:-1]])
    along = fit.penalty.alpha * float(np.sum(adjoint[:-1] * coef))
    return _Backward(
        by_features=product(np.asfortranarray(right), np.asfortranarray(left.T)).T,
        by_log_penalty=-along,
        excess=float(np.sum(moved * inside)) + along,
    )
