"""Hostile tables: numbers that are too large, missing, all the same, too few or too many, and no numbers at all.

A fit must end with a model that predicts finite numbers, or with an error that names what is wrong with the rows.
"""

from __future__ import annotations

import json
import resource
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

from .children import command, run
from .record import Record, Trial

LEARNERS = ("KernelRegressor", "KernelClassifier")
MEMORY = 6 * 2**30
N = 300


def rows(seed: int = 0, d: int = 4) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((N, d))


def changed(value: float, row: int = 7, column: int = 2) -> np.ndarray:
    X = rows()
    X[row, column] = value
    return X


def texts() -> np.ndarray:
    X = rows().astype(object)
    X[:, 1] = "a"
    return X


def read_only() -> np.ndarray:
    X = rows()
    X.flags.writeable = False
    return X


TABLES: dict[str, Callable[[], Any]] = {
    "cells of 1e300": lambda: rows() * 1e300,
    "cells of 1e-300": lambda: rows() * 1e-300,
    "subnormal cells": lambda: rows() * 1e-310,
    "one cell of 1e308": lambda: changed(1e308),
    "one cell of 1e20": lambda: changed(1e20),
    "nan": lambda: changed(np.nan),
    "inf": lambda: changed(np.inf),
    "-inf": lambda: changed(-np.inf),
    "constant rows": lambda: np.ones((N, 4)),
    "a constant column": lambda: np.column_stack([rows(), np.full(N, 7.0)]),
    "the same row many times": lambda: np.repeat(rows()[:2], N // 2, axis=0),
    "one row": lambda: rows()[:1],
    "two rows": lambda: rows()[:2],
    "no rows": lambda: rows()[:0],
    "no columns": lambda: rows()[:, :0],
    "100,000 columns": lambda: np.random.default_rng(0).standard_normal((60, 100_000)),
    "one column": lambda: rows(d=1),
    "columns of scales 1e-12 to 1e12": lambda: rows() * np.array([1e-12, 1e-6, 1e6, 1e12]),
    "objects that are numbers": lambda: rows().astype(object),
    "a column of texts": texts,
    "an object among numbers": lambda: np.where(np.arange(N * 4).reshape(N, 4) == 9, None, rows().astype(object)),
    "complex numbers": lambda: rows() + 1j,
    "booleans": lambda: rows() > 0,
    "integers near 2**63": lambda: np.full((N, 2), 2**63 - 5) - np.arange(N * 2).reshape(N, 2),
    "float16 with overflow": lambda: (rows() * 60000).astype(np.float16),
    "an empty sparse matrix": lambda: scipy.sparse.csr_matrix((N, 50)),
    "sparse with nan": lambda: scipy.sparse.csr_matrix(changed(np.nan)),
    "three dimensions": lambda: rows().reshape(N, 2, 2),
    "read-only": read_only,
    "Fortran order, every other row": lambda: np.asfortranarray(np.repeat(rows(), 2, axis=0))[::2],
}

TARGETS: dict[str, Callable[[int], Any]] = {
    "usual targets": lambda n: np.random.default_rng(1).standard_normal(n),
    "constant targets": lambda n: np.full(n, 3.0),
    "targets of 1e300": lambda n: 1e300 * np.random.default_rng(1).standard_normal(n),
    "targets with nan": lambda n: np.where(np.arange(n) == 3, np.nan, np.random.default_rng(1).standard_normal(n)),
}


def trials(share: float) -> list[Trial]:
    return [Trial("tables", learner, number) for learner in LEARNERS for number in range(len(TABLES))]


def perform(trial: Trial) -> Record:
    record, name = Record(), list(TABLES)[trial.number]
    end = run(command("tables", trial.name, name), 300)
    if end.code != 0:
        record.fail(end.word, f"{trial.name}, {name}: {end.word}, {end.last_line}", len(TARGETS))
        return record
    for outcome, sentence in json.loads(end.out.splitlines()[-1]):
        record.fail(outcome, f"{trial.name}, {name}, {sentence}") if sentence else record.count(outcome)
    return record


# What runs in the child.


def attempt(learner: str, X: Any, y: Any) -> tuple[str, str]:
    import bochner as bo

    classifier = learner == "KernelClassifier"
    labels = np.where(np.nan_to_num(y) > 0.0, "up", "down") if classifier else y
    try:
        model = getattr(bo, learner)(random_state=0).fit(X, labels)
        found = model.predict_proba(X) if classifier else model.predict(X)
    except (ValueError, TypeError, MemoryError) as error:
        said = str(error)
        return (f"refused: {type(error).__name__}", "") if said else ("an empty message", f"{type(error).__name__}")
    except Exception as error:
        return "another error", f"{type(error).__name__}: {error}"
    return ("fitted", "") if np.isfinite(found).all() else ("not finite", "predictions are not finite")


def main(learner: str, name: str) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    X, found = TABLES[name](), []
    for title, target in TARGETS.items():
        outcome, sentence = attempt(learner, X, target(X.shape[0]))
        found.append((outcome, f"{title}: {sentence}" if sentence else ""))
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
