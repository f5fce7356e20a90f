"""The fuzzers of `benchmarks/chaos/fuzz` for a while: inputs are changed towards code that was not reached before."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from .children import command, run
from .record import Record, Trial

NAMES = {"archive": "archives", "tables": "tables", "checkpoint": "checkpoints"}
SECONDS = 60
ABSENT = 2


def trials(share: float) -> list[Trial]:
    return [Trial("fuzz_readers", name, max(5, round(share * SECONDS))) for name in NAMES]


def perform(trial: Trial) -> Record:
    """The number of a trial is its length in seconds."""
    record = Record()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "found.json"
        line = command("fuzz", trial.name, "--seconds", trial.number, "--folder", folder, "--json", path)
        end = run(line, trial.number + 120)
        if end.code == ABSENT:
            record.note("atheris is not installed: not run.")
            return record
        if not path.exists():
            record.fail(end.word, f"{trial.name}: {end.word}, {end.last_line}")
            return record
        found = json.loads(path.read_text(encoding="utf-8"))
    read(found, trial.name, record)
    if end.code != 0:
        record.fail(f"the fuzzer stopped: {end.word}", f"{trial.name}: {end.last_line}")
    record.measure("seconds", found["seconds"])
    return record


def read(found: dict[str, object], name: str, record: Record) -> None:
    counts: dict[str, int] = found  # type: ignore[assignment]
    record.count("read", counts["read"])
    record.count("refused", counts["refused"])
    for each in found["findings"]:  # type: ignore[attr-defined]
        record.fail("another error", f"{name}: {each['what']}: {each['message']}", each["times"])
