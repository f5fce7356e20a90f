"""joblib and skops: the same bits too, and the list of trusted types is complete."""

import inspect
from importlib import import_module

import joblib
import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import bochner as bo
from bochner.io import TRUSTED_TYPES
from tests.io.fitted_models import X, Y, answers, regressor


def assert_same_answers(one, other):
    expected, found = answers(one), answers(other)
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value, err_msg=name)


def test_joblib_gives_the_same_bits(model, tmp_path):
    joblib.dump(model, tmp_path / "model.joblib")
    assert_same_answers(model, joblib.load(tmp_path / "model.joblib"))


def test_skops_gives_the_same_bits_with_our_trusted_types(model):
    persist = pytest.importorskip("skops.io")
    content = persist.dumps(model)
    assert_same_answers(model, persist.loads(content, trusted=TRUSTED_TYPES))


def test_skops_asks_for_trust_without_the_list():
    persist = pytest.importorskip("skops.io")
    model = make_pipeline(StandardScaler(), regressor()).fit(X, Y)
    with pytest.raises(TypeError, match="bochner"):
        persist.loads(persist.dumps(model), trusted=[])


def test_trusted_types_are_classes_of_ours_and_their_parts():
    assert sorted(set(TRUSTED_TYPES)) == TRUSTED_TYPES
    for name in TRUSTED_TYPES:
        module, _, cls = name.rpartition(".")
        assert module.startswith("bochner.") or name in ("numpy.dtype", "scipy.sparse._csr.csr_array")
        assert inspect.isclass(getattr(import_module(module), cls))
    assert "bochner.estimators.regressor.KernelRegressor" in bo.io.TRUSTED_TYPES
