"""Uniform read access to fitted models and pipelines: the only file here that knows estimators' attributes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from scipy.linalg import eigvalsh
from scipy.sparse import issparse
from sklearn.base import is_classifier, is_outlier_detector, is_regressor
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array, resample
from sklearn.utils.validation import check_is_fitted

from bochner._dense import dense
from bochner._typing import Array, ArrayLike, FloatType, MatrixLike
from bochner.errors import AssumptionError, InvalidDataError, InvalidParameterError, invalid_parameter
from bochner.estimators.map_transformer import WithFeatures
from bochner.features import FourierMap
from bochner.fitting import normal_half_widths
from bochner.kernels import Stationary
from bochner.sampling import Sampler, resolve_sampler
from bochner.solvers import RidgePath, RidgeProblem
from bochner.statistics import Moments
from bochner.theory import Certificate

__all__ = ["GIVE_ROWS", "Kind", "ModelView", "n_rows_of", "points_of", "sample_rows"]

GIVE_ROWS = "bochner.report(model, X=X_test, y=y_test), or bochner report MODEL --data TABLE"

Kind = Literal["regressor", "classifier", "pca", "features"]

_WIDEST_SPECTRUM = 4096


@dataclass(frozen=True)
class ModelView:
    """A fitted model, alone or as the last step of a scikit-learn pipeline.

    Attributes
    ----------
    model : estimator
        What the user has: it takes rows as they come.
    estimator : estimator
        The model itself, or the last step.
    steps : list of (name, transformer)
        What happens to rows before.
    """

    model: Any
    estimator: Any
    steps: list[tuple[str, Any]]

    @classmethod
    def of(cls, model: Any) -> ModelView:
        """The view of a fitted model; what cannot be reported is refused."""
        steps = list(model.steps) if isinstance(model, Pipeline) else [("model", model)]
        estimator = steps[-1][1]
        if not isinstance(estimator, WithFeatures) or is_outlier_detector(estimator):
            rule = "a KernelRegressor, KernelClassifier, KernelPCA or feature map, or a pipeline that ends in one"
            raise invalid_parameter("report", "model", rule, model)
        check_is_fitted(estimator)
        return cls(model, estimator, [(name, step) for name, step in steps[:-1] if step not in (None, "passthrough")])

    @property
    def kind(self) -> Kind:
        if is_regressor(self.estimator):
            return "regressor"
        if is_classifier(self.estimator):
            return "classifier"
        return "pca" if hasattr(self.estimator, "components_") else "features"

    @property
    def features(self) -> Any:
        """The fitted feature map, as a transformer."""
        return getattr(self.estimator, "features_", self.estimator)

    @property
    def fourier(self) -> FourierMap | None:
        """The frequencies, if the features are Fourier features."""
        own = getattr(self.features, "map_", None)
        return None if own is None else own.fourier

    @property
    def kernel(self) -> Stationary | None:
        kernel: Stationary | None = getattr(self.features, "kernel_", None)
        return kernel

    @property
    def embedding(self) -> Any:
        return getattr(self.features, "embedding", "paired")

    @property
    def sampler(self) -> Sampler | None:
        own = getattr(self.features, "sampling", None)
        return None if own is None or self.fourier is None else resolve_sampler(own)

    @property
    def width(self) -> int:
        """Output width D of the features."""
        if self.fourier is not None:
            return self.fourier.n_components
        if self.totals is not None:
            return len(self.totals.z_mean)
        own = getattr(self.features, "n_components_", None)
        return int(own) if own is not None else int(np.shape(self.estimator.coef_)[-1])

    @property
    def seed(self) -> int:
        return int(getattr(self.estimator, "seed_", 0))

    @property
    def totals(self) -> Moments | None:
        """Counts and means of the rows, perhaps without the products of their features; None for some solvers."""
        own = getattr(self.estimator, "moments_", None)
        return own if own is not None and own.n_rows > 0 else None

    @property
    def moments(self) -> Moments | None:
        """Second moments of features and targets; None for models that do not have them, or were saved without."""
        return self.totals if hasattr(self.totals, "zz") else None

    @property
    def is_exact(self) -> bool:
        """Whether it is an exact kernel machine."""
        return bool(self.get("is_exact"))

    @property
    def quantiles(self) -> tuple[float, ...]:
        """The quantiles that it predicts, ascending; none, if it predicts something else."""
        found: tuple[float, ...] = getattr(getattr(self.get("fitted_"), "loss", None), "quantiles", ())
        return found

    @property
    def drawn_quantile(self) -> float | None:
        """The quantile that single predictions are compared with targets by: the middle one of several."""
        return self.quantiles[len(self.quantiles) // 2] if self.quantiles else None

    @property
    def has_error_bars(self) -> bool:
        """Whether it is a kind of model with standard deviations of predictions."""
        return hasattr(type(self.estimator), "spread_")

    def half_widths(self, std: Array, level: float) -> Array:
        """Half the widths (n, t) of prediction intervals as `predict(return_interval=level)` has them."""
        fit = getattr(self.estimator, "fitted_", None)
        found: Array = getattr(fit, "half_widths", normal_half_widths)(std, level)
        return found

    @property
    def target_mean(self) -> Array | None:
        """Means of the training targets, where the model knows them."""
        return getattr(getattr(self.estimator, "fitted_", None), "target_mean", None)

    @property
    def n_rows(self) -> int | None:
        """Rows that the model has seen."""
        if self.totals is not None:
            return self.totals.n_rows
        own = getattr(self.estimator, "n_rows_", None)
        own = getattr(getattr(self.estimator, "fitted_", None), "n_rows", None) if own is None else own
        return None if own is None else int(own)

    @property
    def row_dtype(self) -> FloatType | None:
        """Float type of the training rows; None where the model does not know it."""
        own = getattr(self.estimator, "row_dtype_", None)
        return getattr(self.estimator, "_row_dtype", None) if own is None else own

    @property
    def n_inputs(self) -> int:
        return int(self.estimator.n_features_in_)

    @property
    def path(self) -> RidgePath | None:
        return getattr(self.estimator, "path_", None)

    @cached_property
    def eigenvalues(self) -> Array | None:
        """Eigenvalues of G, the largest first, nothing below zero; None without moments or with too many features."""
        if self.moments is None or self.width > _WIDEST_SPECTRUM:
            return None
        if self.kind == "pca" and len(self.estimator.eigenvalues_) == self.width:
            return np.asarray(self.estimator.eigenvalues_)
        problem = RidgeProblem.from_moments(self.moments, bool(getattr(self.estimator, "fit_intercept", True)))
        values: Array = eigvalsh(problem.gram, lower=True, check_finite=False)
        return np.maximum(values[::-1], 0.0)

    @cached_property
    def dof(self) -> float | None:
        """Effective degrees of freedom of a regressor, from its eigenvalues where they are known."""
        if self.kind != "regressor" or self.moments is None:
            return None
        if self.eigenvalues is None:
            return float(self.estimator.dof_)
        alpha = float(self.estimator.alpha_)
        return float(np.sum(self.eigenvalues / (self.eigenvalues + alpha)) + self.estimator.fit_intercept)

    @property
    def input_names(self) -> list[str]:
        """Names of the columns that the kernel sees."""
        names = getattr(self.estimator, "feature_names_in_", None)
        if names is None and self.steps:
            try:
                names = self.model[:-1].get_feature_names_out()
            except (AttributeError, ValueError, NotImplementedError):
                names = None  # a step that does not name its output
        if names is None or len(names) != self.n_inputs:
            return [f"column {i}" for i in range(self.n_inputs)]
        return [str(name) for name in names]

    @property
    def length_scales(self) -> Array | None:
        """Length scales of the kernel: one, or one per column; None for composite kernels, and those of no distance."""
        if self.kernel is None or not self.kernel.stationary:
            return None
        try:
            return np.atleast_1d(np.asarray(self.kernel.without_factor().scales(), dtype=float))
        except InvalidParameterError:
            return None

    def get(self, name: str) -> Any:
        """A fitted attribute of the estimator, None where it has none."""
        try:
            return getattr(self.estimator, name, None)
        except AssumptionError:
            return None

    def inputs(self, X: MatrixLike | None) -> Any:
        """Rows as the kernel sees them: after the steps of the pipeline."""
        return self.model[:-1].transform(X) if self.steps else X

    def dense_inputs(self, X: MatrixLike | None) -> Array:
        """Inputs of the kernel as a dense array of float64."""
        rows = self.inputs(X)
        return check_array(dense(rows) if issparse(rows) else rows, dtype=np.float64, input_name="X")

    def certify(self, X: MatrixLike | None = None, *, delta: float) -> Certificate:
        """The certificate of the model, or of its features where it has none of its own."""
        issue: Callable[..., Certificate] | None = getattr(self.estimator, "certify", None)
        of_features = issue is None
        if issue is None:
            issue = getattr(self.features, "certify", None)
        if issue is None:
            raise AssumptionError(f"{type(self.features).__name__} has no certificates.")
        if X is None and (self.kind != "regressor" or self.moments is None):
            raise AssumptionError("Without rows there is no certificate.")
        if X is None:
            return issue(delta=delta)
        rows = self.inputs(X)  # the features of a model know no names of columns
        return issue(check_array(rows, accept_sparse="csr") if of_features else rows, delta=delta)


def points_of(predicted: Array, y: Array) -> Array:
    """Predictions that are compared with targets: the middle ones of several quantiles."""
    return predicted[:, predicted.shape[1] // 2] if predicted.ndim > y.ndim else predicted


def n_rows_of(X: Any) -> int:
    """Rows of a table, an array or a list."""
    return int(np.shape(X)[0])


def sample_rows(
    X: MatrixLike, y: ArrayLike | None, sample_weight: ArrayLike | None, *, most: int, seed: int
) -> tuple[Any, Any, Any]:
    """At most `most` rows of X, y and the weights, drawn without replacement; None stays None."""
    n = n_rows_of(X)
    given = [part for part in (X, y, sample_weight) if part is not None]
    if any(n_rows_of(part) != n for part in given):
        raise InvalidDataError(
            f"X, y and sample_weight must have the same length. Got {[n_rows_of(part) for part in given]}."
        )
    if n > most:
        given = resample(*given, replace=False, n_samples=most, random_state=seed % 2**32)
        given = given if isinstance(given, list) else [given]
    drawn = iter(given)
    return tuple(next(drawn) if part is not None else None for part in (X, y, sample_weight))  # type: ignore[return-value]
