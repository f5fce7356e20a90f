"""The conditional independence test: its statistic, its level by simulation, what it finds and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import bochner as bo
from benchmarks.conditional import LINKS, draw, ours
from bochner.comparison.conditional import _Products, _Side
from bochner.comparison.conditioning import Conditioning, ConditioningBasis, normal_scores, single_indices, waves_of
from bochner.errors import InvalidDataError, InvalidParameterError
from tests.strategies import rows


def chain(seed, n=300, d=2):
    """X and Y that depend on Z, and on each other only by it."""
    Z = rows(seed, n, d)
    return Z[:, :1] + rows(seed + 1, n, 1), np.sin(Z[:, :1]) + rows(seed + 2, n, 1), Z


@pytest.mark.parametrize("kept", [True, False], ids=["functions of Z kept", "made anew in every pass"])
def test_regressions_and_statistic_are_those_of_the_dense_formulas(monkeypatch, kept):
    X, Y, Z = chain(0, 60)
    monkeypatch.setattr("bochner.comparison.conditioning.rows_within", lambda *a, **k: 17)  # several blocks
    monkeypatch.setattr("bochner.comparison.conditioning.fits", lambda size: kept)
    scores = [normal_scores(side) for side in (X, Y)]
    basis = ConditioningBasis.of(Z, scores, 10, 0)
    conditioning = Conditioning.of(basis)
    assert (conditioning.kept is not None) == kept
    left, right = (_Side.of(side, conditioning, 8, seed) for seed, side in enumerate(scores))
    given = waves_of(basis.scores, 8, 2)
    products = _Products(left, right, given)

    H = basis.rows(slice(None))
    H -= H.mean(axis=0)

    def residuals(T, alpha):
        T = T - T.mean(axis=0)
        return T - H @ np.linalg.solve(H.T @ H + alpha * np.eye(H.shape[1]), H.T @ T)

    waves, smoothers = [], []
    for side, own in ((left, X), (right, Y)):
        E = residuals(normal_scores(own), side.location.alpha)
        np.testing.assert_allclose(side.residuals, E, atol=1e-8)
        phase = E @ side.waves.omega.T
        both = residuals(np.hstack([np.cos(phase), np.sin(phase)]) / 2, side.regression.alpha)  # m = 4
        waves.append(both[:, :4] + 1j * both[:, 4:])
        smoothers.append(
            np.eye(60) - 1 / 60 - H @ np.linalg.solve(H.T @ H + side.regression.alpha * np.eye(H.shape[1]), H.T)
        )
    phase = basis.scores @ given.omega.T * [0, 0, 1, 1]
    terms = [waves[0] * other * np.exp(1j * phase) for other in (waves[1], waves[1].conj())]
    expected = 60 * 4 * sum(np.sum(np.abs(term.mean(axis=0)) ** 2) for term in terms) / 2
    assert products.statistic == pytest.approx(expected, rel=1e-6)
    A, B = (R @ R for R in smoothers)
    assert products.correction == pytest.approx(60 * np.trace(A @ B) / (np.trace(A) * np.trace(B)), rel=1e-6)
    assert left.regression.dof == pytest.approx(60 - np.trace(smoothers[0]), rel=1e-6)
    energy = sum(np.sum(np.abs(term) ** 2) for term in terms) * 4 / 2 / 60
    assert products.null_law.mean == pytest.approx(products.correction * energy, rel=1e-6)


def test_a_function_of_one_linear_combination_is_a_function_of_its_index():
    Z, link = rows(0, 2000, 5), np.array([1.0, -2.0, 0.5, 0.0, 1.0])
    combination = normal_scores(Z @ link[:, None])
    for monotone in (np.exp, np.cbrt, np.arctan):
        index = single_indices(Z, normal_scores(monotone(Z @ link[:, None] + 0.5 * rows(1, 2000, 1))))
        assert abs(np.corrcoef(index[:, 0], combination[:, 0])[0, 1]) > 0.99


def test_one_column_and_targets_without_a_link_have_no_index():
    Z = rows(0, 400, 3)
    assert single_indices(Z[:, :1], Z).shape == (400, 0)
    assert single_indices(Z, np.zeros((400, 2))).shape == (400, 0)
    assert single_indices(Z, rows(1, 400, 9)).shape == (400, 3)  # no more directions than columns


def test_indices_are_conditioned_on_as_columns_are():
    X, Y, Z = chain(0, 400, 3)
    basis = ConditioningBasis.of(Z, [normal_scores(X), normal_scores(Y)], 10, 0)
    assert basis.indices.shape == (400, 4)
    target = np.cos(1.6 * basis.indices[:, :1])
    assert Conditioning.of(basis).regress(lambda some: target[some], 1.0).explained > 0.999


@pytest.mark.parametrize("null_law", ["chi_squared", "wild"])
def test_the_level_is_near_five_per_cent(null_law):
    count = sum(ours(null_law)(draw("linear", "none", 500, 1, repeat), repeat) <= 0.05 for repeat in range(40))
    assert count <= binom.isf(1e-7, 40, 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("n", [500, 5000])
def test_the_level_is_within_binomial_limits_over_2000_nulls(link, n):
    count = sum(ours("chi_squared")(draw(link, "none", n, 5, repeat), repeat) <= 0.05 for repeat in range(2000))
    assert count <= binom.isf(1e-6, 2000, 0.06)


def test_dependence_that_z_does_not_explain_is_found():
    X, Y, Z = chain(0)
    noise = X - Z[:, :1]
    assert bo.ci_test(X, Y, given=Z, rng=0).pvalue > 0.01
    assert bo.ci_test(X, Y + noise, given=Z, rng=0).pvalue < 1e-6
    assert bo.ci_test(X, Y + noise**2, given=Z, rng=0).pvalue < 1e-6
    assert bo.ci_test(X, Y + 2 * noise * np.sign(Z[:, :1]), given=Z, rng=0).pvalue < 1e-3
    assert bo.ci_test(X, Y + noise, given=Z, null_law="wild", rng=0).pvalue == 0.001


def test_units_and_increasing_functions_of_x_and_y_do_not_matter():
    X, Y, Z = chain(3)
    first = bo.ci_test(X, Y, given=Z, rng=0)
    again = bo.ci_test(np.exp(X), 1e-9 * Y**3, given=1e6 * Z - 3, rng=0)
    assert again.pvalue == pytest.approx(first.pvalue, rel=1e-4)
    as_vectors = bo.ci_test(X[:, 0], list(Y[:, 0]), given=Z.astype(np.float32), rng=0)
    assert as_vectors.pvalue == pytest.approx(first.pvalue, rel=1e-3)


def test_the_result_says_that_it_is_asymptotic_and_what_z_explains():
    X, Y, Z = chain(1)
    for array in (X, Y, Z):
        array.setflags(write=False)
    result = bo.ci_test(X, Y, given=Z, null_law="wild", n_resamples=99, rng=0)
    assert result.validity == "asymptotic"
    assert "asymptotic" in " ".join(result.assumptions)
    assert result.null_distribution.shape == (99,)
    assert len(repr(result)) < 200
    assert str(result).startswith("No dependence was found") == (result.pvalue > 0.05)
    assert str(bo.ci_test(X, X, given=Z, rng=0)).startswith("X and Y depend on each other given the other columns (p =")
    assert 0.3 < result.explained[0] < 0.7
    assert 0.1 < result.explained[1] < 0.6
    assert all(3 < dof < 100 for dof in result.dof)
    assert bo.ci_test(X, Y, given=Z, rng=0).null_distribution is None


def test_a_condition_that_determines_x_leaves_nothing_to_test():
    Z = rows(0, 200, 1)
    assert bo.ci_test(2 * Z + 1, Z + rows(1, 200, 1), given=Z, rng=0).pvalue > 0.01


def test_columns_with_ties_and_repeated_rows_are_accepted():
    X, Y, Z = chain(2, 250)
    result = bo.ci_test(np.round(X), np.round(Y), given=np.c_[np.round(Z), np.round(Z)], rng=0)
    assert 0 <= result.pvalue <= 1


def test_refusals():
    X, Y, Z = chain(0, 200)
    with pytest.raises(InvalidDataError, match=r"given has no columns: hsic_test"):
        bo.ci_test(X, Y, given=np.empty((200, 0)))
    with pytest.raises(InvalidDataError, match=r"given has no columns: hsic_test"):
        bo.ci_test(X, Y, given=None)
    with pytest.raises(InvalidDataError, match=r"given has no columns: hsic_test"):
        bo.ci_test(X, Y, given=[])
    with pytest.raises(InvalidDataError, match=r"Got a Lazy: call"):
        bo.ci_test(X, Y, given=type("Lazy", (), {"collect": lambda self: Z})())
    with pytest.raises(InvalidDataError, match=r"X has no columns"):
        bo.ci_test(np.empty((200, 0)), Y, given=Z)
    with pytest.raises(InvalidDataError, match=r"Column 1 of given is constant"):
        bo.ci_test(X, Y, given=np.c_[Z[:, 0], np.ones(200)])
    with pytest.raises(InvalidDataError, match=r"Column 0 of X is constant"):
        bo.ci_test(np.zeros(200), Y, given=Z)
    with pytest.raises(InvalidDataError, match=r"same number of rows. Got 200, 199 and 200"):
        bo.ci_test(X, Y[1:], given=Z)
    with pytest.raises(InvalidDataError, match=r"at least 200 rows.*Got 199"):
        bo.ci_test(X[:199], Y[:199], given=Z[:199])
    with pytest.raises(InvalidDataError, match=r"here 220. Got 200"):
        bo.ci_test(X, Y, given=rows(5, 200, 11))
    with pytest.raises(ValueError, match="given contains NaN"):
        bo.ci_test(X, Y, given=Z * np.nan)
    wrong = {"n_components": (3, None), "n_conditioning": (0, np.inf), "n_resamples": (0,), "null_law": ("exact",)}
    for name, value in ((name, value) for name, values in wrong.items() for value in values):
        with pytest.raises(InvalidParameterError, match=f"'{name}' parameter"):
            bo.ci_test(X, Y, given=Z, **{name: value})
