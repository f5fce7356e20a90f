"""Predictions from many threads: the same bits as from one, and as many BLAS threads after as before."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from .children import command, run
from .record import Record, Trial

THREADS = (8, 16, 32)
CALLS, PER_TRIAL = 20_000, 1_000
"""Calls of each kind of prediction."""

KINDS = ("predict", "predict with error bars", "predict of landmarks", "predict_proba")


def trials(share: float) -> list[Trial]:
    count = max(1, round(share * CALLS / PER_TRIAL))
    return [Trial("threads", kind, number) for kind in KINDS for number in range(count)]


def perform(trial: Trial) -> Record:
    record = Record()
    end = run(command("threads", trial.name, THREADS[trial.number % len(THREADS)], trial.number), 300)
    if end.code != 0:
        record.fail(end.word, f"{trial.name}: {end.word}, {end.last_line}", PER_TRIAL)
        return record
    found = json.loads(end.out.splitlines()[-1])
    record.count("the same bits", PER_TRIAL - found["others"])
    if found["others"]:
        record.fail("other bits", f"{trial.name} from {found['threads']} threads", found["others"])
    if found["before"] != found["after"]:
        sentence = f"{trial.name}: BLAS had {found['before']} threads before and {found['after']} after"
        record.fail("BLAS threads changed", sentence)
    return record


# What runs in the child.


def call_of(kind: str) -> Callable[[Any], Any]:
    import bochner as bo

    rng = np.random.default_rng(0)
    X = rng.standard_normal((1500, 4))
    y = np.sin(X.sum(axis=1))
    settings: dict[str, Any] = {"n_components": 256, "alpha": 0.1, "random_state": 0}
    if kind == "predict_proba":
        return bo.KernelClassifier(bo.Gaussian(2.0), **settings).fit(X, y > 0).predict_proba
    features = "nystroem" if kind == "predict of landmarks" else "fourier"
    model = bo.KernelRegressor(bo.Gaussian(2.0), features=features, **settings).fit(X, y)
    return model.predict if "bars" not in kind else lambda X: np.stack(model.predict(X, return_std=True))


def blas_threads() -> list[int]:
    from threadpoolctl import threadpool_info

    return [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]


def main(kind: str, threads: str, seed: str) -> None:
    predict, rng = call_of(kind), np.random.default_rng(int(seed))
    batches = [rng.standard_normal((int(rng.integers(1, 65)), 4)) for _ in range(PER_TRIAL)]
    alone = [predict(batch) for batch in batches]
    before = blas_threads()
    with ThreadPoolExecutor(int(threads)) as pool:
        together = list(pool.map(predict, batches))
    others = sum(not np.array_equal(a, b) for a, b in zip(alone, together))
    print(json.dumps({"others": others, "before": before, "after": blas_threads(), "threads": threads}))


if __name__ == "__main__":
    main(*sys.argv[1:])
