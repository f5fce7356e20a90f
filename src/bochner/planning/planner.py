"""Choose the number of features, and work out what it takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import issparse

from bochner._random import resolve_seed
from bochner._typing import Array
from bochner.config import config_context, get_config, parse_bytes
from bochner.errors import MemoryBudgetError, invalid_parameter
from bochner.kernels import Stationary, resolve_kernel
from bochner.memory import MemoryBill, format_bytes
from bochner.planning.bills import ridge_bill
from bochner.planning.cluster import ClusterPlan, plan_cluster
from bochner.planning.cost import CostModel, calibrate
from bochner.planning.plan import Alternative, Plan
from bochner.planning.width import default_width
from bochner.statistics import PassPlan, plan_pass
from bochner.theory import FeatureCounts, feature_counts, finite_set, fit_spectrum, uniform
from bochner.theory.base import Embedding, TailBound, check_delta, check_eps, n_frequencies
from bochner.theory.normalised import normalised
from bochner.theory.region import UniformBound, diameter_of
from bochner.tuning.median import median_length_scale

__all__ = ["Budget", "MapShape", "plan"]

_LARGEST_WIDTH = 2**20
_DATA_AWARE_ROWS = 300
_SPECTRUM_ROWS = 16


def plan(
    X: Any = None,
    y: Any = None,
    *,
    n_samples: int | None = None,
    n_features: int | None = None,
    kernel: Stationary | str | None = None,
    n_components: int | None = None,
    eps: float | None = None,
    delta: float = 0.01,
    memory: int | str | None = None,
    time: float | None = None,
    embedding: Embedding = "paired",
    workers: int | None = None,
    threads_per_worker: int = 1,
    bandwidth: int | str = "1GB",
    random_state: Any = 0,
) -> Plan:
    """How many features, how much memory, how long: the answer before any fit.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features), default=None
        The data; or give `n_samples` and `n_features`.
    y : array-like, default=None
        Targets; only their number of columns matters.
    n_samples, n_features : int, default=None
    kernel : Stationary or str, default=None
        The kernel; a name or None (Gaussian) gets the median heuristic if there are data.
    n_components : int, default=None
        Features to use if the budgets allow it; None: what `eps` needs, or what the budgets allow, or the optimal rate.
    eps : float, default=None
        Largest kernel error allowed over all pairs of rows.
    delta : float, default=0.01
        Probability that it is exceeded.
    memory : int or str such as "4GB", default=None
        Memory budget of the fit; None: that of `bochner.config`.
    time : float, default=None
        Time budget in seconds.
    embedding : {"paired", "phase"}, default="paired"
    workers : int, default=None
        Also plan the fit on a Dask cluster of so many workers, each as fast as this machine.
    threads_per_worker : int, default=1
        Threads of each of them (`dask worker --nthreads`).
    bandwidth : int or str such as "1GB", default="1GB"
        Bytes per second between two of them.
    random_state : int, RandomState, Generator or None, default=0
        Of the subsamples for the median heuristic and for the spectrum.

    Returns
    -------
    plan : Plan

    Examples
    --------
    >>> import bochner as bo
    >>> bo.plan(n_samples=1000, n_features=10, eps=0.1).n_components
    3684
    """
    n, d, dtype = _shape(X, n_samples, n_features)
    check_delta(delta)
    if eps is not None:
        check_eps(eps)
    if n_components is not None:
        n_frequencies(n_components, embedding)
    if time is not None and not 0 < time < np.inf:
        raise invalid_parameter("plan", "time", "a positive number of seconds or None", time)
    spectral = _kernel(kernel, X, random_state)
    targets = 1 if y is None or np.ndim(y) == 1 else int(np.shape(y)[1])
    with config_context(memory=memory):
        budget = Budget(n, d, targets, dtype, time, calibrate(dtype.name))
        settled = _settle(_bounds(n, d, spectral, embedding, X), budget, spectral, n_components, eps, delta)
        cluster = None if workers is None else _cluster(budget, settled, workers, threads_per_worker, bandwidth)
    return replace(settled, counts=_counts(X, spectral, delta, random_state), cluster=cluster)


def _cluster(budget: Budget, settled: Plan, workers: int, threads: int, bandwidth: int | str) -> ClusterPlan:
    for name, value in (("workers", workers), ("threads_per_worker", threads)):
        if isinstance(value, bool) or int(value) != value or value < 1:
            raise invalid_parameter("plan", name, "an integer >= 1", value)
    return plan_cluster(
        budget.cost,
        n_rows=budget.n,
        n_features=budget.d,
        n_components=settled.n_components,
        itemsize=budget.dtype.itemsize,
        workers=int(workers),
        threads_per_worker=int(threads),
        bandwidth=float(parse_bytes(bandwidth)),
    )


@dataclass(frozen=True)
class Budget:
    """What a width costs in a fit of n rows of d columns, and whether that is allowed."""

    n: int
    d: int
    targets: int
    dtype: np.dtype[Any]
    time: float | None
    cost: CostModel

    def pass_plan(self, width: int) -> PassPlan:
        return plan_pass(self.n, MapShape(width), self.targets, self.dtype)

    def bill(self, width: int) -> MemoryBill:
        return ridge_bill(
            self.pass_plan(width), n_features=self.d, n_components=width, n_targets=self.targets, dtype=self.dtype
        )

    def seconds(self, width: int) -> float:
        return self.cost.fit_seconds(self.n, self.d, width, self.pass_plan(width).n_threads)

    def allows(self, width: int) -> bool:
        within_time = self.time is None or self.seconds(width) <= self.time
        return within_time and self.bill(width).total <= get_config().memory_budget()

    def largest_width(self) -> int:
        """Largest even width that is allowed, 0 if none is."""
        return 2 * _largest(lambda half: self.allows(2 * half), _LARGEST_WIDTH // 2)


@dataclass(frozen=True)
class MapShape:
    """The shape of a paired Fourier map that is not drawn yet."""

    n_components: int

    @property
    def scratch_width(self) -> int:
        return self.n_components // 2

    def write(self, X: Any, out: Array, scratch: Array) -> None:
        raise AssertionError("a plan computes nothing")


def _settle(
    bounds: list[TailBound],
    budget: Budget,
    kernel: Stationary,
    given: int | None,
    eps: float | None,
    delta: float,
) -> Plan:
    affordable = budget.largest_width()
    if affordable == 0:
        raise MemoryBudgetError(
            f"Not even two features fit in a budget of {format_bytes(get_config().memory_budget())}"
            + (f" and {budget.time:.3g} s." if budget.time else ".")
        )
    best, alternatives, warnings = bounds[0], [], []
    wanted, reason = default_width(budget.n), "sqrt(n) log n, for the optimal learning rate"
    if budget.time is not None or get_config().memory is not None:
        wanted, reason = affordable, "the most that the budget allows"
    if eps is not None:
        needed = [(bound, _needed(bound, eps, delta)) for bound in bounds]
        best, wanted = min(
            ((b, w) for b, w in needed if w is not None and not _is_uniform(b)), key=lambda pair: pair[1]
        )
        reason = f"for eps = {eps:g}"
        alternatives = [Alternative(_name(b), w, _verdict(b, best)) for b, w in needed]
    if given is not None:
        wanted, reason = given, "as given"
    width = min(wanted, affordable)
    certified = best.error(width, delta)
    if width < wanted:
        reason = f"the most that the budget allows; {wanted:,} wanted"
        warnings.append(_shortfall(budget, wanted, width, certified))
    if certified >= 0.5 * kernel.variance:
        warnings.append(
            f"The bound is vacuous here (certified error {certified:.2g} of k(0) = {kernel.variance:g}): "
            "fit, then use certify, which measures the error of the frequencies that were drawn."
        )
    return _assemble(budget, kernel, width, reason, certified, eps, delta, best, alternatives, warnings, affordable)


def _assemble(
    budget: Budget,
    kernel: Stationary,
    width: int,
    reason: str,
    certified: float,
    eps: float | None,
    delta: float,
    best: TailBound,
    alternatives: list[Alternative],
    warnings: list[str],
    affordable: int,
) -> Plan:
    cut, bill = budget.pass_plan(width), budget.bill(width)
    widths = np.unique(2 * np.geomspace(1, affordable / 2, 25).astype(int))
    return Plan(
        n_samples=budget.n,
        n_features=budget.d,
        kernel=repr(kernel),
        n_components=width,
        reason=reason,
        certified_error=certified,
        eps=eps,
        delta=delta,
        bound=_name(best),
        block_rows=cut.block_rows,
        n_threads=cut.n_threads,
        memory=bill.total,
        memory_items=bill.items,
        seconds=budget.seconds(width),
        memory_budget=get_config().memory_budget(),
        time_budget=budget.time,
        alternatives=tuple(alternatives),
        warnings=tuple(warnings),
        curve=tuple((int(w), best.error(int(w), delta)) for w in widths),
    )


def _bounds(n: int, d: int, kernel: Stationary, embedding: Embedding, X: Any) -> list[TailBound]:
    """The bounds that apply, those for the rows first, then those for the region they span."""
    finite: list[TailBound] = [finite_set.UnionHoeffding(kernel=kernel, n_points=n, embedding=embedding)]
    if normalised(kernel).is_gaussian:
        finite.insert(0, finite_set.UnionSubGaussian(kernel=kernel, n_points=n, embedding=embedding))
    if X is None:
        return finite
    if n <= _DATA_AWARE_ROWS:
        rows = X.toarray() if issparse(X) else np.asarray(X, dtype=float)
        finite.append(finite_set.DataAware(kernel=kernel, X=rows, embedding=embedding))
    diameter = diameter_of(X if issparse(X) else np.asarray(X), kernel)
    if not diameter > 0 or not np.isfinite(kernel.sigma_p(d)):
        return finite
    return [*finite, uniform.tightest(kernel=kernel, n_features=d, diameter=diameter, embedding=embedding)]


def _counts(X: Any, kernel: Stationary, delta: float, random_state: Any) -> FeatureCounts | None:
    """What the spectrum of the data implies; None without data, or with too few rows for a spectrum."""
    if X is None or np.shape(X)[0] < _SPECTRUM_ROWS:
        return None
    fit = fit_spectrum(X, kernel=kernel, random_state=random_state)
    return feature_counts(fit, n_points=np.shape(X)[0], k_zero=kernel.variance, delta=delta)


def _shape(X: Any, n_samples: int | None, n_features: int | None) -> tuple[int, int, np.dtype[Any]]:
    if X is not None:
        shape = np.shape(X)
        if len(shape) != 2 or 0 in shape:
            raise invalid_parameter("plan", "X", "a table with rows and columns", shape)
        dtype = getattr(X, "dtype", np.dtype(float))
        return shape[0], shape[1], np.dtype(np.float32) if dtype == np.float32 else np.dtype(float)
    for name, value in (("n_samples", n_samples), ("n_features", n_features)):
        if value is None or isinstance(value, bool) or int(value) != value or value < 1:
            raise invalid_parameter("plan", name, "an integer >= 1 when there is no X", value)
    assert n_samples is not None
    assert n_features is not None
    return int(n_samples), int(n_features), np.dtype(float)


def _kernel(kernel: Stationary | str | None, X: Any, random_state: Any) -> Stationary:
    resolved = resolve_kernel("plan", kernel)
    if isinstance(kernel, Stationary) or X is None:
        return resolved
    rows = X if issparse(X) else np.asarray(X)
    return resolved.scaled_by(median_length_scale(rows, resolved, resolve_seed(random_state)))


def _needed(bound: TailBound, eps: float, delta: float) -> int | None:
    try:
        return bound.features_needed(eps, delta)
    except ValueError:
        return None


def _is_uniform(bound: TailBound) -> bool:
    return isinstance(bound, UniformBound)


def _verdict(bound: TailBound, best: TailBound) -> str:
    if bound is best:
        return "used"
    return "covers every point of the region, not only the rows" if _is_uniform(bound) else "looser"


def _shortfall(budget: Budget, wanted: int, width: int, certified: float) -> str:
    bill, seconds = format_bytes(budget.bill(wanted).total), budget.seconds(wanted)
    return (
        f"{wanted:,} features would take {bill} and {seconds:.2g} s. {width:,} fit, with a certified error of "
        f"{certified:.3g}; certify, after the fit, usually finds a much smaller one."
    )


def _name(bound: TailBound) -> str:
    return str(type(bound).describe()["name"])


def _largest(holds: Callable[[int], bool], ceiling: int) -> int:
    """Largest integer in [0, ceiling] with `holds`, which is true up to some point and false after it."""
    low, high = 0, ceiling + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
