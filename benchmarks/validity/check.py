"""The verdict on a study: every setting has its records, and none of them refutes its promise."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .runner import settings_of
from .setting import limits, refuted


def load(folder: Path, families: Iterable[str]) -> list[dict[str, Any]]:
    """The records of these families; a family without a file has none."""
    paths = [folder / f"validity_{family}.json" for family in families]
    return [
        record for path in paths if path.exists() for record in json.loads(path.read_text(encoding="utf-8"))["records"]
    ]


def failures(records: list[dict[str, Any]]) -> list[str]:
    """One line for every promise that is refuted."""
    lines = []
    for record in records:
        if refuted(record, len(records)):
            low, high = limits(record["violations"], record["repeats"])
            lines.append(
                f"REFUTED {record['family']} {record['setting']} {record['promise']}: promised at most "
                f"{record['promised']:g}, {record['violations']:,} of {record['repeats']:,} ({low:.4g} to {high:.4g})"
            )
    return lines


def missing(records: list[dict[str, Any]], families: Iterable[str]) -> list[str]:
    """One line for every setting without a complete record."""
    found = {
        (json.dumps([each["family"], each["setting"]], sort_keys=True), each["promise"]): each["repeats"]
        for each in records
    }
    return [
        f"MISSING {setting.key} {promise}: {found.get((setting.key, promise), 0):,} of {setting.repeats:,} repeats"
        for family in families
        for setting in settings_of(family).values()
        for promise in setting.promised
        if found.get((setting.key, promise), 0) < setting.repeats
    ]
