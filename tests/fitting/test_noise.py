"""Learned noise functions: error bars that widen where noise does, and stay as they are where it does not."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

import bochner as bo
from bochner.errors import InvalidDataError, InvalidParameterError, LittleDataWarning

SETTING = {"length_scale": 0.2, "features": "fourier", "n_components": 64, "random_state": 0}
SCALE = 40  # units of the target do not matter


def noise_of(X):
    return SCALE * (0.05 + 0.6 * X[:, 0] ** 2)


def draw(seed, n, dtype=float):
    rng = np.random.default_rng(seed)
    X = rng.uniform(0, 1, (n, 1)).astype(dtype)
    return X, (SCALE * np.sin(8 * X[:, 0]) + noise_of(X) * rng.standard_normal(n)).astype(dtype)


@pytest.fixture(scope="module")
def rows():
    return draw(0, 1500)


@pytest.fixture(scope="module")
def model(rows):
    return bo.KernelRegressor(noise="learned", **SETTING).fit(*rows)


def test_error_bars_widen_where_noise_does(model):
    grid = np.linspace(0.02, 0.98, 50)[:, None]
    _, std = model.predict(grid, return_std=True)
    assert np.max(np.abs(np.log(std / noise_of(grid)))) < 0.5
    assert model.fitted_.noise is not None


@pytest.mark.parametrize("setting", [{}, {"interval": "conformal"}, {"features": "nystroem"}, {"alpha": 0.1}], ids=str)
def test_intervals_cover_in_every_quarter(rows, setting):
    """600 rows a quarter: 0.9 +- 0.1 is eight standard errors."""
    X, y = draw(1, 2400)
    learned = bo.KernelRegressor(noise="learned", **{**SETTING, **setting}).fit(*rows)
    low, high = learned.predict(X, return_interval=0.9)[1]
    inside, quarter = (low <= y) & (y <= high), (4 * X[:, 0]).astype(int)
    assert np.all(np.abs([inside[quarter == k].mean() - 0.9 for k in range(4)]) < 0.1)


def test_exact_machines_learn_noise_too():
    X, y = draw(0, 500)
    exact = bo.KernelRegressor(features="exact", length_scale=0.2, alpha=0.5, noise="learned").fit(X, y)
    std = exact.predict([[0.1], [0.9]], return_std=True)[1]
    np.testing.assert_allclose(std, noise_of(np.array([[0.1], [0.9]])), rtol=0.5)


def test_predictions_are_those_of_constant_noise(rows, model):
    constant = bo.KernelRegressor(**SETTING).fit(*rows)
    np.testing.assert_array_equal(model.predict(rows[0]), constant.predict(rows[0]))
    assert constant.fitted_.noise is None


def test_constant_noise_stays_nearly_constant():
    rng = np.random.default_rng(3)
    X = rng.uniform(0, 1, (1500, 1))
    fitted = bo.KernelRegressor(noise="learned", **SETTING).fit(X, np.sin(8 * X[:, 0]) + rng.standard_normal(1500))
    std = fitted.predict(X, return_std=True)[1]
    assert 0.75 < std.min() <= std.max() < 1.35


def test_targets_have_noise_functions_of_their_own(rows):
    X, y = rows
    both = np.stack([y, 3 - 2 * y[::-1]], axis=1)
    fitted = bo.KernelRegressor(noise="learned", **SETTING).fit(X, both)
    std = fitted.predict([[0.1], [0.9]], return_std=True)[1]
    assert std.shape == (2, 2)
    assert (
        std[1, 0] / std[0, 0] > 4
    )  # the second target has nothing to do with the row, and much the same noise anywhere
    assert 0.5 < std[1, 1] / std[0, 1] < 2


def test_the_same_after_a_file_a_pickle_and_a_clone(model, rows, tmp_path):
    bo.save(model, tmp_path / "model.bochner")
    expected = model.predict(rows[0], return_std=True)[1]
    for other in (
        bo.load(tmp_path / "model.bochner"),
        pickle.loads(pickle.dumps(model)),
        clone(model).fit(*rows),
    ):
        np.testing.assert_array_equal(other.predict(rows[0], return_std=True)[1], expected)


def test_float32_rows_have_float32_error_bars():
    X, y = draw(0, 400, np.float32)
    std = bo.KernelRegressor(noise="learned", **SETTING).fit(X, y).predict(X, return_std=True)[1]
    assert std.dtype == np.float32
    assert np.all(np.isfinite(std))


def test_few_rows_and_targets_without_noise_have_constant_noise():
    X = np.linspace(0, 1, 30)[:, None]
    for y in (np.zeros(30), np.ones(30)):
        assert bo.KernelRegressor(noise="learned", **SETTING).fit(X, y).fitted_.noise is None
    with pytest.warns(LittleDataWarning):
        few = bo.KernelRegressor(noise="learned", **SETTING).fit(X[:3], X[:3, 0])
    assert few.fitted_.noise is None


def test_what_has_no_leave_one_out_errors_is_refused(model, tmp_path):
    X, y = draw(0, 100)
    with pytest.raises(InvalidParameterError, match="'noise' parameter of KernelRegressor must be 'constant'"):
        bo.KernelRegressor(noise="learned", solver="iterative", **SETTING).fit(X, y)
    with pytest.raises(InvalidDataError, match="read again"):
        bo.KernelRegressor(noise="learned", length_scale=1.0, n_components=16, alpha=1.0).fit(
            bo.scan_blocks(iter([(X, y)]), n_features=1)
        )
    with pytest.raises(AttributeError, match="partial_fit"):
        bo.KernelRegressor(noise="learned", **SETTING).partial_fit(X, y)
    with pytest.raises(ValueError, match="'noise' parameter"):
        bo.KernelRegressor(noise="loud").fit(X, y)
    pytest.importorskip("onnx")
    with pytest.raises(InvalidParameterError, match="noise='learned'"):
        bo.to_onnx(model, tmp_path / "model.onnx", std=True)
