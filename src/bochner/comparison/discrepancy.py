"""Maximum mean discrepancy (MMD) between two samples, in linear time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

import numpy as np

from bochner._random import resolve_seed
from bochner._typing import Array, ArrayLike, MatrixLike, Rows, Seed
from bochner.comparison.embedding import MeanMap
from bochner.comparison.kernel_choice import candidates
from bochner.comparison.kernel_features import KernelFeatures, default_components
from bochner.comparison.pool import GramPool
from bochner.comparison.samples import check_samples
from bochner.errors import InvalidDataError, invalid_parameter
from bochner.kernels import Stationary
from bochner.sampling import Sampler
from bochner.theory import Certificate
from bochner.theory.base import check_delta
from bochner.theory.downstream import mmd_error
from bochner.tuning import ScaleRule

__all__ = ["MMD", "check_estimator", "mmd"]


@dataclass(frozen=True)
class MMD:
    """The maximum mean discrepancy of two samples, and what it is made of.

        MMD^2 = MMK(X, X) + MMK(Y, Y) - 2 MMK(X, Y)

    Attributes
    ----------
    squared : float
        The squared MMD; the unbiased estimate may be negative.
    mmk : (float, float, float)
        The mean map kernels MMK(X, X), MMK(Y, Y) and MMK(X, Y).
    kernel : Stationary
    n_components : int or None
        None: the exact kernel.
    certificate : Certificate or None
        Bound on the distance of `squared` from its value with the exact kernel.
    """

    squared: float
    mmk: tuple[float, float, float]
    kernel: Stationary
    n_components: int | None
    certificate: Certificate | None = field(repr=False)
    _witness: Callable[[MatrixLike], Array] = field(repr=False)

    @property
    def value(self) -> float:
        """The MMD: the root of `squared`, 0 where that is negative."""
        return float(np.sqrt(max(self.squared, 0.0)))

    @property
    def error_bound(self) -> float | None:
        """Bound on the error of `squared` against the exact kernel: 0 for the exact kernel, None without one."""
        if self.n_components is None:
            return 0.0
        return None if self.certificate is None else self.certificate.value

    @property
    def value_error_bound(self) -> float | None:
        """Bound on the error of `value`: min(sqrt(e), e / value) for an error bound e of the square."""
        return None if self.error_bound is None else mmd_error(self.error_bound, self.value)

    def witness(self, points: MatrixLike) -> Array:
        """mean k(x_i, t) - mean k(y_j, t) at the points t: positive where X has more rows."""
        return self._witness(points)


def mmd(
    X: MatrixLike | MeanMap,
    Y: MatrixLike | MeanMap,
    *,
    kernel: str | Stationary | None = None,
    length_scale: ArrayLike = "auto",
    n_components: int | str = "auto",
    embedding: str = "paired",
    sampling: str | Sampler = "monte_carlo",
    estimator: str = "unbiased",
    delta: float = 0.01,
    rng: Seed = None,
) -> MMD:
    """The maximum mean discrepancy between two samples, in one pass over each.

    Parameters
    ----------
    X, Y : array-like of shapes (n, d) and (m, d), or MeanMap
        Two samples, or their mean maps; all parameters but `estimator` and `delta` are unused for the latter.
    kernel : str or Stationary, default=None
        None is the Gaussian kernel.
    length_scale : "auto", "median", float or array of shape (d,), default="auto"
        "auto": the kernel's own if `kernel` is a kernel, else for each column its spread times the median distance in
        units of these. "median": one for all columns, the median distance between pooled rows.
    n_components : int, "auto" or "exact", default="auto"
        Width D of the random features. "auto": 512 + 8 sqrt(n + m). "exact": no features but the kernel itself, in
        O((n + m)^2) time, for small samples.
    embedding : {"paired", "phase"}, default="paired"
    sampling : str or Sampler, default="monte_carlo"
    estimator : {"unbiased", "biased"}, default="unbiased"
    delta : float, default=0.01
        Failure probability of the error bound.
    rng : int, Generator, RandomState or None, default=None

    Returns
    -------
    MMD

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import mmd
    >>> rng = np.random.default_rng(0)
    >>> X, Y = rng.standard_normal((500, 2)), rng.standard_normal((400, 2)) + 0.5
    >>> close, exact = mmd(X, Y, rng=0), mmd(X, Y, n_components="exact", rng=0)
    >>> abs(close.squared - exact.squared) < close.error_bound
    True
    """
    check_estimator("mmd", estimator)
    check_delta(delta)
    maps = [each for each in (X, Y) if isinstance(each, MeanMap)]
    if maps:
        return _of_mean_maps(*_two(maps), estimator, delta)
    seed, exact = resolve_seed(rng), n_components == "exact"
    first, second, _ = check_samples(
        cast("MatrixLike", X), cast("MatrixLike", Y), dtype=np.float64 if exact else (np.float64, np.float32)
    )
    own = _one_kernel(kernel, length_scale, first, second, seed)
    if exact:
        return _exact(GramPool.of(first, second, own), estimator)
    width = default_components(first.shape[0] + second.shape[0]) if n_components == "auto" else n_components
    features = KernelFeatures.draw(own, first.shape[1], width, embedding=embedding, sampling=sampling, seed=seed)
    empty = MeanMap.empty(features)
    return _of_mean_maps(empty.update(first), empty.update(second), estimator, delta)


def check_estimator(owner: str, estimator: str) -> None:
    """Refuse an unknown estimator."""
    if estimator not in ("biased", "unbiased"):
        raise invalid_parameter(owner, "estimator", "'unbiased' or 'biased'", estimator)


def _two(maps: list[MeanMap]) -> tuple[MeanMap, MeanMap]:
    if len(maps) != 2:
        raise InvalidDataError(
            "X and Y must be two samples or two mean maps. Got one of each: use mean_map(..., like=...)."
        )
    return maps[0], maps[1]


def _of_mean_maps(first: MeanMap, second: MeanMap, estimator: str, delta: float) -> MMD:
    xx, yy = first.mmk(estimator=estimator), second.mmk(estimator=estimator)
    features, sizes = first.features, (first.n_rows, second.n_rows)
    uniform = all(each.weight == each.square_weight == each.n_rows for each in (first, second))
    cross = first.mmk(second)
    return MMD(
        squared=_squared(first, second, xx, yy, cross, estimator),
        mmk=(xx, yy, cross),
        kernel=features.kernel,
        n_components=features.n_components,
        # With weights the range of the unbiased value per frequency is not that of the bound.
        certificate=features.certify_mmd(sizes, estimator, delta) if uniform or estimator == "biased" else None,
        _witness=lambda points: first.witness(second, points),
    )


def _squared(first: MeanMap, second: MeanMap, xx: float, yy: float, cross: float, estimator: str) -> float:
    """The biased one as a square: never negative, and nothing cancels."""
    if estimator == "biased":
        return float(np.sum((first.mean - second.mean) ** 2))
    return xx + yy - 2 * cross


def _exact(pool: GramPool, estimator: str) -> MMD:
    xx, yy, cross = pool.mean_map_kernels(estimator)
    return MMD(xx + yy - 2 * cross, (xx, yy, cross), pool.kernel, None, None, pool.witness)


def _one_kernel(kernel: str | Stationary | None, length_scale: ArrayLike, X: Rows, Y: Rows, seed: int) -> Stationary:
    ScaleRule("mmd", kernel, length_scale).check()
    return candidates("mmd", kernel, length_scale, (1.0,), X, Y, seed)[0]
