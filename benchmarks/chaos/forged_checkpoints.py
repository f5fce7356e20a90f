"""Damaged and forged checkpoints: every one is refused, or leads to the model of the uninterrupted fit.

    python -m benchmarks.chaos.forged_checkpoints --count 3000 --seed 0 --json forged_checkpoints.json

Fits of every kind of state (moments, landmark searches, conjugate gradients, Newton, dual ascent) are stopped at every
place where they write a checkpoint. Each trial takes one of these files and changes it: some of its bytes, or, with
checksums that are right again, its numbers, arrays, names and tables. A worker then goes on from the file.

Outcomes: "refused" is a `CheckpointError`; "equal" is the model of the uninterrupted fit; "indistinguishable" is
another model, of numbers that a fit could have had and whose checksums are right. Anything else is listed: other
exceptions and dead workers as "crashes", more than a minute as "hangs", other models of changed bytes, and such with
NaN, as "wrong".
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import shutil
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import bochner as bo
from bochner._archive import read_archive, write_archive
from bochner.errors import CheckpointError
from bochner.statistics import CheckpointFile

from .children import patience

SECONDS = 60.0
TOLERANCE = 1e-3  # of the predictions, relative to their size: solvers stop where their tolerance says
NUMBERS = (-1, 0, 1, 7, 2**31, 2**63, 10**30, -(10**30), 0.5, 1e-300, 1e300, 1e999, "text", None, True, [1], {"a": 1})
ENTRIES = (np.nan, np.inf, -np.inf, -1.0, 0.0, 1e-300, 1e150, 1e300, -1e308)

RNG = np.random.default_rng(0)
X = RNG.standard_normal((400, 3))
Y = np.sin(X.sum(axis=1)) + 0.1 * RNG.standard_normal(400)
LABELS = np.digitize(Y, [-0.5, 0.5])
KERNEL = bo.Gaussian(1.5)
SOLVED = {"alpha": 1e-2, "tol": 1e-8, "max_iter": 300}

FITS: dict[str, tuple[Callable[..., Any], Any]] = {
    "direct": (lambda **o: bo.KernelRegressor(KERNEL, n_components=16, alpha=0.1, **o), Y),
    "landmarks": (lambda **o: bo.KernelRegressor(KERNEL, features="nystroem", alpha="loo", **o), Y),
    "exact": (lambda **o: bo.KernelRegressor(KERNEL, features="exact", solver="iterative", **SOLVED, **o), Y),
    "iterative": (lambda **o: bo.KernelRegressor(KERNEL, n_components=24, solver="iterative", **SOLVED, **o), Y),
    "gcv": (lambda **o: bo.KernelRegressor(KERNEL, n_components=24, solver="iterative", alpha="gcv", **o), Y),
    "squared": (lambda **o: bo.KernelClassifier(KERNEL, n_components=16, alpha="auto", **o), LABELS),
    "logistic": (lambda **o: bo.KernelClassifier(KERNEL, n_components=16, alpha=1.0, **o), LABELS),
    "logistic-cv": (
        lambda **o: bo.KernelClassifier(KERNEL, n_components=16, alpha="cv", cv=2, **PATH, **o),
        LABELS > 1,
    ),
    "huber": (lambda **o: bo.KernelHuberRegressor(KERNEL, **LOSS, **o), Y),
    "poisson": (lambda **o: bo.KernelPoissonRegressor(KERNEL, **LOSS, **o), LABELS),
    "hinge": (lambda **o: bo.KernelClassifier(KERNEL, loss="hinge", **MARGIN, **o), LABELS > 1),
    "squared-hinge": (lambda **o: bo.KernelClassifier(KERNEL, loss="squared_hinge", **MARGIN, **o), LABELS),
}
LOSS = {"n_components": 16, "alpha": 1.0, "tol": 1e-6}
PATH = {"alphas": [10.0, 1.0, 0.1], "loss": "logistic"}
MARGIN = {"n_components": 16, "alpha": 20.0, "probability": True, "cv": 2, "tol": 1e-6}


def model_of(kind: str, path: Path | None) -> Any:
    make, target = FITS[kind]
    with warnings.catch_warnings(), bo.config_context(n_threads=4, memory="300MB"), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return make(random_state=0, checkpoint=path).fit(X, target)


def answers(model: Any) -> np.ndarray:
    scores = model.decision_function if hasattr(model, "classes_") else model.predict
    return np.asarray(scores(X), dtype=float).reshape(len(X), -1)


def snapshots(kind: str, folder: Path) -> list[Path]:
    """The checkpoints that a fit writes, all of them: as if it were due after every block and iteration."""
    path, found, save = folder / "fit", [], CheckpointFile.save

    def copying(self: CheckpointFile, *args: Any, **kwargs: Any) -> None:
        save(self, *args, **kwargs)
        copy = folder / f"{kind}-{len(found)}"
        shutil.copy(path, copy)
        found.append(copy)

    due = CheckpointFile.due
    CheckpointFile.save, CheckpointFile.due = copying, True  # type: ignore[assignment,method-assign]
    try:
        model_of(kind, path)
    finally:
        CheckpointFile.save, CheckpointFile.due = save, due  # type: ignore[assignment,method-assign]
        path.unlink()
    return found


# Changes of bytes.


def changed_bytes(content: bytes, rng: np.random.Generator) -> bytes:
    data, n = bytearray(content), len(content)
    start, length = int(rng.integers(n)), int(rng.integers(1, 200))
    change = rng.choice(["flip", "cut", "remove", "insert", "double", "clear", "append", "swap"])
    if change == "flip":
        for place in rng.integers(n, size=int(rng.integers(1, 9))):
            data[place] ^= 1 << int(rng.integers(8))
    elif change == "cut":
        del data[start:]
    elif change == "remove":
        del data[start : start + length]
    elif change == "insert":
        data[start:start] = rng.bytes(length)
    elif change == "double":
        data[start:start] = data[start : start + length]
    elif change == "clear":
        data[start : start + length] = bytes(len(data[start : start + length]))
    elif change == "append":
        data += rng.bytes(length)
    else:
        other = int(rng.integers(n))
        data[start], data[other] = data[other], data[start]
    return bytes(data)


# Changes of content, with checksums that are right.


def forged(path: Path, out: Path, rng: np.random.Generator) -> str:
    """Write a file with other content to `out`; what was changed."""
    _, header, arrays = read_archive(path, kind="checkpoint", version=10**6)
    version = 1
    for _ in range(int(rng.integers(1, 4))):
        what = str(rng.choice(["number", "array", "name", "table", "version"], p=[0.3, 0.51, 0.09, 0.08, 0.02]))
        if what == "number":
            told = change_number(header, rng)
        elif what == "array":
            told = change_array(arrays, rng)
        elif what == "name":
            told = change_name(header, arrays, rng)
        elif what == "table":
            told = change_table(header, rng)
        else:
            version, told = int(rng.integers(-5, 5)), "version"
    if np.any([type(value) is float and not np.isfinite(value) for value in walk(header)]):
        header = json.loads(json.dumps(header).replace("Infinity", "1").replace("NaN", "1"))
    write_archive(out, kind="checkpoint", version=version, header=header, arrays=arrays)
    return told


def walk(value: Any) -> list[Any]:
    nested = value.values() if type(value) is dict else value if type(value) is list else ()
    return [value, *(leaf for each in nested for leaf in walk(each))]


def change_number(header: dict[str, Any], rng: np.random.Generator) -> str:
    tables = [header[name] for name in ("state", "notes") if type(header.get(name)) is dict and header[name]]
    if not tables:
        return "nothing"
    table = tables[int(rng.integers(len(tables)))]
    name = str(rng.choice(sorted(table)))
    table[name] = NUMBERS[int(rng.integers(len(NUMBERS)))]
    return f"{name} = {table[name]!r}"


def change_array(arrays: dict[str, np.ndarray], rng: np.random.Generator) -> str:
    if not arrays:
        return "nothing"
    name = str(rng.choice(sorted(arrays)))
    array = arrays[name].copy()
    array = array.astype(float) if array.dtype.kind == "U" else array  # changed before
    change = str(rng.choice(["entry", "entries", "type", "shape", "scale", "shuffle", "huge", "empty"]))
    if change == "entry" and array.size:
        array.reshape(-1)[int(rng.integers(array.size))] = np.asarray(rng.choice(ENTRIES)).astype(array.dtype)
    elif change == "entries":
        array = np.full_like(array, np.asarray(rng.choice(ENTRIES)).astype(array.dtype))
    elif change == "type":
        array = array.astype(str(rng.choice(["float32", "int64", "bool", "uint8", "U4", "uint64"])))
    elif change == "shape":
        array = np.concatenate([array, array]) if rng.random() < 0.5 else array.reshape(-1)[: array.size // 2]
    elif change == "scale":
        array = (array * float(rng.choice([-1.0, 0.5, 2.0, 1e6]))).astype(array.dtype)
    elif change == "shuffle":
        array = rng.permutation(array)
    elif change == "huge":
        array = np.zeros((1500, 1500))
    else:
        array = array[:0]
    arrays[name] = np.ascontiguousarray(array)
    return f"{change} of {name}"


def change_name(header: dict[str, Any], arrays: dict[str, np.ndarray], rng: np.random.Generator) -> str:
    tables = [table for table in (arrays, header.get("state"), header.get("notes")) if type(table) is dict and table]
    table: dict[str, Any] = tables[int(rng.integers(len(tables)))] if tables else {}
    if not table:
        return "nothing"
    name = str(rng.choice(sorted(table)))
    value = table.pop(name)
    if rng.random() < 0.5:
        table[str(rng.choice([f"{name}x", f"{name}.x", "x", f"a.{name}", "fit.x.numbers"]))] = value
    return f"without {name}"


def change_table(header: dict[str, Any], rng: np.random.Generator) -> str:
    name = str(rng.choice(["identity", "notes", "state"]))
    value = [None, [], "text", 7, {}, {"a": 1}, {"seed": -1}][int(rng.integers(7))]
    if rng.random() < 0.3:
        header.pop(name, None)
    else:
        header[name] = value
    return f"{name} = {value!r}"


# Trials, in a worker that may hang or die.


def serve(connection: Any) -> None:
    """Worker: go on from files, and say what became of it."""
    expected = {kind: answers(model_of(kind, None)) for kind in FITS}
    connection.send("ready")
    while True:
        kind, path = connection.recv()
        try:
            found = answers(model_of(kind, Path(path)))
        except CheckpointError:
            connection.send(("refused", ""))
        except Exception as error:  # every other one is a finding
            connection.send(("crash", f"{type(error).__name__}: {error}"[:300]))
        else:
            connection.send(compared(found, expected[kind]))


def compared(found: np.ndarray, expected: np.ndarray) -> tuple[str, str]:
    error = float(np.max(np.abs(found - expected)) / np.max(np.abs(expected)))
    return ("equal" if error <= TOLERANCE else "other" if np.isfinite(error) else "nan"), f"differs by {error:.1e}"


class Worker:
    """A process for trials, started anew after it hung or died."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._start()

    def _start(self) -> None:
        self._own, other = self._context.Pipe()
        self._process = self._context.Process(target=serve, args=(other,), daemon=True)
        self._process.start()
        other.close()
        self._own.recv()

    def outcome(self, kind: str, path: Path) -> tuple[str, str]:
        self._own.send((kind, str(path)))
        try:
            if self._own.poll(SECONDS * patience()):
                return self._own.recv()
            found = ("hang", f"more than {SECONDS:g} seconds")
        except EOFError:
            self._process.join()
            found = ("crash", f"the worker ended with {self._process.exitcode}")
        self.close()
        self._start()
        return found

    def close(self) -> None:
        self._process.kill()
        self._process.join()


def trial(
    worker: Worker, bases: list[tuple[str, Path]], folder: Path, seed: int, number: int
) -> tuple[str, dict[str, Any]]:
    """One changed file: its outcome, and what was done."""
    rng = np.random.default_rng([seed, number])
    kind, base = bases[int(rng.integers(len(bases)))]
    path, structural = folder / "trial", bool(rng.random() < 0.6)
    told = "bytes"
    if structural:
        told = forged(base, path, rng)
    else:
        path.write_bytes(changed_bytes(base.read_bytes(), rng))
    found, detail = worker.outcome(kind, path)
    if structural and found == "other":
        found = "indistinguishable"
    for litter in folder.glob("*trial*"):
        litter.unlink()
    return found, {"number": number, "fit": kind, "file": base.name, "change": told, "detail": detail}


def run(count: int, seed: int) -> dict[str, Any]:
    start, outcomes = time.monotonic(), Counter[str]()
    listed: dict[str, list[dict[str, Any]]] = {"crash": [], "hang": [], "wrong": []}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bases = [(kind, path) for kind in FITS for path in spread(snapshots(kind, folder))]
        worker = Worker()
        for number in range(count):
            found, told = trial(worker, bases, folder, seed, number)
            found = "wrong" if found in ("other", "nan") else found
            outcomes[found] += 1
            if found in listed:
                listed[found].append(told)
        worker.close()
    lists = {"crashes": listed["crash"], "hangs": listed["hang"], "wrong": listed["wrong"]}
    return {"tried": count, "outcomes": dict(outcomes), **lists, "seconds": round(time.monotonic() - start, 1)}


def spread(paths: list[Path], most: int = 6) -> list[Path]:
    """A few of the files, from the first to the last."""
    return [paths[i] for i in np.unique(np.linspace(0, len(paths) - 1, most).astype(int))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with np.errstate(all="ignore"):
        found = run(options.count, options.seed)
    text = json.dumps(found, indent=2)
    if options.json is not None:
        options.json.write_text(text + "\n")
    print(text)
    return 1 if found["crashes"] or found["hangs"] or found["wrong"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
