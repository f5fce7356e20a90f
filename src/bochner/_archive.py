"""The one container of bochner's files: arrays and one JSON text in a zip archive. Nothing in it is ever executed.

Members are stored as they are, so a file holds no more than its size and arrays move at the speed of the disk:

    arrays/<name>     the raw bytes of an array, little-endian, in C or Fortran order
    header.json       kind and version of the content, its own header, and a table of the arrays with their SHA-256
    archive comment   SHA-256 of header.json, which is so a checksum over everything

A checksum finds damage and careless edits. It is no signature: whoever can write the file can write the checksum.
"""

from __future__ import annotations

import json
import os
import re
import struct
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from math import prod
from pathlib import Path
from typing import IO, Any

import numpy as np

import bochner
from bochner._typing import Array
from bochner.config import get_config
from bochner.errors import FileFormatError, InvalidDataError, MemoryBudgetError, invalid_parameter

__all__ = ["read_archive", "write_archive"]

_CONTAINER = 1
_HEADER = "header.json"
_FOLDER = "arrays/"
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,200}", re.ASCII)
_DTYPE = re.compile(r"\|b1|\|[iu]1|<[iu][248]|<f[248]|<U[1-9][0-9]{0,6}", re.ASCII)
_END = struct.Struct("<4s4H2LH64s")  # zip's end record, with a comment of 64 hexadecimal digits
_END64 = struct.Struct("<4sQ2H2L4Q")  # the record before it in a file of 4 GiB or more, and its locator
_LOCATOR = struct.Struct("<4sLQL")

_CHUNK = 2**20  # hashed, checked and written while it is in cache
_MOST_HEADER_BYTES = 2**22  # JSON grows up to thirtyfold when parsed
_MOST_ARRAYS = 4096
_DEEPEST = 64
_STALE_SECONDS = 600.0

_COPY_AGAIN = "Copy it again from its source, or write it anew."


def write_archive(
    path: str | Path, *, kind: str, version: int, header: Mapping[str, Any], arrays: Mapping[str, Array]
) -> None:
    """Write a file; an interrupt, a full disk or a power cut leaves the old file or the new one, never a part.

    Parameters
    ----------
    path : str or Path
    kind : str
        What the file is, such as "model".
    version : int
        Version of the content, for `read_archive`.
    header : dict
        Anything that strict JSON can say, at most 4 MiB of it.
    arrays : dict of arrays
        Booleans, integers, floats up to 8 bytes, and text of fixed width.
    """
    table: dict[str, Any] = {}
    with _beside(Path(path)) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        if len(arrays) > _MOST_ARRAYS:
            raise InvalidDataError(f"A file holds at most {_MOST_ARRAYS} arrays. Got {len(arrays)}.")
        for name, array in arrays.items():
            table[name] = _write_array(archive, name, np.asanyarray(array))
        text = _header_text(kind, version, header, table)
        archive.writestr(zipfile.ZipInfo(_HEADER), text)
        archive.comment = sha256(text).hexdigest().encode()


def read_archive(
    path: str | Path, *, kind: str, version: int, max_bytes: int | None = None
) -> tuple[int, dict[str, Any], dict[str, Array]]:
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
            arrays = {name: _read_array(archive, members[_FOLDER + name], *row) for name, row in table.items()}
    return whole["version"], whole["header"], arrays


# Writing.


@contextmanager
def _beside(path: Path) -> Iterator[IO[bytes]]:
    """A file beside `path` that takes its place at the end, unless an error removes it."""
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
    """Remove what killed writers of this file left; one that still writes has touched its part lately."""
    with suppress(OSError):
        now = path.stat().st_mtime
        for part in path.parent.glob(f".{_literal(path.name)}.*.part"):
            if now - part.stat().st_mtime > _STALE_SECONDS:
                part.unlink(missing_ok=True)


def _literal(name: str) -> str:
    return re.sub(r"([\[*?])", r"[\1]", name)


def _write_array(archive: zipfile.ZipFile, name: str, array: Array) -> list[Any]:
    """Write one array; its row of the table."""
    if not _NAME.fullmatch(name):
        raise invalid_parameter("write_archive", "arrays", "named by letters, digits, '_', '.' and '-'", name)
    plain = array.astype(array.dtype.newbyteorder("<"), copy=False) if array.dtype.itemsize else array.astype("<U1")
    dtype = plain.dtype.str
    if not _DTYPE.fullmatch(dtype):
        raise InvalidDataError(
            f"An array of a file must have numbers, booleans or text. Got {name!r} of {array.dtype}."
        )
    order = "F" if plain.flags.f_contiguous and not plain.flags.c_contiguous else "C"
    raw = _bytes_of(plain.T if order == "F" else np.ascontiguousarray(plain))
    info = zipfile.ZipInfo(_FOLDER + name)
    info.file_size = len(raw)  # tells zipfile whether 64-bit sizes are needed
    digest = sha256()
    with archive.open(info, "w") as member:
        for start in range(0, len(raw), _CHUNK):
            chunk = raw[start : start + _CHUNK]
            digest.update(chunk)
            member.write(chunk)
    return [dtype, list(plain.shape), order, digest.hexdigest()]


def _bytes_of(contiguous: Array) -> memoryview:
    flat = contiguous.reshape(-1)
    return memoryview(flat.view(np.uint8).data) if flat.size else memoryview(b"")


def _header_text(kind: str, version: int, header: Mapping[str, Any], table: dict[str, Any]) -> bytes:
    whole = {
        "container": _CONTAINER,
        "kind": kind,
        "version": version,
        "bochner": bochner.__version__,
        "header": dict(header),
        "arrays": table,
    }
    text = json.dumps(whole, allow_nan=False).encode()
    if len(text) > _MOST_HEADER_BYTES or _depth(whole) > _DEEPEST:
        raise InvalidDataError(
            f"The header of a file must have at most {_MOST_HEADER_BYTES:,} bytes and {_DEEPEST} levels. "
            f"Got {len(text):,} bytes."
        )
    return text


# Reading: every size is checked before it is believed.


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    """Whatever a damaged archive does to zipfile is one error; ours get the name of the file."""
    try:
        yield
    except FileFormatError as error:
        raise FileFormatError(f"{path} {error}") from None
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError, struct.error) as error:
        raise FileFormatError(f"{path} is damaged: {error}. {_COPY_AGAIN}") from None


def _check_ends(file: IO[bytes], size: int) -> None:
    """The file begins and ends as ours do, and its directory is as small as ours are."""
    start = file.read(4)
    if start[:1] == b"\x80":
        raise FileFormatError(
            "is a pickle, which could run any code, and is not opened. If you trust its source, joblib.load opens it."
        )
    if start != b"PK\x03\x04":
        raise FileFormatError("is not a file of bochner. bochner.save writes such files.")
    if size < _END.size:
        raise FileFormatError(f"is truncated: it has {size} bytes. {_COPY_AGAIN}")
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
    if entries > _MOST_ARRAYS + 1 or directory > 512 * entries:
        raise FileFormatError(f"claims {entries:,} members, and such files have at most {_MOST_ARRAYS + 1:,}.")
    file.seek(0)


def _members(archive: zipfile.ZipFile, size: int) -> dict[str, zipfile.ZipInfo]:
    members: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        known = info.filename == _HEADER or (
            info.filename.startswith(_FOLDER) and _NAME.fullmatch(info.filename.removeprefix(_FOLDER))
        )
        if not known:
            raise FileFormatError(f"has a member {info.filename[:100]!r} that such files do not have.")
        if info.filename in members:
            raise FileFormatError(f"has two members {info.filename!r}.")
        if info.compress_type != zipfile.ZIP_STORED or info.file_size != info.compress_size or info.flag_bits & 1:
            raise FileFormatError(f"has a compressed or encrypted member {info.filename!r}; such files have none.")
        members[info.filename] = info
    inside = all(0 <= info.header_offset <= size - info.file_size for info in members.values())
    if not inside or sum(info.file_size for info in members.values()) > size:
        raise FileFormatError("claims to hold more bytes than it has.")
    if _HEADER not in members:
        raise FileFormatError("is not a file of bochner: it has no header.json.")
    return members


def _read_header(archive: zipfile.ZipFile, members: dict[str, zipfile.ZipInfo]) -> dict[str, Any]:
    info = members[_HEADER]
    if info.file_size > _MOST_HEADER_BYTES:
        raise FileFormatError(f"has a header of {info.file_size:,} bytes; the most are {_MOST_HEADER_BYTES:,}.")
    text = archive.read(info)
    if sha256(text).hexdigest().encode() != archive.comment:
        raise FileFormatError(f"is damaged or was altered: header.json does not match its checksum. {_COPY_AGAIN}")
    try:
        whole = json.loads(text.decode(), object_pairs_hook=_unique_keys, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise FileFormatError("was altered: header.json is not the JSON that such files have.") from None
    shape = {"container": int, "kind": str, "version": int, "bochner": str, "header": dict, "arrays": dict}
    fits = isinstance(whole, dict) and all(type(whole.get(name)) is type_ for name, type_ in shape.items())
    if not fits or _depth(whole) > _DEEPEST:
        raise FileFormatError("was altered: header.json does not have the fields that such files have.")
    return dict(whole)


def _check_kind(whole: dict[str, Any], kind: str, version: int) -> None:
    if whole["kind"] != kind:
        raise FileFormatError(f"is a {whole['kind'][:40]!r} file. Expected a {kind!r} file.")
    if whole["container"] > _CONTAINER or whole["version"] > version:
        writer = whole["bochner"][:40]
        raise FileFormatError(
            f"is too new: it was written by bochner {writer}, and this is {bochner.__version__}. Update bochner."
        )


def _checked_table(table: dict[str, Any], members: dict[str, zipfile.ZipInfo]) -> dict[str, tuple[Any, ...]]:
    """(dtype, shape, order, digest) of every array, against the members that are there and their sizes."""
    if {_FOLDER + name for name in table} != members.keys() - {_HEADER}:
        raise FileFormatError("was altered: its arrays are not those of its header.")
    checked = {}
    for name, row in table.items():
        if not (isinstance(row, list) and [type(part) for part in row] == [str, list, str, str]):
            raise FileFormatError(f"was altered: the row of array {name!r} is not one.")
        dtype, shape, order, digest = row
        if not _DTYPE.fullmatch(dtype):
            raise FileFormatError(f"has an array {name!r} of type {dtype[:20]!r}, which such files may not hold.")
        if len(shape) > 32 or not all(type(n) is int and 0 <= n < 2**48 for n in shape) or order not in ("C", "F"):
            raise FileFormatError(f"was altered: array {name!r} has no valid shape.")
        if prod(shape) * np.dtype(dtype).itemsize != members[_FOLDER + name].file_size:
            raise FileFormatError(f"was altered: array {name!r} does not have the bytes of its shape.")
        checked[name] = (np.dtype(dtype), tuple(shape), order, digest)
    return checked


def _read_array(
    archive: zipfile.ZipFile,
    info: zipfile.ZipInfo,
    dtype: np.dtype[Any],
    shape: tuple[int, ...],
    order: str,
    digest: str,
) -> Array:
    raw, seen, at = np.empty(info.file_size, dtype=np.uint8), sha256(), 0
    with archive.open(info) as member:
        while chunk := member.read(_CHUNK):
            raw[at : at + len(chunk)] = np.frombuffer(chunk, dtype=np.uint8)
            seen.update(chunk)
            at += len(chunk)
    if at != len(raw) or seen.hexdigest() != digest:
        raise FileFormatError(f"is damaged or was altered: array {info.filename!r} fails its checksum. {_COPY_AGAIN}")
    if (dtype.kind == "b" and raw.max(initial=0) > 1) or (
        dtype.kind == "U" and raw.view("<u4").max(initial=0) > 0x10FFFF
    ):
        raise FileFormatError(f"was altered: array {info.filename!r} has bytes that are no {dtype.name}.")
    try:
        array: Array = raw.view(dtype).reshape(shape[::-1] if order == "F" else shape)
    except ValueError:  # an empty array with huge sides
        raise FileFormatError(f"was altered: array {info.filename!r} has no valid shape.") from None
    return array.T if order == "F" else array


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key comes twice")
    return found


def _refuse_constant(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")


def _depth(value: Any) -> int:
    """Levels of lists and dicts, without recursion."""
    depth, level = 0, [value]
    while level:
        nested = [each for each in level if isinstance(each, (dict, list, tuple))]
        level = [part for each in nested for part in (each.values() if isinstance(each, dict) else each)]
        depth += bool(nested)
    return depth
