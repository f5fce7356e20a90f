"""A search for a width goes on while held-out rows gain, and ends when they do not."""

import numpy as np
import pytest

from bochner.fitting import WIDTHS, WidthSearch
from bochner.planning import default_width


def squared_errors(level, m=1000, noise=1.0, seed=0):
    """Errors of rows with common noise of variance 1 and an own error of variance `level` at this width."""
    common = noise * np.random.default_rng(99).standard_normal(m)
    return (common + np.sqrt(level) * np.random.default_rng(seed).standard_normal(m)) ** 2


def searched(levels, n_rows=100_000, m=1000, weight=None):
    """The curve of a search in which the approximation error at the widths is `levels`."""
    search = WidthSearch(n_rows, weight)
    for seed, level in enumerate(levels):
        search.is_better(squared_errors(level, m, seed=seed))
        reason = search.is_over()
        if reason is not None:
            return search.curve(reason)
    return search.curve("the levels ended")


def test_widths_double_from_256():
    search = WidthSearch(10**5)
    widths = []
    for level in (1.0, 0.5, 0.2):
        widths.append(search.next_width)
        search.is_better(squared_errors(level))
    assert widths == [256, 512, 1024]


def test_gains_are_followed_to_the_widest_map():
    curve = searched([4.0**-i * 16 for i in range(10)])
    assert curve.n_components == 8192
    assert len(curve.widths) == WIDTHS
    assert "most that are tried" in curve.reason
    np.testing.assert_array_equal(curve.against, [0, *curve.widths[:-1]])


def test_without_gain_the_narrow_map_stays_after_all_widths_up_to_the_rule():
    curve = searched([0.01, 0.011, 0.012, 0.013, 0.01, 0.01], m=10**5)
    assert curve.n_components == 256
    assert 2048 < default_width(100_000) < 4096
    assert list(curve.widths) == [256, 512, 1024, 2048]
    assert "not clearly better than 256" in curve.reason


def test_a_doubtful_gain_is_taken_below_the_rule_but_leads_no_further():
    search = WidthSearch(10**5)
    errors = np.where(np.arange(1000) < 20, 10.0, 1.0)  # the quantile is far from the others
    noise = np.where(errors == 1, 0.3 * np.tile([1.0, -1.0], 500), 0.0)
    for gain in (0.0, 0.0, 0.0, 1.5):  # in standard errors
        search.is_better(errors if gain == 0 else errors + noise - gain * np.std(noise) / np.sqrt(1000))
    curve = search.curve(search.is_over())
    assert curve.gain[3] / curve.gain_std[3] == pytest.approx(1.5, rel=0.05)
    assert curve.n_components == 2048 == curve.widths[-1]
    assert "not clearly better than 256" in curve.reason


def test_a_pause_below_the_rule_is_not_the_end():
    curve = searched([2.0, 2.0, 2.0, 0.05, 0.05, 0.05])
    assert curve.n_components == 2048
    assert list(curve.against) == [0, 256, 256, 256, 2048]


def test_rows_far_from_all_others_do_not_hide_a_gain():
    before, after = squared_errors(1.0, seed=1), squared_errors(0.5, seed=2)
    before[:3], after[:3] = [1e4, 2e4, 5e3], [9e3, 2.1e4, 5e3]
    search = WidthSearch(10**5)
    search.is_better(before)
    assert search.is_better(after)


def test_a_gain_that_most_rows_have_and_a_few_pay_for_is_none():
    before, after = squared_errors(1.0, seed=1), squared_errors(0.5, seed=2)
    after[0] = 1e6
    search = WidthSearch(10**5)
    search.is_better(before)
    assert not search.is_better(after)
    assert search.curve("").gain[1] > 0.1


def test_beyond_the_rule_one_width_without_gain_is_the_end():
    curve = searched([2.0, 1.0, 0.5, 0.5, 0.5, 0.5], n_rows=5000)
    assert default_width(5000) < 1024
    assert list(curve.widths) == [256, 512, 1024, 2048]
    assert curve.n_components == 1024


def test_small_gains_are_taken_below_the_rule_and_must_be_worth_it_beyond():
    base = squared_errors(0.0)
    search = WidthSearch(5000)
    assert default_width(5000) == 640
    better = [search.is_better(base * factor) for factor in (1.0, 0.995, 0.987)]
    assert better == [True, True, False]  # half a percent at 512, less than one at 1024


def test_small_gains_add_up():
    rng, base = np.random.default_rng(3), np.ones(1000)
    search = WidthSearch(10**5)
    noisy = [base - step + 0.2 * rng.standard_normal(1000) for step in (0.0, 0.002, 0.03)]
    assert [search.is_better(errors) for errors in noisy] == [True, False, True]
    assert list(search.curve("").against) == [0, 256, 256]


def test_gain_and_its_error_are_those_of_the_differences():
    before, after = squared_errors(1.0, seed=1), squared_errors(0.5, seed=2)
    search = WidthSearch(10**5)
    search.is_better(before)
    search.is_better(after)
    curve = search.curve("")
    np.testing.assert_allclose(curve.rmse**2, [np.mean(before), np.mean(after)])
    limit = np.sort(before)[989]  # the 99 % quantile: ten rows are beyond it
    before, after = np.minimum(before, limit), np.minimum(after, limit)
    assert curve.gain[1] == pytest.approx(np.mean(before - after) / np.mean(before))
    assert curve.gain_std[1] == pytest.approx(np.std(before - after) / np.sqrt(1000) / np.mean(before))
    assert curve.n_held_out == 1000


def test_integer_weights_repeat_rows_and_zero_weights_remove_them():
    weight = np.arange(1000) % 2.0
    before, after = squared_errors(1.0, seed=1), squared_errors(0.5, seed=2)
    curves = []
    for keep, weights in ((weight > 0, None), (slice(None), weight)):
        search = WidthSearch(10**5, weights)
        search.is_better(before[keep])
        search.is_better(after[keep])
        curves.append(search.curve(""))
    for name in ("rmse", "gain", "gain_std"):
        np.testing.assert_allclose(getattr(curves[0], name), getattr(curves[1], name))


@pytest.mark.parametrize(("n_rows", "most"), [(2000, 27), (10**5, 103)])
def test_equal_models_seldom_seem_to_differ(n_rows, most):
    """Of two models of equal error the wider is taken by chance: in 2.3 % of cases beyond the rule, 16 % below."""
    taken = 0
    for trial in range(400):
        search = WidthSearch(n_rows)
        search.is_better(squared_errors(0.3, seed=1000 + 2 * trial))
        taken += search.is_better(squared_errors(0.3, seed=1001 + 2 * trial))
    assert taken <= most  # a binomial variable exceeds it with probability below 1e-6


def test_a_perfect_map_is_not_improved_upon():
    search = WidthSearch(10**5)
    assert search.is_better(np.zeros(50))
    assert not search.is_better(np.zeros(50))


@pytest.mark.parametrize(
    ("n_rows", "largest", "reason"),
    [(1500, 512, "half of the 1,500 rows"), (20_000, 8192, "most that are tried"), (10**6, 4096, "too long")],
)
def test_the_budget_ends_a_search(n_rows, largest, reason):
    curve = searched([4.0**-i * 16 for i in range(10)], n_rows=n_rows)
    assert curve.widths[-1] == largest == curve.n_components
    assert reason in curve.reason
