"""Tables larger than memory: Parquet against memory, time against rows, a learned metric, what a checkpoint costs.

    python benchmarks/streaming.py [airline] [etopo5] [checkpoint] [metric]

Each fit runs in a fresh process, which reports its seconds and its peak memory. Data: airline2001 (3,000,000 flights)
and etopo5 (9,335,520 heights on the sphere) of `../shared/data`, or the folder in BOCHNER_DATA.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from harness import write

DATA = Path(os.environ.get("BOCHNER_DATA", Path(__file__).parents[2] / "shared" / "data"))
WIDTH = 2048

START = """
import json, resource, sys, time, numpy as np, bochner as bo
from pathlib import Path
path, width = sys.argv[1], int(sys.argv[2])
bo.KernelRegressor(bo.Gaussian(4.0), n_components=2, alpha=1.0).fit(np.zeros((9, 2), np.float32), np.arange(9.0))
def fit(model, *rows):
    start = time.perf_counter()
    model.fit(*rows)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"seconds": seconds, "peak_bytes": peak, "coef": model.coef_.tolist()}))
"""

AIRLINE = (
    START
    + """
scales = [2.0, 10.0, 3.0, 400.0, 700.0, 8.0, 20.0, 8.0, 20.0]  # about the spread of each column
model = bo.KernelRegressor(bo.Gaussian(scales), n_components=width, alpha="gcv", random_state=0)
if sys.argv[3] == "scan":
    fit(model, bo.scan_parquet(path, target="target"))
else:
    import pyarrow.parquet
    table = pyarrow.parquet.read_table(path)
    y = table["target"].to_numpy().astype(float)
    X = np.column_stack([table[name].to_numpy().astype(np.float32) for name in table.column_names if name != "target"])
    del table
    fit(model, X, y)
"""
)

ETOPO5 = (
    START
    + """
import pyarrow.parquet
share = int(sys.argv[3])
file = pyarrow.parquet.ParquetFile(path)
def blocks():
    start = 0
    for batch in file.iter_batches(batch_size=1 << 18):
        rows = np.arange(start, start + len(batch))
        start += len(batch)
        kept = rows % share == 0  # every `share`-th point of the grid
        latitude, longitude = np.radians(-90 + rows // 4320 / 12)[kept], np.radians(rows % 4320 / 12)[kept]
        ring = np.cos(latitude)
        X = np.column_stack([ring * np.cos(longitude), ring * np.sin(longitude), np.sin(latitude)])
        yield X.astype(np.float32), batch.column(0).to_numpy()[kept].astype(float), ring + 1e-9
rows = bo.scan_blocks(blocks, n_rows=-(-file.metadata.num_rows // share))
fit(bo.KernelRegressor(bo.Matern(length_scale=0.1, nu=1.5), n_components=width, alpha="gcv", random_state=0), rows)
"""
)

CHECKPOINT = (
    START
    + """
X = np.random.default_rng(0).standard_normal((1_000_000, 20), dtype=np.float32)
y = np.sin(X.sum(axis=1)).astype(float)
settings = {"n_components": width, "alpha": "gcv", "random_state": 0, "checkpoint": sys.argv[3] or None}
fit(bo.KernelRegressor(bo.Gaussian(4.0), **settings), X, y)
"""
)

METRIC = (
    START
    + """
from bochner.data.parquet import ParquetSource
rows_read, batches = [0], ParquetSource._batches
def counted(self, rows):
    for name, batch in batches(self, rows):
        rows_read[0] += len(batch)
        yield name, batch
ParquetSource._batches = counted
scan = bo.scan_parquet(path, target="target")
model = bo.KernelRegressor(features="fourier", length_scale=sys.argv[3], n_components=width, random_state=0)
start, cpu = time.perf_counter(), time.process_time()
model.fit(scan)
print(json.dumps({
    "seconds": time.perf_counter() - start, "cpu_seconds": time.process_time() - cpu, "passes": rows_read[0] / 3e6,
    "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, "coef": [],
    "noise": float(np.sqrt(np.mean(model.noise_variance_))),
}))
"""
)


def run(code, *arguments):
    command = [sys.executable, "-c", code, *map(str, arguments)]
    printed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    result = json.loads(printed.splitlines()[-1])
    return {**result, "coef": np.array(result["coef"])}


def airline(repeats=2):
    path = DATA / "airline2001.parquet"
    runs = {"scan": [], "memory": []}
    for _ in range(repeats):
        for kind, found in runs.items():
            found.append(run(AIRLINE, path, WIDTH, kind))
    seconds = {kind: float(np.median([each["seconds"] for each in found])) for kind, found in runs.items()}
    scanned, held = runs["scan"][0]["coef"], runs["memory"][0]["coef"]
    write(
        "streaming_airline",
        {
            "n": 3_000_000, "d": 9, "n_components": WIDTH, "seconds": seconds,
            "times_memory": seconds["scan"] / seconds["memory"],
            "peak_bytes": {kind: max(each["peak_bytes"] for each in found) for kind, found in runs.items()},
            "coefficient_difference": float(np.abs(scanned - held).max() / np.abs(held).max()),
        },
    )  # fmt: skip


def etopo5():
    rows, total = [], 2161 * 4320
    for share in (8, 3, 1):
        result = run(ETOPO5, DATA / "etopo5.parquet", WIDTH, share)
        rows.append({"n": -(-total // share), "seconds": result["seconds"], "peak_bytes": result["peak_bytes"]})
    slope = np.polyfit(np.log([row["n"] for row in rows]), np.log([row["seconds"] for row in rows]), 1)[0]
    write("streaming_etopo5", {"d": 3, "n_components": WIDTH, "rows": rows, "log_log_slope": float(slope)})


def checkpoint(repeats=4):
    seconds = {"without": [], "with": []}
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as folder:
            seconds["without"].append(run(CHECKPOINT, "-", WIDTH, "")["seconds"])
            seconds["with"].append(run(CHECKPOINT, "-", WIDTH, Path(folder) / "fit.checkpoint")["seconds"])
    medians = {name: float(np.median(each)) for name, each in seconds.items()}
    overhead = medians["with"] / medians["without"] - 1
    write("streaming_checkpoint", {"n": 1_000_000, "d": 20, "n_components": WIDTH, "all_seconds": seconds,
                                   "seconds": medians, "overhead": overhead})  # fmt: skip


def metric(width=1024):
    """A metric learned from 3,000,000 rows of Parquet, beside one scale: passes over the file, memory, noise."""
    found = {kind: run(METRIC, DATA / "airline2001.parquet", width, kind) for kind in ("auto", "metric")}
    for each in found.values():
        del each["coef"]
    write("streaming_metric", {"n": 3_000_000, "d": 9, "n_components": width, "length_scale": found})


if __name__ == "__main__":
    for name in sys.argv[1:] or ("airline", "etopo5", "checkpoint", "metric"):
        {"airline": airline, "etopo5": etopo5, "checkpoint": checkpoint, "metric": metric}[name]()
