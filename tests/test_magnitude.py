"""Numbers too large to be squared: refused at every door with row and column, and no loop runs on without end."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

import bochner as bo
from bochner._magnitude import largest_number, require_finite
from bochner.errors import InvalidDataError
from bochner.groups import CyclicShifts

LOWEST32 = float(np.finfo(np.float32).min)


def rows(n=60, dtype=float):
    X = np.random.default_rng(0).standard_normal((n, 3)).astype(dtype)
    return X, X[:, 0].astype(float)


def with_cell(value, dtype=float):
    X, y = rows(dtype=dtype)
    X[7, 1] = value
    return X, y


MODELS = {
    "regressor": bo.KernelRegressor(random_state=0),
    "direct": bo.KernelRegressor(features="fourier", n_components=16, alpha=1e-3, random_state=0),
    "iterative": bo.KernelRegressor(features="fourier", n_components=16, alpha=1e-3, solver="iterative"),
    "classifier": bo.KernelClassifier(random_state=0),
    "logistic": bo.KernelClassifier(features="fourier", loss="logistic", n_components=16, alpha=1e-3, random_state=0),
}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize(("value", "dtype"), [(LOWEST32, np.float32), (1e308, float), (-1e150, float)])
def test_a_huge_cell_is_refused_with_its_place(model, value, dtype):
    X, y = with_cell(value, dtype)
    with pytest.raises(InvalidDataError, match=r"X must not exceed .* in row 7, column 1\. .*missing value"):
        model.fit(X, y > 0 if "Classifier" in type(model).__name__ else y)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_huge_weights_are_refused(model):
    X, y = rows()
    weight = np.ones(len(y))
    weight[3] = 1e308
    with pytest.raises(InvalidDataError, match=r"sample_weight must not exceed 1e\+100\. Got 1e\+308 in row 3\."):
        model.fit(X, y > 0 if "Classifier" in type(model).__name__ else y, sample_weight=weight)


@pytest.mark.parametrize(("dtype", "factor"), [(np.float32, 1e200), (np.float32, 1e25), (float, 1e200)])
def test_huge_targets_are_refused(dtype, factor):
    X, y = rows(dtype=dtype)
    with pytest.raises(InvalidDataError, match=r"y must not exceed .* in row 0\."):
        MODELS["direct"].fit(X, factor * y)


def test_the_message_names_the_column_and_the_wider_type():
    X, y = with_cell(LOWEST32, np.float32)
    with pytest.raises(InvalidDataError, match=r"column 'b'.*float64 instead of float32"):
        MODELS["direct"].fit(pd.DataFrame(X, columns=list("abc")), y)


def test_a_huge_entry_of_sparse_rows_is_found():
    X, y = with_cell(1e200)
    with pytest.raises(InvalidDataError, match="row 7, column 1"):
        MODELS["direct"].fit(csr_array(X), y)


def test_streams_refuse_huge_numbers():
    X, y = with_cell(1e200)
    blocks = bo.scan_blocks(lambda: iter([(X[:5], y[:5]), (X[5:], y[5:])]))
    with pytest.raises(InvalidDataError, match=r"X must not exceed 1e\+100\. Got 1e\+200 in row 7"):
        MODELS["direct"].fit(blocks)


def test_predictions_refuse_them_too():
    X, y = rows()
    model = bo.KernelRegressor(features="fourier", n_components=16, alpha=1e-3, random_state=0).fit(X, y)
    with pytest.raises(InvalidDataError, match="row 7, column 1"):
        model.predict(with_cell(1e200)[0])


@pytest.mark.parametrize(
    "use",
    [
        lambda X: bo.FourierFeatures(n_components=8).fit(X),
        lambda X: bo.NystroemFeatures(n_components=8).fit(X),
        lambda X: bo.OrbitFeatures(group=CyclicShifts()).fit(X),
        lambda X: bo.KernelPCA(n_components=2).fit(X),
        lambda X: bo.KernelNovelty().fit(X),
        lambda X: bo.mmd_test(X, rows()[0]),
        lambda X: bo.hsic_test(X, rows()[1][:, None]),
        lambda X: bo.DriftDetector().fit(X),
        lambda X: bo.Gaussian()(X),
        lambda X: bo.Matern(nu=1.5).diag(X),
    ],
)
def test_every_door_refuses_them(use):
    with pytest.raises(InvalidDataError, match="must not exceed"):
        use(with_cell(1e200)[0])


@pytest.mark.parametrize("model", ["direct", "iterative", "logistic"])
@pytest.mark.parametrize("dtype", [np.float32, float])
def test_numbers_at_the_limit_are_fitted(model, dtype):
    X, y = with_cell(0.99 * largest_number(np.dtype(dtype), 3), dtype)
    fitted = MODELS[model].fit(X, y > 0 if model == "logistic" else y)
    assert np.all(np.isfinite(fitted.predict(X).astype(float)))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_fit_that_left_the_numbers_ends(value):
    with pytest.raises(InvalidDataError, match="not finite"):
        require_finite(1.0, value)


@pytest.mark.parametrize("scale", [1e-306, 1e-200, 1e-30, 1e30, 1e100, 1e200, 1e300])
@pytest.mark.parametrize("nu", [0.5, 1.5, 2.5])
def test_kernel_values_of_any_scale_are_numbers(scale, nu):
    """(1 + t + t^2/3) exp(-t) was infinity times 0."""
    X = np.random.default_rng(0).standard_normal((20, 2))
    assert np.isfinite(bo.Matern(scale, nu=nu)(X)).all()
    assert np.isfinite(
        bo.FourierFeatures(bo.Matern(scale, nu=nu), n_components=8, random_state=0).fit_transform(X)
    ).all()


def test_a_scale_that_rows_cannot_be_divided_by_is_refused():
    with pytest.raises(ValueError, match=r"length_scale.*at least 1e-306.*1e-310"):
        bo.FourierFeatures(bo.Gaussian(1e-310), n_components=8).fit(np.ones((3, 2)))


@pytest.mark.parametrize("factor", [1e-310, 1e-300])
def test_novelty_of_tiny_columns_is_a_number(factor):
    X = factor * np.random.default_rng(0).standard_normal((200, 2))
    model = bo.KernelNovelty(n_components=16, random_state=0).fit(X)
    assert np.isfinite(model.score_samples(X)).all()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_landmarks_of_kernel_values_that_contradict_their_diagonal_are_found():
    """Pivots were drawn for ever where every row is a length scale of 1e200 away from itself."""
    X = np.random.default_rng(0).standard_normal((50, 2)) * 1e15
    features = bo.NystroemFeatures(bo.Gaussian(1e-200), n_components=8, random_state=0).fit(X)
    assert np.isfinite(features.transform(X)).all()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_grid_of_a_scale_beyond_numbers_is_refused():
    with pytest.raises(InvalidDataError, match="not finite"):
        bo.GridFeatures(bo.Matern(1e200), eps=0.1, max_components=200).fit_transform(
            np.random.default_rng(0).uniform(size=(9, 2))
        )


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_rows_in_half_precision_have_no_limit_beyond_their_own():
    X, y = rows(dtype=np.float16)
    assert np.all(np.isfinite(bo.KernelRegressor(random_state=0).fit(X, y).predict(X)))


@pytest.mark.parametrize("model", [MODELS["direct"], bo.KernelRegressor(bo.Gaussian(), features="grid", alpha=0.1)])
def test_weights_whose_squares_are_no_numbers_are_refused(model):
    X, y = rows()
    with pytest.raises(InvalidDataError, match=r"weights of 1e-150 at least.*Got 1e-300"):
        model.fit(X[:, :2], y, sample_weight=np.full(len(y), 1e-300))
