"""Running parts: trials over a few threads that start children, a journal that an interrupt cannot damage, JSON out."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from importlib import import_module
from pathlib import Path
from typing import Any

import bochner

from .record import Record, Trial, total

PARTS = ("kills", "dask_kills", "files", "disk", "memory", "tables", "clocks", "threads", "fuzz_readers")
RESULTS = Path(__file__).resolve().parents[1] / "results"


class Journal:
    """Finished trials, a line each, appended: a run that is interrupted goes on where it was."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.done: dict[Trial, Record] = {}
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
            try:
                part, name, number, record = json.loads(line)
            except ValueError:
                continue  # the line that was being written when the run was stopped
            self.done[Trial(part, name, number)] = Record(**record)

    def add(self, trial: Trial, record: Record) -> None:
        self.done[trial] = record
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"\n{json.dumps([*trial, record.to_dict()])}")  # after a line that was cut off, too

    def forget(self) -> None:
        self.path.unlink(missing_ok=True)


def module_of(part: str) -> Any:
    return import_module(f"benchmarks.chaos.{part}")


def run(
    parts: Sequence[str], folder: Path, *, share: float = 1.0, workers: int = 2, only: Sequence[str] = ()
) -> dict[str, Any]:
    """Run what the journal does not have, and write the JSON; parts and rows that were not asked for stay in it."""
    folder.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    found = load(folder)
    for part in parts:
        journal = Journal(folder / f"chaos_{part}.journal")
        trials = [trial for trial in module_of(part).trials(share) if not only or trial.name in only]
        start = time.monotonic()
        for done, (trial, record) in enumerate(finished([t for t in trials if t not in journal.done], workers), 1):
            journal.add(trial, record)
            minutes = (time.monotonic() - begin) / 60
            print(f"\r{part}: {done:,} trials, {minutes:.1f} min{'':<30}", end="", flush=True)
        print()
        now, before = summary(trials, journal, time.monotonic() - start, share), found["parts"].get(part)
        found["parts"][part] = {**before, "rows": before["rows"] | now["rows"]} if only and before else now
        write(folder, found)
        journal.forget()
    return found


def so_far(parts: Sequence[str], folder: Path) -> dict[str, Any]:
    """The JSON with what the journals of runs that are not over have."""
    found = load(folder)
    for part in parts:
        journal, trials = Journal(folder / f"chaos_{part}.journal"), module_of(part).trials(1.0)
        done = [trial for trial in trials if trial in journal.done]
        if done:
            found["parts"][part] = summary(done, journal, None, round(len(done) / len(trials), 3))
    write(folder, found)
    return found


def finished(left: Sequence[Trial], workers: int) -> Iterator[tuple[Trial, Record]]:
    """Trials as they end. Children do the work, so threads are enough to wait for them."""
    with ThreadPoolExecutor(workers) as pool:
        futures = {pool.submit(module_of(trial.part).perform, trial): trial for trial in left}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def summary(trials: Sequence[Trial], journal: Journal, seconds: float | None, share: float) -> dict[str, Any]:
    """The records of a part, one row for every name."""
    names = list(dict.fromkeys(trial.name for trial in trials))
    rows = {name: total(journal.done[t] for t in trials if t.name == name).summary() for name in names}
    took = None if seconds is None else round(seconds, 1)
    return {"share": share, "seconds": took, "bochner": bochner.__version__, "rows": rows}


def load(folder: Path) -> dict[str, Any]:
    path = folder / "chaos.json"
    if path.exists():
        return dict(json.loads(path.read_text(encoding="utf-8")))
    return {"machine": "", "python": "", "parts": {}}


def write(folder: Path, found: dict[str, Any]) -> None:
    found |= {"machine": f"{platform.machine()}, {os.cpu_count()} cores", "python": platform.python_version()}
    found["parts"] = {part: found["parts"][part] for part in PARTS if part in found["parts"]}
    partial = folder / "chaos.tmp"
    partial.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    partial.replace(folder / "chaos.json")
