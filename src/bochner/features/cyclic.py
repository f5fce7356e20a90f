"""Products of rows with all cyclic shifts of other rows, by the discrete Fourier transform.

    c_g(x, y) = y . (T_g x) = sum_t y_t . x_(t - g),      C_f = conj(X_f) . Y_f

for rows of r blocks and the shifts T_g by g blocks: r products of d numbers become r/2 + 1 complex ones of d / r, and
an inverse transform of length r. In flops 4 d instead of 2 d r. Short transforms are products with the matrix of the
transform: libraries do these many times as fast, an operation, as transforms of columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial

import numpy as np
from scipy.fft import irfft, rfft

from bochner._typing import Array, FloatType
from bochner.features.kernel_tiles import Prepared, Values
from bochner.kernels.distance import DistanceKernel
from bochner.memory import row_slices

__all__ = ["COLUMNS", "CyclicValues", "correlations", "spectra"]

COLUMNS = 64
"""Rows on the right side of products at once."""

_SHORT = 64  # lengths at which matrices are faster
_NUMBERS = 2**17  # complex ones of products at once: they stay in L2


def spectra(X: Array, r: int) -> Array:
    """Transforms (n, r/2 + 1, d / r) of rows of r blocks, in their float type."""
    found: Array = rfft(X.reshape(len(X), r, -1), axis=1)
    return found


def correlations(left: Array, right: Array, r: int) -> Iterator[tuple[slice, Array]]:
    """c_g of rows x with spectra `left` (n, F, b) and rows y with spectra `right` (m, F, b): (n, r, m), of some x."""
    product = _by_matrix(right, r) if r <= _SHORT else partial(_by_transforms, right, r)
    for some in row_slices(len(left), max(1, _NUMBERS // (len(right) * left.shape[1]))):
        yield some, product(left[some])


def _by_transforms(right: Array, r: int, left: Array) -> Array:
    C = np.empty((len(left), left.shape[1], len(right)), left.dtype)
    np.matmul(left.conj().swapaxes(0, 1), right.transpose(1, 2, 0), out=C.swapaxes(0, 1))
    found: Array = irfft(C, n=r, axis=1, overwrite_x=True)
    return found


def _by_matrix(right: Array, r: int) -> Callable[[Array], Array]:
    """Correlations with `right` as a function of `left`, in real numbers.

    A row of `left` is Re X, Im X of every number in turn, and conj(X) . Y has the parts

        Re X . Re Y + Im X . Im Y,     Re X . Im Y - Im X . Re Y
    """
    m, n_frequencies, b = right.shape
    real = right.real.dtype
    both = np.empty((n_frequencies, b, 2, 2, m), real)  # numbers of left, their parts, parts of the product, rows
    spectrum = right.transpose(1, 2, 0)
    both[:, :, 0, 0] = both[:, :, 1, 1] = spectrum.real
    both[:, :, 1, 0] = both[:, :, 0, 1] = spectrum.imag
    both[:, :, 1, 1] *= -1
    factors, inverse = both.reshape(n_frequencies, 2 * b, 2 * m), _inverse_transform(r).astype(real)

    def product(rows: Array) -> Array:
        C = np.empty((len(rows), n_frequencies, 2 * m), real)
        np.matmul(np.ascontiguousarray(rows).view(real).swapaxes(0, 1), factors, out=C.swapaxes(0, 1))
        found: Array = np.matmul(inverse, C.reshape(len(rows), 2 * n_frequencies, m))
        return found

    return product


@cache
def _inverse_transform(r: int) -> Array:
    """The real inverse discrete Fourier transform as a matrix (r, 2 (r/2 + 1)), of real and imaginary parts in turn."""
    parts = np.eye(2 * (r // 2 + 1)).reshape(-1, r // 2 + 1, 2)
    return irfft(parts[..., 0] + 1j * parts[..., 1], n=r, axis=1).T


class CyclicValues(Values):
    """A kernel of distance averaged over all cyclic shifts of one side: sum_g k(x, T_g y) / r."""

    def __init__(self, kernel: DistanceKernel, factor: float, r: int, dtype: FloatType) -> None:
        self.kernel, self.factor, self.r, self.dtype = kernel, factor, r, dtype

    @property
    def error(self) -> float:
        return np.inf  # no bound on the rounding errors of the transforms is known

    def left(self, X: Array) -> Prepared:
        rows = self.kernel.coordinates(X).astype(self.dtype, copy=False)
        return Prepared(spectra(rows, self.r), np.einsum("ij,ij->i", rows, rows))

    def tile(self, left: Prepared, right: Prepared, out: Array) -> Array:
        for some, square in correlations(left.rows, right.rows, self.r):
            square *= -2
            square += left.size[some, None, None] + right.size
            values = self.kernel.profile_of_square(square.reshape(len(square), -1))
            np.mean(values.reshape(square.shape), axis=1, out=out[some])
        if self.factor != 1:
            out *= out.dtype.type(self.factor)
        return out
