"""Ridge fits from moments, step by step: the pass, the solution, and float64 where float32 is too coarse."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import bochner as bo
from bochner.data import scan_blocks
from bochner.errors import InvalidDataError, MemoryBudgetError
from bochner.fitting import DrawnFeatures, Silent
from bochner.fitting.moments import MomentsFit, moments_bill
from bochner.solvers import DirectSolver, PenaltyRule
from bochner.statistics import Moments
from tests import reference
from tests.fitting.known_features import ByMoments, table
from tests.identity_features import Identity, identity_map, rows_of
from tests.strategies import rows

Z, Y, WEIGHT = table()


def begun(source, alpha=0.7, alphas=None, solver=None, **options):
    drawn = DrawnFeatures(Identity(), identity_map(source.n_features))
    return MomentsFit.drawn(drawn, None, source, solver or DirectSolver(), PenaltyRule(alpha, alphas), **options)


def test_a_fit_begins_with_the_moments_of_no_rows_and_is_published():
    states = []
    fit = begun(rows_of(Z, Y), publish=states.append)
    assert fit.moments.n_rows == fit.moments.weight == 0
    assert states == [fit.fit]


def test_a_pass_adds_the_moments_of_the_definition():
    fit = begun(rows_of(Z, Y, WEIGHT)).add(rows_of(Z, Y, WEIGHT), Silent())
    weight, z_mean, y_mean, zz, zy, yy = reference.moments(Z, Y, WEIGHT)
    assert fit.moments.weight == weight
    np.testing.assert_allclose(np.tril(fit.moments.zz), np.tril(zz), atol=1e-10)
    found = fit.moments.z_mean, fit.moments.y_mean, fit.moments.zy, fit.moments.yy
    for ours, theirs in zip(found, (z_mean, y_mean, zy, yy)):
        np.testing.assert_allclose(ours, theirs, atol=1e-10)


def test_rows_without_any_weight_are_refused():
    nothing = rows_of(Z, Y, np.zeros(len(Z)))
    with pytest.raises(InvalidDataError, match="sum of sample_weight must be positive"):
        begun(nothing).add(nothing, Silent())


def test_the_solution_is_published_and_solves():
    states, source = [], rows_of(Z, Y)
    fit = begun(source, publish=states.append).add(source, Silent()).solved(source)
    coef, intercept = reference.ridge(Z, Y, np.ones(len(Z)), 0.7, True)
    np.testing.assert_allclose(fit.fit.solution.coef, coef, atol=1e-9)
    np.testing.assert_allclose(fit.fit.solution.intercept, intercept, atol=1e-9)
    assert states[-1] is fit.fit


def test_leave_one_out_errors_are_those_of_refits():
    alphas = np.array([0.01, 1.0, 100.0])
    source = rows_of(Z[:30], Y[:30], WEIGHT[:30] + 1)
    fit = begun(source, "loo", alphas).add(source, Silent()).solved(source, alike=True)
    expected = [reference.leave_one_out(Z[:30], Y[:30], WEIGHT[:30] + 1, alpha, True, copies=False) for alpha in alphas]
    np.testing.assert_allclose(fit.fit.solution.loo, expected, rtol=1e-9)
    assert fit.fit.solution.alpha == alphas[np.argmin(expected)]


class Fussy(ByMoments):
    """Wants a smaller penalty than float32 allows."""

    def solve(self, statistics, rule, context):
        return replace(super().solve(statistics, rule, context), at_floor=statistics.precision > 1e-10)


def fitted(source, solver, **options):
    return begun(source, solver=solver, **options).add(source, Silent()).solved(source)


def test_float32_that_is_too_coarse_for_the_penalty_ends_in_float64():
    states, single = [], rows_of(Z, Y, WEIGHT, np.float32)
    fit = fitted(single, Fussy(), publish=states.append)
    assert fit.fit.precision == np.float32
    fit.in_enough_precision(single)
    assert fit.fit.precision == np.float64
    assert states[-1] is fit.fit
    coef, _ = reference.ridge(Z.astype(np.float32).astype(float), Y, WEIGHT, 0.7, True)
    np.testing.assert_allclose(fit.fit.solution.coef, coef, atol=1e-10)


def assert_stays(fit, source):
    before = fit.fit
    assert fit.in_enough_precision(source).fit is before


def test_float64_and_a_penalty_that_float32_carries_need_no_second_pass():
    for source, solver in ((rows_of(Z, Y), Fussy()), (rows_of(Z, Y, dtype=np.float32), ByMoments())):
        assert_stays(fitted(source, solver), source)


def test_rows_that_are_not_in_memory_are_not_read_again():
    stream = scan_blocks(partial(iter, [(Z.astype(np.float32), Y)]), dtype=np.float32)
    assert_stays(fitted(stream, Fussy()), stream)


def test_a_budget_that_holds_no_float64_keeps_float32():
    single = rows_of(Z, Y, dtype=np.float32)
    fit = fitted(single, Fussy())
    with bo.config_context(memory="1kB"):
        assert_stays(fit, single)


def test_targets_without_noise_want_more_than_float32_has():
    features = rows(0, 4000, 300, np.float32)
    single = rows_of(features, features[:, 0].astype(float), dtype=np.float32)
    fit = begun(single, "gcv").add(single, Silent()).solved(single)
    assert fit.fit.solution.at_floor
    coarse = fit.fit.solution.alpha
    fit.in_enough_precision(single)
    assert fit.fit.precision == np.float64
    assert fit.fit.solution.alpha < coarse


def test_the_bill_comes_before_the_moments():
    with bo.config_context(memory="1kB"), pytest.raises(MemoryBudgetError, match=r"n_components \(now 6\)"):
        begun(rows_of(Z, Y))


def test_the_bill_has_room_for_the_moments():
    _, bill = moments_bill(rows_of(Z, Y), identity_map(6))
    empty = Moments.empty(6, 2)
    assert bill.items["moments"] >= sum(part.nbytes for part in (empty.zz, empty.zy, empty.z_mean, empty.y_mean))
