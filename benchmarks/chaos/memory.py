"""Little memory: fits under a hard limit of the operating system, a random amount above what the process holds.

A fit must end with a model or with an error that speaks of memory; a crash, a signal or a hang is neither.
"""

from __future__ import annotations

import faulthandler
import json
import random
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .children import command, patience, run
from .record import Record, Trial

ROUNDS = 15
HANG, STACKS = 90, 60
"""Seconds after which a fit is called a hang, and after which it shows where it is."""

KINDS = ("by default", "direct", "iterative", "classifier", "error bars", "two-sample test")


def trials(share: float) -> list[Trial]:
    return [Trial("memory", kind, number) for kind in KINDS for number in range(max(1, round(share * ROUNDS)))]


def perform(trial: Trial) -> Record:
    record = Record()
    megabytes = int(2 ** random.Random(trial.seed).uniform(0, 8.65))  # 1 to 400
    end = run(command("memory", trial.name, megabytes), HANG)
    if end.code != 0 or not end.out.strip():
        where = " < ".join(line.strip() for line in end.err.splitlines() if "File" in line)[:1000]
        record.fail(end.word, f"{trial.name} with {megabytes} MB: {end.word}, {where or end.last_line}")
        return record
    outcome, clean, sentence = json.loads(end.out.splitlines()[-1])
    if clean:
        record.count(outcome)
    else:
        record.fail(outcome, f"{trial.name} with {megabytes} MB: {sentence}")
    return record


# What runs in the child.


def work(kind: str, n: int) -> Callable[[], Any]:
    """A call that needs memory, on n rows."""
    import numpy as np

    import bochner as bo

    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 8))
    y = np.sin(X[:, :3].sum(axis=1))
    width = min(1024, n)
    settings: dict[str, Any] = {"n_components": width, "alpha": 0.1, "random_state": 0}
    kernel = bo.Gaussian(2.5)
    if kind == "error bars":
        model = bo.KernelRegressor(kernel, **settings).fit(X[:2000], y[:2000])
        return lambda: model.predict(X, return_std=True)
    return {
        "by default": lambda: bo.KernelRegressor(random_state=0).fit(X[:4000], y[:4000]),
        "direct": lambda: bo.KernelRegressor(kernel, **settings).fit(X, y),
        "iterative": lambda: bo.KernelRegressor(kernel, solver="iterative", **settings).fit(X, y),
        "classifier": lambda: bo.KernelClassifier(kernel, **settings).fit(X, y > 0),
        "two-sample test": lambda: bo.mmd_test(X[::2], X[1::2], rng=0),
    }[kind]


def held() -> int:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmSize"))


def main(kind: str, megabytes: str) -> None:
    import bochner as bo

    faulthandler.dump_traceback_later(STACKS * patience())
    bo.set_config(n_threads=2)
    small, call = work(kind, 300), work(kind, 20_000)
    small()  # libraries and compiled loops are there
    limit = held() + int(megabytes) * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))
    try:
        call()
        found = ("done", True, "")
    except MemoryError as error:
        ours = isinstance(error, bo.errors.BochnerError)
        found = ("refused with the bill" if ours else "MemoryError", True, "")
    except (OSError, RuntimeError) as error:  # no memory for a thread or a file
        found = (type(error).__name__, True, "")
    except Exception as error:
        found = (f"{type(error).__name__}", False, f"{type(error).__name__}: {error}")
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
