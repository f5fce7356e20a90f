"""A stand-in for `distributed.Client`: tasks run in this process when their results are asked for."""

from __future__ import annotations

import dask


class Future:
    """A result that was asked for; computed when it is looked at."""

    def __init__(self, task):
        self.task, self.cancelled = task, False

    def result(self):
        return dask.compute(self.task, scheduler="synchronous")[0]


class SynchronousClient:
    """What the Dask engine asks of a client, and a diary of it."""

    def __init__(self, n_threads=2):
        self.n_threads, self.futures, self.n_persisted = n_threads, [], 0

    def nthreads(self):
        return {"worker": self.n_threads}

    def compute(self, tasks):
        made = [Future(task) for task in tasks]
        self.futures += made
        return made

    def gather(self, futures):
        return [future.result() for future in futures]

    def cancel(self, futures):
        for future in futures:
            future.cancelled = True

    def persist(self, parts):
        self.n_persisted += len(parts)
        return list(dask.persist(*parts, scheduler="synchronous"))
