"""Reader of archives: every size in a file is checked before memory is allocated for it."""

from __future__ import annotations

import json
import struct
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from math import prod
from pathlib import Path
from typing import IO, NamedTuple, NoReturn

import numpy as np

import bochner
from bochner._archive.layout import (
    CHUNK,
    CONTAINER,
    DEEPEST,
    DTYPE,
    FOLDER,
    HEADER,
    MOST_ARRAYS,
    MOST_HEADER_BYTES,
    NAME,
    depth,
)
from bochner._typing import Array, FilePath, JsonDict
from bochner.config import get_config
from bochner.errors import FileFormatError, MemoryBudgetError

__all__ = ["ForeignFileError", "read_archive"]

_END = struct.Struct("<4s4H2LH64s")  # zip's end record, with a comment of 64 hexadecimal digits
_END64 = struct.Struct("<4sQ2H2L4Q")  # the record before it in a file of 4 GiB or more, and its locator
_LOCATOR = struct.Struct("<4sLQL")

_COPY_AGAIN = "Copy it again from its source, or write it anew."


def read_archive(
    path: FilePath, *, kind: str, version: int, max_bytes: int | None = None
) -> tuple[int, JsonDict, dict[str, Array]]:
    """Read a file that `write_archive` wrote; anything else is a `FileFormatError`.

    Parameters
    ----------
    path : str or Path
    kind : str
        What the file must be.
    version : int
        The newest version that the caller can read.
    max_bytes : int, default=None
        Refuse a larger file before anything is read. None: the memory budget of `bochner.config`.

    Returns
    -------
    version : int
        That of the file.
    header : dict
    arrays : dict of arrays
    """
    path = Path(path)
    size, limit = path.stat().st_size, get_config().memory_budget() if max_bytes is None else max_bytes
    if size > limit:
        raise MemoryBudgetError(
            f"{path} has {size:,} bytes, and {limit:,} may be read: "
            "raise the budget with bochner.set_config(memory=...)."
        )
    with path.open("rb") as file, _translated(path):
        _check_ends(file, size)
        with zipfile.ZipFile(file) as archive:
            members = _members(archive, size)
            whole = _read_header(archive, members)
            _check_kind(whole, kind, version)
            table = _checked_table(whole["arrays"], members)
            arrays = {name: _read_array(archive, members[FOLDER + name], row) for name, row in table.items()}
    return whole["version"], whole["header"], arrays


class ForeignFileError(FileFormatError):
    """A file of something else: no damage, so that nobody should delete it."""


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    """Translate errors of zipfile on a damaged archive into `FileFormatError` with the name of the file."""
    try:
        yield
    except FileFormatError as error:
        raise type(error)(f"{path} {error}") from None
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError, struct.error) as error:
        raise FileFormatError(f"{path} is damaged: {error}. {_COPY_AGAIN}") from None


def _check_ends(file: IO[bytes], size: int) -> None:
    """The file begins and ends as ours do, and its directory is as small as ours are."""
    start = file.read(4)
    if start[:1] == b"\x80":
        raise ForeignFileError(
            "is a pickle, which could run any code, and is not opened. If you trust its source, joblib.load opens it."
        )
    if start != b"PK\x03\x04":
        raise ForeignFileError("is not a file of bochner. bochner.save writes such files.")
    if size < _END.size:
        raise FileFormatError(f"is truncated: it has {size} bytes. {_COPY_AGAIN}")
    entries, directory = _directory_size(file, size)
    if entries > MOST_ARRAYS + 1 or directory > 512 * entries:
        raise FileFormatError(f"claims {entries:,} members, and such files have at most {MOST_ARRAYS + 1:,}.")
    file.seek(0)


def _directory_size(file: IO[bytes], size: int) -> tuple[int, int]:
    """Number of members and bytes of the directory, as the end of the file states them."""
    file.seek(size - _END.size)
    signature, disk, first, here, entries, directory, _, comment, _ = _END.unpack(file.read(_END.size))
    if signature != b"PK\x05\x06" or comment != 64 or disk or first or here != entries:
        raise FileFormatError(f"is truncated, or not a file of bochner: its end is missing. {_COPY_AGAIN}")
    at = size - _END.size - _LOCATOR.size - _END64.size
    if at >= 0:
        file.seek(at)
        record, locator = _END64.unpack(file.read(_END64.size)), file.read(_LOCATOR.size)
        if locator[:4] == b"PK\x06\x07":
            entries, directory = record[7], record[8]
    return entries, directory


def _members(archive: zipfile.ZipFile, size: int) -> dict[str, zipfile.ZipInfo]:
    members: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        if info.filename in members:
            raise FileFormatError(f"has two members {info.filename!r}.")
        _check_member(info)
        members[info.filename] = info
    inside = all(0 <= info.header_offset <= size - info.file_size for info in members.values())
    if not inside or sum(info.file_size for info in members.values()) > size:
        raise FileFormatError("claims to hold more bytes than it has.")
    if HEADER not in members:
        raise FileFormatError("is not a file of bochner: it has no header.json.")
    return members


def _check_member(info: zipfile.ZipInfo) -> None:
    """A member has a name that such files have, and is stored as it is."""
    name = info.filename
    if name != HEADER and not (name.startswith(FOLDER) and NAME.fullmatch(name.removeprefix(FOLDER))):
        raise FileFormatError(f"has a member {name[:100]!r} that such files do not have.")
    if info.compress_type != zipfile.ZIP_STORED or info.file_size != info.compress_size or info.flag_bits & 1:
        raise FileFormatError(f"has a compressed or encrypted member {name!r}; such files have none.")


def _read_header(archive: zipfile.ZipFile, members: dict[str, zipfile.ZipInfo]) -> JsonDict:
    info = members[HEADER]
    if info.file_size > MOST_HEADER_BYTES:
        raise FileFormatError(f"has a header of {info.file_size:,} bytes; the most are {MOST_HEADER_BYTES:,}.")
    text = archive.read(info)
    if sha256(text).hexdigest().encode() != archive.comment:
        raise FileFormatError(f"is damaged or was altered: header.json does not match its checksum. {_COPY_AGAIN}")
    try:
        whole = json.loads(text.decode(), object_pairs_hook=_unique_keys, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise FileFormatError("was altered: header.json is not the JSON that such files have.") from None
    shape = {"container": int, "kind": str, "version": int, "bochner": str, "header": dict, "arrays": dict}
    fits = isinstance(whole, dict) and all(type(whole.get(name)) is type_ for name, type_ in shape.items())
    if not fits or depth(whole) > DEEPEST:
        raise FileFormatError("was altered: header.json does not have the fields that such files have.")
    return dict(whole)


def _check_kind(whole: JsonDict, kind: str, version: int) -> None:
    if whole["kind"] != kind:
        raise ForeignFileError(f"is a {whole['kind'][:40]!r} file. Expected a {kind!r} file.")
    if whole["container"] > CONTAINER or whole["version"] > version:
        writer = whole["bochner"][:40]
        raise FileFormatError(
            f"is too new: it was written by bochner {writer}, and this is {bochner.__version__}. Update bochner."
        )


class _ArrayRow(NamedTuple):
    """A row of the table of arrays."""

    dtype: np.dtype[np.generic]
    shape: tuple[int, ...]
    order: str
    digest: str


def _checked_table(table: dict[str, object], members: dict[str, zipfile.ZipInfo]) -> dict[str, _ArrayRow]:
    """The rows of all arrays, against the members that are there and their sizes."""
    if {FOLDER + name for name in table} != members.keys() - {HEADER}:
        raise FileFormatError("was altered: its arrays are not those of its header.")
    return {name: _checked_row(name, row, members[FOLDER + name].file_size) for name, row in table.items()}


def _checked_row(name: str, row: object, size: int) -> _ArrayRow:
    if not (isinstance(row, list) and [type(part) for part in row] == [str, list, str, str]):
        raise FileFormatError(f"was altered: the row of array {name!r} is not one.")
    dtype, shape, order, digest = row
    if not DTYPE.fullmatch(dtype):
        raise FileFormatError(f"has an array {name!r} of type {dtype[:20]!r}, which such files may not hold.")
    if not _is_shape(shape) or order not in ("C", "F"):
        raise FileFormatError(f"was altered: array {name!r} has no valid shape.")
    if prod(shape) * np.dtype(dtype).itemsize != size:
        raise FileFormatError(f"was altered: array {name!r} does not have the bytes of its shape.")
    return _ArrayRow(np.dtype(dtype), tuple(shape), order, digest)


def _is_shape(shape: list[object]) -> bool:
    return len(shape) <= 32 and all(type(n) is int and 0 <= n < 2**48 for n in shape)


def _read_array(archive: zipfile.ZipFile, info: zipfile.ZipInfo, row: _ArrayRow) -> Array:
    raw = _read_bytes(archive, info, row.digest)
    if not _is_valid(raw, row.dtype.kind):
        raise FileFormatError(f"was altered: array {info.filename!r} has bytes that are no {row.dtype.name}.")
    try:
        array: Array = raw.view(row.dtype).reshape(row.shape[::-1] if row.order == "F" else row.shape)
    except ValueError:  # an empty array with huge sides
        raise FileFormatError(f"was altered: array {info.filename!r} has no valid shape.") from None
    return array.T if row.order == "F" else array


def _read_bytes(archive: zipfile.ZipFile, info: zipfile.ZipInfo, digest: str) -> Array:
    """The bytes of a member, if they have the right checksum."""
    raw, seen, at = np.empty(info.file_size, dtype=np.uint8), sha256(), 0
    with archive.open(info) as member:
        while chunk := member.read(CHUNK):
            raw[at : at + len(chunk)] = np.frombuffer(chunk, dtype=np.uint8)
            seen.update(chunk)
            at += len(chunk)
    if at != len(raw) or seen.hexdigest() != digest:
        raise FileFormatError(f"is damaged or was altered: array {info.filename!r} fails its checksum. {_COPY_AGAIN}")
    return raw


def _is_valid(raw: Array, kind: str) -> bool:
    """Booleans are 0 or 1, and text is of Unicode's code points; any bytes are numbers."""
    if kind == "b":
        return bool(raw.max(initial=0) <= 1)
    return kind != "U" or bool(raw.view("<u4").max(initial=0) <= 0x10FFFF)


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key comes twice")
    return found


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not JSON")
