"""The files of one table: a file, or all files of one type in a folder or behind a pattern."""

from __future__ import annotations

from glob import has_magic
from pathlib import Path

from bochner.data.files import find_files
from bochner.errors import InvalidDataError

__all__ = ["is_parquet", "is_text_file", "require_file", "table_paths"]

_TEXTS = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
_PARQUET = (".parquet", ".pq")


def is_text_file(path: str) -> bool:
    """Whether a file is CSV or TSV, also compressed; "-" is standard input."""
    return path == "-" or path.lower().endswith(_TEXTS)


def is_parquet(path: str) -> bool:
    return path.lower().endswith(_PARQUET)


def table_paths(path: str) -> list[str]:
    """The files of a table in order of name; a folder or a pattern must have files of one type, CSV or Parquet."""
    place = Path(path).expanduser()
    if not place.is_dir() and (place.exists() or not has_magic(path)):
        return [path]
    found = [str(file.path) for file in find_files("bochner", path, (*_PARQUET, *_TEXTS))]
    if not (all(map(is_parquet, found)) or all(map(is_text_file, found))):
        raise InvalidDataError(
            f"{path!r} must have files of one type, CSV or Parquet. Got {Path(found[0]).name!r} and "
            f"{next(Path(other).name for other in found if is_parquet(other) != is_parquet(found[0]))!r}: "
            "give a pattern, such as '*.parquet'."
        )
    return found


def require_file(path: str) -> None:
    """Refuse a path that is no file; "-" is standard input."""
    if path != "-" and not Path(path).is_file():
        what = "is a folder" if Path(path).is_dir() else "is no file with rows"
        raise InvalidDataError(f"{path!r} {what}." if Path(path).exists() else f"There is no file {path!r}.")
