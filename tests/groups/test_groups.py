"""The laws of groups: identity, inverse, composition, unitarity; and what is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.ndimage import affine_transform

from bochner import groups
from bochner.errors import InvalidDataError, InvalidParameterError
from bochner.testing import check_group
from tests.strategies import rows, seeds

QUARTER = np.array([[0.0, -1.0], [1.0, 0.0]])

# Finite groups with exact actions, and a width that they act on.
EXACT = {
    "shifts": (groups.CyclicShifts(), 6),
    "every other shift": (groups.CyclicShifts(2), 6),
    "shifts of two channels": (groups.CyclicShifts(block_size=2), 8),
    "permutations": (groups.Permutations(), 4),
    "permutations of points": (groups.Permutations(3), 9),
    "permutations of a matrix": (groups.Permutations(both_sides=True), 9),
    "signs": (groups.SignFlips(), 4),
    "signs of blocks": (groups.SignFlips(2), 6),
    "plus and minus": (groups.SignFlips(None), 5),
    "mirror": (groups.ImageReflections((3, 4)), 12),
    "two mirrors": (groups.ImageReflections((3, 4, 2), "both"), 24),
    "quarter turns": (groups.ImageRotations((4, 4), n=4), 16),
    "half turns": (groups.ImageRotations((3, 5), n=2), 15),
    "square": (groups.Dihedral((5, 5)), 25),
    "colour square": (groups.Dihedral((3, 3, 3)), 27),
    "torus": (groups.ImageTranslations((3, 4), None, wrap=True), 12),
    "signs and shifts": (groups.Product([groups.SignFlips(None), groups.CyclicShifts()], closed=True), 5),
    "given": (groups.FromMatrices([np.linalg.matrix_power(QUARTER, i) for i in range(4)], closed=True), 2),
}

# Families with a law: local, interpolated or infinite.
LOCAL = {
    "rotations": (groups.ImageRotations((12, 12), n=7), 144),
    "small rotations": (groups.ImageRotations((12, 12), n=5, max_angle=30, interpolation="cubic"), 144),
    "any rotation": (groups.ImageRotations((12, 12), n=None), 144),
    "small shifts": (groups.ImageTranslations((12, 12), 1), 144),
    "scalings": (groups.ImageScalings((12, 12), n=3), 144),
    "any scaling": (groups.ImageScalings((12, 12), n=None), 144),
    "affine": (groups.ImageAffine((12, 12)), 144),
    "functions": (groups.FromFunctions([np.negative, np.abs], weights=[3, 1]), 144),
    "product": (groups.Product([groups.ImageAffine((12, 12)), groups.ImageReflections((12, 12))]), 144),
}
EVERY = EXACT | LOCAL


def matrices(group, d):
    return np.array([action.toarray() for action in group.elements(d).actions])


def blob(shape):
    """A smooth image away from the border."""
    h, w = shape
    y, x = np.indices(shape)
    return np.exp(-(((y - h / 2 + 2) / h * 7) ** 2) - ((x - w / 2 - 1) / w * 7) ** 2).ravel()


@pytest.mark.parametrize("name", EXACT)
def test_finite_groups_are_closed_and_unitary(name):
    group, d = EXACT[name]
    assert group.closed
    assert group.unitary
    assert group.order(d) <= 200  # so that all products are looked at
    check_group(group, d)


@pytest.mark.parametrize("name", EVERY)
def test_every_group_obeys_the_laws(name):
    check_group(*EVERY[name], seed=1)


@given(seeds, st.sampled_from(sorted(EXACT)))
@settings(max_examples=25, deadline=None)
def test_as_many_as_there_are_is_the_whole_group(seed, name):
    group, d = EXACT[name]
    sample = group.sample(group.order(d), d, seed=seed)
    assert sample.whole
    np.testing.assert_array_equal(np.array([a.toarray() for a in sample.actions]), matrices(group, d))


def test_a_large_group_is_sampled_independently_and_not_listed():
    sample = groups.Permutations().sample(5, 30, seed=0)
    assert sample.independent
    assert not sample.whole
    with pytest.raises(InvalidParameterError, match=r"n_transforms.*about 10\^32 elements"):
        groups.Permutations().elements(30)
    with pytest.raises(InvalidParameterError, match="infinitely many"):
        groups.ImageAffine().elements()


def test_rotation_is_that_of_scipy():
    shape, angle = (15, 13), np.deg2rad(40)
    image = np.random.default_rng(0).random(shape)
    linear = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    group = groups.ImageRotations(shape, n=9)
    middle = (np.array(shape) - 1) / 2
    # Zeros around the image, as we have them; scipy's own border fades within one pixel.
    padded = np.pad(image, 2)
    expected = affine_transform(padded, linear.T, middle + 2 - linear.T @ (middle + 2), order=1)[2:-2, 2:-2]
    np.testing.assert_allclose((group.elements().actions[1] @ image.ravel()).reshape(shape), expected, atol=1e-7)


def test_rotations_compose_up_to_interpolation():
    group, image = groups.ImageRotations((28, 28), n=12, interpolation="cubic"), blob((28, 28))
    actions = group.elements().actions
    np.testing.assert_allclose(actions[5] @ (actions[4] @ image), actions[9] @ image, atol=0.01)
    np.testing.assert_allclose(actions[5] @ (actions[7] @ image), image, atol=0.01)


@pytest.mark.parametrize(
    "group",
    [
        groups.ImageRotations((28, 28)),
        groups.ImageScalings((28, 28), n=5, max_scale=1.3),
        groups.ImageTranslations((28, 28)),
    ],
)
def test_interpolated_actions_are_nearly_unitary_and_cubic_ones_nearer(group):
    X = blob((28, 28))[None]
    linear = group.unitarity_defect(X)
    assert linear < 0.03
    if "interpolation" in group.get_params():
        assert group.set_params(interpolation="cubic").unitarity_defect(X) < 0.3 * linear


def test_a_magnification_without_its_factor_changes_lengths():
    enlarged = groups.ImageScalings((28, 28), n=None, max_scale=1.5).sample(20, seed=0)
    lengths = [np.linalg.norm(x) for _, x in enlarged.of(blob((28, 28))[None])]
    assert np.ptp(lengths) < 0.05 * np.mean(lengths)  # the plain interpolation would change them by a factor up to 2


def test_channels_move_alike():
    grey, colour = groups.ImageRotations((6, 6), n=5), groups.ImageRotations((6, 6, 3), n=5)
    image = rows(0, 36, 3)
    moved = (colour.elements().actions[2] @ image.ravel()).reshape(36, 3)
    np.testing.assert_allclose(moved, grey.elements().actions[2] @ image, atol=1e-12)


def test_local_rotations_stay_within_their_angle():
    traces = [a.toarray()[:, :2] for a in groups.ImageRotations((3, 3), n=None, max_angle=0).sample(4).actions]
    np.testing.assert_array_equal(traces, np.broadcast_to(np.eye(9)[:, :2], (4, 9, 2)))
    middle = groups.ImageRotations((5, 5), n=3, max_angle=10).elements().actions[1]
    np.testing.assert_array_equal(middle.toarray(), np.eye(25))


def test_weights_of_a_product_multiply():
    part = groups.FromFunctions([np.negative, np.abs], weights=[3, 1])
    product = groups.Product([part, groups.SignFlips(None)])
    np.testing.assert_allclose(product.elements(2).weights, [3 / 8, 3 / 8, 1 / 8, 1 / 8])
    moved = [x for _, x in product.elements(2).of(np.array([[1.0, -2.0]]))]
    np.testing.assert_array_equal(np.vstack(moved), [[-1, 2], [1, -2], [1, 2], [1, 2]])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: groups.ImageRotations((28, 28)).elements(783), r"\(28, 28\), rows of 784 columns. Got 783"),
        (lambda: groups.ImageRotations((28,)).elements(), "'shape' parameter of ImageRotations"),
        (lambda: groups.ImageRotations(n=0).elements(), "'n' parameter of ImageRotations must be an integer >= 1"),
        (lambda: groups.ImageRotations(max_angle=200).elements(), "'max_angle'"),
        (lambda: groups.ImageRotations(interpolation="magic").elements(), "'interpolation'"),
        (lambda: groups.ImageScalings(max_scale=0.5).elements(), "'max_scale'"),
        (lambda: groups.ImageTranslations(max_shift=None).elements(), "'max_shift'.*unless wrap=True"),
        (lambda: groups.ImageReflections(axis="diagonal").elements(), "'axis'"),
        (lambda: groups.Dihedral((3, 4)).elements(), "square"),
        (lambda: groups.CyclicShifts(4).elements(6), "multiple of it. Got 6"),
        (lambda: groups.CyclicShifts().elements(), "'n_features'"),
        (lambda: groups.Permutations(4).elements(6), "whole blocks. Got 6"),
        (lambda: groups.Permutations(both_sides=True).elements(8), "square matrices. Got 8"),
        (lambda: groups.SignFlips().sample(17, 4), "at most 16, the number of elements, or 'all'"),
        (lambda: groups.FromMatrices([]).elements(), "'matrices'.*non-empty"),
        (lambda: groups.FromMatrices([np.eye(2), np.eye(3)]).elements(), "of one shape"),
        (lambda: groups.FromMatrices([np.eye(2)]).elements(3), "rows of 2 columns. Got 3"),
        (lambda: groups.FromMatrices([2 * np.eye(2)]).elements(), "orthogonal, with the factor.*off the identity by 3"),
        (lambda: groups.FromFunctions([]).elements(2), "'functions'.*non-empty"),
        (lambda: groups.FromFunctions([np.abs], weights=[-1]).elements(2), "'weights'"),
        (lambda: groups.Product([]).elements(2), "'groups'.*non-empty"),
        (lambda: list(groups.FromFunctions([np.ravel]).elements(2).of(np.ones((2, 2)))), r"shape \(2, 2\). Got \(4,\)"),
    ],
)
def test_what_cannot_act_is_refused_with_the_reason(call, words):
    with pytest.raises((InvalidParameterError, InvalidDataError), match=words):
        call()


def test_an_action_that_is_declared_not_unitary_passes():
    group = groups.FromMatrices([2 * np.eye(2)], unitary=False)
    assert group.unitarity_defect(np.ones((1, 2))) == pytest.approx(1)
