"""Encoders and scans: columns are learned by one pass, rows are encoded in every pass."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

import bochner as bo
from bochner.errors import InvalidDataError, TableWarning
from tests.data.reading import all_rows

N = 400


@pytest.fixture
def frame():
    rng = np.random.default_rng(3)
    area, town = rng.normal(60, 20, N), rng.choice(["Bonn", "Kiel", "Ulm"], N)
    return pd.DataFrame(
        {
            "area": np.where(rng.random(N) < 0.1, np.nan, area),
            "town": np.where(rng.random(N) < 0.05, None, town),
            "built": pd.Timestamp("1990-01-01") + pd.to_timedelta(rng.integers(0, 9000, N), "D"),
            "price": 3 * area + 40 * (town == "Ulm") + rng.normal(0, 5, N),
            "weight": rng.random(N),
        }
    )


@pytest.fixture(params=["parquet", "csv", "query"])
def scan(request, frame, tmp_path):
    roles = {"target": "price", "weight": "weight"}
    if request.param == "parquet":
        pq.write_table(pa.Table.from_pandas(frame), tmp_path / "t.parquet", row_group_size=150)
        return bo.scan_parquet(tmp_path / "t.parquet", **roles)
    if request.param == "csv":
        frame.to_csv(tmp_path / "t.csv", index=False)
        return bo.scan_csv(tmp_path / "t.csv", **roles)
    return bo.scan_frame(pl.from_pandas(frame).lazy(), **roles)


def test_a_scan_teaches_what_its_table_teaches_in_one_pass(scan, frame):
    before = scan.n_passes
    encoder = bo.TableEncoder().fit(scan)
    assert scan.n_passes == before + 1
    whole = bo.TableEncoder(target="price", drop=["weight"]).fit(frame)
    assert encoder.kinds() == {"area": "number", "town": "category", "built": "date"}
    np.testing.assert_allclose(encoder.transform(frame[["area", "town", "built"]]), whole.transform(frame))


def test_an_encoded_scan_has_the_rows_of_the_encoded_table(scan, frame):
    encoder = bo.TableEncoder()
    X, Y, weight = all_rows(encoder.fit_transform(scan), 70)
    np.testing.assert_allclose(X, encoder.transform(frame[["area", "town", "built"]]))
    np.testing.assert_array_equal(Y[:, 0], frame["price"])
    np.testing.assert_array_equal(weight, frame["weight"])


def test_a_pipeline_learns_from_a_scan_what_it_learns_from_the_table(scan, frame):
    model = bo.KernelRegressor(length_scale=3.0, n_components=64, features="fourier", alpha=0.1, random_state=0)
    streamed = make_pipeline(bo.TableEncoder(), model).fit(scan)
    inputs = frame[["area", "town", "built"]]
    encoder = bo.TableEncoder()
    whole = model.fit(encoder.fit_transform(inputs), frame["price"], sample_weight=frame["weight"])
    expected = whole.predict(encoder.transform(inputs))
    np.testing.assert_allclose(streamed.predict(inputs), expected, rtol=1e-6)
    np.testing.assert_allclose(streamed.predict(scan), expected, rtol=1e-6)


def test_the_sample_stays_in_the_budget_and_is_drawn_from_all_rows(tmp_path):
    number = np.arange(60_000, dtype=float)
    halves = np.where(number < 30_000, "first", "second")
    pq.write_table(pa.table({"number": number % 977, "half": halves}), tmp_path / "t.parquet", row_group_size=5_000)
    scan = bo.scan_parquet(tmp_path / "t.parquet")
    with bo.config_context(memory="600MB"):
        assert bo.TableEncoder().fit(scan).kinds() == {"number": "number", "half": "category"}
    with bo.config_context(memory="1MB"), pytest.raises(bo.errors.MemoryBudgetError, match="reading the table"):
        bo.TableEncoder().fit(scan)


def test_values_that_the_encoder_does_not_know_are_said_once(frame, tmp_path):
    encoder = bo.TableEncoder().fit(frame[["town"]])
    frame.assign(town="Jena")[["town"]].to_csv(tmp_path / "t.csv", index=False)
    source = encoder.transform(bo.scan_csv(tmp_path / "t.csv"))
    with pytest.warns(TableWarning, match="Jena") as caught:
        all_rows(source, 70)
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        all_rows(source, 70)


def test_a_bad_cell_names_its_row_in_the_scan(frame, tmp_path):
    frame.loc[321, "area"] = np.inf
    pq.write_table(pa.Table.from_pandas(frame), tmp_path / "t.parquet", row_group_size=150)
    scan = bo.scan_parquet(tmp_path / "t.parquet", target="price")
    with pytest.raises(InvalidDataError, match=r"'area'.*row 322"):
        bo.TableEncoder().fit(scan)


def test_scans_of_numbers_without_names_are_refused():
    with pytest.raises(InvalidDataError, match=r"scan_parquet, scan_csv or scan_frame.*BlockSource"):
        bo.TableEncoder().fit(bo.scan_blocks([np.ones((3, 2))]))


def test_transform_of_a_scan_before_fit_is_an_error(scan):
    with pytest.raises(NotFittedError):
        bo.TableEncoder().transform(scan)
