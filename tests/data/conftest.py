"""One small table, for all kinds of storage."""

import numpy as np
import pyarrow as pa
import pytest

from tests.data.reading import N, write_parquet


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return pa.table(
        {
            "a": (rng.integers(-200, 200, N) / 64).astype(np.float32),  # exact as text, too
            "y": rng.standard_normal(N),
            "b": rng.integers(-100, 100, N).astype(np.int16),
            "c": rng.random(N) < 0.5,
            "w": rng.random(N),
            "kind": rng.choice(["red", "green", "blue"], N),
        }
    )


@pytest.fixture
def folder(tmp_path, table):
    """The table in Parquet files."""
    return write_parquet(table, tmp_path / "parquet")
