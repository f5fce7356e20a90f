"""The folder of data files that do not come with bochner: BOCHNER_DATA, or `data` in the current folder."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from bochner.errors import InvalidDataError

__all__ = ["data_file", "missing_files"]


def missing_files(names: Iterable[str]) -> str | None:
    """Error message for missing data files, with the remedy; None if all are there."""
    folder = Path(os.environ.get("BOCHNER_DATA", "data"))
    absent = [name for name in names if not (folder / name).is_file()]
    if not absent:
        return None
    if not folder.is_dir():
        return f"reads data files ({', '.join(absent)}). Set BOCHNER_DATA to their folder. Got {str(folder)!r} instead."
    return f"reads {', '.join(absent)}, which the folder BOCHNER_DATA does not have. Got {str(folder)!r}."


def data_file(name: str) -> Path:
    """The path of a data file; an `InvalidDataError` that names the remedy if there is none."""
    obstacle = missing_files([name])
    if obstacle is not None:
        raise InvalidDataError(f"This experiment {obstacle}")
    return Path(os.environ.get("BOCHNER_DATA", "data")) / name
