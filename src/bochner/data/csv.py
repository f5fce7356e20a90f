"""Streaming and whole reading of CSV files."""

from __future__ import annotations

import logging
import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from csv import reader
from pathlib import Path
from typing import TYPE_CHECKING, Self

from numpy.typing import DTypeLike

from bochner._typing import JsonDict, Transformer
from bochner.data.arrow import is_text, number_dtype, require_pyarrow
from bochner.data.codes import code_columns
from bochner.data.files import DataFile, Paths, find_files, reading
from bochner.data.layout import Layout, layout_of
from bochner.data.source import RowSource
from bochner.data.table import TableSource
from bochner.errors import InvalidDataError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["TEXT_BYTES", "CsvFormat", "CsvSource", "delimiter_of", "scan_csv", "widened"]

_DELIMITERS = ",;\t|"
TEXT_BYTES = 2**22  # whose rows tell the types of columns
_BLOCKS = 16  # in them: Arrow reads up to 32 blocks ahead of the parser, so that blocks must be small
_DECIMAL_LINES = 200
_COMMA_NUMBER, _POINT_NUMBER = re.compile(r"[-+]?\d+,\d+"), re.compile(r"[-+]?\d+\.\d+")
_UTF_16 = "text in UTF-16. Save it as UTF-8, or convert it: iconv -f utf-16 -t utf-8 old.csv > new.csv"
_WEB_PAGE = "a web page, by its first letters: was it downloaded in place of the table?"
_JSON = "JSON, by its first letters: convert it to CSV or Parquet."
_NO_TEXT = {
    b"\xff\xfe": _UTF_16,
    b"\xfe\xff": _UTF_16,
    b"<!DOCTYPE": _WEB_PAGE,
    b"<html": _WEB_PAGE,
    b"[{": _JSON,
    b'{"': _JSON,
    b"\x89PNG": "a picture, by its first letters.",
    b"PAR1": "a Parquet table, by its first letters: name it .parquet.",
    b"PK\x03\x04": "a spreadsheet or another archive, by its first letters: export its sheet as CSV.",
}
_LONGER = (1, _BLOCKS, _BLOCKS**2)  # times a block, for rows that do not fit in one


def scan_csv(
    path: Paths,
    *,
    target: str | list[str] | None = None,
    columns: list[str] | None = None,
    weight: str | None = None,
    encoder: Transformer | None = None,
    dtype: DTypeLike | None = None,
    delimiter: str = ",",
    column_names: list[str] | None = None,
) -> RowSource:
    """Rows of CSV files, for tables larger than memory.

    Columns and their types are told from the first megabytes of each file; numbers are read as float64. How many rows
    there are takes a pass of its own over the text (logged to "bochner", and counted in `n_passes`), made when it is
    first asked for. Parquet is several times faster to read.

    Parameters
    ----------
    path : path, or list of paths
        A file, a directory (all its files that end in .csv, .csv.gz or .csv.bz2, in order of name), or a pattern.
    target, columns, weight, encoder, dtype
        As in `scan_parquet`.
    delimiter : str, default=","
    column_names : list of str or None, default=None
        Names of the columns of files without a first line of names.

    Returns
    -------
    source : RowSource
        Give it to `fit`, `predict` or `transform` in place of X and y.

    Examples
    --------
    >>> import tempfile, bochner as bo
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write("a,b,price\\n1,2,3\\n4,5,6\\n")
    ...     file.flush()
    ...     source = bo.scan_csv(file.name, target="price")
    ...     source.n_rows, source.feature_names
    (2, ['a', 'b'])
    """
    require_pyarrow()
    files = find_files("scan_csv", path, (".csv", ".csv.gz", ".csv.bz2"))
    text = CsvFormat(delimiter, column_names=column_names)
    first = text.schema(files[0])
    layout = layout_of("scan_csv", first, target=target, columns=columns, weight=weight, encoder=encoder)
    for file in files[1:]:
        layout.compare(text.schema(file, like=first), file.name)
    return CsvSource(files, text, layout, encoder=encoder, dtype=dtype)


class CsvFormat:
    """CSV dialect: how text is cut into columns, and which cells are numbers or missing.

    Parameters
    ----------
    delimiter : str
    column_names : list of str or None
        None: the first line has them.
    decimal : {".", ","}
        The decimal point.
    missing : sequence of str
        Cells that are missing, beside the empty one, NA, NaN and NULL.
    codes : sequence of str
        Columns of codes, such as 02134: texts, unless a type is asked for.
    """

    def __init__(
        self,
        delimiter: str,
        *,
        column_names: list[str] | None = None,
        decimal: str = ".",
        missing: Sequence[str] = (),
        codes: Sequence[str] = (),
    ) -> None:
        self.delimiter, self.decimal, self.missing, self.codes = delimiter, decimal, missing, codes
        self.column_names = column_names
        self.header_lines = 1 if column_names is None else 0

    @classmethod
    def of(cls, head: bytes, missing: Sequence[str] = ()) -> Self:
        """The dialect that the beginning of a file with a line of names tells."""
        for mark, what in _NO_TEXT.items():
            if head.startswith(mark):
                raise InvalidDataError(f"The file holds {what}")
        delimiter = delimiter_of(head)
        codes = code_columns(head.decode("utf-8", "replace").lstrip("\ufeff"), delimiter)
        return cls(delimiter, decimal=_decimal_of(head, delimiter), missing=missing, codes=codes)

    def names(self, head: bytes) -> list[str]:
        """Names of the columns, for messages; those that are given, or those of the first line."""
        if self.column_names is not None:
            return self.column_names
        line = head.decode("utf-8", "replace").lstrip("\ufeff").splitlines()[:1]
        return next(reader(line, delimiter=self.delimiter), [])

    def schema(self, file: DataFile, like: pa.Schema | None = None) -> pa.Schema:
        """Columns and types, from the first block of text.

        All numbers are float64, since later rows may have fractions. What is text in the schema `like` is text here,
        whatever it looks like: codes may be digits for a while.
        """
        import pyarrow as pa

        with reading(file.name):
            found = self.head(file)
        texts = [] if like is None else [field.name for field in like if is_text(field.type)]
        types = [pa.string() if name in texts else widened(kind) for name, kind in zip(found.names, found.types)]
        return pa.schema(list(zip(found.names, types)))

    def head(self, file: DataFile) -> pa.Schema:
        """Columns and types as the first block of text tells them."""
        import pyarrow as pa

        for longer in _LONGER:
            with pa.input_stream(str(file.path), compression="detect") as text:
                start = text.read(2 * longer * TEXT_BYTES)  # of a second block, cut off anywhere, nothing is parsed
            try:
                with self._open(pa.BufferReader(start), longer * TEXT_BYTES, None) as reader:
                    return reader.schema
            except pa.ArrowInvalid as failure:
                if longer == _LONGER[-1] or not _is_long_row(failure):
                    raise
        raise AssertionError("unreachable")

    def batches(self, file: DataFile, types: dict[str, pa.DataType]) -> Generator[pa.RecordBatch, None, None]:
        """All rows in batches. A row that is longer than a block has the file read anew in longer ones."""
        import pyarrow as pa

        given = 0
        for longer in _LONGER:
            try:
                with self._open(file.path, longer * max(1, TEXT_BYTES // _BLOCKS), types) as reader:
                    for batch in _without_first(given, reader):
                        given += batch.num_rows
                        yield batch
                return
            except pa.ArrowInvalid as failure:
                if longer == _LONGER[-1] or not _is_long_row(failure):
                    raise

    def _open(
        self, text: pa.NativeFile | Path, block: int, types: dict[str, pa.DataType] | None
    ) -> pa.RecordBatchReader:
        """The rows block by block; types are those given, or told from the first block of text."""
        from pyarrow import csv

        return csv.open_csv(
            text,
            # One thread: messages then have line numbers.
            read_options=csv.ReadOptions(use_threads=False, block_size=block, column_names=self.column_names),
            parse_options=csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
            convert_options=self._conversion(types, None if types is None else list(types)),
        )

    def read_all(self, text: pa.NativeFile, types: dict[str, pa.DataType], *, use_threads: bool = True) -> pa.Table:
        """All rows as one table; types are told from all of them, but for those that are given.

        Without threads, messages have the line of a cell.
        """
        from pyarrow import csv

        return csv.read_csv(
            text,
            read_options=csv.ReadOptions(
                use_threads=use_threads, block_size=4 * TEXT_BYTES, column_names=self.column_names
            ),
            parse_options=csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
            convert_options=self._conversion(types),
        )

    def _conversion(
        self, types: dict[str, pa.DataType] | None, columns: list[str] | None = None
    ) -> pa.csv.ConvertOptions:
        import pyarrow as pa
        from pyarrow import csv

        options = csv.ConvertOptions(
            column_types=dict.fromkeys(self.codes, pa.string()) | (types or {}),
            include_columns=columns,
            strings_can_be_null=True,
            decimal_point=self.decimal,
        )
        options.null_values = [*options.null_values, *self.missing]
        return options


def _without_first(n: int, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The batches without the first n rows."""
    for batch in batches:
        cut = min(n, batch.num_rows)
        n -= cut
        if cut < batch.num_rows:
            yield batch.slice(cut)


def _is_long_row(failure: Exception) -> bool:
    """Whether Arrow says that a row, or the line of names, is longer than a block of text."""
    return "straddling object" in str(failure) or "cannot infer number of columns" in str(failure)


def delimiter_of(head: bytes) -> str:
    """The delimiter that the line of names has most: comma, semicolon, tab or bar."""
    names = head.splitlines()[0].decode("utf-8", "replace") if head else ""
    return max(_DELIMITERS, key=names.count)


def _decimal_of(head: bytes, delimiter: str) -> str:
    """The decimal point: a comma if it is no delimiter, cells are numbers with one, and none is one with a point."""
    if delimiter == ",":
        return "."
    lines = head.decode("utf-8", "replace").splitlines()[1:]
    cells = {cell.strip(' "') for line in lines[:_DECIMAL_LINES] for cell in line.split(delimiter)}
    commas = any(map(_COMMA_NUMBER.fullmatch, cells))
    return "," if commas and not any(map(_POINT_NUMBER.fullmatch, cells)) else "."


class CsvSource(TableSource):
    """Rows of CSV files of the same columns."""

    def __init__(
        self,
        files: list[DataFile],
        text: CsvFormat,
        layout: Layout,
        *,
        encoder: Transformer | None,
        dtype: DTypeLike | None,
    ) -> None:
        self.files = files
        self.text = text
        super().__init__(layout, encoder=encoder, dtype=dtype, n_rows=None)
        self.read_bytes += (
            4 * TEXT_BYTES
        )  # the text of the head, or blocks: parsed, read ahead by Arrow, joined at their ends

    def fingerprint(self) -> JsonDict:
        return {**super().fingerprint(), "files": [file.fingerprint() for file in self.files]}

    def _batches(self, rows: int) -> Generator[tuple[str, pa.RecordBatch], None, None]:
        return self._read(self.layout.types)

    def _read(self, types: dict[str, pa.DataType]) -> Generator[tuple[str, pa.RecordBatch], None, None]:
        for file in self.files:
            file.check()
            line = 1 + self.text.header_lines  # of the file, if no value has a line break in it
            with reading(file.name), closing(self.text.batches(file, types)) as batches:
                for batch in batches:
                    yield f"{file.name}, from line {line} on", batch
                    line += batch.num_rows
            file.check()

    def _count_rows(self) -> int:
        import pyarrow as pa

        logging.getLogger("bochner").info("Counting the rows of %d CSV files: one pass over the text.", len(self.files))
        self.n_passes += 1
        with closing(self._read({self.layout.columns[0]: pa.string()})) as batches:
            return sum(batch.num_rows for _, batch in batches)


def widened(kind: pa.DataType) -> pa.DataType:
    """Numbers as float64, since later rows may have fractions; a column that begins empty may be one, too."""
    import pyarrow as pa

    is_number = number_dtype(kind) is not None and not pa.types.is_boolean(kind)
    return pa.float64() if is_number else kind
