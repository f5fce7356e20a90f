"""Stand-ins of sufficient statistics in files."""

import numpy as np
import pytest

import bochner as bo
from bochner.errors import FileFormatError, MissingStatisticsError
from bochner.io.statistics import MomentsSummary, PackedMoments, PenaltySummary, SpreadSummary
from bochner.solvers import QuadraticPenalty

X = np.random.default_rng(0).standard_normal((30, 2))
MOMENTS = bo.KernelRegressor(n_components=8, length_scale=1.0, random_state=0).fit(X, X[:, 0]).moments_


def test_moments_are_packed_to_their_lower_triangle_and_back():
    packed = PackedMoments.of(MOMENTS)
    assert packed.lower.shape == (8 * 9 // 2,)
    again = packed.restored()
    np.testing.assert_array_equal(np.tril(again.zz), np.tril(MOMENTS.zz))
    np.testing.assert_array_equal(again.zy, MOMENTS.zy)
    assert again.weight == MOMENTS.weight
    with pytest.raises(FileFormatError, match="size of their means"):
        PackedMoments(packed.others, packed.lower[:-1]).restored()


def test_a_summary_has_all_but_the_products():
    summary = MomentsSummary.of(MOMENTS)
    np.testing.assert_array_equal(summary.z_mean, MOMENTS.z_mean)
    with pytest.raises(MissingStatisticsError, match="statistics=True"):
        summary.zz  # noqa: B018


def test_error_bars_and_curvature_are_refused_by_name():
    with pytest.raises(MissingStatisticsError):
        SpreadSummary().of(np.ones((1, 8)))
    assert SpreadSummary().__getstate__() == {}
    plain, curved = QuadraticPenalty(1.0), QuadraticPenalty(1.0, np.zeros((9, 1)), np.eye(9))
    assert PenaltySummary.of(plain) is plain
    with pytest.raises(MissingStatisticsError):
        PenaltySummary.of(curved).matrix  # noqa: B018
    assert PenaltySummary.of(curved).alpha == 1.0
