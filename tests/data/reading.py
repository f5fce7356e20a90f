"""What the tests of row sources share."""

import threading

import numpy as np
import polars as pl
import pyarrow.csv
import pyarrow.parquet
from scipy.sparse import vstack

import bochner as bo
from bochner.features import draw_fourier_map
from bochner.statistics import Moments, accumulate, plan_pass

N = 1000
FEATURES = ["a", "b", "c"]


def in_memory(table, dtype=np.float32):
    return np.stack([table[name].to_numpy().astype(dtype) for name in FEATURES], axis=1)


def write_parquet(table, folder):
    """The table in three files, the last one small, in row groups of 150 rows."""
    folder.mkdir()
    for i, (start, stop) in enumerate([(0, 400), (400, 990), (990, N)]):
        pyarrow.parquet.write_table(table.slice(start, stop - start), folder / f"part-{i}.parquet", row_group_size=150)
    return folder


def write_csv(table, folder):
    folder.mkdir()
    for i in range(2):
        pyarrow.csv.write_csv(table.slice(i * 500, 500), folder / f"part-{i}.csv")
    return folder


def scan_any(kind, table, tmp_path, **options):
    """The same table, from each kind of storage that has named columns."""
    if kind == "parquet":
        return bo.scan_parquet(write_parquet(table, tmp_path / kind), **options)
    if kind == "csv":
        return bo.scan_csv(write_csv(table, tmp_path / kind), **options)
    return bo.scan_frame(pl.from_arrow(table).lazy(), **options)


def all_rows(source, block_rows=64):
    """X, Y and weights of a whole pass, after a look at the blocks' sizes, starts and types."""
    blocks, start = list(source.blocks(block_rows)), 0
    for i, block in enumerate(blocks):
        assert block.start == start
        assert block.n_rows == block_rows or (i == len(blocks) - 1 and 0 < block.n_rows < block_rows)
        assert block.X.dtype == source.dtype
        assert block.Y.dtype == source.target_dtype
        assert block.X.shape[1:] == (source.n_features,)
        assert block.Y.shape == (block.n_rows, source.n_targets)
        assert (block.sample_weight is not None) == source.weighted
        start += block.n_rows
    assert start == source.n_rows
    assert not [thread for thread in threading.enumerate() if thread.name == "bochner-reader"]
    stack = vstack if hasattr(blocks[0].X, "indptr") else np.concatenate
    weights = np.concatenate([block.sample_weight for block in blocks]) if source.weighted else None
    return stack([block.X for block in blocks]), np.concatenate([block.Y for block in blocks]), weights


def moments(source, n_components=32):
    """Moments of Fourier features of a source, as a fit gathers them."""
    features = draw_fourier_map(
        bo.Gaussian(2.0),
        bo.MonteCarlo(),
        n_components=n_components,
        n_features=source.n_features,
        embedding="paired",
        seed=0,
    )
    plan = plan_pass(source.n_rows, features, source.n_targets, source.dtype)
    return accumulate(source, features, Moments.empty(n_components, source.n_targets), plan)


def assert_same_moments(a, b):
    assert a.n_rows == b.n_rows
    for name in ("weight", "z_mean", "y_mean", "zy", "yy"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-9, atol=1e-9, err_msg=name)
    np.testing.assert_allclose(np.tril(a.zz), np.tril(b.zz), rtol=1e-9, atol=1e-9)
