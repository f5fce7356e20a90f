"""ONNX graphs of models with many landmarks: differences from `predict`, seconds and memory of many rows.

Protein and California housing: the exact machine of 9,900 rows, and a graph in float32 and in float64. Rows are those
of the fit and others, as the graph takes them (in its float type); differences are in deviations of the predictions,
beside `predict` of the same numbers, and of the rows before they were rounded. The data folder is BOCHNER_DATA.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import onnxruntime
import pandas as pd
from harness import write

import bochner as bo

DATA = Path(os.environ.get("BOCHNER_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
NAMES, ROWS, OTHERS = ("protein", "california_housing"), 9_900, 10_000


def load(name):
    table = pd.read_parquet(DATA / f"{name}.parquet").sample(frac=1, random_state=0)
    target = "target" if "target" in table else table.columns[-1]
    return table.drop(columns=[target, *({"fold"} & set(table))]).to_numpy(float), table[target].to_numpy(float)


MEASURED = """
import re, sys, time
from pathlib import Path
import numpy as np, onnxruntime

def peak():  # of this process: what resource tells is also that of the one before it
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])

session = onnxruntime.InferenceSession(sys.argv[1])
rows = np.load(sys.argv[2])
session.run(None, {"X": rows[:1]})
before, start = peak(), time.perf_counter()
session.run(None, {"X": rows})
print(time.perf_counter() - start, 1024 * (peak() - before))
"""


def cost(graph, rows):
    """Seconds, and bytes on top of the graph, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        files = [f"{folder}/model.onnx", f"{folder}/rows.npy"]
        Path(files[0]).write_bytes(graph)
        np.save(files[1], rows)
        told = subprocess.run([sys.executable, "-c", MEASURED, *files], capture_output=True, text=True, check=True)
    return map(float, told.stdout.split())


def study(name, dtype):
    X, y = load(name)
    model = bo.KernelRegressor(features="exact", random_state=0).fit(X[:ROWS], y[:ROWS])
    graph = bo.to_onnx(model, dtype=dtype).SerializeToString()
    session = onnxruntime.InferenceSession(graph)
    given = X[: ROWS + OTHERS]
    rows = given.astype(dtype)
    mean = session.run(None, {"X": rows})[0][:, 0]
    seconds, memory = cost(graph, rows)
    start = time.perf_counter()
    for row in rows[:200, None]:
        session.run(None, {"X": row})
    expected, unrounded = model.predict(rows.astype(float)), model.predict(given)
    off = np.abs(mean - expected) / expected.std()
    return {
        "data": name, "dtype": np.dtype(dtype).name, "landmarks": model.features_.n_components_, "rows": len(rows),
        "largest": float(off.max()), "99 percent": float(np.quantile(off, 0.99)), "median": float(np.median(off)),
        "largest_with_rounded_rows": float(np.max(np.abs(mean - unrounded)) / expected.std()),
        "seconds": seconds, "memory": memory, "seconds_of_one_row": (time.perf_counter() - start) / 200,
    }  # fmt: skip


def main():
    found = []
    for name in NAMES:
        for dtype in (np.float32, np.float64):
            found.append(study(name, dtype))
            print(found[-1], flush=True)
    write("onnx_rows", {"fits": found})


if __name__ == "__main__":
    main()
