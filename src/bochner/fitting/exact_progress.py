"""Progress of exact kernel machines in the log: seconds of a product before the first one, then the time that is left.

Conjugate gradients converge about geometrically. After k iterations, with the relative residual r_k of the slowest
system, there are

    k log(r_k / tol) / log(r_0 / r_k)

left, at most as many as are allowed. Where errors on rows that are left out settle, they end before.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

import numpy as np

from bochner._typing import Array
from bochner.solvers import KernelProblem
from bochner.solvers.conjugate_gradient import State

__all__ = ["TimeLeft", "announce"]

_log = logging.getLogger("bochner")

_TIMED_ROWS = 512
_SECONDS = 5.0  # from one line to the next


def announce(problem: KernelProblem) -> None:
    """Tell the log how long a product will take, by some rows of one."""
    if not _log.isEnabledFor(logging.INFO):
        return
    product, rows = problem.product, problem.product.X[:_TIMED_ROWS]
    began = time.perf_counter()
    product.cross_times(rows, problem.targets)
    seconds = (time.perf_counter() - began) * product.n_rows / len(rows) / 2
    _log.info(
        "Exact kernel machine of %d rows: about %.2g s for a product with the kernel matrix in float64, less than half "
        "of that in float32, and some 10 to 50 products.",
        product.n_rows,
        seconds,
    )


class TimeLeft:
    """Lines of the log about the iterations, some seconds apart.

    Parameters
    ----------
    tol : float
        Relative residual that is asked for.
    max_iter : int
    clock : callable, default=time.perf_counter
    """

    def __init__(self, tol: float, max_iter: int, clock: Callable[[], float] = time.perf_counter) -> None:
        self._tol, self._max_iter, self._clock = tol, max_iter, clock
        self._began = self._last = clock()
        self._first: int | None = None

    def told(self, state: State) -> None:
        """Note an iteration, and tell the log if it is time to."""
        now, n_iter = self._clock(), int(state["n_iter"])
        if self._first is None:
            self._first = n_iter - 1
        if now - self._last < _SECONDS:
            return
        self._last = now
        history = np.max(state["history"], axis=1)
        seconds = (now - self._began) / (n_iter - self._first) * self._iterations_left(history)
        _log.info(
            "Iteration %d: residual %.1e (asked: %.1e), about %.0f s left.", n_iter, history[-1], self._tol, seconds
        )

    def _iterations_left(self, history: Array) -> float:
        n_iter, most = len(history) - 1, self._max_iter - (len(history) - 1)
        gained = np.log(history[0] / max(history[-1], np.finfo(float).tiny))
        to_go = max(np.log(history[-1] / self._tol), 0.0) if history[-1] > 0 else 0.0
        return float(min(most, n_iter * to_go / gained)) if gained > 0 else float(most)
