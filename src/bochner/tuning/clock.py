"""Stopwatch with a time budget."""

from __future__ import annotations

import time

__all__ = ["Clock"]


class Clock:
    """Stopwatch that starts when it is made, with a time budget in seconds (None: no budget)."""

    def __init__(self, seconds: float | None) -> None:
        self._start, self._seconds = time.perf_counter(), seconds

    def elapsed(self) -> float:
        return time.perf_counter() - self._start

    def is_over(self) -> bool:
        return self._seconds is not None and self.elapsed() > self._seconds
