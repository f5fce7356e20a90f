"""A map of one's own that has no frequencies: random ReLU features, with their kernel or without."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import validate_data

from bochner.estimators import MapTransformer
from bochner.features import FeatureMap


@dataclass(frozen=True)
class ReluMap(FeatureMap):
    """z_i(x) = max(0, w_i . x) / sqrt(D)."""

    directions: np.ndarray

    @property
    def n_components(self):
        return len(self.directions)

    @property
    def scratch_width(self):
        return 0

    def write(self, X, out, scratch):
        rows = np.asarray(X.toarray() if issparse(X) else X, dtype=out.dtype)
        np.maximum(rows @ self.directions.T.astype(out.dtype), 0, out=out)
        out /= np.sqrt(self.n_components)

    def n_bytes(self, dtype):
        return self.directions.nbytes


class ReluFeatures(MapTransformer):
    """Random ReLU features as a scikit-learn transformer."""

    def __init__(self, n_components=64, random_state=0):
        self.n_components = n_components
        self.random_state = random_state

    def fit(self, X, y=None):
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32])
        rng = np.random.default_rng(self.random_state)
        self.map_ = ReluMap(rng.standard_normal((self.n_components, X.shape[1])))
        return self
