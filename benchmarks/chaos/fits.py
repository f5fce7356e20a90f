"""The fits that are killed: python -m benchmarks.chaos.fits KIND OUT [--checkpoint FILE] [--scheduler FILE].

Checkpoints are written up to a hundred times a second instead of once, so that kills land between and within them. The
predictions on fixed rows are the result; they are written beside and renamed, so that they are whole or not there.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

KINDS = ("direct", "iterative", "classifier", "exact", "dask")
TOLERANCES = {"direct": 0.0, "iterative": 3e-9, "classifier": 3e-9, "exact": 3e-9, "dask": 1e-9}
"""Largest difference of predictions to those of the fit that was not interrupted, over their largest value."""

HASTE = {
    "bochner.statistics.checkpoint": {"_SHORTEST": 0.01, "_REST": 1.0},
    "bochner.engines.dask_waves": {"WAVE_SECONDS": 0.1},
}
"""Seconds between two checkpoints at least, the rest after one in units of its length, and the length of a wave."""

ROWS = {"direct": 40_000, "iterative": 15_000, "classifier": 40_000, "exact": 2_500, "dask": 60_000}
WIDTHS = {"direct": 512, "iterative": 512, "classifier": 192, "exact": 0, "dask": 384}
"""Classifiers and exact machines of which a fifth of the fit comes before the first checkpoint."""

PARTS = 24


def table(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 6))
    return X, np.sin(X[:, :3].sum(axis=1)) + 0.1 * rng.standard_normal(n)


def model(kind: str, checkpoint: str | None) -> Any:
    """The estimator of a kind. Exact machines of so few rows would be solved directly, without a checkpoint."""
    import bochner as bo

    given: dict[str, Any] = {"random_state": 0, "checkpoint": checkpoint}
    kernel = bo.Gaussian(2.5)
    if kind == "classifier":
        return bo.KernelClassifier(kernel, n_components=WIDTHS[kind], alpha=1e-4, tol=1e-10, **given)
    if kind == "exact":
        hard = {"alpha": 1e-3, "tol": 1e-10, "max_iter": 1_000}  # some two hundred iterations
        return bo.KernelRegressor(bo.Matern(nu=0.5), features="exact", solver="iterative", **hard, **given)
    solver = "iterative" if kind == "iterative" else "direct"
    return bo.KernelRegressor(kernel, n_components=WIDTHS[kind], alpha=0.1, solver=solver, tol=1e-10, **given)


def hasten_checkpoints() -> None:
    """Write checkpoints often: the names are private, and may go."""
    for path, values in HASTE.items():
        module = import_module(path)
        for name, value in values.items():
            if not hasattr(module, name):
                print(f"{path} has no {name} any more: checkpoints are as rare as they are", file=sys.stderr)
            setattr(module, name, value)


def rows_of(kind: str) -> tuple[Any, Any]:
    X, y = table(ROWS[kind])
    if kind == "classifier":
        return X, y > 0
    if kind != "dask":
        return X, y
    import dask.array as da

    rows = -(-ROWS[kind] // PARTS)
    return da.from_array(X, chunks=(rows, X.shape[1])), da.from_array(y, chunks=rows)


def predictions(kind: str, fitted: Any) -> np.ndarray:
    X = table(500, seed=1)[0]
    return fitted.decision_function(X) if kind == "classifier" else fitted.predict(X)


def announce() -> None:
    """Imports are over: who wants to kill the fit itself counts from here."""
    print("begins", flush=True)


def fit(
    kind: str, checkpoint: str | None, scheduler: str | None = None, begins: Callable[[], object] = announce
) -> np.ndarray:
    import bochner as bo

    bo.set_config(n_threads=1, memory="24MB" if kind == "direct" else "400MB")  # small blocks, so many of them
    hasten_checkpoints()
    estimator, rows = model(kind, checkpoint), rows_of(kind)
    with nullcontext() if scheduler is None else client_of(scheduler):
        begins()
        begin = time.monotonic()
        fitted = estimator.fit(*rows)
        print(f"took {time.monotonic() - begin}", flush=True)
        return predictions(kind, fitted)


def client_of(scheduler: str) -> Any:
    """A client of the cluster of a scheduler's file, as soon as it has a worker."""
    from distributed import Client

    client = Client(scheduler_file=scheduler, timeout=30)
    client.wait_for_workers(1, timeout=30)
    return client


def write(path: Path, found: np.ndarray) -> None:
    partial = path.with_suffix(".part")
    with partial.open("wb") as file:
        np.save(file, found)
    os.replace(partial, path)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chaos.fits", description=__doc__)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("out", type=Path)
    parser.add_argument("--checkpoint", default=None)
    parser.add_argument("--scheduler", default=None)
    asked = parser.parse_args()
    write(asked.out, fit(asked.kind, asked.checkpoint, asked.scheduler))


if __name__ == "__main__":
    main()
