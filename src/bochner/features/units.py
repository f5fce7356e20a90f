"""Features of random linear units: arc-cosine (powers of ReLUs), signs, binary codes, linear sketches."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from bochner._random import Purpose, generator
from bochner._typing import Array, FloatType, Rows
from bochner.errors import AssumptionError
from bochner.features.base import FeatureMap, gemm_tile_width
from bochner.features.fourier import FourierMap, draw_fourier_map
from bochner.kernels.angle import ArcCosine
from bochner.kernels.base import Stationary
from bochner.sampling.monte_carlo import MonteCarlo
from bochner.sampling.projection import DenseProjection

__all__ = ["ArcCosineMap", "BinaryCodeMap", "LinearUnits", "SignMap", "SketchMap", "draw_code_map", "draw_units"]


@dataclass(frozen=True)
class LinearUnits(FeatureMap):
    """A function of one variable of random projections: z_i(x) = g(omega_i . x), g given by a subclass.

    Attributes
    ----------
    projection : DenseProjection
        Of D directions omega_i, whose coordinates are independent standard normal numbers.
    """

    projection: DenseProjection

    @property
    def n_components(self) -> int:
        return self.projection.n_frequencies

    @property
    def scratch_width(self) -> int:
        return 0

    @property
    def tile_width(self) -> int:
        return gemm_tile_width(self.n_components, self.projection.n_features)

    def write(self, X: Rows, out: Array, scratch: Array) -> None:
        self._activate(self.projection.project(X, out), out)

    @abstractmethod
    def _activate(self, projected: Array, out: Array) -> None:
        """Write g of the projected rows (n, D), which may be `out` itself, to `out`."""

    def n_bytes(self, dtype: FloatType) -> int:
        return self.projection.n_bytes(dtype)


@dataclass(frozen=True)
class ArcCosineMap(LinearUnits):
    """z_i(x) = sqrt(2 / D) relu(omega_i . x)^degree: E z(x).z(y) is the arc-cosine kernel.

    For degrees above 0 these features are not bounded: theorems that ask for |psi| <= kappa do not speak of them.
    """

    kernel: ArcCosine

    def _activate(self, projected: Array, out: Array) -> None:
        degree = self.kernel.checked_degree()
        scale = np.sqrt(2 / self.n_components).astype(out.dtype)
        if degree == 0:
            np.multiply(projected > 0, scale, out=out)
            return
        np.maximum(projected, 0, out=out)
        if degree == 2:
            out *= out
        out *= scale

    def kappa(self, X: Rows) -> float:
        """sqrt(2) at degree 0."""
        if self.kernel.checked_degree() > 0:
            raise AssumptionError("Powers of relu(omega.x) are not bounded: omega is normal.")
        return float(np.sqrt(2))


@dataclass(frozen=True)
class SignMap(LinearUnits):
    """z_i(x) = sign(omega_i . x) / sqrt(D): E z(x).z(y) is the angular kernel 1 - 2 theta / pi."""

    def _activate(self, projected: Array, out: Array) -> None:
        if projected is not out:  # products of sparse rows
            out[...] = projected
        _signs(out)

    def kappa(self, X: Rows) -> float:
        return 1.0


def _signs(out: Array) -> None:
    """Overwrite numbers (n, D) by their signs over sqrt(D)."""
    from bochner.features import _sketch_loops

    _sketch_loops.replace_by_signs(out, out.dtype.type(1 / np.sqrt(out.shape[1])))


@dataclass(frozen=True)
class SketchMap(LinearUnits):
    """z(x) = (omega_1 . x, ..., omega_D . x) / sqrt(D): a Johnson-Lindenstrauss sketch, E z(x).z(y) = x.y."""

    def _activate(self, projected: Array, out: Array) -> None:
        np.multiply(projected, (1 / np.sqrt(self.n_components)).astype(out.dtype), out=out)

    def kappa(self, X: Rows) -> float:
        raise AssumptionError("Features omega.x of a linear sketch are not bounded: omega is normal.")


@dataclass(frozen=True)
class BinaryCodeMap(FeatureMap):
    """z_i(x) = sign(cos(omega_i . x + b_i) + t_i) / sqrt(D) (Raginsky & Lazebnik 2009).

    Attributes
    ----------
    waves : FourierMap
        cos(omega_i . x + b_i): a map of phases with amplitudes 1.
    thresholds : array of shape (D,), float64
        t_i in [-1, 1].
    """

    waves: FourierMap
    thresholds: Array

    @property
    def n_components(self) -> int:
        return len(self.thresholds)

    @property
    def scratch_width(self) -> int:
        return self.waves.scratch_width

    def write(self, X: Rows, out: Array, scratch: Array) -> None:
        self.waves.write(X, out, scratch)
        out += self.thresholds.astype(out.dtype)
        _signs(out)

    def n_bytes(self, dtype: FloatType) -> int:
        return self.waves.n_bytes(dtype)

    def kappa(self, X: Rows) -> float:
        return 1.0


def draw_units(n_features: int, n_components: int, seed: int) -> DenseProjection:
    """Normal directions; of a wider map with the same seed these are the first."""
    return DenseProjection(generator(seed, Purpose.NORMALS).standard_normal((n_components, n_features)))


def draw_code_map(kernel: Stationary, *, n_features: int, n_components: int, seed: int) -> BinaryCodeMap:
    """Draw the frequencies, phases and thresholds of binary codes of a stationary kernel."""
    sizes = {"n_features": n_features, "n_components": n_components, "seed": seed}
    drawn = draw_fourier_map(kernel, MonteCarlo(), embedding="phase", **sizes)  # type: ignore[arg-type]
    waves = FourierMap(drawn.projection, np.ones(n_components), drawn.phase)
    return BinaryCodeMap(waves, generator(seed, Purpose.THRESHOLDS).uniform(-1, 1, n_components))
