"""Rows for estimators: arrays as scikit-learn takes them, scans and iterators as sources, columns checked alike."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator

from bochner.data import ArrayRows, RowSource, scan_blocks, scan_frame
from bochner.errors import InvalidDataError
from bochner.estimators.rows import adopt_columns, linear_predictions, new_rows, open_rows, over_rows, rows_to_fit
from bochner.features import LinearResponse
from tests.extension.toy_engine import ParcelRows
from tests.identity_features import identity_map
from tests.strategies import rows

X, y = rows(0, 30, 3), rows(1, 30, 1)[:, 0]


class Model(BaseEstimator):
    """Anything that is fitted to three columns."""

    n_features_in_ = 3


def scanned(names=None):
    if names is None:
        return scan_blocks([(X[:10], y[:10]), (X[10:], y[10:])])
    polars = pytest.importorskip("polars")
    return scan_frame(polars.LazyFrame({**dict(zip(names, X.T)), "y": y}), target="y")


def test_arrays_are_checked_and_become_rows():
    model = Model()
    found, targets = rows_to_fit(model, X.tolist(), y, None, reset=True)
    assert isinstance(found, ArrayRows)
    np.testing.assert_array_equal(found.X, X)
    np.testing.assert_array_equal(targets, y)
    assert model.n_features_in_ == 3
    with pytest.raises(ValueError, match="NaN"):
        rows_to_fit(model, np.where(X > 2, np.nan, X), np.where(y > 0, np.nan, y), None, reset=True)


def test_weights_of_arrays_are_checked():
    assert rows_to_fit(Model(), X, y, None, reset=True)[0].sample_weight is None
    np.testing.assert_array_equal(rows_to_fit(Model(), X, y, np.arange(30), reset=True)[0].sample_weight, np.arange(30))
    with pytest.raises(ValueError, match="sample_weight"):
        rows_to_fit(Model(), X, y, -np.ones(30), reset=True)


def test_scans_are_taken_as_they_are():
    source, model = scanned(), Model()
    assert rows_to_fit(model, source, None, None, reset=True) == (source, None)
    assert open_rows(source) is source
    with pytest.raises(InvalidDataError, match="Model needs targets"):
        rows_to_fit(model, scan_blocks([X]), None, None, reset=True)


def test_an_iterator_of_blocks_is_a_source_and_an_array_is_none():
    assert isinstance(open_rows(iter([(X, y)])), RowSource)
    for other in (X, X.tolist(), csr_array(X), None):
        assert open_rows(other) is None


@pytest.mark.parametrize("beside", [{"y": y}, {"sample_weight": y}])
def test_targets_beside_a_scan_are_refused(beside):
    with pytest.raises(InvalidDataError, match="named when scanning"):
        open_rows(scanned(), **beside)


def test_columns_are_set_and_then_required():
    model = Model()
    adopt_columns(model, scanned(["a", "b", "c"]), reset=True)
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    adopt_columns(model, scanned(["a", "b", "c"]), reset=False)
    adopt_columns(model, scanned(), reset=False)  # nameless rows are taken at their word
    with pytest.raises(InvalidDataError, match=r"columns must be those of the fit.*Expected \['a', 'b', 'c'\]"):
        adopt_columns(model, scanned(["a", "c", "b"]), reset=False)
    with pytest.raises(InvalidDataError, match="X has 2 features, but Model is expecting 3"):
        adopt_columns(model, scan_blocks([X[:, :2]]), reset=False)
    adopt_columns(model, scanned(), reset=True)
    assert not hasattr(model, "feature_names_in_")


def response():
    return LinearResponse(identity_map(3), np.arange(6.0).reshape(3, 2), np.ones(2), np.dtype(float))


@pytest.mark.parametrize("make", [lambda: X, scanned, lambda: ParcelRows(X, y, 7)], ids=["array", "scan", "engine"])
def test_predictions_are_those_of_the_formula_wherever_the_rows_are(make):
    expected = X @ np.arange(6.0).reshape(3, 2) + 1
    np.testing.assert_allclose(linear_predictions(Model(), make(), response()), expected, atol=1e-12)


@pytest.mark.parametrize("make", [lambda: X, scanned], ids=["array", "scan"])
def test_new_rows_are_dense_and_in_order(make):
    np.testing.assert_array_equal(new_rows(Model(), make()), X)


def test_sparse_rows_become_dense():
    np.testing.assert_array_equal(new_rows(Model(), csr_array(X)), X)


@pytest.mark.parametrize("make", [lambda: X, scanned], ids=["array", "scan"])
def test_several_functions_share_one_pass(make):
    double, half = over_rows(Model(), make(), lambda part: (2 * part, part[:, 0] / 2))
    np.testing.assert_array_equal(double, 2 * X)
    np.testing.assert_array_equal(half, X[:, 0] / 2)


def test_a_scan_is_read_once_for_all_functions():
    source = scan_blocks(lambda: iter([X[:10], X[10:]]))
    over_rows(Model(), source, lambda part: (part, part, part))
    assert source.n_passes == 1
