"""The transform against its limit (GEMM alone plus writing the output once), RBFSampler and xGPR.

The limit is measured with the same threads: one multi-threaded GEMM into memory that is already mapped, and one fill of
a fresh output array by as many threads.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from harness import interleaved, len_cores, write
from sklearn.kernel_approximation import RBFSampler

import bochner as bo

N, WIDTH = 20_000, 2048


def xgpr_transform(X):
    """xGPR's RBF feature generator, or None where it is not installed."""
    try:
        from xGPR import KernelFGen
    except ImportError:
        return None
    generator = KernelFGen(
        num_rffs=WIDTH, hyperparams=np.array([1.0]), num_features=X.shape[1], kernel_choice="RBF", device="cpu"
    )
    return lambda: generator.predict(X)


def fill_once(dtype, pool):
    out = np.empty((N, WIDTH), dtype=dtype)
    parts = np.array_split(np.arange(N), pool._max_workers)
    list(pool.map(lambda rows: out[rows[0] : rows[-1] + 1].fill(1.0), parts))
    return out


def measure(dtype, d, pool):
    X = np.random.default_rng(0).standard_normal((N, d)).astype(dtype)
    ours = bo.FourierFeatures(n_components=WIDTH, random_state=0).fit(X)
    theirs = RBFSampler(n_components=WIDTH, random_state=0).fit(X)
    omega_t = np.ascontiguousarray(ours.map_.omega.T.astype(dtype))
    projection = np.zeros((N, WIDTH // 2), dtype=dtype)
    contestants = {
        "ours": lambda: ours.transform(X),
        "gemm": lambda: np.matmul(X, omega_t, out=projection),
        "write": lambda: fill_once(dtype, pool),
        "scikit-learn": lambda: theirs.transform(X),
    }
    xgpr = xgpr_transform(X)
    if xgpr is not None:
        contestants["xGPR"] = xgpr
    seconds = interleaved(contestants, repeats=15)
    limit = seconds["gemm"] + seconds["write"]
    return {
        "dtype": dtype, "d": d, "seconds": seconds, "times_limit": seconds["ours"] / limit,
        "faster_than_scikit_learn": seconds["scikit-learn"] / seconds["ours"],
        "faster_than_xgpr": seconds["xGPR"] / seconds["ours"] if "xGPR" in seconds else None,
    }  # fmt: skip


def main():
    with ThreadPoolExecutor(len_cores()) as pool:
        rows = [measure(dtype, d, pool) for dtype in ("float32", "float64") for d in (8, 50, 400)]
    write("transform", {"n": N, "n_components": WIDTH, "rows": rows})


if __name__ == "__main__":
    main()
