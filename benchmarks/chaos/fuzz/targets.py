"""What is fuzzed: a reader, its seeds, and what it may answer.

A target takes bytes and either returns or raises one of the errors that bochner raises on purpose. Anything else is a
finding, and so is a result that no reader should give: numbers that are not finite where they must be.
"""

from __future__ import annotations

import io
import json
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import bochner as bo
from bochner._archive import read_archive, write_archive
from bochner.data import read_table, scan_csv
from bochner.errors import BochnerError
from bochner.tables import TableEncoder, encode_rows, read_target

from .sealed import seal, unseal

INSTRUMENTED = ("bochner._archive", "bochner.data", "bochner.tables", "bochner.statistics", "bochner.fitting")
SUFFIXES = (".csv", ".tsv", ".csv.gz", ".npy", ".npz", ".parquet")
DOCUMENT = b"{"
"""A document begins with a brace; anything else is the file itself."""


class Broken(AssertionError):  # noqa: N818 - not an error of a program, a finding
    """A reader gave what no reader should give."""


@dataclass(frozen=True)
class Target:
    """A reader to attack."""

    run: Callable[[bytes, Path], None]
    seeds: Callable[[], list[bytes]]
    documents: bool
    """Whether inputs are documents of `sealed`, whose trees are mutated."""


def content_of(data: bytes) -> bytes:
    """The file of an input: a document is sealed, other bytes are the file."""
    if not data.startswith(DOCUMENT):
        return data
    try:
        return seal(json.loads(data))
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError, OverflowError):
        return data


def archive(data: bytes, folder: Path) -> None:
    path = folder / "any.bochner"
    path.write_bytes(content_of(data))
    _, header, arrays = read_archive(path, kind="model", version=1)
    write_archive(folder / "again.bochner", kind="model", version=1, header=header, arrays=arrays)
    _, header_again, arrays_again = read_archive(folder / "again.bochner", kind="model", version=1)
    same = header == header_again and arrays.keys() == arrays_again.keys()
    if not same or any(arrays[name].tobytes() != arrays_again[name].tobytes() for name in arrays):
        raise Broken("an archive that was read and written again is another one")


def archive_seeds() -> list[bytes]:
    """A small archive with every kind of array, and the same one as a document."""
    arrays = {
        "f": np.arange(6.0).reshape(2, 3), "i": np.arange(3, dtype=np.int32), "b": np.array([True, False]),
        "t": np.array(["a", "bc"]), "e": np.empty((0, 4)), "F": np.asfortranarray(np.eye(3, dtype=np.float32)),
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "seed"
        write_archive(path, kind="model", version=1, header={"a": [1, {"b": None}], "c": "text"}, arrays=arrays)
        content = path.read_bytes()
    return [content, json.dumps(unseal(content)).encode()]


def tables(data: bytes, folder: Path) -> None:
    """Read a table as `bochner fit` does, and a text also as `scan_csv` does."""
    suffix = SUFFIXES[data[0] % len(SUFFIXES)] if data else ".csv"
    path = folder / f"any{suffix}"
    path.write_bytes(data[1:])
    table = read_table(str(path))
    numbers = None
    try:
        target = read_target(table, table.column_names[0], str(path))
        encoder = TableEncoder(target=target.name)
        numbers = encode_rows(encoder, table)
        encoder.transform(table.slice(0, 1))
    except BochnerError:
        pass
    if numbers is not None and not np.isfinite(numbers).all():
        raise Broken("an encoded table is not finite")
    if suffix == ".csv":
        scanned(path, table.num_rows)


def scanned(path: Path, n_rows: int) -> None:
    source = scan_csv(path)
    read = sum(block.n_rows for block in source.blocks(7))
    if read != source.n_rows:
        raise Broken(f"a scan gives {read} rows, and says that there are {source.n_rows}; the whole table has {n_rows}")


def table_seeds() -> list[bytes]:
    texts = [
        "y,a,b\n1,2,x\n2,3.5,y\n3,,x\n4,1e3,y\n5,2,x\n6,7,y\n",
        "y;d;t\n1.5;2020-01-01;true\n2.5;2021-02-03;false\n3.5;;true\n",
        '"y","q"\n"no","a ""b"""\n"yes","line\nbreak"\n"no","c"\n"yes","a"\n',
        "y\tz\n1\t2020-01-01 10:00:00\n2\t2020-01-02 11:30:00\n",
        "\ufeffy,é\n1,2\n2,3\n",
        "y,a\n1,inf\n2,nan\n3,-inf\n",
        "y,a\n" + "\n".join(f"{i % 3},{'lmnop'[i % 5]}" for i in range(40)),
    ]
    arrays, pack = io.BytesIO(), io.BytesIO()
    np.save(arrays, np.arange(12.0).reshape(4, 3))
    np.savez(pack, y=np.arange(4.0), x=np.eye(4))
    return [*(b"\x00" + text.encode() for text in texts), b"\x03" + arrays.getvalue(), b"\x04" + pack.getvalue(),
            b"\x05" + parquet_seed()]  # fmt: skip


def parquet_seed() -> bytes:
    import pyarrow as pa
    from pyarrow import parquet

    target = io.BytesIO()
    parquet.write_table(pa.table({"y": [1.0, 2.0, 3.0], "a": ["x", None, "x"]}), target)
    return target.getvalue()


ROWS = np.random.default_rng(0).standard_normal((60, 2))


def model_of(path: Path, solver: str) -> bo.KernelRegressor:
    return bo.KernelRegressor(bo.Gaussian(1.5), n_components=8, alpha=0.1, random_state=0, solver=solver,
                              checkpoint=path)  # fmt: skip


def checkpoint(data: bytes, folder: Path) -> None:
    """Resume a fit from a file that claims to be its checkpoint."""
    path = folder / "fit.checkpoint"
    path.write_bytes(content_of(data))
    model = model_of(path, "iterative" if b"iterative" in data else "direct")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(ROWS, np.sin(ROWS.sum(axis=1)))
    if not np.isfinite(model.predict(ROWS)).all():
        raise Broken("a model resumed from a checkpoint predicts what is not finite")


def checkpoint_seeds() -> list[bytes]:
    """Checkpoints of a direct fit and of an iterative one, written as soon as there is something to write."""
    from bochner.statistics import checkpoint as module

    seeds = []
    with tempfile.TemporaryDirectory() as folder:
        for solver in ("direct", "iterative"):
            path = Path(folder) / solver
            before = module._SHORTEST, module._REST
            module._SHORTEST, module._REST = -1.0, -1.0
            model_of(path, solver).fit(ROWS, np.sin(ROWS.sum(axis=1)))
            module._SHORTEST, module._REST = before
            content = path.read_bytes()
            seeds += [content, json.dumps(unseal(content)).encode()]
    return seeds


TARGETS = {
    "archive": Target(archive, archive_seeds, documents=True),
    "tables": Target(tables, table_seeds, documents=False),
    "checkpoint": Target(checkpoint, checkpoint_seeds, documents=True),
}
