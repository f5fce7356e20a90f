"""Nystroem features: the definition, singular kernels, leverage, and invariance."""

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.utils.estimator_checks import parametrize_with_checks

import bochner as bo
from bochner import groups
from bochner.errors import InvalidParameterError
from bochner.features import linear_response, transform
from bochner.features.nystroem import KernelMap, leverage_of_rows
from tests.groups.test_groups import EXACT
from tests.strategies import rows

ESTIMATORS = [
    bo.NystroemFeatures(),
    bo.NystroemFeatures(bo.Laplacian(), n_components=10, landmarks="leverage"),
    bo.NystroemFeatures(n_components=10, group=groups.CyclicShifts()),
]


@parametrize_with_checks(ESTIMATORS)
def test_every_estimator_passes_every_check(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        check(estimator)


@pytest.mark.parametrize(
    "kernel", [bo.Gaussian(2.0), bo.Gaussian([1.0, 2.0, 3.0]), bo.Laplacian(3.0), 2.0 * bo.Matern(2.0)]
)
@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 1e-5), (np.float64, 1e-7)])
def test_the_gram_of_the_features_is_the_projection_on_the_landmarks(kernel, dtype, tolerance):
    X = rows(0, 300, 3, dtype)
    features = bo.NystroemFeatures(kernel, n_components=40, random_state=0).fit(X)
    Z = features.transform(X)
    assert Z.dtype == dtype
    K = kernel(X, features.landmarks_)
    expected = K @ np.linalg.solve(kernel(features.landmarks_) + 1e-10 * np.eye(40), K.T)
    assert np.abs(Z @ Z.T - expected).max() < tolerance


def test_fewer_landmarks_give_the_first_features():
    X = rows(0, 300, 3)
    wide, narrow = (bo.NystroemFeatures(bo.Matern(2.0), n_components=D, random_state=0).fit(X) for D in (64, 24))
    np.testing.assert_allclose(wide.transform(X)[:, :24], narrow.transform(X), atol=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_linear_response_needs_no_whitening(dtype):
    X, coef = rows(0, 300, 3), np.random.default_rng(1).standard_normal((50, 2))
    feature_map = bo.NystroemFeatures(bo.Matern(2.0), n_components=50, random_state=0).fit(X).map_
    response = linear_response(feature_map, X.astype(dtype), coef, np.array([1.0, 2.0]), np.dtype(dtype))
    expected = transform(feature_map, X, np.dtype(float)) @ coef + [1.0, 2.0]
    assert response.dtype == dtype
    np.testing.assert_allclose(response, expected, atol=1e-9 if dtype == np.float64 else 1e-4)


def test_error_bars_grow_away_from_the_landmarks_to_those_of_the_exact_process():
    """Rows on [0, 1], none beyond: there the prior is all that is known."""
    rng = np.random.default_rng(0)
    X, far = rng.random((2000, 1)), np.array([[5.0]])
    y = np.sin(8 * X[:, 0]) + 0.1 * rng.standard_normal(2000)
    model = bo.KernelRegressor(
        bo.Gaussian(0.1), features="nystroem", n_components=50, alpha="evidence", random_state=0
    ).fit(X, y)
    _, near_std = model.predict(X[:200], return_std=True)
    _, far_std = model.predict(far, return_std=True)
    np.testing.assert_allclose(near_std, 0.1, rtol=0.1)
    prior = np.sqrt(model.noise_variance_ * (1 + 1 / model.alpha_))
    assert prior < far_std[0] < 1.2 * prior  # the intercept is not certain either
    shortfall = model.features_.map_.shortfall(far, model.features_.transform(far))
    assert shortfall == pytest.approx(1.0)


def test_features_of_the_landmarks_reproduce_the_kernel():
    X = rows(0, 60, 3)
    Z = bo.NystroemFeatures(bo.Matern(2.0), n_components=1000, random_state=0).fit_transform(X)
    np.testing.assert_allclose(Z @ Z.T, bo.Matern(2.0)(X), atol=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_singular_kernel_matrix_magnifies_nothing(dtype):
    X = np.repeat(rows(0, 30, 2, dtype), 3, axis=0)  # every row three times: a third of the rank
    kernel = bo.Gaussian(50.0)
    Z = bo.NystroemFeatures(kernel, n_components=90, random_state=0).fit_transform(X)
    assert np.abs(Z).max() < 1.1
    assert np.abs(Z @ Z.T - kernel(X)).max() < (1e-3 if dtype == np.float32 else 1e-9)


@pytest.mark.parametrize("name", EXACT)
def test_invariant_features_are_invariant(name):
    group, d = EXACT[name]
    X = rows(0, 30, d, np.float32)
    features = bo.NystroemFeatures(bo.Gaussian(3.0), n_components=10, group=group, random_state=0).fit(X)
    Z = features.transform(X)
    for _, moved in group.elements(d).of(X):
        assert np.abs(features.transform(moved) - Z).max() < 5e-5 * np.abs(Z).max() + 1e-4
    assert np.abs(features.transform(1.1 * X) - Z).max() > 1e-2


def orbit_kernel(kernel, X, Y, transforms):
    """E k(g x, g' y), from the definition."""
    return sum(a * b * kernel(x, y) for a, x in transforms.of(X) for b, y in transforms.of(Y))


@pytest.mark.parametrize(
    ("group", "d"),
    [
        (groups.CyclicShifts(), 6),
        (groups.ImageTranslations((3, 3), 1), 9),
        (groups.FromFunctions([np.abs, np.sin], weights=[1, 3]), 4),
    ],
)
def test_landmarks_meet_the_orbit_kernel(group, d):
    X, kernel, transforms = rows(0, 40, d), bo.Gaussian(2.0), group.elements(d)
    features = bo.NystroemFeatures(kernel, n_components=8, group=group, random_state=0).fit(X)
    assert features.map_.values.one_sided == group.closed
    L, Z = features.landmarks_, features.transform(X)
    K = orbit_kernel(kernel, X, L, transforms)
    expected = K @ np.linalg.pinv(orbit_kernel(kernel, L, L, transforms), rcond=1e-10, hermitian=True) @ K.T
    np.testing.assert_allclose(Z @ Z.T, expected, atol=1e-9)
    values = features.map_.values
    np.testing.assert_allclose(values.diagonal(X), np.diag(orbit_kernel(kernel, X, X, transforms)), atol=1e-12)


TURN = np.array([[0.0, -1.0], [1.0, 0.0]])
AVERAGES = {  # group, columns, number of transformations, whether one side may move
    "all shifts": (groups.CyclicShifts(), 6, "all", True),
    "a whole group by number": (groups.Permutations(), 3, 6, True),
    "quarter turns": (groups.ImageRotations((3, 3), n=4), 9, "all", True),
    "signed and moved": (groups.Product([groups.SignFlips(None), groups.CyclicShifts()], closed=True), 4, "all", True),
    "three permutations": (groups.Permutations(), 5, 3, False),
    "one shift": (groups.CyclicShifts(), 6, 1, False),
    "some flips": (groups.SignFlips(), 5, 7, False),
    "interpolated rotations": (groups.ImageRotations((4, 4), n=8), 16, "all", False),
    "some quarter turns": (groups.ImageRotations((3, 3), n=4), 9, 3, False),
    "any rotation": (groups.ImageRotations((4, 4), n=None), 16, 5, False),
    "a weighted group": (
        groups.FromMatrices([np.eye(2), TURN, TURN @ TURN, TURN.T], weights=[4, 3, 2, 1], closed=True), 2, "all", False
    ),
    "a weighted group, alike": (
        groups.FromMatrices([np.eye(2), TURN, TURN @ TURN, TURN.T], weights=[2, 2, 2, 2], closed=True), 2, "all", True
    ),
    "no group": (groups.FromMatrices([np.eye(2), TURN]), 2, "all", False),
    "shifts that lose pixels": (groups.ImageTranslations((3, 3), 1), 9, "all", False),
}  # fmt: skip


@pytest.mark.parametrize("kernel", [bo.Gaussian(1.5), 2.0 * bo.Matern(2.0)])
@pytest.mark.parametrize("name", AVERAGES)
def test_the_landmark_matrix_is_the_average_over_both_sides(name, kernel):
    group, d, n_transforms, one_sided = AVERAGES[name]
    X = rows(0, 40, d)
    features = bo.NystroemFeatures(kernel, n_components=20, group=group, n_transforms=n_transforms, random_state=1).fit(
        X
    )
    values, L = features.map_.values, features.landmarks_
    assert values.one_sided == one_sided
    K = transform(values, L, np.dtype(float))
    np.testing.assert_allclose(K, orbit_kernel(kernel, L, L, features.transforms_), atol=1e-12)
    np.testing.assert_allclose(K, K.T, atol=1e-12)
    assert np.linalg.eigvalsh((K + K.T) / 2)[0] > -1e-12 * len(K)
    np.testing.assert_allclose(values.diagonal(L), np.diagonal(K), atol=1e-12)
    Z = features.transform(L)
    assert np.max(np.abs(Z @ Z.T - K)) < 1e-6


@pytest.mark.parametrize("name", AVERAGES)
def test_orbit_features_are_certified_against_the_same_average(name):
    group, d, n_transforms, _ = AVERAGES[name]
    X, kernel = rows(0, 15, d), bo.Gaussian(1.5)
    base = bo.FourierFeatures(kernel, n_components=32)
    features = bo.OrbitFeatures(group, base, n_transforms=n_transforms, random_state=1).fit(X)
    Z, exact = features.transform(X), orbit_kernel(kernel, X, X, features.transforms_)
    certificate = features.certify(X)
    largest = pytest.approx(np.max(np.abs(Z @ Z.T - exact)), rel=1e-9)
    assert any(each.value == largest for each in (certificate, *certificate.others))


def test_a_diagonal_in_many_chunks_is_that_in_one(monkeypatch):
    transforms = groups.ImageRotations((4, 4), n=8).elements()
    X, values = rows(0, 30, 16), KernelMap(bo.Gaussian(2.0), rows(1, 3, 16), transforms, one_sided=False)
    whole = values.diagonal(X)
    monkeypatch.setattr("bochner.features.nystroem._DIAGONAL_BYTES", 1)
    np.testing.assert_array_equal(values.diagonal(X), whole)
    assert values.diagonal(X[:0]).shape == (0,)


def test_a_scale_per_feature_moves_both_sides_and_is_invariant_all_the_same():
    X, kernel = rows(0, 40, 4), bo.Gaussian([1.0, 2.0, 3.0, 4.0])
    features = bo.NystroemFeatures(kernel, n_components=8, group=groups.CyclicShifts(), random_state=0).fit(X)
    assert not features.map_.values.one_sided
    np.testing.assert_allclose(features.transform(np.roll(X, 1, axis=1)), features.transform(X), atol=1e-9)


def test_landmarks_in_many_chunks_are_those_in_one():
    X, L = rows(0, 20, 5), rows(1, 2500, 5)
    np.testing.assert_allclose(
        transform(KernelMap(bo.Gaussian(2.0), L), X, np.dtype(float)), bo.Gaussian(2.0)(X, L), atol=1e-12
    )


def test_leverage_scores_are_those_of_the_definition_when_the_pilot_is_everything():
    X, kernel = rows(0, 50, 2), bo.Gaussian()
    K = kernel(X)
    gamma = np.sort(np.linalg.eigvalsh(K))[::-1][10:].sum() / 10
    expected = np.diag(K @ np.linalg.inv(K + gamma * np.eye(50)))
    np.testing.assert_allclose(leverage_of_rows(X, KernelMap(kernel, X), 10), expected, rtol=1e-6)


def test_leverage_finds_a_rare_cluster():
    rng, wide = np.random.default_rng(0), bo.Gaussian()
    X = np.vstack([0.1 * rng.standard_normal((2000, 2)), 10 + 0.1 * rng.standard_normal((4, 2))])
    found = {
        how: np.mean(
            [
                (bo.NystroemFeatures(wide, n_components=12, landmarks=how, random_state=s).fit(X).landmarks_ > 5).any()
                for s in range(20)
            ]
        )
        for how in ("uniform", "leverage")
    }
    assert found["uniform"] < 0.3
    assert found["leverage"] > 0.9


def test_orbit_features_take_nystroem_features_as_base():
    X = rows(0, 40, 6)
    base = bo.NystroemFeatures(bo.Gaussian(2.0), n_components=12)
    features = bo.OrbitFeatures(groups.CyclicShifts(), base, random_state=0).fit(X)
    np.testing.assert_allclose(features.transform(np.roll(X, 1, axis=1)), features.transform(X), atol=1e-9)
    np.testing.assert_allclose(features.transform(sp.csr_array(X)), features.transform(X), atol=1e-9)


def test_the_regressor_uses_the_map_itself_and_models_survive_pickle():
    X = rows(0, 200, 3)
    y = np.sin(X).sum(axis=1)
    model = bo.KernelRegressor(features=bo.NystroemFeatures(bo.Gaussian(2.0), n_components=60, random_state=0)).fit(
        X, y
    )
    assert model.feature_map_ is model.features_.map_
    assert model.score(X, y) > 0.99
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


def test_landmarks_may_be_given():
    X, points = rows(0, 200, 3), rows(1, 7, 3)
    features = bo.NystroemFeatures(bo.Gaussian(2.0), landmarks=points.tolist()).fit(X)
    np.testing.assert_array_equal(features.landmarks_, points)
    K = bo.Gaussian(2.0)
    Z = features.transform(X)
    np.testing.assert_allclose(Z @ Z.T, K(X, points) @ np.linalg.solve(K(points), K(points, X)), atol=1e-7)
    with pytest.raises(InvalidParameterError, match="'landmarks' parameter of NystroemFeatures must be of 3 columns"):
        bo.NystroemFeatures(landmarks=points[:, :2]).fit(X)


def test_centres_of_k_means_are_those_of_scaled_columns():
    """A column that the kernel hardly sees does not tear clusters apart."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, 4, 400)
    X = np.c_[10.0 * group + 0.1 * rng.standard_normal(400), 1e4 * rng.standard_normal(400)]
    features = bo.NystroemFeatures(bo.Gaussian([1.0, 1e6]), n_components=4, landmarks="kmeans", random_state=0).fit(X)
    np.testing.assert_allclose(np.sort(features.landmarks_[:, 0]), [0, 10, 20, 30], atol=0.5)


@pytest.mark.parametrize("rule", ["pivoted", "uniform", "leverage", "kmeans"])
def test_every_rule_takes_sparse_rows_and_all_of_few(rule):
    X = sp.random_array((60, 5), density=0.5, rng=np.random.default_rng(0), format="csr")
    features = bo.NystroemFeatures(bo.Gaussian(), n_components=20, landmarks=rule, random_state=0).fit(X)
    assert features.transform(X).shape == (60, 20)
    assert bo.NystroemFeatures(bo.Gaussian(), n_components=100, landmarks=rule).fit(X).landmarks_.shape == (60, 5)
