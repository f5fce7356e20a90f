"""Frequencies follow the spectral measure, whatever the kernel and the sampler."""

import numpy as np
import pytest
from scipy import stats

import bochner as bo
from bochner.sampling import SAMPLERS, resolve_sampler
from bochner.sampling.orthogonal import haar_rows
from tests.strategies import rows

BLIND = sorted(name for name, sampler in SAMPLERS.items() if not sampler.uses_pilot)

KERNELS = [
    bo.Gaussian([1.0, 2.0, 0.5]),
    bo.Laplacian(1.5),
    bo.Matern(1.2, nu=0.7),
    bo.Matern(1.0, nu=2.5),
    bo.Cauchy([1.0, 2.0, 3.0]),
    bo.RationalQuadratic(1.3, alpha=0.6),
    bo.Gaussian(2.0) + 3.0 * bo.Laplacian(2.0),
    bo.Gaussian(2.0) * bo.Matern(1.5, nu=1.5),
    0.5 * (bo.Cauchy() * (bo.Gaussian() + bo.Matern())),
]


@pytest.mark.parametrize("sampling", BLIND)
@pytest.mark.parametrize("kernel", KERNELS, ids=range(len(KERNELS)))
def test_mean_cosine_is_the_kernel(kernel, sampling):
    """Each of 15 distinct pairs is a mean of 40,000 bounded values: 6 standard errors, below 1e-6 of false alarm."""
    m, points = 40_000, rows(3, 6, 3)
    omega = resolve_sampler(sampling).draw(kernel.spectral_measure(3), m, 3, seed=11).omega
    estimate = kernel.variance * np.cos((points[:, None] - points[None]) @ omega.T).mean(axis=-1)
    K = kernel(points)
    spread = np.sqrt(
        np.maximum(
            (1 + kernel.at(2 * (points[:, None] - points[None])) / kernel.variance) / 2 - (K / kernel.variance) ** 2, 0
        )
    )
    # Rows of an orthogonal block are dependent; their covariance can raise the variance by a few percent only.
    assert np.all(np.abs(estimate - K) <= 6.3 * kernel.variance * spread / np.sqrt(m) + 1e-12)


@pytest.mark.parametrize("kernel", KERNELS, ids=range(len(KERNELS)))
@pytest.mark.parametrize("sampling", BLIND)
def test_a_wider_map_begins_with_the_narrower_one(kernel, sampling):
    sampler = resolve_sampler(sampling)
    assert sampler.nested
    wide = sampler.draw(kernel.spectral_measure(3), 20, 3, seed=5).omega
    narrow = sampler.draw(kernel.spectral_measure(3), 7, 3, seed=5).omega
    np.testing.assert_allclose(wide[:7], narrow, rtol=1e-10)


@pytest.mark.parametrize("sampling", BLIND)
def test_one_seed_gives_the_same_bits_and_another_seed_others(sampling):
    draw = lambda seed: resolve_sampler(sampling).draw(bo.Matern().spectral_measure(4), 30, 4, seed=seed).omega  # noqa: E731
    assert np.array_equal(draw(1), draw(1))
    assert not np.any(np.isclose(draw(1), draw(2)))


def test_orthogonal_rows_are_orthogonal_within_a_block_of_the_width():
    omega = bo.Orthogonal().draw(bo.Gaussian().spectral_measure(5), 13, 5, seed=0).omega
    for block in (omega[:5], omega[5:10], omega[10:]):
        gram = block @ block.T
        np.testing.assert_allclose(gram, np.diag(np.diagonal(gram)), atol=1e-12)
    assert np.abs(omega[:5] @ omega[5:10].T).max() > 0.1


def test_orthogonal_lengths_are_chi_and_single_rows_are_normal():
    omega = bo.Orthogonal().draw(bo.Gaussian().spectral_measure(4), 20_000, 4, seed=2).omega
    assert stats.kstest(np.linalg.norm(omega, axis=1), stats.chi(4).cdf).pvalue > 1e-6
    assert stats.kstest(omega[::4, 1], "norm").pvalue > 1e-6  # one row of each block: independent


def test_the_sign_fix_makes_the_rotation_haar():
    """The trace of a Haar matrix has mean 0 and variance 1; QR without the fix has a negative diagonal."""
    traces = np.trace(haar_rows(np.random.default_rng(0).standard_normal((4000, 6, 6))), axis1=1, axis2=2)
    assert abs(traces.mean()) < 5 / np.sqrt(4000)
    assert abs(traces.var() - 1) < 0.15


def test_orthogonal_features_have_lower_variance_at_moderate_distance():
    delta = np.array([1.0, 0, 0, 0, 0, 0, 0, 0])
    spread = {
        name: np.var(
            [
                np.cos(resolve_sampler(name).draw(bo.Gaussian().spectral_measure(8), 8, 8, seed=s).omega @ delta).mean()
                for s in range(2000)
            ]
        )
        for name in ("monte_carlo", "orthogonal")
    }
    assert spread["orthogonal"] < 0.6 * spread["monte_carlo"]


def test_sobol_points_have_a_largest_dimension_and_the_error_says_what_to_do():
    with pytest.raises(ValueError, match="use sampling='orthogonal'"):
        bo.QuasiMonteCarlo().draw(bo.Gaussian().spectral_measure(30_000), 4, 30_000, seed=0)
