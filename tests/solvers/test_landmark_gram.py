"""The preconditioner of landmark models is what the landmarks say of the normal equations."""

import numpy as np
import pytest

import bochner as bo
from bochner.data import ArrayRows
from bochner.solvers import SampledRows, solve_ridge_iteratively
from bochner.solvers.landmark_gram import LandmarkGram
from bochner.statistics import StreamedNormal

RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((900, 3))
Y = (np.sin(X[:, 0]) + X[:, 1] + 0.1 * RANDOM.standard_normal(900))[:, None]


def nystroem(L=120, kernel=None):
    return bo.NystroemFeatures(kernel or bo.Matern(2.0, nu=1.5), n_components=L, random_state=0).fit(X)


def operator_of(features, **options):
    return StreamedNormal(ArrayRows(X, Y, None, np.dtype(float)), features.map_, fit_intercept=True, **options)


@pytest.mark.parametrize("centred", [True, False])
def test_it_is_the_inverse_of_the_moments_of_the_landmarks(centred):
    features = nystroem()
    Z = features.transform(features.landmarks_)
    Z = Z - Z.mean(axis=0) if centred else Z
    dense = 900 / 120 * Z.T @ Z + 0.3 * np.eye(120)
    V = RANDOM.standard_normal((120, 2))
    found = LandmarkGram(features.map_.factor, 900.0, centred).factor(0.3)
    assert found.shift == pytest.approx(0.3)
    np.testing.assert_allclose(found.solve(V), np.linalg.solve(dense, V), rtol=1e-3, atol=1e-4)


def test_a_small_penalty_is_solved_in_float64():
    gram = LandmarkGram(nystroem().map_.factor, 900.0, centred=True)
    assert gram.factor(1.0).solve(np.ones((120, 1))).dtype == np.float64
    assert gram.factor(1e-8).shift == pytest.approx(1e-8, rel=0.5)


def test_the_trace_is_the_sum_of_the_kernel_over_the_rows():
    assert LandmarkGram(nystroem().map_.factor, 900.0, centred=True).trace == pytest.approx(900.0, rel=1e-6)


def test_few_iterations_lead_to_the_direct_solution():
    features = nystroem(300)
    operator = operator_of(features)
    solution = solve_ridge_iteratively(operator, alpha=1e-3, tol=1e-9)
    Z = features.transform(X)
    centred = Z - Z.mean(axis=0)
    exact = np.linalg.solve(centred.T @ centred + 1e-3 * np.eye(300), centred.T @ (Y - Y.mean()))
    np.testing.assert_allclose(Z @ solution.coef, Z @ exact, atol=1e-6)
    assert solution.n_iter < 40


def test_rows_of_error_bars_are_whitened_when_they_are_asked_for():
    features = nystroem()
    operator = operator_of(features)
    spread = solve_ridge_iteratively(operator, alpha=0.1, tol=1e-8).spread
    assert isinstance(spread.gram, SampledRows)
    assert "A" not in vars(spread.gram)
    np.testing.assert_allclose(spread.gram.A, operator.sample(1024, 0), atol=1e-9)
    assert spread.gram.exact


def test_kernel_values_in_float32_are_those_in_float64_but_for_rounding():
    features, V = nystroem(kernel=bo.Gaussian(1.0)), RANDOM.standard_normal((120, 3))
    single, double = (operator_of(features, value_type=np.dtype(each)) for each in (np.float32, np.float64))
    assert single.stream.features.dtype == np.float32
    np.testing.assert_allclose(
        single.product(V), double.product(V), rtol=0, atol=1e-3 * np.abs(double.product(V)).max()
    )


@pytest.mark.parametrize(
    ("alpha", "tol", "dtype"), [(1.0, 1e-4, "float32"), (1e-6, 1e-4, "float64"), (1.0, 1e-9, "float64")]
)
def test_values_are_kept_in_float32_where_the_penalty_and_the_tolerance_are_far_above_rounding(
    alpha, tol, dtype, monkeypatch
):
    from bochner.fitting import products

    seen = []

    class Spy(StreamedNormal):
        def __init__(self, *arguments, **keywords):
            seen.append(keywords["value_type"])
            super().__init__(*arguments, **keywords)

    monkeypatch.setattr(products, "StreamedNormal", Spy)
    settings = {"features": "nystroem", "n_components": 100, "solver": "iterative", "random_state": 0}
    bo.KernelRegressor(bo.Matern(0.5, nu=1.5), alpha=alpha, tol=tol, **settings).fit(X, Y[:, 0])
    assert seen == [np.dtype(dtype)]
