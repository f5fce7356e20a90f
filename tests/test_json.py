"""Plain data: whatever a result holds becomes JSON, and nothing that JSON lacks is left."""

import json
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from bochner._json import plain
from bochner.kernels import Gaussian


@dataclass
class Pair:
    first: float
    second: object


class Result:
    def to_dict(self):
        return {"value": np.float32(0.5)}


def test_arrays_records_and_results_are_flattened():
    given = {
        1: np.arange(3),
        "nested": (np.array([[1.5, np.nan]]), Pair(np.inf, np.bool_(True))),
        "arrow": pa.chunked_array([["a", None]]),
        "scalar": np.int64(4),
        "result": Result(),
        "kernel": Gaussian(),
    }
    assert plain(given) == {
        "1": [0, 1, 2],
        "nested": [[[1.5, None]], {"first": None, "second": True}],
        "arrow": ["a", None],
        "scalar": 4,
        "result": {"value": 0.5},
        "kernel": "Gaussian()",
    }


TEXT = st.text(alphabet='aZ0 \0\n\\"\x7f\xe9\ud7ff\u2603\U0001f600')  # all of Unicode takes seconds to list
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inside: st.lists(inside) | st.dictionaries(TEXT, inside),
)


@given(PLAIN)
def test_plain_data_stays_as_it_is(data):
    assert plain(data) == data
    json.dumps(plain(data), allow_nan=False)
