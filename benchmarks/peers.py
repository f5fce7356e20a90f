"""Ours against its peers on real tables: xRFM, boosted trees, Gaussian processes, support vectors, a linear model.

Every table of the data folder (`BOCHNER_DATA`) that `benchmarks/defaults.py` knows, raw columns, up to 8,000 training
rows (`--rows`) and 4,000 test rows, folds 5 to 9: rules were chosen on folds 0 to 4. A fit runs in a process of its own
and peers in an environment of their own, which is made on the first run (`--environment`): torch 2.13.0 from PyPI, some
hundred megabytes. Errors, seconds and the growth of the process are recorded.

A line is added to results/peers.journal after every fit, so that an interrupted run goes on; results/peers.json and
docs/peers.md are made of all lines with this number of rows. Run all of it, which takes a day or more, or parts:

    python benchmarks/peers.py
    python benchmarks/peers.py --tables elevators kin40k --folds 5 --methods ours own_metric xrfm trees
    python benchmarks/peers.py --quick --tables yacht --methods ours xrfm trees    # 1,500 rows; into results/quick
    python benchmarks/peers.py --rows 2000 --methods                               # fit nothing: JSON and page anew

Fits of mixed tables with up to 8,000 rows, if there are any, stand in a table of their own.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from default_tables import CLASSIFICATION, N_TEST, N_TRAIN, REGRESSION, TABLES, Split
from defaults import QUICK_ROWS, REPORTED, Journal, Task, baseline, library, line, plain, test_error
from harness import RESULTS, len_cores
from peer_methods import METHODS, NATIVE, OURS, REGRESSION_ONLY
from peer_page import page, summary

REQUIREMENTS = (
    "torch==2.13.0", "xrfm==0.4.5", "lightgbm==4.7.0", "catboost==1.2.10", "gpytorch==1.15.2", "gpboost==1.8.0",
    "xGPR==0.4.8.5", "scikit-learn-intelex==2026.2.0", "scikit-learn==1.9.1",
)  # fmt: skip
PAGE = Path(__file__).parents[1] / "docs" / "peers.md"
WORKER = Path(__file__).with_name("peer_methods.py")


def environment(folder: Path) -> Path:
    """The interpreter of the peers' environment, which is made if it is not there."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *REQUIREMENTS], check=True)
    return python


def possible(task: Task) -> bool:
    """Whether a method is made for a table."""
    table = TABLES[task.table]
    if task.method in REGRESSION_ONLY:
        return table.task == "regression"
    return task.method not in NATIVE or task.table.startswith("mixed_")


def inputs_of(task: Task, rows: Split, sizes: tuple[int, int]) -> dict[str, Any]:
    """What a fit is given: the rows, and for methods with native categories the columns as they are."""
    found = {"X": rows.X, "y": rows.y, "X_test": rows.X_test}
    if task.method not in NATIVE:
        return found
    X, X_test, categories = TABLES[task.table].native(task.fold, *sizes)
    return found | {"native": X, "native_test": X_test, "categorical": np.array(categories, dtype=int)}


def coverage(rows: Split, intervals: np.ndarray) -> dict[str, float | None]:
    """Share of test targets in 90 % intervals, and their mean width over the deviation of the targets."""
    if not intervals.size:
        return {"covers": None, "interval_width": None}
    low, high = intervals
    inside = float(np.mean((low <= rows.y_test) & (rows.y_test <= high)))
    return {"covers": inside, "interval_width": float(np.mean(high - low) / np.std(rows.y_test))}


def measured(task: Task, rows: Split, sizes: tuple[int, int], python: Path, limit: float) -> dict[str, Any]:
    """The record of one fit. A fit that fails, or takes longer than the limit, is a record with the reason."""
    kind = TABLES[task.table].task
    record = task._asdict() | {
        "task": kind, "n": len(rows.y), "d": rows.X.shape[1], "n_test": len(rows.y_test), "error": None,
        "baseline": baseline(kind, rows), "fit_seconds": None, "predict_seconds": None, "memory": None, "warnings": [],
        "library": library() if task.method in OURS else None,
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "rows.npz", Path(folder) / "found.npz"
        np.savez(source, **inputs_of(task, rows, sizes))
        interpreter = sys.executable if task.method in OURS else python
        try:
            command = [interpreter, WORKER, source, task.method, kind, target]
            subprocess.run(command, check=True, capture_output=True, text=True, timeout=limit)
            found = np.load(target)
        except subprocess.TimeoutExpired:
            return record | {"failed": f"longer than {limit:g} s", "fit_seconds": limit, "predict_seconds": 0.0}
        except subprocess.CalledProcessError as error:
            return record | {"failed": (error.stderr.strip().splitlines() or ["failed"])[-1][:200]}
        fit, predict = found["seconds"]
        record |= {"fit_seconds": float(fit), "predict_seconds": float(predict), "memory": int(found["memory"])}
        record |= coverage(rows, found["intervals"])
        return record | {"error": test_error(kind, rows, found["predicted"])}


def run(tasks: Sequence[Task], journal: Journal, sizes: tuple[int, int], folder: Path, limit: float) -> None:
    """Measure what the journal does not have."""
    left = [task for task in tasks if possible(task) and task not in journal.records]
    python = environment(folder) if any(task.method not in OURS for task in left) else Path(sys.executable)
    at, rows = None, None
    for task in left:
        if journal.too_slow(task, limit):
            continue
        if at != (task.table, task.fold):
            at, rows = (task.table, task.fold), TABLES[task.table].split(task.fold, *sizes)
        record = measured(task, rows, sizes, python, limit)
        journal.add(record)
        print(line(record), flush=True)


def results(journal: Journal, variant: str) -> dict[str, Any]:
    """All fits with so many rows, and what they say of ours against each peer; fits of more rows of mixed tables."""
    records = [record for task, record in sorted(journal.records.items()) if task.variant == variant]
    whole = [
        record for task, record in sorted(journal.records.items())
        if task.variant == variant_of(N_TRAIN) != variant and task.table.startswith("mixed_")
    ]  # fmt: skip
    machine = f"{platform.machine()}, {len_cores()} cores"
    found = {"machine": machine, "peers": REQUIREMENTS, "summary": summary(records), "fits": records, "mixed": whole}
    return plain(found)


def variant_of(rows: int) -> str:
    return f"raw, {rows:,} rows at most"


def options() -> argparse.Namespace:
    names = (*REGRESSION, *CLASSIFICATION)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", nargs="*", default=names, choices=names)
    parser.add_argument("--methods", nargs="*", default=list(METHODS), choices=list(METHODS))
    parser.add_argument("--folds", nargs="+", type=int, default=REPORTED, choices=range(10), help="5 to 9 unless told")
    parser.add_argument("--rows", type=int, default=N_TRAIN, help="training rows at most")
    parser.add_argument("--quick", action="store_true", help="one fold, 1,500 rows, into results/quick")
    parser.add_argument("--limit", type=float, default=1800, help="seconds after which a fit is stopped")
    default = Path(tempfile.gettempdir()) / "bochner-peers"
    parser.add_argument("--environment", type=Path, default=default, help="folder of the peers' environment")
    return parser.parse_args()


def main() -> None:
    told = options()
    folds = tuple(sorted(told.folds))[: 1 if told.quick else None]
    sizes = (QUICK_ROWS, QUICK_ROWS) if told.quick else (told.rows, N_TEST)
    variant = variant_of(sizes[0])
    tasks = [Task(table, variant, fold, name) for table in told.tables for fold in folds for name in told.methods]
    folder = RESULTS / "quick" if told.quick else RESULTS
    folder.mkdir(parents=True, exist_ok=True)
    journal = Journal(folder / "peers.journal")
    run(tasks, journal, sizes, told.environment, told.limit)
    found = results(journal, variant)
    (folder / "peers.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    (folder / "peers.md" if told.quick else PAGE).write_text(page(found), encoding="utf-8")


if __name__ == "__main__":
    main()
