"""A fit knows its rows: any split, order, storage and float type of the same rows have the same checksum."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from bochner.data import ArrayRows
from bochner.statistics import RowIdentity, identify
from tests.reference import row_identity
from tests.strategies import rows


def of(X, y, weight=None):
    return identify(ArrayRows(X, np.asarray(y, dtype=float), weight, X.dtype))


def table(seed, n=40, d=3):
    rng = np.random.default_rng(seed)
    X = rows(seed, n, d) * (rng.random((n, d)) < 0.7)
    return X, rng.standard_normal((n, 2)), rng.integers(0, 3, n).astype(float)


@settings(deadline=None, max_examples=25)  # the first call compiles
@given(st.integers(0, 2**32 - 1))
def test_order_splits_and_rows_of_weight_zero_do_not_matter(seed):
    X, y, weight = table(seed)
    whole, order, cut = of(X, y, weight), np.random.default_rng(seed).permutation(40), seed % 40
    assert of(X[order], y[order], weight[order]) == whole
    assert of(X[:cut], y[:cut], weight[:cut]) + of(X[cut:], y[cut:], weight[cut:]) == whole
    present = weight > 0
    assert of(X[present], y[present], weight[present]) == whole
    assert whole + RowIdentity() == whole


@settings(deadline=None, max_examples=25)  # the first call compiles
@given(st.integers(0, 2**32 - 1))
def test_storage_and_float_type_do_not_matter(seed):
    X, y, weight = table(seed)
    X = X.astype(np.float32)
    whole = of(X, y, weight)
    for same in (
        X.astype(float),
        np.asfortranarray(X),
        csr_array(X),
        csr_array(X.astype(float)),
        np.repeat(X, 2, 0)[::2],
    ):
        assert of(same, y, weight) == whole
    assert of(np.where(X == 0, -0.0, X).astype(np.float32), y, weight) == whole


@settings(deadline=None, max_examples=25)  # the first call compiles
@given(st.integers(0, 2**32 - 1))
def test_the_compiled_checksum_is_its_definition(seed):
    X, y, weight = table(seed, n=7)
    assert of(X, y, weight) == row_identity(X, y, weight)


@pytest.mark.parametrize("what", ["X", "y", "weight", "swap", "duplicate"])
def test_every_change_is_seen_and_named(what):
    X, y, weight = table(0)
    weight += 1
    whole = of(X, y, weight)
    X2, y2, weight2 = X.copy(), y.copy(), weight.copy()
    if what == "X":
        X2[7, 1] = np.nextafter(X2[7, 1], 9)
    if what == "y":
        y2[3, 1] = np.nextafter(y2[3, 1], 9)
    if what == "weight":
        weight2[5] = np.nextafter(weight2[5], 9)
    if what == "swap":
        y2[[0, 1]] = y2[[1, 0]]
    if what == "duplicate":
        X2, y2, weight2 = (np.concatenate([part, part[:1]]) for part in (X2, y2, weight2))
    said = whole.difference(of(X2, y2, weight2))
    words = {"X": "rows are not those", "y": "targets", "weight": "weights", "swap": "targets", "duplicate": "41"}
    assert words[what] in said
    assert (whole.difference(of(X2, y2, weight2), targets=False) is None) == (what in ("y", "swap"))


def test_weights_of_one_are_no_weights():
    X, y, _ = table(1)
    assert of(X, y, np.ones(40)) == of(X, y)


def test_it_survives_a_file():
    identity = of(*table(2))
    assert RowIdentity.from_array(identity.to_array()) == identity
