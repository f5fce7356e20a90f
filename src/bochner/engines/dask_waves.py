"""Waves of a pass on a cluster with a checkpoint, which is written between them: their sizes follow the clock."""

from __future__ import annotations

import time

from bochner.engines.cluster_shape import WAVE_SECONDS

__all__ = ["Waves"]


class Waves:
    """Partitions in waves: first one for each thread, so that a checkpoint is soon there, then as many as take seconds.

    Two waves are in flight at a time, so that workers do not wait for the client. A wave is at most twice as large as
    the one before.

    Parameters
    ----------
    partitions : list of int
    n_threads : int
    """

    def __init__(self, partitions: list[int], n_threads: int) -> None:
        self._left, self._least, self._size = list(partitions), n_threads, n_threads
        self._last = time.monotonic()

    def next(self) -> list[int]:
        """The partitions of the next wave; empty if there are none left."""
        taken, self._left = self._left[: self._size], self._left[self._size :]
        return taken

    def finished(self, n_partitions: int) -> None:
        """A wave of so many partitions has come: the next one is to take `WAVE_SECONDS`."""
        now = time.monotonic()
        rate = n_partitions / max(now - self._last, 1e-3)
        self._size = min(max(self._least, int(rate * WAVE_SECONDS)), 2 * self._size)
        self._last = now
