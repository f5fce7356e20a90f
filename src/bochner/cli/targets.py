"""Checks of the files that a command is to write, before its work: never over an input, nor over something else's."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryFile

from bochner._files import is_stream, require_replaceable
from bochner.errors import InvalidDataError

__all__ = [
    "mark_of",
    "refuse_type",
    "require_apart",
    "require_model_file",
    "require_ours",
    "require_page",
    "require_type",
    "require_writable",
]

_MODEL, _PAGE = b"PK", b"<!DOCTYPE html>"


def require_writable(*paths: str | None) -> None:
    """Refuse a file that cannot be written now, before hours of work."""
    for path in map(Path, filter(None, paths)):
        try:
            require_replaceable(path)
            if not is_stream(path):
                with TemporaryFile(dir=path.parent):
                    pass
        except OSError as error:
            reason, folder = str(error.strerror), str(path.resolve().parent)
            raise InvalidDataError(
                f"{str(path)!r} cannot be written: {reason[:1].lower()}{reason[1:]} ({folder!r})."
            ) from None


def require_type(path: str | None, suffixes: tuple[str, ...], what: str) -> None:
    """Refuse a name that says another type of file than is written; pipes and devices have none."""
    if path and not path.lower().endswith(suffixes) and not is_stream(Path(path)):
        listed = f"{', '.join(suffixes[:-1])} or {suffixes[-1]}"
        raise InvalidDataError(f"{what} must be a {listed} file. Got {path!r}.")


def refuse_type(path: str, suffixes: tuple[str, ...], what: str) -> None:
    """Refuse a name that says another type of file than is written, where any other name will do."""
    if path.lower().endswith(suffixes):
        raise InvalidDataError(f"{what} is no {Path(path).suffix} file. Got {path!r}: end it in .bochner.")


def require_apart(outputs: Sequence[str | None], inputs: Sequence[str | None]) -> None:
    """Refuse outputs that are one file with an input, by whatever name or link, or with each other."""
    written = [path for path in outputs if path and not is_stream(Path(path))]
    for at, output in enumerate(written):
        for other in filter(None, inputs):
            if _is_same(output, other):
                raise InvalidDataError(f"{output!r} is an input ({other!r}) and would be replaced. Give another name.")
        for other in written[:at]:
            if _is_same(output, other):
                raise InvalidDataError(f"{output!r} would be written twice (also as {other!r}). Give another name.")


def _is_same(path: str, other: str) -> bool:
    if os.path.exists(path) and os.path.exists(other):
        return os.path.samefile(path, other)
    return os.path.realpath(path) == os.path.realpath(other)


def mark_of(table: str, target: str) -> str:
    """Identity of a table's place and of a target, as digits: `bochner fit` leaves it in the files that it writes."""
    return sha256(f"{os.path.realpath(table)}\n{target}".encode("utf-8", "surrogateescape")).hexdigest()[:16]


def require_ours(path: str, mark: str, what: str, option: str) -> None:
    """Refuse to replace a file whose name nobody gave, unless `bochner fit` wrote it for the same table and target."""
    if os.path.lexists(path) and not _has(path, mark.encode()):
        raise InvalidDataError(
            f"{path!r} is there already, and is not the {what}. Give another name ({option}), or --force to replace it."
        )


def require_model_file(path: str) -> None:
    """Refuse to replace something that is no model, such as a table whose name was given by mistake."""
    _require_beginning(path, _MODEL, "a model file")


def require_page(path: str) -> None:
    """Refuse to replace something that is no report; a report of numbers (.json) has no mark of its own."""
    _require_beginning(path, b"{" if path.endswith(".json") else _PAGE, "a report")


def _require_beginning(path: str, beginning: bytes, what: str) -> None:
    if os.path.lexists(path) and not is_stream(Path(path)) and not _starts(path, beginning):
        raise InvalidDataError(
            f"{path!r} is there already, and is not {what}. Give another name, or --force to replace it."
        )


def _starts(path: str, beginning: bytes) -> bool:
    return any(content[: len(beginning)] == beginning for content in _content(path))


def _has(path: str, text: bytes) -> bool:
    return any(content.find(text) >= 0 for content in _content(path))


def _content(path: str) -> Iterator[mmap.mmap]:
    """The content of a file that can be read, mapped."""
    try:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            yield content
    except (OSError, ValueError):  # no file behind a link, not ours to read, or empty
        return
