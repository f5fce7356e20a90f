"""Rows between levels of a category: mixtures of the levels, with error bars as wide as levels differ."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.pipeline import make_pipeline

import bochner as bo
from bochner.data import ArrayRows
from bochner.errors import TableWarning
from bochner.estimators.levels import level_columns

RNG = np.random.default_rng(0)
N, LEVELS = 240, 8
CITY, SIZE = RNG.integers(0, LEVELS, N), RNG.uniform(0, 1, N)
Y = np.linspace(-1, 1, LEVELS)[CITY] + np.sin(4 * SIZE) + 0.1 * RNG.standard_normal(N)
TABLE = pd.DataFrame({"city": [f"c{each}" for each in CITY], "size": SIZE})
X = np.c_[np.eye(LEVELS)[CITY], SIZE]
SETTINGS = {"length_scale": 1.0, "alpha": 0.01, "random_state": 0}


@pytest.mark.parametrize("rare", [False, True], ids=["no rare level", "rare levels"])
@pytest.mark.parametrize("features", ["exact", "nystroem", "fourier"])
def test_an_unknown_level_is_the_mean_of_the_levels_with_wider_error_bars(features, rare):
    table = TABLE.assign(city=np.where(np.arange(N) < 3, [f"r{each}" for each in range(N)], TABLE["city"]))
    model = make_pipeline(bo.TableEncoder(), bo.KernelRegressor(features=features, random_state=0))
    model.fit(table if rare else TABLE, Y)
    at = pd.DataFrame({"city": [*(f"c{each}" for each in range(LEVELS)), "new"], "size": 0.5})
    with pytest.warns(TableWarning, match="mean of the levels"):
        mean, std = model.predict(at, return_std=True)
    assert std[-1] > 2 * std[:-1].max()
    assert std[-1] > 0.8 * mean[:-1].std()
    assert abs(mean[-1] - mean[:-1].mean()) < 0.3 * mean[:-1].std()


@pytest.mark.parametrize("features", ["exact", "fourier"])
def test_shares_of_levels_are_a_mixture(features):
    model = bo.KernelRegressor(features=features, **SETTINGS).fit(X, Y)
    shares = np.array([0.5, 0.3, 0.2, 0, 0, 0, 0, 0])
    mean, std = model.predict(np.c_[np.eye(LEVELS)[:3], [0.5] * 3], return_std=True)
    row = np.r_[shares, 0.5][None]
    mixed, deviation = model.predict(row, return_std=True)
    p = shares[:3]
    np.testing.assert_allclose(mixed, p @ mean)
    np.testing.assert_allclose(deviation, np.sqrt(p @ (std**2 + mean**2) - mixed**2))
    np.testing.assert_allclose(model.predict(row), mixed)
    np.testing.assert_allclose(model.predict(bo.scan_blocks([row])), mixed)


def test_other_rows_are_as_they_were():
    model = bo.KernelRegressor(features="exact", **SETTINGS).fit(X, Y)
    new = np.r_[X[:5], np.r_[np.full(LEVELS, 1 / LEVELS), 0.5][None], X[5:9]]
    known = np.arange(10) != 5
    mean, std = model.predict(new, return_std=True)
    plain = model.predict(new[known], return_std=True)
    np.testing.assert_allclose(mean[known], plain[0], rtol=1e-12)
    np.testing.assert_allclose(std[known], plain[1], rtol=1e-12)


def test_many_levels_and_several_categories_are_drawn_and_always_the_same():
    rng = np.random.default_rng(1)
    one, two = rng.integers(0, 40, 2000), rng.integers(0, 3, 2000)
    rows = np.c_[rng.uniform(size=2000), np.eye(40)[one], np.eye(3)[two]]
    y = np.linspace(-1, 1, 40)[one] + two
    model = bo.KernelRegressor(features="fourier", n_components=256, **SETTINGS).fit(rows, y)
    assert model.level_columns_.tolist() == [[1, 41], [41, 44]]
    unknown = np.r_[0.5, np.full(40, 1 / 40), np.full(3, 1 / 3)][None]
    mean, std = model.predict(unknown, return_std=True)
    assert mean[0] == pytest.approx(y.mean(), abs=0.15)
    assert std[0] == pytest.approx(y.std(), rel=0.2)
    np.testing.assert_array_equal(model.predict(unknown, return_std=True)[1], std)


def test_levels_are_neighbouring_columns_of_which_every_row_has_one():
    mark = (RNG.random(N) < 0.1).astype(float)[:, None]
    for rows, found in (
        (np.c_[mark, X, mark], [[1, LEVELS + 1]]),
        (np.c_[X[:, :-2], SIZE], []),
        (np.c_[SIZE, 1 - SIZE], []),
        (np.c_[np.ones(N), X], [[1, LEVELS + 1]]),
    ):
        model = bo.KernelRegressor(features="fourier", n_components=16, **SETTINGS).fit(rows, Y)
        assert model.level_columns_.tolist() == found
    assert (
        bo.KernelRegressor(features="fourier", n_components=16, **SETTINGS).fit(csr_array(X), Y).level_columns_ is None
    )


def first_levels_from(rows, start):
    """By definition: the fewest columns from `start` on of which every row has one and no other; two or more."""
    for end in range(start + 1, rows.shape[1] + 1):
        part = rows[:, start:end]
        if np.isin(part, (0, 1)).all() and (part.sum(axis=1) == 1).all():
            return (start, end) if end > start + 1 else None
    return None


def test_levels_are_those_of_a_search_from_every_column():
    rng = np.random.default_rng(2)
    found_any = 0
    for _ in range(2000):
        rows = (rng.random((rng.integers(1, 4), rng.integers(1, 9))) < rng.choice([0.2, 0.4, 0.6])).astype(float)
        if rng.random() < 0.3:
            rows[0, rng.integers(rows.shape[1])] = 0.5
        expected, start = [], 0
        while start < rows.shape[1]:
            one = first_levels_from(rows, start)
            expected += [] if one is None else [list(one)]
            start = start + 1 if one is None else one[1]
        found = level_columns(ArrayRows(rows, np.zeros(len(rows)), None, np.dtype(float)))
        assert found.tolist() == expected
        found_any += len(expected)
    assert found_any > 500


def test_later_rows_may_end_a_category():
    model = bo.KernelRegressor(features="fourier", n_components=16, **SETTINGS)
    assert len(model.partial_fit(X, Y).level_columns_) == 1
    assert len(model.partial_fit(np.c_[X[:, :-1] / 2, SIZE], Y).level_columns_) == 0


def test_no_warning_comes_from_the_mixture():
    model = bo.KernelRegressor(features="exact", **SETTINGS).fit(X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(np.r_[np.full(LEVELS, 1 / LEVELS), 0.5][None])
