"""Predictions to CSV and Parquet files or standard output."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, TypeAlias

import numpy as np

from bochner._files import replacing
from bochner._typing import Array

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Columns", "write_columns"]

Columns: TypeAlias = "Mapping[str, Array | pa.ChunkedArray]"


def write_columns(columns: Columns, path: str | None) -> None:
    """Write columns to a .csv or .parquet file, or as CSV to standard output."""
    if path is None:
        _write_text(columns, sys.stdout)
        sys.stdout.flush()
        return
    with replacing(Path(path)) as file:
        if path.lower().endswith((".parquet", ".pq")):
            import pyarrow as pa
            from pyarrow import parquet

            parquet.write_table(pa.table(dict(columns)), file)
        else:
            text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
            _write_text(columns, text)
            text.detach()  # flushes; the file is closed by who opened it


def _write_text(columns: Columns, file: TextIO) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    shown = [_texts(values) for values in columns.values()]
    writer.writerows(zip(*shown, strict=True))


def _texts(values: Array | pa.ChunkedArray) -> list[object]:
    """Shortest digits that give the number back, in its own precision."""
    if isinstance(values, np.ndarray):
        return values.astype(str).tolist() if values.dtype.kind == "f" else values.tolist()
    return values.to_pylist()  # type: ignore[no-any-return]
