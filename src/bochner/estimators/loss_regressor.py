"""Kernel regression by other losses than squares: the estimator that quantile, Huber and Poisson regression share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from numbers import Integral, Real
from os import PathLike
from typing import Self

import numpy as np
from sklearn.base import RegressorMixin

from bochner._sklearn import Interval, StrOptions, fit_method
from bochner._typing import Array, ArrayLike, Constraints, FilePath, MatrixLike, Seed, Transformer
from bochner.estimators.kernel_model import MODEL_CONSTRAINTS, KernelModel, seed_of_fit
from bochner.estimators.linear_attributes import LinearAttributes
from bochner.estimators.loss_rows import observed_rows, open_checkpoint, regression_settings, scored_targets
from bochner.estimators.makers import AllLandmarksMaker
from bochner.estimators.map_transformer import CertificateContext, certified_features
from bochner.estimators.rows import linear_predictions
from bochner.estimators.validation import validated_rows
from bochner.estimators.watch import CallbackWatch, warn_of_rows, warn_of_solver
from bochner.fitting import FittedRegression, MapMaker, fit_regression
from bochner.kernels import Stationary
from bochner.sampling import Sampler
from bochner.solvers import RegressionLoss
from bochner.theory import Certificate
from bochner.theory.base import check_delta
from bochner.tuning import RidgeScales, ScaleLearner

__all__ = ["LOSS_CONSTRAINTS", "LossRegressor", "PointRegressor"]

LOSS_CONSTRAINTS: Constraints = {
    **MODEL_CONSTRAINTS,
    "alpha": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto", "cv"})],
    "alphas": ["array-like", None],
    "cv": ["cv_object"],
    "fit_intercept": ["boolean"],
    "tol": [Interval(Real, 0, None, closed="neither")],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "checkpoint": [str, PathLike, None],
}
"""Rules of the parameters that these estimators share."""

_FEWEST_ROWS = 30  # to learn one length scale from, by least squares

_OF_FEATURES = ("kernel", "features", "n_components", "length_scale", "sampling")
_OF_FIT = ("alpha", "alphas", "cv", "fit_intercept", "tol", "max_iter", "checkpoint", "random_state")


class LossRegressor(RegressorMixin, LinearAttributes[FittedRegression], KernelModel):
    """Regression by a convex loss on the features of a kernel. A subclass names the loss."""

    alpha: float | str
    alphas: ArrayLike | None
    cv: object
    fit_intercept: bool
    tol: float
    max_iter: int
    checkpoint: FilePath | None

    _parameter_constraints: Constraints = LOSS_CONSTRAINTS

    def __init__(
        self,
        kernel: str | Stationary | None = None,
        *,
        features: Transformer | str | None = "auto",
        n_components: int | str = "auto",
        alpha: float | str = "auto",
        alphas: ArrayLike | None = None,
        cv: object = 5,
        length_scale: str | float | ArrayLike = "auto",
        fit_intercept: bool = True,
        tol: float = 1e-4,
        max_iter: int = 5000,
        sampling: str | Sampler = "monte_carlo",
        checkpoint: FilePath | None = None,
        random_state: Seed = None,
    ) -> None:
        of_fit = (alpha, alphas, cv, fit_intercept, tol, max_iter, checkpoint, random_state)
        self._take((kernel, features, n_components, length_scale, sampling), of_fit)

    def _take(self, of_features: tuple[object, ...], of_fit: tuple[object, ...]) -> None:
        """Store the parameters of a constructor as they are given."""
        for name, value in zip(_OF_FEATURES + _OF_FIT, of_features + of_fit):
            setattr(self, name, value)

    @property
    @abstractmethod
    def _loss(self) -> RegressionLoss:
        """The loss, of the parameters of the estimator."""

    @property
    def _conformal(self) -> bool:
        """Whether rows are held out to calibrate intervals."""
        return False

    @fit_method
    def fit(self, X: MatrixLike, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model. The features of all rows are kept if they take at most half of the memory budget.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), a scan, or a Dask array or data frame
            As in `KernelRegressor.fit`. Targets, weights and scores of all rows are held here.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
            A weight of 2 counts a row twice, 0 removes it.

        Returns
        -------
        self
        """
        rows, observed = observed_rows(self, X, y, sample_weight)
        checkpoint = open_checkpoint(self, rows, observed)
        self.seed_ = seed_of_fit(self.random_state, checkpoint)
        settings = regression_settings(self, self._loss, rows, conformal=self._conformal)
        watch = CallbackWatch(self, rows)
        self.fitted_ = fit_regression(rows, observed, settings, watch=watch, checkpoint=checkpoint)
        warn_of_rows(rows, stacklevel=4)
        warn_of_solver(self.fitted_.solution, stacklevel=4)
        return self

    def score(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Share D^2 of the loss of the best constant that the model takes away: 1 is perfect, 0 is the constant.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
        """
        loss, targets, weight = self._fit_value().loss, *scored_targets(self._fit_value().loss, y, sample_weight)
        scores = np.asarray(linear_predictions(self, X, self._fit_value().response()), dtype=float)
        constant = np.broadcast_to(loss.constant(targets, weight), scores.shape)
        own, best = (float(weight @ loss.losses(targets, each)) for each in (scores, constant))
        return 1 - own / best if best > 0 else float(own == 0)

    def certify(self, X: MatrixLike, *, delta: float = 0.01) -> Certificate:
        """Certificate of the kernel of the features on some rows, as that of `features_`.

        How far the model is from the exact kernel machine is not known for these losses.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        delta : float, default=0.01
            Probability with which the certificate may fail.
        """
        features = certified_features(self._fit_value().features)
        check_delta(delta)
        self._require_settings_of_fit()
        context = CertificateContext(scale_is_of_rows=self._rows_chose_scales)
        return features.certify_kernel(validated_rows(self, X, reset=False), delta, context)

    @property
    def coef_(self) -> Array:
        coef = self._fit_value().solution.coef
        return coef[:, 0] if self._flat else coef.T

    @property
    def intercept_(self) -> float | Array:
        intercept = self._fit_value().solution.intercept
        return float(intercept[0]) if self._flat else intercept

    @property
    def _flat(self) -> bool:
        """Whether there is one prediction a row."""
        return True

    def _predictions(self, X: MatrixLike, then: Callable[[Array], Array] | None = None) -> Array:
        """A function of the predictions (n, t) of rows."""
        fit = self._fit_value()
        found: Array = linear_predictions(self, X, fit.response(), fit.loss.predictions if then is None else then)
        return found

    def _scale_learner(self, landmarks: bool) -> ScaleLearner:
        return RidgeScales(None, landmarks, fewest_rows=_FEWEST_ROWS)

    def _exact_maker(self) -> MapMaker:
        # Overrides: other losses than squares are solved on features.
        return AllLandmarksMaker(type(self).__name__)


class PointRegressor(LossRegressor):
    """A `LossRegressor` with one prediction a row."""

    def predict(self, X: MatrixLike) -> Array:
        """Predictions, shape (n_samples,)."""
        return self._predictions(X)[:, 0]
