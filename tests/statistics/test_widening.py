"""Moments of a wider map, grown from those of a narrower one, are those from scratch."""

from itertools import pairwise

import numpy as np
import pytest

import bochner as bo
from bochner import _blas
from bochner.data import ArrayRows
from bochner.features import draw_fourier_map
from bochner.statistics import Moments, PassPlan, accumulate, widen
from tests.strategies import rows


def map_of_width(width, sampler=None, kernel=None):
    return draw_fourier_map(
        kernel or bo.Gaussian(1.5),
        sampler or bo.MonteCarlo(),
        n_features=3,
        n_components=width,
        embedding="paired",
        seed=7,
    )


def some_blocks(n=500, weighted=True, dtype=float, targets=2):
    weight = np.random.default_rng(2).integers(0, 3, n).astype(float) if weighted else None
    return ArrayRows(rows(0, n, 3).astype(dtype), 100 + rows(1, n, targets), weight, np.dtype(dtype))


def from_scratch(blocks, fourier, plan):
    return accumulate(blocks, fourier, Moments.empty(fourier.n_components, blocks.n_targets), plan)


def assert_same(a, b, tolerance):
    for name in ("n_rows", "weight", "precision"):
        assert getattr(a, name) == getattr(b, name)
    for name in ("z_mean", "y_mean", "zy", "yy"):
        first, second = getattr(a, name), getattr(b, name)
        np.testing.assert_allclose(first, second, rtol=0, atol=tolerance * np.abs(second).max(), err_msg=name)
    np.testing.assert_allclose(np.tril(a.zz), np.tril(b.zz), rtol=0, atol=tolerance * np.abs(b.zz).max())


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-13), (np.float32, 1e-5)])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("plan", [PassPlan(500, 1, 0), PassPlan(67, 3, 0), PassPlan(1, 1, 0)])
def test_grown_moments_are_those_from_scratch(dtype, tolerance, weighted, plan):
    blocks = some_blocks(weighted=weighted, dtype=dtype)
    maps = [map_of_width(width) for width in (16, 32, 64, 80)]
    moments = from_scratch(blocks, maps[0], plan)
    for narrow, wide in pairwise(maps):
        moments = widen(moments, blocks, narrow, wide, plan)
        assert_same(moments, from_scratch(blocks, wide, plan), tolerance)


@pytest.mark.parametrize("sampler", [bo.MonteCarlo(), bo.Orthogonal(), bo.QuasiMonteCarlo()])
@pytest.mark.parametrize("kernel", [bo.Matern(1.5), bo.Gaussian(1.0) + 2 * bo.Laplacian(3.0)])
def test_every_nested_sampler_can_grow(sampler, kernel):
    assert sampler.nested
    blocks, plan = some_blocks(), PassPlan(128, 2, 0)
    narrow, wide = (map_of_width(width, sampler, kernel) for width in (14, 28))
    grown = widen(from_scratch(blocks, narrow, plan), blocks, narrow, wide, plan)
    assert_same(grown, from_scratch(blocks, wide, plan), 1e-13)


def test_the_narrow_moments_stay_as_they_are_and_only_new_blocks_are_computed():
    blocks, plan, (narrow, wide) = some_blocks(), PassPlan(100, 1, 0), (map_of_width(8), map_of_width(16))
    moments = from_scratch(blocks, narrow, plan)
    moments.zz[0, 0], moments.zz[5, 2] = -100.0, -200.0  # a mark, to be found again
    before = moments.zz.copy()
    grown = widen(moments, blocks, narrow, wide, plan)
    np.testing.assert_array_equal(moments.zz, before)
    assert grown.zz[0, 0] == -50.0
    assert grown.zz[9, 2] == -100.0


def test_a_stopped_pass_ends():
    blocks, (narrow, wide) = some_blocks(), (map_of_width(8), map_of_width(16))
    moments = from_scratch(blocks, narrow, PassPlan(100, 1, 0))
    assert widen(moments, blocks, narrow, wide, PassPlan(100, 1, 0), on_block=lambda _: True).n_rows == 100


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_of_columns_go_to_a_block_and_nowhere_else(dtype):
    Z, out = rows(3, 40, 9).astype(dtype), np.zeros((9, 9), dtype=dtype)
    _blas.cross_gram(Z[:, 4:9], Z[:, 1:3], out[4:9, 1:3])
    expected = np.zeros((9, 9))
    expected[4:9, 1:3] = Z[:, 4:9].T @ Z[:, 1:3]
    np.testing.assert_allclose(out, expected, rtol=1e-4 if dtype == np.float32 else 1e-12)
