"""Planner: number of features, memory and time of a fit, before it runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import numpy as np
from scipy.sparse import issparse

from bochner._dense import dense
from bochner._duration import in_words
from bochner._plain import require_plain
from bochner._random import resolve_seed
from bochner._typing import ArrayLike, FloatType, MatrixLike, Rows, Seed, Transformer
from bochner.config import config_context, get_config, parse_bytes
from bochner.errors import InvalidDataError, MemoryBudgetError, invalid_parameter
from bochner.kernels import Kernel, Stationary, resolve_kernel
from bochner.kernels.text import in_one_line
from bochner.memory import format_bytes
from bochner.planning.automatic import plan_automatic
from bochner.planning.budget import Budget
from bochner.planning.cluster import ClusterPlan, plan_cluster
from bochner.planning.cost import calibrate
from bochner.planning.given_features import plan_features, plan_kernel
from bochner.planning.grid import plan_grid, takes_a_grid
from bochner.planning.plan import Alternative, Plan
from bochner.planning.width import default_width
from bochner.theory import FeatureCounts, feature_counts, finite_set, fit_spectrum, uniform
from bochner.theory.base import Embedding, TailBound, check_delta, check_eps, n_frequencies
from bochner.theory.region import diameter_of
from bochner.tuning import ScaleRule, candidate_kernels

__all__ = ["Budget", "plan"]

_DOUBLE: FloatType = np.dtype(np.float64)
_DATA_AWARE_ROWS = 300
_SPECTRUM_ROWS = 16


def plan(
    X: MatrixLike | None = None,
    y: ArrayLike | None = None,
    *,
    n_samples: int | None = None,
    n_features: int | None = None,
    kernel: Kernel | str | None = None,
    features: Transformer | Literal["auto", "fourier", "grid"] | None = None,
    n_components: int | None = None,
    eps: float | None = None,
    delta: float = 0.01,
    memory: int | str | None = None,
    time: float | None = None,
    embedding: Embedding = "paired",
    workers: int | None = None,
    threads_per_worker: int = 1,
    bandwidth: int | str = "1GB",
    random_state: Seed = 0,
) -> Plan:
    """Plan of a fit before it runs: number of features, certified error, memory and time.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features), default=None
        The data; or give `n_samples` and `n_features`.
    y : array-like, default=None
        Targets, or labels; only their number of columns matters.
    n_samples, n_features : int, default=None
    kernel : Kernel or str, default=None
        The kernel. One that is not stationary has the features that a model of it has, without a bound before the fit.
        A name, None (Gaussian) or "auto" has the scale of the data, if there are any, and its length scales
        are learned in the fit, which takes time; a kernel keeps its own.
    features : transformer, "auto", "fourier" or "grid", default=None
        Any transformer in place of random Fourier features of `kernel`; needs `X`. Its width is the plan's, and there
        is no bound before the fit. "auto": the machine that the data decide on, as in `KernelRegressor()` for rows in
        memory; `Plan.outcomes` are those it ends with, and `Plan.machines` the bills of landmarks, exact machines and
        random features. "fourier": random Fourier features. None: what `fit(X, y)` of `KernelRegressor` and
        `KernelClassifier` takes by default; random Fourier features where there is no `y`, for more than 100,000 rows,
        and where `n_components`, `eps`, `embedding` or `workers` ask for them. "grid": a grid
        of frequencies for one to three columns, whose error is bounded without probability, as "auto" has it for more
        than 100,000 rows of so few columns.
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
    _refuse_source(X)
    require_plain(X)
    rows = None if X is None else cast("Rows", X if issparse(X) else np.asarray(X))
    if rows is None:
        n, d, dtype = _count("n_samples", n_samples), _count("n_features", n_features), _DOUBLE
    else:
        n, d, dtype = _shape(rows, getattr(X, "dtype", _DOUBLE))
    _check_wishes(n_components, embedding, eps, delta, time)
    if isinstance(features, str) and features not in ("auto", "fourier", "grid"):
        raise invalid_parameter("plan", "features", "a transformer, 'auto', 'fourier', 'grid' or None", features)
    asks_for_fourier = n_components is not None or eps is not None or workers is not None or embedding != "paired"
    if features is None and y is not None and not asks_for_fourier and _is_left_to_the_model(kernel, rows):
        features = "auto"
    targets = 1 if y is None or np.ndim(y) == 1 else int(np.shape(y)[1])
    with config_context(memory=memory):
        if features == "grid" or (features == "auto" and takes_a_grid(n, d, rows)):
            named = cast("Stationary | str | None", kernel)
            own = None if _n_kernels(named) else resolve_kernel("plan", named)
            return plan_grid(
                own, rows, (n, d), n_components=n_components, eps=eps,
                n_targets=targets, cost=calibrate("float64"), time=time,
            )  # fmt: skip
        if features == "auto":
            named = cast("Stationary | str | None", kernel)
            return plan_automatic(
                (n, d), n_targets=targets, delta=delta, cost=calibrate("float64"), time=time,
                kernel=_in_words(named), n_kernels=None if kernel is None else _n_kernels(named),
            )  # fmt: skip
        if not (features is None or isinstance(features, str)):
            return plan_features(
                features, rows, n_targets=targets, dtype=dtype, delta=delta, cost=calibrate(dtype.name)
            )
        found = plan_kernel(
            kernel, rows, (n, d), n_components=n_components, eps=eps, n_targets=targets, dtype=dtype, delta=delta,
            cost=calibrate(dtype.name),
        )  # fmt: skip
        if found is not None:
            return found
        spectral = _kernel(cast("Stationary | str | None", kernel), rows, random_state)
        budget = Budget(n, d, targets, dtype, time, calibrate(dtype.name), _n_kernels(kernel))
        chosen = _chosen_plan(_bounds(n, d, spectral, embedding, rows), budget, spectral, n_components, eps, delta)
        cluster = None if workers is None else _cluster(budget, chosen, workers, threads_per_worker, bandwidth)
    return replace(chosen, counts=_counts(rows, spectral, delta, random_state), cluster=cluster)


def _is_left_to_the_model(kernel: Kernel | str | None, rows: Rows | None) -> bool:
    """Whether the default of a model is landmarks or the exact machine: for dense rows in memory."""
    return rows is not None and not issparse(rows) and (kernel is None or isinstance(kernel, (str, Stationary)))


def _in_words(kernel: Stationary | str | None) -> str | None:
    """A kernel with its own scale, or a name; None for what the data choose."""
    if isinstance(kernel, str):
        return None if kernel == "auto" else kernel
    return None if kernel is None else in_one_line(kernel)


def _refuse_source(X: object) -> None:
    """Refuse rows that are read from elsewhere, with what to give instead."""
    if hasattr(X, "known_rows"):
        raise InvalidDataError(
            f"plan wants a table in memory, or sizes. Got a {type(X).__name__}: give its sizes, "
            "plan(n_samples=source.n_rows, n_features=source.n_features)."
        )


def _check_wishes(
    n_components: int | None, embedding: Embedding, eps: float | None, delta: float, time: float | None
) -> None:
    check_delta(delta)
    if eps is not None:
        check_eps(eps)
    if n_components is not None:
        n_frequencies(n_components, embedding)
    if time is not None and not 0 < time < np.inf:
        raise invalid_parameter("plan", "time", "a positive number of seconds or None", time)


def _cluster(budget: Budget, chosen: Plan, workers: int, threads: int, bandwidth: int | str) -> ClusterPlan:
    for name, value in (("workers", workers), ("threads_per_worker", threads)):
        if isinstance(value, bool) or int(value) != value or value < 1:
            raise invalid_parameter("plan", name, "an integer >= 1", value)
    return plan_cluster(
        budget.cost,
        n_rows=budget.n,
        n_features=budget.d,
        n_components=chosen.n_components,
        itemsize=budget.dtype.itemsize,
        workers=int(workers),
        threads_per_worker=int(threads),
        bandwidth=float(parse_bytes(bandwidth)),
    )


@dataclass(frozen=True)
class _Bounds:
    """Bounds on the kernel error over all pairs of rows, and over all points of the region that they span."""

    rows: list[TailBound]
    region: list[TailBound]

    def needed(self, eps: float, delta: float) -> _Wanted:
        """The width of the bound over the rows that needs the fewest features for an error."""
        widths = [(bound, _needed(bound, eps, delta)) for bound in self.rows]
        best, wanted = min(((b, w) for b, w in widths if w is not None), key=lambda pair: pair[1])
        considered = [Alternative(_name(b), w, "used" if b is best else "looser") for b, w in widths]
        wider = "covers every point of the region, not only the rows"
        considered += [Alternative(_name(b), _needed(b, eps, delta), wider) for b in self.region]
        return _Wanted(wanted, f"for eps = {eps:g}", best, tuple(considered))


@dataclass(frozen=True)
class _Wanted:
    """A width, what decided it, the bound that certifies it, and all bounds that were considered."""

    width: int
    reason: str
    bound: TailBound
    considered: tuple[Alternative, ...] = ()


def _wanted(
    bounds: _Bounds, budget: Budget, affordable: int, given: int | None, eps: float | None, delta: float
) -> _Wanted:
    """The width if the budget allows it."""
    limited = budget.time is not None or get_config().memory is not None
    if eps is not None:
        wanted = bounds.needed(eps, delta)
    elif limited:
        wanted = _Wanted(affordable, "the most that the budget allows", bounds.rows[0])
    else:
        wanted = _Wanted(default_width(budget.n), "sqrt(n) log n, for the optimal learning rate", bounds.rows[0])
    return wanted if given is None else replace(wanted, width=given, reason="as given")


def _chosen_plan(
    bounds: _Bounds, budget: Budget, kernel: Stationary, given: int | None, eps: float | None, delta: float
) -> Plan:
    affordable = budget.largest_width()
    if affordable == 0:
        raise MemoryBudgetError(
            f"Not even two features fit in a budget of {format_bytes(get_config().memory_budget())}"
            + (f" and {in_words(budget.time)}." if budget.time else ".")
            + _of_tuning(budget)
        )
    wanted = _wanted(bounds, budget, affordable, given, eps, delta)
    width, reason, warnings = min(wanted.width, affordable), wanted.reason, []
    certified = wanted.bound.error(width, delta)
    if width < wanted.width:
        reason = f"the most that the budget allows; {wanted.width:,} wanted"
        warnings.append(_shortfall(budget, wanted.width, width, certified))
    if certified >= 0.5 * kernel.variance:
        warnings.append(
            f"The bound is vacuous here (certified error {certified:.2g} of k(0) = {kernel.variance:g}): "
            "fit, then use certify, which measures the error of the frequencies that were drawn."
        )
    cut, bill = budget.pass_plan(width), budget.bill(width)
    widths = np.unique(2 * np.geomspace(1, affordable / 2, 25).astype(int))
    return Plan(
        n_samples=budget.n,
        n_features=budget.d,
        kernel=in_one_line(kernel),
        n_components=width,
        reason=reason,
        certified_error=certified,
        eps=eps,
        delta=delta,
        bound=_name(wanted.bound),
        block_rows=cut.block_rows,
        n_threads=cut.n_threads,
        memory=bill.total,
        memory_items=bill.items,
        seconds=budget.seconds(width),
        tuning_seconds=budget.tuning_seconds,
        memory_budget=get_config().memory_budget(),
        time_budget=budget.time,
        alternatives=wanted.considered,
        warnings=tuple(warnings),
        curve=tuple((int(w), wanted.bound.error(int(w), delta)) for w in widths),
    )


def _bounds(n: int, d: int, kernel: Stationary, embedding: Embedding, X: Rows | None) -> _Bounds:
    """The bounds that apply; the first one over the rows is the one for a width that no error decides."""
    over_rows = finite_set.by_number_of_points(n_points=n, kernel=kernel, embedding=embedding)
    if X is None:
        return _Bounds(over_rows, [])
    if n <= _DATA_AWARE_ROWS:
        over_rows.append(finite_set.DataAware(kernel=kernel, X=dense(X, float), embedding=embedding))
    diameter = diameter_of(X, kernel)
    if not diameter > 0 or not np.isfinite(kernel.sigma_p(d)):
        return _Bounds(over_rows, [])
    region = uniform.tightest(kernel=kernel, n_features=d, diameter=diameter, embedding=embedding)
    return _Bounds(over_rows, [region])


def _counts(X: Rows | None, kernel: Stationary, delta: float, random_state: Seed) -> FeatureCounts | None:
    """Feature counts from the spectrum of the data; None without data, or with too few rows for a spectrum."""
    if X is None or X.shape[0] < _SPECTRUM_ROWS:
        return None
    fit = fit_spectrum(cast("MatrixLike", X), kernel=kernel, random_state=random_state)
    return feature_counts(fit, n_points=X.shape[0], k_zero=kernel.variance, delta=delta)


def _shape(rows: Rows, dtype: np.dtype[Any]) -> tuple[int, int, FloatType]:
    """Rows, columns, and the float type of the computation."""
    if len(rows.shape) != 2 or 0 in rows.shape:
        raise invalid_parameter("plan", "X", "a table with rows and columns", rows.shape)
    return rows.shape[0], rows.shape[1], np.dtype(np.float32 if dtype == np.float32 else np.float64)


def _count(name: str, value: int | None) -> int:
    if value is None or isinstance(value, bool) or int(value) != value or value < 1:
        raise invalid_parameter("plan", name, "an integer >= 1 when there is no X", value)
    return int(value)


def _n_kernels(kernel: Stationary | str | None) -> int:
    """How many kernels a model of this one learns scales of: none if it is given with its own."""
    if isinstance(kernel, str) and kernel == "auto":
        return len(candidate_kernels())
    return 1 if kernel is None or isinstance(kernel, str) else 0


def _of_tuning(budget: Budget) -> str:
    if budget.time is None or budget.tuning_seconds < budget.time:
        return ""
    return (
        f" To learn length scales alone takes {in_words(budget.tuning_seconds)}: give a kernel with its length scale."
    )


def _kernel(kernel: Stationary | str | None, rows: Rows | None, random_state: Seed) -> Stationary:
    kernel = None if isinstance(kernel, str) and kernel == "auto" else kernel
    if rows is None:
        return resolve_kernel("plan", kernel)
    return ScaleRule("plan", kernel, "auto").resolve_sample(rows, seed=resolve_seed(random_state))


def _needed(bound: TailBound, eps: float, delta: float) -> int | None:
    try:
        return bound.features_needed(eps, delta)
    except ValueError:
        return None


def _shortfall(budget: Budget, wanted: int, width: int, certified: float) -> str:
    bill, seconds = format_bytes(budget.bill(wanted).total), budget.seconds(wanted)
    return (
        f"{wanted:,} features would take {bill} and {in_words(seconds)}. {width:,} fit, with a certified error of "
        f"{certified:.3g}; certify, after the fit, usually finds a much smaller one."
    )


def _name(bound: TailBound) -> str:
    return str(type(bound).describe()["name"])
