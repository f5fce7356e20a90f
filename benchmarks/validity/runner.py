"""Running a study: tasks over worker processes, a journal that an interrupt cannot damage, records at the end."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

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
    """Counts of a task, and its seconds of processor time."""
    family, options = json.loads(task.key)
    begin = time.process_time()
    try:
        counts = import_module(f"benchmarks.validity.{family}").violations(options, range(task.start, task.stop))
    except Exception as error:
        error.add_note(f"in repeats {task.start} to {task.stop - 1} of {task.key}")
        raise
    return task, [int(count) for count in counts], time.process_time() - begin


class Journal:
    """Finished tasks of one family, a line each, appended: a run that is interrupted goes on where it was."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.done: dict[Task, tuple[list[int], float]] = {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                self._read(line)

    @classmethod
    def of(cls, family: str, folder: Path) -> Journal:
        return cls(folder / f"validity_{family}.journal")

    def _read(self, line: str) -> None:
        try:
            key, start, stop, counts, seconds = json.loads(line)
        except ValueError:
            return  # the line that was being written when the run was stopped
        self.done[Task(key, start, stop)] = (counts, seconds)

    def add(self, task: Task, counts: list[int], seconds: float) -> None:
        self.done[task] = (counts, seconds)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"\n{json.dumps([*task, counts, seconds])}")  # after a line that was cut off, too

    def forget(self) -> None:
        self.path.unlink(missing_ok=True)


def run(families: Iterable[str], folder: Path, *, quick: int = 1, workers: int = 2) -> None:
    """Run what the journals in the folder do not have, and write the records of every family."""
    folder.mkdir(parents=True, exist_ok=True)
    journals = {family: Journal.of(family, folder) for family in families}
    settings = [each for family in journals for each in settings_of(family, quick).values()]
    left = [task for each in settings for task in tasks_of(each) if task not in journals[each.family].done]
    # Many rows come first, so that no worker ends alone with a long task.
    left.sort(key=lambda task: -json.loads(task.key)[1].get("n", 0))
    begin = time.perf_counter()
    for done, result in enumerate(_results(left, workers), start=1):
        journals[json.loads(result[0].key)[0]].add(*result)
        _report(done, len(left), time.perf_counter() - begin)
    for family, journal in journals.items():
        write_records(family, journal, folder, quick)
        journal.forget()


def _report(done: int, total: int, seconds: float) -> None:
    rest = seconds / done * (total - done)
    line = f"{done:,} of {total:,} tasks, {seconds / 60:.1f} min, about {rest / 60:.1f} left"
    print(f"\r{line:<70}", end="" if done < total else "\n", flush=True)


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


def write_records(family: str, journal: Journal, folder: Path, quick: int = 1) -> None:
    """The counts of all tasks of a family, summed for every setting, as JSON."""
    module, records, seconds = import_module(f"benchmarks.validity.{family}"), [], 0.0
    for setting in settings_of(family, quick).values():
        parts = [journal.done[task] for task in tasks_of(setting)]
        records += setting.records([sum(counts) for counts in zip(*(part[0] for part in parts))], setting.repeats)
        seconds += sum(part[1] for part in parts)
    payload = {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "processor_seconds": round(seconds, 1),
        "not_simulated": module.without_simulation() if hasattr(module, "without_simulation") else {},
        "records": records,
    }
    path = folder / f"validity_{family}.json"
    partial = path.with_suffix(".tmp")
    partial.write_text(json.dumps(payload, indent=1) + "\n", encoding="utf-8")
    partial.replace(path)
