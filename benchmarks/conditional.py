"""Level and power of `ci_test`: how often it rejects at 5 %, by link, rows and conditioning columns, beside peers.

    python -m benchmarks.conditional --rows 500           # level and power
    python -m benchmarks.conditional --rows 5000          # a killed run goes on where it ended
    python -m benchmarks.conditional --rows 500 --level   # the level of the nine settings of the page, nothing else
    python -m benchmarks.conditional --rows 5000 --level --given 20   # columns of Z: several runs may share the file
    python -m benchmarks.conditional --quick              # tries all of it
    python -m benchmarks.conditional --peers              # with hyppo and causal-learn, where they are installed

Runs side by side, one thread of BLAS each (OPENBLAS_NUM_THREADS=1), take half the processor time of one run with two.

X and Y are functions of Z plus independent noise (level), or Y has a part of X's noise (power). Links named hard are
those where the regressions on Z need more rows than there are: the level fails, and docs/comparing.md says so.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import bochner as bo
from benchmarks.harness import RESULTS, write
from benchmarks.validity.setting import limits

Rows = tuple[np.ndarray, np.ndarray, np.ndarray]
Setting = tuple[str, str, int, int]
Test = Callable[[Rows, int], float]
LEVEL = 0.05
PEER_ROWS = 500
SLOW = {"hyppo partial dcorr": 8}
"""Repeats of tests that take seconds: only beside the non-linear link of one column."""
ROUND = 100


def _noise(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.standard_normal((2, n))


def linear(rng: np.random.Generator, n: int, d: int) -> Rows:
    Z = rng.standard_normal((n, d))
    return Z, Z.sum(1) / np.sqrt(d), _noise(rng, n)


def non_linear(rng: np.random.Generator, n: int, d: int) -> Rows:
    Z = rng.standard_normal((n, d))
    return Z, 2 * np.sin(1.5 * Z).sum(1) / np.sqrt(d), _noise(rng, n)


def heavy_tailed(rng: np.random.Generator, n: int, d: int) -> Rows:
    Z = rng.standard_t(3, (n, d))
    return Z, Z.sum(1) / np.sqrt(d), rng.standard_t(2, (2, n))


def wave_of_a_sum(rng: np.random.Generator, n: int, d: int) -> Rows:
    Z = rng.standard_normal((n, d))
    return Z, 2 * np.sin(2 * Z.sum(1) / np.sqrt(d)), _noise(rng, n)


def product(rng: np.random.Generator, n: int, d: int) -> Rows:
    Z = rng.standard_normal((n, d))
    return Z, Z.sum(1) / np.sqrt(d) * Z[:, -1], _noise(rng, n)


LINKS = {"linear": linear, "non-linear": non_linear, "heavy-tailed": heavy_tailed}
HARD = {"hard: wave of a sum": wave_of_a_sum, "hard: product": product}

ALTERNATIVES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "none": lambda e, Z: np.zeros_like(e),
    "linear, 0.2 of X's noise": lambda e, Z: 0.2 * e,
    "square, 0.3 of X's noise squared": lambda e, Z: 0.3 * e**2,
    "sign changes with Z, 0.5": lambda e, Z: 0.5 * e * np.sign(Z[:, 0]),
}


def draw(link: str, alternative: str, n: int, d: int, repeat: int) -> Rows:
    rng = np.random.default_rng([repeat, n, d, sorted({**LINKS, **HARD}).index(link)])
    Z, signal, (e, f) = {**LINKS, **HARD}[link](rng, n, d)
    return (signal + e)[:, None], (signal + f + ALTERNATIVES[alternative](e, Z))[:, None], Z


def ours(null_law: str) -> Test:
    return lambda rows, seed: bo.ci_test(*rows, null_law=null_law, rng=seed).pvalue


def peers() -> dict[str, Test]:
    """p-values of other libraries, where they are installed."""
    found: dict[str, Test] = {}
    if find_spec("causallearn"):
        from causallearn.utils.cit import CIT

        def causal_learn(name: str, rows: Rows) -> float:
            X, Y, Z = rows
            return float(CIT(np.hstack([X, Y, Z]), name)(0, 1, list(range(2, 2 + Z.shape[1]))))

        found["causal-learn RCIT"] = lambda rows, seed: causal_learn("rcit", rows)
        found["causal-learn KCI"] = lambda rows, seed: causal_learn("kci", rows)
        found["causal-learn Fisher z"] = lambda rows, seed: causal_learn("fisherz", rows)
    if find_spec("hyppo"):
        from hyppo.conditional import PartialDcorr

        found["hyppo partial dcorr"] = lambda rows, seed: float(
            PartialDcorr().test(*rows, reps=99, workers=1, random_state=seed).pvalue
        )
    return found


def measure(name: str, test: Test, setting: Setting, repeats: range) -> dict:
    """Rejections in some repeats, the CPU time of each."""
    link, alternative, n, d = setting
    start = time.process_time()
    pvalues = np.array([test(draw(link, alternative, n, d, repeat), repeat) for repeat in repeats])
    return {
        "test": name, "link": link, "alternative": alternative, "rows": n, "given": d, "repeats": len(repeats),
        "count": int(np.sum(pvalues <= LEVEL)), "count at 0.01": int(np.sum(pvalues <= 0.01)),
        "cpu_seconds": time.process_time() - start,
    }  # fmt: skip


def added(record: dict, more: dict) -> dict:
    """A record with more repeats: the rate of rejections with its exact 95 % binomial limits."""
    sums = ("repeats", "count", "count at 0.01", "cpu_seconds")
    total = {**more, **{name: record.get(name, 0) + more[name] for name in sums}}
    count, repeats = total["count"], total["repeats"]
    return {
        **total, "rejected": count / repeats, "limits": limits(count, repeats),
        "rejected at 0.01": total["count at 0.01"] / repeats,
        "cpu_seconds_each": round(total["cpu_seconds"] / repeats, 4),
    }  # fmt: skip


def study(sizes: tuple[int, ...], columns: tuple[int, ...], *, level: bool) -> list[tuple[str, Test, Setting]]:
    chi_squared = [(link, "none", n, d) for n in sizes for link in LINKS for d in columns]
    if level:
        return [("ci_test", ours("chi_squared"), each) for each in chi_squared]
    chi_squared += [(link, "none", n, 5) for n in sizes for link in HARD]
    small = sizes if sizes[0] < 1000 else ()
    chi_squared += [("non-linear", each, n, d) for n in small for each in list(ALTERNATIVES)[1:] for d in columns]
    wild = [("non-linear", "none", n, d) for n in small for d in columns]
    plan = [("ci_test", ours("chi_squared"), each) for each in chi_squared]
    return plan + [("ci_test wild", ours("wild"), each) for each in wild]


def beside_peers(columns: tuple[int, ...]) -> list[tuple[str, Test, Setting]]:
    settings = [(link, "none", PEER_ROWS, d) for link in LINKS for d in columns[:2]]
    settings += [("non-linear", each, PEER_ROWS, columns[0]) for each in list(ALTERNATIVES)[1:]]
    tests = {"ci_test": ours("chi_squared"), **peers()}
    return [
        (name, test, each)
        for each in settings
        for name, test in tests.items()
        if name not in SLOW or (each[0] == "non-linear" and each[3] == columns[0])
    ]


def measured(plan: list[tuple[str, Test, Setting]], repeats: int, path: Path | None) -> None:
    """Measure in rounds over the settings. A file keeps the records of earlier runs, which go on where they ended."""
    known = {} if path is None else kept(path)
    for done in range(0, repeats, ROUND):
        for name, test, setting in plan:
            record = known.get((name, *setting), {"repeats": 0})
            more = range(record["repeats"], min(done + ROUND, repeats, SLOW.get(name, repeats)))
            if more:
                known[(name, *setting)] = added(record, measure(name, test, setting, more))
                print(known[(name, *setting)], flush=True)
                if path is not None:
                    keep(path, known[(name, *setting)])


def key(record: dict) -> tuple:
    return tuple(record[name] for name in ("test", "link", "alternative", "rows", "given"))


def kept(path: Path) -> dict[tuple, dict]:
    return {key(each): each for each in json.loads(path.read_text())["records"]} if path.exists() else {}


def keep(path: Path, record: dict[str, Any]) -> None:
    """Add or replace one record; runs of other settings write to the same file."""
    with Path(__file__).open() as lock, redirect_stdout(None):
        fcntl.flock(lock, fcntl.LOCK_EX)
        records = {**kept(path), key(record): record}
        write(path.stem, {"level": LEVEL, "records": list(records.values())})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--level", action="store_true")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--repeats", type=int, default=2000)
    parser.add_argument("--rows", type=int, nargs="+", default=[500])
    parser.add_argument("--given", type=int, nargs="+", default=[1, 5, 20])
    arguments = parser.parse_args()
    repeats, sizes, columns = arguments.repeats, tuple(arguments.rows), tuple(arguments.given)
    if arguments.quick:
        repeats, sizes, columns = 5, (200,), (1, 5)
    name = "conditional_peers" if arguments.peers else "_".join(["conditional", *map(str, sizes)])
    plan = beside_peers(columns) if arguments.peers else study(sizes, columns, level=arguments.level)
    measured(plan, repeats, None if arguments.quick else RESULTS / f"{name}.json")


if __name__ == "__main__":
    main()
