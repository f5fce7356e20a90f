"""Can the default call be trusted: ours with nothing set on raw and standardised tables, real and made to break it.

Every regression and classification table of the data folder (`BOCHNER_DATA`; up to 8,000 training and 4,000 test rows)
and synthetic ones, against boosted trees, scikit-learn's exact kernel machines on scaled columns, a linear model, and
our own penalty and scale rules. Images, qm7 and etopo5 are left out: they are no tables. Rules are chosen on folds 0 to
4 and reported on 5 to 9; where a table has no folds, these are seeds of random splits.

A line is added to results/defaults.journal after every fit, so that an interrupted run goes on; results/defaults.json
and docs/defaults.md are made of all lines of the folds that are asked for. A journal that is not there begins with the
fits of results/defaults.json, so that peers need not be measured again. Run all of it, or parts:

    python benchmarks/defaults.py
    python benchmarks/defaults.py --tables yacht energy synthetic --methods ours trees
    python benchmarks/defaults.py --folds 0 1 2 3 4 --methods ours own     # to choose; results/defaults_choosing.json
    python benchmarks/defaults.py --methods ours --again                   # after a change of the library
    python benchmarks/defaults.py --quick --tables yacht                   # 1 split, 1,500 rows; into results/quick
    python benchmarks/defaults.py --methods                                # fit nothing: JSON and page anew
"""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from default_methods import METHODS, SCALED
from default_page import markdown, mixed, page
from default_summary import VARIANTS, per_table, records_of, summary
from default_tables import LEFT_OUT, N_TEST, N_TRAIN, TABLES, FileTable, Split, SyntheticTable
from harness import RESULTS, len_cores

import bochner as bo

REPORTED = (5, 6, 7, 8, 9)
QUICK_ROWS = 1500
LEVEL = 0.9
PAGE = Path(__file__).parents[1] / "docs" / "defaults.md"
NAMES = tuple(dict.fromkeys(name for methods in METHODS.values() for name in methods))


class Task(NamedTuple):
    """One fit: a method on one split of one variant of a table."""

    table: str
    variant: str
    fold: int
    method: str


class Journal:
    """Records of finished fits, a line each, appended; of two lines on one fit the later counts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.records: dict[Task, dict[str, Any]] = {}
        stored = path.with_suffix(".json")
        if not path.exists() and stored.exists():
            found = json.loads(stored.read_text(encoding="utf-8"))
            fits = found["fits"] + found.get("mixed", []) if "fits" in found else records_of(found["tables"])
            for record in fits:
                self.add({"library": "an earlier run"} | record)
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
            try:
                record = json.loads(line)
            except ValueError:
                continue  # the line that was being written when the run was stopped
            if record:
                self.records[task_of(record)] = record

    def add(self, record: dict[str, Any]) -> None:
        self.records[task_of(record)] = record
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"\n{json.dumps(record)}\n")  # after a line that was cut off, too

    def forget(self, tasks: Sequence[Task]) -> None:
        """Drop fits that are to be measured anew."""
        for task in tasks:
            self.records.pop(task, None)
        partial = self.path.with_suffix(".tmp")
        partial.write_text("".join(f"{json.dumps(record)}\n" for record in self.records.values()), encoding="utf-8")
        partial.replace(self.path)

    def too_slow(self, task: Task, cap: float) -> bool:
        """Whether a peer took longer than the cap on another split of the table."""
        if is_ours(task.method) or task.method == "trees":
            return False
        others = (r for done, r in self.records.items() if (done.table, done.method) == (task.table, task.method))
        return any((record["fit_seconds"] or 0) > cap for record in others)


@cache
def library() -> str:
    """Fingerprint of the sources of bochner when the run began: a journal may hold fits of several states of them."""
    folder, digest = Path(bo.__file__).parent, hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def is_ours(method: str) -> bool:
    return method == "ours" or method.startswith("own_")


def task_of(record: dict[str, Any]) -> Task:
    return Task(*(record[field] for field in Task._fields))


def tasks_of(
    table: FileTable | SyntheticTable, folds: Sequence[int], methods: Sequence[str], variants: Sequence[str] = VARIANTS
) -> Iterator[Task]:
    """All fits of a table, split by split; methods that scale the columns themselves once for both variants."""
    wanted = [name for name in METHODS[table.task] if name in methods]
    for fold in folds:
        for name in wanted:
            for variant in ("scaled",) if name in SCALED else variants:
                yield Task(table.name, variant, fold, name)


def measured(task: Task, rows: Split) -> dict[str, Any]:
    """The record of one fit. A fit that fails is a record with the reason."""
    table = TABLES[task.table]
    rows = rows.standardised(table.task) if task.variant == "standardised" else rows
    record = task._asdict() | {
        "task": table.task, "synthetic": table.synthetic, "n": len(rows.y), "d": rows.X.shape[1],
        "n_test": len(rows.y_test), "baseline": baseline(table.task, rows), "error": None, "fit_seconds": None,
        "predict_seconds": None, "library": library(),
    }  # fmt: skip
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            record |= fit_and_predict(task, table.task, rows)
        except Exception as error:  # a method that fails is a line in the table
            record["failed"] = f"{type(error).__name__}: {error}"[:300]
    return record | {"warnings": sorted({warning.category.__name__ for warning in caught})}


def fit_and_predict(task: Task, kind: str, rows: Split) -> dict[str, Any]:
    """Error on the test rows and the seconds; for ours what was chosen, and how many targets the intervals held."""
    start = time.perf_counter()
    model = METHODS[kind][task.method](rows.X, rows.y)
    fitted = time.perf_counter()
    predicted = model.predict(rows.X_test)
    record = {"fit_seconds": fitted - start, "predict_seconds": time.perf_counter() - fitted}
    error = test_error(kind, rows, predicted)
    if isfinite(error):
        record["error"] = error
    else:
        record["failed"] = "predictions that are not finite"
    if is_ours(task.method):
        record |= chosen(model)
    if task.method == "ours" and kind == "regression":
        record["coverage"] = interval_coverage(model, rows)
    return record


def test_error(kind: str, rows: Split, predicted: np.ndarray) -> float:
    """RMSE over that of the mean of the training rows; the error rate of a classifier."""
    if kind == "classification":
        return float(np.mean(predicted != rows.y_test))
    return rmse(predicted, rows.y_test) / rmse(rows.y.mean(), rows.y_test)


def baseline(kind: str, rows: Split) -> float:
    """The error of the mean, which is the unit, or of the most frequent class."""
    return 1.0 if kind == "regression" else float(np.mean(rows.y_test != np.bincount(rows.y).argmax()))


def rmse(predicted: np.ndarray | float, y: np.ndarray) -> float:
    return float(np.sqrt(np.mean((predicted - y) ** 2)))


def interval_coverage(model: bo.KernelRegressor, rows: Split) -> float:
    """Share of the test targets in their 90 % intervals."""
    low, high = model.predict(rows.X_test, return_interval=LEVEL)[-1]
    return float(np.mean((low <= rows.y_test) & (rows.y_test <= high)))


def chosen(model: Any) -> dict[str, Any]:
    """Kernel, width, penalty, and whether each column has its own scale, as far as the model tells."""
    tuning = getattr(model, "tuning_", None)
    kernel = getattr(tuning, "kernel", getattr(getattr(model, "features_", None), "kernel", model.kernel))
    nu = getattr(kernel, "nu", None)
    name = kernel if isinstance(kernel, str) else type(kernel).__name__
    scales = getattr(tuning, "length_scale", getattr(kernel, "length_scale", None))
    alpha = getattr(model, "alpha_", None)
    return {
        "kernel": name if nu is None else f"{name}, nu = {nu:g}",
        "width": int(np.shape(model.coef_)[-1]) if np.ndim(getattr(model, "coef_", None)) else None,
        "alpha": None if alpha is None else float(alpha),
        "per_column": bool(np.size(scales) > 1),
    }


def run(tasks: Sequence[Task], journal: Journal, n_train: int, n_test: int, cap: float) -> None:
    """Measure what the journal does not have."""
    left = [task for task in tasks if task not in journal.records]
    if left:
        warm_up()
    at, rows = None, None
    for task in left:
        if journal.too_slow(task, cap):
            continue
        if at != (task.table, task.fold):
            at, rows = (task.table, task.fold), TABLES[task.table].split(task.fold, n_train, n_test)
        record = measured(task, rows)
        journal.add(record)
        print(line(record), flush=True)


def warm_up() -> None:
    """One small fit of each kind and method of ours: loading and compiling is not part of the first time."""
    rows = TABLES["fifty_rows"].split(0, 50, 50)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        METHODS["regression"]["ours"](rows.X, rows.y).predict(rows.X_test, return_interval=LEVEL)
        METHODS["classification"]["ours"](rows.X, (rows.y > 0).astype(int)).predict(rows.X_test)


def line(record: dict[str, Any]) -> str:
    """One fit for the eye."""
    found = record.get("failed") or f"error {record['error']:.4g} (baseline {record['baseline']:.4g})"
    parts = [", ".join(str(part) for part in task_of(record)), found]
    if record["fit_seconds"] is not None:
        parts.append(f"{record['fit_seconds']:.2f} + {record['predict_seconds']:.2f} s")
    if record.get("coverage") is not None:
        parts.append(f"covers {record['coverage']:.3f}")
    return " | ".join([*parts, *record["warnings"]])


def results(journal: Journal, folds: Sequence[int]) -> dict[str, Any]:
    """The summary and the tables of all fits of these folds, as the JSON has them."""
    records = [record for record in journal.records.values() if record["fold"] in folds]
    libraries = Counter(record.get("library", "unknown") for record in records if is_ours(record["method"]))
    present = sorted({record["fold"] for record in records})
    return plain({
        "machine": f"{platform.machine()}, {len_cores()} cores", "python": platform.python_version(),
        "bochner": bo.__version__, "libraries": dict(libraries), "folds": present, "left_out": LEFT_OUT,
        "summary": summary(records), "tables": per_table(records),
    })  # fmt: skip


def plain(value: Any) -> Any:
    """Values for JSON: five digits, None for what is not finite."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return float(f"{value:.5g}") if isfinite(value) else None
    return value


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", nargs="*", default=["all"], choices=["all", "real", "synthetic", *TABLES])
    parser.add_argument(
        "--methods", nargs="*", default=NAMES, choices=[*NAMES, "own"], help="own: all of our own rules"
    )
    parser.add_argument("--folds", nargs="+", type=int, default=REPORTED, choices=range(10), help="5 to 9 unless told")
    parser.add_argument(
        "--variants", nargs="+", default=VARIANTS, choices=VARIANTS, help="columns of ours and of trees"
    )
    parser.add_argument("--splits", type=int, default=None, help="so many of the folds")
    parser.add_argument("--quick", action="store_true", help="1 split, 1,500 rows, into results/quick")
    parser.add_argument("--again", action="store_true", help="measure anew what the journal has of these parts")
    parser.add_argument("--cap", type=float, default=300, help="seconds after which a peer skips the other splits")
    parser.add_argument("--note", default="", help="a sentence for the page, such as how quiet the machine was")
    parser.add_argument("--list", action="store_true", help="print the tables and the number of fits that are left")
    return parser.parse_args()


def tables_named(words: Sequence[str]) -> list[FileTable | SyntheticTable]:
    """The tables of these names; "all", "real" and "synthetic" are groups."""
    groups = {"all": (True, False), "real": (False,), "synthetic": (True,)}
    return [
        table
        for name, table in TABLES.items()
        if name in words or any(table.synthetic in groups.get(word, ()) for word in words)
    ]


def main() -> None:
    library()  # before the first fit: sources may change under a long run
    told = options()
    folds = tuple(sorted(told.folds))[: 1 if told.quick else told.splits]
    methods = [name for name in NAMES if name in told.methods or ("own" in told.methods and name.startswith("own_"))]
    tables = tables_named(told.tables)
    tasks = [task for table in tables for task in tasks_of(table, folds, methods, told.variants)]
    folder = RESULTS / "quick" if told.quick else RESULTS
    folder.mkdir(parents=True, exist_ok=True)
    journal = Journal(folder / "defaults.journal")
    if told.list:
        left = [task for task in tasks if task not in journal.records]
        print(*(f"{name}: {sum(task.table == name for task in left)} fits left" for name in TABLES), sep="\n")
        return
    if told.again:
        journal.forget(tasks)
    run(tasks, journal, *((QUICK_ROWS, QUICK_ROWS) if told.quick else (N_TRAIN, N_TEST)), told.cap)
    finish(journal, told.folds, folder, quick=told.quick, note=told.note)


def finish(journal: Journal, folds: Sequence[int], folder: Path, *, quick: bool, note: str) -> None:
    """Write the JSON, and the page if the folds are those that are reported; a quick run keeps its own apart."""
    reported = set(folds) <= set(REPORTED)
    name = "defaults" if reported else "defaults_choosing"
    found = results(journal, REPORTED if reported else tuple(sorted(folds))) | {"note": note}
    (folder / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if reported:
        (folder / "defaults.md" if quick else PAGE).write_text(page(found), encoding="utf-8")
    print(markdown("reached", found))
    print(mixed(found))


if __name__ == "__main__":
    main()
