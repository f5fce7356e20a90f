"""Transformers with a feature map: what a map alone gives them, and which powers they say they lack."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import StandardScaler

import bochner as bo
from bochner.errors import AssumptionError, MemoryBudgetError
from bochner.estimators.map_transformer import CertificateContext, certified_features
from tests.extension.toy_map import ReluFeatures
from tests.strategies import rows

X = rows(0, 40, 3)


@pytest.fixture
def features():
    return ReluFeatures(10).fit(X)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_features_are_those_of_the_map_in_the_type_of_the_rows(features, dtype):
    Z = features.transform(X.astype(dtype))
    assert Z.dtype == dtype
    expected = np.maximum(X @ features.map_.directions.T, 0) / np.sqrt(10)
    np.testing.assert_allclose(Z, expected, atol=1e-6)
    np.testing.assert_allclose(features.transform(csr_array(X.astype(dtype))), Z, atol=1e-6)


def test_widths_and_names_are_told(features):
    assert features.n_components_ == 10
    assert list(features.get_feature_names_out()[:2]) == ["relufeatures0", "relufeatures1"]


def test_an_unfitted_transformer_and_other_columns_are_refused(features):
    with pytest.raises(NotFittedError):
        ReluFeatures().transform(X)
    with pytest.raises(ValueError, match="3 features"):
        features.transform(X[:, :2])


def test_features_beyond_the_budget_are_refused_with_the_remedy(features):
    with bo.config_context(memory="1kB"), pytest.raises(MemoryBudgetError, match="Transform fewer rows at a time"):
        features.transform(X)


def test_powers_that_a_transformer_lacks_are_refused_by_name(features):
    context = CertificateContext()
    with pytest.raises(AssumptionError, match="ReluFeatures approximates no kernel"):
        features.exact_kernel()
    with pytest.raises(AssumptionError, match="ReluFeatures has no certificates"):
        features.certify_kernel(X, 0.1, context)
    with pytest.raises(AssumptionError, match="Give the training rows"):
        features.certify_rows_of_fit(40, 0.1, context)
    assert features.independent_setting is None


def test_certificates_want_features_of_ours(features):
    assert certified_features(features) is features
    with pytest.raises(AssumptionError, match="Got StandardScaler, which tells of none"):
        certified_features(StandardScaler().fit(X))
