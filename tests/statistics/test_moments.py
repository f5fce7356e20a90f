"""Moments are a commutative monoid, equal to their definition, and gathered the same way however rows are cut."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bochner as bo
from bochner.data import ArrayRows
from bochner.features import _loops, draw_fourier_map
from bochner.statistics import Moments, PassPlan, accumulate, plan_pass
from tests import reference
from tests.strategies import rows, seeds


def assert_same(a, b, rtol=1e-9, atol=1e-9):
    for name in ("weight", "z_mean", "y_mean", "zy", "yy"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=rtol, atol=atol, err_msg=name)
    np.testing.assert_allclose(np.tril(a.zz), np.tril(b.zz), rtol=rtol, atol=atol)


def some_rows(seed, n, weights=True):
    rng = np.random.default_rng(seed)
    return (
        rng.standard_normal((n, 6)),
        rng.standard_normal((n, 2)),
        rng.integers(0, 4, n).astype(float) if weights else None,
    )


def of(Z, Y, w=None):
    return Moments.empty(Z.shape[1], Y.shape[1]).update(Z, Y, w)


def test_compiled_merge_is_that_of_numpy():
    rng = np.random.default_rng(0)
    total, gram = rng.standard_normal((9, 9)), rng.standard_normal((9, 9)).astype(np.float32)
    mean, shift, expected = rng.standard_normal(9), rng.standard_normal(9), total.copy()
    _loops.absorb_gram(total, gram, mean, 3.0, shift, 0.7)
    reference.absorb_gram(expected, gram, mean, 3.0, shift, 0.7)
    np.testing.assert_allclose(total, expected, rtol=1e-12)


def test_moments_are_their_definition():
    Z, Y, w = some_rows(0, 40)
    got = of(Z, Y, w)
    weight, z_mean, y_mean, zz, zy, yy = reference.moments(Z, Y, w)
    assert got.weight == weight
    np.testing.assert_allclose(got.z_mean, z_mean, atol=1e-12)
    np.testing.assert_allclose(got.y_mean, y_mean, atol=1e-12)
    np.testing.assert_allclose(np.tril(got.zz), np.tril(zz), atol=1e-10)
    np.testing.assert_allclose(got.zy, zy, atol=1e-10)
    np.testing.assert_allclose(got.yy, yy, atol=1e-10)


@given(seeds, st.lists(st.integers(1, 30), min_size=1, max_size=5), st.randoms())
@settings(max_examples=40, deadline=None)
def test_any_partition_in_any_order_gives_the_same_moments(seed, sizes, random):
    Z, Y, w = some_rows(seed, sum(sizes))
    edges = np.cumsum([0, *sizes])
    parts = [of(Z[a:b], Y[a:b], w[a:b]) for a, b in pairwise(edges)]
    random.shuffle(parts)
    merged = Moments.empty(6, 2)
    for part in parts:
        merged.merge(part)
    assert_same(merged, of(Z, Y, w))


@given(seeds)
@settings(max_examples=20, deadline=None)
def test_merging_is_associative_and_commutative_with_a_neutral_element(seed):
    a, b, c = (of(*some_rows(seed + i, 10 + i)) for i in range(3))
    copy = lambda m: Moments.empty(6, 2).merge(m)  # noqa: E731
    assert_same(copy(a).merge(copy(b).merge(c)), copy(a).merge(b).merge(c))
    assert_same(copy(a).merge(b), copy(b).merge(a))
    assert_same(copy(a), a)
    assert_same(copy(a).merge(Moments.empty(6, 2)), a)


def test_a_weight_of_two_is_a_duplicate_and_zero_is_a_removal():
    Z, Y, w = some_rows(3, 25)
    repeats = w.astype(int)
    assert_same(of(Z, Y, w), of(np.repeat(Z, repeats, axis=0), np.repeat(Y, repeats, axis=0)))


def test_updating_leaves_the_rows_as_they_are():
    Z, Y, w = some_rows(4, 10)
    before = Z.copy(), Y.copy(), w.copy()
    of(Z, Y, w)
    for array, original in zip((Z, Y, w), before, strict=True):
        assert np.array_equal(array, original)


def test_a_large_offset_of_the_target_costs_no_digits_even_in_float32():
    Z, Y, _ = some_rows(5, 500, weights=False)
    plain, shifted = of(Z.astype(np.float32), Y), of(Z.astype(np.float32), Y + 1e7)
    np.testing.assert_allclose(shifted.zy, plain.zy, rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(shifted.yy, plain.yy, rtol=1e-6)


def test_float32_products_are_remembered():
    Z, Y, _ = some_rows(6, 20, weights=False)
    assert of(Z, Y).precision == 2.0**-52
    assert of(Z, Y).merge(of(Z.astype(np.float32), Y)).precision == 2.0**-23


@pytest.mark.parametrize("block_rows", [1, 7, 1000])
@pytest.mark.parametrize("n_threads", [1, 3])
def test_block_size_and_threads_do_not_change_the_moments(block_rows, n_threads):
    X, y, w = rows(0, 200, 3), rows(1, 200, 1)[:, 0], np.random.default_rng(2).uniform(0, 2, 200)
    fourier = draw_fourier_map(
        bo.Gaussian(), bo.MonteCarlo(), n_features=3, n_components=10, embedding="paired", seed=0
    )
    blocks = ArrayRows(X, y, w, np.dtype(float))
    got = accumulate(blocks, fourier, Moments.empty(10, 1), PassPlan(block_rows, n_threads, 0))
    Z = np.sqrt(1 / 5) * np.hstack([np.cos(X @ fourier.omega.T), np.sin(X @ fourier.omega.T)])
    assert_same(got, of(Z, y[:, None], w))
    assert got.n_rows == 200


def test_a_pass_can_be_stopped_early():
    X, y = rows(0, 200, 3), rows(1, 200, 1)
    fourier = draw_fourier_map(
        bo.Gaussian(), bo.MonteCarlo(), n_features=3, n_components=10, embedding="paired", seed=0
    )
    blocks = ArrayRows(X, y, None, np.dtype(float))
    got = accumulate(blocks, fourier, Moments.empty(10, 1), PassPlan(10, 1, 0), on_block=lambda rows: True)
    assert got.n_rows == 10


def test_a_pass_is_cut_into_equal_blocks_within_the_budget():
    fourier = draw_fourier_map(
        bo.Gaussian(), bo.MonteCarlo(), n_features=3, n_components=1024, embedding="paired", seed=0
    )
    with bo.config_context(n_threads=8):
        plan = plan_pass(100_000, fourier, 1, np.dtype(np.float32))
        assert plan.n_threads == 8
        blocks = -(-100_000 // plan.block_rows)
        assert blocks % 8 == 0
        with bo.config_context(memory=plan.bytes // 2):
            assert plan_pass(100_000, fourier, 1, np.dtype(np.float32)).bytes <= plan.bytes // 2
