"""Plan of an automatic fit: scales that are learned, then the machine that rows which are left out ask for.

Up to 10,000 rows it is planned for the exact kernel machine. Beyond, the fit ends with few landmarks or with many,
which is not known before: memory and time are those of the costlier way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from bochner._typing import FloatType
from bochner.config import get_config
from bochner.features import FourierShape
from bochner.memory import MemoryBill, fits
from bochner.planning.cost import FIRST_BYTES, FIRST_SECONDS, CostModel
from bochner.planning.plan import Machine, Plan
from bochner.planning.width import (
    EXACT_ITERATIVE_ROWS,
    EXACT_ROWS,
    LANDMARKS,
    MANY_LANDMARKS,
    PILOT_ROWS,
    PRODUCT_ROWS,
    default_width,
    landmark_numbers,
)
from bochner.solvers import iterative_bill, kernel_budget, kernel_matrix_bill, ridge_bill
from bochner.statistics import KEPT_FEATURES, plan_pass
from bochner.tuning import candidate_kernels, search_bytes

__all__ = ["EXACT", "plan_automatic"]

_DOUBLE: FloatType = np.dtype(np.float64)
_LEFT_OUT = 4000 + 2000  # rows of leave-one-out errors: for the penalty, and for the width and the error bars
_SHARE_OF_LAST = 0.5
_NO_BOUND = "none before the fit: certify computes how far the model is from the exact kernel machine"


EXACT = "the exact kernel machine"
"""Name of an outcome: of few rows by a factor of the kernel matrix, else by iterations."""


def plan_automatic(
    shape: tuple[int, int],
    *,
    n_targets: int,
    delta: float,
    cost: CostModel,
    time: float | None = None,
    kernel: str | None = None,
    n_kernels: int | None = None,
) -> Plan:
    """Memory and time of `KernelRegressor()` for rows in memory; `cost` is that of float64, in which landmarks are.

    `kernel` in words, and the number of kernels whose scales are learned; None: as many as there are candidates.
    """
    (n, d), threads = shape, get_config().threads()
    machines = tuple(_machines(n, d, n_targets, cost))
    searched = len(candidate_kernels()) if n_kernels is None else n_kernels
    tuning, pilot = cost.tuning_seconds(n, d, searched, threads) if searched else 0.0, _pilot_seconds(n, d, cost)
    if n <= EXACT_ROWS:
        width, reason = n, "every row, unless fewer landmarks are as good" if n > PILOT_ROWS else "every row"
        items, seconds = kernel_matrix_bill(n, d, n_targets).items, cost.exact_seconds(n, d, threads)
    else:
        items, seconds = _costlier(n, d, n_targets, cost)
        width = n if n <= EXACT_ITERATIVE_ROWS else MANY_LANDMARKS if n <= PRODUCT_ROWS else LANDMARKS[-1]
        reason = "landmarks at most; as many as rows that are left out ask for"
    found = Plan.without_bound(
        (n, d),
        plan_pass(n, FourierShape(LANDMARKS[0], d), n_targets, _DOUBLE),
        {
            **FIRST_BYTES,
            **items,
            "search of kernels and scales, beyond that": max(0, search_bytes(n) - sum(items.values())),
        },
        kernel=kernel or "chosen by the data",
        n_components=width,
        reason=reason,
        delta=delta,
        bound=_NO_BOUND,
        seconds=FIRST_SECONDS + tuning + pilot + seconds,
        tuning_seconds=tuning,
        machines=machines,
        outcomes=_outcomes(n, d, n_targets),
    )
    return replace(found, time_budget=time, warnings=tuple(_too_slow(found, time)))


def _outcomes(n: int, d: int, n_targets: int) -> tuple[str, ...]:
    """The models that rows which are left out decide between, as `fitting.landmark_width` does."""
    if n <= EXACT_ROWS and fits(kernel_matrix_bill(n, d, n_targets).total):
        few = (f"{LANDMARKS[0]:,} landmarks where these are as good",) if n > PILOT_ROWS else ()
        return EXACT, *few
    steps = landmark_numbers(n)
    some = f"{steps[0]:,} landmarks" if len(steps) == 1 else f"{steps[0]:,} to {steps[-1]:,} landmarks"
    if n <= EXACT_ROWS or n > PRODUCT_ROWS:
        return (some,)
    return some, f"{EXACT} by iterations" if n <= EXACT_ITERATIVE_ROWS else f"{MANY_LANDMARKS:,} landmarks"


def _too_slow(plan: Plan, time: float | None) -> Iterator[str]:
    """A warning if the fit takes longer than it may, with the machines that do not."""
    if time is None or plan.seconds <= time:
        return
    rest = plan.tuning_seconds + FIRST_SECONDS
    quick = [machine.name for machine in plan.machines if machine.fits and rest + machine.seconds <= time]
    yield (
        f"The fit may take {plan.seconds:.2g} s, and the budget is {time:.3g} s. Within it: "
        f"{', '.join(quick) or 'none of the machines; give a kernel with its length scale'}."
    )


def _machines(n: int, d: int, n_targets: int, cost: CostModel) -> Iterator[Machine]:
    """All ways to fit the rows, with their bills."""
    threads = get_config().threads()
    for width in (LANDMARKS[0], LANDMARKS[-1]):
        if width <= n / 2:
            seconds = cost.landmark_seconds(n, d, width, _LEFT_OUT, threads)
            yield _machine(f"{width:,} landmarks", _landmark_bill(n, d, width, n_targets), seconds)
    if 2 * MANY_LANDMARKS < n <= PRODUCT_ROWS:
        bill, seconds = _many_landmarks(n, d, n_targets, cost)
        yield _machine(f"{MANY_LANDMARKS:,} landmarks by products", bill, seconds)
    bill, seconds = kernel_matrix_bill(n, d, n_targets), cost.exact_seconds(n, d, threads)
    yield _machine("the exact machine by a factor", bill, seconds)
    if n > EXACT_ROWS:
        yield _machine("the exact machine by iterations", *_exact_by_iterations(n, d, n_targets, cost))
    width = default_width(n)
    shape = FourierShape(width, d)
    bill = ridge_bill(plan_pass(n, shape, n_targets, _DOUBLE), shape, n_targets=n_targets, dtype=_DOUBLE)
    yield _machine(f"{width:,} random features", bill, cost.fit_seconds(n, d, width, threads))


def _machine(name: str, bill: MemoryBill, seconds: float) -> Machine:
    return Machine(name, bill.total, seconds, fits(bill.total))


def _pilot_seconds(n: int, d: int, cost: CostModel) -> float:
    """What landmarks are compared with: those of some rows, or the exact machine of all that are factorised."""
    threads = get_config().threads()
    if n <= PILOT_ROWS or n > PRODUCT_ROWS:
        return 0.0
    if n <= EXACT_ROWS:
        return cost.landmark_seconds(PILOT_ROWS, d, LANDMARKS[0], _LEFT_OUT, threads)
    return cost.exact_seconds(EXACT_ROWS, d, threads)


def _costlier(n: int, d: int, n_targets: int, cost: CostModel) -> tuple[dict[str, int], float]:
    """Memory and seconds of few landmarks, all but half of the last step, or of many, whichever is more."""
    threads = get_config().threads()
    steps = [cost.landmark_seconds(n, d, width, _LEFT_OUT, threads) for width in landmark_numbers(n)]
    few = _landmark_bill(n, d, LANDMARKS[-1], n_targets), sum(steps[:-1]) + _SHARE_OF_LAST * steps[-1]
    many = [few]
    if n <= EXACT_ITERATIVE_ROWS:
        many.append(_exact_by_iterations(n, d, n_targets, cost))
    elif n <= PRODUCT_ROWS:
        many.append(_many_landmarks(n, d, n_targets, cost))
    if n <= PRODUCT_ROWS:
        many.append((kernel_matrix_bill(EXACT_ROWS, d, n_targets), 0.0))
    larger = max((bill for bill, _ in many), key=lambda bill: bill.total)
    return dict(larger.items), few[1] + sum(seconds for _, seconds in many[1:])


def _landmark_bill(n: int, d: int, width: int, n_targets: int) -> MemoryBill:
    shape = FourierShape(width, d)  # a map of as many numbers
    bill = ridge_bill(plan_pass(n, shape, n_targets, _DOUBLE), shape, n_targets=n_targets, dtype=_DOUBLE)
    return MemoryBill({**bill.items, "factors and kernel values of landmarks": 8 * (3 * width**2 + 2 * n * min(n, 64))})


def _exact_by_iterations(n: int, d: int, n_targets: int, cost: CostModel) -> tuple[MemoryBill, float]:
    budget = kernel_budget(n, d, 2 * n_targets, PILOT_ROWS)
    return budget.bill, cost.exact_iterative_seconds(n, d, get_config().threads(), kept=budget.room > 0)


def _many_landmarks(n: int, d: int, n_targets: int, cost: CostModel) -> tuple[MemoryBill, float]:
    shape, threads = FourierShape(MANY_LANDMARKS, d), get_config().threads()
    bill = iterative_bill(shape, n_rows=n, n_targets=n_targets, dtype=_DOUBLE, searched=False, landmarks=True)
    kept = KEPT_FEATURES in bill.items
    seconds = cost.landmark_product_seconds(n, d, MANY_LANDMARKS, threads, kept=kept)
    return MemoryBill({**bill.items, "factor of the landmarks": 8 * MANY_LANDMARKS**2}), seconds
