"""Random samples of rows that are read once."""

import numpy as np
import pyarrow as pa

from bochner.tables.reservoir import Reservoir


def sample(cuts, size, seed=0, n=1000):
    reservoir = Reservoir(size, np.random.default_rng(seed))
    rows = pa.table({"x": np.arange(n)})
    for start, stop in zip([0, *cuts], [*cuts, n]):
        reservoir.offer(rows.slice(start, stop - start), np.arange(start, stop))
    table, numbers = reservoir.drawn()
    np.testing.assert_array_equal(table["x"].to_numpy(), numbers)
    return numbers


def test_the_sample_does_not_depend_on_how_rows_come_in_parts():
    whole = sample([], 50)
    assert len(set(whole.tolist())) == 50
    np.testing.assert_array_equal(whole, sample([1, 7, 400, 999], 50))
    np.testing.assert_array_equal(np.sort(sample([500], 2000)), np.arange(1000))


def test_every_row_is_as_likely():
    counts = sum(np.bincount(sample([100, 300], 100, seed), minlength=1000) for seed in range(200))
    assert abs(counts[:100].mean() - 20) < 1.5
    assert abs(counts[300:].mean() - 20) < 1
