"""Atomic file writes: a temporary file beside the target, synced, then renamed over it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import ENOENT
from pathlib import Path
from typing import IO

__all__ = ["replacing"]

_STALE_SECONDS = 600.0


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Atomic writer: a temporary file next to `path` that replaces it at the end; an error removes it."""
    if not path.parent.is_dir():
        raise FileNotFoundError(ENOENT, "There is no folder for the file", str(path))
    part = path.with_name(f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}.part")
    try:
        with part.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)
    _remove_stale_parts(path)


def _sync_folder(folder: Path) -> None:
    """Make a rename last through a power cut, where folders can be opened."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _remove_stale_parts(path: Path) -> None:
    """Remove temporary files of killed writers; a writer that is still alive has touched its file lately."""
    with suppress(OSError):
        now = path.stat().st_mtime
        for part in path.parent.glob(f".{_literal(path.name)}.*.part"):
            if now - part.stat().st_mtime > _STALE_SECONDS:
                part.unlink(missing_ok=True)


def _literal(name: str) -> str:
    return re.sub(r"([\[*?])", r"[\1]", name)
