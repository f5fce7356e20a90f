"""Estimators give the same model from files and iterators as from memory, and say how often they read."""

import logging

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import bochner as bo
from bochner.errors import FirstBlockWarning, InvalidDataError

SETTINGS = {"n_components": 64, "random_state": 0}


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(0)
    X = random.standard_normal((900, 3))
    return X, np.sin(X.sum(axis=1)) + 0.1 * random.standard_normal(900)


def blocks_of(*arrays, rows=170):
    return [tuple(array[i : i + rows] for array in arrays) for i in range(0, len(arrays[0]), rows)]


@pytest.mark.parametrize("alpha", ["gcv", "loo", 0.3])
def test_a_scan_gives_the_regressor_of_an_array(table, alpha):
    settings = {**SETTINGS, "alpha": alpha, "length_scale": "auto" if alpha == 0.3 else 2.0}
    scanned = bo.KernelRegressor(**settings).fit(bo.scan_blocks(blocks_of(*table)))
    held = bo.KernelRegressor(**settings).fit(*table)
    np.testing.assert_allclose(scanned.predict(table[0]), held.predict(table[0]), atol=1e-6)
    assert scanned.alpha_ == pytest.approx(held.alpha_, rel=1e-4)


def test_weights_and_several_targets_come_with_the_scan(table):
    X, y = table
    weight, Y = np.random.default_rng(1).integers(0, 3, len(y)).astype(float), np.column_stack([y, -y])
    settings = {**SETTINGS, "alpha": 0.3, "length_scale": 2.0}
    scanned = bo.KernelRegressor(**settings).fit(bo.scan_blocks(blocks_of(X, Y, weight)))
    held = bo.KernelRegressor(**settings).fit(X, Y, weight)
    np.testing.assert_allclose(scanned.coef_, held.coef_, atol=1e-9)


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_a_scan_gives_the_classifier_of_an_array(table, loss):
    X, labels = table[0], np.where(table[1] > 0.3, "high", "low")
    scanned = bo.KernelClassifier(**SETTINGS, length_scale=2.0, loss=loss, tol=1e-9).fit(
        bo.scan_blocks(blocks_of(X, labels))
    )
    held = bo.KernelClassifier(**SETTINGS, length_scale=2.0, loss=loss, tol=1e-9).fit(X, labels)
    assert list(scanned.classes_) == ["high", "low"]
    np.testing.assert_allclose(scanned.coef_, held.coef_, atol=1e-5 * np.abs(held.coef_).max())


def test_a_scan_gives_the_components_of_an_array(table):
    scanned = bo.KernelPCA(n_components=4, width=64, random_state=0).fit(bo.scan_blocks(blocks_of(*table)))
    held = bo.KernelPCA(n_components=4, width=64, random_state=0).fit(table[0])
    np.testing.assert_allclose(scanned.eigenvalues_, held.eigenvalues_, rtol=1e-9)
    scores = scanned.transform(bo.scan_blocks(blocks_of(table[0])))
    np.testing.assert_allclose(scores, scanned.transform(table[0]), atol=1e-12)


def test_predictions_and_error_bars_of_a_scan(table):
    model = bo.KernelRegressor(**SETTINGS, length_scale=2.0).fit(*table)
    mean, std = model.predict(bo.scan_blocks(blocks_of(table[0])), return_std=True)
    expected_mean, expected_std = model.predict(table[0], return_std=True)
    np.testing.assert_allclose(mean, expected_mean, atol=1e-12)
    np.testing.assert_allclose(std, expected_std, atol=1e-12)


def test_an_iterator_that_runs_once_is_enough_for_a_given_scale(table):
    model = bo.KernelRegressor(**SETTINGS, length_scale=2.0).fit(iter(blocks_of(*table)))
    held = bo.KernelRegressor(**SETTINGS, length_scale=2.0, alpha="evidence").fit(*table)  # no row can be left out
    np.testing.assert_allclose(model.predict(table[0]), held.predict(table[0]), atol=1e-4)


def test_an_iterator_that_runs_once_is_refused_where_rows_are_looked_at_first(table):
    with pytest.raises(InvalidDataError, match="length_scale"):
        bo.KernelRegressor(**SETTINGS).fit(bo.scan_blocks(iter(blocks_of(*table))))


def test_the_number_of_passes_is_announced_and_kept(table, caplog):
    caplog.set_level(logging.INFO, logger="bochner")
    rows = bo.scan_blocks(lambda: iter(blocks_of(*table)), n_rows=900)
    before = rows.n_passes
    bo.KernelRegressor(**SETTINGS, length_scale=2.0, alpha="gcv").fit(rows)
    assert rows.n_passes - before == 1
    assert "reads the rows 1 time(s): 1 to fit." in caplog.text
    bo.KernelRegressor(**SETTINGS, length_scale=2.0).fit(rows)
    assert rows.n_passes - before == 1 + 3
    assert "reads the rows 3 time(s): 1 to fit, 1 for targets of rows to leave out, 1 for these rows." in caplog.text


def test_partial_fit_takes_scans_too(table):
    X, y = table
    model = bo.KernelRegressor(**SETTINGS, length_scale=2.0, alpha="evidence")
    model.partial_fit(bo.scan_blocks(blocks_of(X[:500], y[:500]))).partial_fit(X[500:], y[500:])
    held = bo.KernelRegressor(**SETTINGS, length_scale=2.0, alpha="evidence").fit(X, y)
    np.testing.assert_allclose(model.predict(X), held.predict(X), atol=1e-6)


def test_wrong_use_is_told(table):
    X, y = table
    with pytest.raises(InvalidDataError, match="needs targets"):
        bo.KernelRegressor(**SETTINGS).fit(bo.scan_blocks(blocks_of(X)))
    with pytest.raises(InvalidDataError, match="named when scanning"):
        bo.KernelRegressor(**SETTINGS).fit(bo.scan_blocks(blocks_of(X, y)), y)
    with pytest.raises(NotFittedError):
        bo.KernelRegressor(**SETTINGS).predict(bo.scan_blocks(blocks_of(X)))
    model = bo.KernelRegressor(**SETTINGS, length_scale=2.0).fit(X, y)
    with pytest.raises(InvalidDataError, match="expecting 3 features"):
        model.predict(bo.scan_blocks(blocks_of(X[:, :2])))


def test_columns_must_be_those_of_the_fit(tmp_path, table):
    pandas = pytest.importorskip("pandas")
    X, y = table
    frame = pandas.DataFrame(X, columns=list("abc")).assign(y=y)
    frame.to_parquet(tmp_path / "t.parquet")
    model = bo.KernelRegressor(**SETTINGS, length_scale=2.0).fit(bo.scan_parquet(tmp_path / "t.parquet", target="y"))
    assert list(model.feature_names_in_) == list("abc")
    with pytest.raises(InvalidDataError, match="columns="):
        model.predict(bo.scan_parquet(tmp_path / "t.parquet", columns=["b", "a", "c"]))
    np.testing.assert_allclose(
        model.predict(bo.scan_parquet(tmp_path / "t.parquet", columns=["a", "b", "c"])),
        model.predict(frame[list("abc")]),
    )


def test_the_first_block_warning_is_only_for_partial_fit(table):
    with pytest.warns(FirstBlockWarning):
        bo.KernelRegressor(**SETTINGS).partial_fit(bo.scan_blocks(blocks_of(*table)))
