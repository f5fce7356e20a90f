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
NEVER = {"crash": "crashes", "hang": "hangs", "fault": "errors", "wrong": "wrong"}
"""Outcomes that must not be, and the lists that tell of them: "wrong" is a file silently taken for another one."""


def trials(share: float) -> list[Trial]:
    pieces = {name: max(1, round(share * count / PIECE)) for name, count in COUNTS.items()}
    each = [Trial("files", name, number) for name, count in pieces.items() for number in range(count)]
    return sorted(each, key=lambda trial: trial.number / pieces[trial.name])  # all kinds from the beginning


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
    """The counts of a piece."""
    for outcome, times in found["outcomes"].items():
        if outcome not in NEVER:
            record.count(outcome, times)
            continue
        example = next(iter(found.get(NEVER[outcome], [])), "")
        record.fail(outcome, f"{trial.name}, seed {trial.number}: {outcome}, {times} times, such as {example}", times)
