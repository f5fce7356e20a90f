"""A Dask cluster of real processes: one worker against two, one killed half-way, and the plan against the clock."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import dask
import dask.array as da
import numpy as np
from distributed import Client
from harness import write

import bochner as bo

N, D_IN, WIDTH, PARTS = 1_000_000, 20, 1024, 40
SETTINGS = {"kernel": bo.Gaussian(4.0), "n_components": WIDTH, "alpha": 1.0, "random_state": 0}


@contextmanager
def cluster(n_workers):
    """A scheduler and workers of one thread each, as processes."""
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "scheduler.json")

        def start(*arguments):
            command = [sys.executable, "-m", "dask", *arguments, "--scheduler-file", file, "--no-dashboard"]
            return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        processes = [start("scheduler", "--port", "0")]
        options = ["--nthreads", "1", "--nworkers", "1", "--memory-limit", "4GiB", "--no-nanny"]
        processes += [start("worker", *options, "--local-directory", folder) for _ in range(n_workers)]
        client = Client(scheduler_file=file)
        client.wait_for_workers(n_workers)
        try:
            yield client, processes[1:]
        finally:
            client.close()
            for process in processes:
                process.kill()
                process.wait()


def part(folder, name, start, stop):
    return np.array(np.load(Path(folder) / f"{name}.npy", mmap_mode="r")[start:stop])


def on_disk(folder):
    """Rows in a file that every worker can read."""
    random = np.random.default_rng(0)
    X = random.standard_normal((N, D_IN))
    np.save(Path(folder) / "X.npy", X)
    np.save(Path(folder) / "y.npy", np.sin(X[:, :5].sum(axis=1)) + 0.1 * random.standard_normal(N))


def lazy(folder, name, shape):
    cuts = np.linspace(0, N, PARTS + 1).astype(int)
    pieces = [
        da.from_delayed(dask.delayed(part)(folder, name, int(a), int(b)), (int(b - a), *shape), dtype=float)
        for a, b in pairwise(cuts)
    ]
    return da.concatenate(pieces)


def fit(folder):
    start = time.perf_counter()
    model = bo.KernelRegressor(**SETTINGS).fit(lazy(folder, "X", (D_IN,)), lazy(folder, "y", ()))
    return model, time.perf_counter() - start


def main():
    with tempfile.TemporaryDirectory() as folder:
        on_disk(folder)
        local = bo.KernelRegressor(**SETTINGS).fit(np.load(Path(folder) / "X.npy"), np.load(Path(folder) / "y.npy"))
        difference = lambda model: float(np.abs(model.coef_ - local.coef_).max() / np.abs(local.coef_).max())  # noqa: E731
        seconds, differences = {}, {}
        for workers in (1, 2):
            with cluster(workers):
                fit(folder)  # compiled loops are loaded, workers warm
                runs = [fit(folder) for _ in range(2)]
                seconds[workers] = min(each for _, each in runs)
                differences[f"{workers} workers"] = difference(runs[0][0])
        with cluster(2) as (client, workers):
            fit(folder)
            timer = threading.Timer(seconds[2] / 2, os.kill, (workers[0].pid, signal.SIGKILL))
            timer.start()
            model, killed_seconds = fit(folder)
            differences["a worker killed half-way"] = difference(model)
            assert len(client.nthreads()) == 1
    planned = {w: planned_seconds(w) for w in (1, 2)}
    write(
        "cluster",
        {
            "n": N, "d": D_IN, "n_components": WIDTH, "seconds": seconds, "speedup": seconds[1] / seconds[2],
            "killed_seconds": killed_seconds, "coefficient_differences": differences,
            "planned_seconds": planned, "planned_over_measured": {w: planned[w] / seconds[w] for w in (1, 2)},
        },
    )  # fmt: skip


def planned_seconds(workers):
    """What `bo.plan` says of this fit: one penalty, so without the path of penalties."""
    from bochner.planning import calibrate
    from bochner.planning.cluster import plan_cluster

    cost = calibrate("float64")
    planned = plan_cluster(
        cost, n_rows=N, n_features=D_IN, n_components=WIDTH, itemsize=8, workers=workers, bandwidth=1e9
    )
    return planned.seconds - cost.solve_seconds(WIDTH)


if __name__ == "__main__":
    main()
