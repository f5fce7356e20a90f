"""The two-sample test: its relabellings by their definition, its level, its choices of a kernel."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from scipy.stats import binom

import bochner as bo
from bochner.comparison.kernel_choice import candidates
from bochner.comparison.kernel_features import KernelFeatures
from bochner.comparison.pool import FeaturePool, GramPool
from bochner.comparison.resampling import Relabelling, cut, fused, p_value
from bochner.errors import InvalidDataError, InvalidParameterError, MemoryBudgetError
from bochner.features import transform
from tests.comparison.test_mmd import by_definition
from tests.strategies import rows

KERNEL = bo.Gaussian(1.5)
CHOICES = ["median", "aggregate", "fuse", "held_out", 1.0]


def draw_features(embedding, d=2, width=40):
    return KernelFeatures.draw(KERNEL, d, width, embedding=embedding, sampling="monte_carlo", seed=0)


def squared_mmd(Z, V, estimator):
    return by_definition(lambda A, B=None: A @ (A if B is None else B).T, Z, V, estimator)


@pytest.mark.parametrize("estimator", ["biased", "unbiased"])
@pytest.mark.parametrize("embedding", ["paired", "phase"])
@pytest.mark.parametrize("kind", ["permutation", "wild"])
def test_relabelled_statistics_are_those_of_the_relabelled_rows(monkeypatch, embedding, estimator, kind):
    monkeypatch.setattr("bochner.comparison.resampling._SINGLE_ROWS", 10)
    monkeypatch.setattr("bochner.comparison.resampling._MOST_BLOCKS", 10)
    monkeypatch.setattr("bochner.comparison.resampling._FEWEST_BLOCKS", 10)
    sizes = (33, 33) if kind == "wild" else (33, 21)
    X, Y, features = rows(0, sizes[0], 2), rows(1, sizes[1], 2), draw_features(embedding)
    pool = FeaturePool.of(X, Y, features)
    g, relabelling = pool.block_rows, Relabelling(pool.n_blocks, kind, 600, seed=0)
    assert g > 1
    assert sizes[0] % g != 0
    values = pool.squared_mmd(relabelling, estimator)
    labels = np.vstack(list(relabelling.chunks(256)))
    Z, V = (transform(features.fourier, each, np.dtype(float)) for each in (X, Y))
    a, b = pool.n_blocks
    blocks = [*Z[: a * g].reshape(a, g, -1), *V[: b * g].reshape(b, g, -1)]
    for index in (0, 1, 300, 600):
        first = [block for block, label in zip(blocks, labels[index], strict=True) if label] + [Z[a * g :]]
        second = [block for block, label in zip(blocks, labels[index], strict=True) if not label] + [V[b * g :]]
        expected = squared_mmd(np.vstack(first), np.vstack(second), estimator)
        assert values[index] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("estimator", ["biased", "unbiased"])
def test_exact_kernel_and_features_share_their_relabellings(estimator):
    X, Y = rows(0, 30, 2), rows(1, 20, 2)
    gram = GramPool.of(X, Y, KERNEL)
    relabelling = Relabelling(gram.n_blocks, "permutation", 50, seed=0)
    values = gram.squared_mmd(relabelling, estimator)
    pooled = np.vstack([X, Y])
    for labels, value in zip(np.vstack(list(relabelling.chunks(16))), values, strict=True):
        chosen = labels.astype(bool)
        assert value == pytest.approx(by_definition(KERNEL, pooled[chosen], pooled[~chosen], estimator), abs=1e-13)
    close = FeaturePool.of(X, Y, draw_features("paired", width=50_000)).squared_mmd(relabelling, estimator)
    np.testing.assert_allclose(close, values, atol=3e-3)


def test_relabellings_keep_the_sizes_and_are_uniform():
    labels = np.vstack(list(Relabelling((3, 5), "permutation", 20_000, seed=0).chunks(999)))
    assert labels.shape == (20_001, 8)
    np.testing.assert_array_equal(labels.sum(axis=1), 3)
    np.testing.assert_allclose(labels[1:].mean(axis=0), 3 / 8, atol=0.02)
    wild = np.vstack(list(Relabelling((4, 4), "wild", 1000, seed=0).chunks(64)))
    np.testing.assert_array_equal(wild[:, :4] + wild[:, 4:], 1)


@pytest.mark.parametrize(
    ("n", "m"), [(2, 2), (50, 2000), (2048, 2048), (5000, 5000), (10**6, 10**6), (10**6, 300), (2, 10**9)]
)
def test_blocks_are_rows_for_small_samples_and_some_thousand_for_large_ones(n, m):
    g, (a, b) = cut(n, m, 1024)
    if n + m <= 4096:
        assert (g, a, b) == (1, n, m)
        return
    assert 500 < a + b <= 2048
    assert 0 <= min(n - a * g, m - b * g) < max(1, 0.02 * min(n, m))
    assert 480 <= sum(cut(n, m, 10**6)[1]) <= 1024


def test_a_very_unequal_pair_is_tested_in_bounded_memory():
    X, Y = rows(0, 3, 1), rows(1, 200_000, 1)
    same, other = (bo.mmd_test(each, Y, n_components=64, n_resamples=199, rng=0) for each in (X, X + 9))
    assert same.pvalue > 0.05
    assert other.pvalue == 1 / 200
    assert same.block_rows == 3
    exact = bo.mmd(X, Y, kernel=same.kernel, n_components=64, rng=0).squared
    assert same.statistic == pytest.approx(exact, abs=1e-9)


def test_ties_count_against_rejection():
    assert p_value(np.array([1.0, 1.0, 1.0, 0.0]), 1e-9) == 3 / 4
    assert p_value(np.array([1.0, 1.0 - 1e-10, 0.5, 0.0]), 1e-9) == 2 / 4
    assert p_value(np.array([2.0, 1.0, 1.0, 0.0]), 1e-9) == 1 / 4


def test_the_fused_statistic_treats_all_relabellings_alike():
    values = np.random.default_rng(0).standard_normal((3, 20))
    order = np.random.default_rng(1).permutation(20)
    np.testing.assert_allclose(fused(values[:, order]), fused(values)[order], rtol=1e-12)
    np.testing.assert_allclose(fused(values * [[1.0], [1e-6], [1e6]] + 5), fused(values), rtol=1e-7)


def rejections(draw, repeats, **setting):
    return sum(
        bo.mmd_test(*draw(np.random.default_rng([7, r])), n_resamples=19, n_components=64, rng=r, **setting).pvalue
        <= 0.05
        for r in range(repeats)
    )


SAMPLES = {
    "normal": lambda rng: (rng.standard_normal((20, 2)), rng.standard_normal((15, 2))),
    "heavy tails": lambda rng: (rng.standard_cauchy((12, 1)), rng.standard_cauchy((12, 1))),
    "ties": lambda rng: (rng.integers(0, 3, (20, 1)), rng.integers(0, 3, (20, 1))),
    "wide": lambda rng: (rng.standard_normal((8, 100)), rng.standard_normal((10, 100))),
}


SLOW = [
    *(("normal", choice) for choice in CHOICES[1:]),
    ("heavy tails", "median"),
    ("wide", "median"),
    ("ties", "aggregate"),
    ("ties", "fuse"),
    ("heavy tails", "fuse"),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "choice"),
    [("normal", "median"), ("ties", "median"), *(pytest.param(*case, marks=pytest.mark.slow) for case in SLOW)],
)
def test_the_level_is_kept(name, choice):  # benchmarks/validity has all laws, sizes and options
    count = rejections(SAMPLES[name], 300, length_scale=choice)
    assert count <= binom.isf(1e-7, 300, 0.05)
    if name in ("normal", "wide"):  # without ties the level is exactly 0.05
        assert count >= binom.ppf(1e-7, 300, 0.05)


@pytest.mark.slow
def test_the_level_is_kept_by_the_wild_bootstrap_also_for_paired_rows():
    def draw(rng):
        shared = rng.standard_normal((20, 1))
        return shared + 0.3 * rng.standard_normal((20, 1)), shared + 0.3 * rng.standard_normal((20, 1))

    low, high = binom.ppf(1e-7, 400, 0.05), binom.isf(1e-7, 400, 0.05)
    assert low <= rejections(draw, 400, resampling="wild") <= high


@pytest.mark.slow
def test_the_level_is_kept_with_blocks(monkeypatch):
    monkeypatch.setattr("bochner.comparison.resampling._SINGLE_ROWS", 24)
    monkeypatch.setattr("bochner.comparison.resampling._MOST_BLOCKS", 24)
    monkeypatch.setattr("bochner.comparison.resampling._FEWEST_BLOCKS", 24)
    count = rejections(lambda rng: (rng.standard_normal((53, 1)), rng.standard_normal((41, 1))), 400)
    assert binom.ppf(1e-7, 400, 0.05) <= count <= binom.isf(1e-7, 400, 0.05)


def test_the_level_of_the_fused_test_is_kept():
    """Given the pooled rows, labels drawn at random are nulls: 1,000 of them share the values of a kernel."""
    X, Y, nulls = rows(0, 12, 1), rows(1, 10, 1), 1000
    values = []
    for kernel in candidates("mmd_test", None, "fuse", (), X, Y, 0):
        pool = GramPool.of(X, Y, kernel)
        statistics = pool.squared_mmd(Relabelling(pool.n_blocks, "permutation", 20 * nulls, seed=3), "unbiased")
        values.append(statistics[1:].reshape(nulls, 20))
    pvalues = [p_value(fused(each), 1e-8) for each in np.stack(values, axis=1)]
    count = sum(value <= 0.05 for value in pvalues)
    assert len(values) == 20
    assert binom.ppf(1e-7, nulls, 0.05) <= count <= binom.isf(1e-7, nulls, 0.05)


def test_two_kernels_at_ten_bandwidths_are_fused():
    X, Y = rows(0, 40, 2), rows(1, 50, 2)
    kernels = bo.mmd_test(X, Y, length_scale="fuse", n_resamples=9, rng=0).kernels
    assert [type(kernel) for kernel in kernels] == [bo.Gaussian] * 10 + [bo.Laplacian] * 10
    pooled = np.vstack([X, Y])
    for family, metric in ((kernels[:10], "euclidean"), (kernels[10:], "cityblock")):
        scales = np.array([kernel.length_scale for kernel in family])
        ratios = scales[1:] / scales[:-1]
        np.testing.assert_allclose(ratios, ratios[0, 0])
        low, high = (
            np.quantile(pdist(pooled / scales[0], metric), 0.05),
            np.quantile(pdist(pooled / scales[-1], metric), 0.95),
        )
        assert low == pytest.approx(2)
        assert high == pytest.approx(0.5)
    own = bo.mmd_test(X, Y, kernel=bo.Matern(3.0), length_scale="fuse", n_resamples=9, rng=0).kernels
    assert [type(kernel) for kernel in own] == [bo.Matern] * 10
    assert own[0].length_scale < 3 < own[-1].length_scale


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_differences_are_found_and_located(choice, dtype):
    X, Y = rows(0, 300, 2, dtype), rows(1, 200, 2, dtype) + np.array([1, 0], dtype=dtype)
    result = bo.mmd_test(X, Y, length_scale=choice, n_resamples=199, rng=0)
    assert result.pvalue == 1 / 200
    assert result.null_distribution.shape == (199,)
    left, right = result.witness(np.array([[-1.5, 0], [2.5, 0]], dtype=dtype))
    assert left > 0 > right
    assert result.witness(X).dtype == dtype
    assert result.kernel in result.kernels
    assert result.error_bound > 0


def test_a_seed_fixes_the_result_at_any_number_of_threads():
    X, Y = rows(0, 3000, 2), rows(1, 3000, 2)
    results = []
    for threads in (1, 2):
        with bo.config_context(n_threads=threads):
            results.append(bo.mmd_test(X, Y, length_scale="aggregate", n_resamples=99, rng=4))
    assert results[0].pvalue == results[1].pvalue
    np.testing.assert_allclose(results[0].null_distribution, results[1].null_distribution, rtol=1e-6, atol=1e-9)


def test_equal_rows_and_more_columns_than_rows_are_right():
    assert bo.mmd_test(np.ones((20, 3)), np.ones((10, 3)), rng=0).pvalue == 1
    assert bo.mmd_test(np.ones((20, 3)), np.ones((20, 3)), length_scale="aggregate", rng=0).pvalue == 1
    assert bo.mmd_test(np.ones((20, 3)), np.ones((20, 3)), length_scale="fuse", rng=0).pvalue == 1
    assert bo.mmd_test(np.ones((20, 3)), np.zeros((20, 3)), rng=0).pvalue == 0.001
    assert bo.mmd_test(rows(0, 10, 200), rows(1, 10, 200) + 2, rng=0).pvalue < 0.01


def test_a_memory_map_is_tested_as_the_array_is(tmp_path):
    X, Y = rows(0, 500, 3), rows(1, 600, 3)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    for choice in CHOICES:
        own, other = (bo.mmd_test(each, Y, length_scale=choice, n_resamples=49, rng=0) for each in (X, mapped))
        assert own.statistic == pytest.approx(other.statistic, abs=1e-12)


def test_the_bound_holds_for_all_kernels_at_once():
    one, five = (
        bo.mmd_test(rows(0, 50, 2), rows(1, 50, 2), length_scale=c, n_resamples=9, rng=0)
        for c in ("median", "aggregate")
    )
    assert five.error_bound > one.error_bound
    assert five.certificate.delta == one.certificate.delta == 0.01
    assert "With probability at least 0.99" in five.certificate.statement
    assert "each of the 5 kernels" in five.certificate.statement


def test_the_held_out_half_chooses_a_bandwidth_that_sees_the_difference():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 1))
    Y = X[rng.permutation(2000)] + 0.0
    Y = np.where(rng.random((2000, 1)) < 0.5, Y + 0.02 * np.sign(np.sin(40 * Y)), Y) + 0.04 * np.sin(40 * Y)
    result = bo.mmd_test(X, Y, length_scale="held_out", factors=(1 / 64, 1 / 16, 1 / 4, 1, 4), rng=0)
    assert result.kernel.length_scale < 0.2


def test_what_does_not_fit_the_memory_is_refused():
    with bo.config_context(memory="1MB"), pytest.raises(MemoryBudgetError, match="Lower n_components"):
        bo.mmd_test(rows(0, 500, 2), rows(1, 500, 2), n_components=2000)


def test_refusals():
    X, Y = rows(0, 10, 2), rows(1, 12, 2)
    for bad in (np.empty((0, 2)), X[:1]):
        with pytest.raises(InvalidDataError, match="at least 2 rows"):
            bo.mmd_test(X, bad)
    with pytest.raises(InvalidDataError, match=r"same number of columns.*Got 2 and 1"):
        bo.mmd_test(X, Y[:, :1])
    with pytest.raises(ValueError, match="X contains NaN"):
        bo.mmd_test(np.where(X > 1, np.nan, X), Y)
    with pytest.raises(InvalidDataError, match=r"equal size.*Got 10 and 12"):
        bo.mmd_test(X, Y, resampling="wild")
    with pytest.raises(InvalidDataError, match="at least 4 rows"):
        bo.mmd_test(X[:3], Y, length_scale="held_out")
    for setting in (
        {"n_resamples": 0},
        {"estimator": "best"},
        {"resampling": "jackknife"},
        {"length_scale": "best"},
        {"length_scale": -1.0},
        {"kernel": "linear"},
        {"n_components": 3},
        {"n_components": "many"},
        {"length_scale": "aggregate", "factors": []},
        {"sampling": "magic"},
    ):
        with pytest.raises(InvalidParameterError, match=f"'{list(setting)[-1]}' parameter"):
            bo.mmd_test(X, Y, **setting)


@pytest.mark.parametrize("embedding", ["paired", "phase"])
def test_fourier_features_in_place_of_a_kernel_give_the_statistic_of_their_kernel(embedding):
    X, Y = np.random.default_rng(0).standard_normal((2, 30, 2))
    features = bo.FourierFeatures(bo.Gaussian(1.5), n_components=64, embedding=embedding, random_state=3)
    through_features = bo.mmd_test(X, Y, features=features, n_resamples=19, rng=3)
    through_kernel = bo.mmd_test(
        X, Y, kernel=bo.Gaussian(1.5), n_components=64, embedding=embedding, n_resamples=19, rng=3
    )
    assert through_features.statistic == pytest.approx(through_kernel.statistic, rel=1e-9)
    assert through_features.pvalue == through_kernel.pvalue
