"""Type hints as tests of values: by exact types."""

from collections.abc import Callable, Sequence
from types import GenericAlias
from typing import Any, Literal, TypeVar

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix

import bochner as bo
from bochner._typing import Array, Transformer
from bochner.features import FeatureMap
from bochner.io.hints import accepts
from bochner.kernels import Stationary


class Forged(bo.Gaussian):
    """Has whatever attributes a file gives it."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)


LIKE_AN_ARRAY = Forged(shape=(3,), ndim=1, dtype=np.dtype(float), T=None, transform=print, __call__=print)


@pytest.mark.parametrize(
    ("hint", "good", "bad"),
    [
        (Any, [None, 3], []),
        (int, [3, np.int32(3)], [True, 3.0, "3", None, np.array(3)]),
        (float, [3.0, 3, np.float32(3)], [True, "3", 1j, np.array(3.0), LIKE_AN_ARRAY]),
        (bool, [True, np.bool_(False)], [0, 1, None]),
        (str, ["a"], [b"a", 3]),
        (np.dtype[Any], [np.dtype(float)], [float, "float64", LIKE_AN_ARRAY]),
        (Array, [np.ones(3), np.ones(0, dtype=bool)], [[1.0], np.array(["a"]), np.array([None]), LIKE_AN_ARRAY]),
        (Array | None, [None, np.ones(2)], [LIKE_AN_ARRAY, 3]),
        (tuple[int, float], [(1, 2.0)], [(1,), (1, "a"), [1, 2.0], (1, 2.0, 3)]),
        (tuple[int, ...], [(), (1, 2)], [[1], (1.5,)]),
        (list[tuple[int, int]], [[], [(1, 2)]], [((1, 2),), [[1, 2]]]),
        (dict[str, int], [{}, {"a": 1}], [{1: 1}, {"a": "b"}, [("a", 1)]]),
        (Sequence[int], [(1,), [1]], ["ab", np.ones(3)]),
        (Literal["paired", "phase"], ["paired"], ["other", None, ["paired"]]),
        (csr_array, [csr_array(np.eye(2)), csr_matrix(np.eye(2))], [np.eye(2), LIKE_AN_ARRAY]),
        (Callable[[Array], Array], [np.abs, bo.Gaussian()], [np.ones(3), bo.MonteCarlo(), "print"]),
        (Stationary, [bo.Gaussian()], [bo.MonteCarlo(), bo.Gaussian, None]),
        (FeatureMap, [bo.FourierFeatures(n_components=2).fit(np.ones((3, 1))).map_], [bo.FourierFeatures(), None]),
        (Transformer, [bo.FourierFeatures()], [bo.Gaussian(), np.ones(3), None]),
    ],
    ids=lambda each: str(each)[:30],
)
def test_a_hint_accepts_what_it_says(hint, good, bad):
    test = accepts(hint)
    assert all(map(test, good))
    assert not any(map(test, bad))


def test_a_hint_that_has_a_name_accepts_what_the_name_stands_for():
    """`type Numbers[T] = ndarray[Any, T]` of later Pythons, by its parts: NumPy 2.5 defines NDArray so."""
    item = TypeVar("item", bound=np.generic)
    named = type("Name", (), {"__value__": np.ndarray[Any, np.dtype[item]]})()
    for hint in (named, GenericAlias(named, (np.float64,))):
        test = accepts(hint)
        assert test(np.zeros(2))
        assert not test([0.0])
