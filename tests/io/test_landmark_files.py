"""Files of landmark models have landmarks and coefficients, and no L x L numbers."""

import numpy as np
import pytest

import bochner as bo
from bochner.errors import FileFormatError, MemoryBudgetError
from bochner.io.landmarks import LandmarkMap, without_factor

RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((1500, 3))
Y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * RANDOM.standard_normal(1500)
L = 400


def by_products():
    return bo.KernelRegressor(
        bo.Matern(2.0, nu=1.5), features="nystroem", n_components=L, alpha=0.1, solver="iterative", random_state=0
    ).fit(X, Y)


def saved(model, path, **options):
    bo.save(model, path, **options)
    return path.stat().st_size, bo.load(path)


def test_a_model_by_products_is_landmarks_coefficients_and_some_rows(tmp_path):
    model = by_products()
    size, again = saved(model, tmp_path / "model")
    numbers = 3 * L + 3 * min(1024, len(X)) + 10 * L + 1024
    assert size < 8 * numbers + 30_000 < 8 * L**2
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    for mine, theirs in zip(again.predict(X[:50], return_std=True), model.predict(X[:50], return_std=True)):
        np.testing.assert_array_equal(mine, theirs)


def test_stored_keeps_the_factor(tmp_path):
    model = by_products()
    size, again = saved(model, tmp_path / "model", frequencies="stored")
    assert size > 4 * L**2
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_without_statistics_a_direct_model_is_small_too(tmp_path):
    model = bo.KernelRegressor(features="nystroem", n_components=L, length_scale=2.0, random_state=0).fit(X, Y)
    size, again = saved(model, tmp_path / "model", statistics=False)
    assert size < 8 * 20 * L + 50_000 < 8 * L**2
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_transformers_and_components_come_back_with_the_same_bits(tmp_path):
    features = bo.NystroemFeatures(bo.Gaussian(1.0), n_components=100, random_state=0).fit(X)
    _, again = saved(features, tmp_path / "features")
    np.testing.assert_array_equal(again.transform(X), features.transform(X))
    components = bo.KernelPCA(n_components=3, features=features, random_state=0).fit(X)
    _, again = saved(components, tmp_path / "components")
    np.testing.assert_array_equal(again.transform(X), components.transform(X))


def test_a_factor_that_does_not_follow_from_its_landmarks_is_stored():
    features = bo.NystroemFeatures(bo.Gaussian(1.0), n_components=50, random_state=0).fit(X)
    assert isinstance(without_factor(features.map_), LandmarkMap)
    features.map_.factor[0, 0] *= 2
    assert without_factor(features.map_) is None


def test_landmarks_whose_factor_has_no_room_are_refused(tmp_path):
    model = by_products()
    bo.save(model, tmp_path / "model")
    with (
        bo.config_context(memory=8 * L**2 // 2),
        pytest.raises((MemoryBudgetError, FileFormatError), match="landmarks"),
    ):
        bo.load(tmp_path / "model")
