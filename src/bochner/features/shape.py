"""Sizes of a Fourier map before it is drawn, for plans and memory bills."""

from __future__ import annotations

from dataclasses import dataclass

from bochner._typing import Array, FloatType, Rows
from bochner.features.base import FeatureMap

__all__ = ["FourierShape"]


@dataclass(frozen=True)
class FourierShape(FeatureMap):
    """A paired Fourier map that is not drawn yet: it states its bytes and maps nothing."""

    width: int
    n_features: int

    @property
    def n_components(self) -> int:
        return self.width

    @property
    def scratch_width(self) -> int:
        return self.width // 2

    def write(self, X: Rows, out: Array, scratch: Array) -> None:
        raise AssertionError("a plan computes nothing")

    def n_bytes(self, dtype: FloatType) -> int:
        return self.width * self.n_features * (8 + dtype.itemsize) // 2
