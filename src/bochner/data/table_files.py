"""Tables in CSV and Parquet files as Arrow batches, which can be read again and again."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from bochner.data.arrow import require_pyarrow
from bochner.data.csv import TEXT_BYTES, CsvFormat, delimiter_of, widened
from bochner.data.files import DataFile, reading
from bochner.data.parquet import open_parquet
from bochner.data.table import ALLOCATOR_BYTES
from bochner.data.whole_table import TEXTS, head_and_size, refuse_strange_texts, refuse_twins, require_file
from bochner.errors import InvalidDataError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Batches", "TableFile", "can_stream", "open_table"]

Batches: TypeAlias = "Generator[tuple[str, pa.RecordBatch], None, None]"
"""Where rows come from, for messages, and the rows."""

_PARQUET = (".parquet", ".pq")
_PARQUET_ROWS = 2**14
_CONVERSION = re.compile(r"In CSV column #(\d+): ")


class TableFile(ABC):
    """A table in a file whose rows are read in batches of some megabytes, in the same order every time.

    Attributes
    ----------
    path : str
    schema : Arrow schema
        Of all columns.
    read_bytes : int
        Bytes that reading holds, about.
    """

    path: str
    schema: pa.Schema
    read_bytes: int

    @abstractmethod
    def batches(self, columns: list[str] | None = None) -> Batches:
        """All rows of some columns; None: of all."""

    def tables(self, columns: list[str] | None = None) -> Generator[tuple[str, pa.Table], None, None]:
        """The batches as tables."""
        import pyarrow as pa

        with closing(self.batches(columns)) as batches:
            for origin, batch in batches:
                yield origin, pa.Table.from_batches([batch])

    def settle(self, failure: InvalidDataError) -> None:
        """Change the type of a column that later rows do not have; raise the failure where that is no remedy."""
        raise failure


def can_stream(path: str) -> bool:
    """Whether a file can be read in batches: not arrays, nor standard input."""
    return path != "-" and path.lower().endswith((*TEXTS, *_PARQUET))


def open_table(path: str, kinds: Mapping[str, str] | None = None, keep: str | None = None) -> TableFile:
    """A file that can be read in batches (`can_stream`).

    Parameters
    ----------
    path : str
    kinds : dict, default=None
        Kind of some columns, "number" or "category", to read a CSV column as what it was in training.
    keep : str, default=None
        A column of whole numbers in a CSV file that stays one; others are read as float64.
    """
    require_pyarrow()
    require_file(path)
    return _ParquetTable(path) if path.lower().endswith(_PARQUET) else _TextTable(path, kinds or {}, keep)


class _TextTable(TableFile):
    """A CSV or TSV file, also compressed. Types are told from its first megabytes, and widened where rows disagree."""

    def __init__(self, path: str, kinds: Mapping[str, str], keep: str | None) -> None:
        import pyarrow as pa

        self.path = path
        self._file = DataFile.of(Path(path))
        self._text = CsvFormat(delimiter_of(head_and_size(path)[0]), None)
        with reading(repr(path)):
            found = self._text.head(self._file)
        refuse_twins(path, found.names)
        asked = {"number": pa.float64(), "category": pa.string()}
        types = {field.name: field.type if field.name == keep else widened(field.type) for field in found}
        types |= {name: asked[kind] for name, kind in kinds.items() if name in types and kind in asked}
        self.schema = pa.schema(list(types.items()))
        refuse_strange_texts(path, self.schema)
        self.read_bytes = 4 * TEXT_BYTES + ALLOCATOR_BYTES

    def batches(self, columns: list[str] | None = None) -> Batches:
        types = {name: self.schema.field(name).type for name in columns or self.schema.names}
        self._file.check()
        line = 1 + self._text.header_lines
        with reading(repr(self.path)), closing(self._text.batches(self._file, types)) as batches:
            for batch in batches:
                yield f"{self._file.name}, from line {line:,} on", batch
                line += batch.num_rows
        self._file.check()

    def settle(self, failure: InvalidDataError) -> None:
        import pyarrow as pa

        found = _CONVERSION.search(str(failure))
        at = -1 if found is None else int(found[1])
        if at < 0 or pa.types.is_string(self.schema.field(at).type):
            raise failure
        old = self.schema.field(at)
        wider = pa.float64() if pa.types.is_integer(old.type) or pa.types.is_null(old.type) else pa.string()
        self.schema = self.schema.set(at, pa.field(old.name, wider))


class _ParquetTable(TableFile):
    """A Parquet file, read page by page."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._file = DataFile.of(Path(path))
        with reading(repr(path)), open_parquet(self._file.path) as opened:
            self.schema, columns = opened.schema_arrow, opened.metadata.num_columns
        refuse_twins(path, self.schema.names)
        self._buffer = max(2**14, min(2**17, 2**24 // max(1, columns)))
        self.read_bytes = columns * self._buffer + ALLOCATOR_BYTES

    def batches(self, columns: list[str] | None = None) -> Batches:
        self._file.check()
        with reading(repr(self.path)):
            opened = open_parquet(self._file.path, self._buffer)
        with opened:
            for group in range(opened.num_row_groups):
                origin = f"{self._file.name}, row group {group}"
                with reading(origin), closing(_batches_of(opened, group, columns)) as batches:
                    for batch in batches:
                        yield origin, batch
        self._file.check()


def _batches_of(opened: Any, group: int, columns: list[str] | None) -> Generator[pa.RecordBatch, None, None]:
    yield from opened.iter_batches(_PARQUET_ROWS, [group], columns, use_threads=False)
