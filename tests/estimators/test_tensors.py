"""Tensors of other libraries in main memory are taken as the arrays that share their memory (decision 034)."""

import os

import numpy as np
import pytest
from sklearn import config_context

import bochner as bo
from bochner.estimators.validation import host_array


class Tensor:
    """A tensor as torch has it: DLPack, and no interface of NumPy's."""

    def __init__(self, values):
        self.values = values

    def __len__(self):
        return len(self.values)

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


@pytest.fixture
def rows():
    X = np.random.default_rng(0).standard_normal((60, 3))
    return X, np.sin(X[:, 0])


def test_a_tensor_shares_its_memory(rows):
    assert np.shares_memory(host_array(Tensor(rows[0])), rows[0])
    assert host_array(rows[0]) is rows[0]


def test_tensors_are_fitted_as_arrays(rows):
    X, y = rows
    model = bo.KernelRegressor(features="fourier", length_scale=1.0, n_components=16, alpha=0.1, random_state=0)
    expected = model.fit(X, y).predict(X)
    np.testing.assert_array_equal(model.fit(Tensor(X), Tensor(y)).predict(Tensor(X)), expected)
    features = bo.FourierFeatures("gaussian", n_components=16, random_state=0)
    np.testing.assert_array_equal(features.fit(X).transform(X), features.fit(Tensor(X)).transform(Tensor(X)))


@pytest.mark.skipif(os.environ.get("SCIPY_ARRAY_API") != "1", reason="SCIPY_ARRAY_API is not set: no dispatch")
def test_torch_tensors_are_fitted_as_arrays_under_dispatch(rows):
    torch = pytest.importorskip("torch")
    X, y = rows
    model = bo.KernelRegressor(features="fourier", length_scale=1.0, n_components=16, alpha=0.1, random_state=0)
    expected = model.fit(X, y).predict(X, return_std=True)
    with config_context(array_api_dispatch=True):
        found = model.fit(torch.asarray(X), torch.asarray(y)).predict(torch.asarray(X), return_std=True)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)
