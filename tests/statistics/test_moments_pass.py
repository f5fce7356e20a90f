"""One pass over the rows: moments by definition for any cut, progress, early ends, and plans within the budget."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bochner as bo
from bochner.statistics import Moments, PassPlan, accumulate, plan_pass
from tests import reference
from tests.identity_features import identity_map, rows_of
from tests.strategies import rows, seeds


def accumulated(Z, Y, weight, plan, **options):
    return accumulate(
        rows_of(Z, Y, weight), identity_map(Z.shape[1]), Moments.empty(Z.shape[1], Y.shape[1]), plan, **options
    )


@given(seeds, st.integers(1, 80), st.integers(1, 9), st.integers(1, 90), st.integers(1, 3), st.booleans())
@settings(max_examples=30, deadline=None)
def test_any_cut_gives_the_moments_of_the_definition(seed, n, D, block_rows, threads, weighted):
    Z, Y = rows(seed, n, D) + 2, rows(seed + 1, n, 2) - 3
    weight = np.random.default_rng(seed).integers(0, 3, n).astype(float) if weighted else None
    if weighted:
        weight[0] = 1.0
    found = accumulated(Z, Y, weight, PassPlan(block_rows, threads, 0))
    expected = reference.moments(Z, Y, np.ones(n) if weight is None else weight)
    assert found.n_rows == n
    assert found.weight == pytest.approx(expected[0], rel=1e-14)
    for ours, theirs in zip((found.z_mean, found.y_mean, np.tril(found.zz), found.zy, found.yy), expected[1:]):
        theirs = np.tril(theirs) if theirs.shape == (D, D) and ours is not found.zy else theirs
        np.testing.assert_allclose(ours, theirs, atol=1e-10)


def test_one_plan_gives_the_same_bits_every_time():
    Z, Y = rows(0, 500, 7), rows(1, 500, 1)
    first, second = (accumulated(Z, Y, None, PassPlan(16, 4, 0)) for _ in range(2))
    np.testing.assert_array_equal(first.zz, second.zz)
    assert first.identity == second.identity


def test_every_block_is_told_of_and_true_ends_the_pass():
    Z, Y, told = rows(0, 100, 3), rows(1, 100, 1), []

    def until_fifty(n_rows):
        told.append(n_rows)
        return sum(told) >= 50

    found = accumulated(Z, Y, None, PassPlan(20, 2, 0), on_block=until_fifty)
    assert told == [20, 20, 20]
    assert found.n_rows == 60
    np.testing.assert_allclose(found.z_mean, Z[:60].mean(axis=0), atol=1e-13)


def test_a_pass_adds_to_what_is_there():
    Z, Y = rows(0, 90, 4), rows(1, 90, 2)
    total = Moments.empty(4, 2)
    for part in (slice(0, 30), slice(30, 90)):
        accumulate(rows_of(Z[part], Y[part]), identity_map(4), total, PassPlan(11, 2, 0))
    expected = reference.moments(Z, Y, np.ones(90))
    np.testing.assert_allclose(np.tril(total.zz), np.tril(expected[3]), atol=1e-10)


@given(st.integers(1, 10**6), st.integers(1, 3000), st.integers(1, 4), st.integers(1, 8), st.integers(26, 40))
@settings(max_examples=60, deadline=None)
def test_a_plan_covers_the_rows_within_threads_and_budget(n_rows, D, targets, threads, log_memory):
    with bo.config_context(memory=2**log_memory, n_threads=threads):
        plan = plan_pass(n_rows, identity_map(D), targets, np.dtype(float))
    assert 1 <= plan.block_rows <= n_rows
    assert 1 <= plan.n_threads <= threads
    least = 8 * D * (2 * D + targets + 2)  # the sums, and the products of one thread
    if 4 * least + 8 * 4096 * (D + targets) < 2**log_memory:
        assert plan.bytes <= 2**log_memory
