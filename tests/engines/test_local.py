"""The engine of one machine: sums of blocks in threads, in the order of the rows, with a ledger and an early end."""

from dataclasses import replace

import numpy as np
import pytest

from bochner.data import scan_blocks
from bochner.engines import LocalEngine
from bochner.features import draw_fourier_map
from bochner.kernels import Gaussian
from bochner.sampling import MonteCarlo
from tests.engines.sums import EXPECTED, SUMS, N, Notes, X, array_rows

ENGINE = LocalEngine()


@pytest.mark.parametrize("block_rows", [1, 10, N, 1000])
def test_any_cut_gives_the_sum_of_all_rows(block_rows):
    found = ENGINE.reduce(array_rows(), replace(SUMS, block_rows=block_rows), SUMS.empty())
    np.testing.assert_allclose(found, EXPECTED, rtol=1e-12)


def test_a_total_goes_on_from_what_it_is():
    np.testing.assert_allclose(ENGINE.reduce(array_rows(), SUMS, EXPECTED.copy()), 2 * EXPECTED, rtol=1e-12)


def test_one_cut_gives_the_same_bits_in_every_run():
    first, second = (ENGINE.reduce(array_rows(), SUMS, SUMS.empty()) for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_true_ends_the_pass_after_the_rows_it_was_told_of():
    told = []

    def on_part(n_rows):
        told.append(n_rows)
        return len(told) == 3

    found = ENGINE.reduce(array_rows(), SUMS, SUMS.empty(), on_part=on_part)
    assert told == [10, 10, 10]
    assert found[3] == 30


def test_what_is_in_the_ledger_is_not_added_again():
    notes = Notes()
    ENGINE.reduce(array_rows(), SUMS, SUMS.empty(), on_part=lambda n_rows: True, ledger=notes)
    assert sorted(notes.done) == [0]
    told = []
    found = ENGINE.reduce(array_rows(), SUMS, notes.saved[-1].copy(), on_part=told.append, ledger=notes)
    np.testing.assert_allclose(found, EXPECTED, rtol=1e-12)
    assert sum(told) == N - 10
    assert sorted(notes.done) == list(range(0, N, 10))
    np.testing.assert_array_equal(notes.saved[-1], found)


def test_rows_that_have_changed_since_are_an_error():
    with pytest.raises(ValueError, match="rows from 20 have changed"):
        ENGINE.reduce(array_rows(), SUMS, SUMS.empty(), ledger=Notes({20: 1}))


def test_an_interrupt_saves_what_was_added():
    notes, told = Notes(), []

    def on_part(n_rows):
        told.append(n_rows)
        if len(told) == 4:
            raise KeyboardInterrupt
        return False

    with pytest.raises(KeyboardInterrupt):
        ENGINE.reduce(array_rows(), SUMS, SUMS.empty(), on_part=on_part, ledger=notes)
    assert notes.saved[-1][3] == 40 == 10 * len(notes.done)


def test_parts_are_totals_of_consecutive_rows_made_one_by_one():
    parts = ENGINE.parts(array_rows(), SUMS)
    assert next(parts)[3] == 10
    rest = list(parts)
    assert [part[3] for part in rest] == [10] * 9 + [3]


def test_a_function_of_the_rows_is_applied_to_all_of_them():
    found = ENGINE.apply(scan_blocks([X[:50], X[50:]]), lambda rows: rows[:, :2] * 2, (2,), np.dtype(float))
    np.testing.assert_array_equal(found, X[:, :2] * 2)
    flat = ENGINE.apply(array_rows(), lambda rows: rows[:, 0], (), np.dtype(float))
    np.testing.assert_array_equal(flat, X[:, 0])


def test_no_rows_give_an_empty_array_of_the_right_width():
    empty = replace(array_rows(), X=X[:0], Y=np.empty((0, 2)), sample_weight=None)
    found = ENGINE.apply(empty, lambda rows: rows, (7,), np.dtype(np.float32))
    assert found.shape == (0, 7)
    assert found.dtype == np.float32


def test_nothing_is_shipped_or_held_here():
    drawn = draw_fourier_map(Gaussian(), MonteCarlo(), n_features=3, n_components=8, embedding="paired", seed=0)
    assert ENGINE.ship(drawn) is drawn
    assert ENGINE.hold(array_rows()) is None
    assert ENGINE.in_process
