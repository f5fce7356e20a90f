"""Pre-images of scores: kernel ridge regression from the scores of the rows back to the rows, in one streaming pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bochner._typing import Array, FloatType
from bochner.data import ArrayRows
from bochner.features import FeatureMap, FourierMap, draw_fourier_map, linear_response
from bochner.kernels import Gaussian
from bochner.memory import require_memory
from bochner.sampling import Sampler
from bochner.solvers import RidgeSolution, ridge_bill, solve_ridge
from bochner.statistics import Moments, accumulate, plan_pass
from bochner.tuning.median import median_length_scale

__all__ = ["PreImages", "ScoreMap", "fit_pre_images"]

_PILOT_ROWS = 1000


@dataclass(frozen=True)
class ScoreMap(FeatureMap):
    """Scores of rows as a feature map: z(x).coef + offset, D = the number of scores."""

    feature_map: FeatureMap
    coef: Array
    offset: Array

    @property
    def n_components(self) -> int:
        return int(self.coef.shape[1])

    @property
    def scratch_width(self) -> int:
        return 0

    def n_bytes(self, dtype: FloatType) -> int:
        return self.feature_map.n_bytes(dtype) + self.coef.nbytes

    def of(self, X: Any, dtype: np.dtype[Any]) -> Array:
        """Scores (n, p) of all rows, on all threads; the features of more than a tile are never held."""
        return linear_response(self.feature_map, X, self.coef, self.offset, dtype)

    def write(self, X: Any, out: Array, scratch: Array) -> None:
        """Scores on this thread."""
        inner = self.feature_map
        Z = np.empty((X.shape[0], inner.n_components), dtype=out.dtype)
        inner.write(X, Z, np.empty((X.shape[0], inner.scratch_width), dtype=out.dtype))
        out[...] = Z @ self.coef.astype(out.dtype) + self.offset


@dataclass(frozen=True)
class _FeaturesOfScores(FeatureMap):
    """x -> scores -> Fourier features of the scores."""

    scores: ScoreMap
    of_scores: FourierMap

    @property
    def n_components(self) -> int:
        return self.of_scores.n_components

    @property
    def scratch_width(self) -> int:
        return self.of_scores.scratch_width

    def n_bytes(self, dtype: FloatType) -> int:
        return self.scores.n_bytes(dtype) + self.of_scores.n_bytes(dtype)

    def write(self, X: Any, out: Array, scratch: Array) -> None:
        S = np.empty((X.shape[0], self.scores.n_components), dtype=out.dtype)
        self.scores.write(X, S, scratch)
        self.of_scores.write(S, out, scratch)


@dataclass(frozen=True)
class PreImages:
    """A regression of rows on their scores."""

    fourier: FourierMap
    solution: RidgeSolution

    def of(self, scores: Array, dtype: np.dtype[Any]) -> Array:
        """Rows (n, d) of scores (n, p)."""
        return linear_response(self.fourier, scores, self.solution.coef, self.solution.intercept, dtype)


def fit_pre_images(
    blocks: ArrayRows, scores: ScoreMap, *, width: int, alpha: float | str, sampler: Sampler, seed: int
) -> PreImages:
    """Regress the rows on their scores: a Gaussian kernel of the median distance between scores, `width` features."""
    weight = blocks.sample_weight
    present = np.arange(blocks.n_rows) if weight is None else np.flatnonzero(weight)
    pilot = present[np.unique(np.linspace(0, len(present) - 1, _PILOT_ROWS).astype(int))]
    kernel = Gaussian(median_length_scale(scores.of(blocks.X[pilot], np.dtype(float)), Gaussian(), seed))
    fourier = draw_fourier_map(
        kernel, sampler, n_features=scores.n_components, n_components=width, embedding="paired", seed=seed
    )
    targets = ArrayRows(blocks.X, blocks.X, weight, blocks.dtype)
    feature_map, d = _FeaturesOfScores(scores, fourier), int(blocks.X.shape[1])
    plan = plan_pass(blocks.n_rows, feature_map, d, blocks.dtype)
    bill = ridge_bill(plan, feature_map, n_targets=d, dtype=blocks.dtype)
    require_memory(bill, f"Lower width (now {width}), or raise the budget with bochner.set_config(memory=...).")
    moments = accumulate(targets, feature_map, Moments.empty(width, d), plan)
    return PreImages(fourier, solve_ridge(moments, fit_intercept=True, alpha=alpha))
