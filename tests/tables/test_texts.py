"""Texts among numbers: marks of missing values, codes that are categories, identifiers."""

import numpy as np
import pandas as pd
import pytest

import bochner as bo
from bochner.errors import InvalidDataError, TableWarning
from bochner.tables.texts import hardly_repeat, is_number, nearly, numbers_of, without_marks

NUMBERS = [str(value) for value in np.random.default_rng(0).normal(size=60).round(3)]


def texts(*values):
    return np.array(values, dtype=object)


def test_marks_are_missing_and_the_rest_are_numbers():
    values = without_marks(texts("1.5", "?", None, "-2e3"), ["?"])
    np.testing.assert_array_equal(numbers_of(values), [1.5, np.nan, np.nan, -2000])
    assert numbers_of(texts("1", "x")) is None


def test_few_texts_among_many_numbers_are_marks_and_codes_are_not():
    assert nearly(texts(*NUMBERS, "unknown"), is_number) == {"unknown": 60}
    assert nearly(texts(*NUMBERS), is_number) == {}
    assert nearly(texts(*NUMBERS, *"abcdef"), is_number) == {}  # six different ones
    assert nearly(texts(*NUMBERS, *["x"] * 30), is_number) == {}  # a third of the rows
    assert nearly(texts(*["1", "2", "3"] * 20, "x"), is_number) == {}  # a few codes


def test_identifiers_are_told_from_categories():
    assert hardly_repeat(texts(*NUMBERS)).startswith("texts that hardly repeat (60 different")
    assert hardly_repeat(texts(*"ab" * 20)) is None


def test_the_encoder_takes_marks_and_refuses_others():
    frame = pd.DataFrame({"x": ["?", *NUMBERS], "z": np.arange(61.0) ** 2})
    with pytest.raises(InvalidDataError, match=r"Got '\?' in row 1: .*TableEncoder\(missing=\['\?'\]\)"):
        bo.TableEncoder().fit(frame)
    encoder = bo.TableEncoder(missing=["?"]).fit(frame)
    assert encoder.kinds() == {"x": "number", "z": "number"}
    np.testing.assert_array_equal(encoder.transform(frame)[:, 1], frame["x"] == "?")
    with pytest.raises(InvalidDataError, match=r"Column 'x' must hold a number, as in training\. Got 'lost' in row 2"):
        encoder.transform(pd.DataFrame({"x": ["?", "lost"], "z": [1.0, 2.0]}))


def test_identifiers_and_an_index_are_left_out_with_a_warning():
    frame = pd.DataFrame({"Unnamed: 0": range(60), "id": [f"p{i}" for i in range(60)], "x": np.arange(60.0) % 7})
    with pytest.warns(TableWarning, match="is left out") as told:
        encoder = bo.TableEncoder().fit(frame)
    assert len(told) == 2
    assert list(encoder.dropped_) == ["Unnamed: 0", "id"]
    assert encoder.notes_[1].endswith(
        "--categorical 'id' takes them as categories. In Python: TableEncoder(categorical=['id'])."
    )
    assert encoder.get_feature_names_out().tolist() == ["x"]
    assert bo.TableEncoder(categorical=["id"], drop=["Unnamed: 0"], min_rows=1).fit(frame).kinds()["id"] == "category"


def test_digits_with_leading_zeros_are_codes():
    frame = pd.DataFrame({"zip": [f"0{1000 + i}" for i in range(60)], "x": np.arange(60.0) % 7})
    with pytest.warns(TableWarning, match="'zip' is left out: .*; they begin with zeros: if they are numbers"):
        bo.TableEncoder().fit(frame)


@pytest.mark.parametrize("marks", [["?"], []])
def test_codes_beside_texts_that_are_none_are_no_numbers(marks):
    codes = [f"0{1000 + i}" for i in range(29)]
    frame = pd.DataFrame({"zip": [*codes, *codes, "?", "?"], "x": np.arange(60.0) % 7})
    assert bo.TableEncoder(missing=marks).fit(frame).kinds() == {"zip": "category", "x": "number"}


def test_two_digits_that_begin_with_zero_are_numbers_as_before_or_after_marks():
    frame = pd.DataFrame({"hour": ["?", *(f"{i % 24:02}" for i in range(59))], "x": np.arange(60.0) % 7})
    assert bo.TableEncoder(missing=["?"]).fit(frame).kinds() == {"hour": "number", "x": "number"}


def test_a_column_of_numbers_takes_digits_that_begin_with_zeros():
    frame = pd.DataFrame({"size": ["?", *NUMBERS]})
    encoder = bo.TableEncoder(missing=["?"]).fit(frame)
    np.testing.assert_array_equal(
        encoder.transform(pd.DataFrame({"size": ["007", "?"]})),
        encoder.transform(pd.DataFrame({"size": [7.0, np.nan]})),
    )


def test_errors_of_texts_and_gaps_name_the_encoder():
    for X in (np.array([["a", "1"], ["b", "2"]] * 5), np.array([[1.0, np.nan], [2.0, 3.0]] * 5)):
        with pytest.raises(InvalidDataError, match=r"make_pipeline\(TableEncoder\(\), KernelRegressor\(\)\)"):
            bo.KernelRegressor().fit(X, np.arange(10.0))
