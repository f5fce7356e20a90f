"""Units do not matter to drift, principal components and bags while scales are automatic."""

import numpy as np
import pytest
import scipy.sparse as sp

import bochner as bo

RNG = np.random.default_rng(0)
REFERENCE = np.c_[RNG.standard_normal((1000, 2)), np.exp(RNG.standard_normal(1000)), RNG.random(1000) < 0.3]
BATCH = np.c_[RNG.normal([0.15, 0.0], 1.0, (150, 2)), np.exp(RNG.standard_normal(150)), RNG.random(150) < 0.3]
FACTORS = [np.array([1e-6, 1.0, 1e9, 1e3]), np.array([1e9, 1e-6, 7.0, 1e-3])]
OFFSETS = [np.zeros(4), np.array([1e6, -1e6, 1e3, 10.0])]


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("offset", OFFSETS)
def test_drift_of_a_batch_and_of_a_stream(factor, offset):
    plain = bo.DriftDetector(random_state=0).fit(REFERENCE)
    moved = bo.DriftDetector(random_state=0).fit(factor * (REFERENCE + offset))
    expected, found = plain.predict(BATCH), moved.predict(factor * (BATCH + offset))
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-4)
    assert found.pvalue == pytest.approx(expected.pvalue, rel=1e-3)
    assert found.is_drift == expected.is_drift
    stream = np.vstack([BATCH, BATCH + np.array([1.0, 0.0, 0.0, 0.0])])
    assert plain.update(stream) == moved.update(factor * (stream + offset))
    np.testing.assert_allclose(moved.history_["pvalue"], plain.history_["pvalue"], rtol=1e-3)


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("offset", OFFSETS)
def test_principal_components_up_to_their_signs(factor, offset):
    plain = bo.KernelPCA(n_components=3, random_state=0).fit(REFERENCE)
    moved = bo.KernelPCA(n_components=3, random_state=0).fit(factor * (REFERENCE + offset))
    np.testing.assert_allclose(moved.eigenvalues_, plain.eigenvalues_, rtol=1e-6)
    scores, found = plain.transform(BATCH), moved.transform(factor * (BATCH + offset))
    np.testing.assert_allclose(np.abs(found), np.abs(scores), atol=1e-5)


@pytest.mark.parametrize("factor", FACTORS)
def test_principal_components_of_sparse_rows(factor):
    rows = np.where(np.abs(REFERENCE) > 1, REFERENCE, 0.0)
    plain, moved = (bo.KernelPCA(n_components=3, random_state=0).fit(sp.csr_array(rows * by)) for by in (1.0, factor))
    np.testing.assert_allclose(moved.eigenvalues_, plain.eigenvalues_, rtol=1e-6)


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("offset", OFFSETS)
def test_bags_of_points(factor, offset):
    rng = np.random.default_rng(1)
    spreads = rng.uniform(0.5, 2.0, 60)
    bags = [np.c_[each * rng.standard_normal((40, 2)), rng.standard_normal((40, 2))] for each in spreads]
    moved = [factor * (bag + offset) for bag in bags]
    expected, found = (
        bo.DistributionRegressor(n_components=64, alpha=0.01, random_state=0)
        .fit(each[:40], spreads[:40])
        .predict(each[40:])
        for each in (bags, moved)
    )
    np.testing.assert_allclose(found, expected, rtol=1e-4)
