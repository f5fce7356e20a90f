"""Memory of exact kernel machines by iterations: landmarks by the number of rows, fewer where the budget is small."""

import bochner as bo
from bochner.memory import fits
from bochner.solvers import kernel_budget
from bochner.statistics.kernel_product import symmetric_tile_bytes

SIZES = (1000, 10_000, 27_000, 36_000, 100_000)


def budget(n, memory, d=10, columns=2, **options):
    with bo.config_context(memory=memory):
        found = kernel_budget(n, d, columns, 3000, **options)
        return found, fits(found.bill.total)


def test_more_rows_have_more_landmarks_within_limits():
    widths = [budget(n, "100GB", tiles=False)[0].n_landmarks for n in SIZES]
    assert widths == [1000, 2048, 3000, 4000, 4096]


def test_a_third_of_the_landmarks_do_where_tiles_are_kept():
    found = [budget(n, "100GB")[0] for n in SIZES]
    assert [each.n_landmarks for each in found] == [1000, 683, 1000, 1334, 1366]
    assert [each.room for each in found] == [0, *(symmetric_tile_bytes(n) for n in SIZES[1:])]


def test_tiles_are_kept_if_all_of_them_fit():
    least = budget(20_000, "100GB")[0].bill.total
    assert budget(20_000, least)[0].room == symmetric_tile_bytes(20_000)
    fewer, fits_in = budget(20_000, least - 1)
    assert fits_in
    assert (fewer.room, fewer.keep, fewer.n_landmarks) == (0, True, 2222)


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
