"""Concatenated arrays, in memory or in .npy files, read by row range."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeAlias

import numpy as np
from numpy.lib import format as npy

from bochner._typing import Array, ArrayLike, FilePath, JsonDict
from bochner.data.files import DataFile, find_files, is_path, reading
from bochner.data.rechunk import stacked
from bochner.errors import InvalidDataError, invalid_parameter

__all__ = ["ArrayParts", "Chunks", "chunks_of"]

ArrayParts: TypeAlias = FilePath | ArrayLike | Sequence[FilePath | ArrayLike]
"""Paths of .npy files and arrays, one or a list of them: rows on top of each other."""


class _Part(Protocol):
    """Some rows of an array."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def read(self, start: int, stop: int) -> Array: ...

    def fingerprint(self) -> JsonDict: ...


class _InMemory:
    """An array or a memory map."""

    def __init__(self, array: Array, name: str) -> None:
        self.array = array
        self.name = name
        self.shape, self.dtype = self.array.shape, self.array.dtype

    def read(self, start: int, stop: int) -> Array:
        return self.array[start:stop]

    def fingerprint(self) -> JsonDict:
        return {"shape": list(self.shape), "dtype": self.dtype.str}


class _NpyFile:
    """A .npy file. Rows are read, not mapped: a file that is cut off is then an error instead of a crash."""

    def __init__(self, file: DataFile) -> None:
        self.file = file
        self.name = file.name
        with reading(file.name), file.path.open("rb") as handle:
            read_header = npy.read_array_header_1_0 if npy.read_magic(handle) == (1, 0) else npy.read_array_header_2_0
            self.shape, self.fortran_order, self.dtype = read_header(handle)
            self.offset = handle.tell()
        expected = self.offset + int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize
        if file.size != expected and not self.dtype.hasobject:
            raise InvalidDataError(
                f"{self.name} must have {expected} bytes for its shape {self.shape}. Got {file.size}."
            )

    def read(self, start: int, stop: int) -> Array:
        self.file.check()
        with reading(f"{self.name}, rows {start} to {stop}"), self.file.path.open("rb") as handle:
            if not self.fortran_order or len(self.shape) == 1:
                width = int(np.prod(self.shape[1:], dtype=np.int64))
                return self._numbers(handle, start * width, (stop - start) * width).reshape(-1, *self.shape[1:])
            columns = [self._numbers(handle, j * self.shape[0] + start, stop - start) for j in range(self.shape[1])]
            return np.stack(columns, axis=1)

    def fingerprint(self) -> JsonDict:
        return self.file.fingerprint()

    def _numbers(self, handle: BinaryIO, first: int, count: int) -> Array:
        handle.seek(self.offset + first * self.dtype.itemsize)
        numbers = np.fromfile(handle, dtype=self.dtype, count=count)
        if len(numbers) < count:
            raise EOFError(f"the file ends {count - len(numbers)} numbers too early")
        return numbers


class Chunks:
    """Arrays on top of each other: only the rows that are asked for are read."""

    def __init__(self, owner: str, parameter: str, parts: list[_Part]) -> None:
        first = parts[0]
        for part in parts:
            if part.dtype.kind not in "biufUS" or len(part.shape) not in (1, 2):
                raise InvalidDataError(
                    f"The {parameter!r} of {owner} must be arrays of numbers with one or two axes. "
                    f"Got {part.dtype} of shape {part.shape} in {part.name}."
                )
            if part.shape[1:] != first.shape[1:] or (part.dtype.kind in "US") != (first.dtype.kind in "US"):
                raise InvalidDataError(
                    f"All parts must have the same columns. Got {part.dtype} of shape {part.shape} in {part.name} and "
                    f"{first.dtype} of shape {first.shape} in {first.name}."
                )
        self.parts = parts
        self.width = first.shape[1] if len(first.shape) == 2 else 1
        self.dtype = np.result_type(*(part.dtype for part in parts))
        self._starts = [0, *accumulate(part.shape[0] for part in parts)]

    @property
    def n_rows(self) -> int:
        return self._starts[-1]

    def read(self, start: int, stop: int) -> Array:
        """Rows start to stop, as an array of shape (stop - start, width)."""
        found = []
        while start < stop:
            i = bisect_right(self._starts, start) - 1
            end = min(stop, self._starts[i + 1])
            found.append(self.parts[i].read(start - self._starts[i], end - self._starts[i]))
            start = end
        return stacked(found).reshape(-1, self.width)

    def origin(self, row: int) -> str:
        """The part that holds a row, and the row's number in it."""
        i = bisect_right(self._starts, row) - 1
        return f"{self.parts[i].name}, from its row {row - self._starts[i]} on"

    def fingerprint(self) -> list[JsonDict]:
        return [part.fingerprint() for part in self.parts]


def chunks_of(owner: str, parameter: str, value: ArrayParts) -> Chunks:
    """Arrays and paths, one or a list of them, as one array."""
    given = list(value) if isinstance(value, (list, tuple)) else [value]
    parts: list[_Part] = []
    for one in given:
        if is_path(one):
            parts.extend(_NpyFile(file) for file in find_files(owner, Path(one), (".npy",)))
        elif hasattr(one, "shape"):
            parts.append(_InMemory(np.asarray(one), f"array {len(parts)}"))
        else:
            raise invalid_parameter(owner, parameter, "a path to .npy files, an array, or a list of them", one)
    if not parts:
        raise invalid_parameter(owner, parameter, "at least one path or array", value)
    return Chunks(owner, parameter, parts)
