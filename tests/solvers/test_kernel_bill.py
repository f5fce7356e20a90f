"""Memory of exact kernel machines by iterations: landmarks by the number of rows, fewer where the budget is small."""

import bochner as bo
from bochner.memory import fits
from bochner.solvers import kernel_budget


def budget(n, memory, d=10, columns=2):
    with bo.config_context(memory=memory):
        found = kernel_budget(n, d, columns, 3000)
        return found, fits(found.bill.total)


def test_more_rows_have_more_landmarks_within_limits():
    widths = [budget(n, "100GB")[0].n_landmarks for n in (1000, 10_000, 27_000, 36_000, 100_000)]
    assert widths == [1000, 2048, 3000, 4000, 4096]


def test_fewer_landmarks_are_kept_before_more_are_computed_again():
    found, fits_in = budget(100_000, "2GB", d=20)
    assert fits_in
    assert found.keep
    assert 512 <= found.n_landmarks < 4096


def test_a_small_budget_has_few_landmarks_that_are_not_kept():
    found, fits_in = budget(50_000, "350MB")
    assert fits_in
    assert not found.keep


def test_a_bill_that_does_not_fit_is_told():
    found, fits_in = budget(100_000, "1MB")
    assert not fits_in
    assert found.n_landmarks == 64
