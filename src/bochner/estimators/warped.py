"""Features of rank-warped columns as a scikit-learn transformer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from bochner._dense import dense
from bochner._sklearn import refuse_lazy, validated
from bochner._typing import Constraints, JsonDict, Rows, Transformer
from bochner.estimators.map_transformer import CertificateContext, MapTransformer, certified_features
from bochner.estimators.nystroem import NystroemFeatures
from bochner.estimators.validation import validated_rows
from bochner.features import FeatureMap, RankWarp, WarpedMap, map_of
from bochner.kernels import Stationary
from bochner.statistics.kernel_product import ExactKernel
from bochner.theory import Certificate

__all__ = ["WarpedFeatures"]


class WarpedFeatures(MapTransformer):
    """Features of the normal scores of every column: z(x) = base(w(x)), w_j the normal score of a value's rank.

    For tables with heavy tails, outliers, or columns whose scale is no one's choice: factors and offsets of a column
    leave the features as they are, other monotone changes nearly so. Scores are interpolated between 64 quantiles of
    the values that `fit` has seen, and grow like a logarithm beyond them.

    Parameters
    ----------
    base : transformer, default=None
        Features of the warped columns; None is `NystroemFeatures()`.

    Attributes
    ----------
    warp_ : RankWarp
    base_ : transformer
    map_ : WarpedMap
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import Gaussian, NystroemFeatures, WarpedFeatures
    >>> X = np.random.default_rng(0).standard_normal((100, 2))
    >>> base = NystroemFeatures(Gaussian(), n_components=10, random_state=0)
    >>> Z, other = (WarpedFeatures(base).fit_transform(rows) for rows in (X, 1e6 * X + 3))
    >>> bool(np.allclose(Z, other))
    True
    """

    map_: WarpedMap

    _parameter_constraints: Constraints = {"base": [MapTransformer, None]}

    def __init__(self, base: Transformer | None = None) -> None:
        self.base = base

    @validated
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the ranks of every column, and fit the base to the scores.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        refuse_lazy(X)
        X = validated_rows(self, X, reset=True)
        self.warp_ = RankWarp.of(np.unique(dense(X), axis=0))  # a row that is there twice counts once
        scores = self.warp_(X)
        self.base_ = (NystroemFeatures() if self.base is None else clone(self.base)).fit(scores)
        self.map_ = WarpedMap(self.warp_, map_of(self.base_, scores))
        return self

    @property
    def kernel_(self) -> Stationary:
        """Kernel of the scores."""
        kernel: Stationary = self.base_.kernel_
        return kernel

    @property
    def seed_(self) -> int:
        return int(self.base_.seed_)

    def with_map(self, feature_map: FeatureMap) -> Self:
        # Overrides: the base has a map of its own.
        other = super().with_map(feature_map)
        other.base_ = certified_features(self.base_).with_map(other.map_.base)
        return other

    def with_landmarks_at(self, points: Rows, X: Rows) -> Self:
        """Landmarks of the base at some more points, with the ranks as they are."""
        scores = self.warp_(X)
        other = super().with_map(self.map_)
        other.base_ = self.base_.with_landmarks_at(self.warp_(points), scores)
        other.map_ = WarpedMap(self.warp_, map_of(other.base_, scores))
        return other

    # Optional powers, as the base has them.

    def exact_kernel(self) -> ExactKernel:
        return certified_features(self.base_).exact_kernel().on(self.warp_)

    def certify_kernel(self, X: Any, delta: float, context: CertificateContext) -> Certificate:
        context = replace(context, scale_is_of_rows=True)  # and so are the ranks
        return certified_features(self.base_).certify_kernel(self.warp_(X), delta, context)

    def certify_rows_of_fit(self, n_rows: int, delta: float, context: CertificateContext) -> Certificate:
        context = replace(context, scale_is_of_rows=True)
        return certified_features(self.base_).certify_rows_of_fit(n_rows, delta, context)

    @property
    def independent_setting(self) -> JsonDict | None:
        return certified_features(self.base_).independent_setting
