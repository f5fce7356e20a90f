"""Metrics from gradients: identities with explicit gradients, and what a learned metric finds and forgets."""

import numpy as np
import pytest

import bochner as bo
from bochner.data import ArrayRows
from bochner.errors import AssumptionError, InvalidParameterError
from bochner.features import draw_fourier_map, transform
from bochner.features.fourier import FourierMap
from bochner.kernels import PowerExponential
from bochner.sampling import MonteCarlo
from bochner.statistics import Moments
from bochner.tuning import RidgeScales, ScaleRule
from bochner.tuning.gradients import gradient_outer_product, metric_root, outer_product_of_moments
from bochner.tuning.metric import MomentMetric

STEP = 1e-6


def rows(n=250, d=4, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d))


def along(n=250, d=4):
    """A function of one direction, which no column is, and of a column that it does not depend on."""
    X = rows(n, d)
    direction = np.array([1.0, 1.0, -1.0, *np.zeros(d - 3)]) / np.sqrt(3)
    return X, np.sin(2 * X @ direction), direction


def differences(f, X):
    """Gradients (n, d) by central differences."""
    moves = STEP * np.eye(X.shape[1])
    return np.stack([(f(X + move) - f(X - move)) / (2 * STEP) for move in moves], axis=1)


@pytest.mark.parametrize("weighted", [False, True])
def test_moments_have_the_outer_product_of_explicit_gradients(weighted):
    X, coef = rows(300), np.random.default_rng(1).standard_normal((64, 2))
    weight = np.random.default_rng(2).uniform(0.1, 3, len(X)) if weighted else None
    drawn = draw_fourier_map(
        bo.Matern(1.5, nu=1.5), MonteCarlo(), n_features=4, n_components=64, embedding="paired", seed=0
    )
    Z = transform(drawn, X, np.dtype(float))
    halves = [Moments.empty(64, 1).update(Z[s], X[s, :1], None if weight is None else weight[s]) for s in HALVES]
    share = np.ones(len(X)) if weight is None else weight
    explicit = np.einsum("tij,nj->tni", drawn.gradient_form(coef), Z)
    expected = np.einsum("tni,n,tnj->ij", explicit, share / share.sum(), explicit)
    found = outer_product_of_moments(drawn, coef, halves[0].merge(halves[1]))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())


HALVES = (slice(0, 130), slice(130, None))


def test_the_gradient_form_of_fourier_features_is_that_of_differences():
    X, coef = rows(50), np.random.default_rng(1).standard_normal((32, 1))
    drawn = draw_fourier_map(bo.Gaussian(), MonteCarlo(), n_features=4, n_components=32, embedding="paired", seed=0)
    Z = transform(drawn, X, np.dtype(float))
    expected = differences(lambda at: transform(drawn, at, np.dtype(float)) @ coef[:, 0], X)
    np.testing.assert_allclose(Z @ drawn.gradient_form(coef)[0].T, expected, atol=1e-7)


def test_features_with_phases_have_no_gradient_form():
    drawn = FourierMap.dense(rows(8), np.ones(8), np.zeros(8))
    assert drawn.gradient_form(np.ones((8, 1))) is None
    with pytest.raises(AssumptionError, match="not linear"):
        outer_product_of_moments(drawn, np.ones((8, 1)), Moments.empty(8, 1))


@pytest.mark.parametrize("kernel", [bo.Gaussian(), bo.Matern(nu=2.5), PowerExponential(exponent=1.4)])
def test_gradients_of_kernel_machines_are_those_of_differences(kernel):
    X = rows(40)
    coef, at = np.random.default_rng(1).standard_normal(len(X)), X + 0.0

    def f(moved):  # without the term of a row itself, which is flat there
        K = kernel(moved, at)
        return K @ coef - np.diagonal(K) * coef

    expected = differences(f, X)
    found = gradient_outer_product(kernel, X, coef[:, None])
    np.testing.assert_allclose(found, expected.T @ expected / len(X), rtol=1e-5)


def test_the_root_of_a_metric_has_trace_d_and_is_the_identity_for_a_constant():
    outer = np.cov(rows(100).T)
    root = metric_root(outer)
    np.testing.assert_allclose(root @ root, 4 * outer / np.trace(outer), atol=1e-12)
    np.testing.assert_array_equal(metric_root(np.zeros((3, 3))), np.eye(3))
    np.testing.assert_array_equal(metric_root(np.full((3, 3), np.nan)), np.eye(3))


@pytest.mark.parametrize("features", ["fourier", "exact"])
def test_a_metric_finds_the_direction_of_a_function(features):
    X, y, direction = along()
    size = {"n_components": 128} if features == "fourier" else {}
    model = bo.KernelRegressor(features=features, length_scale="metric", random_state=0, **size).fit(X, y)
    values, vectors = np.linalg.eigh(model.metric_)
    assert abs(vectors[:, -1] @ direction) > 0.99
    assert values[-2] < 0.1 * values[-1]
    assert model.score(X, y) > 0.99
    assert isinstance(model.tuning_.kernel, bo.Metric)


@pytest.mark.parametrize("features", ["fourier", "exact"])
def test_units_of_columns_do_not_change_a_metric_model(features):
    X, y, _ = along()
    unit, offset = np.array([1e-3, 1.0, 1e4, 7.0]), np.array([0.0, 5.0, 1e4, -1.0])
    size = {"n_components": 128} if features == "fourier" else {}
    fits = [
        bo.KernelRegressor(features=features, length_scale="metric", random_state=0, **size).fit(Z, y)
        for Z in (X, X * unit + offset)
    ]
    here, there = fits[0].predict(X), fits[1].predict(X * unit + offset)
    np.testing.assert_allclose(there, here, atol=0.05 if features == "fourier" else 1e-4)


def test_any_partition_of_the_rows_gives_the_same_metric():
    X, y, _ = along()
    source = ArrayRows(X, y[:, None], None, np.dtype(float))

    def found(threads):
        with bo.config_context(n_threads=threads):
            sample = X, y[:, None] / y.std(), None
            return MomentMetric(source, sample, [bo.Gaussian()], 0, 64, None).tuning()

    one, two = found(1), found(2)
    np.testing.assert_allclose(one.kernel.directions, two.kernel.directions, rtol=2e-3, atol=1e-6)
    np.testing.assert_array_equal(one.column_spreads, two.column_spreads)


def test_a_metric_is_learned_from_files_and_in_blocks(tmp_path):
    X, y, direction = along(600)
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    names = [f"c{i}" for i in range(4)]
    pq.write_table(pa.table({**dict(zip(names, X.T)), "y": y}), tmp_path / "rows.parquet", row_group_size=100)
    model = bo.KernelRegressor(n_components=128, length_scale="metric", alpha="evidence", random_state=0)
    model.fit(bo.scan_parquet(tmp_path / "rows.parquet", target="y"))
    assert abs(np.linalg.eigh(model.metric_)[1][:, -1] @ direction) > 0.98
    np.testing.assert_allclose(model.feature_importances_, direction**2, atol=0.05)


def test_classifiers_learn_metrics():
    X, y, direction = along()
    model = bo.KernelClassifier(length_scale="metric", random_state=0).fit(X, y > 0)
    assert abs(np.linalg.eigh(model.metric_)[1][:, -1] @ direction) > 0.95
    assert model.score(X, y > 0) > 0.95


def test_a_metric_wants_a_kernel_of_distance():
    rule = ScaleRule("Model", bo.Laplacian(), "metric", RidgeScales(None))
    with pytest.raises(InvalidParameterError, match="kernel of distance"):
        rule.check()
    with pytest.raises(InvalidParameterError, match="'auto', 'median'"):
        ScaleRule("Model", "gaussian", "metric").check()


@pytest.mark.parametrize("features", ["fourier", "exact"])
def test_one_column_a_constant_target_and_few_rows_have_a_metric_too(features):
    X = rows(30)
    for inputs, y in ((X[:, :1], X[:, 0]), (X, np.ones(30)), (X, X @ np.ones((4, 2)))):
        size = {"n_components": 16} if features == "fourier" else {}
        model = bo.KernelRegressor(features=features, length_scale="metric", random_state=0, **size).fit(inputs, y)
        assert np.all(np.isfinite(model.predict(inputs)))
        assert np.all(np.isfinite(model.metric_))


def test_passes_of_a_metric_are_announced():
    fourier = ScaleRule("Model", "gaussian", "metric", RidgeScales(None))
    exact = ScaleRule("Model", "gaussian", "metric", RidgeScales(None, exact=True))
    assert fourier.passes.count("to learn the metric") == 3
    assert exact.passes == ["to look at the targets"]
    assert ScaleRule("Model", "gaussian", 1.0, RidgeScales(None)).passes == []


def test_more_columns_than_a_matrix_can_have_are_refused():
    wide = np.zeros((10, 2049))
    model = bo.KernelRegressor(features="fourier", n_components=16, length_scale="metric")
    with pytest.raises(InvalidParameterError, match="2,048 columns"):
        model.fit(wide, np.arange(10.0))
