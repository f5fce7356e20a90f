"""Tables as they come, turned into numbers."""

import datetime
import json
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import bochner as bo
from bochner.errors import InvalidDataError, TableWarning

RNG = np.random.default_rng(0)
N = 200


def table(n=N):
    frame = pd.DataFrame(
        {
            "area": RNG.normal(50, 10, n),
            "rooms": RNG.integers(1, 9, n),
            "city": RNG.choice(["Bonn", "Kiel", "Ulm"], n),
            "sold": pd.date_range("2020-01-01", periods=n, freq="7h"),
            "garden": RNG.random(n) > 0.5,
        }
    )
    frame.loc[3:9, "area"] = np.nan
    frame.loc[20:24, "city"] = None
    frame.loc[30, "sold"] = pd.NaT
    return frame


TABLE = table()
COLUMNS = dict(zip(bo.TableEncoder().fit(TABLE).get_feature_names_out(), bo.TableEncoder().fit_transform(TABLE).T))


@parametrize_with_checks([bo.TableEncoder()])
def test_the_encoder_passes_every_check(estimator, check):
    check(estimator)


def test_numbers_are_standardised_and_missing_ones_are_at_the_median_and_marked():
    area = TABLE["area"].to_numpy()
    filled = np.where(np.isnan(area), np.nanmedian(area), area)
    np.testing.assert_allclose(COLUMNS["area"], (filled - filled.mean()) / filled.std())
    np.testing.assert_array_equal(COLUMNS["area is missing"], np.isnan(area))
    assert "rooms is missing" not in COLUMNS


def test_a_category_has_one_column_per_level_and_missing_is_a_level():
    np.testing.assert_array_equal(COLUMNS["city=Bonn"], TABLE["city"] == "Bonn")
    np.testing.assert_array_equal(COLUMNS["city=(missing)"], TABLE["city"].isna())
    levels = [values for name, values in COLUMNS.items() if name.startswith("city=")]
    np.testing.assert_array_equal(np.sum(levels, axis=0), 1)


def test_a_date_has_a_year_with_its_fraction_and_circles_for_its_cycles():
    noon = pd.DataFrame({"day": pd.to_datetime(["2023-07-02 12:00", "2024-01-01 00:00", "2025-03-05 18:00"])})
    encoder = bo.TableEncoder().fit(noon)
    out = dict(zip(encoder.get_feature_names_out(), encoder.transform(noon).T))
    years = np.array([2023.5, 2024.0, 2025 + (31 + 28 + 4.75) / 365])
    np.testing.assert_allclose(out["day year"], (years - years.mean()) / years.std(), atol=1e-9)
    np.testing.assert_allclose(out["day month sin"], np.sin(2 * np.pi * np.array([6, 0, 2]) / 12), atol=1e-12)
    np.testing.assert_allclose(out["day weekday cos"], np.cos(2 * np.pi * np.array([6, 0, 2]) / 7), atol=1e-12)
    np.testing.assert_allclose(out["day hour sin"], np.sin(2 * np.pi * np.array([12, 0, 18]) / 24), atol=1e-12)


def test_a_missing_date_is_in_the_middle_of_every_part_and_marked():
    parts = [values[30] for name, values in COLUMNS.items() if name.startswith("sold") and "missing" not in name]
    assert parts == [0.0] * 7
    assert COLUMNS["sold is missing"][30] == 1
    assert COLUMNS["sold is missing"].sum() == 1


def test_times_of_day_and_dates_without_time_are_dates():
    rows = pa.table(
        {
            "at": [datetime.time(6), datetime.time(18, 30), None, datetime.time(1)],
            "on": pa.array([datetime.date(2020, 1, day) for day in (1, 2, 3, 4)]),
        }
    )
    encoder = bo.TableEncoder().fit(rows)
    assert encoder.kinds() == {"at": "date", "on": "date"}
    names = encoder.get_feature_names_out().tolist()
    assert names[:3] == ["at hour sin", "at hour cos", "at is missing"]
    assert not any("hour" in name for name in names[3:])


@pytest.mark.parametrize("convert", [pl.from_pandas, pa.Table.from_pandas], ids=["polars", "pyarrow"])
def test_every_library_of_frames_gives_the_same_numbers(convert):
    other = convert(TABLE)
    np.testing.assert_array_equal(bo.TableEncoder().fit_transform(TABLE), bo.TableEncoder().fit_transform(other))
    np.testing.assert_array_equal(bo.TableEncoder().fit(TABLE).transform(other), bo.TableEncoder().fit_transform(TABLE))


def test_a_time_zone_is_brought_to_utc():
    local = pd.DataFrame({"at": pd.date_range("2020-01-01", periods=9, freq="5h", tz="America/New_York")})
    plain = pd.DataFrame({"at": local["at"].dt.tz_convert("UTC").dt.tz_localize(None)})
    for zoned in (local, pl.from_pandas(local), pa.Table.from_pandas(local)):
        np.testing.assert_array_equal(bo.TableEncoder().fit_transform(zoned), bo.TableEncoder().fit_transform(plain))


def test_columns_are_found_by_name_in_any_order():
    encoder = bo.TableEncoder().fit(TABLE)
    np.testing.assert_array_equal(encoder.transform(TABLE[TABLE.columns[::-1]]), encoder.transform(TABLE))


def test_missing_columns_are_an_error_that_names_them():
    with pytest.raises(InvalidDataError, match="no 'city', 'garden'"):
        bo.TableEncoder().fit(TABLE).transform(TABLE.drop(columns=["city", "garden"]))


def test_extra_columns_are_not_used_and_said():
    encoder = bo.TableEncoder().fit(TABLE)
    with pytest.warns(TableWarning, match="Column 'more' was not in training"):
        np.testing.assert_array_equal(encoder.transform(TABLE.assign(more=1)), encoder.transform(TABLE))


def test_target_and_dropped_columns_are_not_inputs_and_need_not_be_there():
    encoder = bo.TableEncoder(target="rooms", drop=["garden"]).fit(TABLE)
    assert set(encoder.kinds()) == {"area", "city", "sold"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        encoder.transform(TABLE)
        encoder.transform(TABLE.drop(columns=["rooms", "garden"]))


def test_columns_without_information_are_left_out_with_the_reason():
    encoder = bo.TableEncoder().fit(TABLE.assign(one=1, nothing=np.nan, same="x"))
    assert encoder.dropped_ == {"one": "one value", "nothing": "no value", "same": "one value"}
    assert "one, same: left out: one value" in encoder.describe()


def test_a_constant_with_gaps_says_which_rows_have_it():
    encoder = bo.TableEncoder().fit(pd.DataFrame({"x": [1.0, np.nan, 1.0, np.nan]}))
    np.testing.assert_array_equal(encoder.transform(pd.DataFrame({"x": [1.0, np.nan]})), [[0, 0], [0, 1]])


@pytest.mark.parametrize("text", [[f"row {i}" for i in range(N)], [f"row {i % 150}" for i in range(N)]])
def test_free_text_is_left_out_with_a_word_and_the_remedy(text):
    with pytest.warns(
        TableWarning, match=r"Column 'name' is left out.* 'row 0'\)\. --categorical 'name' .*TableEncoder\(categorical"
    ):
        encoder = bo.TableEncoder().fit(TABLE.assign(name=text))
    np.testing.assert_array_equal(
        encoder.transform(TABLE.assign(name=text)), bo.TableEncoder().fit(TABLE).transform(TABLE)
    )


def test_rare_levels_share_a_column():
    city = pd.DataFrame({"city": ["a"] * 10 + ["b"] * 5 + ["c", "d"]})
    encoder = bo.TableEncoder(min_rows=3).fit(city)
    assert encoder.get_feature_names_out().tolist() == ["city=a", "city=b", "city=(other)"]
    np.testing.assert_array_equal(encoder.transform(city)[-2:], [[0, 0, 1], [0, 0, 1]])
    assert bo.TableEncoder(max_levels=1).fit(city).get_feature_names_out().tolist() == ["city=a", "city=(other)"]


def test_unknown_levels_are_counted_and_rare_ones_are_not_unknown():
    city = pd.DataFrame({"city": ["a"] * 10 + ["b"] * 5 + ["c", "d"]})
    encoder = bo.TableEncoder().fit(city)
    with pytest.warns(TableWarning, match=r"'city' has 3 values that training did not have \('x', 'y'\)"):
        out = encoder.transform(pd.DataFrame({"city": ["x", "x", "y", "c", "a"]}))
    np.testing.assert_allclose(out, [[10 / 17, 5 / 17, 2 / 17]] * 3 + [[0, 0, 1], [1, 0, 0]])


def test_gaps_that_training_did_not_have_are_counted():
    gaps = TABLE.assign(rooms=np.where(np.arange(N) < 2, np.nan, TABLE["rooms"]))
    encoder = bo.TableEncoder().fit(TABLE)
    with pytest.warns(TableWarning, match="'rooms' has 2 missing values, none in training: taken as the median"):
        assert np.isfinite(encoder.transform(gaps)).all()


def test_another_kind_of_column_than_in_training_is_refused():
    with pytest.raises(
        InvalidDataError, match=r"Column 'area' must hold a number, as in training. Got 'large' in row 1"
    ):
        bo.TableEncoder().fit(TABLE).transform(TABLE.assign(area="large"))
    with pytest.raises(InvalidDataError, match=r"Column 'sold' must hold a date, as in training. Got a number"):
        bo.TableEncoder().fit(TABLE).transform(TABLE.assign(sold=3))


def test_a_column_that_is_all_missing_later_is_fine():
    with pytest.warns(TableWarning, match="'rooms' has 200 missing values"):
        out = bo.TableEncoder().fit(TABLE).transform(TABLE.assign(rooms=None, sold=None, area=None))
    assert np.isfinite(out).all()


def test_numbers_can_be_categories():
    encoder = bo.TableEncoder(categorical=["rooms"]).fit(TABLE)
    assert encoder.kinds()["rooms"] == "category"
    gaps = TABLE.assign(rooms=TABLE["rooms"].where(np.arange(N) > 0))  # now floats, with a gap
    with pytest.warns(TableWarning, match="'rooms' has 1 value that training did not have .*missing"):
        np.testing.assert_array_equal(encoder.transform(gaps)[1:], encoder.transform(TABLE)[1:])


def test_infinite_numbers_are_refused_with_their_row():
    with pytest.raises(InvalidDataError, match=r"Column 'area' must hold finite numbers.* row 6"):
        bo.TableEncoder().fit(TABLE.assign(area=np.where(np.arange(N) == 5, np.inf, 1.0)))


def test_a_row_number_is_noted():
    assert "'id' numbers the rows" in bo.TableEncoder().fit(TABLE.assign(id=np.arange(N) + 1)).notes_[0]
    assert bo.TableEncoder().fit(TABLE).notes_ == []


def test_unknown_names_of_columns_are_refused():
    with pytest.raises(InvalidDataError, match=r"no column 'price'. It has 'area', 'rooms'"):
        bo.TableEncoder(drop=["price"]).fit(TABLE)


def test_what_is_learned_is_plain_data():
    encoder = bo.TableEncoder().fit(TABLE)
    again = clone(encoder)
    for name in ("dropped_", "notes_"):
        setattr(again, name, getattr(encoder, name))
    again.columns_ = json.loads(json.dumps(encoder.columns_))
    again.feature_names_in_, again.n_features_in_ = encoder.feature_names_in_, encoder.n_features_in_
    np.testing.assert_array_equal(again.transform(TABLE), encoder.transform(TABLE))


def test_inputs_are_left_as_they_are_and_float32_is_float32():
    before = TABLE.copy()
    assert bo.TableEncoder(dtype="float32").fit_transform(TABLE).dtype == np.float32
    pd.testing.assert_frame_equal(TABLE, before)


def test_a_pipeline_learns_from_a_table():
    price = TABLE["rooms"] + 3.0 * (TABLE["city"] == "Ulm") + 0.1 * RNG.standard_normal(N)
    model = make_pipeline(bo.TableEncoder(), bo.KernelRegressor(random_state=0)).fit(TABLE, price)
    assert model.score(TABLE, price) > 0.9


def test_an_unknown_level_moves_a_prediction_less_than_its_levels_differ():
    rng = np.random.default_rng(0)
    city, size = rng.choice(["Paris", "Lyon", "Nice"], 300), rng.uniform(0, 1, 300)
    y = np.select([city == "Paris", city == "Lyon"], [100.0, 102.0], 104.0) + size
    model = make_pipeline(bo.TableEncoder(), bo.KernelRegressor(features="exact", length_scale=1.0, random_state=0))
    model.fit(pd.DataFrame({"city": city, "size": size}), y)
    at = pd.DataFrame({"city": ["Paris", "Lyon", "Nice", "Rome"], "size": 0.5})
    with pytest.warns(TableWarning, match="mean of the levels"):
        *levels, unknown = model.predict(at)
    assert min(levels) < unknown < max(levels)
    assert abs(unknown - y.mean()) < 0.5 * y.std()
