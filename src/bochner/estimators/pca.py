"""Kernel principal component analysis on random features, in one pass over the rows."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted

from bochner._random import resolve_seed
from bochner._sklearn import (
    LENGTH_SCALE_RULE,
    Interval,
    StrOptions,
    available_if,
    check_sample_weight,
    fit_method,
    refuse_lazy,
    validated,
    with_callbacks,
)
from bochner._typing import Array, Constraints
from bochner.data import ArrayRows, RowSource
from bochner.errors import InvalidDataError, invalid_parameter
from bochner.estimators.kernel_model import MODEL_CONSTRAINTS, KernelModel
from bochner.estimators.pre_image import PreImages, ScoreMap, fit_pre_images
from bochner.estimators.rows import adopt_columns, open_rows, over_rows
from bochner.estimators.validation import validated_rows
from bochner.estimators.watch import CallbackWatch
from bochner.features import FeatureMap
from bochner.kernels import Stationary
from bochner.memory import require_memory
from bochner.sampling import resolve_sampler
from bochner.solvers import PrincipalAxes, pca_bill, principal_axes
from bochner.statistics import Moments, accumulate, plan_pass

__all__ = ["KernelPCA"]


def _streams(self: KernelPCA) -> bool:
    if self.fit_inverse_transform:
        raise AttributeError(
            "partial_fit is not available with fit_inverse_transform=True: new rows change the scores of old ones."
        )
    return True


def _has_pre_images(self: KernelPCA) -> bool:
    if not self.fit_inverse_transform:
        raise AttributeError("inverse_transform is only available with fit_inverse_transform=True.")
    return True


class KernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelModel):
    """Kernel principal component analysis at scale.

        G = sum_i s_i (z_i - zbar)(z_i - zbar)' = V' diag(eigenvalues) V,       scores(x) = V (z(x) - zbar)

    on random features z of a kernel: the scores of kernel PCA with the estimated kernel z(x).z(y), in O(n D^2) time and
    O(D^2) memory, from one pass over the rows. scikit-learn's `KernelPCA` needs the n x n kernel matrix; on the
    estimated kernel it gives the same scores, up to their signs.

    Parameters
    ----------
    kernel : str or Kernel, default="gaussian"
        A kernel, or its name in lower case.
    n_components : int, default=None
        Number of components to keep, as in scikit-learn's `KernelPCA` and `PCA`; it is *not* the width of the feature
        map, which other estimators of this package call `n_components` and this one `width`. None: all components
        whose variance is not rounding.
    features : transformer, default=None
        Any scikit-learn transformer to use in place of `FourierFeatures(kernel, ...)`; `kernel`, `length_scale`,
        `width` and `sampling` are then unused for the scores.
    width : int or "auto", default="auto"
        Number of features D of the map. "auto": sqrt(n) log n between 256 and 4096.
    length_scale : "auto", "median", float or array of shape (n_features,), default="auto"
        "auto": the kernel's own if `kernel` is a kernel, else for each column its spread times the median distance in
        units of these: the units of columns do not matter. "median": one for all columns, the median distance.
    sampling : str or Sampler, default="monte_carlo"
        As in `FourierFeatures`.
    fit_inverse_transform : bool, default=False
        Learn `inverse_transform`, in one more pass: kernel ridge regression from scores to rows, with a Gaussian
        kernel of the median distance between scores.
    alpha : {"gcv", "evidence"} or float, default="gcv"
        Penalty of that regression, or how to choose it, as in `KernelRegressor`.
    random_state : int, RandomState, Generator or None, default=None
        Seed of frequencies and subsamples.

    Attributes
    ----------
    features_ : transformer
        The fitted feature map.
    moments_ : Moments
        Sufficient statistics of all rows seen: D x D numbers in float64.
    eigenvalues_ : array of shape (n_components,)
        Of G, the largest first: those of the centred kernel matrix, as in scikit-learn's `KernelPCA`.
    explained_variance_ : array of shape (n_components,)
        Variance of every score: `eigenvalues_` divided by n - 1, with n the sum of the weights.
    explained_variance_ratio_ : array of shape (n_components,)
        Share of the variance of all D features.
    components_ : array of shape (n_components, D)
        V, rows orthonormal; the largest entry of each, in absolute value, is positive.
    mean_ : array of shape (D,)
    seed_ : int
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    References
    ----------
    Schoelkopf, Smola & Mueller (1998), Nonlinear component analysis as a kernel eigenvalue problem.
    Lopez-Paz et al. (2014), Randomized nonlinear component analysis.

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import KernelPCA
    >>> angle = np.random.default_rng(0).uniform(0, 2 * np.pi, 2000)
    >>> X = np.c_[np.cos(angle), np.sin(angle)] * np.repeat([1.0, 3.0], 1000)[:, None]
    >>> model = KernelPCA(n_components=4, length_scale=1.0, random_state=0).fit(X)
    >>> model.transform(X[:5]).shape
    (5, 4)
    >>> bool(model.explained_variance_ratio_.sum() > 0.5)
    True
    """

    moments_: Moments
    _feature_map: FeatureMap
    _axes: PrincipalAxes | None
    _pre_images: PreImages

    _width_parameter = "width"
    _parameter_constraints: Constraints = {
        **MODEL_CONSTRAINTS,
        "length_scale": LENGTH_SCALE_RULE,
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "width": MODEL_CONSTRAINTS["n_components"],
        "fit_inverse_transform": ["boolean"],
        "alpha": [Interval(Real, 0, None, closed="left"), StrOptions({"gcv", "evidence"})],
    }

    def __init__(
        self,
        kernel: str | Stationary = "gaussian",
        *,
        n_components: int | None = None,
        features: Any = None,
        width: int | str = "auto",
        length_scale: Any = "auto",
        sampling: Any = "monte_carlo",
        fit_inverse_transform: bool = False,
        alpha: float | str = "gcv",
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.n_components = n_components
        self.features = features
        self.width = width
        self.length_scale = length_scale
        self.sampling = sampling
        self.fit_inverse_transform = fit_inverse_transform
        self.alpha = alpha
        self.random_state = random_state

    @fit_method
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the model in one pass over the rows (two with `fit_inverse_transform`).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), a scan, or a Dask array or data frame
            float32 is computed in float32 and summed in float64. Memory maps are read block by block. Only dense arrays
            with `fit_inverse_transform`.
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            A weight of 2 counts a row twice, 0 removes it.

        Returns
        -------
        self
        """
        rows = self._validated_rows(X, sample_weight, reset=True, ensure_min_samples=2)
        self._begin(rows)
        self._add(rows)
        self._axes = self._solve()
        if self.fit_inverse_transform:
            assert rows.arrays is not None
            self._pre_images = fit_pre_images(
                rows.arrays,
                self._scores(),
                width=self.feature_map_.n_components,
                alpha=self.alpha,
                sampler=resolve_sampler(self.sampling),
                seed=self.seed_,
            )
        return self

    @available_if(_streams)
    @with_callbacks
    @validated
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Add rows to the model. Any split of the rows gives the model that `fit` gives on all of them, to rounding.

        `length_scale="auto"` and `width="auto"` are chosen by the first block; give them to have those of `fit`. The
        axes are computed when they are needed. Parameters are those of `fit`.
        """
        first = not hasattr(self, "moments_")
        rows = self._validated_rows(X, sample_weight, reset=first)
        if first:
            self._begin(rows)
            self._warn_of_first_block(rows.n_rows)
        self._add(rows)
        self._axes = None
        return self

    def transform(self, X: Any) -> Array:
        """Scores of the rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        scores : array of shape (n_samples, n_components)
            float32 if X is float32, else float64.
        """
        check_is_fitted(self)
        return over_rows(self, X, lambda part: (self._scores().of(part, part.dtype),))[0]

    @available_if(_has_pre_images)
    def inverse_transform(self, X: Any) -> Array:
        """Rows whose scores are about X: approximate pre-images, exact ones need not exist.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Scores.

        Returns
        -------
        rows : array of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        scores = check_array(X, dtype=[np.float64, np.float32], input_name="X")
        if scores.shape[1] != self._n_features_out:
            raise InvalidDataError(f"X must have {self._n_features_out} columns, the scores. Got {scores.shape[1]}.")
        return self._pre_images.of(scores, scores.dtype)

    @property
    def feature_map_(self) -> FeatureMap:
        check_is_fitted(self)
        return self._feature_map

    # From the moments, computed on first use after partial_fit.

    @property
    def eigenvalues_(self) -> Array:
        return self._solved().eigenvalues

    @property
    def explained_variance_(self) -> Array:
        return self._solved().eigenvalues / (self.moments_.weight - 1)

    @property
    def explained_variance_ratio_(self) -> Array:
        total = self._solved().total
        return self._solved().eigenvalues / (total if total > 0 else 1.0)

    @property
    def components_(self) -> Array:
        return self._solved().components

    @property
    def mean_(self) -> Array:
        check_is_fitted(self)
        return self.moments_.z_mean

    @property
    def _n_features_out(self) -> int:
        return len(self._solved().eigenvalues)

    # The steps of a fit, in their order.

    def _validated_rows(self, X: Any, sample_weight: Any, *, reset: bool, ensure_min_samples: int = 1) -> RowSource:
        rows = open_rows(X, None, sample_weight)
        if rows is not None and self.fit_inverse_transform:
            raise InvalidDataError("fit_inverse_transform=True needs rows in memory. Got a scan or a Dask collection.")
        if rows is not None:
            adopt_columns(self, rows, reset)
            return rows
        refuse_lazy(X)
        accept = False if self.fit_inverse_transform else "csr"
        X = validated_rows(self, X, reset=reset, accept_sparse=accept, ensure_min_samples=ensure_min_samples)
        return ArrayRows(X, np.empty((X.shape[0], 0)), check_sample_weight(sample_weight, X), X.dtype)

    def _scale_learner(self, landmarks: bool) -> None:
        """There are no targets: "auto" is the scale of the columns."""
        return

    def _begin(self, rows: RowSource) -> None:
        """Settle everything that must be known before the first row."""
        self.seed_ = resolve_seed(self.random_state)
        chosen = self.feature_settings(self.seed_, rows).choose(rows)
        self.features_, self._feature_map, self.tuning_ = chosen.drawn.transformer, chosen.map, chosen.tuning
        D = self.feature_map_.n_components
        if self.n_components is not None and self.n_components > D:
            raise invalid_parameter(self, "n_components", f"at most {D}, the width of the map", self.n_components)
        self.moments_ = Moments.empty(D, rows.n_targets)
        self._axes = None  # an interrupted fit leaves the model of the rows it has seen

    def _add(self, rows: RowSource) -> None:
        """One pass: add the moments of the rows."""
        feature_map = self.feature_map_
        D = feature_map.n_components
        plan = plan_pass(rows.planned_rows, feature_map, rows.n_targets, rows.dtype)
        n_axes = D if self.n_components is None else self.n_components
        bill = pca_bill(plan, feature_map, n_axes=n_axes, dtype=rows.dtype)
        require_memory(bill, f"Lower width (now {D}), or raise the budget with bochner.set_config(memory=...).")
        on_block, finish = CallbackWatch(self, rows).begin(rows.n_blocks(plan.block_rows))
        accumulate(rows, feature_map, self.moments_, plan, on_block=on_block)
        finish()

    def _solve(self) -> PrincipalAxes:
        if not self.moments_.weight > 1:
            raise InvalidDataError(
                "A variance needs two rows: the sum of sample_weight, which counts copies of a row, must exceed 1. "
                f"Got {self.moments_.weight:g}."
            )
        return principal_axes(self.moments_, self.n_components)

    def _solved(self) -> PrincipalAxes:
        check_is_fitted(self)
        if self._axes is None:
            self._axes = self._solve()
        return self._axes

    def _scores(self) -> ScoreMap:
        coef = self._solved().components.T
        return ScoreMap(self.feature_map_, coef, -self.moments_.z_mean @ coef)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self.fit_inverse_transform
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
