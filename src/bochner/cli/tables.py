"""Tables in files: CSV, TSV (also compressed), Parquet and NumPy arrays in; CSV and Parquet out."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, TextIO

import numpy as np

from bochner._typing import Array
from bochner.errors import InvalidDataError, MissingExtraError

__all__ = ["column_of_table", "read_table", "require_writable", "write_columns", "written_beside"]

_DELIMITERS = ",;\t|"
_TEXTS = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz", "-")


def read_table(path: str, kinds: dict[str, str] | None = None) -> Any:
    """A pyarrow table.

    Parameters
    ----------
    path : str
        A file, or "-" for CSV from standard input.
    kinds : dict, default=None
        Kind of some columns, "number" or "category", to read a CSV column as what it was in training.
    """
    pa = _pyarrow()
    read = _reader(path)
    if path != "-" and not Path(path).is_file():
        raise InvalidDataError(f"There is no file {path!r}." if not Path(path).exists() else f"{path!r} is a folder.")
    try:
        table = read(path, kinds or {})
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise InvalidDataError(f"{path!r} cannot be read: {str(error).splitlines()[0]}") from None
    _refuse_twins(path, table.column_names)
    if table.num_rows == 0:
        raise InvalidDataError(f"{path!r} has columns, and no rows.")
    return table


def column_of_table(table: Any, name: str, path: str) -> Any:
    """One column, or the error that lists those that there are."""
    if name not in table.column_names:
        names = ", ".join(map(repr, table.column_names[:12])) + (", ..." if len(table.column_names) > 12 else "")
        raise InvalidDataError(f"{path!r} has no column {name!r}. It has {names}.")
    return table[name]


def _reader(path: str) -> Callable[[str, dict[str, str]], Any]:
    if path.lower().endswith(_TEXTS):
        return _read_text
    suffix = Path(path).suffix.lower()
    readers = {".parquet": _read_parquet, ".pq": _read_parquet, ".npy": _read_arrays, ".npz": _read_arrays}
    if suffix not in readers:
        raise InvalidDataError(f"{path!r} must end in .csv, .tsv, .csv.gz, .parquet, .npy or .npz. Got {suffix!r}.")
    return readers[suffix]


def _read_text(path: str, kinds: dict[str, str]) -> Any:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    content = pa.BufferReader(sys.stdin.buffer.read()) if path == "-" else None

    def opened() -> Any:
        return content or pa.input_stream(path, compression="detect")

    head = opened().read(2**16)
    if content is not None:
        content.seek(0)
    types = {"number": pa.float64(), "category": pa.string()}
    table = arrow_csv.read_csv(
        opened(),
        read_options=arrow_csv.ReadOptions(block_size=2**24),
        parse_options=arrow_csv.ParseOptions(delimiter=_delimiter(head), newlines_in_values=True),
        convert_options=arrow_csv.ConvertOptions(
            column_types={name: types[kind] for name, kind in kinds.items() if kind in types},
            strings_can_be_null=True,
        ),
    )
    strange = [field.name for field in table.schema if pa.types.is_binary(field.type)]
    if strange:
        raise InvalidDataError(f"Column {strange[0]!r} of {path!r} is not text in UTF-8: save the table as UTF-8.")
    return table


def _delimiter(head: bytes) -> str:
    """The delimiter that the line of names has most."""
    names = head.splitlines()[0].decode("utf-8", "replace") if head else ""
    return max(_DELIMITERS, key=names.count)


def _read_parquet(path: str, kinds: dict[str, str]) -> Any:
    from pyarrow import parquet

    return parquet.read_table(path)


def _read_arrays(path: str, kinds: dict[str, str]) -> Any:
    """Each column of an array of two dimensions is NAME0, NAME1, ... (x0, x1, ... in a .npy file)."""
    import pyarrow as pa

    try:
        loaded = np.load(path, allow_pickle=False, mmap_mode="r")
        arrays = {name: loaded[name] for name in loaded.files} if path.lower().endswith(".npz") else {"x": loaded}
    except (ValueError, OSError, EOFError) as error:
        raise InvalidDataError(f"{path!r} cannot be read: {str(error).splitlines()[0]}") from None
    columns: dict[str, Array] = {}
    for name, array in arrays.items():
        columns |= _columns_of_array(path, name, array)
    if len({len(column) for column in columns.values()}) != 1:
        raise InvalidDataError(f"The arrays of {path!r} must have the same number of rows.")
    return pa.table({name: pa.array(np.ascontiguousarray(column)) for name, column in columns.items()})


def _columns_of_array(path: str, name: str, array: Array) -> dict[str, Array]:
    if array.ndim == 1:
        return {name: array}
    if array.ndim != 2:
        raise InvalidDataError(f"The array {name!r} of {path!r} must have one or two dimensions. Got {array.ndim}.")
    return {f"{name}{at}": array[:, at] for at in range(array.shape[1])}


def _refuse_twins(path: str, names: list[str]) -> None:
    twins = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if twins:
        raise InvalidDataError(f"The columns of {path!r} must have different names. Twice: {', '.join(twins[:5])}.")


def require_writable(*paths: str | None) -> None:
    """Refuse a file that cannot be written now, before hours of work."""
    for path in filter(None, paths):
        folder = Path(path).resolve().parent
        if not folder.is_dir():
            raise InvalidDataError(f"{path!r} cannot be written: there is no folder {str(folder)!r}.")
        if Path(path).is_dir():
            raise InvalidDataError(f"{path!r} cannot be written: it is a folder.")
        try:
            with TemporaryFile(dir=folder):
                pass
        except OSError as error:
            raise InvalidDataError(f"{path!r} cannot be written: {error.strerror} ({str(folder)!r}).") from None


def write_columns(columns: dict[str, Any], path: str | None) -> None:
    """Write columns to a .csv or .parquet file, or as CSV to standard output."""
    if path is None:
        _write_text(columns, sys.stdout)
        sys.stdout.flush()
    elif path.lower().endswith((".parquet", ".pq")):
        import pyarrow as pa
        from pyarrow import parquet

        with written_beside(path) as beside:
            parquet.write_table(pa.table(columns), beside)
    else:
        with written_beside(path) as beside, beside.open("w", encoding="utf-8", newline="") as file:
            _write_text(columns, file)


def _write_text(columns: dict[str, Any], file: TextIO) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    shown = [_texts(values) for values in columns.values()]
    writer.writerows(zip(*shown, strict=True))


def _texts(values: Any) -> list[Any]:
    """Shortest digits that give the number back, in its own precision."""
    if isinstance(values, np.ndarray):
        return values.astype(str).tolist() if values.dtype.kind == "f" else values.tolist()
    return values.to_pylist()  # type: ignore[no-any-return]


@contextmanager
def written_beside(path: str | Path) -> Iterator[Path]:
    """A file to write that becomes `path` at the end; after an error or an interrupt it is gone."""
    target = Path(path)
    beside = target.with_name(f".{target.name}.part")
    try:
        yield beside
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.csv
        import pyarrow.parquet
    except ModuleNotFoundError:
        raise MissingExtraError("pyarrow", "cli") from None
    return pyarrow
