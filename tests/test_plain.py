"""Cells that are not the numbers that NumPy takes them for: refused at every door, not fitted."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csc_array, csr_array, csr_matrix

import bochner as bo
from bochner.errors import InvalidDataError

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 3))
MASK = np.zeros(X.shape, dtype=bool)
MASK[7, 1] = True
DAYS = np.array(["2020-01-01", "NaT"] * 30, dtype="datetime64[D]")
SMALL = {"n_components": 8, "alpha": 0.1, "length_scale": 1.0, "random_state": 0}


def broken(kind, change):
    """A sparse matrix that was changed after SciPy had looked at it."""
    made = kind(X)
    made.indices, made.indptr = made.indices.copy(), made.indptr.copy()
    change(made)
    return made


def beyond_the_columns(made):
    made.indices[5] = 10**9


def negative(made):
    made.indices[5] = -7


def beyond_the_entries(made):
    made.indptr[5] = 10**6


DOORS = {
    "fit": lambda rows: bo.KernelRegressor(**SMALL).fit(rows, X[:, 0]),
    "classifier": lambda rows: bo.KernelClassifier(**SMALL).fit(rows, X[:, 0] > 0),
    "partial_fit": lambda rows: bo.KernelRegressor(**SMALL).partial_fit(rows, X[:, 0]),
    "predict": lambda rows: bo.KernelRegressor(**SMALL).fit(X, X[:, 0]).predict(rows),
    "exact": lambda rows: bo.KernelRegressor(bo.Gaussian(), features="exact", alpha=0.1).fit(rows, X[:, 0]),
    "transform": lambda rows: bo.FourierFeatures(n_components=8).fit(X).transform(rows),
    "blocks": lambda rows: bo.KernelRegressor(**SMALL).fit(bo.scan_blocks([(rows, X[:, 0])])),
    "two samples": lambda rows: bo.mmd_test(rows, X),
    "independence": lambda rows: bo.hsic_test(rows, X),
    "drift": lambda rows: bo.DriftDetector().fit(rows),
    "plan": lambda rows: bo.plan(rows, X[:, 0]),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("change", [beyond_the_columns, negative, beyond_the_entries])
def test_indices_beyond_a_sparse_matrix_are_not_followed(door, change):
    """They read and wrote foreign memory: a crash, or a model of whatever was there."""
    with pytest.raises(InvalidDataError, match="X is no valid sparse matrix"):
        DOORS[door](broken(csr_matrix, change))


@pytest.mark.parametrize("kind", [csr_array, csc_array])
def test_other_sparse_types_are_looked_at_before_they_are_converted(kind):
    with pytest.raises(InvalidDataError, match="no valid sparse matrix"):
        DOORS["fit"](broken(kind, beyond_the_columns))


@pytest.mark.parametrize("door", [*DOORS, "kernel", "encoder"])
def test_what_lies_under_a_mask_is_not_fitted(door):
    doors = DOORS | {"kernel": bo.Gaussian(), "encoder": bo.TableEncoder().fit}
    with pytest.raises(InvalidDataError, match=r"X must have no masked cells. Got 1, the first in row 7"):
        doors[door](np.ma.masked_array(X, MASK))


def test_a_mask_over_nothing_is_none():
    model = bo.KernelRegressor(**SMALL)
    expected = model.fit(X, X[:, 0]).predict(X)
    np.testing.assert_array_equal(model.fit(np.ma.masked_array(X), np.ma.masked_array(X[:, 0])).predict(X), expected)


@pytest.mark.parametrize("given", ["y", "sample_weight"])
def test_masked_targets_and_weights_are_refused(given):
    values = np.ma.masked_array(np.ones(60), MASK[:, 1])
    with pytest.raises(InvalidDataError, match=f"{given} must have no masked cells"):
        bo.KernelRegressor(**SMALL).fit(X, **{"y": X[:, 0], given: values})


@pytest.mark.parametrize(
    "dates",
    [DAYS.reshape(-1, 1), (DAYS - DAYS[0]).reshape(-1, 1), pd.DataFrame({"day": DAYS.astype("datetime64[ns]")}),
     pd.DataFrame({"a": X[:, 0], "day": pd.to_datetime(DAYS[::2].repeat(2), utc=True)})],
    ids=["array", "durations", "frame", "column"],
)  # fmt: skip
def test_dates_are_no_numbers(dates):
    """A missing one was -9.2e18."""
    with pytest.raises(InvalidDataError, match=r"X must be numbers. Got (datetime|timedelta)64.*TableEncoder"):
        DOORS["fit"](dates)


def test_columns_of_dates_of_polars_are_no_numbers():
    pl = pytest.importorskip("polars")
    with pytest.raises(InvalidDataError, match=r"X must be numbers. Got Date"):
        DOORS["fit"](pl.DataFrame({"a": X[:, 0], "day": pl.Series(DAYS)}))


def test_targets_are_no_dates_and_classes_may_be():
    with pytest.raises(InvalidDataError, match="y must be numbers"):
        bo.KernelRegressor(**SMALL).fit(X, DAYS)
    years = np.where(X[:, 0] > 0, np.datetime64("2020"), np.datetime64("2021"))
    assert set(bo.KernelClassifier(**SMALL).fit(X, years).predict(X)) == set(years)


RECORDS = np.rec.fromarrays([X[:, 0], X[:, 1]])
HUGE = np.array([[10**400, 1, 2]] * 60, dtype=object)


@pytest.mark.parametrize("table", [{"a": X[:, 0]}, RECORDS, HUGE], ids=["dict", "records", "integers beyond float64"])
def test_what_is_no_table_of_numbers_is_an_error_of_ours(table):
    with pytest.raises(InvalidDataError, match=r"frame|float64"):
        bo.KernelRegressor(**SMALL).fit(table, X[:, 0])
