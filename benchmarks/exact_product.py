"""Products of the exact kernel matrix with a block of columns: ours, scikit-learn in row blocks, PyTorch, the limit.

    python benchmarks/exact_product.py [rows]

n = 36,000 rows of d = 8, one column, and 8,000 of d = 784, ten columns; Gaussian kernel of length scale sqrt(d). The
limits are the loop that only computes exp over n^2 numbers, and the GEMM of all inner products. Peers and limits are
timed on some of the rows and scaled; ours computes the whole product. Wall times on shared cores are noise: every ratio
is given in CPU seconds too. PyTorch runs in a process of its own, of the interpreter TORCH_PYTHON if that is set, on
tiles of the same size and two threads.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import numpy as np
from harness import write
from sklearn.metrics.pairwise import rbf_kernel

import bochner as bo
from bochner._threads import run_in_threads
from bochner.kernels._loops import exp_of_minus_half
from bochner.statistics.kernel_product import KernelProduct

SHARE, REPEATS, TILE = 2000, 7, (256, 512)

TORCH = """
import json, sys, time, torch
from concurrent.futures import ThreadPoolExecutor
torch.set_num_threads(1)  # of an operation: tiles are small, and two threads take turns at them
n, d, c, share = map(int, sys.argv[1:])
torch.manual_seed(0)
X, V = torch.randn(n, d) / d**0.5, torch.randn(n, c)
s = (X * X).sum(1)

out = torch.zeros(share, c)

def write(i):
    rows = slice(i, min(i + 256, share))
    for j in range(0, n, 512):
        columns = slice(j, j + 512)
        tile = torch.addmm(s[columns][None] + s[rows][:, None], X[rows], X[columns].T, alpha=-2)
        out[rows] += tile.clamp_(min=0).mul_(-0.5).exp_() @ V[columns]

def product():
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(write, range(0, share, 256)))

product()
spent = []
for _ in range(7):
    start, cpu = time.perf_counter(), time.process_time()
    product()
    spent.append((time.perf_counter() - start, time.process_time() - cpu))
print(json.dumps([*(min(pair[i] for pair in spent) * n / share for i in (0, 1)), torch.__version__]))
"""


def timed(contestants):
    """Least wall and CPU seconds of each (run, scale), in turn, so that noise meets them alike."""
    found = {name: [] for name in contestants}
    for round_ in range(REPEATS + 1):
        for name, (run, scale) in contestants.items():
            start, cpu = time.perf_counter(), time.process_time()
            run()
            if round_ > 0:
                found[name].append(((time.perf_counter() - start) * scale, (time.process_time() - cpu) * scale))
    return {name: [min(pair[i] for pair in pairs) for i in (0, 1)] for name, pairs in found.items()}


def only_exp(n):
    """exp over as many numbers as `SHARE` rows of the matrix have, in tiles that stay in cache."""

    def write_tiles(_, tile):
        tile[...] = 1.0
        exp_of_minus_half(tile)

    def run():
        count = SHARE * n // (TILE[0] * TILE[1])
        run_in_threads(write_tiles, range(count), state=lambda: np.empty(TILE, np.float32))

    return run


def only_gemm(X):
    """Inner products of `SHARE` rows with all rows."""

    def write_tile(rows, tile):
        np.matmul(X[rows], X.T, out=tile[: rows.stop - rows.start])

    def run():
        blocks = [slice(i, min(i + 500, SHARE)) for i in range(0, SHARE, 500)]
        run_in_threads(write_tile, blocks, state=lambda: np.empty((500, len(X)), np.float32))

    return run


def torch_seconds(n, d, c):
    python = os.environ.get("TORCH_PYTHON", sys.executable)
    command = [python, "-c", TORCH, *map(str, (n, d, c, SHARE))]
    found = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": "", "OMP_NUM_THREADS": "1"}
    )
    if found.returncode:
        return None, f"skipped: {found.stderr.strip().splitlines()[-1][:200]}"
    *seconds, version = json.loads(found.stdout)
    return seconds, version


def measured(n, d, c):
    rng = np.random.default_rng(0)
    X, V = rng.standard_normal((n, d)), rng.standard_normal((n, c))
    products = {
        name: KernelProduct(bo.Gaussian(np.sqrt(d)), X, precision=np.dtype(name)) for name in ("float32", "float64")
    }
    single = X.astype(np.float32)
    gamma, scale = 0.5 / d, n / SHARE
    ours = {name: (lambda product=product: product.times(V), 1.0) for name, product in products.items()}
    others = {
        "rbf_kernel(X) @ v": (lambda: rbf_kernel(X[:SHARE], X, gamma=gamma) @ V, scale),
        "only exp": (only_exp(n), scale),
        "only GEMM": (only_gemm(single), scale),
    }
    seconds = timed(ours | others)
    peer, note = torch_seconds(n, d, c)
    if peer is not None:
        seconds["PyTorch tiles"] = peer
    exact = bo.Gaussian(np.sqrt(d))(X[:50], X) @ V
    error = {name: float(np.max(np.abs(product.times(V)[:50] - exact))) for name, product in products.items()}
    ratios = {
        name: {"wall": pair[0] / seconds["float32"][0], "cpu": pair[1] / seconds["float32"][1]}
        for name, pair in seconds.items()
    }
    return {
        "n": n,
        "d": d,
        "columns": c,
        "torch": note,
        "seconds_wall_cpu": seconds,
        "over_ours": ratios,
        "error": error,
    }


def main(n):
    write("exact_product", {"tiles": TILE, "runs": [measured(n, 8, 1), measured(min(n, 8000), 784, 10)]})


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 36_000)
