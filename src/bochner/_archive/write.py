"""Atomic writer of archives: an interrupted write leaves the old file."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

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
    Row,
    depth,
)
from bochner._files import replacing
from bochner._typing import Array, FilePath
from bochner.errors import InvalidDataError, invalid_parameter

__all__ = ["write_archive"]


def write_archive(
    path: FilePath, *, kind: str, version: int, header: Mapping[str, object], arrays: Mapping[str, Array]
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
    table: dict[str, Row] = {}
    with replacing(Path(path)) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        if len(arrays) > MOST_ARRAYS:
            raise InvalidDataError(f"A file holds at most {MOST_ARRAYS} arrays. Got {len(arrays)}.")
        for name, array in arrays.items():
            table[name] = _write_array(archive, name, np.asanyarray(array))
        text = _header_text(kind, version, header, table)
        archive.writestr(zipfile.ZipInfo(HEADER), text)
        archive.comment = sha256(text).hexdigest().encode()


def _write_array(archive: zipfile.ZipFile, name: str, array: Array) -> Row:
    """Write one array; its row of the table."""
    if not NAME.fullmatch(name):
        raise invalid_parameter("write_archive", "arrays", "named by letters, digits, '_', '.' and '-'", name)
    plain = array.astype(array.dtype.newbyteorder("<"), copy=False) if array.dtype.itemsize else array.astype("<U1")
    dtype = plain.dtype.str
    if not DTYPE.fullmatch(dtype):
        raise InvalidDataError(
            f"An array of a file must have numbers, booleans or text. Got {name!r} of {array.dtype}."
        )
    order = "F" if plain.flags.f_contiguous and not plain.flags.c_contiguous else "C"
    raw = _bytes_of(plain.T if order == "F" else np.ascontiguousarray(plain))
    info = zipfile.ZipInfo(FOLDER + name)
    info.file_size = len(raw)  # tells zipfile whether 64-bit sizes are needed
    digest = sha256()
    with archive.open(info, "w") as member:
        for start in range(0, len(raw), CHUNK):
            chunk = raw[start : start + CHUNK]
            digest.update(chunk)
            member.write(chunk)
    return [dtype, list(plain.shape), order, digest.hexdigest()]


def _bytes_of(contiguous: Array) -> memoryview:
    flat = contiguous.reshape(-1)
    return memoryview(flat.view(np.uint8).data) if flat.size else memoryview(b"")


def _header_text(kind: str, version: int, header: Mapping[str, object], table: dict[str, Row]) -> bytes:
    whole = {
        "container": CONTAINER,
        "kind": kind,
        "version": version,
        "bochner": bochner.__version__,
        "header": dict(header),
        "arrays": table,
    }
    text = json.dumps(whole, allow_nan=False).encode()
    if len(text) > MOST_HEADER_BYTES or depth(whole) > DEEPEST:
        raise InvalidDataError(
            f"The header of a file must have at most {MOST_HEADER_BYTES:,} bytes and {DEEPEST} levels. "
            f"Got {len(text):,} bytes."
        )
    return text
