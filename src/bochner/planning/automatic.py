"""Plan of an automatic fit: scales that are learned, and more landmarks until leave-one-out errors see no gain.

The search may end at any of its numbers of landmarks; memory is planned for the largest one, and time for all but half
of the last step.
"""

from __future__ import annotations

import numpy as np

from bochner._typing import FloatType, Rows
from bochner.config import get_config
from bochner.errors import invalid_parameter
from bochner.features import FourierShape
from bochner.planning.cost import CostModel
from bochner.planning.plan import Plan
from bochner.planning.width import landmark_numbers
from bochner.solvers import ridge_bill
from bochner.statistics import plan_pass
from bochner.tuning import candidate_kernels

__all__ = ["plan_automatic"]

_DOUBLE: FloatType = np.dtype(np.float64)
_LEFT_OUT = 4000 + 2000  # rows of leave-one-out errors: for the penalty, and for the width and the error bars
_SHARE_OF_LAST = 0.5
_FIRST_SECONDS, _FIRST_BYTES = 0.7, 100_000_000  # of the first fit of a process: compiled code, buffers of threads
_NO_BOUND = "none before the fit: certify computes how far the model is from the exact kernel machine"


def plan_automatic(X: Rows | None, *, n_targets: int, delta: float, cost: CostModel) -> Plan:
    """Memory and time of `KernelRegressor()` for rows in memory; `cost` is that of float64, in which landmarks are."""
    if X is None:
        raise invalid_parameter("plan", "X", "given with features='auto'", X)
    n, d = X.shape
    widths, threads = landmark_numbers(n), get_config().threads()
    shape = FourierShape(widths[-1], d)  # a map of as many numbers
    cut = plan_pass(n, shape, n_targets, _DOUBLE)
    bill = ridge_bill(cut, shape, n_targets=n_targets, dtype=_DOUBLE)
    first = {"compiled code and buffers of threads": _FIRST_BYTES}
    items = {
        **first,
        **bill.items,
        "factors and kernel values of landmarks": 8 * (3 * widths[-1] ** 2 + 2 * n * min(n, 64)),
    }
    steps = [cost.landmark_seconds(n, d, width, _LEFT_OUT, threads) for width in widths]
    tuning = cost.tuning_seconds(n, d, len(candidate_kernels()), threads)
    return Plan.without_bound(
        (n, d),
        cut,
        items,
        kernel="chosen by the data",
        n_components=widths[-1],
        reason="landmarks at most; as many as leave-one-out errors ask for",
        delta=delta,
        bound=_NO_BOUND,
        seconds=_FIRST_SECONDS + tuning + sum(steps[:-1]) + (_SHARE_OF_LAST if len(steps) > 1 else 1.0) * steps[-1],
        tuning_seconds=tuning,
    )
