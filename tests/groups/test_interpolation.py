"""Affine maps of pixels: the interpolating functions and the matrices."""

import numpy as np
import pytest

from bochner.groups.interpolation import INTERPOLATIONS, affine_action

STILL = np.zeros(2)


@pytest.mark.parametrize("name", INTERPOLATIONS)
def test_weights_sum_to_one_and_keep_pixels(name):
    weight, reach = INTERPOLATIONS[name]
    t = np.linspace(0, 1, 101)[:, None] + np.arange(-reach, reach + 1)
    np.testing.assert_allclose(weight(t).sum(axis=1), 1, atol=1e-12)
    np.testing.assert_allclose(weight(np.arange(-3.0, 4)), [0, 0, 0, 1, 0, 0, 0], atol=1e-15)


@pytest.mark.parametrize(("name", "degree"), [("linear", 1), ("cubic", 2)])
def test_polynomials_are_exact_inside(name, degree):
    """Half a pixel down: the values of a polynomial between the rows."""
    y = np.arange(12.0)
    image = np.repeat(y[:, None] ** degree, 12, axis=1)
    moved = (affine_action((12, 12), np.eye(2), np.array([0.5, 0]), interpolation=name) @ image.ravel()).reshape(12, 12)
    np.testing.assert_allclose(moved[3:-3, 3:-3], (image * 0 + (y[:, None] - 0.5) ** degree)[3:-3, 3:-3], atol=1e-10)


def test_a_magnification_has_the_factor_of_its_area():
    """A constant image, magnified twofold, is half as high inside: abs(det)^(-1/2)."""
    action = affine_action((9, 9), 2 * np.eye(2), STILL)
    np.testing.assert_allclose((action @ np.ones(81)).reshape(9, 9), 0.5)


def test_a_quarter_turn_is_a_permutation():
    turn = affine_action((5, 5), np.array([[0.0, -1.0], [1.0, 0.0]]), STILL).toarray()
    assert set(np.unique(turn)) == {0.0, 1.0}
    np.testing.assert_array_equal(turn @ turn.T, np.eye(25))


def test_channels_move_alike():
    image = np.random.default_rng(0).standard_normal((4, 4, 3))
    shift = np.array([1.0, -1.0])
    one, all_ = (affine_action(shape, np.eye(2), shift, wrap=True) for shape in ((4, 4), (4, 4, 3)))
    expected = np.stack([(one @ image[..., c].ravel()).reshape(4, 4) for c in range(3)], axis=-1)
    np.testing.assert_allclose((all_ @ image.ravel()).reshape(4, 4, 3), expected)
