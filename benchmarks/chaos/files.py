"""Mutated and forged files: `forged_files` (models) and `forged_checkpoints`, run in pieces, each a process."""

from __future__ import annotations

import json
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .children import command, run
from .record import Record, Trial

COUNTS = {"models with forged content": 60_000, "models with mutated bytes": 30_000, "checkpoints": 10_000}
PIECE = 2_500
CALLS = {
    "models with forged content": ("forged_files",),
    "models with mutated bytes": ("forged_files", "--bytes"),
    "checkpoints": ("forged_checkpoints",),
}
SILENT = ("silent", "changed", "wrong")
"""Words in the name of an outcome that say that a file was taken for another one without a word."""


def trials(share: float) -> list[Trial]:
    pieces = {name: max(1, round(share * count / PIECE)) for name, count in COUNTS.items()}
    return [Trial("files", name, number) for name, count in pieces.items() for number in range(count)]


def perform(trial: Trial) -> Record:
    record, (module, *options) = Record(), CALLS[trial.name]
    if find_spec(f"benchmarks.chaos.{module}") is None:
        record.note(f"benchmarks/chaos/{module}.py does not exist yet: not run.")
        return record
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "found.json"
        line = command(module, "--count", PIECE, "--seed", trial.number, "--json", path, *options)
        end = run(line, 1800)
        if not path.exists():
            record.fail(end.word, f"{trial.name}: {end.word}, {end.last_line}", PIECE)
            return record
        read(json.loads(path.read_text(encoding="utf-8")), trial, record)
    return record


def read(found: dict[str, Any], trial: Trial, record: Record) -> None:
    """The counts of a piece; crashes, hangs and silent changes are what must not be."""
    where = f"{trial.name}, seed {trial.number}"
    for outcome, times in found["outcomes"].items():
        if times and any(word in outcome.lower() for word in SILENT):
            record.fail(outcome, f"{where}: {outcome}, {times} times", times)
        else:
            record.count(outcome, times)
    for outcome in ("crashes", "hangs"):
        times = number_of(found.get(outcome, 0))
        if times:
            record.fail(outcome, f"{where}: {outcome}, {str(found[outcome])[:200]}", times)
    record.tried = int(found["tried"])


def number_of(value: Any) -> int:
    return len(value) if isinstance(value, (list, dict)) else int(value)
