"""Gaussian kernels on pooled features of patches, for the problems of images (`PatchFeatures`).

Settings are those of `benchmarks/rotated.py` and `benchmarks/images_full.py`, chosen there on training rows. Patches on
rings do not see rotations; those at pixels see little of shifts that are small beside the grid of pooling.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.base import clone
from sklearn.metrics import pairwise_distances
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from bochner._typing import Array, Transformer
from bochner.estimators import NystroemFeatures, PatchFeatures
from bochner.groups import CyclicShifts
from bochner.kernels import Gaussian

__all__ = ["CLOTHES", "DIGITS", "TURNED_DIGITS", "PatchKernel"]

_LANDMARKS = 4096  # on top, or as many as there are training rows
_DISTANCES = 500  # rows whose median distance is the unit of the length scale on top


@dataclass(frozen=True, eq=False)
class PatchKernel:
    """Gaussian kernel, by landmarks, of pooled features of patches; over cyclic shifts if patches are on rings.

    Attributes
    ----------
    patches : PatchFeatures
    scale : float
        Length scale of the kernel on top, in units of the median distance.
    power : float
        Of the pixels: roots of them see folds in dark cloth.
    """

    patches: PatchFeatures
    scale: float
    power: float = 1.0

    def features(self, X: Array, seed: int) -> Transformer:
        """The features for training rows X, not yet fitted."""
        patches = clone(self.patches).set_params(random_state=seed)
        pooled = make_pipeline(FunctionTransformer(_raised, kw_args={"power": self.power}), patches).fit(X)
        median = float(np.median(pairwise_distances(pooled.transform(X[:_DISTANCES]))))
        shifts = CyclicShifts(block_size=patches.block_size_) if patches.grid == "polar" else None
        kernel = Gaussian(self.scale * median)
        on_top = NystroemFeatures(kernel, n_components=_LANDMARKS, group=shifts, random_state=seed)
        features: Transformer = make_pipeline(pooled, on_top)
        return features


def _raised(X: Array, power: float) -> Array:
    return X**power


def _patches(length_scale: float, n_components: int) -> NystroemFeatures:
    return NystroemFeatures(Gaussian(length_scale), n_components=n_components, landmarks="kmeans")


TURNED_DIGITS = PatchKernel(PatchFeatures((28, 28), 5, _patches(0.5, 64), pool=(3, 16), grid="polar"), scale=0.7)
DIGITS = PatchKernel(PatchFeatures((28, 28), 5, _patches(0.4, 128), pool=3), scale=0.9)
CLOTHES = PatchKernel(PatchFeatures((28, 28), 3, _patches(0.4, 128), pool=5), scale=0.9, power=0.35)
