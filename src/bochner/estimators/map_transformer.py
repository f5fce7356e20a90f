"""What transformers with a feature map share: applying it, within the memory budget."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from bochner._typing import Array
from bochner.features import FeatureMap, transform
from bochner.planning import MemoryBill, require_memory

__all__ = ["MapTransformer"]


class MapTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
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
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        size = X.shape[0] * self.map_.n_components * X.dtype.itemsize
        require_memory(
            MemoryBill({"features": size}), "Transform fewer rows at a time, or fit an estimator on X itself."
        )
        return transform(self.map_, X, X.dtype)

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
