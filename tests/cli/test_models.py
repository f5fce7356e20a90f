"""Saved models and their inputs: with the encoder of `bochner fit`, or plain models from Python."""

import numpy as np
import pyarrow as pa
import pytest

import bochner as bo
from bochner.cli.models import encoder_of, inputs_of, load_model, read_inputs
from bochner.errors import InvalidDataError


def test_a_model_of_bochner_fit_takes_tables_as_they_were(fitted):
    folder, _ = fitted
    model = load_model(str(folder / "houses.bochner"))
    assert encoder_of(model).kinds()["city"] == "category"
    table = read_inputs(model, str(folder / "houses.csv"))
    assert pa.types.is_float64(table["rooms"].type)
    assert inputs_of(model, table, "houses.csv") is table


def test_a_model_without_encoder_takes_an_array_of_its_columns():
    X = np.arange(20.0).reshape(10, 2)
    model = bo.KernelRegressor(n_components=4, random_state=0).fit(X, X[:, 0])
    table = pa.table({"a": X[:, 0], "b": X[:, 1]})
    assert encoder_of(model) is None
    np.testing.assert_array_equal(inputs_of(model, table, "t.csv"), X)


def test_an_absent_model_is_told():
    with pytest.raises(InvalidDataError, match="There is no model file"):
        load_model("no.bochner")
