"""What no map of so many columns can do: the best matrix of a rank, and rows that are nearly orthogonal."""

from __future__ import annotations

import numpy as np
import pytest

import bochner as bo
from bochner.errors import AssumptionError, InvalidParameterError
from bochner.theory.columns import LeastError, columns_needed

X = np.random.default_rng(0).standard_normal((80, 3))
K = bo.Gaussian()(X)


@pytest.mark.parametrize("width", [1, 10, 79])
def test_the_best_matrix_of_the_rank_has_the_least_error(width):
    values, vectors = np.linalg.eigh(K)
    best = (vectors[:, -width:] * values[-width:]) @ vectors[:, -width:].T
    error = np.sqrt(np.mean((best - K) ** 2))
    assert LeastError(eigenvalues=values[::-1], n_components=width).value() == pytest.approx(error, rel=1e-6)


def test_as_many_columns_as_rows_can_be_exact():
    for width in (80, 200):
        assert LeastError(eigenvalues=np.linalg.eigvalsh(K), n_components=width).value() == 0.0


@pytest.mark.parametrize("features", ["fourier", "nystroem"])
def test_certificates_show_it_beside_the_error(features):
    if features == "fourier":
        made = bo.FourierFeatures(bo.Gaussian(), n_components=20, random_state=0).fit(X)
    else:
        made = bo.NystroemFeatures(bo.Gaussian(), n_components=20, random_state=0).fit(X)
    certificate = made.certify(X)
    least = next(each for each in certificate.others if each.bound == "columns.LeastError")
    Z = made.transform(X)
    assert 0 < least.value <= np.sqrt(np.mean((Z @ Z.T - K) ** 2))
    assert "over all pairs of these 80 rows, with any 20 columns by any method, is at least" in least.statement


def test_a_map_as_wide_as_the_rows_has_nothing_beside_it():
    certificate = bo.FourierFeatures(bo.Gaussian(), n_components=80, random_state=0).fit(X).certify(X)
    assert all(each.bound != "columns.LeastError" for each in certificate.others)


@pytest.mark.parametrize(("n", "eps", "coherence"), [(10, 0.01, 0.0), (1000, 0.1, 0.0), (1000, 0.1, 0.2)])
def test_nearly_orthogonal_rows_need_as_many_columns_as_a_matrix_has_rank(n, eps, coherence):
    count = columns_needed(n, eps, coherence=coherence)
    assert 1 <= count <= n
    assert count - 1 < n * (1 - eps) ** 2 / ((1 + eps) ** 2 + (n - 1) * (eps + coherence) ** 2) <= count


def test_no_drawn_map_beats_the_count_of_columns():
    n, width = 40, 30
    far = 30.0 * np.eye(n)
    for seed in range(20):
        Z = bo.FourierFeatures(bo.Gaussian(), n_components=width, random_state=seed).fit_transform(far)
        eps = np.max(np.abs(Z @ Z.T - np.eye(n)))
        assert eps >= 1 or columns_needed(n, eps) <= width


def test_refusals():
    with pytest.raises(InvalidParameterError, match="n_components"):
        LeastError(eigenvalues=np.ones(3), n_components=-1)
    with pytest.raises(InvalidParameterError, match="n_rows"):
        columns_needed(0, 0.1)
    with pytest.raises(AssumptionError, match="below k"):
        columns_needed(10, 1.0)
    with pytest.raises(AssumptionError, match="different rows"):
        columns_needed(10, 0.1, coherence=1.0)
