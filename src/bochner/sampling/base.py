"""Which frequencies: a sampler chooses standard points, the spectral measure maps them to frequencies."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from sklearn.base import BaseEstimator

from bochner._typing import Array
from bochner.kernels.measure import SpectralMeasure
from bochner.sampling.pilot import Pilot, PilotRecord

__all__ = ["Frequencies", "Sampler"]


@dataclass(frozen=True)
class Frequencies:
    """Frequencies of a feature map.

    Attributes
    ----------
    omega : array of shape (m, d), float64
    weights : array of shape (m,) or None
        Importance weights p/q of the frequencies; None: all 1.
    pilot : PilotRecord or None
        What the sampler learnt from the data, if it looked at them.
    """

    omega: Array
    weights: Array | None = None
    pilot: PilotRecord | None = None


class Sampler(BaseEstimator):
    """A rule for drawing frequencies. A subclass chooses the standard points.

    Attributes
    ----------
    independent : bool
        Frequencies are independent draws from the measure: the assumption of every iid bound.
    nested : bool
        The first frequencies of a wider map are those of the narrower one with the same seed.
    uses_pilot : bool
        The frequencies depend on the data: `draw` needs a pilot.
    """

    independent: bool
    nested: bool
    uses_pilot: bool = False

    def draw(
        self, measure: SpectralMeasure, n_frequencies: int, n_features: int, seed: int, pilot: Pilot | None = None
    ) -> Frequencies:
        """Draw `n_frequencies` frequencies of R^`n_features`; the same seed (and pilot) gives the same bits."""
        normals, uniforms = self.points(n_frequencies, n_features, measure.n_vectors, measure.n_uniforms, seed)
        return Frequencies(measure.frequencies(normals, uniforms))

    @abstractmethod
    def points(self, m: int, d: int, n_vectors: int, n_uniforms: int, seed: int) -> tuple[Array, Array]:
        """Standard points: normals (m, n_vectors, d) and uniforms (m, n_uniforms)."""
