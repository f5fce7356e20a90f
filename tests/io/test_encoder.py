"""Values as JSON and arrays, and back: every form, and what is refused."""

import json

import numpy as np
import pytest
from scipy import sparse

import bochner as bo
from bochner.errors import FileFormatError, UnsupportedModelError
from bochner.io.decoder import Decoder
from bochner.io.encoder import Encoder
from bochner.io.forms import SPARSE
from bochner.io.types import types_by_name
from bochner.solvers import Ending


def again(value):
    encoder = Encoder()
    text = json.dumps(encoder.encode(value, "value"), allow_nan=False)
    return Decoder(encoder.arrays, types_by_name()).decode(json.loads(text))


@pytest.mark.parametrize(
    "value",
    [None, True, 3, -(2**70), 2.5, "text", [1, [2]], (1, (2, "a")), {"a": 1, 2: (3,), None: []}, slice(1, None, 2)],
    ids=repr,
)
def test_plain_values_come_back_with_their_types(value):
    found = again(value)
    assert found == value
    assert type(found) is type(value)


def test_floats_that_json_does_not_have_come_back():
    assert again(np.inf) == np.inf
    assert again(-np.inf) == -np.inf
    assert np.isnan(again(np.nan))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float32", "float64", "<U3"])
def test_arrays_and_scalars_keep_their_type(dtype):
    array = np.array([[0, 1], [1, 0]]).astype(dtype)
    for value in (array, array[0, 1]):
        found = again(value)
        np.testing.assert_array_equal(found, value)
        assert found.dtype == value.dtype
        assert type(found) is type(value)


def test_arrays_of_objects_and_texts_come_back():
    for values in (["a", "", "ü\ud800"], [1, None, "b"], []):
        array = np.array(values, dtype=object)
        found = again(array)
        assert found.dtype == object
        assert found.tolist() == values


@pytest.mark.parametrize("name", SPARSE)
def test_sparse_matrices_come_back(name):
    matrix = SPARSE[name](sparse.random_array((5, 4), density=0.5, rng=0))
    found = again(matrix)
    assert type(found) is type(matrix)
    np.testing.assert_array_equal(found.toarray(), matrix.toarray())


@pytest.mark.parametrize("bits", ["MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"])
def test_generators_go_on_where_they_were(bits):
    rng = np.random.Generator(getattr(np.random, bits)(5))
    rng.random(3)
    found = again(rng)
    np.testing.assert_array_equal(found.random(4), rng.random(4))
    legacy = np.random.RandomState(5)
    legacy.standard_normal(3)
    np.testing.assert_array_equal(again(legacy).standard_normal(4), legacy.standard_normal(4))


def test_types_and_members_come_back():
    assert again(np.dtype("float32")) == np.dtype("float32")
    assert again(np.float32) is np.float32
    assert again(Ending.CONVERGED) is Ending.CONVERGED


def test_one_object_in_two_places_stays_one():
    kernel = bo.Gaussian(np.array([1.0, 2.0]))
    first, second, other = again([kernel, kernel, bo.Gaussian(kernel.length_scale)])
    assert first is second
    assert other is not first
    assert other.length_scale is first.length_scale  # an array is stored once


def test_a_stand_in_is_written_and_a_finished_object_returned():
    encoder = Encoder(lambda value: bo.Laplacian(3.0) if type(value) is bo.Gaussian else value)
    tree = encoder.encode([bo.Gaussian()], "value")
    assert tree[0]["object"] == "kernels.Laplacian"
    (found,) = Decoder(encoder.arrays, types_by_name(), lambda made: made.length_scale).decode(tree)
    assert found == 3.0


def test_a_class_that_is_not_in_the_table_is_not_made():
    tree = Encoder().encode(bo.Gaussian(), "value")
    with pytest.raises(FileFormatError, match=r"kernels\.Gaussian"):
        Decoder({}, {}).decode(tree)


@pytest.mark.parametrize(
    ("value", "words"),
    [([print], r"value\.0 is a function"), ({"a": object()}, r"value\.a is of type object"), (1j, "of type complex")],
)
def test_what_has_no_form_is_refused_with_its_place(value, words):
    with pytest.raises(UnsupportedModelError, match=words):
        Encoder().encode(value, "value")
