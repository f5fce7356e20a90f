"""The length scale of feature maps by themselves: that of the data, unless a kernel brings its own."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline

import bochner as bo

RNG = np.random.default_rng(0)
X = RNG.standard_normal((200, 3)) * [1e-3, 1.0, 1e4] + [0.0, 5.0, 0.0]
MAPS = {
    "fourier": lambda kernel=None: bo.FourierFeatures(kernel, n_components=64, random_state=0),
    "nystroem": lambda kernel=None: bo.NystroemFeatures(kernel, n_components=20, random_state=0),
}


@pytest.mark.parametrize("make", MAPS.values(), ids=MAPS)
def test_features_do_not_depend_on_units(make):
    plain = make().fit(X)
    factor, offset = np.array([1e6, 1e-6, 3.0]), np.array([7.0, 1e3, -1e5])
    moved = make().fit(X * factor + offset)
    np.testing.assert_allclose(moved.kernel_.length_scale, factor * plain.kernel_.length_scale, rtol=1e-6)
    Z, same = plain.transform(X), moved.transform(X * factor + offset)
    np.testing.assert_allclose(Z @ Z.T, same @ same.T, atol=1e-6)


@pytest.mark.parametrize("make", MAPS.values(), ids=MAPS)
def test_factors_do_not_matter_to_sparse_rows(make):
    rows = sp.csr_array(np.where(X > 0, X, 0.0))
    factor = sp.diags_array([1e6, 1e-6, 3.0])
    Z, same = make().fit_transform(rows), make().fit_transform(sp.csr_array(rows @ factor))
    np.testing.assert_allclose(Z @ Z.T, same @ same.T, atol=1e-6)


@pytest.mark.parametrize("make", MAPS.values(), ids=MAPS)
@pytest.mark.parametrize("name", ["gaussian", "rbf", "laplacian", "matern"])
def test_a_name_takes_the_scale_of_the_data_and_a_kernel_keeps_its_own(make, name):
    assert np.shape(make(name).fit(X).kernel_.length_scale) == (3,)
    own = bo.Matern(7.0)
    assert make(own).fit(X).kernel_ is own


@pytest.mark.parametrize("make", MAPS.values(), ids=MAPS)
def test_the_rule_of_scikit_learn_is_understood(make):
    kernel = make(bo.Gaussian(gamma="scale")).fit(X).kernel_
    assert kernel.gamma == pytest.approx(RBFSampler(gamma="scale").fit(X)._gamma)


def test_a_single_row_has_scale_one():
    np.testing.assert_array_equal(bo.FourierFeatures().fit(np.zeros((1, 3))).kernel_.length_scale, np.ones(3))


def test_a_group_of_landmarks_has_one_scale():
    features = bo.NystroemFeatures(n_components=10, group=bo.groups.SignFlips(), random_state=0).fit(X)
    assert np.ndim(features.kernel_.length_scale) == 0


def test_the_default_map_is_not_noise_on_raw_pixels():
    rows, labels = load_digits(return_X_y=True)
    for features in (bo.FourierFeatures(random_state=0), bo.NystroemFeatures(n_components=300, random_state=0)):
        model = make_pipeline(features, RidgeClassifier()).fit(rows[:1200], labels[:1200])
        assert model.score(rows[1200:], labels[1200:]) > 0.85


def test_limits_for_the_law_of_the_data_ask_for_rows_that_did_not_settle_the_scale():
    for kernel, asks in ((None, True), (bo.Gaussian(2.0), False)):
        certificate = bo.FourierFeatures(kernel, n_components=64, random_state=0).fit(X).certify(X)
        sampled = [each for each in certificate.others if each.bound == "a_posteriori.SampledPairs"]
        assert sampled
        assert all(
            any("chose the scales of the kernel" in line for line in each.assumptions) == asks for each in sampled
        )


def test_few_columns_of_any_units_have_a_bound_over_the_whole_domain():
    certificate = bo.FourierFeatures(n_components=64, random_state=0).fit(X).certify(X)
    found = [each.bound for each in (certificate, *certificate.others)]
    assert "supremum.GridSupremum" in found
