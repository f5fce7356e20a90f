"""The two-sample test: do X and Y have the same law? In linear time, with a valid p-value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse, vstack
from sklearn.base import clone

from bochner._random import Purpose, generator, resolve_seed
from bochner.comparison.discrepancy import check_estimator
from bochner.comparison.embedding import KernelFeatures, default_components
from bochner.comparison.kernel_choice import candidates, most_powerful
from bochner.comparison.pool import FeaturePool, GramPool, Pool
from bochner.comparison.resampling import Relabelling, check_resamples, fused, p_value, studentised
from bochner.comparison.result import KernelTestResult
from bochner.comparison.samples import check_samples
from bochner.errors import InvalidDataError, invalid_parameter
from bochner.kernels import Stationary
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
    X: Any,
    Y: Any,
    *,
    kernel: str | Stationary | None = None,
    length_scale: Any = "auto",
    factors: Sequence[float] = _FACTORS,
    n_components: int | str = "auto",
    embedding: str = "paired",
    sampling: Any = "monte_carlo",
    features: Any = None,
    estimator: str = "unbiased",
    resampling: str = "permutation",
    n_resamples: int = 999,
    delta: float = 0.01,
    rng: Any = None,
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
    length_scale : {"auto", "median", "aggregate", "held_out"}, float or array of shape (d,), default="auto"
        "median": the median distance between pooled rows. "auto": the kernel's own if `kernel` is a kernel, else the
        median. "aggregate": all multiples of it in `factors`, in one test. "held_out": the multiple that promises the
        most power on every other row; the test is on the rest. All keep the level.
    factors : sequence of float, default=(1/8, 1/4, 1/2, 1, 2)
        Multiples of the median distance (of the kernel's own length scale, if `kernel` is a kernel) for "aggregate" and
        "held_out".
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
    Gretton et al. (2012), A kernel two-sample test. Sutherland & Schneider (2015), Section 3.3.

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
    """
    check_estimator("mmd_test", estimator)
    check_delta(delta)
    _check_resampling(resampling, n_resamples)
    seed = resolve_seed(rng)
    maker = _PoolMaker(n_components, embedding, sampling)
    X, Y, _ = check_samples(X, Y, dtype=np.float64 if maker.exact else (np.float64, np.float32))
    if resampling == "wild" and X.shape[0] != Y.shape[0]:
        raise InvalidDataError(
            f"resampling='wild' needs samples of equal size. Got {X.shape[0]} and {Y.shape[0]} rows."
        )
    if features is not None:
        kernels: tuple[Any, ...] = (_fitted(features, X, Y, seed),)
    elif isinstance(length_scale, str) and length_scale == "held_out":
        X, Y, kernels = _learn(X, Y, kernel, factors, maker, seed)
    else:
        kernels = candidates("mmd_test", kernel, length_scale, factors, X, Y, seed)

    values, witnesses = [], []
    for each in kernels:  # one pool at a time
        pool = maker.pool(X, Y, each, seed)
        relabelling = Relabelling(pool.n_blocks, resampling, n_resamples, seed)
        values.append(pool.squared_mmd(relabelling, estimator))
        witnesses.append(pool.witness)
    if len(kernels) == 1:
        strongest, statistics = 0, values[0]
        tolerance = _TIE * getattr(kernels[0], "variance", 1.0) * (1 / X.shape[0] + 1 / Y.shape[0])
    else:
        strongest, statistics = int(np.argmax(studentised(np.array(values))[:, 0])), fused(np.array(values))
        tolerance = _TIE
    return KernelTestResult(
        statistic=float(statistics[0]),
        pvalue=p_value(statistics, tolerance),
        null_distribution=statistics[1:],
        kernel=kernels[strongest],
        kernels=kernels,
        n_components=pool.n_components,
        certificate=pool.certify(estimator, delta, len(kernels)),
        block_rows=pool.block_rows,
        assumptions=_ASSUMPTIONS[resampling],
        _witness=witnesses[strongest],
    )


@dataclass(frozen=True)
class _PoolMaker:
    """Pools of one width, embedding and sampler."""

    n_components: Any
    embedding: str
    sampling: Any

    @property
    def exact(self) -> bool:
        return isinstance(self.n_components, str) and self.n_components == "exact"

    def pool(self, X: Any, Y: Any, kernel: Any, seed: int) -> Pool:
        exact = self.exact and isinstance(kernel, Stationary)
        return GramPool.of(X, Y, kernel) if exact else self.feature_pool(X, Y, kernel, seed)

    def feature_pool(self, X: Any, Y: Any, kernel: Any, seed: int) -> FeaturePool:
        if not isinstance(kernel, Stationary):
            return FeaturePool.of(X, Y, KernelFeatures.of_transformer(kernel, X))
        automatic = isinstance(self.n_components, str) and self.n_components in ("auto", "exact")
        width = default_components(X.shape[0] + Y.shape[0]) if automatic else self.n_components
        features = KernelFeatures.draw(
            kernel, X.shape[1], width, embedding=self.embedding, sampling=self.sampling, seed=seed
        )
        return FeaturePool.of(X, Y, features)


def _fitted(features: Any, X: Any, Y: Any, seed: int) -> Any:
    """A copy of the transformer, fitted to rows of both samples drawn at random."""
    order = generator(seed, Purpose.SUBSAMPLE).permutation(X.shape[0] + Y.shape[0])[:_FITTED_ROWS]
    first, second = order[order < X.shape[0]], order[order >= X.shape[0]] - X.shape[0]
    stack = vstack if issparse(X) else np.concatenate
    return clone(features).fit(stack([X[np.sort(first)], Y[np.sort(second)]]))


def _learn(
    X: Any, Y: Any, kernel: Any, factors: Sequence[float], maker: _PoolMaker, seed: int
) -> tuple[Any, Any, tuple[Stationary, ...]]:
    """The rows to test on, and the kernel that promises the most power on the others.

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
    return X_test, Y_test, (best,)


def _check_resampling(resampling: str, n_resamples: Any) -> None:
    if resampling not in _ASSUMPTIONS:
        raise invalid_parameter("mmd_test", "resampling", f"one of {tuple(_ASSUMPTIONS)}", resampling)
    check_resamples("mmd_test", n_resamples)
