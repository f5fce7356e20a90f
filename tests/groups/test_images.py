"""Groups of image maps against NumPy's rolls, flips and rotations."""

import numpy as np
import pytest

from bochner.groups import Dihedral, ImageReflections, ImageRotations, ImageTranslations

IMAGE = np.random.default_rng(0).standard_normal((4, 4))


def moved(group):
    return [rows[0].reshape(4, 4) for _, rows in group.elements().of(IMAGE.reshape(1, -1))]


def assert_same_set(found, expected):
    assert len(found) == len(expected)
    for image in expected:
        assert any(np.allclose(image, each, atol=1e-12) for each in found)


def test_quarter_turns_are_numpys():
    assert_same_set(moved(ImageRotations((4, 4), n=4)), [np.rot90(IMAGE, k) for k in range(4)])


def test_the_square_has_eight_symmetries():
    expected = [np.rot90(each, k) for each in (IMAGE, IMAGE.T) for k in range(4)]
    assert_same_set(moved(Dihedral((4, 4))), expected)


@pytest.mark.parametrize(("axis", "flips"), [("horizontal", [1]), ("vertical", [0]), ("both", [0, 1, (0, 1)])])
def test_reflections_are_flips(axis, flips):
    assert_same_set(moved(ImageReflections((4, 4), axis)), [IMAGE, *(np.flip(IMAGE, each) for each in flips)])


def test_wrapped_shifts_are_rolls():
    expected = [np.roll(IMAGE, (y, x), axis=(0, 1)) for y in (-1, 0, 1) for x in (-1, 0, 1)]
    assert_same_set(moved(ImageTranslations((4, 4), 1, wrap=True)), expected)


def test_shifts_without_wrapping_lose_what_leaves():
    down = next(each for each in moved(ImageTranslations((4, 4), 1)) if np.allclose(each[1:], IMAGE[:-1]))
    np.testing.assert_array_equal(down[0], 0)


def test_what_is_unitary_and_closed_follows_from_the_parameters():
    assert ImageRotations((4, 4), n=4).unitary
    assert not ImageRotations((4, 5), n=4).unitary
    assert not ImageRotations((4, 4), n=8).unitary
    assert ImageRotations((4, 4), n=8).closed
    assert not ImageRotations((4, 4), n=8, max_angle=30).closed
    assert ImageTranslations((4, 4), None, wrap=True).closed
    assert not ImageTranslations((4, 4), 1, wrap=True).closed
    assert ImageRotations((4, 4, 3), n=None).order() is None
    assert ImageRotations((4, 4, 3)).known_width() == 48
