"""Coordinates of a descent of the evidence: noise and signal variance free, or their ratio alpha given."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from bochner._typing import Array
from bochner.tuning.parameters import EvidenceParameters

__all__ = ["Coordinates", "FreeVariances", "GivenRatio", "Loss"]

Loss: TypeAlias = Callable[[Array], tuple[float, Array]]
"""A function of a vector, with its gradient."""

_REACH = np.log([1e-2, 1e3])  # how far a scale may go from its start, down and up
_NOISE = np.log([1e-8, 10.0])  # bounds of the variances, in units of the target's
_SIGNAL = np.log([1e-3, 1e4])


@dataclass(frozen=True)
class Coordinates(ABC):
    """A loss over theta = (log scales, log noise, log signal), as a function of the vector that an optimiser moves."""

    loss: Loss

    @abstractmethod
    def __call__(self, vector: Array) -> tuple[float, Array]:
        """The loss at a vector, and its gradient by that."""

    @abstractmethod
    def vector(self, parameters: EvidenceParameters) -> Array: ...

    @abstractmethod
    def parameters(self, vector: Array) -> EvidenceParameters: ...

    def bounds(self, start: EvidenceParameters) -> list[tuple[float, float]]:
        """Bounds of every entry of the vector, for a descent from a start."""
        scales = [(log_scale + _REACH[0], log_scale + _REACH[1]) for log_scale in start.log_scales]
        return [*scales, tuple(_NOISE), tuple(_SIGNAL)][: len(self.vector(start))]


@dataclass(frozen=True)
class FreeVariances(Coordinates):
    """Noise and signal variance are both learned: the vector is theta."""

    def __call__(self, vector: Array) -> tuple[float, Array]:
        return self.loss(vector)

    def vector(self, parameters: EvidenceParameters) -> Array:
        return parameters.to_vector()

    def parameters(self, vector: Array) -> EvidenceParameters:
        return EvidenceParameters.from_vector(vector)


@dataclass(frozen=True)
class GivenRatio(Coordinates):
    """signal variance = noise variance / alpha for an alpha that is given: the vector is (log scales, log noise)."""

    log_alpha: float

    def __call__(self, vector: Array) -> tuple[float, Array]:
        value, gradient = self.loss(self.parameters(vector).to_vector())
        slope = EvidenceParameters.from_vector(gradient)
        return value, np.append(slope.log_scales, slope.log_noise + slope.log_signal)

    def vector(self, parameters: EvidenceParameters) -> Array:
        return np.append(parameters.log_scales, parameters.log_noise)

    def parameters(self, vector: Array) -> EvidenceParameters:
        return EvidenceParameters(vector[:-1], vector[-1], vector[-1] - self.log_alpha)
