"""Exact kernel machines by iterations: the dense solution to the promised distance, with and without some rows."""

from dataclasses import replace

import numpy as np
import pytest

import bochner as bo
from bochner.features.kernel_tiles import GemmValues
from bochner.solvers import KernelProblem, KernelSolver, LandmarkFeatures, PenaltyRule, Settling, SolverContext
from bochner.solvers.iterative_solution import Ending
from bochner.statistics.kernel_product import KernelProduct
from tests.strategies import rows

N, M = 240, 40
X, KERNEL = rows(0, N, 3), bo.Gaussian(1.5)
Y = np.stack([np.sin(2 * X[:, 0]), X[:, 1] * X[:, 2] + 3], axis=1) + 0.1 * rows(1, N, 2)
WEIGHT = np.random.default_rng(2).uniform(0.3, 3, N)


def problem(landmarks=tuple(range(0, N, 6)), precision=np.float32, **changes):
    product = changes.get("product", KernelProduct(KERNEL, X, precision=np.dtype(float)))
    features = LandmarkFeatures(product, np.array(landmarks), np.dtype(np.float32), keep=True)
    working = replace(product, precision=np.dtype(precision), _counter=[0])
    standard = {
        "product": product, "working": working, "Y": Y, "weight": WEIGHT, "n_left_out": M,
        "alpha": 0.2, "intercept": True, "features": features,
    }  # fmt: skip
    return KernelProblem(**(standard | changes))


def dense(X, Y, weight, alpha, intercept, kernel=KERNEL):
    """Coefficients and intercepts of exact kernel ridge."""
    C = kernel(X) + alpha * np.diag(1 / weight)
    u = np.linalg.solve(C, np.ones(len(X)))
    offset = (u @ Y) / u.sum() * intercept
    return np.linalg.solve(C, Y - offset), offset


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_the_residual_promises_the_distance_to_the_dense_machine(intercept, precision):
    tol = 1e-4
    found = KernelSolver(tol).solve_all(problem(intercept=intercept, precision=precision), SolverContext())
    solution = found.solution
    coef, offset = dense(X, Y, WEIGHT, 0.2, intercept)
    distance = KERNEL(X) @ (solution.coef - coef) + solution.intercept - offset
    centred = Y - intercept * np.average(Y, axis=0, weights=WEIGHT)
    rms = [np.sqrt(np.average(values**2, axis=0, weights=WEIGHT)) for values in (distance, centred)]
    assert solution.outcome == "CONVERGED"
    assert np.all(rms[0] <= tol * rms[1])
    assert np.all(solution.residuals[-1] <= tol)
    assert len(solution.residuals) == solution.n_iter + 1


def test_the_second_machine_has_not_seen_the_last_rows():
    found = KernelSolver(1e-6).solve_all(problem(), SolverContext())
    coef, offset = dense(X[:-M], Y[:-M], WEIGHT[:-M], 0.2, True)
    errors = Y[-M:] - KERNEL(X[-M:], X[:-M]) @ coef - offset
    np.testing.assert_allclose(found.errors, errors, atol=5e-3 * Y.std())


def test_a_machine_alone_without_the_last_rows_is_that_of_the_others():
    found = KernelSolver(1e-8).solve_all(problem(with_all=False), SolverContext())
    coef, offset = dense(X[:-M], Y[:-M], WEIGHT[:-M], 0.2, True)
    assert np.all(found.solution.coef[-M:] == 0)
    np.testing.assert_allclose(found.solution.coef[:-M], coef, atol=1e-5)
    np.testing.assert_allclose(found.errors, Y[-M:] - KERNEL(X[-M:], X[:-M]) @ coef - offset, atol=1e-5)
    noise = 0.2 * np.sum(coef * (Y[:-M] - offset), axis=0) / (WEIGHT[:-M].sum() - 1)
    np.testing.assert_allclose(found.solution.noise_variance, noise, rtol=1e-4)


def test_error_bars_with_every_row_a_landmark_are_the_exact_ones():
    found = KernelSolver().solve_all(problem(landmarks=np.arange(N)), SolverContext())
    C = KERNEL(X) + 0.2 * np.diag(1 / WEIGHT)
    new = rows(5, 30, 3)
    K, inverse = KERNEL(new, X), np.linalg.inv(C)
    u = inverse.sum(axis=0)
    exact = 1 + (1 - np.einsum("ij,jk,ik->i", K, inverse, K) + (1 - K @ u) ** 2 / u.sum()) / 0.2
    np.testing.assert_allclose(found.solution.spread.of(K) + 1 / 0.2, exact, rtol=1e-4)
    seen = C[:-M, :-M]
    k, inverse = KERNEL(X[-M:], X[:-M]), np.linalg.inv(seen)
    u = inverse.sum(axis=0)
    exact = 1 + (1 - np.einsum("ij,jk,ik->i", k, inverse, k) + (1 - k @ u) ** 2 / u.sum()) / 0.2
    np.testing.assert_allclose(found.variances + 1 / 0.2, exact, rtol=1e-4)


def test_iterations_that_settle_may_end_without_a_product_in_float64():
    ended = {}
    for recomputes in (True, False):
        given = problem(settling=Settling(recomputes=recomputes), landmarks=(0, 50))
        ended[recomputes] = given, KernelSolver(1e-9).solve_all(given, SolverContext())
    (promised, one), (quick, other) = ended[True], ended[False]
    assert one.solution.outcome == other.solution.outcome == "SETTLED"
    assert promised.product.n_products == 1
    assert quick.product.n_products == 0
    np.testing.assert_array_equal(one.solution.coef, other.solution.coef)
    np.testing.assert_allclose(one.solution.intercept, other.solution.intercept, atol=1e-4)
    np.testing.assert_allclose(one.errors, other.errors, atol=1e-4)


def test_a_weight_of_two_is_a_row_given_twice():
    double = np.ones(N)
    double[:50] = 2
    weighted = KernelSolver(1e-8).solve_all(problem(weight=double, n_left_out=0), SolverContext()).solution
    twice = np.vstack([X, X[:50]])
    repeated = problem(
        product=KernelProduct(KERNEL, twice, precision=np.dtype(float)),
        Y=np.vstack([Y, Y[:50]]),
        weight=np.ones(N + 50),
        n_left_out=0,
    )
    other = KernelSolver(1e-8).solve_all(repeated, SolverContext()).solution
    np.testing.assert_allclose(KERNEL(X) @ weighted.coef, KERNEL(X, twice) @ other.coef, atol=1e-6)
    np.testing.assert_allclose(weighted.intercept, other.intercept, atol=1e-6)


def test_float32_that_makes_no_progress_gives_way_to_float64(monkeypatch):
    """Which keeps its tiles in the room of the float32 ones: fewer values are computed, and no bit changes."""
    computed, tile = [], GemmValues.tile

    def noted(values, left, right, out):
        computed.append(out.dtype == np.float64)
        return tile(values, left, right, out)

    monkeypatch.setattr(GemmValues, "tile", noted)
    found, counts, states = [], [], []
    for room in (0, 10**8):
        one = problem(alpha=1e-3)
        one = replace(one, working=replace(one.working, room=room))
        computed.clear()
        context = SolverContext(on_iteration=lambda state: states.append(state["double"]))
        found.append(KernelSolver(1e-11, max_iter=2000).solve_all(one, context).solution)
        counts.append(sum(computed))
    assert found[0].outcome == "CONVERGED"
    assert np.all(found[0].residuals[-1] <= 1e-11)
    assert any(states)
    assert not states[0]
    assert np.array_equal(found[0].coef, found[1].coef)
    assert counts[1] < counts[0] / 4


def test_endings_are_told():
    few = KernelSolver(1e-12, max_iter=2).solve_all(problem(), SolverContext()).solution
    assert few.outcome == "MAX_ITER"
    assert few.n_iter == 2
    assert "max_iter" in few.status
    stopped = KernelSolver().solve_all(problem(), SolverContext(on_iteration=lambda state: True)).solution
    assert stopped.ending is Ending.STOPPED
    rounding = KernelSolver(1e-18).solve_all(problem(), SolverContext()).solution
    assert rounding.ending is Ending.PRECISION


def test_a_state_goes_on_to_the_same_bits():
    states = []

    def keep(state):
        states.append({name: np.copy(value) if type(value) is np.ndarray else value for name, value in state.items()})

    whole = KernelSolver(1e-9).solve_all(problem(), SolverContext(on_iteration=keep)).solution
    state = states[len(states) // 2]
    rule = PenaltyRule("auto", None, True)
    assert KernelSolver().state_schema(N, 4, rule).fault(state) is None
    assert KernelSolver().state_schema(N + 1, 4, rule).fault(state) is not None
    assert KernelSolver().state_schema(N, 4, rule).fault({**state, "alpha": -1.0}) is not None
    given = PenaltyRule(2 * state["alpha"], None, True)
    assert KernelSolver().state_schema(N, 4, given).fault(state) is not None
    again = KernelSolver(1e-9).solve_all(problem(), SolverContext(state=state)).solution
    assert np.array_equal(whole.coef, again.coef)
    assert whole.n_iter == again.n_iter


def test_targets_of_any_size_are_solved():
    Y_scaled = Y * [1e-60, 1e60]
    found = KernelSolver().solve_all(problem(Y=Y_scaled), SolverContext()).solution
    same = KernelSolver().solve_all(problem(), SolverContext()).solution
    np.testing.assert_allclose(found.coef / [1e-60, 1e60], same.coef, atol=1e-2)
    constant = KernelSolver().solve_all(problem(Y=np.full((N, 1), 7.0)), SolverContext()).solution
    np.testing.assert_allclose(constant.intercept, 7.0)
