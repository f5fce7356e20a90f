"""Invariance, unbiasedness, and orbit features as a scikit-learn transformer."""

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import pdist
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import bochner as bo
from bochner import groups
from tests.groups.test_groups import EXACT
from tests.strategies import rows

ESTIMATORS = [
    bo.OrbitFeatures(groups.CyclicShifts()),
    bo.OrbitFeatures(groups.SignFlips(None), bo.FourierFeatures(embedding="phase", n_components=20)),
    bo.OrbitFeatures(groups.Permutations(), n_transforms=1),
]


@parametrize_with_checks(ESTIMATORS)
def test_every_estimator_passes_every_check(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        check(estimator)


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("embedding", ["paired", "phase"])
def test_features_of_a_whole_group_are_invariant(name, embedding):
    group, d = EXACT[name]
    X = rows(0, 20, d, np.float32)
    base = bo.FourierFeatures(bo.Gaussian(1.5), n_components=64, embedding=embedding, random_state=0)
    features = bo.OrbitFeatures(group, base).fit(X)
    Z = features.transform(X)
    assert Z.dtype == np.float32
    assert np.abs(Z).max() > 0.01
    for _, moved in group.elements(d).of(X):
        assert np.abs(features.transform(moved) - Z).max() < 1e-5
    moved_elsewhere = X + np.float32(0.5) * rows(1, 1, d, np.float32)
    assert np.abs(features.transform(moved_elsewhere) - Z).max() > 1e-3


@pytest.mark.parametrize("base", [RBFSampler(random_state=0, n_components=30), None])
def test_any_base_is_averaged_and_invariant(base):
    X = rows(0, 20, 6)
    features = bo.OrbitFeatures(groups.CyclicShifts(), base, random_state=0).fit(X)
    np.testing.assert_allclose(features.transform(np.roll(X, 2, axis=1)), features.transform(X), atol=1e-12)


def test_functions_are_applied_to_rows():
    X = rows(0, 20, 3)
    group = groups.FromFunctions([lambda x: x, lambda x: np.sin(x)])
    features = bo.OrbitFeatures(group, bo.FourierFeatures(n_components=10, random_state=0)).fit(X)
    expected = (features.base_.transform(X) + features.base_.transform(np.sin(X))) / 2
    np.testing.assert_allclose(features.transform(X), expected, atol=1e-14)
    np.testing.assert_allclose(features.transform(sp.csr_array(X)), expected, atol=1e-14)


def test_a_base_without_a_kernel_takes_one_scale_for_all_columns():
    """A group mixes columns: a scale of each would not be invariant."""
    data = rows(0, 20, 4) * [100.0, 1.0, 1.0, 1.0]
    for base in (None, bo.FourierFeatures(n_components=16), bo.NystroemFeatures("rbf", n_components=5)):
        features = bo.OrbitFeatures(groups.CyclicShifts(), base, random_state=0).fit(data)
        assert features.base_.kernel_.length_scale == np.median(pdist(data))
        moved = np.roll(data, 1, axis=1)
        np.testing.assert_allclose(features.transform(data), features.transform(moved), atol=1e-10)


@pytest.mark.parametrize("base", [bo.FourierFeatures(bo.Gaussian(3.0)), bo.FourierFeatures(gamma=0.5), PCA(2)])
def test_a_base_with_a_scale_keeps_it(base):
    X = rows(0, 20, 4)
    features = bo.OrbitFeatures(groups.CyclicShifts(), base, random_state=0).fit(X)
    own = clone(base).fit(X)
    assert repr(getattr(features.base_, "kernel_", None)) == repr(getattr(own, "kernel_", None))


@pytest.mark.slow
def test_the_gram_of_sampled_orbits_has_its_law_as_mean():
    """Mean over 800 seeds; two of the 24 permutations, so that half of the pairs share g = g'."""
    X, group, r = rows(1, 3, 4), groups.Permutations(), 2
    draws = []
    for seed in range(800):
        base = bo.FourierFeatures(bo.Gaussian(), n_components=8, random_state=seed)
        Z = bo.OrbitFeatures(group, base, n_transforms=r, random_state=seed).fit_transform(X)
        draws.append(Z @ Z.T)
    moved = np.array([x for _, x in group.elements(4).of(X)])
    K = np.array([[bo.Gaussian()(a, b) for b in moved] for a in moved])
    same, different = K[np.arange(24), np.arange(24)].mean(axis=0), K[~np.eye(24, dtype=bool)].mean(axis=0)
    expected = same / r + different * (1 - 1 / r)  # distinct elements: the draws are without replacement
    error = np.abs(np.mean(draws, axis=0) - expected)
    assert np.all(error < 6 * np.std(draws, axis=0) / np.sqrt(800))


def test_orbit_features_run_at_full_speed_inside_the_regressor():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((600, 8)).astype(np.float32)
    y = np.sum(X * np.roll(X, 1, axis=1), axis=1)
    model = bo.KernelRegressor(
        features=bo.OrbitFeatures(groups.CyclicShifts(), bo.FourierFeatures(bo.Gaussian(4.0), random_state=0))
    )
    model.fit(X[:300], y[:300])
    assert model.feature_map_ is model.features_.map_
    assert model.score(X[300:], y[300:]) > 0.9
    plain = bo.KernelRegressor(bo.Gaussian(4.0), n_components=1024, random_state=0).fit(X[:300], y[:300])
    assert 1 - model.score(X[300:], y[300:]) < 0.5 * (1 - plain.score(X[300:], y[300:]))
    np.testing.assert_allclose(model.predict(np.roll(X[:5], 3, axis=1)), model.predict(X[:5]), atol=1e-3)


def test_orbit_features_serve_in_a_pipeline_and_survive_pickle():
    X = rows(0, 200, 5)
    labels = np.abs(X).sum(axis=1) > 4
    model = make_pipeline(bo.OrbitFeatures(groups.SignFlips(), random_state=0), RidgeClassifier()).fit(X, labels)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(-X), model.predict(X))


def test_sparse_rows_give_what_dense_rows_give():
    X = rows(0, 30, 6) * (np.abs(rows(1, 30, 6)) > 1)
    features = bo.OrbitFeatures(groups.CyclicShifts(), random_state=0).fit(X)
    np.testing.assert_allclose(features.transform(sp.csr_array(X)), features.transform(X), atol=1e-12)
    rowwise = bo.OrbitFeatures(groups.CyclicShifts(), RBFSampler(n_components=9, random_state=0)).fit(X)
    np.testing.assert_allclose(rowwise.transform(sp.csr_array(X)), rowwise.transform(X), atol=1e-12)


def test_seeds_fix_everything_and_are_kept():
    X = rows(0, 10, 12)
    features = bo.OrbitFeatures(groups.Permutations(), n_transforms=5).fit(X)
    again = bo.OrbitFeatures(groups.Permutations(), n_transforms=5, random_state=features.seed_).fit(X)
    np.testing.assert_array_equal(features.transform(X), again.transform(X))


def test_bad_input_is_refused_with_the_reason():
    X = rows(0, 10, 12)
    with pytest.raises(ValueError, match=r"rows of 784 columns\. Got 12 columns"):
        bo.OrbitFeatures(groups.ImageRotations()).fit(X)
    with pytest.raises(ValueError, match="at most 12, the number of elements, or 'all'"):
        bo.OrbitFeatures(groups.CyclicShifts(), n_transforms=13).fit(X)
    with pytest.raises(ValueError, match="n_transforms"):
        bo.OrbitFeatures(groups.CyclicShifts(), n_transforms="most").fit(X)
    with pytest.raises(ValueError, match="479,001,600 elements"):
        bo.OrbitFeatures(groups.Permutations()).fit(X)
    with pytest.raises(bo.errors.MemoryBudgetError, match="frequencies"), bo.config_context(memory="1kB"):
        bo.OrbitFeatures(groups.CyclicShifts()).fit(X)
