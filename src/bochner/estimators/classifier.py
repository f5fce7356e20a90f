"""Kernel classification: least squares, logistic regression and support vector machines, exact or on features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from numbers import Integral, Real
from os import PathLike
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import compute_class_weight

from bochner._random import resolve_seed
from bochner._sklearn import Interval, StrOptions, available_if, fit_method, validated, with_callbacks
from bochner._typing import Array, ArrayLike, Constraints, FilePath, MatrixLike, Seed, Transformer
from bochner.errors import invalid_parameter
from bochner.estimators.certified_classifier import CertifiedClassifier
from bochner.estimators.classifier_attributes import ClassifierAttributes
from bochner.estimators.classifier_rows import classifier_settings, labelled_rows, loss_for, open_checkpoint
from bochner.estimators.kernel_model import MODEL_CONSTRAINTS, KernelModel, seed_of_fit
from bochner.estimators.makers import AllLandmarksMaker, ExactMaker
from bochner.estimators.rows import linear_predictions
from bochner.estimators.watch import CallbackWatch, warn_of_classifier, warn_of_rows
from bochner.fitting import MapMaker, add_labelled_rows, fit_classifier
from bochner.kernels import Stationary
from bochner.sampling import Sampler
from bochner.solvers import chosen_classes, probabilities
from bochner.tuning import ClassifierScales, ScaleLearner

__all__ = ["KernelClassifier"]


def _has_probabilities(self: KernelClassifier) -> bool:
    if self.loss in ("hinge", "squared_hinge") and not self.probability:
        raise AttributeError(f"predict_proba of loss={self.loss!r} needs probability=True, set before fit.")
    return True


def _streams(self: KernelClassifier) -> bool:
    if self.loss not in ("auto", "logistic") or isinstance(self.alpha, str):
        raise AttributeError("partial_fit is available for loss='logistic' and a given alpha, such as alpha=1.0.")
    return True


class KernelClassifier(ClassifierMixin, CertifiedClassifier, ClassifierAttributes, KernelModel):
    """Kernel classification at scale.

        minimise_W,w_0  sum_i s_i loss(y_i, W'z(x_i) + w_0) + alpha/2 ||W||^2

    on features z of a kernel, with the multinomial logistic loss, or one class against the rest with half the squared
    error (y - m)^2 / 2 of labels y = +-1, the hinge loss max(0, 1 - y m) of a support vector machine or its square. By
    default, up to 10,000 rows, it is the exact kernel machine of the squared error by a Cholesky factor, or 256
    landmarks where these predict as well; of more rows in memory more landmarks, or an exact machine by iterations; for
    rows that are not in memory, it has random features. alpha is 1/C of scikit-learn's `LogisticRegression`,
    `LinearSVC` and `SVC`; the theory's lambda is alpha / n.

    Parameters
    ----------
    kernel : str or Kernel, default=None
        As in `KernelRegressor`; candidates are compared by least squares on the indicators of the classes.
    loss : {"auto", "squared_error", "logistic", "hinge", "squared_hinge"}, default="auto"
        "auto": the squared error if alpha="auto" and the rows are in memory, else logistic; the squared hinge in place
        of an exact machine of two classes of many rows, if few are inside the margin. The squared error has one
        factorisation for all classes and penalties, and exact leave-one-out errors. The logistic loss is solved by
        Newton's method; the hinge losses by dual coordinate ascent, with the intercept penalised as a constant feature,
        as in `LinearSVC`.
    features : {"auto", "fourier", "nystroem", "exact"} or transformer, default="auto"
        As in `KernelRegressor`; "auto": few landmarks for more rows in memory too, where these tell the classes apart.
        "exact": Newton's method with kernel tiles for the logistic loss and the squared hinge; the hinge up to 10,000
        rows. Their penalty is chosen on 3,000 rows.
    n_components : int or "auto", default="auto"
        Number of features D. "auto": sqrt(n) log n between 256 and 4096; with features="auto", as in `KernelRegressor`;
        with other losses than the squared error 256, 1024, 2048 landmarks until held-out rows see no gain.
    alpha : float, "auto" or "cv", default="auto"
        The penalty. "auto": by exact leave-one-out errors of up to 4,000 rows with the squared error; with the other
        losses the one of `alphas` with the smallest loss on a fifth of the rows. "cv": the one with the smallest
        cross-validated log loss (error rate for the hinge losses), each fit started from the one before; the model is
        then fitted to all rows.
    alphas : array-like, default=None
        Penalties to choose from. None: those of `KernelRegressor` with the squared error; ten, alpha / n from 10^-2 to
        10^-6.5, with the others.
    cv : int, splitter or iterable of (train, test) indices, default=5
        Folds for alpha="cv" and probability=True; a number: so many, every class spread evenly.
    length_scale : "auto", "ard", "metric", "median", float or array of shape (n_features,), default="auto"
        "ard": one scale per feature, "auto": one for all, learned by the log loss of rows that are held out
        (`bochner.tuning`) for the given `alpha`; the median is kept where nothing is better by more than
        noise. With features="auto": as in `KernelRegressor`, by least squares on indicators of the classes. The hinge
        losses have the scales of the logistic loss. A kernel that is handed over keeps its scale, unless "ard" is asked
        for. "metric": a matrix, from gradients of least squares on indicators of the classes. "median", and "auto" with
        fewer than 300 rows: the median distance between rows.
    fit_intercept : bool, default=True
    class_weight : dict or "balanced", default=None
        Factors of the row weights by class, as in scikit-learn.
    probability : bool, default=False
        For the hinge losses: whether `predict_proba` is wanted. It is a softmax of the scores times a factor
        (temperature scaling), fitted to scores of rows by models that have not seen them: `cv` more fits. With the
        squared error these are the leave-one-out scores of up to 2,000 rows, at no cost.
    tol : float, default=1e-4
        Duality gap at which the solver stops, relative to the objective, or to a thousandth of its value at zero
        if that is more (separable classes).
    max_iter : int, default=5000
        Newton steps, or sweeps over the rows, at most.
    sampling : str or Sampler, default="monte_carlo"
        As in `FourierFeatures`.
    checkpoint : str or Path, default=None
        As in `KernelRegressor`: a file from which a killed fit goes on, in the middle of a pass (squared error) or of
        the iterations at a penalty (the other losses).
    random_state : int, RandomState, Generator or None, default=None
        Seed of frequencies, folds and the order of rows.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    features_ : transformer
        The fitted feature map.
    is_exact : bool
        Whether the fitted model is an exact kernel machine.
    alpha_ : float
    coef_ : array of shape (1, D) or (n_classes, D)
    intercept_ : array of shape (1,) or (n_classes,)
    objective_ : float
    dual_gap_ : float
        The objective is at most so far above its minimum.
    n_iter_ : int
    loss_ : str
        The loss that was minimised.
    alphas_ : array or None
        Penalties that were tried for alpha="auto" or "cv".
    cv_losses_ : array of shape (n_alphas, cv) or None
        Held-out loss of each penalty in each fold; infinite where a fold ended its path before.
    n_rows_ : int
        Rows of the last fit.
    tuning_ : Tuning or None
        How kernel and scales were learned, if they were.
    metric_, feature_importances_ : arrays of shape (d, d) and (d,)
        Matrix of the kernel's distance; shares of columns in mean squared gradients of the scores, in their spreads.
    seed_ : int
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import KernelClassifier
    >>> X = np.random.default_rng(0).standard_normal((400, 2))
    >>> y = np.where(np.linalg.norm(X, axis=1) < 1.2, "inside", "outside")
    >>> KernelClassifier(random_state=0).fit(X, y).score(X, y) > 0.97
    True
    """

    _parameter_constraints: Constraints = {
        **MODEL_CONSTRAINTS,
        "loss": [StrOptions({"auto", "squared_error", "logistic", "hinge", "squared_hinge"})],
        "alpha": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto", "cv"})],
        "alphas": ["array-like", None],
        "cv": ["cv_object"],
        "fit_intercept": ["boolean"],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "probability": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "checkpoint": [str, PathLike, None],
    }

    def __init__(
        self,
        kernel: str | Stationary | None = None,
        *,
        loss: str = "auto",
        features: Transformer | str | None = "auto",
        n_components: int | str = "auto",
        alpha: float | str = "auto",
        alphas: ArrayLike | None = None,
        cv: Any = 5,
        length_scale: str | float | ArrayLike = "auto",
        fit_intercept: bool = True,
        class_weight: dict[Any, float] | str | None = None,
        probability: bool = False,
        tol: float = 1e-4,
        max_iter: int = 5000,
        sampling: str | Sampler = "monte_carlo",
        checkpoint: FilePath | None = None,
        random_state: Seed = None,
    ) -> None:
        self.kernel = kernel
        self.loss = loss
        self.features = features
        self.n_components = n_components
        self.alpha = alpha
        self.alphas = alphas
        self.cv = cv
        self.length_scale = length_scale
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.probability = probability
        self.tol = tol
        self.max_iter = max_iter
        self.sampling = sampling
        self.checkpoint = checkpoint
        self.random_state = random_state

    @fit_method
    def fit(self, X: MatrixLike, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model. The features of all rows are kept if they take at most half of the memory budget.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), a scan, or a Dask array or data frame
            As in `KernelRegressor.fit`. Labels, weights and scores of all rows are held here.
        y : array-like of shape (n_samples,)
            Labels: numbers or strings.
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        self
        """
        rows, labels, self.classes_ = labelled_rows(self, X, y, sample_weight)
        loss = loss_for(self, rows)
        if (loss == "squared_error" or self.asks_for_exact) and rows.arrays is not None and self.uses_landmarks(rows):
            rows = replace(rows.arrays, dtype=np.dtype(np.float64))  # as its features
        checkpoint = open_checkpoint(self, loss, rows, labels)
        self.seed_ = seed_of_fit(self.random_state, checkpoint)
        collapses = checkpoint is None and loss == "squared_error"
        clusters = self.without_near_copies(rows, self.seed_, labels.labels) if collapses else None
        if clusters is not None:
            rows = replace(clusters.rows, Y=labels.labels[clusters.index])
            labels = replace(labels, labels=rows.Y, weight=labels.weight[clusters.index])
        settings, watch = classifier_settings(self, rows), CallbackWatch(self, rows)
        self.fitted_ = fit_classifier(rows, labels, settings, watch=watch, checkpoint=checkpoint)
        warn_of_rows(rows, 4, self.alpha if loss == "squared_error" else None)
        warn_of_classifier(self.fitted_, stacklevel=4)
        return self

    @available_if(_streams)
    @with_callbacks
    @validated
    def partial_fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Add rows to a logistic model without those seen before.

        Of earlier rows, their solution and its curvature are kept (D x D numbers): a normal (Laplace) approximation to
        their likelihood, with the curvature averaged over the classes. The model of `fit` on all rows is approached,
        not met.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like, default=None
            All classes; needed in the first call only, if its rows do not have them all.
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        self
        """
        fit = getattr(self, "fitted_", None)
        fit = None if fit is None or fit.prior is None else fit  # after `fit`, it begins anew
        known = self.classes_ if fit is not None else None if classes is None else np.unique(np.asarray(classes))
        rows, labels, self.classes_ = labelled_rows(self, X, y, sample_weight, known, reset=fit is None)
        if fit is None:
            self.seed_ = resolve_seed(self.random_state)
            self._warn_of_first_block(rows.n_rows)
        settings, watch = classifier_settings(self, None), CallbackWatch(self, rows)
        self.fitted_ = add_labelled_rows(fit, rows, labels, settings, watch=watch)
        warn_of_classifier(self.fitted_, stacklevel=4)
        return self

    def decision_function(self, X: MatrixLike) -> Array:
        """Scores of the classes, shape (n_samples, n_classes), or (n_samples,) of the second of two classes."""
        scores = self._scores(X)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: MatrixLike) -> Array:
        """The class of the largest score of each row."""
        response = replace(self._fit_value().response(), decides=True)
        chosen = partial(chosen_classes, self.classes_)
        return linear_predictions(self, X, response, chosen, shape=(), dtype=self.classes_.dtype)

    @available_if(_has_probabilities)
    def predict_proba(self, X: MatrixLike) -> Array:
        """Probabilities of the classes, shape (n_samples, n_classes)."""
        self._fit_value()
        then = partial(probabilities, self.inverse_temperature_)
        return self._scores(X, then, shape=(len(self.classes_),), dtype=float)

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: MatrixLike) -> Array:
        """Logarithms of the probabilities of the classes."""
        with np.errstate(divide="ignore"):  # calibrated probabilities may be 0
            return np.log(self.predict_proba(X))

    def _scale_learner(self, landmarks: bool) -> ScaleLearner:
        return ClassifierScales(self.alpha)

    def _exact_maker(self) -> MapMaker:
        # Overrides: the hinge loss, and partial_fit, are solved on features.
        squares = self.loss in ("auto", "squared_error")
        return ExactMaker() if squares else AllLandmarksMaker(f"{type(self).__name__} with loss={self.loss!r}")

    def _row_weights(self, y: Array, labels: Array, weight: Array | None, classes: Array | None) -> Array:
        rows = np.ones(len(y)) if weight is None else weight
        if self.class_weight is None:
            return rows
        if classes is not None and isinstance(self.class_weight, str):
            raise invalid_parameter(self, "class_weight", "None or a dict for partial_fit", self.class_weight)
        factor = compute_class_weight(self.class_weight, classes=self.classes_, y=y, sample_weight=weight)
        return rows * factor[labels]

    def _scores(self, X: MatrixLike, then: Callable[[Array], Array] = np.asarray, **result: Any) -> Any:
        """A function of the scores, (n, 1) of the second of two classes, or (n, n_classes)."""
        return linear_predictions(self, X, self._fit_value().response(), then, **result)
