"""Atomic file writes: a temporary file beside the target, synced, then renamed over it.

A reader sees the old file or the new one, also while others write the same one: the last to finish wins. The temporary
file has a name of its own that nobody can know before (O_EXCL), so that nothing planted is followed. A target that is a
symbolic link is replaced itself: what it points to is not touched. The new file has the permissions of the old one, or
those of the umask. Pipes and devices (/dev/stdout) are written to as they are: there is nothing to rename.

A killed writer leaves its temporary file, `.NAME.PID-DIGITS.part`. A writer holds a lock on its own, so the next one of
the same target knows which of them nobody writes any more, and removes these.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EACCES, EISDIR, ENOENT
from hashlib import sha256
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows: a file that is open cannot be removed there, which protects it as the lock does
    fcntl = None  # type: ignore[assignment]

__all__ = ["is_stream", "replacing", "require_replaceable"]

_SYSTEM_LINK = re.compile(r"/dev/std(out|err)$|/dev/fd/|/proc/")
_LONGEST = 180  # bytes of the target's name in that of its temporary file: file systems allow 255 in all


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Atomic writer: a temporary file next to `path` that replaces it at the end; an error removes it."""
    require_replaceable(path)
    if is_stream(path):
        with path.open("ab") as stream:  # never cut off: /dev/stdout may be a log that others write to
            yield stream
        return
    part, file = _new_part(path)
    try:
        with file:
            yield file
            _adopt_permissions(file, path)
            file.flush()
            os.fsync(file.fileno())
            if fcntl is None:
                file.close()  # Windows renames no open file
            os.replace(part, path)  # before the lock is given up
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)
    _remove_stale_parts(path)


def require_replaceable(path: Path) -> None:
    """Raise `OSError` for a target that cannot be replaced: in no folder, a folder itself, write-protected."""
    if not path.parent.is_dir():
        raise FileNotFoundError(ENOENT, "There is no folder for the file", str(path))
    if path.is_dir():
        raise IsADirectoryError(EISDIR, "There is a folder of that name", str(path))
    if path.exists() and not path.is_symlink() and not os.access(path, os.W_OK):
        raise PermissionError(EACCES, "The file is write-protected", str(path))


def is_stream(path: Path) -> bool:
    """Whether a target is a pipe, a socket or a device: itself, or by a link of the system such as /dev/stdout."""
    with suppress(OSError):
        kind = path.lstat().st_mode
        if stat.S_ISLNK(kind):
            return _SYSTEM_LINK.match(os.path.abspath(path)) is not None and not path.is_dir()
        return not stat.S_ISREG(kind) and not stat.S_ISDIR(kind)
    return False


def _new_part(path: Path) -> tuple[Path, IO[bytes]]:
    """A new temporary file, locked."""
    while True:
        part = path.with_name(f"{_prefix(path)}{os.getpid()}-{os.urandom(4).hex()}.part")
        file = part.open("xb")
        if _is_ours(file):
            return part, file
        file.close()  # another writer took it for one that a killed process had left


def _is_ours(file: IO[bytes]) -> bool:
    """Lock a new temporary file; False if it was removed before the lock was there."""
    if fcntl is not None:
        with suppress(OSError):  # a file system without locks: no other writer gets one either
            fcntl.flock(file, fcntl.LOCK_EX)
    return os.name == "nt" or os.fstat(file.fileno()).st_nlink > 0


def _adopt_permissions(file: IO[bytes], path: Path) -> None:
    """Give the new file the permissions of the one that it replaces; of a link there are none to adopt."""
    with suppress(OSError):
        old = path.lstat().st_mode
        if stat.S_ISREG(old) and hasattr(os, "fchmod"):
            os.fchmod(file.fileno(), stat.S_IMODE(old) & 0o777)


def _sync_folder(folder: Path) -> None:
    """Make a rename last through a power cut, where folders can be opened."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _prefix(path: Path) -> str:
    """Beginning of the names of a target's temporary files."""
    name = os.fsencode(path.name)
    if len(name) <= _LONGEST:
        return f".{path.name}."
    return f".{sha256(name).hexdigest()[:32]}."


def _remove_stale_parts(path: Path) -> None:
    """Remove temporary files of killed writers."""
    ours = re.compile(re.escape(_prefix(path)) + r"\d+-[0-9a-f]{8}\.part")
    with suppress(OSError):
        for part in path.parent.iterdir():
            if ours.fullmatch(part.name):
                _remove_if_unlocked(part)


def _remove_if_unlocked(part: Path) -> None:
    """Remove a temporary file unless a writer holds its lock. Links, pipes and folders of such a name are left."""
    if fcntl is None:
        with suppress(OSError):
            part.unlink()
        return
    with suppress(OSError):
        descriptor = os.open(part, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                part.unlink()
        finally:
            os.close(descriptor)
