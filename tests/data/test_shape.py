"""The float type of a computation: float32 only if that loses nothing."""

import numpy as np
import pytest

from bochner.data.shape import computation_dtype, target_dtype
from bochner.errors import InvalidParameterError


@pytest.mark.parametrize(
    ("given", "columns", "found"),
    [
        (None, ["f4", "i2", "?"], np.float32),
        (None, ["f4", "i4"], np.float64),
        (np.float32, ["f8"], np.float32),
        ("float64", ["f4"], np.float64),
    ],
)
def test_float32_holds_what_it_holds_exactly_or_what_is_asked(given, columns, found):
    assert computation_dtype("scan", given, [np.dtype(column) for column in columns]) == found


@pytest.mark.parametrize("given", ["int32", "f2", "nonsense", object()])
def test_other_types_are_refused(given):
    with pytest.raises(InvalidParameterError, match="float32, float64 or None"):
        computation_dtype("scan", given, [])


def test_texts_stay_labels():
    assert target_dtype(np.dtype("U3")) == np.dtype(object)
    assert target_dtype(np.dtype("i4")) == np.float64
