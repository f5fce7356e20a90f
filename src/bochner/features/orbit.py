"""Orbit embeddings: a feature map averaged over transformations of its input (Raj et al. 2017, section 2.2).

    psi(x) = sum_g q_g z(g x),      psi(x).psi(y) estimates k_q(x, y) = E k(g x, g' y)

A linear action meets a frequency before it meets any row, omega . (A x) = (A' omega) . x: a Fourier map is then a wider
Fourier map whose columns are averaged, and the action costs nothing per row. Projections on all cyclic shifts of a
frequency are a convolution, by Fourier transforms (`features.cyclic`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np

from bochner._dense import dense
from bochner._typing import Array, FloatType, Rows
from bochner.features.base import FeatureMap, MapOnBase
from bochner.features.cyclic import COLUMNS, correlations, spectra
from bochner.features.fourier import FourierMap
from bochner.groups import Transforms
from bochner.sampling.projection import multiplied

__all__ = ["OrbitFourierMap", "OrbitMap", "draw_orbit_map"]

_PROJECTED = 1024  # columns projected at once: 512 rows stay in L2, and GEMM is near full speed (benchmarks/orbit.py)


def draw_orbit_map(base: FeatureMap, transforms: Transforms) -> FeatureMap:
    """The base map averaged over the transformations, in the fastest way there is for the two."""
    fourier = base.fourier
    if fourier is not None and fourier.projection.has_matrix and transforms.linear:
        return OrbitFourierMap(fourier, transforms)
    return OrbitMap(base, transforms)


@dataclass(frozen=True, eq=False)
class OrbitMap(MapOnBase):
    """Any map, averaged over any transformations: each is applied to the rows.

    Attributes
    ----------
    base : FeatureMap
    transforms : Transforms
    """

    base: FeatureMap
    transforms: Transforms

    def write(self, X: Rows, out: Array, scratch: Array) -> None:
        Z = np.empty_like(out)
        out[...] = 0
        for weight, rows in self.transforms.of(X):
            self.base.write(rows, Z, scratch)
            Z *= out.dtype.type(weight)
            out += Z

    def n_bytes(self, dtype: FloatType) -> int:
        return self.base.n_bytes(dtype)


@dataclass(frozen=True)
class _Chunk:
    """Frequencies start ... stop of the base, transformed: A_g' omega as columns (d, r w), the transforms outermost.

    Of cyclic shifts: spectra (w, r/2 + 1, d / r) of the frequencies.
    """

    start: int
    stop: int
    moved: Array


@dataclass(frozen=True, eq=False)
class OrbitFourierMap(FeatureMap):
    """A Fourier map averaged over linear transformations, which are applied to the frequencies.

    Attributes
    ----------
    base : FourierMap
    transforms : Transforms
    """

    base: FourierMap
    transforms: Transforms
    _cast: dict[FloatType, list[_Chunk]] = field(default_factory=dict, repr=False)
    _lock: Any = field(default_factory=Lock, repr=False)

    @property
    def n_components(self) -> int:
        return self.base.n_components

    @property
    def scratch_width(self) -> int:
        return 0 if self.transforms.cyclic else len(self.transforms) * self._chunk_width()

    def n_bytes(self, dtype: FloatType) -> int:
        """The frequencies, and their transformed versions, or spectra."""
        versions = 2 if self.transforms.cyclic else len(self.transforms)
        moved = versions * self.base.n_frequencies * self.base.n_features * dtype.itemsize
        return self.base.n_bytes(dtype) + moved

    def prepare(self, dtype: FloatType) -> None:  # an optional power
        """Transform the frequencies for a float type; done once, by the first row otherwise."""
        with self._lock:
            if dtype not in self._cast:
                self._cast[dtype] = [self._chunk(start, stop, dtype) for start, stop in self._ranges()]

    def write(self, X: Rows, out: Array, scratch: Array) -> None:
        from bochner.features import _loops

        self.prepare(out.dtype)
        amplitude, phase = self.base.amplitude.astype(out.dtype), self.base.phase.astype(out.dtype)
        weights = self.transforms.weights.astype(out.dtype)
        pairs = len(amplitude) - len(phase)
        project = self._projections(X, out, scratch)
        for chunk in self._cast[out.dtype]:
            own = slice(chunk.start, chunk.stop)
            at = pairs + chunk.start  # of the sines, and of the cosines with a phase
            for some, projection in project(chunk):
                if chunk.start < pairs:
                    _loops.orbit_pairs(projection, amplitude[own], weights, out[some], chunk.start, at)
                else:
                    own_phase = phase[chunk.start - pairs : chunk.stop - pairs]
                    _loops.orbit_phases(projection, amplitude[own], own_phase, weights, out[some], at)

    def _projections(self, X: Rows, out: Array, scratch: Array) -> Callable[[_Chunk], Iterator[tuple[slice, Array]]]:
        """A function from a chunk to projections (n, r w) on its transformed frequencies, of some rows after others."""
        r, n = len(self.transforms), len(out)
        if self.transforms.cyclic:
            left = spectra(dense(X, out.dtype), r)
            return lambda chunk: (
                (some, found.reshape(len(found), -1)) for some, found in correlations(left, chunk.moved, r)
            )
        flat = scratch.reshape(-1)

        def by_matrices(chunk: _Chunk) -> Iterator[tuple[slice, Array]]:
            width = chunk.moved.shape[1]
            yield slice(0, n), multiplied(X, chunk.moved, flat[: n * width].reshape(n, width))

        return by_matrices

    def _chunk_width(self) -> int:
        """Frequencies of a chunk: whole vectors of 16, at least one of them."""
        if self.transforms.cyclic:
            return min(self.base.n_frequencies, COLUMNS)
        return min(self.base.n_frequencies, max(16, _PROJECTED // len(self.transforms) // 16 * 16))

    def _ranges(self) -> list[tuple[int, int]]:
        """Chunks of frequencies; none has both pairs and phases."""
        m, width = self.base.n_frequencies, self._chunk_width()
        pairs = m - len(self.base.phase)
        return [
            (start, min(start + width, end))
            for begin, end in ((0, pairs), (pairs, m))
            for start in range(begin, end, width)
        ]

    def _chunk(self, start: int, stop: int, dtype: FloatType) -> _Chunk:
        if self.transforms.cyclic:
            return _Chunk(start, stop, spectra(self.base.omega[start:stop].astype(dtype), len(self.transforms)))
        omega_t = np.ascontiguousarray(self.base.omega[start:stop].T)
        d, w = omega_t.shape
        moved = np.empty((d, len(self.transforms), w), dtype=dtype)
        for g, action in enumerate(self.transforms.actions):
            moved[:, g] = action.T @ omega_t  # type: ignore[union-attr]
        return _Chunk(start, stop, moved.reshape(d, -1))

    def __getstate__(self) -> dict[str, Any]:
        return {"base": self.base, "transforms": self.transforms}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _cast={}, _lock=Lock())
