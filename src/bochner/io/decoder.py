"""Decoder of JSON and arrays to objects of known types (the forms are listed in `bochner.io.forms`)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from enum import Enum
from typing import Any

import numpy as np

from bochner._typing import Array, SparseMatrix
from bochner.errors import FileFormatError
from bochner.io.forms import GENERATORS, NUMPY_TYPES, SPARSE, Json
from bochner.io.older_files import upgraded

__all__ = ["Decoder"]

_UNFINISHED = object()


class Decoder:
    """Makes objects from JSON and arrays.

    Parameters
    ----------
    arrays : dict of arrays
    types : dict of classes
        The classes that may be made, by their names in files.
    finish : callable
        `finish(object)` checks an object that was made and returns it, or what it stands for.
    cyclic : set of classes
        Those whose objects may be inside themselves, and so are used before they are finished: never ours.
    """

    def __init__(
        self,
        arrays: dict[str, Array],
        types: Mapping[str, type],
        finish: Callable[[object], object] = lambda value: value,
        cyclic: Collection[type] = (),
    ) -> None:
        self._arrays = arrays
        self._types = types
        self._finish = finish
        self._cyclic = cyclic
        self._made: list[object] = []
        # The content of a form is whatever the file has: a wrong one raises, and `load` says that the file was altered.
        self._forms: dict[str, Callable[[Any], object]] = {
            "float": lambda text: float(_known(text, ("nan", "inf", "-inf"))),
            "tuple": lambda parts: tuple(self._list(parts)),
            "dict": lambda pairs: {self.decode(key): self.decode(value) for key, value in pairs},
            "slice": lambda parts: slice(*self._list(parts)),
            "array": self._arrays.__getitem__,
            "scalar": lambda name: self._arrays[name][()],
            "dtype": lambda name: np.dtype(_known(name, NUMPY_TYPES)),
            "numpy_type": lambda name: np.dtype(_known(name, NUMPY_TYPES)).type,
            "sparse": lambda parts: self._sparse(*parts),
            "text": lambda parts: self._text(*parts),
            "objects": lambda parts: self._objects(*parts),
            "generator": self._generator,
            "random_state": self._random_state,
            "enum": lambda parts: self._enum(*parts),
            "same": self._same,
        }

    def decode(self, value: Json) -> object:
        """The value behind JSON."""
        if isinstance(value, list):
            return self._list(value)
        if not isinstance(value, dict):
            return value
        if value.keys() == {"object", "state"}:
            return self._object(value["object"], value["state"])
        ((form, content),) = value.items()
        return self._forms[_known(form, self._forms)](content)

    def _list(self, values: list[Json]) -> list[object]:
        return [self.decode(each) for each in values]

    def _object(self, name: Json, state: Json) -> object:
        type_ = self._type(name)
        if issubclass(type_, Enum) or not isinstance(state, dict):
            raise FileFormatError(f"was altered: {name!r} has no attributes.")
        made: object = object.__new__(type_)
        at = len(self._made)
        self._made.append(made if type_ in self._cyclic else _UNFINISHED)
        attributes = upgraded(type_, {key: self.decode(part) for key, part in state.items()})
        if hasattr(made, "__setstate__"):
            made.__setstate__(attributes)
        else:
            made.__dict__.update(attributes)
        self._made[at] = self._finish(made)
        return self._made[at]

    def _type(self, name: Json) -> type:
        if not isinstance(name, str) or name not in self._types:
            raise FileFormatError(f"holds a {str(name)[:80]!r}, which this version of bochner does not know.")
        return self._types[name]

    def _enum(self, name: str, member: str) -> object:
        type_ = self._type(name)
        if not issubclass(type_, Enum):
            raise FileFormatError(f"was altered: {name!r} has no members.")
        return type_[member]

    def _same(self, number: int) -> object:
        if type(number) is not int or not 0 <= number < len(self._made) or self._made[number] is _UNFINISHED:
            raise FileFormatError(f"was altered: it has no object {str(number)[:20]} above that is complete.")
        return self._made[number]

    def _sparse(self, name: str, shape: list[int], *parts: str) -> SparseMatrix:
        data, indices, indptr = (self._arrays[part] for part in parts)
        if data.dtype.kind not in "biuf" or {indices.dtype.kind, indptr.dtype.kind} != {"i"}:
            raise FileFormatError("was altered: a sparse matrix is not made of numbers and indices.")
        if indptr.size == 0 or indptr[0] != 0 or np.any(indptr[1:] < indptr[:-1]):  # SciPy looks at them if any is > 0
            raise FileFormatError("was altered: the rows of a sparse matrix do not follow each other.")
        # Copies: SciPy sorts indices in place, and another object may have the same array.
        matrix = SPARSE[_known(name, SPARSE)]((data, indices.copy(), indptr.copy()), shape=tuple(shape))
        matrix.check_format(full_check=True)  # compiled loops trust the indices
        return matrix  # type: ignore[no-any-return]

    def _text(self, shape: list[int], text: str, ends: str) -> Array:
        raw, stops = self._arrays[text].tobytes(), self._arrays[ends].tolist()
        items = [raw[start:stop].decode("utf-8", "surrogatepass") for start, stop in zip([0, *stops], stops)]
        return _object_array(items, shape)

    def _objects(self, shape: list[int], items: list[Json]) -> Array:
        return _object_array(self._list(items), shape)

    def _generator(self, content: Json) -> np.random.Generator:
        state, bits = self._bits(content)
        bits.state = state
        return np.random.Generator(bits)

    def _random_state(self, content: Json) -> np.random.RandomState:
        state, bits = self._bits(content)
        restored = np.random.RandomState(bits)
        restored.set_state(state)
        return restored

    def _bits(self, content: Json) -> tuple[dict[str, object], np.random.BitGenerator]:
        """State of a generator, and a new source of bits of its type."""
        state = self.decode(content)
        if not isinstance(state, dict):
            raise FileFormatError("was altered: a generator has no state.")
        return state, getattr(np.random, _known(state["bit_generator"], GENERATORS))()


def _known(name: str, table: Collection[str]) -> str:
    if name not in table:
        raise FileFormatError(f"was altered: {str(name)[:80]!r} is no form of a value.")
    return name


def _object_array(items: list[Any], shape: list[int]) -> Array:
    array = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):  # `array[:] = items` would look into lists and arrays
        array[i] = item
    return array.reshape(tuple(shape))
