"""Data files of a path, folder or pattern, in a fixed order, with checks for changes on disk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from glob import glob, has_magic
from os import PathLike, fspath
from pathlib import Path
from typing import TypeAlias, TypeGuard

from bochner._typing import FilePath, JsonDict
from bochner.data.csv_failures import csv_failure
from bochner.errors import BochnerError, InvalidDataError, invalid_parameter

__all__ = ["UTF_8_REMEDY", "DataFile", "Paths", "find_files", "is_path", "one_line", "reading"]

UTF_8_REMEDY = "Save it as UTF-8, or convert it: iconv -f latin1 -t utf-8 old.csv > new.csv"
_LONGEST = 300  # signs of a message of another library

Paths: TypeAlias = FilePath | Sequence[FilePath]
"""A file, a directory, a pattern, or a list of them."""


@dataclass(frozen=True)
class DataFile:
    """A file as it was when it was found."""

    path: Path
    size: int
    mtime_ns: int

    @classmethod
    def of(cls, path: Path) -> DataFile:
        with reading(path.name):
            found = path.stat()
        return cls(path, found.st_size, found.st_mtime_ns)

    @property
    def name(self) -> str:
        return self.path.name

    def check(self) -> None:
        """Raise an error if the file is not what it was."""
        if DataFile.of(self.path) != self:
            raise InvalidDataError(
                f"{self.name} has changed on disk since it was opened (size or time of change). Scan the files again."
            )

    def fingerprint(self) -> JsonDict:
        return {"name": self.name, "size": self.size, "mtime_ns": self.mtime_ns}


def find_files(owner: str, path: Paths, suffixes: tuple[str, ...]) -> list[DataFile]:
    """The files behind a path, a directory, a pattern or a list of them; directories and patterns in order of name."""
    given = list(path) if isinstance(path, (list, tuple)) else [path]
    paths = [one for one in given if is_path(one)]
    if len(paths) < len(given):
        raise invalid_parameter(
            owner, "path", "a file, a directory, a pattern such as 'part-*' or a list of them", path
        )
    found = [file for one in paths for file in _expand(Path(one).expanduser(), suffixes)]
    if not found:
        raise InvalidDataError(f"{owner} found no file of type {' or '.join(suffixes)} at {path!r}.")
    return [DataFile.of(file) for file in found]


def is_path(value: object) -> TypeGuard[FilePath]:
    return isinstance(value, (str, PathLike))


@contextmanager
def reading(origin: str) -> Iterator[None]:
    """Failures of a reader, whatever it raises, become errors that name the place."""
    try:
        yield
    except (BochnerError, MemoryError):
        raise
    except UnicodeDecodeError as failure:
        raise InvalidDataError(
            f"{origin} could not be read: it has text that is not UTF-8. {UTF_8_REMEDY}"
        ) from failure
    except Exception as failure:  # damaged files make Arrow and NumPy raise errors of a dozen types
        raise InvalidDataError(f"{origin} could not be read: {csv_failure(one_line(failure))}") from failure


def one_line(failure: Exception) -> str:
    """The first line of a message, cut off, and without the bytes of a binary file."""
    line = (str(failure).splitlines() or [type(failure).__name__])[0]
    return "".join(sign if sign.isprintable() and sign != "\ufffd" else "?" for sign in line[:_LONGEST])


def _expand(path: Path, suffixes: tuple[str, ...]) -> list[Path]:
    if path.is_dir():
        inside = [file for file in sorted(path.rglob("*")) if file.name.lower().endswith(suffixes) and file.is_file()]
        kept = [file for file in inside if not _is_hidden(file.relative_to(path))]
        _refuse_partitions(path, kept)
        return kept
    if not path.exists() and has_magic(fspath(path)):
        return [Path(file) for file in sorted(glob(fspath(path), recursive=True))]
    return [path]


def _is_hidden(path: Path) -> bool:
    """Whether a file or folder is hidden or metadata: _SUCCESS, _metadata, .crc."""
    return any(part.startswith((".", "_")) for part in path.parts)


def _refuse_partitions(folder: Path, files: list[Path]) -> None:
    keys = {part.partition("=")[0] for file in files for part in file.relative_to(folder).parent.parts if "=" in part}
    if keys:
        raise InvalidDataError(
            f"{folder.name} is partitioned by {', '.join(sorted(keys))}: values in folder names are not columns here. "
            "Write them into the files, or give the files as a list or a pattern to leave them out."
        )
