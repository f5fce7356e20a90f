"""A Dask cluster of real processes: one worker against two, one killed half-way, and the plan against the clock."""

from __future__ import annotations

import os
import re
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
from bochner.memory import format_bytes
from bochner.planning import calibrate
from bochner.planning.cluster import plan_cluster

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
    cost = calibrate("float64")
    planned = plan_cluster(
        cost, n_rows=N, n_features=D_IN, n_components=WIDTH, itemsize=8, workers=workers, bandwidth=1e9
    )
    return planned.seconds - cost.solve_seconds(WIDTH)


def table():
    """The table of docs/cluster.md: what `bo.plan` says of 10^9 to 10^11 rows on cores like those of this machine."""
    lines = [
        "| rows | features D | workers x threads | time | work | traffic | memory of a worker |",
        "|---|---|---|---|---|---|---|",
    ]
    for rows in (10**9, 10**10, 10**11):
        for width in (1024, 4096):
            for workers in (10, 100, 1000):
                planned = plan_cluster(
                    calibrate("float32"), n_rows=rows, n_features=20, n_components=width, itemsize=4,
                    workers=workers, threads_per_worker=8, bandwidth=1e9,
                )  # fmt: skip
                lines.append(
                    f"| 10^{round(np.log10(rows))} | {width} | {workers} x 8 | {duration(planned.seconds)} "
                    f"| {100 * planned.efficiency:.0f} % | {format_bytes(planned.traffic)} "
                    f"| {format_bytes(planned.worker_memory)} |"
                )
    page = Path(__file__).parent.parent / "docs" / "cluster.md"
    block = "<!-- cluster-table:begin -->\n" + "\n".join(lines) + "\n<!-- cluster-table:end -->"
    page.write_text(
        re.sub(
            r"<!-- cluster-table:begin -->.*<!-- cluster-table:end -->", lambda _: block, page.read_text(), flags=re.S
        )
    )


def duration(seconds):
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds / size:.2g} {unit}"
    return f"{seconds:.2g} s"


if __name__ == "__main__":
    for name in sys.argv[1:] or ("measure", "table"):
        {"measure": main, "table": table}[name]()
