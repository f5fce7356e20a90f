"""Whole tables in memory: CSV, TSV, Parquet and NumPy files as Arrow tables, within the memory budget."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias
from zipfile import ZipFile

import numpy as np

from bochner._typing import Array
from bochner.data.arrow import require_pyarrow
from bochner.data.conversion import CellTypeError, converting
from bochner.data.csv import CsvFormat, delimiter_of
from bochner.data.files import UTF_8_REMEDY, reading
from bochner.data.parquet import open_parquet, table_bytes
from bochner.data.table_paths import is_parquet, is_text_file, require_file, table_paths
from bochner.errors import InvalidDataError
from bochner.memory import MemoryBill, require_memory

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["head_and_size", "read_table", "refuse_strange_texts", "refuse_twins", "whole_bytes"]

_HEAD_BYTES = 2**20
_SPREADSHEETS = (".xlsx", ".xls", ".ods")
_REMEDY = (
    "Leave columns out of the file, or raise --memory. CSV and Parquet files can be read block by block: by "
    "`bochner fit` and `bochner predict`, and in Python by scan_csv and scan_parquet."
)

_Reader: TypeAlias = "Callable[[str, Mapping[str, str], Sequence[str]], pa.Table]"


def read_table(path: str, kinds: Mapping[str, str] | None = None, missing: Sequence[str] = ()) -> pa.Table:
    """An Arrow table of all rows and columns; the types of a text file are told from all its rows.

    What does not fit in the memory budget is refused before it is read.

    Parameters
    ----------
    path : str
        A file, a folder or pattern of files with the same columns, or "-" for CSV from standard input.
    kinds : dict, default=None
        Kind of some columns, "number" or "category", to read a CSV column as what it was in training.
    missing : sequence of str, default=()
        Cells of a CSV file that are missing, beside the empty one, NA, NaN and NULL.
    """
    require_pyarrow()
    paths = table_paths(path)
    if len(paths) > 1:
        require_memory(MemoryBill({f"the files of {path!r}": whole_bytes(path)}), _REMEDY)
    table = _joined(path, [_read_file(file, kinds or {}, missing) for file in paths])
    if table.num_rows == 0:
        raise InvalidDataError(f"{path!r} has columns, and no rows.")
    return table


def _read_file(path: str, kinds: Mapping[str, str], missing: Sequence[str]) -> pa.Table:
    read = _reader(path)
    require_file(path)
    with reading(repr(path)):
        table = read(path, kinds, missing)
        names = table.column_names  # decoded here: they may be no UTF-8
    refuse_twins(path, names)
    return table


def _joined(path: str, tables: list[pa.Table]) -> pa.Table:
    """The rows of files of the same columns, which may come in another order."""
    import pyarrow as pa

    if len(tables) == 1:
        return tables[0]
    for other in tables[1:]:
        different = sorted({*tables[0].column_names} ^ {*other.column_names})
        if different:
            raise InvalidDataError(f"The files of {path!r} must have the same columns. Not all have {different[0]!r}.")
    with reading(repr(path)):
        return pa.concat_tables(tables, promote_options="permissive")


def whole_bytes(path: str) -> int:
    """Bytes that a whole table takes while it is read, about; 0 where that is not known before."""
    return 0 if path == "-" else sum(map(_file_bytes, table_paths(path)))


def _file_bytes(path: str) -> int:
    require_file(path)
    with reading(repr(path)):
        if is_text_file(path):
            head, size = head_and_size(path)
            return _text_bill(path, head, size, delimiter_of(head)).total
        if is_parquet(path):
            with open_parquet(Path(path)) as file:
                return table_bytes(file.metadata)
        return _array_bytes(path)


def _reader(path: str) -> _Reader:
    if is_text_file(path):
        return _read_text
    if is_parquet(path):
        return _read_parquet
    suffix = Path(path).suffix.lower()
    if suffix not in (".npy", ".npz"):
        raise InvalidDataError(
            f"{path!r} must end in .csv, .tsv, .csv.gz, .parquet, .npy or .npz, or be a folder of such files. "
            f"Got {suffix!r}{': export its sheet as CSV' if suffix in _SPREADSHEETS else ''}."
        )
    return _read_arrays


def _read_text(path: str, kinds: Mapping[str, str], missing: Sequence[str]) -> pa.Table:
    import pyarrow as pa

    content: Callable[[], pa.NativeFile]
    if path == "-":
        given = pa.py_buffer(sys.stdin.buffer.read())
        head, size, content = given.to_pybytes()[:_HEAD_BYTES], given.size, partial(pa.BufferReader, given)
    else:
        (head, size), content = head_and_size(path), partial(pa.input_stream, path, compression="detect")
    text = CsvFormat.of(head, missing)
    require_memory(_text_bill(path, head, size, text.delimiter), _REMEDY)
    types = {"number": pa.float64(), "category": pa.string()}
    known = {name: types[kind] for name, kind in kinds.items() if kind in types}

    try:
        with converting(text.names(head)):
            table = text.read_all(content(), known)
    except (CellTypeError, pa.ArrowInvalid):
        with converting(text.names(head)):
            table = text.read_all(content(), known, use_threads=False)  # once more: now the error has the row
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
        raise InvalidDataError(f"Column {strange[0]!r} of {path!r} is not text in UTF-8. {UTF_8_REMEDY}")


def _read_parquet(path: str, kinds: Mapping[str, str], missing: Sequence[str]) -> pa.Table:
    with open_parquet(Path(path)) as file:
        require_memory(MemoryBill({f"the columns of {path!r}": table_bytes(file.metadata)}), _REMEDY)
        return file.read()


def _read_arrays(path: str, kinds: Mapping[str, str], missing: Sequence[str]) -> pa.Table:
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
        numbers = all(name.lstrip("-").replace(".", "", 1).isdigit() for name in twins)
        hint = " The first line of a file must have the names of the columns." if numbers else ""
        listed = ", ".join(twins[:5])
        raise InvalidDataError(f"The columns of {path!r} must have different names. Twice: {listed}.{hint}")
