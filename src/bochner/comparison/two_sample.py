"""Kernel two-sample test by the maximum mean discrepancy (MMD): linear time, valid p-values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import issparse, vstack
from sklearn.base import clone

from bochner._dense import dense
from bochner._random import Purpose, generator, resolve_seed
from bochner._typing import Array, ArrayLike, MatrixLike, Rows, Seed, Transformer
from bochner.comparison.attribution import SHARE_ROWS, column_shares
from bochner.comparison.discrepancy import check_estimator
from bochner.comparison.kernel_choice import candidates, most_powerful
from bochner.comparison.kernel_features import KernelFeatures, TransformerFeatures, default_components
from bochner.comparison.pool import FeaturePool, GramPool, Pool
from bochner.comparison.resampling import Relabelling, check_resamples, fused, normal_scores, p_value
from bochner.comparison.result import KernelTestResult
from bochner.comparison.samples import check_samples, column_names
from bochner.errors import InvalidDataError, invalid_parameter
from bochner.kernels import Stationary
from bochner.sampling import Sampler
from bochner.theory.base import check_delta

__all__ = ["mmd_test"]

_FACTORS = (0.125, 0.25, 0.5, 1.0, 2.0)
_FITTED_ROWS = 10_000

_TIE = 1e-8

_ASSUMPTIONS = {
    "permutation": ("under the null hypothesis the rows of X and Y are exchangeable, as independent draws are",),
    "wild": ("under the null hypothesis each row of X may change places with its row of Y",),
}


def mmd_test(
    X: MatrixLike,
    Y: MatrixLike,
    *,
    kernel: str | Stationary | None = None,
    length_scale: ArrayLike = "auto",
    factors: Sequence[float] = _FACTORS,
    n_components: int | str = "auto",
    embedding: str = "paired",
    sampling: str | Sampler = "monte_carlo",
    features: Transformer | None = None,
    estimator: str = "unbiased",
    resampling: str = "permutation",
    n_resamples: int = 999,
    delta: float = 0.01,
    rng: Seed = None,
) -> KernelTestResult:
    """Test whether two samples have the same law, by their maximum mean discrepancy.

    The p-value is valid at any sample size: under the null hypothesis P(pvalue <= a) <= a. Time is linear in the rows:
    one pass over each sample (per kernel), and one matrix product for all relabellings.

    Parameters
    ----------
    X, Y : array-like or sparse matrix of shapes (n, d) and (m, d)
        Rows in memory or in a memory map, which is read block by block.
    kernel : str or Stationary, default=None
        None is the Gaussian kernel.
    length_scale : {"auto", "median", "aggregate", "fuse", "held_out"}, float or array of shape (d,), default="auto"
        "auto": the kernel's own if `kernel` is a kernel, else for each column its spread times the median distance
        between rows in units of these, of the pooled rows: the units of columns do not matter. "median": one for all
        columns, the median distance between pooled rows. "aggregate": all multiples of "auto" in `factors`, in one
        test. "fuse": the Gaussian and the Laplacian kernel (or `kernel`, if given) at ten bandwidths each, from half
        the 5 % to twice the 95 % quantile of distances, in one test. "held_out": the multiple that promises the most
        power on every other row; the test is on the rest. All keep the level.
    factors : sequence of float, default=(1/8, 1/4, 1/2, 1, 2)
        Multiples of the length scale "auto", for "aggregate" and "held_out".
    n_components : int, "auto" or "exact", default="auto"
        Width D of the random features. "auto": 512 + 8 sqrt(n + m); a fixed number would not be consistent. "exact":
        the kernel itself, in O((n + m)^2) time, for small samples.
    embedding : {"paired", "phase"}, default="paired"
    sampling : str or Sampler, default="monte_carlo"
        As in `FourierFeatures`.
    features : transformer, default=None
        Any scikit-learn transformer in place of Fourier features of a kernel, such as `OrbitFeatures`. A copy is
        fitted to pooled rows (10,000 at most, drawn at random, so that the level stays exact); the parameters above
        are then unused.
    estimator : {"unbiased", "biased"}, default="unbiased"
        Of the squared MMD.
    resampling : {"permutation", "wild"}, default="permutation"
        "wild": rows of X and Y change places in pairs, the wild bootstrap with random signs. It needs samples of equal
        size, and stays valid where row i of X and row i of Y belong together.
    n_resamples : int, default=999
    delta : float, default=0.01
        Failure probability of the error bound.
    rng : int, Generator, RandomState or None, default=None
        Seed of frequencies and relabellings.

    Returns
    -------
    KernelTestResult

    Notes
    -----
    Up to 4,096 rows in all, rows are permuted one by one. Beyond, rows are permuted in blocks of equal size, each
    of consecutive rows of one sample, some 1,000 in all. These are permutations of rows too, so the level is exact; the
    power is that of permuting single rows as long as there are some hundred blocks. Rows outside the blocks take part
    in the statistic and keep their sample.

    References
    ----------
    Gretton et al. (2012), A kernel two-sample test. Sutherland & Schneider (2015), Section 3.3. Biggs, Schrab & Gretton
    (2023), MMD-FUSE: learning and combining kernels for two-sample testing without data splitting.

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import mmd_test
    >>> rng = np.random.default_rng(0)
    >>> X, Y = rng.standard_normal((300, 2)), 1.5 * rng.standard_normal((200, 2))
    >>> mmd_test(X, Y, rng=0).pvalue
    0.001
    >>> bool(mmd_test(X[:150], X[150:], rng=0).pvalue > 0.05)
    True
    >>> print(mmd_test(X, Y + [2, 0], length_scale="fuse", rng=0))
    The samples differ (p = 0.001). It lies most in column 0 (97 %).
    """
    check_estimator("mmd_test", estimator)
    check_delta(delta)
    _check_resampling(resampling, n_resamples)
    seed = resolve_seed(rng)
    maker = _PoolMaker(n_components, embedding, sampling)
    first, second, _ = check_samples(X, Y, dtype=np.float64 if maker.exact else (np.float64, np.float32))
    _check_wild(resampling, first.shape[0], second.shape[0])
    if features is not None:
        tried = [_of_transformer(features, first, second, seed)]
    elif isinstance(length_scale, str) and length_scale == "held_out":
        tried = [_learned(first, second, kernel, factors, maker, seed)]
    else:
        kernels = candidates("mmd_test", kernel, length_scale, factors, first, second, seed)
        tried = [maker.candidate(first, second, each, seed) for each in kernels]

    values, witnesses = [], []
    for each in tried:  # one pool at a time
        pool = each.pool()
        relabelling = Relabelling(pool.n_blocks, resampling, n_resamples, seed)
        values.append(pool.squared_mmd(relabelling, estimator))
        witnesses.append(pool.witness)
    strongest, statistics, unit = _one_statistic(np.array(values), pool)
    return KernelTestResult(
        statistic=float(statistics[0]),
        pvalue=p_value(statistics, _TIE * unit),
        null_distribution=statistics[1:],
        kernel=tried[strongest].kernel,
        kernels=tuple(each.kernel for each in tried),
        n_components=pool.n_components,
        certificate=pool.certify(estimator, delta, len(tried)),
        block_rows=pool.block_rows,
        assumptions=_ASSUMPTIONS[resampling],
        _witness=witnesses[strongest],
        columns=column_names(X, first.shape[1]),
        _shares=_shares_of(first, second),
    )


def _shares_of(X: Rows, Y: Rows) -> Callable[[Callable[[Array], Array]], Array]:
    """Shares of the columns as a function of the witness, from some rows of each sample, which it keeps."""
    some = [dense(rows[:: max(1, rows.shape[0] // SHARE_ROWS)], float) for rows in (X, Y)]
    # Minus the witness is large where Y has more rows.
    return lambda witness: column_shares(some[1], some[0], lambda _: lambda points: -witness(points))


def _one_statistic(values: Array, pool: Pool) -> tuple[int, Array, float]:
    """Which kernel stands out most, the statistic (1 + B,) of all of them (k, 1 + B), and its unit."""
    if len(values) == 1:
        return 0, values[0], pool.variance * sum(1 / size for size in pool.sizes)
    return int(np.argmax(normal_scores(values)[:, 0])), fused(values), 1.0


@dataclass(frozen=True)
class _Candidate:
    """A kernel of a test, or the transformer in its place, and its pool, which takes a pass to make."""

    kernel: Stationary | Transformer
    pool: Callable[[], Pool]


@dataclass(frozen=True)
class _PoolMaker:
    """Pools of one width, embedding and sampler."""

    n_components: int | str
    embedding: str
    sampling: str | Sampler

    @property
    def exact(self) -> bool:
        return self.n_components == "exact"

    def candidate(self, X: Rows, Y: Rows, kernel: Stationary, seed: int) -> _Candidate:
        if self.exact:
            return _Candidate(kernel, lambda: GramPool.of(X, Y, kernel))
        return _Candidate(kernel, lambda: self.feature_pool(X, Y, kernel, seed))

    def feature_pool(self, X: Rows, Y: Rows, kernel: Stationary, seed: int) -> FeaturePool:
        automatic = self.n_components in ("auto", "exact")
        width = default_components(X.shape[0] + Y.shape[0]) if automatic else self.n_components
        features = KernelFeatures.draw(
            kernel, X.shape[1], width, embedding=self.embedding, sampling=self.sampling, seed=seed
        )
        return FeaturePool.of(X, Y, features)


def _of_transformer(features: Transformer, X: Rows, Y: Rows, seed: int) -> _Candidate:
    """A copy of the transformer, fitted to rows of both samples drawn at random."""
    order = generator(seed, Purpose.SUBSAMPLE).permutation(X.shape[0] + Y.shape[0])[:_FITTED_ROWS]
    first, second = order[order < X.shape[0]], order[order >= X.shape[0]] - X.shape[0]
    stack = vstack if issparse(X) else np.concatenate
    fitted = clone(features).fit(stack([X[np.sort(first)], Y[np.sort(second)]]))
    return _Candidate(fitted, lambda: FeaturePool.of(X, Y, TransformerFeatures.of(fitted, X)))


def _learned(
    X: Rows, Y: Rows, kernel: str | Stationary | None, factors: Sequence[float], maker: _PoolMaker, seed: int
) -> _Candidate:
    """Kernel of the largest estimated power, learned on every other row, to be tested on the rest.

    The search has frequencies of its own: the error bound of the test needs fresh ones.
    """
    if min(X.shape[0], Y.shape[0]) < 4:
        raise InvalidDataError(
            f"length_scale='held_out' needs at least 4 rows of each sample. Got {X.shape[0]} and {Y.shape[0]}."
        )
    search_seed = int(generator(seed, Purpose.SEARCH).integers(2**32))
    (X_search, X_test), (Y_search, Y_test) = ((rows[::2], rows[1::2]) for rows in (X, Y))
    kernels = candidates("mmd_test", kernel, "held_out", factors, X_search, Y_search, search_seed)
    best = most_powerful(kernels, lambda each: maker.feature_pool(X_search, Y_search, each, search_seed))
    return maker.candidate(X_test, Y_test, best, seed)


def _check_resampling(resampling: str, n_resamples: int) -> None:
    if resampling not in _ASSUMPTIONS:
        raise invalid_parameter("mmd_test", "resampling", f"one of {tuple(_ASSUMPTIONS)}", resampling)
    check_resamples("mmd_test", n_resamples)


def _check_wild(resampling: str, n: int, m: int) -> None:
    if resampling == "wild" and n != m:
        raise InvalidDataError(f"resampling='wild' needs samples of equal size. Got {n} and {m} rows.")
