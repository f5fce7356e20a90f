"""Predictions to CSV and Parquet files or standard output, in pieces."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, TypeAlias

import numpy as np

from bochner._files import replacing
from bochner._typing import Array
from bochner.cli.streams import data_output

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Columns", "n_rows", "writing"]

Columns: TypeAlias = "Mapping[str, Array | pa.ChunkedArray]"
Write: TypeAlias = Callable[[Columns], None]


@contextmanager
def writing(path: str | None) -> Iterator[Write]:
    """A function that writes columns, piece by piece: to a .csv or .parquet file, or as CSV to standard output.

    A file has all pieces or is not there: it takes its name at the end.
    """
    if path is None:
        output = data_output()
        try:
            yield _text_writer(output)
            output.flush()
        finally:
            if output is not sys.stdout:
                output.detach()  # type: ignore[attr-defined]  # standard output stays open
        return
    with replacing(Path(path)) as file:
        if path.lower().endswith((".parquet", ".pq")):
            writer = _ParquetFile(file)
            yield writer.write
            writer.close()
        else:
            text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
            yield _text_writer(text)
            text.detach()  # flushes; the file is closed by who opened it


class _ParquetFile:
    """A Parquet file whose types are those of the first piece."""

    def __init__(self, file: object) -> None:
        self._file = file
        self._writer: pa.parquet.ParquetWriter | None = None

    def write(self, columns: Columns) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        table = pa.table(dict(columns))
        if self._writer is None:
            self._writer = parquet.ParquetWriter(self._file, table.schema)
        self._writer.write_table(table.cast(self._writer.schema))

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()


def n_rows(columns: Columns) -> int:
    """Rows of a piece."""
    return len(next(iter(columns.values())))


def _text_writer(file: TextIO) -> Write:
    """A function that writes the names before the first piece."""
    writer = csv.writer(file, lineterminator="\n")
    named: list[Columns] = []

    def write(columns: Columns) -> None:
        if not named:
            writer.writerow(columns)
            named.append(columns)
        writer.writerows(zip(*[_texts(values) for values in columns.values()], strict=True))

    return write


def _texts(values: Array | pa.ChunkedArray) -> list[object]:
    """Shortest digits that give the number back, in its own precision."""
    if type(values) is np.ndarray:
        return values.astype(str).tolist() if values.dtype.kind == "f" else values.tolist()
    return values.to_pylist()  # type: ignore[union-attr, no-any-return]
