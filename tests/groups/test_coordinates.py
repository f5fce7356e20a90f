"""Shifts, permutations and signs of columns, written out."""

from itertools import permutations, product
from math import factorial

import numpy as np
import pytest

from bochner.errors import InvalidDataError
from bochner.groups import CyclicShifts, Permutations, SignFlips
from bochner.groups.coordinates import signed_permutation

X = np.arange(1.0, 7)[None]


def images(group):
    return {tuple(moved[0]) for _, moved in group.elements(6).of(X)}


def test_a_signed_permutation_takes_columns_from_their_source():
    matrix = signed_permutation(np.array([2, 0, 1]), np.array([1, -1, 1]))
    np.testing.assert_array_equal(matrix @ np.array([10.0, 20.0, 30.0]), [30.0, -10.0, 20.0])


@pytest.mark.parametrize(("step", "block"), [(1, 1), (2, 1), (1, 2), (3, 2)])
def test_cyclic_shifts_are_rolls(step, block):
    expected = {tuple(np.roll(X[0], s * block)) for s in range(0, 6 // block, step)}
    group = CyclicShifts(step, block_size=block)
    assert images(group) == expected
    assert group.order(6) == len(expected)


def test_permutations_are_all_of_them():
    assert images(Permutations()) == set(permutations(X[0]))
    blocks = [(1.0, 2.0), (3.0, 4.0), (5.0, 6.0)]
    assert images(Permutations(2)) == {sum(order, ()) for order in permutations(blocks)}
    assert Permutations().order(20) == factorial(20)


def test_a_permutation_of_both_sides_permutes_rows_and_columns():
    matrix = np.arange(9.0).reshape(3, 3)
    expected = {tuple(matrix[np.ix_(p, p)].ravel()) for p in permutations(range(3))}
    moved = Permutations(both_sides=True).elements(9).of(matrix.reshape(1, -1))
    assert {tuple(each[0]) for _, each in moved} == expected


def test_signs_are_all_of_them():
    assert images(SignFlips()) == {tuple(X[0] * s) for s in product((1, -1), repeat=6)}
    assert images(SignFlips(None)) == {tuple(X[0]), tuple(-X[0])}
    assert SignFlips(3).order(6) == 4


def test_widths_that_do_not_fit_are_refused():
    for group, width in ((CyclicShifts(block_size=4), 6), (CyclicShifts(4), 6), (Permutations(both_sides=True), 6)):
        with pytest.raises(InvalidDataError, match=type(group).__name__):
            group.check_width(width)
