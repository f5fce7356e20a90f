"""Speed of the catalogue: against scikit-learn, against its own GEMM, and search by codes against dot products.

Seconds of the processor, one thread, contestants in turn, the smallest of all rounds: a busy machine changes them
little. Ratios are peer over ours where larger is better, ours over the limit where it is a limit.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from harness import write
from map_contestants import load
from sklearn.kernel_approximation import AdditiveChi2Sampler, PolynomialCountSketch

import bochner as bo

TYPES = (np.float32, np.float64)
ROUNDS = 5


def fastest(contestants: dict[str, Callable[[], Any]], rounds: int = ROUNDS) -> dict[str, float]:
    """Smallest processor seconds of each, run in turn, after a round that warms up."""
    times: dict[str, list[float]] = {name: [] for name in contestants}
    with bo.config_context(n_threads=1):
        for _ in range(rounds + 1):
            for name, run in contestants.items():
                start = time.process_time()
                run()
                times[name].append(time.process_time() - start)
    return {name: min(found[1:]) for name, found in times.items()}


def row(what: str, need: str, ratio: float, met: bool, **known: Any) -> dict:
    found = {"what": what, "need": need, "ratio": round(ratio, 2), "met": bool(met), **known}
    print(found, file=sys.stderr, flush=True)
    return found


def structured(dtype: type, d: int, width: int) -> list[dict]:
    """SORF and Fastfood over the dense projection of as many frequencies."""
    X = np.random.default_rng(0).standard_normal((500, d)).astype(dtype)
    maps = {
        name: bo.FourierFeatures(bo.Gaussian(d**0.5), n_components=width, sampling=name, random_state=0).fit(X)
        for name in ("monte_carlo", "sorf", "fastfood")
    }
    times = fastest({name: (lambda each=each: each.transform(X)) for name, each in maps.items()}, 3)
    return [
        row(f"{name}, dense over structured", "1", times["monte_carlo"] / times[name],
            times[name] < times["monte_carlo"], dtype=dtype.__name__, d=d, width=width, seconds=times)
        for name in ("sorf", "fastfood")
    ]  # fmt: skip


def tensor_sketch(dtype: type, d: int, width: int, degree: int, density: float | None) -> dict:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1500, d)).astype(dtype)
    if density is not None:
        X = sp.random(1500, d, density, format="csr", dtype=dtype, random_state=0)
    ours = bo.TensorSketchFeatures(bo.Polynomial(degree, gamma=1.0), n_components=width, random_state=0).fit(X)
    peer = PolynomialCountSketch(degree=degree, gamma=1.0, coef0=1, n_components=width, random_state=0).fit(X)
    times = fastest({"ours": lambda: ours.transform(X), "scikit-learn": lambda: peer.transform(X)}, 3)
    need, ratio = 2 if density is None else 5, times["scikit-learn"] / times["ours"]
    rows = "dense" if density is None else f"sparse, {density:g} of the entries"
    return row(f"TensorSketch, {rows}: PolynomialCountSketch over ours", f"{need}", ratio, ratio >= need,
               dtype=dtype.__name__, d=d, width=width, degree=degree, seconds=times)  # fmt: skip


def over_gemm(name: str, features: Any, matrix: Callable[[Any], np.ndarray], dtype: type, d: int) -> dict:
    """A transform over one GEMM with all its projections, whose result is a new array, too."""
    X = np.random.default_rng(0).standard_normal((4000, d)).astype(dtype)
    features.fit(X)
    W = np.ascontiguousarray(matrix(features), dtype=dtype)
    times = fastest({"ours": lambda: features.transform(X), "GEMM": lambda: X @ W}, 9)
    ratio = times["ours"] / times["GEMM"]
    return row(f"{name}: ours over GEMM", "at most 1.3", ratio, ratio <= 1.3, dtype=dtype.__name__, d=d, width=1024,
               seconds=times)  # fmt: skip


def additive(dtype: type) -> dict:
    X = np.random.default_rng(0).dirichlet(np.ones(50), 10_000).astype(dtype)
    ours, peer = bo.AdditiveFeatures().fit(X), AdditiveChi2Sampler(sample_steps=2).fit(X)
    times = fastest({"ours": lambda: ours.transform(X), "scikit-learn": lambda: peer.transform(X)}, 9)
    ratio = times["scikit-learn"] / times["ours"]
    return row("additive features: AdditiveChi2Sampler over ours", "2", ratio, ratio >= 2, dtype=dtype.__name__, d=50,
               width=150, seconds=times)  # fmt: skip


def search(n_bits: int, n_candidates: int) -> list[dict]:
    """Ten nearest images by angle: all dot products, or the nearest codes and dot products with those alone."""
    split = load("mnist", 0, 30_000, 200)
    X, Q = (rows.astype(np.float32) / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (split.X, split.X_test))
    centre = X.mean(axis=0)
    features = bo.SignFeatures(n_components=n_bits, random_state=0).fit(X[:10])
    codes, queries = features.codes(X - centre), features.codes(Q - centre)

    def by_products(Q: np.ndarray) -> np.ndarray:
        return np.argpartition(-(Q @ X.T), 10, axis=1)[:, :10]

    def by_codes(Q: np.ndarray, queries: np.ndarray) -> np.ndarray:
        near = features.nearest(queries, codes, n_candidates)[0]
        best = [np.argpartition(-(X[some] @ q), 10)[:10] for q, some in zip(Q, near)]
        return np.take_along_axis(near, np.array(best), axis=1)

    exact, found = by_products(Q), by_codes(Q, queries)
    recall = float(np.mean([len(set(a) & set(b)) / 10 for a, b in zip(exact, found)]))
    rows = []
    for n, of in ((1, "one query at a time"), (100, "100 queries at once")):
        some, few = Q[:n], queries[:n]
        runs = {"codes": partial(by_codes, some, few), "products": partial(by_products, some)}
        times = fastest(runs)
        ratio = times["products"] / times["codes"]
        rows.append(row(f"search by {n_bits} bits, {n_candidates} candidates compared exactly, {of}: dot products over "
                        f"codes, recall {recall:.3f}", "10", ratio, ratio >= 10, dtype="float32", d=X.shape[1],
                        width=n_bits, recall=recall, seconds=times))  # fmt: skip
    return [*rows, same_signs(codes, queries, n_bits)]


def same_signs(codes: np.ndarray, queries: np.ndarray, n_bits: int) -> dict:
    """The same features as numbers: the same answers."""
    few, one = codes, queries[:1]
    signs, q = (
        np.unpackbits(each.view(np.uint8), axis=1).astype(np.float32)[:, :n_bits] * 2 - 1 for each in (few, one)
    )
    times = fastest({
        "codes": lambda: bo.SignFeatures.nearest(one, few, 10),
        "products": lambda: np.argpartition(-(q @ signs.T), 10, axis=1)[:, :10],
    }, 9)  # fmt: skip
    ratio = times["products"] / times["codes"]
    return row(f"{n_bits} signs as bits over the same as float32, one query: equal recall", "10", ratio, ratio >= 10,
               dtype="float32", d=n_bits, width=n_bits, recall=1.0, seconds=times)  # fmt: skip


def main() -> None:
    rows = []
    for dtype in TYPES:
        for d, width in ((256, 2048), (1024, 8192), (2048, 8192)):
            rows += structured(dtype, d, width)
        rows += [tensor_sketch(dtype, d, width, degree, None) for d, width, degree in ((50, 1024, 2), (200, 1024, 3))]
        rows.append(tensor_sketch(dtype, 5000, 1024, 2, 0.005))
        for d in (50, 200, 784):
            signs = bo.SignFeatures(n_components=1024, random_state=0)
            products = bo.MaclaurinFeatures(bo.Polynomial(2), n_components=1024, random_state=0)
            rows.append(over_gemm("signs", signs, lambda each: each.map_.projection.matrix().T, dtype, d))
            rows.append(over_gemm("Maclaurin", products, lambda each: each.map_.signs, dtype, d))
        rows.append(additive(dtype))
    rows += search(512, 200)
    write("map_speed", {"rounds": ROUNDS, "bochner": bo.__version__, "rows": rows})


if __name__ == "__main__":
    main()
