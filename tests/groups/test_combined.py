"""Products of groups and groups of given actions."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from bochner.errors import InvalidDataError
from bochner.groups import CyclicShifts, FromFunctions, FromMatrices, ImageReflections, Product, SignFlips, Transforms
from tests.strategies import rows


def test_elements_of_a_product_are_products_with_the_last_factor_first():
    shifts, signs = CyclicShifts().elements(3).matrices, SignFlips().elements(3).matrices
    expected = [(a @ b).toarray() for a in shifts for b in signs]
    found = [matrix.toarray() for matrix in Product([CyclicShifts(), SignFlips()]).elements(3).matrices]
    np.testing.assert_array_equal(found, expected)


def test_functions_and_matrices_combine():
    X = rows(0, 4, 3)
    group = Product([FromFunctions([np.abs]), SignFlips(None)])
    moved = [moved for _, moved in group.elements(3).of(X)]
    np.testing.assert_array_equal(moved[0], np.abs(X))
    np.testing.assert_array_equal(moved[1], np.abs(-X))


def test_the_width_of_a_product_is_that_of_the_factor_that_knows_it():
    assert Product([SignFlips(), ImageReflections((2, 3))]).check_width() == 6
    assert Product([SignFlips(), FromMatrices([np.eye(4)])]).known_width() == 4
    assert Product([SignFlips(), CyclicShifts()]).known_width() is None
    with pytest.raises(InvalidDataError, match="6 columns"):
        Product([SignFlips(), ImageReflections((2, 3))]).check_width(5)


def test_weights_are_normalised_and_known_to_be_equal():
    weighted = FromFunctions([np.abs, np.negative], weights=[3, 1])
    np.testing.assert_array_equal(weighted.elements(5).weights, [0.75, 0.25])
    assert not weighted.has_equal_weights(5)
    assert FromFunctions([np.abs, np.negative]).has_equal_weights(5)
    assert not Product([weighted, SignFlips(None)]).has_equal_weights(5)


def test_given_actions_are_drawn_by_their_weights():
    drawn = FromFunctions([np.abs, np.negative], weights=[1, 0]).draw(50, 3, np.random.default_rng(0))
    assert drawn == [np.abs] * 50


def test_functions_have_no_matrices():
    with pytest.raises(InvalidDataError, match="no matrices"):
        Transforms((np.abs,), np.ones(1)).matrices  # noqa: B018
    identity = csr_array(np.eye(2))
    assert Transforms((identity,), np.ones(1)).matrices == (identity,)
