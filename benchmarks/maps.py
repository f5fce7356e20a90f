"""Every feature map on equal bytes and on equal seconds: error of its own kernel, and test error of ridge on it.

Settings (length scale, degree, kernel within a family) and the penalty are chosen on split 0, errors are means of
splits 5 and 6. Equal bytes: features of 1 KB a row, 256 numbers in float32 or 8,192 bits. Equal seconds: as wide as
the seconds of 1,024 Fourier features allow, 4,096 at most, one thread. Writes docs/maps.md.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from default_tables import Split
from harness import RESULTS, write
from map_contestants import BITS, CLASSIFICATION, CONTESTANTS, REGRESSION, Contestant, Rows, load, prepared
from scipy.linalg import cho_factor, cho_solve

import bochner as bo

N_TRAIN, N_TEST, N_KERNEL = 1000, 600, 300
WIDTH, WIDTH_OF_SECONDS, NARROWEST, WIDEST = 256, 1024, 16, 4096
CHOSEN_ON, REPORTED = 0, (5, 6)
PENALTIES = tuple(10.0 ** np.arange(-6, 3))
SWEPT = (64, 256, 1024, 4096)
SAMPLERS = tuple(each for each in CONTESTANTS if each.name.startswith("Fourier"))


def transformed(features: Any, X: np.ndarray) -> np.ndarray:
    with bo.config_context(n_threads=1):
        return features.transform(X)


def errors(features: Any, rows: Rows, penalties: Sequence[float] = PENALTIES) -> dict[float, float]:
    """Test error by penalty (in units of the mean squared norm of a row): ridge with an offset, primal or dual."""
    Z, Z_test = (transformed(features, X).astype(float) for X in (rows.X, rows.X_test))
    mean, offset = Z.mean(axis=0), rows.Y.mean(axis=0)
    Z, Z_test, Y = Z - mean, Z_test - mean, rows.Y - offset
    unit = max(float(np.mean(np.sum(Z**2, axis=1))), 1e-30)
    dual = Z.shape[1] > len(Z)
    gram, cross, new = (Z @ Z.T, Y, Z_test @ Z.T) if dual else (Z.T @ Z, Z.T @ Y, Z_test)
    found = {}
    for penalty in penalties:
        factor = cho_factor(gram + (penalty + 1e-10) * unit * np.eye(len(gram)), lower=True)
        found[penalty] = loss(new @ cho_solve(factor, cross) + offset, rows)
    return found


def loss(predicted: np.ndarray, rows: Rows) -> float:
    """Share of wrong labels; or root mean squared error over that of the mean of the training rows."""
    if rows.classes:
        return float(np.mean(np.argmax(predicted, axis=1) != rows.y_test))
    residual = rows.y_test - predicted[:, 0]
    return float(np.sqrt(np.mean(residual**2) / np.mean((rows.y_test - rows.Y.mean()) ** 2)))


def kernel_error(features: Any, rows: Rows) -> float:
    """||Z Z' - K||_F / ||K||_F on some of the training rows."""
    X = rows.X[:N_KERNEL]
    Z, K = transformed(features, X).astype(float), features.kernel_(X.astype(float))
    return float(np.linalg.norm(Z @ Z.T - K) / np.linalg.norm(K))


def seconds(features: Any, rows: Rows) -> float:
    """Seconds of the processor a row, the smallest of eight runs after one that warms up."""
    found = []
    for _ in range(9):
        start = time.process_time()
        transformed(features, rows.X)
        found.append(time.process_time() - start)
    return min(found[1:]) / len(rows.X)


def width_of_bytes(contestant: Contestant) -> int:
    return WIDTH * BITS if contestant.bits else WIDTH


def width_of_seconds(contestant: Contestant, setting: Any, rows: Rows, budget: float) -> int:
    """By the line through the seconds at two widths."""
    d = rows.X.shape[1]
    low = max(512, d)
    fitted = [contestant.make(setting, width, d, 0).fit(rows.X) for width in (low, 4 * low)]
    times, widths = [seconds(each, rows) for each in fitted], [each.n_components_ for each in fitted]
    slope = max((times[1] - times[0]) / (widths[1] - widths[0]), 1e-12)
    return int(np.clip(widths[0] + (budget - times[0]) / slope, NARROWEST, WIDEST))


def settle(contestant: Contestant, rows: Rows, setting: Any = None) -> tuple[Any, float]:
    """The setting (unless it is given) and the penalty with the smallest error on the split for choices."""
    best = (np.inf, None, None)
    for each in contestant.settings if setting is None else (setting,):
        features = contestant.make(each, max(512, rows.X.shape[1]), rows.X.shape[1], 0)
        for penalty, error in errors(features.fit(rows.X), rows).items():
            best = min(best, (error, penalty, each), key=lambda found: found[0])
    return best[2], best[1]


def measured(contestant: Contestant, setting: Any, penalty: float, width: int, table: str, timed: bool) -> dict | None:
    """Means of the reported splits."""
    found = []
    for fold in REPORTED:
        rows = rows_of(table, fold, contestant.form)
        features = contestant.make(setting, width, rows.X.shape[1], fold)
        if features is None:
            return None
        features.fit(rows.X)
        found.append((kernel_error(features, rows), errors(features, rows, (penalty,))[penalty]))
    kernel, test = np.mean(found, axis=0)
    time_of = {"microseconds": 1e6 * seconds(features, rows)} if timed else {}
    return {"width": int(features.n_components_), "kernel_error": kernel, "test_error": test, **time_of}


@lru_cache(maxsize=8)
def _load(table: str, fold: int, n_train: int, n_test: int) -> Split:
    return load(table, fold, n_train, n_test)


def rows_of(table: str, fold: int, form: str) -> Rows:
    return prepared(_load(table, fold, N_TRAIN, N_TEST), form, table in CLASSIFICATION)


def study(table: str) -> list[dict]:
    """All maps on one table."""
    settled: dict[str, Any] = {}
    lines, budget = [], 0.0
    for contestant in CONTESTANTS:
        rows = rows_of(table, CHOSEN_ON, contestant.form)
        setting, penalty = settle(contestant, rows, settled.get(contestant.settled_by))
        settled[contestant.name] = setting
        line = {"table": table, "map": contestant.name, "setting": str(setting), "penalty": penalty}
        line["bytes"] = measured(contestant, setting, penalty, width_of_bytes(contestant), table, timed=True)
        if not budget:  # the first one, which sets it
            budget, width = (
                seconds(contestant.make(setting, WIDTH_OF_SECONDS, 0, 0).fit(rows.X), rows),
                WIDTH_OF_SECONDS,
            )
        else:
            width = width_of_seconds(contestant, setting, rows, budget)
        line["seconds"] = measured(contestant, setting, penalty, width, table, timed=True)
        if contestant in SAMPLERS:
            swept = {str(w): measured(contestant, setting, penalty, w, table, timed=False) for w in SWEPT}
            line["widths"] = swept
        lines.append(line)
        print(line, file=sys.stderr, flush=True)
    return lines


def main(tables: Sequence[str]) -> None:
    """Measure tables, all by default, and put them in the place of older results."""
    setting = {"n_train": N_TRAIN, "n_test": N_TEST, "n_kernel": N_KERNEL, "chosen_on": CHOSEN_ON, "splits": REPORTED,
               "width": WIDTH, "width_of_seconds": WIDTH_OF_SECONDS, "widest": WIDEST, "bits": BITS}  # fmt: skip
    every = (*REGRESSION, *CLASSIFICATION)
    for table in tables or every:
        lines = study(table)
        kept = [line for line in known() if line["table"] != table] + lines
        kept.sort(key=lambda line: every.index(line["table"]))
        write("maps", {**setting, "bochner": bo.__version__, "rows": kept})
    write_page()


def known() -> list[dict]:
    """Results that are there."""
    path = RESULTS / "maps.json"
    return json.loads(path.read_text())["rows"] if path.exists() else []


def write_page() -> None:
    """docs/maps.md from the JSON of this benchmark and of map_speed.py."""
    from map_page import page

    (Path(__file__).parents[1] / "docs" / "maps.md").write_text(page(RESULTS))


if __name__ == "__main__":
    write_page() if sys.argv[1:] == ["page"] else main(sys.argv[1:])
