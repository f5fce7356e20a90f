"""Base of transformers with a feature map: transform within the memory budget, certificates of the kernel."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from bochner._sklearn import OurWords
from bochner._typing import Array, JsonDict, Rows, Transformer
from bochner.errors import AssumptionError
from bochner.estimators.validation import validated_rows
from bochner.features import FeatureMap, transform
from bochner.kernels import Stationary
from bochner.memory import MemoryBill, require_memory
from bochner.statistics.kernel_product import ExactKernel
from bochner.theory import Certificate
from bochner.theory.base import check_delta
from bochner.theory.bounded import BoundedFeatures
from bochner.tuning import ScaleRule

__all__ = [
    "CertificateContext",
    "MapTransformer",
    "WithFeatures",
    "certified_features",
    "kernel_of_data",
    "own_transformer",
]


@dataclass(frozen=True)
class CertificateContext:
    """Independence, searched widths and precision of a model's features, for certificates.

    Attributes
    ----------
    independent : bool
        They were drawn independently of the rows and of any tuning.
    n_widths : int
        Widths among which theirs was chosen by looking at results.
    precision : float type
        Smallest float type in which the model computes them.
    scale_is_of_rows : bool
        Rows of the fit chose the kernel or its length scale.
    at_rows_of_fit : bool
        The rows to certify are those of the fit.
    """

    independent: bool = True
    n_widths: int = 1
    precision: type = np.float32
    scale_is_of_rows: bool = False
    at_rows_of_fit: bool = False


class WithFeatures(OurWords):
    """Anything that is fitted to rows and has features of ours: models and transformers, which can be reported."""


class MapTransformer(WithFeatures, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A transformer whose `fit` sets `map_`, a feature map."""

    map_: FeatureMap

    def transform(self, X: Any) -> Array:
        """Features of the rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        Z : array of shape (n_samples, n_components)
            float32 if X is float32, else float64.
        """
        check_is_fitted(self)
        X = validated_rows(self, X, reset=False)
        size = X.shape[0] * self.map_.n_components * X.dtype.itemsize
        require_memory(
            MemoryBill({"features": size}), "Transform fewer rows at a time, or fit an estimator on X itself."
        )
        return transform(self.map_, X, X.dtype)

    def certify(self, X: Any, *, delta: float = 0.01) -> Certificate:
        """How far z(x).z(y) is from the kernel between rows of X; an `AssumptionError` says why not, if so.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        delta : float, default=0.01
            Failure probability of the statements that have one.

        Returns
        -------
        certificate : Certificate
        """
        check_is_fitted(self)
        check_delta(delta)
        X = validated_rows(self, X, reset=False)
        return self.certify_kernel(X, delta, CertificateContext())

    def with_map(self, feature_map: FeatureMap) -> Self:
        """A copy with another feature map of its kind."""
        other = copy(self)
        other.map_ = feature_map
        return other

    # Optional powers: a transformer that has a known kernel, or certificates, overrides these.

    def exact_kernel(self) -> ExactKernel:
        """The kernel that z(x).z(y) approximates; an `AssumptionError` if none is known."""
        raise AssumptionError(f"{type(self).__name__} approximates no kernel that is known here.")

    def certify_kernel(self, X: Rows, delta: float, context: CertificateContext) -> Certificate:
        """The certificate of the kernel estimates between rows of X, which are checked."""
        raise AssumptionError(f"{type(self).__name__} has no certificates.")

    @property
    def independent_setting(self) -> JsonDict | None:
        """Kernel and embedding of features of independent frequencies, which a priori bounds speak of; else None."""
        return None

    def bounded_features(self, X: Any) -> BoundedFeatures:
        """kappa with abs(psi) <= kappa, z = psi / sqrt(M), of Rudi & Rosasco's theorems, for rows like those of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        bound : BoundedFeatures
            Its `features_needed` is the count of the operator bound. An `AssumptionError` says why there is none: the
            features are not bounded, or no independent draws.
        """
        check_is_fitted(self)
        return BoundedFeatures(kappa=self.map_.kappa(validated_rows(self, X, reset=False)))

    def certify_rows_of_fit(self, n_rows: int, delta: float, context: CertificateContext) -> Certificate:
        """An a priori certificate for so many rows that are not at hand."""
        raise AssumptionError("Without X there is no certificate for these features. Give the training rows: X.")

    def with_one_scale(self, X: Rows, seed: int) -> Self:
        """This transformer; if it takes its length scales from rows, one for all columns, which a group may mix."""
        return self

    @property
    def scale_is_open(self) -> bool:
        """Whether `with_one_scale` takes the length scale from rows."""
        return False

    @property
    def scale_is_of_rows(self) -> bool:
        """Whether the rows of `fit` choose the length scale."""
        return self.scale_is_open

    @property
    def uses_targets(self) -> bool:
        """Whether `fit` makes use of targets."""
        return False

    @property
    def n_components_(self) -> int:
        """Output width."""
        return self.map_.n_components

    @property
    def _n_features_out(self) -> int:
        return self.map_.n_components

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def kernel_of_data(
    owner: MapTransformer, kernel: Stationary | str | None, X: Rows, seed: int, *, one_scale: bool = False
) -> Stationary:
    """The kernel of a map by itself: a given one as it is, a named one with the scales of the rows."""
    named = kernel is None or isinstance(kernel, str)
    rule = "median" if one_scale and named else "auto"
    return ScaleRule(type(owner).__name__, kernel, rule).resolve_sample(X, seed=seed)


def own_transformer(features: Transformer) -> MapTransformer | None:
    """The features, if they are a transformer of this package's kind."""
    return features if isinstance(features, MapTransformer) else None


def certified_features(features: Transformer) -> MapTransformer:
    """The features of a model, if they have certificates."""
    own = own_transformer(features)
    if own is None:
        kind = type(features).__name__
        raise AssumptionError(f"A certificate needs features of a known kernel. Got {kind}, which tells of none.")
    return own
