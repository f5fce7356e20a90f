"""Sums of kernel values tile by tile, and classes from float32 values where these tell them."""

from dataclasses import replace

import numpy as np
import pytest

import bochner as bo
from bochner.features import LinearResponse, RankWarp, WarpedMap
from bochner.features.kernel_sums import FUSED_POINTS, deciding_scores, kernel_sums
from bochner.features.kernel_tiles import fast_values
from bochner.features.nystroem import KernelMap
from tests.strategies import rows

KERNEL = bo.Matern(2.0, nu=1.5)
POINTS, NEW = rows(0, FUSED_POINTS + 1, 3), rows(1, 300, 3)
COEF = rows(2, len(POINTS), 3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sums_over_tiles_are_the_product_with_the_kernel_matrix(dtype):
    values = fast_values(KERNEL, POINTS, np.dtype(dtype))
    found = kernel_sums(values, values.left(NEW), values.right(POINTS), COEF, np.dtype(dtype))
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, KERNEL(NEW, POINTS) @ COEF, atol=1e-2 if dtype == np.float32 else 1e-9)


@pytest.mark.parametrize("kernel", [KERNEL, bo.Laplacian(3.0), bo.RationalQuadratic(2.0)])
def test_the_largest_score_is_that_of_float64_however_close_the_next_one_is(kernel):
    close = COEF[:, :1] * (1 + 1e-8 * np.arange(4))
    exact = kernel(NEW, POINTS) @ close
    np.testing.assert_array_equal(
        deciding_scores(kernel, POINTS, NEW, close, np.zeros(4)).argmax(axis=1), exact.argmax(axis=1)
    )


def test_the_sign_of_a_single_score_is_that_of_float64():
    offset = -(KERNEL(NEW[:1], POINTS) @ COEF[:, :1])[0] * (1 + 1e-9)  # the first score is nearly 0
    scores = deciding_scores(KERNEL, POINTS, NEW, COEF[:, :1], offset)
    np.testing.assert_array_equal(scores > 0, KERNEL(NEW, POINTS) @ COEF[:, :1] + offset > 0)


@pytest.mark.parametrize("warped", [False, True])
def test_a_response_that_decides_has_float32_tiles_of_many_points_alone(warped, monkeypatch):
    asked = []
    monkeypatch.setattr("bochner.features.nystroem.deciding_scores", lambda *a: asked.append(a) or np.zeros((300, 3)))

    def decided(points, new):
        warp = RankWarp.of(POINTS)
        base = KernelMap(KERNEL, warp(points) if warped else points)
        response = LinearResponse(
            WarpedMap(warp, base) if warped else base, COEF[: len(points)], np.zeros(3), np.dtype(np.float32)
        )
        exact = response(new)
        return replace(response, decides=True)(new), exact

    decided(POINTS, NEW)
    assert len(asked) == 1
    for points, new in ((POINTS[:100], NEW), (POINTS, NEW[:5])):
        np.testing.assert_array_equal(*decided(points, new))
    assert len(asked) == 1
