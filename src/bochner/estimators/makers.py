"""Makers of the feature map of an estimator: random Fourier features, landmarks, or a user's transformer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone

from bochner._typing import Rows, Transformer
from bochner.data import RowSource
from bochner.errors import InvalidDataError
from bochner.estimators.fourier import FourierFeatures
from bochner.estimators.grid import GridFeatures
from bochner.estimators.kernel_values import KernelValues
from bochner.estimators.map_transformer import own_transformer
from bochner.estimators.nystroem import NystroemFeatures
from bochner.estimators.warped import WarpedFeatures
from bochner.features import map_of
from bochner.fitting import ROWS_FOR_FEATURES, DrawnFeatures
from bochner.kernels import Stationary
from bochner.planning import EXACT_ROWS
from bochner.sampling import Sampler, resolve_sampler

_FEW = 4000
_CANDIDATES = 2  # rows for every landmark that is chosen by pivoting: its cost grows with them

__all__ = ["AllLandmarksMaker", "ExactMaker", "FourierMaker", "GridMaker", "LandmarkMaker", "TransformerMaker"]


@dataclass(frozen=True)
class FourierMaker:
    """`FourierFeatures` of a sampler."""

    sampling: str | Sampler
    searched_by_refitting: bool = False
    exact: None = None

    @property
    def nested(self) -> bool:
        return resolve_sampler(self.sampling).nested

    @property
    def looks_at_rows(self) -> bool:
        return resolve_sampler(self.sampling).uses_pilot

    def draw(
        self, kernel: Stationary | None, width: int, rows: RowSource, seed: int, *, warped: bool = False
    ) -> DrawnFeatures:
        assert not warped
        features = FourierFeatures(kernel, n_components=width, sampling=self.sampling, random_state=seed)
        features.fit(self._rows(rows, seed))
        return DrawnFeatures(features, features.map_)

    def _rows(self, rows: RowSource, seed: int) -> Rows:
        """Rows of positive weight for a sampler that looks at them, else one row, which tells the width.

        All of them if they are in memory, else a sample.
        """
        if not self.looks_at_rows:
            return np.zeros((1, rows.n_features), dtype=rows.dtype)
        known = rows.arrays
        if known is None:
            return rows.sample(ROWS_FOR_FEATURES, seed)
        return known.X if known.sample_weight is None else known.X[np.flatnonzero(known.sample_weight)]


@dataclass(frozen=True)
class LandmarkMaker:
    """`NystroemFeatures` with landmarks from the rows; of few rows from the distinct ones, in an order of their own.

    Then a weight of 2 is a row given twice.
    """

    landmarks: str = "pivoted"
    searched_by_refitting: bool = False
    nested: bool = False
    looks_at_rows: bool = True

    @property
    def exact(self) -> ExactMaker | None:
        return ExactMaker() if self.searched_by_refitting else None

    def draw(
        self, kernel: Stationary | None, width: int, rows: RowSource, seed: int, *, warped: bool = False
    ) -> DrawnFeatures:
        X = rows.sample(max(width, ROWS_FOR_FEATURES if self.landmarks == "uniform" else _CANDIDATES * width), seed)
        if self.landmarks == "pivoted" and X.shape[0] <= _FEW and not issparse(X):
            X = np.unique(X, axis=0)
        width = min(width, X.shape[0])
        features = NystroemFeatures(kernel, n_components=width, landmarks=self.landmarks, random_state=seed)
        fitted = (WarpedFeatures(features) if warped else features).fit(X)
        return DrawnFeatures(fitted, fitted.map_)


@dataclass(frozen=True)
class ExactMaker:
    """`KernelValues`: the kernel itself, against all rows in memory."""

    searched_by_refitting: bool = False
    nested: bool = False
    looks_at_rows: bool = True

    @property
    def exact(self) -> ExactMaker:
        return self

    def draw(
        self, kernel: Stationary | None, width: int, rows: RowSource, seed: int, *, warped: bool = False
    ) -> DrawnFeatures:
        assert rows.arrays is not None
        values = KernelValues(kernel)
        fitted = (WarpedFeatures(values) if warped else values).fit(rows.arrays.X)
        return DrawnFeatures(fitted, fitted.map_)


@dataclass(frozen=True)
class AllLandmarksMaker:
    """`NystroemFeatures` with every row as a landmark: the exact kernel as inner products, for any loss."""

    owner: str
    searched_by_refitting: bool = False
    nested: bool = False
    looks_at_rows: bool = True

    @property
    def exact(self) -> ExactMaker:
        return ExactMaker()

    def draw(
        self, kernel: Stationary | None, width: int, rows: RowSource, seed: int, *, warped: bool = False
    ) -> DrawnFeatures:
        known = rows.arrays
        if known is None or known.n_rows > EXACT_ROWS:
            few = f"at most {EXACT_ROWS:,} rows in memory"
            raise InvalidDataError(f"features='exact' of {self.owner} takes {few}. Got {rows.n_rows:,}.")
        X = known.X if known.sample_weight is None else known.X[np.flatnonzero(known.sample_weight)]
        features = NystroemFeatures(kernel, n_components=X.shape[0], landmarks="uniform", random_state=seed)
        fitted = (WarpedFeatures(features) if warped else features).fit(X)
        return DrawnFeatures(fitted, fitted.map_)


@dataclass(frozen=True)
class TransformerMaker:
    """Any scikit-learn transformer, with its own kernel or none."""

    transformer: Transformer
    searched_by_refitting: bool = False
    nested: bool = False
    looks_at_rows: bool = True
    exact: None = None

    def draw(
        self, kernel: Stationary | None, width: int, rows: RowSource, seed: int, *, warped: bool = False
    ) -> DrawnFeatures:
        known, own = rows.arrays, own_transformer(self.transformer)
        if known is not None and own is not None and own.uses_targets:
            weight = known.sample_weight
            some = np.arange(known.n_rows) if weight is None else np.flatnonzero(weight)
            X = known.X if weight is None else known.X[some]
            fitted = clone(self.transformer).fit(X, np.asarray(known.Y)[some])
        else:
            X = rows.sample(ROWS_FOR_FEATURES, seed) if known is None else known.X
            fitted = clone(self.transformer).fit(X)
        return DrawnFeatures(fitted, map_of(fitted, X))


@dataclass(frozen=True)
class GridMaker:
    """`GridFeatures` for the box of the rows: as accurate as the tolerance, or as so many frequencies can be."""

    eps: float
    searched_by_refitting: bool = False
    nested: bool = False
    looks_at_rows: bool = True
    exact: None = None

    def draw(
        self, kernel: Stationary | None, width: int, rows: RowSource, seed: int, *, warped: bool = False
    ) -> DrawnFeatures:
        assert not warped
        assert rows.arrays is not None
        features = GridFeatures(kernel, eps=self.eps, max_components=width, strict=False)
        fitted = features.fit(rows.arrays.X)
        return DrawnFeatures(fitted, fitted.map_)
