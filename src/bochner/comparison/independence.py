"""Independence test by the Hilbert-Schmidt independence criterion (HSIC), with random features.

With frequencies (omega_i, nu_i) drawn in pairs, the random features of the product kernel k(x, x') l(y, y'),

    HSIC = k(0) l(0) / m  sum_i ( |cov(e^(i omega_i.x), e^(i nu_i.y))|^2 + |cov(e^(i omega_i.x), e^(-i nu_i.y))|^2 ) / 2

which is the squared MMD between the joint law and the product of its margins. For all cyclic shifts of the rows of Y,
or of blocks of s rows if there are many, the covariances are circular correlations: Fourier transforms along the n / s
blocks for a pair of frequencies instead of n / s passes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
from scipy.fft import fft, ifft, next_fast_len

from bochner._dense import dense
from bochner._random import Purpose, generator, resolve_seed
from bochner._threads import run_in_threads
from bochner._typing import Array, ArrayLike, MatrixLike, Seed
from bochner.comparison.kernel_features import check_even_width, default_components
from bochner.comparison.resampling import check_resamples, p_value
from bochner.comparison.result import KernelTestResult
from bochner.comparison.samples import as_column, check_rows
from bochner.errors import InvalidDataError
from bochner.features import FourierMap, draw_fourier_map
from bochner.kernels import Stationary
from bochner.sampling import MonteCarlo
from bochner.theory.base import check_delta
from bochner.theory.downstream import HSIC
from bochner.tuning import ScaleRule

__all__ = ["hsic_test"]

_OneKernel: TypeAlias = str | Stationary | None

_TIE, _SINGLE_TIE = 1e-8, 1e-5
_FOURIER_BYTES = 2**22  # larger buffers are given back to the system and asked for again: twice the time
_ROWS_A_SHIFT = 32


def hsic_test(
    X: MatrixLike,
    Y: MatrixLike,
    *,
    kernel: _OneKernel | tuple[_OneKernel, _OneKernel] = None,
    length_scale: ArrayLike | tuple[ArrayLike, ArrayLike] = "auto",
    n_components: int | str = "auto",
    n_resamples: int = 999,
    delta: float = 0.01,
    rng: Seed = None,
) -> KernelTestResult:
    """Test whether X and Y are independent, by the Hilbert-Schmidt independence criterion.

    The p-value is valid at any sample size: under independence P(pvalue <= a) <= a. Time is O(n log n) for all
    resamples together, O(n log n_resamples) for many rows.

    Parameters
    ----------
    X, Y : array-like of shapes (n, d) and (n, e)
        Row i of X and row i of Y belong together.
    kernel : str, Stationary, None or a pair of these, default=None
        One for both sides, or one for X and one for Y. None is the Gaussian kernel.
    length_scale : "auto", "median", float or a pair of these, default="auto"
        "auto": the kernel's own if a kernel is given, else for each column its spread times the median distance between
        rows of that side in units of these: the units of columns do not matter. "median": one for all columns, the
        median distance.
    n_components : int or "auto", default="auto"
        Width D of the features, D/2 pairs of frequencies; "auto": 512 + 8 sqrt(n).
    n_resamples : int, default=999
    delta : float, default=0.01
        Failure probability of the error bound.
    rng : int, Generator, RandomState or None, default=None

    Returns
    -------
    KernelTestResult
        Its statistic is the biased HSIC; `witness` takes points with the columns of X and then those of Y.

    Notes
    -----
    Rows of Y are permuted by random cyclic shifts. Where there are fewer shifts than resamples, the shifts of several
    random permutations are used: the observed statistic is as likely to be any of the values on these cosets, so the
    p-value is exact. With 32 rows or more for a resample, blocks of consecutive rows of Y are shifted, and the rows
    that fill no block stay: a subgroup of the permutations, so the p-value is exact too.

    References
    ----------
    Gretton et al. (2008), A kernel statistical test of independence.

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import hsic_test
    >>> x = np.random.default_rng(0).uniform(-1, 1, (300, 1))
    >>> y = x**2 + 0.1 * np.random.default_rng(1).standard_normal((300, 1))
    >>> hsic_test(x, y, rng=0).pvalue
    0.001
    """
    check_resamples("hsic_test", n_resamples)
    check_delta(delta)
    left, right = _check_pair(X, Y)
    seed, n = resolve_seed(rng), len(left)
    block_rows = _block_rows(n, n_resamples)
    automatic = isinstance(n_components, str) and n_components == "auto"
    width = default_components(n) if automatic else check_even_width("hsic_test", "n_components", n_components)
    kernels = _kernels(kernel, length_scale, left, right, seed)
    pairs = _FrequencyPairs.draw(kernels, (left.shape[1], right.shape[1]), width, seed)
    values, observed = _resampled(pairs, left, right, n_resamples, seed)
    return KernelTestResult(
        statistic=float(values[0]),
        pvalue=p_value(values, (_SINGLE_TIE if block_rows > 1 else _TIE) * pairs.size / n),
        null_distribution=values[1:],
        kernel=kernels,
        kernels=kernels,
        n_components=width,
        certificate=HSIC(kernel=kernels[0] * kernels[1]).certificate(width, delta),
        block_rows=block_rows,
        assumptions=("under the null hypothesis the rows of Y are exchangeable given X, as independent draws are",),
        _witness=partial(_witness, pairs, left.shape[1], observed.plus, observed.minus),
    )


@dataclass(frozen=True)
class _FrequencyPairs:
    """Frequencies of X and of Y, in pairs, and size = k(0) l(0)."""

    left: FourierMap
    right: FourierMap
    size: float

    @classmethod
    def draw(
        cls, kernels: tuple[Stationary, Stationary], n_features: tuple[int, int], n_components: int, seed: int
    ) -> _FrequencyPairs:
        # The two sides must be independent: the second has a seed of its own.
        seeds = (seed, int(generator(seed, Purpose.SEARCH).integers(2**32)))
        left, right = (
            draw_fourier_map(each, MonteCarlo(), n_features=d, n_components=n_components, embedding="paired", seed=own)
            for each, d, own in zip(kernels, n_features, seeds, strict=True)
        )
        return cls(left, right, kernels[0].variance * kernels[1].variance)

    def waves(self, X: Array, Y: Array, some: slice, dtype: type[np.floating]) -> tuple[Array, Array]:
        """Centred e^(i omega.x) and e^(i nu.y) of some frequencies: complex arrays (n_frequencies, n)."""
        first, second = (
            _centred_waves(side.projections(rows, some).astype(dtype, copy=False))
            for side, rows in ((self.left, X), (self.right, Y))
        )
        return first, second

    def slices(self, n_rows: int) -> list[slice]:
        """The frequencies, as many at a time as fit a small buffer."""
        m = self.left.n_frequencies
        step = max(1, _FOURIER_BYTES // (64 * n_rows))
        return [slice(start, min(start + step, m)) for start in range(0, m, step)]

    def on_all_shifts(self, X: Array, Y: Array, block_rows: int = 1, dtype: type[np.floating] = np.float64) -> _Shifts:
        """HSIC with the blocks of rows of Y shifted by 0, 1, ..., K - 1, cyclically, K = n // block_rows.

        The rows after the last block stay where they are. `dtype` is that of the waves; values are summed in float64.
        """
        n, m, K = len(X), self.left.n_frequencies, len(X) // block_rows
        total, observed = np.zeros(K), np.empty((2, m), dtype=complex)

        def correlate(some: slice, _: None) -> tuple[slice, Array]:
            waves = self.waves(X, Y, some, dtype)
            first, second = (_block_spectra(wave, K, block_rows) for wave in waves)
            a, b = (wave[:, K * block_rows :] for wave in waves)
            pairs = ((_spectrum_of_conjugate(second), b.conj()), (second, b))
            return some, np.array([_correlations(first, other, a, rest) for other, rest in pairs])

        def add(part: tuple[slice, Array]) -> None:
            some, sums = part
            observed[:, some] = sums[:, :, 0].conj() / n
            np.add(total, np.sum(sums.real**2 + sums.imag**2, axis=(0, 1)), total)

        run_in_threads(correlate, self.slices(n), state=lambda: None, finish=add)
        return _Shifts(total * (self.size / (2 * m * n**2)), observed[0], observed[1])


@dataclass(frozen=True)
class _Shifts:
    """HSIC on all shifts, shape (K,), and for the rows as they are the covariances of every pair of frequencies.

    plus = cov(e^(i omega.x), e^(i nu.y)),     minus = cov(e^(i omega.x), e^(-i nu.y))
    """

    values: Array
    plus: Array
    minus: Array


def _block_spectra(wave: Array, n_blocks: int, block_rows: int) -> Array:
    """Transforms (f, K, s) of waves (f, n) along the blocks of rows."""
    spectra: Array = fft(wave[:, : n_blocks * block_rows].reshape(len(wave), n_blocks, block_rows), axis=1)
    return spectra


def _correlations(first: Array, second: Array, rest_first: Array, rest_second: Array) -> Array:
    """Sums over rows of conj(first) second at every shift of the blocks, shape (f, K).

    `first` and `second` (f, K, s) are transforms along the blocks, the rest (f, r) is of rows that are not shifted.
    """
    spectrum = np.vecdot(first, second)
    fixed = np.vecdot(rest_first, rest_second)
    sums: Array = ifft(spectrum, axis=1, overwrite_x=True) + fixed[:, None]
    return sums


def _centred_waves(phases: Array) -> Array:
    """e^(i phase) of phases (f, n), less the mean of every row."""
    from bochner.features import _loops

    n = phases.shape[1]
    out = np.empty((len(phases), 2 * n), dtype=phases.dtype)
    _loops.fourier_features(phases, np.ones(n, dtype=phases.dtype), np.empty(0, dtype=phases.dtype), out)
    wave = np.empty(phases.shape, dtype=np.result_type(phases.dtype, np.complex64))
    for part, values in ((wave.real, out[:, :n]), (wave.imag, out[:, n:])):
        np.subtract(values, values.mean(axis=1, keepdims=True), out=part)
    return wave


def _block_rows(n: int, n_resamples: int) -> int:
    """Rows of Y that are shifted together: 1 unless there are 32 or more for every resample."""
    shifts = next_fast_len(n_resamples + 1)
    return n // shifts if n >= _ROWS_A_SHIFT * shifts else 1


def _resampled(pairs: _FrequencyPairs, X: Array, Y: Array, n_resamples: int, seed: int) -> tuple[Array, _Shifts]:
    """The observed HSIC and `n_resamples` others, drawn from the cosets of the cyclic shifts; and the first coset."""
    rng, n = generator(seed, Purpose.RESAMPLES), len(X)
    block_rows = _block_rows(n, n_resamples)
    # Of many rows in single precision: what it changes is far below the differences between shifts, and a tie counts.
    own = pairs.on_all_shifts(X, Y, block_rows, np.float32 if block_rows > 1 else np.float64)
    cosets = [own.values]
    while sum(map(len, cosets)) < n_resamples + 1:
        cosets.append(pairs.on_all_shifts(X, Y[rng.permutation(n)]).values)
    values = np.concatenate(cosets)
    chosen = 1 + rng.choice(len(values) - 1, size=n_resamples, replace=False)
    return values[np.r_[0, chosen]], own


def _spectrum_of_conjugate(spectrum: Array) -> Array:
    """The transform of the complex conjugate of a signal, from that of the signal."""
    return np.roll(spectrum[:, ::-1], 1, axis=1).conj()


def _witness(pairs: _FrequencyPairs, n_left: int, plus: Array, minus: Array, points: MatrixLike) -> Array:
    """E[k(X, s) l(Y, t)] - E k(X, s) E l(Y, t) at the points (s, t)."""
    rows = check_rows(points, "points", dtype=np.float64)
    n_right = pairs.right.n_features
    if rows.shape[1] != n_left + n_right:
        raise InvalidDataError(f"points must have {n_left + n_right} columns. Got {rows.shape[1]}.")
    s, t = pairs.left.projections(rows[:, :n_left]).T, pairs.right.projections(rows[:, n_left:]).T
    waves = plus.conj() * np.exp(1j * (s + t)) + minus.conj() * np.exp(1j * (s - t))
    return pairs.size / 2 * waves.real.mean(axis=1)


def _kernels(
    kernel: _OneKernel | tuple[_OneKernel, _OneKernel],
    length_scale: ArrayLike | tuple[ArrayLike, ArrayLike],
    X: Array,
    Y: Array,
    seed: int,
) -> tuple[Stationary, Stationary]:
    """The kernel of each side; a tuple of two is one for each, anything else is for both."""
    kernels = kernel if isinstance(kernel, tuple) and len(kernel) == 2 else (kernel, kernel)
    scales = (
        length_scale if isinstance(length_scale, tuple) and len(length_scale) == 2 else (length_scale, length_scale)
    )
    left, right = (
        ScaleRule("hsic_test", own, scale).resolve_sample(rows, seed=seed)
        for own, scale, rows in zip(kernels, scales, (X, Y), strict=True)
    )
    return left, right


def _check_pair(X: MatrixLike, Y: MatrixLike) -> tuple[Array, Array]:
    first, second = (dense(check_rows(as_column(rows), name, dtype=np.float64)) for rows, name in ((X, "X"), (Y, "Y")))
    if len(first) != len(second):
        raise InvalidDataError(f"X and Y must have the same number of rows. Got {len(first)} and {len(second)}.")
    if len(first) < 2:
        raise InvalidDataError(f"X and Y must have at least 2 rows. Got {len(first)}.")
    return first, second
