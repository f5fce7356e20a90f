"""Kernel classification on random features: logistic regression and support vector machines."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import partial
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from scipy.special import softmax
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import check_cv
from sklearn.utils import compute_class_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from bochner._typing import Array
from bochner.data import ArrayRows, RowSource
from bochner.errors import InvalidDataError, invalid_parameter
from bochner.estimators._sklearn import Interval, StrOptions, validated
from bochner.estimators.certified_classifier import CertifiedClassifier
from bochner.estimators.kernel_model import KernelModel, check_penalties
from bochner.estimators.rows import blockwise, linear_predictions, rows_to_fit
from bochner.kernels import Stationary
from bochner.memory import require_memory
from bochner.planning import classifier_bill
from bochner.solvers import (
    ClassificationProblem,
    Fold,
    LinearSolution,
    Logistic,
    QuadraticPenalty,
    choose_penalty,
    default_penalties,
    inverse_temperature,
    out_of_fold_scores,
)
from bochner.statistics import RowIdentity, identify, open_stream

__all__ = ["KernelClassifier"]


def _has_probabilities(self: KernelClassifier) -> bool:
    if self.loss != "logistic" and not self.probability:
        raise AttributeError(f"predict_proba of loss={self.loss!r} needs probability=True, set before fit.")
    return True


def _streams(self: KernelClassifier) -> bool:
    if self.loss != "logistic" or isinstance(self.alpha, str):
        raise AttributeError("partial_fit is available for loss='logistic' and a given alpha.")
    return True


class KernelClassifier(ClassifierMixin, CertifiedClassifier, KernelModel):
    """Kernel classification at scale.

        minimise_W,b  sum_i s_i loss(y_i, W'z(x_i) + b) + alpha/2 ||W||^2

    on random features z of a kernel, with the multinomial logistic loss, or one class against the rest with the hinge
    loss max(0, 1 - m) of a support vector machine or its square. alpha is 1/C of scikit-learn's `LogisticRegression`,
    `LinearSVC` and `SVC`; the theory's lambda is alpha / n.

    Parameters
    ----------
    kernel : str or Stationary, default="gaussian"
        A kernel, or its name in lower case. "auto": the Gaussian or Matern kernel (nu = 1/2, 3/2, 5/2) of the smallest
        held-out log loss.
    loss : {"logistic", "hinge", "squared_hinge"}, default="logistic"
        The logistic loss is solved by Newton's method; the hinge losses by dual coordinate ascent, with the intercept
        penalised as a constant feature, as in `LinearSVC`.
    features : transformer, default=None
        Any scikit-learn transformer to use in place of `FourierFeatures(kernel, ...)`, or "nystroem", as in
        `KernelRegressor`.
    n_components : int or "auto", default="auto"
        Number of features D. "auto": sqrt(n) log n between 256 and 4096.
    alpha : float or "cv", default=1.0
        The penalty. "cv": the one of `alphas` with the smallest cross-validated log loss (error rate for the hinge
        losses), each fit started from the one before; the model is then fitted to all rows.
    alphas : array-like, default=None
        Penalties to choose from. None: ten, alpha / n from 10^-2 to 10^-6.5.
    cv : int, splitter or iterable of (train, test) indices, default=5
        Folds for alpha="cv" and probability=True; a number: so many, every class spread evenly.
    length_scale : "auto", "ard", "median", float or array of shape (n_features,), default="auto"
        "ard": one scale per feature, "auto": one for all, learned by the log loss of rows that are held out
        (`bochner.tuning`) for the given `alpha`; the median is kept where nothing is better by more than
        noise. The hinge losses have the scales of the logistic loss. A kernel that is handed over keeps its scale,
        unless "ard" is asked for. "median", and "auto" with fewer than 300 rows: the median distance between rows.
    fit_intercept : bool, default=True
    class_weight : dict or "balanced", default=None
        Factors of the row weights by class, as in scikit-learn.
    probability : bool, default=False
        For the hinge losses: whether `predict_proba` is wanted. It is a softmax of the scores times a factor
        (temperature scaling), fitted to scores of rows by models that have not seen them: `cv` more fits.
    tol : float, default=1e-4
        Duality gap at which the solver stops, relative to the objective, or to a thousandth of its value at zero
        if that is more (separable classes).
    max_iter : int, default=5000
        Newton steps, or sweeps over the rows, at most.
    sampling : str or Sampler, default="monte_carlo"
        As in `FourierFeatures`.
    random_state : int, RandomState, Generator or None, default=None
        Seed of frequencies, folds and the order of rows.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    features_ : transformer
        The fitted feature map.
    alpha_ : float
    coef_ : array of shape (1, D) or (n_classes, D)
    intercept_ : array of shape (1,) or (n_classes,)
    objective_ : float
    dual_gap_ : float
        The objective is at most so far above its minimum.
    n_iter_ : int
    alphas_ : array or None
        Penalties that were tried for alpha="cv", falling.
    cv_losses_ : array of shape (n_alphas, cv) or None
        Held-out loss of each penalty in each fold; infinite where a fold ended its path before.
    n_rows_ : int
        Rows of the last fit.
    tuning_ : Tuning or None
        What was learned of kernel and scales, if anything was.
    seed_ : int
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import KernelClassifier
    >>> X = np.random.default_rng(0).standard_normal((1000, 2))
    >>> y = np.where(np.linalg.norm(X, axis=1) < 1.2, "inside", "outside")
    >>> KernelClassifier(alpha=0.01, random_state=0).fit(X, y).score(X, y) > 0.97
    True
    """

    _solution: LinearSolution
    _inverse_temperature: float
    _prior: QuadraticPenalty | None
    _identity_of_rows: RowIdentity | None
    alphas_: Array | None
    cv_losses_: Array | None

    _parameter_constraints: dict[str, list[Any]] = {
        **KernelModel._parameter_constraints,
        "loss": [StrOptions({"logistic", "hinge", "squared_hinge"})],
        "alpha": [Interval(Real, 0, None, closed="neither"), StrOptions({"cv"})],
        "alphas": ["array-like", None],
        "cv": ["cv_object"],
        "fit_intercept": ["boolean"],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "probability": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        kernel: str | Stationary = "gaussian",
        *,
        loss: str = "logistic",
        features: Any = None,
        n_components: int | str = "auto",
        alpha: float | str = 1.0,
        alphas: Any = None,
        cv: Any = 5,
        length_scale: Any = "auto",
        fit_intercept: bool = True,
        class_weight: Any = None,
        probability: bool = False,
        tol: float = 1e-4,
        max_iter: int = 5000,
        sampling: Any = "monte_carlo",
        random_state: Any = None,
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
        self.random_state = random_state

    @validated
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
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
        rows, labels, weight = self._validated_rows(X, y, sample_weight, None)
        self._choose_seed()
        self._choose_features(rows, (labels, weight))
        self._identity_of_rows = identify(rows, labels, weight)
        problem = self._problem(rows, labels, weight)
        self._prior, self._inverse_temperature = None, 1.0
        self._choose_alpha(problem)
        self._solution = problem.solve(self.alpha_, tol=self.tol, max_iter=self.max_iter)
        self._warn_if_cut_short()
        if self.loss != "logistic" and self.probability:
            self._inverse_temperature = self._calibrated(problem)
        return self

    @available_if(_streams)
    @validated
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add rows to a logistic model without those seen before.

        Of earlier rows, their solution and its curvature are kept (D x D numbers): a normal approximation to what they
        say, with the curvature averaged over the classes. The model of `fit` on all rows is approached, not met.

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
        prior = getattr(self, "_prior", None)
        known = self.classes_ if prior is not None else None if classes is None else np.unique(classes)
        rows, labels, weight = self._validated_rows(X, y, sample_weight, known, reset=prior is None)
        if prior is None:
            self._choose_seed()
            self._choose_features(rows, (labels, weight))
            self._warn_of_first_block(rows.n_rows)
            self.alpha_, self.alphas_, self.cv_losses_ = float(self.alpha), None, None
            self._inverse_temperature = 1.0
            prior = QuadraticPenalty(self.alpha_)
        self._identity_of_rows = None  # the model is an approximation to that of all rows
        problem = self._problem(rows, labels, weight)
        solver = problem.newton(problem.weight)
        self._solution = solver.solve(prior, tol=self.tol, max_iter=self.max_iter)
        self._warn_if_cut_short()
        self._prior = prior.updated(self._solution, solver.curvature(self._solution))
        return self

    def decision_function(self, X: Any) -> Array:
        """Scores of the classes, shape (n_samples, n_classes), or (n_samples,) of the second of two classes."""
        scores = self._scores(X)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> Array:
        """The class of the largest score of each row."""
        check_is_fitted(self)
        return blockwise(partial(_chosen, self.classes_), self._scores(X), self.classes_.dtype)

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> Array:
        """Probabilities of the classes, shape (n_samples, n_classes)."""
        check_is_fitted(self)
        return blockwise(
            partial(_probabilities, self._inverse_temperature), self._scores(X), float, n_columns=len(self.classes_)
        )

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Any) -> Array:
        """Logarithms of the probabilities of the classes."""
        return np.log(self.predict_proba(X))

    @property
    def coef_(self) -> Array:
        return self._solution.coef.T

    @property
    def intercept_(self) -> Array:
        return self._solution.intercept

    @property
    def objective_(self) -> float:
        return self._solution.objective

    @property
    def dual_gap_(self) -> float:
        return self._solution.gap

    @property
    def n_iter_(self) -> int:
        return self._solution.n_iter

    # The steps of a fit, in their order.

    def _auto_learns(self) -> bool:
        return True

    def _validated_rows(
        self, X: Any, y: Any, sample_weight: Any, classes: Array | None, *, reset: bool = True
    ) -> tuple[RowSource, Array, Array]:
        """The rows, their labels 0 ... n_classes - 1, and their weights, those of the classes included."""
        rows, y = rows_to_fit(self, X, y, sample_weight, reset=reset)
        weight = rows.sample_weight if isinstance(rows, ArrayRows) else None
        if y is None:
            Y, weight = rows.targets()
            y = column_or_1d(Y)
        check_classification_targets(y)
        present = np.unique(y if weight is None else y[weight > 0])
        self.classes_ = present if classes is None else classes
        if len(self.classes_) < 2:
            raise InvalidDataError(f"y must have at least two classes. Got 1 class: {self.classes_[0]!r}.")
        unseen = np.setdiff1d(present, self.classes_)
        if len(unseen):
            raise InvalidDataError(
                f"y must have the classes {list(self.classes_)} only. Got {list(unseen)}: "
                "give all classes in the first call of partial_fit."
            )
        known = np.isin(y, self.classes_)
        labels = np.searchsorted(self.classes_, np.where(known, y, self.classes_[0]))
        if isinstance(rows, ArrayRows):
            rows = replace(rows, Y=labels)  # labels may be text, and blocks have numbers
        return rows, labels, self._row_weights(y, labels, weight, classes)

    def _row_weights(self, y: Array, labels: Array, weight: Array | None, classes: Array | None) -> Array:
        rows = np.ones(len(y)) if weight is None else weight
        if self.class_weight is None:
            return rows
        if classes is not None and isinstance(self.class_weight, str):
            raise invalid_parameter(self, "class_weight", "None or a dict for partial_fit", self.class_weight)
        factor = compute_class_weight(self.class_weight, classes=self.classes_, y=y, sample_weight=weight)
        return rows * factor[labels]

    def _problem(self, rows: RowSource, labels: Array, weight: Array) -> ClassificationProblem:
        feature_map = self._map()
        D = feature_map.n_components
        bill = classifier_bill(
            n_rows=rows.n_rows,
            n_features=rows.n_features,
            n_components=D,
            n_classes=len(self.classes_),
            dtype=rows.dtype,
        )
        require_memory(bill, f"Lower n_components (now {D}), or raise the budget with bochner.set_config(memory=...).")
        self.n_rows_ = rows.n_rows
        stream = open_stream(rows, feature_map)
        if self.loss != "logistic" and not stream.kept and not isinstance(rows, ArrayRows):
            raise InvalidDataError(
                f"loss={self.loss!r} visits rows in random order: they, or their features, must fit in memory. Use "
                "loss='logistic', or raise the budget with bochner.set_config(memory=...)."
            )
        return ClassificationProblem(
            stream=stream,
            labels=labels.astype(np.intp),
            weight=weight,
            n_classes=len(self.classes_),
            loss=self.loss,
            fit_intercept=self.fit_intercept,
            seed=self.seed_,
        )

    def _choose_alpha(self, problem: ClassificationProblem) -> None:
        self.alphas_, self.cv_losses_ = None, None
        if not isinstance(self.alpha, str):
            self.alpha_ = float(self.alpha)
            return
        alphas = default_penalties(problem) if self.alphas is None else check_penalties(self, self.alphas)
        self.alpha_, self.alphas_, self.cv_losses_ = choose_penalty(
            problem, alphas, self._folds(problem), tol=max(self.tol, 1e-3), max_iter=self.max_iter
        )

    def _calibrated(self, problem: ClassificationProblem) -> float:
        rows, scores = out_of_fold_scores(
            problem, self.alpha_, self._folds(problem), self._solution, tol=self.tol, max_iter=self.max_iter
        )
        return inverse_temperature(scores, Logistic(problem.labels[rows], problem.weight[rows]))

    def _folds(self, problem: ClassificationProblem) -> list[Fold]:
        if isinstance(self.cv, Integral):
            return problem.folds(int(self.cv))
        splitter = check_cv(self.cv, problem.labels, classifier=True)
        return list(splitter.split(np.zeros(len(problem.labels)), problem.labels))

    def _warn_if_cut_short(self) -> None:
        if not self._solution.converged:
            warnings.warn(
                f"The solver stopped after {self.n_iter_} iterations with a relative gap of "
                f"{self.dual_gap_ / self.objective_:.2g}. Raise max_iter, alpha or tol.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _scores(self, X: Any) -> Any:
        check_is_fitted(self)
        return linear_predictions(self, X, self._map(), self._solution.coef, self._solution.intercept)


def _chosen(classes: Array, scores: Array) -> Array:
    """The classes of the largest scores."""
    return classes[(scores[:, 0] > 0).astype(np.intp) if len(classes) == 2 else np.argmax(scores, axis=1)]


def _probabilities(inverse_temperature: float, scores: Array) -> Array:
    scaled = scores.astype(float) * inverse_temperature
    return softmax(np.hstack([np.zeros_like(scaled), scaled]) if scaled.shape[1] == 1 else scaled, axis=1)
