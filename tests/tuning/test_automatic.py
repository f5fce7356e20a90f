"""Automatic scales: units do not matter, relevant columns are found, warping is chosen where it pays."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.distance import pdist

import bochner as bo
from bochner.tuning import KernelEvidence, candidate_kernels, tune_automatically
from bochner.tuning.candidates import METRIC, CandidateSearch
from bochner.tuning.clock import Clock
from bochner.tuning.columns import Columns
from bochner.tuning.descent import LEAVE_ONE_OUT
from bochner.tuning.parameters import EvidenceParameters


def table(n=500, d=4, seed=0):  # more than 300: some rows learn, and all compare
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, d))
    return X, np.sin(2 * X[:, 0]) + 0.1 * random.standard_normal(n)


@pytest.mark.parametrize("n", [120, 500])
def test_units_of_columns_do_not_matter(n):
    X, y = table(n)
    factors, offsets = 10.0 ** np.array([-6, 9, 0, 3]), np.array([1e-5, 1e10, -20.0, 5e3])
    plain = tune_automatically(X, y, [bo.Gaussian()], seed=0)
    moved = tune_automatically(X * factors + offsets, y, [bo.Gaussian()], seed=0)
    assert moved.warped == plain.warped
    scale = plain.length_scale if plain.warped else plain.length_scale * factors
    np.testing.assert_allclose(moved.length_scale, scale, rtol=0.02)


def test_the_one_relevant_column_has_the_shortest_scale():
    X, y = table()
    scale = tune_automatically(X, y, [bo.Matern(nu=1.5)], seed=0, warps=False).length_scale
    assert np.all(scale[1:] > 3 * scale[0])


def pixels(n=800, d=520, seed=0):
    """Columns of one range, most of them hardly ever seen, and a function of the few that often are."""
    random = np.random.default_rng(seed)
    often = np.where(np.arange(d) < 40, 0.5, 0.01)
    X = np.where(random.random((n, d)) < often, random.uniform(0, 1, (n, d)), 0.0)
    X[:2] = np.array([[0.0], [1.0]])
    return X, np.sin(X[:, :40].sum(axis=1))


def test_many_columns_that_are_hardly_ever_seen_are_measured_by_their_ranges():
    X, y = pixels()
    kernel = tune_automatically(X, y, [bo.Gaussian()], seed=0).kernel
    directions = kernel.directions * np.ptp(X, axis=0)[:, None]  # orthogonal in units of the ranges
    gram = directions.T @ directions
    np.testing.assert_allclose(gram, gram[0, 0] * np.eye(len(gram)), atol=2e-3 * gram[0, 0])
    factors = np.geomspace(1e-6, 1e6, X.shape[1])
    moved = tune_automatically(X * factors + 3 * factors, y, [bo.Gaussian()], seed=0).kernel
    np.testing.assert_allclose(moved(X[:50] * factors), kernel(X[:50]), atol=2e-3)


def test_more_columns_than_rows_are_rotated_and_distances_stay():
    X, y = pixels(30, 600)
    columns = Columns.in_ranges(X)
    rotated = columns.rotated()
    assert rotated.X.shape == (30, 30)
    np.testing.assert_allclose(pdist(rotated.X), pdist(columns.X), rtol=1e-10)
    assert tune_automatically(X, y, [bo.Gaussian()], seed=0).length_scale.shape == (600,)


def test_many_columns_alike_are_measured_by_their_deviations():
    X, y = table(400, 520)
    X[0] *= 20  # a range that is one row's
    y = X[:, :40].sum(axis=1) / 6
    scale = tune_automatically(X, y, [bo.Gaussian()], seed=0).length_scale
    np.testing.assert_allclose(scale / X.std(axis=0), scale[0] / X[:, 0].std(), rtol=1e-6)


def test_heavy_tails_are_warped():
    X, y = table()
    found = tune_automatically(np.exp(2 * X), y, [bo.Gaussian()], seed=0)
    assert found.warped
    assert not tune_automatically(np.exp(2 * X), y, [bo.Gaussian()], seed=0, warps=False).warped


def test_a_rough_function_gets_a_rough_kernel_and_a_smooth_one_a_smooth_kernel():
    random = np.random.default_rng(1)
    X = random.uniform(-1, 1, (500, 1))
    smooth = tune_automatically(X, np.sin(5 * X[:, 0]), candidate_kernels(), seed=0, warps=False)
    rough = tune_automatically(X, np.abs(np.sin(40 * X[:, 0])) ** 0.3, candidate_kernels(), seed=0, warps=False)
    assert smooth.kernel.second_moments(1)[0] < np.inf
    assert getattr(rough.kernel, "nu", np.inf) <= 1.5


def test_the_criterion_of_a_small_table_takes_a_weight_of_two_for_a_row_given_twice():
    """Where it is smallest is another matter: rows given twice have no noise, and its equations are then singular."""
    X, y = table(60)
    weight = np.random.default_rng(2).integers(1, 4, 60)
    weighted = tune_automatically(X, y, [bo.Gaussian()], seed=0, sample_weight=weight.astype(float))
    repeated = tune_automatically(np.repeat(X, weight, axis=0), np.repeat(y, weight), [bo.Gaussian()], seed=0)
    for first, second in zip(weighted.stages[::2], repeated.stages[::2], strict=True):
        assert first.losses[0] == pytest.approx(second.losses[0], rel=1e-9)


def test_a_kernel_of_no_distance_is_learned_in_units_of_the_spreads():
    X, y = table(300)
    factors = np.array([1.0, 1e6, 1e-3, 5.0])
    plain = tune_automatically(X, y, [bo.Laplacian()], seed=0)
    moved = tune_automatically(X * factors, y, [bo.Laplacian()], seed=0)
    np.testing.assert_allclose(moved.length_scale, factors * plain.length_scale, rtol=0.02)


def test_leave_one_out_errors_are_those_of_processes_without_the_row():
    random = np.random.default_rng(3)
    X, Y = random.standard_normal((25, 2)), random.standard_normal((25, 2))
    parameters = EvidenceParameters(np.log([1.5, 0.7]), np.log(0.3), np.log(2.0))
    found = KernelEvidence(X, Y, None, bo.Gaussian()).leave_one_out(parameters, 25)
    C = 2.0 * (bo.Gaussian([1.5, 0.7])(X) + 1) + 0.3 * np.eye(25)
    for i in range(25):
        others = np.delete(np.arange(25), i)
        mean = C[i, others] @ np.linalg.solve(C[np.ix_(others, others)], Y[others])
        np.testing.assert_allclose(found[i], np.sum((Y[i] - mean) ** 2), rtol=1e-8)


def test_a_constant_column_is_one_however_its_mean_is_rounded():
    X = np.random.default_rng(0).standard_normal((400, 3))
    X[:, 1] = 0.1  # whose mean over 400 rows is another number
    found = tune_automatically(X, np.sin(X[:, 0]), [bo.Gaussian()], seed=0, warps=False)
    assert found.length_scale[1] > 0.01


def test_a_search_under_a_small_budget_learns_from_rows_that_there_is_memory_for():
    search = CandidateSearch(np.zeros((5000, 1)), None, 0, None, Clock(None), share_of_budget=0.3)
    for memory, n_rows in (("4GB", [400, 600, 1000]), ("100MB", [400, 474, 474])):  # 790 x 790, six times, is 0.3 of it
        with bo.config_context(memory=memory):
            assert [search.n_learned(criterion) for criterion in ("evidence", LEAVE_ONE_OUT, METRIC)] == n_rows


def test_candidates_are_compared_on_the_same_rows_while_memory_gets_less():
    """Errors of a candidate that is known are of more rows than there is memory for now."""
    X = np.random.default_rng(0).standard_normal((1500, 2))
    search = CandidateSearch(np.sin(X[:, [0]]), None, 0, None, Clock(None), share_of_budget=0.3)
    found = [search.of_one_scale(Columns.plain(X, None), kernel) for kernel in (bo.Gaussian(), bo.Matern())]
    with bo.config_context(memory="4GB"):
        search.leaders([found[1], found[1]], 1)
    with bo.config_context(memory="100MB"):
        assert search.leaders(found[::-1], 1)[0] is found[0]


def test_the_best_of_every_kind_that_is_close_is_a_leader():
    """A kind is one scale, scales of columns or a metric, of plain or ranked columns."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1500, 2))
    Y = np.sin(X.sum(axis=1, keepdims=True)) + 0.3 * rng.standard_normal((1500, 1))
    search = CandidateSearch(Y, None, 0, None, Clock(None), share_of_budget=0.3)
    plain, ranked = (search.of_columns(each, bo.Gaussian()) for each in (Columns.plain(X, None), Columns.ranked(X)))
    kinds = [each.kind for each in search.leaders([*plain, *ranked], 4)]
    assert len(kinds) == len(set(kinds)) > 2
    assert search.leaders([*plain, *ranked], 2) == search.leaders([*plain, *ranked], 4)[:2]
    rough = search.of_one_scale(Columns.plain(X, None), bo.Matern(nu=0.5))  # far behind: it leads nothing
    assert rough not in search.leaders([*plain[1:], rough], 4)


@pytest.mark.parametrize("factor", [5, 300])
def test_a_smooth_kernel_in_a_metric_starts_anew_where_scales_are_too_long_for_it(factor):
    """Its matrix is singular there, and its criterion has no slope that leads away."""
    X = np.random.default_rng(0).standard_normal((400, 3))
    y = np.sin(X[:, [0]]) + X[:, [1]] * X[:, [2]] / 2
    search = CandidateSearch(y / y.std(), None, 0, None, Clock(None))
    metric = search.metrics(search.of_one_scale(Columns.plain(X, None), bo.Matern()), 1)[0]
    long = metric.parameters.stretched(np.log(factor)).to_vector()
    found = search.with_kernel(replace(metric, stage=replace(metric.stage, theta=long)), bo.Gaussian())
    assert found.source is metric.source
    assert found.stage.loss < metric.stage.loss
