"""Frequencies follow the spectral measure, whatever the kernel and the sampler."""

import numpy as np
import pytest
from scipy import stats

import bochner as bo
from bochner.sampling import SAMPLERS, resolve_sampler
from bochner.sampling.orthogonal import haar_rows
from bochner.testing import check_sampler

BLIND = sorted(name for name, sampler in SAMPLERS.items() if not sampler.uses_pilot)


@pytest.mark.parametrize("seed", [5, 11])
@pytest.mark.parametrize("sampling", BLIND)
def test_every_sampler_obeys_the_laws(sampling, seed):
    check_sampler(resolve_sampler(sampling), n_features=3, seed=seed)
    check_sampler(resolve_sampler(sampling), n_features=4, seed=seed)
    assert resolve_sampler(sampling).nested


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
