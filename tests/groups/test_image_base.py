"""Groups of image maps of one's own: a list of affine maps is enough, and shapes are checked."""

import numpy as np
import pytest

from bochner.errors import InvalidDataError, InvalidParameterError
from bochner.groups.image_base import FiniteImageGroup, ImageGroup
from bochner.testing import check_group

IMAGES = np.random.default_rng(0).standard_normal((5, 12))


class Upside(FiniteImageGroup):
    """The identity and the flip of rows."""

    closed = True
    unitary = True

    def __init__(self, shape=(4, 3), interpolation="linear", wrap=False):
        self.shape, self.interpolation, self.wrap = shape, interpolation, wrap

    def _maps(self):
        return [(np.diag([sign, 1.0]), np.zeros(2)) for sign in (1.0, -1.0)]


def moved(group, rows):
    return [part for _, part in group.elements().of(rows)]


def test_a_list_of_maps_is_a_group_of_images():
    found = moved(Upside(), IMAGES)
    np.testing.assert_allclose(found[0], IMAGES, atol=1e-12)
    np.testing.assert_allclose(found[1], IMAGES.reshape(5, 4, 3)[:, ::-1].reshape(5, 12), atol=1e-12)
    assert Upside().order() == 2
    check_group(Upside(), n_features=12)


def test_channels_move_together():
    images = np.random.default_rng(1).standard_normal((2, 24))
    found = moved(Upside((4, 3, 2)), images)[1]
    np.testing.assert_allclose(found, images.reshape(2, 4, 3, 2)[:, ::-1].reshape(2, 24), atol=1e-12)


def test_draws_are_of_the_list():
    drawn = Upside()._draw(40, 12, np.random.default_rng(0))
    flips = {bool(np.allclose(action @ IMAGES[0], IMAGES[0])) for action in drawn}
    assert len(drawn) == 40
    assert flips == {True, False}


def test_the_shape_tells_the_width():
    assert Upside().known_width() == Upside().check_width(12) == 12
    assert Upside((5, 5, 3)).known_width() == 75
    with pytest.raises(InvalidDataError, match=r"Upside acts on images of shape \(4, 3\), rows of 12 columns. Got 13"):
        Upside().check_width(13)


@pytest.mark.parametrize("shape", [4, (4,), (4, 0), (2, 2, 2, 2), None])
def test_what_is_no_shape_of_images_is_refused(shape):
    with pytest.raises(InvalidParameterError, match=r"'shape'.*\(height, width\)"):
        Upside(shape).known_width()


def test_an_unknown_interpolation_is_named():
    with pytest.raises(InvalidParameterError, match=r"'interpolation'.*Got 'sinc'"):
        moved(Upside(interpolation="sinc"), IMAGES)


def test_squares_are_known():
    assert Upside((3, 3)).is_square()
    assert not Upside((3, 4)).is_square()


def test_a_base_class_is_no_group():
    for base in (ImageGroup, FiniteImageGroup):
        with pytest.raises(TypeError, match="abstract"):
            base()
