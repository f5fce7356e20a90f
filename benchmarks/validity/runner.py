"""Running a study: tasks over worker processes, a journal that an interrupt cannot damage, records at the end."""

from __future__ import annotations

import json
import os
import platform
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from .setting import Setting

FAMILIES = ("two_sample", "independence", "drift", "coverage", "bounds", "certificates")
RESULTS = Path(__file__).resolve().parents[1] / "results"


class Task(NamedTuple):
    """Some repeats of one setting."""

    key: str
    start: int
    stop: int


@cache
def settings_of(family: str, quick: int = 1) -> dict[str, Setting]:
    """The settings of a family by key; with 1/quick of their repeats, 10 at least."""
    found = import_module(f"benchmarks.validity.{family}").settings()
    shortened = [replace(each, repeats=max(10, each.repeats // quick)) if quick > 1 else each for each in found]
    return {each.key: each for each in shortened}


def tasks_of(setting: Setting) -> Iterator[Task]:
    for start in range(0, setting.repeats, setting.per_task):
        yield Task(setting.key, start, min(start + setting.per_task, setting.repeats))


def perform(task: Task) -> tuple[Task, list[int], float]:
    """Counts of a task, and its seconds."""
    family, options = json.loads(task.key)
    begin = time.perf_counter()
    counts = import_module(f"benchmarks.validity.{family}").violations(options, range(task.start, task.stop))
    return task, [int(count) for count in counts], time.perf_counter() - begin


class Journal:
    """Finished tasks, one line each, appended: a run that is interrupted goes on where it was."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.done: dict[Task, tuple[list[int], float]] = {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                self._read(line)

    def _read(self, line: str) -> None:
        try:
            key, start, stop, counts, seconds = json.loads(line)
        except ValueError:
            return  # the line that was being written when the run was stopped
        self.done[Task(key, start, stop)] = (counts, seconds)

    def add(self, task: Task, counts: list[int], seconds: float) -> None:
        self.done[task] = (counts, seconds)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([*task, counts, seconds]) + "\n")


def run(families: Iterable[str], folder: Path, *, quick: int = 1, workers: int = 2) -> None:
    """Run what the journal of the folder does not have, and write the records of every family."""
    families = list(families)
    folder.mkdir(parents=True, exist_ok=True)
    journal = Journal(folder / "validity_journal.jsonl")
    settings = {key: each for family in families for key, each in settings_of(family, quick).items()}
    left = [task for each in settings.values() for task in tasks_of(each) if task not in journal.done]
    _perform_all(left, journal, workers)
    for family in families:
        write_records(family, journal, folder, quick)


def _perform_all(left: list[Task], journal: Journal, workers: int) -> None:
    begin = time.perf_counter()
    # The large tasks come first, so that no worker ends alone with one of them.
    left.sort(key=lambda task: -json.loads(task.key)[1].get("n", 0))
    for done, result in enumerate(_results(left, workers), start=1):
        journal.add(*result)
        seconds = time.perf_counter() - begin
        rest = seconds / done * (len(left) - done)
        print(f"\r{done:,} of {len(left):,} tasks, {seconds / 60:.1f} min, about {rest / 60:.1f} left   ",
              end="" if done < len(left) else "\n", flush=True)  # fmt: skip


def _results(left: list[Task], workers: int) -> Iterator[tuple[Task, list[int], float]]:
    if workers == 1 or not left:
        yield from map(perform, left)
        return
    # "spawn": workers read the thread limits before they load BLAS.
    before = {name: os.environ.get(name) for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
    os.environ.update(dict.fromkeys(before, "1"))
    try:
        with get_context("spawn").Pool(workers) as pool:
            yield from pool.imap_unordered(perform, left)
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.__setitem__(name, value)


def write_records(family: str, journal: Journal, folder: Path, quick: int) -> None:
    """The counts of all tasks of a family, summed for every setting, as JSON."""
    sums: dict[str, Any] = defaultdict(lambda: [None, 0, 0.0])
    for key, setting in settings_of(family, quick).items():
        for task in tasks_of(setting):
            counts, seconds = journal.done[task]
            total = sums[key]
            total[0] = counts if total[0] is None else [a + b for a, b in zip(total[0], counts, strict=True)]
            total[1] += task.stop - task.start
            total[2] += seconds
    settings = settings_of(family, quick)
    payload = {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "seconds": round(sum(each[2] for each in sums.values()), 1),
        "records": [record for key, (counts, n, _) in sums.items() for record in settings[key].records(counts, n)],
    }
    path = folder / f"validity_{family}.json"
    partial = path.with_suffix(".tmp")
    partial.write_text(json.dumps(payload, indent=1) + "\n", encoding="utf-8")
    partial.replace(path)
