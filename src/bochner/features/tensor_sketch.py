"""TensorSketch (Pham & Pagh 2013): count sketches of polynomial features, multiplied as Fourier transforms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.fft import rfft
from scipy.sparse import csr_array, issparse

from bochner._dense import require_columns
from bochner._random import Purpose, generator
from bochner._typing import Array, FloatType, Rows
from bochner.config import get_config
from bochner.errors import AssumptionError
from bochner.features.base import FeatureMap, tile_rows
from bochner.features.maclaurin import require_numbers
from bochner.kernels.dot_product import Polynomial
from bochner.memory import MemoryBill, require_memory

__all__ = ["TensorSketchMap", "draw_tensor_sketch_map"]


@dataclass(frozen=True)
class TensorSketchMap(FeatureMap):
    """Count sketches C_1 ... C_p of the row (u x, sqrt(coef0)), convolved: a sketch of its p-th tensor power.

        C_l(x)_b = sum over j with h_l(j) = b of s_l(j) x_j,        z(x) = C_1 * ... * C_p

    E z(x).z(y) = (gamma x.y + coef0)^p. The convolution is a product of Fourier transforms. The features here are the
    real and imaginary parts of that product, scaled to be orthonormal coordinates of z: all dot products are those of
    z, and the transform back is saved.

    Attributes
    ----------
    kernel : Polynomial
    buckets : array of shape (p, d + 1), int64
        h_l(j); the last column is that of the offset.
    signs : array of shape (p, d + 1), int8
    width : int
        D.
    """

    kernel: Polynomial
    buckets: Array
    signs: Array
    width: int

    @property
    def n_components(self) -> int:
        return self.width

    @property
    def scratch_width(self) -> int:
        return self.n_components * len(self.buckets)

    def write(self, X: Rows, out: Array, scratch: Array) -> None:
        sketches = scratch.reshape(len(scratch), len(self.buckets), self.n_components)
        self._sketch(X, sketches)
        product = rfft(sketches[:, 0])
        for sketch in range(1, len(self.buckets)):
            product *= rfft(sketches[:, sketch])
        _write_coordinates(product, out)

    def check_rows(self, X: Rows) -> None:
        require_numbers(self.kernel, X)

    def n_bytes(self, dtype: FloatType) -> int:
        return self.buckets.nbytes + self.signs.nbytes * (1 + dtype.itemsize)

    def kappa(self, X: Rows) -> float:
        raise AssumptionError("Columns of a TensorSketch are parts of one sketch, not independent draws of a feature.")

    def _sketch(self, X: Rows, sketches: Array) -> None:
        """Count sketches of rows, (n, p, D)."""
        from bochner.features import _sketch_loops

        d, dtype = self.buckets.shape[1] - 1, sketches.dtype
        require_columns(X, d)
        values = (self.signs[:, :d] * self.kernel.unit(d)).astype(dtype)
        offset = (self.signs[:, d] * np.sqrt(float(self.kernel.coef0))).astype(dtype)
        sketches.fill(0)
        sketches[:, np.arange(len(self.buckets)), self.buckets[:, d]] = offset
        if issparse(X):
            rows = csr_array(X)
            parts = rows.data.astype(dtype), rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
            _sketch_loops.sketch_sparse_rows(*parts, self.buckets, values, sketches)
        else:
            _sketch_loops.sketch_dense_rows(np.ascontiguousarray(X, dtype=dtype), self.buckets, values, sketches)


def _write_coordinates(spectrum: Array, out: Array) -> None:
    """Orthonormal coordinates of real vectors of length D from their Fourier transforms (n, D // 2 + 1)."""
    D = out.shape[1]
    pairs = (D - 1) // 2
    out[:, 0] = spectrum[:, 0].real
    out[:, 1 : 1 + pairs] = spectrum[:, 1 : 1 + pairs].real
    out[:, 1 + pairs : 1 + 2 * pairs] = spectrum[:, 1 : 1 + pairs].imag
    scale = np.full(D, np.sqrt(2 / D))
    scale[0] = np.sqrt(1 / D)
    if D % 2 == 0 and D > 1:
        out[:, -1] = spectrum[:, -1].real
        scale[-1] = scale[0]
    out *= scale.astype(out.dtype)


def draw_tensor_sketch_map(kernel: Polynomial, *, n_features: int, n_components: int, seed: int) -> TensorSketchMap:
    """Draw the hashes of a sketch of width `n_components`."""
    shape = (kernel.degree_limit, n_features + 1)
    kernel.coefficients(np.arange(2))  # checks the offset
    buckets = generator(seed, Purpose.HASHES).integers(0, n_components, shape)
    signs = generator(seed, Purpose.SIGNS).integers(0, 2, shape, dtype=np.int8) * 2 - 1
    found = TensorSketchMap(kernel, buckets, signs.astype(np.int8), n_components)
    sketches = 8 * get_config().threads() * tile_rows(found, np.dtype(float)) * found.scratch_width
    require_memory(MemoryBill({"count sketches of a tile of rows": sketches}), "Lower n_components, or the degree.")
    return found
