"""Samples of tests: finite rows of one width, read where they are, pooled without a look at their labels."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array, issparse
from scipy.stats import binom

from bochner.comparison import hsic_test
from bochner.comparison.samples import check_rows, check_samples, pooled_rows
from bochner.errors import InvalidDataError
from tests.strategies import rows

X, Y = rows(0, 30, 2), rows(1, 20, 2)


def test_rows_keep_their_type_and_place(tmp_path):
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert np.shares_memory(check_rows(mapped, "X"), mapped)
    assert check_rows(X.astype(np.float32), "X").dtype == np.float32
    assert check_rows(X.astype(np.float32), "X", dtype=np.float64).dtype == np.float64
    assert check_rows(X.astype(int), "X").dtype == np.float64
    assert issparse(check_rows(csr_array(X), "X"))


def test_bad_rows_are_named():
    with pytest.raises(InvalidDataError, match=r"Y must have at least 3 rows. Got 2"):
        check_rows(X[:2], "Y", least=3)
    with pytest.raises(ValueError, match="X contains NaN"):
        check_rows(np.where(X > 1, np.nan, X), "X")


def test_texts_and_gaps_are_refused_with_the_remedy():
    rule = r"The argument Y takes numbers, none missing. bochner.TableEncoder encodes"
    with pytest.raises(InvalidDataError, match="string to float: 'a'. " + rule):
        check_rows(pd.DataFrame({"city": ["a", "b"]}), "Y")
    with pytest.raises(InvalidDataError, match="Input Y contains NaN. " + rule):
        check_rows(np.where(X > 1, np.nan, X), "Y")


def test_a_lazy_table_is_refused_with_the_remedy():
    class LazyFrame:
        def collect(self): ...

    with pytest.raises(InvalidDataError, match=r"Got a LazyFrame: call"):
        check_rows(LazyFrame(), "X")


@pytest.mark.parametrize(("first", "second", "common"), [("f4", "f4", "f4"), ("f4", "f8", "f8"), ("i4", "f4", "f8")])
def test_two_samples_have_a_common_float_type(first, second, common):
    found, other, dtype = check_samples(X.astype(first), Y.astype(second))
    assert (found.shape, other.shape) == (X.shape, Y.shape)
    assert dtype == np.dtype(common)


def test_vectors_are_samples_of_one_column():
    first, second, _ = check_samples(X[:, 0], Y[:, 0])
    assert (first.shape, second.shape) == ((30, 1), (20, 1))
    np.testing.assert_equal(hsic_test(X[:, 0], X[:, 1], rng=0).pvalue, hsic_test(X[:, :1], X[:, 1:], rng=0).pvalue)


def test_frames_whose_columns_have_another_order_are_refused():
    frame = pd.DataFrame(X, columns=["a", "b"])
    with pytest.raises(InvalidDataError, match="columns in the same order"):
        check_samples(frame, frame[["b", "a"]])
    check_samples(frame, frame)
    check_samples(frame, Y)


def test_two_samples_have_one_width_and_two_rows_each():
    with pytest.raises(InvalidDataError, match=r"same number of columns. Got 2 and 1"):
        check_samples(X, Y[:, :1])
    with pytest.raises(InvalidDataError, match="Y must have at least 2 rows"):
        check_samples(X, Y[:1])


def test_a_small_pool_is_all_rows():
    for first in (X, csr_array(X)):
        np.testing.assert_array_equal(pooled_rows(first, Y, 0), np.vstack([X, Y]))


def test_a_large_pool_is_a_thousand_rows_drawn_from_both():
    first, second = np.full((3000, 1), 1.0), np.full((1000, 1), 2.0)
    counts = [int(np.sum(pooled_rows(first, second, seed) == 1.0)) for seed in range(20)]
    assert all(pooled_rows(first, second, seed).shape == (1000, 1) for seed in range(2))
    # Without replacement the deviation is smaller than that of the binomial law.
    assert all(binom.ppf(1e-8, 1000, 0.75) <= count <= binom.isf(1e-8, 1000, 0.75) for count in counts)
    assert len(set(counts)) > 1


def test_no_row_is_pooled_twice_and_labels_do_not_matter():
    both = np.arange(4000.0)[:, None]
    for cut in (10, 2000, 3990):
        pool = pooled_rows(both[:cut], both[cut:], seed=3)
        assert len(np.unique(pool)) == 1000
        np.testing.assert_array_equal(pool, pooled_rows(both[:1000], both[1000:], seed=3))
