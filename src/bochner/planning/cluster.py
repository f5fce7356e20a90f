"""Time and traffic of a fit on a Dask cluster, from the cost model of this machine.

work:       the pass over the rows, divided by the threads of all workers
tasks:      a few hundredths of a second each, for all workers together: the scheduler hands them out one by one
merges:     moments, 8 D^2 bytes each, sent and added along a tree; its depth takes time, its size traffic
here:       the last moments arrive, and the equations are solved
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log

from bochner.engines.cluster_shape import BRANCHES, TASKS_PER_THREAD
from bochner.planning.cost import CostModel

__all__ = ["ClusterPlan", "plan_cluster"]

_TASK_SECONDS = 0.005  # of the scheduler, for one task and its bookkeeping
_START_SECONDS = 0.3  # until the first task runs and after the last one has
_MERGE_SECONDS_PER_BYTE = 1e-9  # to pack, unpack and add moments, on the worker that merges


@dataclass(frozen=True)
class ClusterPlan:
    """A fit on workers of this machine's speed.

    Attributes
    ----------
    workers, threads_per_worker : int
    seconds : float
        From the call of `fit` to the model.
    efficiency : float
        Share of the workers' time that goes into the pass over the rows.
    traffic : int
        Bytes of moments between workers and to the client, at most. Rows are read where they are, and frequencies are
        drawn from the seed: neither is sent.
    worker_memory : int
        Bytes that one worker holds beyond its rows.
    bandwidth : float
        Bytes per second between two machines, as assumed.
    """

    workers: int
    threads_per_worker: int
    seconds: float
    efficiency: float
    traffic: int
    worker_memory: int
    bandwidth: float


def plan_cluster(
    cost: CostModel,
    *,
    n_rows: int,
    n_features: int,
    n_components: int,
    itemsize: int,
    workers: int,
    threads_per_worker: int = 1,
    bandwidth: float = 1e9,
) -> ClusterPlan:
    """Time and traffic of a direct ridge fit by `workers` processes with some threads each."""
    threads = workers * threads_per_worker
    n_tasks = TASKS_PER_THREAD * threads
    moments = 8 * n_components**2
    work = cost.pass_seconds(n_rows, n_features, n_components, threads)
    levels = ceil(log(n_tasks, BRANCHES)) if n_tasks > 1 else 0
    per_level = BRANCHES * moments * (1 / bandwidth + _MERGE_SECONDS_PER_BYTE)
    last = moments / bandwidth
    seconds = _START_SECONDS + work + n_tasks * _TASK_SECONDS + levels * per_level + last
    seconds += cost.solve_seconds(n_components)
    return ClusterPlan(
        workers=workers,
        threads_per_worker=threads_per_worker,
        seconds=seconds,
        efficiency=work / seconds,
        traffic=(n_tasks + 1) * moments,
        worker_memory=threads_per_worker * n_components**2 * (8 * (BRANCHES + 1) + itemsize),
        bandwidth=bandwidth,
    )
