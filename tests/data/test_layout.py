"""Column roles: features, targets and weight by name."""

import pyarrow as pa
import pytest

from bochner.data.layout import layout_of
from bochner.errors import InvalidDataError, InvalidParameterError

SCHEMA = pa.schema(
    [("a", pa.float32()), ("b", pa.int8()), ("y", pa.float64()), ("w", pa.float64()), ("t", pa.string())]
)


def layout(**given):
    chosen = {"target": None, "columns": None, "weight": None, "encoder": None} | given
    return layout_of("scan", chosen.pop("schema", SCHEMA), **chosen)


def test_all_others_are_features():
    found = layout(schema=SCHEMA.remove(4), target="y", weight="w")
    assert (found.features, found.targets, found.weight) == (["a", "b"], ["y"], "w")
    assert found.columns == ["a", "b", "y", "w"]
    assert not found.labelled


def test_one_column_of_texts_is_a_column_of_labels():
    found = layout(target="t", columns=["b", "a"])
    assert (found.features, found.labelled, found.target_dtype) == (["b", "a"], True, object)
    with pytest.raises(InvalidDataError, match=r"numbers, or one column of labels\. Got 't'"):
        layout(target=["y", "t"], columns="a")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"target": "z"}, "'target' parameter of scan must be among the columns a, b"),
        ({"columns": ["a", "a"]}, "'columns' parameter of scan must be names that occur once"),
        ({"target": "a", "columns": ["a"]}, "neither target nor weight"),
        ({"schema": pa.schema([("a", pa.int8()), ("a", pa.int8())])}, "names that occur once"),
    ],
)
def test_wrong_names_are_refused(given, message):
    with pytest.raises(InvalidParameterError, match=message):
        layout(**given)


def test_texts_are_no_features_and_no_weights():
    with_texts = layout(target="y")  # an encoder may make numbers of them
    with pytest.raises(InvalidDataError, match=r"Features must be numbers.*'t' \(string\)"):
        with_texts.require_numbers()
    layout(columns="a", target="y").require_numbers()
    with pytest.raises(InvalidDataError, match=r"Weights must be numbers\. Got 't'"):
        layout(columns="a", weight="t")


def test_another_file_must_have_the_same_columns():
    found = layout(columns=["a"])
    found.compare(SCHEMA, "other")
    with pytest.raises(InvalidDataError, match="no such column for 'a' in other"):
        found.compare(SCHEMA.remove(0), "other")
