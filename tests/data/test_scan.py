"""Tables in files and queries: the same rows as in memory, and errors that name the place."""

import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.sparse import issparse
from sklearn.compose import make_column_transformer
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import bochner as bo
from bochner.data import ArrayRows
from bochner.errors import InvalidDataError, InvalidParameterError, MissingExtraError
from tests.data.reading import FEATURES, N, all_rows, assert_same_moments, in_memory, moments, scan_any

KINDS = pytest.mark.parametrize("kind", ["parquet", "csv", "frame"])


@KINDS
@pytest.mark.parametrize("block_rows", [1, 64, 400, 999, 1000, 5000])
def test_rows_are_those_in_memory_at_any_block_size(kind, block_rows, table, tmp_path):
    source = scan_any(kind, table, tmp_path, target="y", columns=FEATURES, weight="w")
    X, Y, weight = all_rows(source, block_rows)
    np.testing.assert_array_equal(X, in_memory(table))
    np.testing.assert_array_equal(Y[:, 0], table["y"].to_numpy())
    np.testing.assert_array_equal(weight, table["w"].to_numpy())
    assert source.feature_names == FEATURES


@KINDS
def test_moments_are_those_in_memory(kind, table, tmp_path):
    source = scan_any(kind, table, tmp_path, target=["y", "w"], columns=FEATURES)
    Y = np.stack([table["y"].to_numpy(), table["w"].to_numpy()], axis=1)
    X = in_memory(table, source.dtype)
    assert_same_moments(moments(source), moments(ArrayRows(X, Y, None, X.dtype)))


@KINDS
def test_labels_stay_labels(kind, table, tmp_path):
    source = scan_any(kind, table, tmp_path, target="kind", columns=FEATURES)
    assert source.target_dtype.kind == "O"
    np.testing.assert_array_equal(source.targets()[0][:, 0], table["kind"].to_pylist())


@KINDS
def test_rows_without_targets_have_none(kind, table, tmp_path):
    X, Y, _ = all_rows(scan_any(kind, table, tmp_path, columns=FEATURES))
    assert Y.shape == (N, 0)
    np.testing.assert_array_equal(X, in_memory(table))


@KINDS
def test_features_are_all_columns_but_target_and_weight(kind, table, tmp_path):
    source = scan_any(kind, table.drop_columns("kind"), tmp_path, target="y", weight="w")
    assert source.feature_names == FEATURES


@KINDS
def test_texts_are_refused_with_the_ways_out(kind, table, tmp_path):
    source = scan_any(kind, table, tmp_path, target="y")
    ways_out = r"'kind' \(.*string\).*columns=.*TableEncoder\(\)\.fit_transform\(scan\).*make_pipeline.*encoder="
    with pytest.raises(InvalidDataError, match=ways_out):
        next(source.blocks(100))
    with pytest.raises(InvalidDataError, match=ways_out):
        bo.KernelRegressor().fit(source)


@KINDS
def test_a_missing_number_names_the_encoder(kind, table, tmp_path):
    gap = pa.array([None, *table["a"].to_pylist()[1:]], pa.float32())
    source = scan_any(kind, table.set_column(0, "a", gap), tmp_path, target="y", columns=["a", "b"])
    with pytest.raises(InvalidDataError, match=r"X must be finite. Got nan in row 0, column 'a'.*bochner.TableEncoder"):
        bo.KernelRegressor().fit(source)


@KINDS
def test_a_declared_encoder_makes_numbers_of_texts(kind, table, tmp_path):
    frame = table.to_pandas()
    encoder = make_column_transformer(
        (OneHotEncoder(), ["kind"]), (StandardScaler(), ["a"]), remainder="drop", sparse_threshold=1.0
    ).fit(frame[["kind", "a"]])
    source = scan_any(kind, table, tmp_path, target="y", encoder=encoder)
    X, _, _ = all_rows(source)
    assert issparse(X)
    np.testing.assert_allclose(X.toarray(), encoder.transform(frame).toarray(), rtol=1e-6, atol=1e-7)
    assert source.feature_names == list(encoder.get_feature_names_out())


def test_an_encoder_may_be_dense_and_fitted_on_an_array(table, folder):
    encoder = OneHotEncoder(sparse_output=False, dtype=np.float32).fit(
        np.array([["red"], ["green"], ["blue"]], dtype=object)
    )
    source = bo.scan_parquet(folder, target="y", columns=["kind"], encoder=encoder)
    X, _, _ = all_rows(source)
    assert X.dtype == np.float32
    np.testing.assert_array_equal(
        X.argmax(axis=1), [["blue", "green", "red"].index(k) for k in table["kind"].to_pylist()]
    )


def test_what_an_encoder_refuses_is_an_error_with_its_place(folder):
    encoder = OneHotEncoder().fit(pd.DataFrame({"kind": ["red", "green"]}))
    with pytest.raises(InvalidDataError, match=r"encoder failed on part-0\.parquet, row group 0.*blue"):
        bo.scan_parquet(folder, target="y", encoder=encoder)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "price"}, "'target' parameter of scan_parquet must be among the columns a, y, b.*Got 'price'"),
        ({"weight": "price"}, "'weight' parameter"),
        ({"columns": ["a", "z"]}, "'columns' parameter.*Got 'z'"),
        ({"columns": ["a", "a"]}, "'columns' parameter.*occur once"),
        ({"columns": ["a", "y"], "target": "y"}, "neither target nor weight"),
        ({"columns": []}, "at least one column"),
        ({"columns": ["a"], "dtype": "int8"}, "'dtype' parameter of scan_parquet"),
        ({"columns": ["a"], "dtype": "number"}, "'dtype' parameter of scan_parquet"),
    ],
)
def test_wrong_parameters_are_named(options, message, folder):
    with pytest.raises(InvalidParameterError, match=message):
        bo.scan_parquet(folder, **options)


def test_targets_and_weights_must_be_numbers(folder):
    with pytest.raises(InvalidDataError, match=r"one column of labels.*'kind'"):
        bo.scan_parquet(folder, target=["y", "kind"], columns=["a"])
    with pytest.raises(InvalidDataError, match=r"Weights must be numbers.*'kind'"):
        bo.scan_parquet(folder, weight="kind", columns=["a"])


def test_fingerprints_tell_rows_from_other_rows(table, folder):
    source = bo.scan_parquet(folder, target="y", columns=FEATURES)
    again = bo.scan_parquet(folder, target="y", columns=FEATURES)
    assert json.loads(json.dumps(source.fingerprint())) == again.fingerprint()
    all_rows(source)
    assert source.fingerprint() == again.fingerprint()
    others = [
        bo.scan_parquet(folder, target="w", columns=FEATURES),
        bo.scan_parquet(folder, target="y", columns=FEATURES[::-1]),
        bo.scan_parquet(folder, target="y", columns=FEATURES, dtype=np.float64),
        bo.scan_parquet(folder / "part-0.parquet", target="y", columns=FEATURES),
    ]
    os.utime(folder / "part-0.parquet", ns=(1, 1))
    others.append(bo.scan_parquet(folder, target="y", columns=FEATURES))
    assert source.fingerprint() not in [other.fingerprint() for other in others]


def test_rows_in_memory_have_a_fingerprint_of_their_sizes():
    found = [ArrayRows(np.zeros((n, d)), np.zeros(n), None, np.dtype(float)).fingerprint() for n, d in [(2, 1), (1, 2)]]
    assert found[0] != found[1]
    assert json.loads(json.dumps(found)) == found


def test_the_fingerprint_of_an_encoder_is_that_of_another_process(folder):
    code = """
import sys, pandas as pd, bochner as bo
from sklearn.preprocessing import OneHotEncoder
encoder = OneHotEncoder(handle_unknown="ignore").fit(pd.DataFrame({"kind": ["red", "green"]}))
print(bo.scan_parquet(sys.argv[1], target="y", encoder=encoder).fingerprint()["encoder"])
"""

    def here(kinds):
        encoder = OneHotEncoder(handle_unknown="ignore").fit(pd.DataFrame({"kind": kinds}))
        return bo.scan_parquet(folder, target="y", encoder=encoder).fingerprint()["encoder"]

    run = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=True)
    assert here(["red", "green"]) == run.stdout.strip() != here(["red", "blue"])


def test_a_missing_pyarrow_names_the_extra(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'bochner\[io\]'"):
        bo.scan_parquet(folder)
