"""Whole tables in memory: CSV, TSV, Parquet and NumPy files as Arrow tables, within the memory budget."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias
from zipfile import ZipFile

import numpy as np

from bochner._typing import Array
from bochner.data.arrow import require_pyarrow
from bochner.data.csv import CsvFormat, delimiter_of
from bochner.data.files import reading
from bochner.data.parquet import open_parquet, table_bytes
from bochner.errors import InvalidDataError
from bochner.memory import MemoryBill, require_memory

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "TEXTS",
    "head_and_size",
    "read_table",
    "refuse_strange_texts",
    "refuse_twins",
    "require_file",
    "whole_bytes",
]

TEXTS = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz", "-")
_HEAD_BYTES = 2**20
_REMEDY = (
    "Leave columns out of the file, or raise --memory. CSV and Parquet files can be read block by block: by "
    "`bochner fit` and `bochner predict`, and in Python by scan_csv and scan_parquet."
)

_Kinds: TypeAlias = Mapping[str, str]


def read_table(path: str, kinds: _Kinds | None = None) -> pa.Table:
    """An Arrow table of all rows and columns of a file; the types of a text file are told from all its rows.

    What does not fit in the memory budget is refused before it is read.

    Parameters
    ----------
    path : str
        A file, or "-" for CSV from standard input.
    kinds : dict, default=None
        Kind of some columns, "number" or "category", to read a CSV column as what it was in training.
    """
    require_pyarrow()
    read = _reader(path)
    require_file(path)
    with reading(repr(path)):
        table = read(path, kinds or {})
        names = table.column_names  # decoded here: they may be no UTF-8
    refuse_twins(path, names)
    if table.num_rows == 0:
        raise InvalidDataError(f"{path!r} has columns, and no rows.")
    return table


def require_file(path: str) -> None:
    """Refuse a path that is no file; "-" is standard input."""
    if path != "-" and not Path(path).is_file():
        what = "is a folder" if Path(path).is_dir() else "is no file with rows"
        raise InvalidDataError(f"{path!r} {what}." if Path(path).exists() else f"There is no file {path!r}.")


def whole_bytes(path: str) -> int:
    """Bytes that the whole table of a file takes while it is read, about; 0 where that is not known before."""
    if path == "-":
        return 0
    require_file(path)
    with reading(repr(path)):
        if path.lower().endswith(TEXTS):
            head, size = head_and_size(path)
            return _text_bill(path, head, size, delimiter_of(head)).total
        if path.lower().endswith((".parquet", ".pq")):
            with open_parquet(Path(path)) as file:
                return table_bytes(file.metadata)
        return _array_bytes(path)


def _reader(path: str) -> Callable[[str, _Kinds], pa.Table]:
    if path.lower().endswith(TEXTS):
        return _read_text
    suffix = Path(path).suffix.lower()
    readers = {".parquet": _read_parquet, ".pq": _read_parquet, ".npy": _read_arrays, ".npz": _read_arrays}
    if suffix not in readers:
        raise InvalidDataError(f"{path!r} must end in .csv, .tsv, .csv.gz, .parquet, .npy or .npz. Got {suffix!r}.")
    return readers[suffix]


def _read_text(path: str, kinds: _Kinds) -> pa.Table:
    import pyarrow as pa

    if path == "-":
        content = pa.BufferReader(sys.stdin.buffer.read())
        head, size = content.read(_HEAD_BYTES), content.size()
        content.seek(0)
    else:
        head, size = head_and_size(path)
        content = pa.input_stream(path, compression="detect")
    delimiter = delimiter_of(head)
    require_memory(_text_bill(path, head, size, delimiter), _REMEDY)
    types = {"number": pa.float64(), "category": pa.string()}
    table = CsvFormat(delimiter, None).read_all(
        content, {name: types[kind] for name, kind in kinds.items() if kind in types}
    )
    refuse_strange_texts(path, table.schema)
    return table


def head_and_size(path: str) -> tuple[bytes, int]:
    """The first bytes of the text, and about how many it has: of a compressed file, as its beginning is packed."""
    import pyarrow as pa

    with Path(path).open("rb") as file:
        packed = path.lower().endswith(".gz")
        stream = pa.CompressedInputStream(pa.PythonFile(file), "gzip") if packed else file
        head, size = stream.read(_HEAD_BYTES), Path(path).stat().st_size
        return head, int(size * len(head) / max(1, file.tell())) if packed else size


def _text_bill(path: str, head: bytes, size: int, delimiter: str) -> MemoryBill:
    """Arrow keeps the text until it knows the types of all columns; a cell is then at least eight bytes."""
    cells = (head.count(delimiter.encode()) + head.count(b"\n")) * size // max(1, len(head))
    return MemoryBill({f"the text of {path!r}": size, "its columns": 8 * cells})


def refuse_strange_texts(path: str, schema: pa.Schema) -> None:
    """Refuse a text file that is not UTF-8."""
    import pyarrow as pa

    strange = [field.name for field in schema if pa.types.is_binary(field.type)]
    if strange:
        raise InvalidDataError(f"Column {strange[0]!r} of {path!r} is not text in UTF-8: save the table as UTF-8.")


def _read_parquet(path: str, kinds: _Kinds) -> pa.Table:
    with open_parquet(Path(path)) as file:
        require_memory(MemoryBill({f"the columns of {path!r}": table_bytes(file.metadata)}), _REMEDY)
        return file.read()


def _read_arrays(path: str, kinds: _Kinds) -> pa.Table:
    """Each column of an array of two dimensions is NAME0, NAME1, ... (x0, x1, ... in a .npy file)."""
    import pyarrow as pa

    loaded = np.load(path, allow_pickle=False, mmap_mode="r")
    require_memory(MemoryBill({f"the arrays of {path!r}": _array_bytes(path)}), _REMEDY)
    arrays = {name: loaded[name] for name in loaded.files} if path.lower().endswith(".npz") else {"x": loaded}
    columns: dict[str, Array] = {}
    for name, array in arrays.items():
        columns |= _columns_of_array(path, name, array)
    if len({len(column) for column in columns.values()}) != 1:
        raise InvalidDataError(f"The arrays of {path!r} must have the same number of rows.")
    return pa.table({name: pa.array(np.ascontiguousarray(column)) for name, column in columns.items()})


def _array_bytes(path: str) -> int:
    """Bytes of the arrays of a .npy or .npz file, as they are in memory."""
    if not path.lower().endswith(".npz"):
        return Path(path).stat().st_size
    with ZipFile(path) as archive:
        return sum(member.file_size for member in archive.infolist())


def _columns_of_array(path: str, name: str, array: Array) -> dict[str, Array]:
    if array.ndim == 1:
        return {name: array}
    if array.ndim != 2:
        raise InvalidDataError(f"The array {name!r} of {path!r} must have one or two dimensions. Got {array.ndim}.")
    return {f"{name}{at}": array[:, at] for at in range(array.shape[1])}


def refuse_twins(path: str, names: list[str]) -> None:
    twins = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if twins:
        raise InvalidDataError(f"The columns of {path!r} must have different names. Twice: {', '.join(twins[:5])}.")
