"""Structured frequencies, multiplied by fast Hadamard transforms: SORF and Fastfood."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.sparse import issparse

from bochner._dense import dense, require_columns
from bochner._random import Purpose, generator
from bochner._typing import Array, FloatType, JsonDict, Rows
from bochner.kernels.measure import SpectralMeasure
from bochner.sampling.base import Frequencies, Sampler
from bochner.sampling.pilot import Pilot
from bochner.sampling.projection import Projection

__all__ = ["SORF", "Fastfood", "StructuredProjection"]


@dataclass(frozen=True)
class StructuredProjection(Projection):
    """Frequencies in blocks of p = 2^ceil(log2 d): products of Hadamard matrices H and diagonals.

        block = scales H diag_k ... H diag_2 P H diag_1 / length_scale,      P a permutation, or none

    A product with a row, padded by zeros to p, takes k p log2 p additions a block in place of p d multiplications.

    Attributes
    ----------
    diagonals : array of shape (n_blocks, k, p), float64
    permutations : array of shape (n_blocks, p) or (0, p), int64
    scales : array of shape (m,), float64
    units : array of shape (d,), float64
        1 / length_scale of every column.
    """

    diagonals: Array
    permutations: Array
    scales: Array
    units: Array
    _cast: dict[FloatType, tuple[Array, Array]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def n_frequencies(self) -> int:
        return len(self.scales)

    @property
    def n_features(self) -> int:
        return len(self.units)

    @property
    def padded(self) -> int:
        """p."""
        return int(self.diagonals.shape[2])

    def project(self, X: Rows, out: Array) -> Array:
        from bochner.sampling import _loops

        require_columns(X, self.n_features)
        diagonals, scales = self._in(out.dtype)
        rows = np.ascontiguousarray(dense(X, out.dtype) if issparse(X) else np.asarray(X, dtype=out.dtype))
        buffer, spare = np.empty((2, _loops.GROUP * self.padded), dtype=out.dtype)
        target = out[: len(rows), : self.n_frequencies]
        _loops.structured_project(rows, diagonals, self.permutations, scales, buffer, spare, target)
        return target

    def matrix(self) -> Array:
        return np.ascontiguousarray(
            self.project(np.eye(self.n_features), np.empty((self.n_features, self.n_frequencies))).T
        )

    def first(self, m: int) -> StructuredProjection:
        blocks = -(-m // self.padded)
        return replace(
            self, diagonals=self.diagonals[:blocks], permutations=self.permutations[:blocks], scales=self.scales[:m],
            _cast={},
        )  # fmt: skip

    def n_bytes(self, dtype: FloatType) -> int:
        return self.diagonals.size * (8 + dtype.itemsize) + self.permutations.nbytes + 2 * 16 * 8 * self.padded

    def phase_rounding(self, reach: Array, dtype: FloatType) -> Array:
        """Bound (m,), by norms: every round of sums and differences, and every diagonal, is off by u of its result.

        ||error|| <= (k (log2 p + 2) + 4) u ||exact||, and the scaled Hadamard matrices keep norms up to p^(1/2).
        """
        # Overrides: rounding errors of a structured product are known.
        k, p = self.diagonals.shape[1:]
        unit = float(np.finfo(dtype).eps) / 2
        steps = k * (np.log2(p) + 2) + 4
        size = np.linalg.norm(np.abs(reach) * self.units) * p ** (k / 2)
        largest = np.prod(np.max(np.abs(self.diagonals), axis=2), axis=1).max()
        return 1.01 * steps * unit * size * largest * np.abs(self.scales) + 4 * unit * np.pi

    def _in(self, dtype: FloatType) -> tuple[Array, Array]:
        """Diagonals, the first one in the units of the columns, and scales in a float type, kept for the next block."""
        if dtype not in self._cast:
            diagonals = self.diagonals.copy()
            diagonals[:, 0, : self.n_features] *= self.units
            self._cast[dtype] = diagonals.astype(dtype), self.scales.astype(dtype)
        return self._cast[dtype]

    def __getstate__(self) -> JsonDict:
        return {name: value for name, value in vars(self).items() if name != "_cast"}

    def __setstate__(self, state: JsonDict) -> None:
        self.__dict__.update(state, _cast={})


class _Structured(Sampler):
    """Base of samplers whose standard points are structured."""

    independent = False
    nested = True

    # Overrides `draw`: products with scale mixtures of normals, omega = radius g / length_scale, keep the structure.
    def draw(
        self, measure: SpectralMeasure, n_frequencies: int, n_features: int, seed: int, pilot: Pilot | None = None
    ) -> Frequencies:
        mixture = measure.scale_mixture()
        if mixture is None:
            return super().draw(measure, n_frequencies, n_features, seed, pilot)
        uniforms = generator(seed, Purpose.UNIFORMS).random((n_frequencies, mixture.n_uniforms))
        drawn = self._standard(n_frequencies, n_features, seed)
        units = np.broadcast_to(1 / np.asarray(mixture.length_scale, dtype=float), (n_features,)).copy()
        scales = drawn.scales if mixture.radius is None else drawn.scales * mixture.radii(uniforms)[:, 0]
        return Frequencies(replace(drawn, scales=scales, units=units))

    def points(self, m: int, d: int, n_vectors: int, n_uniforms: int, seed: int) -> tuple[Array, Array]:
        # The vectors of one frequency come from blocks of their own: those of one block depend on each other.
        p = _power_of_two(d)
        blocks = -(-m // p)
        rows = self._standard(blocks * n_vectors * p, d, seed).matrix().reshape(blocks, n_vectors, p, d)
        normals = rows.transpose(0, 2, 1, 3).reshape(blocks * p, n_vectors, d)[:m]
        return normals, generator(seed, Purpose.UNIFORMS).random((m, n_uniforms))

    @abstractmethod
    def _standard(self, m: int, d: int, seed: int) -> StructuredProjection:
        """Projection on m structured stand-ins of standard normal vectors."""


class SORF(_Structured):
    """Structured orthogonal random features (Yu et al. 2016): sqrt(d) H D_1 H D_2 H D_3, D_i random signs.

    Frequencies of a block are orthogonal and all have the length sqrt(p), p = 2^ceil(log2 d). They are not normal:
    estimates are biased, by less as d grows, so that there is no certificate but what is computed from the rows. Fast
    from about a thousand columns on.
    """

    unbiased = False

    def _standard(self, m: int, d: int, seed: int) -> StructuredProjection:
        p = _power_of_two(d)
        blocks = -(-m // p)
        signs = generator(seed, Purpose.SIGNS).integers(0, 2, (blocks, 3, p)) * 2.0 - 1
        return StructuredProjection(signs, np.empty((0, p), dtype=np.int64), np.full(m, 1 / p), np.ones(d))


class Fastfood(_Structured):
    """Fastfood (Le, Sarlos & Smola 2013): S H G P H B / sqrt(p), B signs, P a permutation, G normal, S of chi lengths.

    Every frequency has exactly the law of the kernel, so that estimates are unbiased; those of one block depend on each
    other, blocks do not.
    """

    def _standard(self, m: int, d: int, seed: int) -> StructuredProjection:
        p = _power_of_two(d)
        blocks = -(-m // p)
        signs = generator(seed, Purpose.SIGNS).integers(0, 2, (blocks, p)) * 2.0 - 1
        normal = generator(seed, Purpose.NORMALS).standard_normal((blocks, p))
        random = generator(seed, Purpose.ORDER)
        permutations = np.stack([random.permutation(p) for _ in range(blocks)])
        lengths = np.sqrt(generator(seed, Purpose.LENGTHS).chisquare(p, blocks * p)).reshape(blocks, p)
        scales = lengths / (np.linalg.norm(normal, axis=1, keepdims=True) * np.sqrt(p))
        return StructuredProjection(np.stack([signs, normal], axis=1), permutations, scales.ravel()[:m], np.ones(d))


def _power_of_two(d: int) -> int:
    return 1 << max(0, d - 1).bit_length()
