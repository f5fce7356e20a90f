"""Base class of samplers: standard points, which a spectral measure maps to random frequencies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from sklearn.base import BaseEstimator

from bochner._typing import Array
from bochner.kernels.measure import SpectralMeasure
from bochner.sampling.pilot import Pilot, PilotRecord
from bochner.sampling.projection import DenseProjection, Projection

__all__ = ["Frequencies", "Sampler"]


@dataclass(frozen=True)
class Frequencies:
    """Frequencies of a feature map.

    Attributes
    ----------
    projection : Projection
        Products with the frequencies: `DenseProjection(omega)`, or a structured one.
    weights : array of shape (m,) or None
        Importance weights p/q of the frequencies; None: all 1.
    pilot : PilotRecord or None
        Summary of the scores, if the sampler looked at the data.
    """

    projection: Projection
    weights: Array | None = None
    pilot: PilotRecord | None = None

    @property
    def omega(self) -> Array:
        """The frequencies as a matrix (m, d), float64."""
        return self.projection.matrix()


class Sampler(ABC, BaseEstimator):
    """A rule for drawing frequencies. A subclass chooses the standard points.

    Attributes
    ----------
    independent : bool
        Frequencies are independent draws from the measure: the assumption of every iid bound.
    nested : bool
        The first frequencies of a wider map are those of the narrower one with the same seed.
    orthogonal_blocks : bool
        Blocks of as many frequencies as columns are independent, of orthogonal directions and independent lengths.
    uses_pilot : bool
        The frequencies depend on the data: `draw` needs a pilot.
    unbiased : bool
        Every frequency has the law of the measure, so that E z(x).z(y) = k(x, y).
    """

    independent: bool
    nested: bool
    orthogonal_blocks: bool = False
    uses_pilot: bool = False
    unbiased: bool = True

    # Optional powers, `draw` and `memory`: a sampler that looks at the rows overrides both.

    def draw(
        self, measure: SpectralMeasure, n_frequencies: int, n_features: int, seed: int, pilot: Pilot | None = None
    ) -> Frequencies:
        """Draw `n_frequencies` frequencies of R^`n_features`; the same seed (and pilot) gives the same bits."""
        normals, uniforms = self.points(n_frequencies, n_features, measure.n_vectors, measure.n_uniforms, seed)
        return Frequencies(DenseProjection(measure.frequencies(normals, uniforms)))

    def memory(self, n_rows: int, n_frequencies: int, n_features: int) -> dict[str, int]:
        """Bytes that a draw holds beyond its frequencies, item by item; a sampler that looks at rows has some."""
        return {}

    @abstractmethod
    def points(self, m: int, d: int, n_vectors: int, n_uniforms: int, seed: int) -> tuple[Array, Array]:
        """Standard points: normals (m, n_vectors, d) and uniforms (m, n_uniforms)."""
