"""Randomly pivoted landmarks: what they leave is not above the recursion, which is not above the closed form."""

from __future__ import annotations

import numpy as np
import pytest

import bochner as bo
from bochner.errors import AssumptionError, InvalidParameterError
from bochner.theory.pivoted import PivotedLandmarks, PivotedTail, landmarks_for_rank, pilot_tail

X = np.random.default_rng(0).standard_normal((150, 2))


def left(kernel, count, seed):
    features = bo.NystroemFeatures(kernel, n_components=count, random_state=seed).fit(X)
    return np.mean(1 - np.sum(features.transform(X) ** 2, axis=1))


@pytest.mark.parametrize("kernel", [bo.Gaussian(), bo.Matern(nu=0.5)], ids=["smooth", "rough"])
@pytest.mark.parametrize("count", [1, 5, 30])
def test_landmarks_of_the_library_leave_no_more_than_the_bound_in_the_mean(kernel, count):
    bound = PivotedLandmarks(eigenvalues=np.linalg.eigvalsh(kernel(X)))
    values = np.array([left(kernel, count, seed) for seed in range(40)])
    assert values.mean() - 6 * values.std() / np.sqrt(40) <= bound.mean_residual(count) + 1e-7
    if count == 1:
        assert values.mean() == pytest.approx(bound.mean_residual(1), abs=6 * values.std() / np.sqrt(40) + 1e-7)


def test_the_order_of_matrices_is_kept_in_expectation():
    """One and two pivots, over all of them: E A <= Phi(K), E A' <= Phi(Phi(K)) in the order of matrices."""
    K = bo.Gaussian()(X[:7])

    def phi(A):
        return A - A @ A / np.trace(A)

    def expected(A, steps):
        if steps == 0:
            return A
        chances = np.diagonal(A) / np.trace(A)
        return sum(
            p * expected(A - np.outer(A[:, s], A[s]) / A[s, s], steps - 1) for s, p in enumerate(chances) if p > 1e-12
        )

    np.testing.assert_allclose(expected(K, 1), phi(K), atol=1e-12)
    assert np.linalg.eigvalsh(phi(phi(K)) - expected(K, 2))[0] >= -1e-12


@pytest.mark.parametrize("seed", range(30))
def test_the_closed_form_asks_for_enough(seed):
    rng = np.random.default_rng(seed)
    eigenvalues = np.sort(rng.pareto(rng.uniform(0.3, 3), 200))[::-1]
    rank, accuracy = int(rng.integers(1, 30)), float(rng.uniform(0.1, 2))
    tail = eigenvalues[rank:].sum() / eigenvalues.sum()
    count = landmarks_for_rank(rank, accuracy, tail)
    bound = PivotedLandmarks(eigenvalues=eigenvalues)
    assert bound.mean_residual(count) <= (1 + accuracy) * eigenvalues[rank:].sum() / 200 * (1 + 1e-12)


def test_it_is_inverted_and_exact_where_all_rows_are_landmarks():
    bound = PivotedLandmarks(eigenvalues=np.linalg.eigvalsh(bo.Gaussian()(X)))
    for share in (0.5, 0.1, 1e-3):
        count = bound.landmarks_needed(share)
        assert bound.mean_residual(count) <= share < bound.mean_residual(count - 1)
    assert bound.mean_residual(150) == 0.0
    certificate = bound.certificate(20, 0.1)
    assert certificate.value == pytest.approx(10 * bound.mean_residual(20))
    assert "over the draw of the landmarks" in certificate.statement


@pytest.mark.parametrize("seed", range(20))
def test_a_limit_of_the_tail_gives_a_limit_of_what_is_left(seed):
    rng = np.random.default_rng(seed)
    eigenvalues = np.sort(rng.pareto(rng.uniform(0.3, 3), 200))[::-1]
    eigenvalues *= 200 / eigenvalues.sum()
    exact = PivotedLandmarks(eigenvalues=eigenvalues)
    for rank in (1, 4, 32):
        tail = min(1.0, eigenvalues[rank:].sum() / 200 * rng.uniform(1, 2))
        limit = PivotedTail(rank=rank, tail=tail, delta=0.0, n_rows=200)
        for count in (1, 10, 100):
            assert exact.mean_residual(count) <= limit.mean_residual(count) * (1 + 1e-12)


def test_a_pilot_promises_what_landmarks_then_keep():
    rows = np.random.default_rng(3).standard_normal((4000, 2))
    bound = pilot_tail(rows, 2.0 * bo.Gaussian(), 200, delta=1e-6, size=800)
    certificate = bound.certificate(200)
    features = bo.NystroemFeatures(bo.Gaussian(), n_components=200, random_state=0).fit(rows)
    assert np.mean(1 - np.sum(features.transform(rows) ** 2, axis=1)) <= certificate.value <= 0.1
    assert certificate.delta == 1e-6
    assert "over the draw of the pilot" in certificate.statement
    assert pilot_tail(rows, bo.Gaussian(), 20, size=800).mean_residual(20) > certificate.value


def test_refusals():
    with pytest.raises(InvalidParameterError, match="eigenvalues"):
        PivotedLandmarks(eigenvalues=np.zeros(3))
    with pytest.raises(AssumptionError, match="mean residual"):
        PivotedLandmarks(eigenvalues=np.ones(3)).landmarks_needed(0.0)
    with pytest.raises(AssumptionError, match="share of the trace"):
        landmarks_for_rank(3, 0.5, 0.0)
