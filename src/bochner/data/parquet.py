"""Streaming of Parquet files within row groups."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import DTypeLike

from bochner._typing import JsonDict, Transformer
from bochner.data.arrow import require_pyarrow
from bochner.data.files import DataFile, Paths, find_files, reading
from bochner.data.layout import Layout, layout_of
from bochner.data.source import RowSource
from bochner.data.table import TableSource

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow import parquet

__all__ = ["ParquetSource", "open_parquet", "scan_parquet", "table_bytes"]

_BUFFERS_BYTES = 2**24  # of all columns together: a buffer a column, so that pages are read as they are needed
_PAGE_BYTES = 2**22  # of one column, at most: a page and the dictionary, each as stored and as decoded


def scan_parquet(
    path: Paths,
    *,
    target: str | list[str] | None = None,
    columns: list[str] | None = None,
    weight: str | None = None,
    encoder: Transformer | None = None,
    dtype: DTypeLike | None = None,
) -> RowSource:
    """Rows of Parquet files, for tables larger than memory.

    Nothing but the footers is read now. A fit reads the rows some megabytes at a time, ahead of the computation, and
    only the columns that it needs.

    Parameters
    ----------
    path : path, or list of paths
        A file, a directory (all its files that end in .parquet or .pq, in order of name), or a pattern such as
        ``"data/part-*.parquet"``.
    target : str, list of str or None, default=None
        The column of targets, or several. A column of texts holds labels of classes. None: rows to predict.
    columns : list of str or None, default=None
        The columns of features, in this order. None: all others; with an encoder those that it was fitted on.
    weight : str or None, default=None
        The column of sample weights.
    encoder : fitted scikit-learn transformer or None, default=None
        Turns the feature columns (a pandas frame) into numbers, dense or sparse; needed for texts, categories and
        dates.
    dtype : float32, float64 or None, default=None
        The float type of the computation. None: float32 if that holds all values of the features exactly (float32,
        integers of at most 16 bits, bool), else float64.

    Returns
    -------
    source : RowSource
        Give it to `fit`, `predict` or `transform` in place of X and y.

    Examples
    --------
    >>> import tempfile, pyarrow as pa, pyarrow.parquet as pq, bochner as bo
    >>> with tempfile.NamedTemporaryFile(suffix=".parquet") as file:
    ...     pq.write_table(pa.table({"a": [1.0, 2.0], "b": [3.0, 4.0], "price": [5.0, 6.0]}), file.name)
    ...     source = bo.scan_parquet(file.name, target="price")
    ...     source.n_rows, source.feature_names
    (2, ['a', 'b'])
    """
    require_pyarrow()
    files = find_files("scan_parquet", path, (".parquet", ".pq"))
    footers = [_footer(file) for file in files]
    layout = layout_of(
        "scan_parquet",
        footers[0].schema.to_arrow_schema(),
        target=target,
        columns=columns,
        weight=weight,
        encoder=encoder,
    )
    for file, footer in zip(files, footers):
        layout.compare(footer.schema.to_arrow_schema(), file.name)
    return ParquetSource(files, footers, layout, encoder=encoder, dtype=dtype)


class ParquetSource(TableSource):
    """Rows of Parquet files of one schema."""

    def __init__(
        self,
        files: list[DataFile],
        footers: list[parquet.FileMetaData],
        layout: Layout,
        *,
        encoder: Transformer | None,
        dtype: DTypeLike | None,
    ) -> None:
        self.files = files
        n_columns = len(layout.columns)
        self._buffer_bytes = int(np.clip(_BUFFERS_BYTES // n_columns, 2**14, 2**18))
        super().__init__(layout, encoder=encoder, dtype=dtype, n_rows=sum(footer.num_rows for footer in footers))
        groups = [footer.row_group(i).total_byte_size for footer in footers for i in range(footer.num_row_groups)]
        self.read_bytes += n_columns * self._buffer_bytes + min(2 * max(groups, default=0), n_columns * _PAGE_BYTES)

    def fingerprint(self) -> JsonDict:
        return {**super().fingerprint(), "files": [file.fingerprint() for file in self.files]}

    def _batches(self, rows: int) -> Generator[tuple[str, pa.RecordBatch], None, None]:
        for file in self.files:
            file.check()
            with reading(file.name):
                opened = open_parquet(file.path, self._buffer_bytes)
            with opened:
                self.layout.compare(opened.schema_arrow, file.name)
                for group in range(opened.num_row_groups):
                    origin = f"{file.name}, row group {group}"
                    with reading(origin):
                        for batch in opened.iter_batches(rows, [group], self.layout.columns, use_threads=False):
                            yield origin, batch
            file.check()


def table_bytes(footer: parquet.FileMetaData) -> int:
    """Bytes of the decoded columns of a file, about: values of eight bytes, or as long as they are stored.

    By row groups, not by their columns: pyarrow ends the process where the size of a column in a damaged file is asked.
    """
    groups = [footer.row_group(i) for i in range(footer.num_row_groups)]
    return sum(max(group.total_byte_size, 8 * group.num_rows * group.num_columns) for group in groups)


def _footer(file: DataFile) -> parquet.FileMetaData:
    with reading(file.name), open_parquet(file.path) as opened:
        return opened.metadata


def open_parquet(path: Path, buffer_bytes: int = 0) -> parquet.ParquetFile:
    """The file, opened so that no more than pages are held: no memory map, no column chunk as a whole."""
    from pyarrow.parquet import ParquetFile

    return ParquetFile(path, pre_buffer=False, buffer_size=buffer_bytes, page_checksum_verification=True)
