"""Kernel classification on random features: multinomial logistic regression."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from scipy.special import softmax
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from bochner._random import Stream, generator
from bochner._typing import Array
from bochner.data import RowBlocks
from bochner.errors import InvalidDataError
from bochner.estimators._sklearn import (
    Interval,
    StrOptions,
    check_sample_weight,
    refuse_lazy,
    validated,
)
from bochner.estimators.kernel_model import KernelModel
from bochner.features import linear_response
from bochner.kernels import Stationary
from bochner.planning import require_memory, ridge_bill
from bochner.solvers import LinearSolution, Logistic, WhitenedSolver
from bochner.solvers.losses import SmoothLoss
from bochner.statistics import FeatureStream, plan_pass

__all__ = ["KernelClassifier"]

_LOSSES: dict[str, type[SmoothLoss]] = {"logistic": Logistic}


class KernelClassifier(ClassifierMixin, KernelModel):
    """Kernel classification at scale.

        minimise_W,b  sum_i s_i loss(y_i, W'z(x_i) + b) + alpha/2 ||W||^2

    on random features z of a kernel. alpha is 1/C of scikit-learn's `LogisticRegression`.

    Parameters
    ----------
    kernel : str or Stationary, default="gaussian"
        A kernel, or its name in lower case.
    loss : {"logistic"}, default="logistic"
        Multinomial logistic regression.
    features : transformer, default=None
        Any scikit-learn transformer to use in place of `FourierFeatures(kernel, ...)`.
    n_components : int or "auto", default="auto"
        Number of features D. "auto": sqrt(n) log n between 256 and 4096.
    alpha : float, default=1.0
        The penalty.
    length_scale : "auto", "median", float or array of shape (n_features,), default="auto"
        "median": the median distance between rows. "auto": the kernel's own if `kernel` is a kernel, else the median.
    fit_intercept : bool, default=True
        Whether there is an intercept; it is not penalised.
    class_weight : dict or "balanced", default=None
    tol : float, default=1e-4
        Relative accuracy of the objective.
    max_iter : int, default=200
        Iterations at most.
    sampling : str or Sampler, default="monte_carlo"
        As in `FourierFeatures`.
    random_state : int, RandomState, Generator or None, default=None

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    features_ : transformer
    coef_ : array of shape (1, D) or (n_classes, D)
    intercept_ : array of shape (1,) or (n_classes,)
    objective_ : float
    dual_gap_ : float
        How far the objective can be above its minimum, by its gradient and the strong convexity of the penalty (with
        the intercept at its best).
    n_iter_ : int
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

    _parameter_constraints: dict[str, list[Any]] = {
        **KernelModel._parameter_constraints,
        "loss": [StrOptions(set(_LOSSES))],
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "fit_intercept": ["boolean"],
        "class_weight": [dict, StrOptions({"balanced"}), None],
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
        alpha: float = 1.0,
        length_scale: Any = "auto",
        fit_intercept: bool = True,
        class_weight: Any = None,
        tol: float = 1e-4,
        max_iter: int = 200,
        sampling: Any = "monte_carlo",
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.loss = loss
        self.features = features
        self.n_components = n_components
        self.alpha = alpha
        self.length_scale = length_scale
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.sampling = sampling
        self.random_state = random_state

    @validated
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model. The features of all rows are kept if they take at most half of the memory budget.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        self
        """
        blocks = self._validated_blocks(X, y, sample_weight)
        self._settle_features(blocks)
        self._solution = self._solve(blocks)
        if not self._solution.converged:
            warnings.warn(
                f"The solver stopped after {self.n_iter_} iterations with a relative gap of "
                f"{self.dual_gap_ / self.objective_:.2g}. Raise max_iter, or alpha.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self

    def decision_function(self, X: Any) -> Array:
        """Scores of the classes, shape (n_samples, n_classes), or (n_samples,) of the second of two classes."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        scores = linear_response(self._map(), X, self._solution.coef, self._solution.intercept, X.dtype)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> Array:
        """The class of the largest score of each row."""
        scores = self.decision_function(X)
        chosen = (scores > 0).astype(np.intp) if scores.ndim == 1 else np.argmax(scores, axis=1)
        return self.classes_[chosen]

    def predict_proba(self, X: Any) -> Array:
        """Probabilities of the classes, shape (n_samples, n_classes)."""
        scores = self.decision_function(X).astype(float)
        return softmax(np.c_[np.zeros_like(scores), scores] if scores.ndim == 1 else scores, axis=1)

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

    def _validated_blocks(self, X: Any, y: Any, sample_weight: Any) -> RowBlocks:
        refuse_lazy(X)
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32])
        check_classification_targets(y)
        weight = check_sample_weight(sample_weight, X)
        present = y if weight is None else y[weight > 0]
        self.classes_ = np.unique(present)
        if len(self.classes_) < 2:
            raise InvalidDataError(f"y must have at least two classes. Got 1 class: {self.classes_[0]!r}.")
        known = np.isin(y, self.classes_)
        labels = np.searchsorted(self.classes_, np.where(known, y, self.classes_[0]))
        if self.class_weight is not None:
            counts = np.ones(len(y)) if weight is None else weight
            factor = compute_class_weight(self.class_weight, classes=self.classes_, y=y, sample_weight=weight)
            weight = counts * factor[labels]
        return RowBlocks(X, labels, weight, X.dtype)

    def _solve(self, blocks: RowBlocks) -> LinearSolution:
        feature_map = self._map()
        D = feature_map.n_components
        plan = plan_pass(blocks.n_rows, feature_map, len(self.classes_), blocks.dtype)
        bill = ridge_bill(
            plan,
            n_features=blocks.X.shape[1],
            n_components=D,
            n_targets=len(self.classes_),
            dtype=blocks.dtype,
        )
        require_memory(bill, f"Lower n_components (now {D}), or raise the budget with bochner.set_config(memory=...).")
        stream, pilot = FeatureStream(blocks, feature_map), FeatureStream(self._pilot_rows(blocks, 2 * D), feature_map)
        solver = WhitenedSolver(stream, pilot, _LOSSES[self.loss](), len(self.classes_), self.fit_intercept)
        return solver.solve(self.alpha, tol=self.tol, max_iter=self.max_iter)

    def _pilot_rows(self, blocks: RowBlocks, size: int) -> RowBlocks:
        """A random subsample of the rows: two per feature are enough to make the problem round."""
        if blocks.n_rows <= size:
            return blocks
        chosen = np.sort(generator(self.seed_, Stream.SUBSAMPLE).choice(blocks.n_rows, size=size, replace=False))
        weight = None if blocks.sample_weight is None else blocks.sample_weight[chosen]
        return RowBlocks(blocks.X[chosen], blocks.Y[chosen], weight, blocks.dtype)
