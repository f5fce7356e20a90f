"""Tables in CSV and Parquet files as Arrow batches, which can be read again and again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from bochner.data.arrow import require_pyarrow
from bochner.data.conversion import converting
from bochner.data.csv import TEXT_BYTES, CsvFormat, widened
from bochner.data.files import DataFile, reading
from bochner.data.parquet import open_parquet
from bochner.data.table import ALLOCATOR_BYTES
from bochner.data.table_paths import is_parquet, is_text_file, require_file, table_paths
from bochner.data.whole_table import head_and_size, refuse_strange_texts, refuse_twins
from bochner.errors import InvalidDataError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Batches", "TableFile", "can_stream", "open_table"]

Batches: TypeAlias = "Generator[tuple[str, pa.RecordBatch], None, None]"
"""Where rows come from, for messages, and the rows."""

_PARQUET_ROWS = 2**14


class TableFile(ABC):
    """A table in files whose rows are read in batches of some megabytes, in the same order every time.

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
    """Whether a table can be read in batches: not arrays, nor standard input."""
    return path != "-" and all(is_parquet(file) or is_text_file(file) for file in table_paths(path))


def open_table(
    path: str, kinds: Mapping[str, str] | None = None, keep: str | None = None, missing: Sequence[str] = ()
) -> TableFile:
    """A table that can be read in batches (`can_stream`).

    Parameters
    ----------
    path : str
        A file, or a folder or a pattern of files with the same columns.
    kinds : dict, default=None
        Kind of some columns, "number" or "category", to read a CSV column as what it was in training.
    keep : str, default=None
        A column of whole numbers in a CSV file that stays one; others are read as float64.
    missing : sequence of str, default=()
        Cells of a CSV file that are missing, beside the empty one, NA, NaN and NULL.
    """
    require_pyarrow()
    files = table_paths(path)
    for file in files:
        require_file(file)
    found = [DataFile.of(Path(file)) for file in files]
    return _ParquetTable(path, found) if is_parquet(files[0]) else _TextTable(path, found, kinds or {}, keep, missing)


class _TextTable(TableFile):
    """CSV or TSV files, also compressed. Types are told from the first megabytes, and widened where rows disagree."""

    def __init__(
        self, path: str, files: list[DataFile], kinds: Mapping[str, str], keep: str | None, missing: Sequence[str]
    ) -> None:
        import pyarrow as pa

        self.path, self._files = path, files
        self._text = CsvFormat.of(head_and_size(str(files[0].path))[0], missing)
        with reading(repr(path)):
            found = self._text.head(files[0])
        refuse_twins(path, found.names)
        asked = {"number": pa.float64(), "category": pa.string()}
        types = {field.name: field.type if field.name == keep else widened(field.type) for field in found}
        types |= {name: asked[kind] for name, kind in kinds.items() if name in types and kind in asked}
        self.schema = pa.schema(list(types.items()))
        refuse_strange_texts(path, self.schema)
        self.read_bytes = 4 * TEXT_BYTES + ALLOCATOR_BYTES

    def batches(self, columns: list[str] | None = None) -> Batches:
        types = {name: self.schema.field(name).type for name in columns or self.schema.names}
        for file in self._files:
            file.check()
            line = 1 + self._text.header_lines
            with (
                reading(repr(str(file.path))),
                converting(self.schema.names),
                closing(self._text.batches(file, types)) as batches,
            ):
                for batch in batches:
                    yield f"{file.name}, from line {line:,} on", batch
                    line += batch.num_rows
            file.check()

    def settle(self, failure: InvalidDataError) -> None:
        import pyarrow as pa

        at = getattr(failure, "column", None)
        if at is None or pa.types.is_string(self.schema.field(at).type):
            raise failure
        old = self.schema.field(at)
        wider = pa.float64() if pa.types.is_integer(old.type) or pa.types.is_null(old.type) else pa.string()
        self.schema = self.schema.set(at, pa.field(old.name, wider))


class _ParquetTable(TableFile):
    """Parquet files, read page by page."""

    def __init__(self, path: str, files: list[DataFile]) -> None:
        self.path, self._files = path, files
        schemas, columns = zip(*map(_schema_of, files))
        self.schema = schemas[0]
        for file, other in zip(files, schemas):
            if not other.equals(self.schema):
                raise InvalidDataError(f"{file.name} must have the columns and types of {files[0].name}.")
        refuse_twins(path, self.schema.names)
        self._buffer = max(2**14, min(2**17, 2**24 // max(1, columns[0])))
        self.read_bytes = columns[0] * self._buffer + ALLOCATOR_BYTES

    def batches(self, columns: list[str] | None = None) -> Batches:
        for file in self._files:
            file.check()
            with reading(repr(str(file.path))):
                opened = open_parquet(file.path, self._buffer)
            with opened:
                for group in range(opened.num_row_groups):
                    origin = f"{file.name}, row group {group}"
                    with reading(origin), closing(_batches_of(opened, group, columns)) as batches:
                        for batch in batches:
                            yield origin, batch
            file.check()


def _schema_of(file: DataFile) -> tuple[pa.Schema, int]:
    """Columns of a Parquet file, and how many leaves they have."""
    with reading(repr(str(file.path))), open_parquet(file.path) as opened:
        return opened.schema_arrow, opened.metadata.num_columns


def _batches_of(opened: Any, group: int, columns: list[str] | None) -> Generator[pa.RecordBatch, None, None]:
    yield from opened.iter_batches(_PARQUET_ROWS, [group], columns, use_threads=False)
