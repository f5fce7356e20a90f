"""The short search of scales: for classes with so few mistakes that a longer one cannot gain."""

import numpy as np
import pytest
from scipy.stats import binom

import bochner as bo
from bochner.tuning.easy import EASY_ROWS, largest_share, tune_easily
from bochner.tuning.search import candidate_kernels

RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, (EASY_ROWS, 3))
X[:, :2] += 0.2 * np.sign(X[:, :2])  # gaps between the classes
EASY = (X[:, 0] > 0).astype(float)


def tuned(y, X=X, **settings):
    return tune_easily(X, y.reshape(len(y), -1), None, candidate_kernels(), seed=0, **settings)


@pytest.mark.parametrize(("k", "m"), [(0, 1000), (12, 1000), (3, 50)])
def test_the_largest_share_is_the_limit_of_clopper_and_pearson(k, m):
    limit = largest_share(np.arange(m) < k, None)
    assert binom.cdf(k, m, limit) == pytest.approx(0.05)
    assert largest_share(np.arange(m) < k, np.full(m, 2.5)) == pytest.approx(limit)
    assert largest_share(np.ones(m), None) == 1.0


def test_uneven_weights_count_as_fewer_rows():
    mistakes = np.zeros(1000)
    assert largest_share(mistakes, np.where(np.arange(1000) < 100, 1.0, 1e-6)) == pytest.approx(
        largest_share(mistakes[:100], None), rel=1e-3
    )


@pytest.mark.parametrize("classes", [2, 3])
def test_easy_classes_have_a_short_search_whose_scales_tell_them_apart(classes):
    y = EASY if classes == 2 else ((EASY * (1 + (X[:, 1] > 0)))[:, None] == [0, 1, 2]).astype(float)
    found = tuned(y)
    assert len(found.stages) == 3  # plain and ranked columns, and one scale per column
    assert max(stage.n_rows for stage in found.stages) <= 600
    assert found.length_scale[2] > 2 * found.length_scale[0]  # the third column says nothing


def test_what_the_short_search_finds_does_not_depend_on_units_of_columns():
    unit = np.array([1e-3, 1.0, 1e4])
    np.testing.assert_allclose(tuned(EASY, X * unit + 5 * unit).length_scale, tuned(EASY).length_scale * unit)


def test_noise_in_the_labels_ends_the_short_search():
    noisy = np.where(RNG.random(EASY_ROWS) < 0.03, 1 - EASY, EASY)
    assert tuned(noisy) is None


def test_few_mistakes_are_no_feat_where_the_other_class_is_rare():
    assert tuned((RNG.random(EASY_ROWS) < 0.005).astype(float)) is None


def test_one_class_few_rows_and_kernels_that_are_not_of_distance_have_no_short_search():
    assert tuned(np.zeros(EASY_ROWS)) is None
    assert tuned(EASY[:-1], X[:-1]) is None
    assert tune_easily(X, EASY[:, None], None, [bo.Laplacian()], seed=0) is None


def test_a_small_memory_budget_has_no_short_search():
    with bo.config_context(memory="100MB"):
        assert tuned(EASY) is None


def test_one_column_and_very_many_have_one_scale():
    one = tuned(EASY, X[:, :1])
    assert len(one.stages) == 2
    wide = RNG.standard_normal((EASY_ROWS, 600)) + 5 * EASY[:, None]
    many = tuned(EASY, wide)
    assert len(many.stages) == 2
    assert np.shape(many.length_scale) == (600,)
