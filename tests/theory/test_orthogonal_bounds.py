"""Orthogonal features: the exact covariance and the certificates that follow."""

from __future__ import annotations

import numpy as np
import pytest

from bochner.errors import AssumptionError, InvalidParameterError
from bochner.kernels import Gaussian, Laplacian, Matern, Spline
from bochner.theory import orthogonal, pointwise
from bochner.theory.normalised import normalised

GAUSSIAN = Gaussian()


def ratio_to_independent(z: float, d: int) -> float:
    return orthogonal.variance_factor(z, d, d) / (np.expm1(-(z**2)) ** 2 / 2)


def test_variances_of_one_block():
    assert orthogonal.variance_factor(1.0, 4, 4) == pytest.approx(0.0817622, rel=2e-6)
    assert orthogonal.variance_factor(1.0, 16, 16) == pytest.approx(0.0315094, rel=2e-6)
    assert orthogonal.variance_factor(1.0, 1, 16) == pytest.approx(0.199788, rel=2e-6)
    assert ratio_to_independent(1.5, 16) == pytest.approx(0.3299, abs=5e-5)
    assert ratio_to_independent(3.0, 16) == pytest.approx(0.995, abs=5e-4)


def test_covariance_is_positive_somewhere():
    grid = np.linspace(0.1, 6, 60)
    values = np.array([orthogonal.row_covariance(grid, d) for d in (2, 3, 4, 8, 16, 64)])
    assert np.sum(values > 1e-9) == 89
    assert values.max() == pytest.approx(0.0027, abs=5e-5)
    assert orthogonal.row_covariance(3.7, 3) == pytest.approx(values.max(), rel=1e-6)


def test_one_dimension_has_blocks_of_one_row():
    assert orthogonal.block_sizes(7, 3).tolist() == [3, 3, 1]
    assert orthogonal.variance_factor(1.0, 10, 1) == pytest.approx(0.199788, rel=2e-6)


def test_chebyshev_uses_the_exact_variance():
    bound = orthogonal.Chebyshev(kernel=GAUSSIAN, difference=[1.0, 0.0, 0.0, 0.0])
    assert bound.variance(8) == pytest.approx(0.0817622 / 4, rel=2e-6)
    assert bound.probability(0.5, n_components=8) == pytest.approx(0.0817622 / 4 / 0.25, rel=2e-6)
    phase = orthogonal.Chebyshev(kernel=GAUSSIAN, difference=[1.0, 0.0, 0.0, 0.0], embedding="phase")
    assert phase.variance(4) == pytest.approx((0.0817622 + 0.5) / 4, rel=2e-6)


def test_chebyshev_counts_whole_blocks():
    bound = orthogonal.Chebyshev(kernel=2.0 * GAUSSIAN, difference=np.full(8, 0.4))
    width = bound.features_needed(0.1, 0.05)
    assert width % 16 == 0
    assert bound.probability(0.1, n_components=width) <= 0.05 < bound.probability(0.1, n_components=width - 16)


@pytest.mark.parametrize("embedding", ["paired", "phase"])
@pytest.mark.parametrize(
    ("kernel", "kind"), [(GAUSSIAN, pointwise.SubGaussian), (Spline(), pointwise.Hoeffding)], ids=["Gaussian", "any"]
)
def test_blocks_of_one_row_are_independent_features(kernel, kind, embedding):
    one = orthogonal.BlockHoeffding(kernel=kernel, n_features=1, embedding=embedding)
    independent = kind(kernel=kernel, embedding=embedding)
    assert one.probability(0.2, n_components=200) == pytest.approx(independent.probability(0.2, n_components=200))


def tail(kernel, z, d, m, eps):
    """The formula for whole blocks, without that of any block."""
    return 2 * np.exp(-m * eps**2 / (2 * (1 + d / (d - 1) * min(z**2, z**4))))


@pytest.mark.parametrize("z", [0.2, 0.9, 1.3])
def test_whole_blocks_have_the_rate_of_independent_frequencies(z):
    d, m, eps = 20, 400, 0.2
    for kernel, scale in ((GAUSSIAN, 1.0), (Matern(nu=2.5), 1 / np.sqrt(5 / 3)), (Gaussian(3.0), 3.0)):
        difference = np.full(d, z * scale / np.sqrt(d))
        bound = orthogonal.OrthogonalBlocks(kernel=kernel, difference=difference)
        assert bound.probability(eps, n_components=2 * m) == pytest.approx(min(1, tail(kernel, z, d, m, eps)), rel=1e-9)
        blocks = orthogonal.BlockHoeffding(kernel=kernel, n_features=d)
        assert bound.probability(eps, n_components=2 * m) <= blocks.probability(eps, n_components=2 * m)


@pytest.mark.parametrize("d", [2, 3, 6])
@pytest.mark.parametrize("z", [0.3, 1.0, 2.0])
def test_the_log_mgf_of_a_block_is_at_most_that_of_its_proxy(d, z):
    """200,000 blocks: the mean of exp(s (sum - d k)), less five standard errors, is at most exp(v s^2 / 2)."""
    rng = np.random.default_rng(int(10 * z) + d)
    directions = rng.standard_normal((200_000, d))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    lengths = np.linalg.norm(rng.standard_normal((d, 200_000, d)), axis=2).T
    deviation = np.cos(z * lengths * directions).sum(axis=1) - d * np.exp(-(z**2) / 2)
    total = d * orthogonal.block_proxy(normalised(GAUSSIAN), "paired", d, d, z)
    assert total < d**2
    for s in (-2.0, -1.0, -0.3, 0.3, 1.0, 2.0):
        values = np.exp(s * deviation)
        low = values.mean() - 5 * values.std() / np.sqrt(len(values))
        assert low <= np.exp(total * s**2 / 2)


def test_far_pairs_have_the_bound_of_any_block():
    far = orthogonal.OrthogonalBlocks(kernel=GAUSSIAN, difference=np.full(5, 9.0))
    blocks = orthogonal.BlockHoeffding(kernel=GAUSSIAN, n_features=5)
    assert far.probability(0.3, n_components=400) == blocks.probability(0.3, n_components=400)


@pytest.mark.parametrize("embedding", ["paired", "phase"])
def test_all_pairs_have_a_union_bound_at_the_largest_distance(embedding):
    points = np.random.default_rng(0).standard_normal((6, 3)) * 0.1
    first, second = np.triu_indices(6, 1)
    farthest = max(points[first] - points[second], key=np.linalg.norm)
    setting = {"kernel": GAUSSIAN, "embedding": embedding}
    union = orthogonal.OrthogonalPoints(n_points=6, n_features=3, diameter=float(np.linalg.norm(farthest)), **setting)
    pairs = 15 if embedding == "paired" else 21
    one = orthogonal.OrthogonalBlocks(difference=farthest, **setting)
    assert union.probability(0.5, n_components=600) == pytest.approx(pairs * one.probability(0.5, n_components=600))
    anywhere = orthogonal.OrthogonalPoints(n_points=6, n_features=3, **setting)
    assert anywhere.error(600, 0.01) > union.error(600, 0.01)


def test_kernels_that_are_not_isotropic_have_blocks_as_summands():
    kernel = Laplacian()
    points = orthogonal.OrthogonalPoints(kernel=kernel, n_points=2, n_features=3, diameter=0.1)
    assert points.probability(0.4, n_components=300) == orthogonal.BlockHoeffding(
        kernel=kernel, n_features=3
    ).probability(0.4, n_components=300)
    with pytest.raises(AssumptionError, match="isotropic"):
        orthogonal.OrthogonalBlocks(kernel=kernel, difference=[0.1, 0.2])
    with pytest.raises(AssumptionError, match="second moment"):
        orthogonal.OrthogonalBlocks(kernel=Matern(nu=0.5), difference=[0.1, 0.2])
    with pytest.raises(InvalidParameterError, match="diameter"):
        orthogonal.OrthogonalPoints(kernel=GAUSSIAN, n_points=2, n_features=3, diameter=-1.0)


def test_refusals():
    with pytest.raises(AssumptionError, match="Gaussian"):
        orthogonal.Chebyshev(kernel=Laplacian(), difference=[1.0])
    with pytest.raises(InvalidParameterError, match="delta"):
        orthogonal.Chebyshev(kernel=GAUSSIAN, difference=[1.0]).features_needed(0.1, 2.0)
    with pytest.raises(InvalidParameterError, match="even"):
        orthogonal.Chebyshev(kernel=GAUSSIAN, difference=[1.0]).variance(3)
    with pytest.raises(InvalidParameterError, match="n_features"):
        orthogonal.BlockHoeffding(kernel=GAUSSIAN, n_features=0)
