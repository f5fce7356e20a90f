"""Objects as JSON and arrays, and back.

    null, true, 1, 2.5, "text", [...]         themselves
    {"object": "kernels.Gaussian", "state": {...}}   an object of the table of types, by its attributes
    {"same": 3}                               the third object above, again
    {"array": "model.coef"}                   an array of the archive
    {"tuple": ...}, {"dict": ...}, ...        what JSON does not have

Types are looked up in `bochner.io.types`; nothing is imported or called by a name from the file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np
from scipy import sparse

from bochner._typing import Array
from bochner.errors import FileFormatError, UnsupportedModelError
from bochner.io.types import name_of, types_by_name

__all__ = ["Decoder", "Encoder"]

_GENERATORS = ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")
_NUMPY_TYPES = {"bool", "object"} | {f"{kind}{bits}" for kind in ("int", "uint", "float") for bits in (8, 16, 32, 64)}
_SPARSE = {
    f"{format_}_{kind}": getattr(sparse, f"{format_}_{kind}")
    for format_ in ("csr", "csc")
    for kind in ("array", "matrix")
}


class Encoder:
    """Turns objects into JSON; their arrays gather in `arrays`.

    Parameters
    ----------
    replace : callable
        `replace(value)` is what is written in place of an object: the object itself, or a stand-in.
    """

    def __init__(self, replace: Callable[[Any], Any] = lambda value: value) -> None:
        self.arrays: dict[str, Array] = {}
        self._replace = replace
        self._seen: dict[int, tuple[Any, int]] = {}  # by identity; the object is held so that its id stays its own
        self._named: dict[int, tuple[Any, str]] = {}

    def encode(self, value: Any, path: str) -> Any:
        """The JSON of a value that is found at `path`."""
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"float": repr(value)}
        if type(value) is list:
            return [self.encode(each, f"{path}.{i}") for i, each in enumerate(value)]
        if type(value) is tuple:
            return {"tuple": [self.encode(each, f"{path}.{i}") for i, each in enumerate(value)]}
        if type(value) is dict:
            pairs = [[self.encode(k, f"{path}.key"), self.encode(v, f"{path}.{k}")] for k, v in value.items()]
            return {"dict": pairs}
        if isinstance(value, slice):
            return {"slice": [self.encode(part, path) for part in (value.start, value.stop, value.step)]}
        if isinstance(value, Enum) and name_of(type(value)) is not None:
            return {"enum": [name_of(type(value)), value.name]}
        return self._encode_numpy(value, path)

    def _encode_numpy(self, value: Any, path: str) -> Any:
        if isinstance(value, np.ndarray) and type(value) in (np.ndarray, np.memmap):
            return self._encode_array(value, path)
        if isinstance(value, np.generic):
            return {"scalar": self._store(np.asarray(value), path)}
        if isinstance(value, np.dtype) and value.name in _NUMPY_TYPES:
            return {"dtype": value.name}
        if isinstance(value, type) and issubclass(value, np.generic) and np.dtype(value).name in _NUMPY_TYPES:
            return {"numpy_type": np.dtype(value).name}
        if type(value).__name__ in _SPARSE and type(value) is _SPARSE[type(value).__name__]:
            return {"sparse": [type(value).__name__, list(map(int, value.shape)), *self._sparse_parts(value, path)]}
        if isinstance(value, (np.random.Generator, np.random.RandomState)):
            return self._encode_generator(value, path)
        return self._encode_object(value, path)

    def _encode_array(self, array: Array, path: str) -> Any:
        if array.dtype.kind != "O":
            return {"array": self._store(array, path)}
        items = array.ravel().tolist()
        if all(type(item) is str for item in items):
            encoded = [item.encode("utf-8", "surrogatepass") for item in items]
            text = np.frombuffer(b"".join(encoded), dtype=np.uint8)
            ends = np.cumsum([len(each) for each in encoded], dtype=np.int64)
            names = [self._store(text, f"{path}.text"), self._store(ends, f"{path}.ends")]
            return {"text": [list(array.shape), *names]}
        return {"objects": [list(array.shape), [self.encode(item, f"{path}.{i}") for i, item in enumerate(items)]]}

    def _encode_generator(self, value: Any, path: str) -> Any:
        legacy = isinstance(value, np.random.RandomState)
        state = value.get_state(legacy=False) if legacy else value.bit_generator.state
        if state["bit_generator"] not in _GENERATORS:
            raise UnsupportedModelError(f"{path} is a generator of type {state['bit_generator']}: give a seed instead.")
        return {"random_state" if legacy else "generator": self.encode(state, path)}

    def _sparse_parts(self, matrix: Any, path: str) -> list[str]:
        return [self._store(getattr(matrix, part), f"{path}.{part}") for part in ("data", "indices", "indptr")]

    def _encode_object(self, original: Any, path: str) -> Any:
        if id(original) in self._seen:
            return {"same": self._seen[id(original)][1]}
        value = self._replace(original)
        name = name_of(type(value))
        if name is None:
            what = (
                "a function"
                if callable(value) and hasattr(value, "__name__")
                else f"of type {type(value).__qualname__}"
            )
            raise UnsupportedModelError(
                f"{path} is {what}, which a model file cannot hold: it has no code and only types of a fixed table. "
                "joblib.dump writes such a model, for readers who trust you."
            )
        self._seen[id(original)] = (original, len(self._seen))
        state = value.__getstate__() or {}  # None if there are no attributes
        if not isinstance(state, dict):
            raise UnsupportedModelError(
                f"{path} of type {type(value).__qualname__} keeps its state in another place than its attributes."
            )
        return {"object": name, "state": {key: self.encode(part, f"{path}.{key}") for key, part in state.items()}}

    def _store(self, array: Array, path: str) -> str:
        """Put an array beside the JSON, once; its name there."""
        if id(array) not in self._named:
            name = plain = re.sub(r"[^A-Za-z0-9_.-]", "-", path)[-180:]
            while name in self.arrays:
                name = f"{plain}-{len(self.arrays)}"
            self.arrays[name] = array
            self._named[id(array)] = (array, name)
        return self._named[id(array)][1]


class Decoder:
    """Makes objects from JSON and arrays.

    Parameters
    ----------
    arrays : dict of arrays
    finish : callable
        `finish(object)` checks an object that was made and returns it, or what it stands for.
    """

    def __init__(self, arrays: dict[str, Array], finish: Callable[[Any], Any] = lambda value: value) -> None:
        self._arrays = arrays
        self._finish = finish
        self._made: list[Any] = []
        self._forms: dict[str, Callable[[Any], Any]] = {
            "float": self._float,
            "tuple": lambda parts: tuple(self.decode(list(parts))),
            "dict": lambda pairs: {self.decode(key): self.decode(value) for key, value in pairs},
            "slice": lambda parts: slice(*self.decode(list(parts))),
            "array": self._arrays.__getitem__,
            "scalar": lambda name: self._arrays[name][()],
            "dtype": lambda name: np.dtype(_known(name, _NUMPY_TYPES)),
            "numpy_type": lambda name: np.dtype(_known(name, _NUMPY_TYPES)).type,
            "sparse": self._sparse,
            "text": self._text,
            "objects": self._objects,
            "generator": self._generator,
            "random_state": self._random_state,
            "enum": self._enum,
            "same": self._same,
        }

    def decode(self, value: Any) -> Any:
        """The value behind JSON."""
        if isinstance(value, list):
            return [self.decode(each) for each in value]
        if not isinstance(value, dict):
            return value
        if value.keys() == {"object", "state"}:
            return self._object(value["object"], value["state"])
        ((form, content),) = value.items()
        return self._forms[_known(form, self._forms)](content)

    def _object(self, name: str, state: dict[str, Any]) -> Any:
        type_ = _type(name)
        if issubclass(type_, Enum):
            raise FileFormatError(f"was altered: {name!r} has no attributes.")
        made: Any = object.__new__(type_)
        at = len(self._made)
        self._made.append(made)
        attributes = {key: self.decode(part) for key, part in state.items()}
        if hasattr(made, "__setstate__"):
            made.__setstate__(attributes)
        else:
            made.__dict__.update(attributes)
        self._made[at] = self._finish(made)
        return self._made[at]

    def _enum(self, parts: list[Any]) -> Any:
        name, member = parts
        type_ = _type(name)
        if not issubclass(type_, Enum):
            raise FileFormatError(f"was altered: {name!r} has no members.")
        return type_[member]

    def _same(self, number: int) -> Any:
        if not 0 <= number < len(self._made):
            raise IndexError(number)
        return self._made[number]

    def _float(self, text: str) -> float:
        return float(_known(text, ("nan", "inf", "-inf")))

    def _sparse(self, parts: list[Any]) -> Any:
        name, shape, data, indices, indptr = parts
        contents = (self._arrays[data], self._arrays[indices], self._arrays[indptr])
        matrix = _SPARSE[_known(name, _SPARSE)](contents, shape=tuple(shape))
        matrix.check_format(full_check=True)  # compiled loops trust the indices
        return matrix

    def _text(self, parts: list[Any]) -> Array:
        shape, text, ends = parts
        raw, stops = self._arrays[text].tobytes(), self._arrays[ends].tolist()
        items = [raw[start:stop].decode("utf-8", "surrogatepass") for start, stop in zip([0, *stops], stops)]
        return _object_array(items, shape)

    def _objects(self, parts: list[Any]) -> Array:
        shape, items = parts
        return _object_array([self.decode(item) for item in items], shape)

    def _generator(self, state: Any) -> np.random.Generator:
        state = self.decode(state)
        bits = getattr(np.random, _known(state["bit_generator"], _GENERATORS))()
        bits.state = state
        return np.random.Generator(bits)

    def _random_state(self, state: Any) -> np.random.RandomState:
        state = self.decode(state)
        restored = np.random.RandomState(getattr(np.random, _known(state["bit_generator"], _GENERATORS))())
        restored.set_state(state)
        return restored


def _type(name: str) -> type:
    type_ = types_by_name().get(name)
    if type_ is None:
        raise FileFormatError(f"holds a {str(name)[:80]!r}, which this version of bochner does not know.")
    return type_


def _known(name: Any, table: Any) -> Any:
    if name not in table:
        raise FileFormatError(f"was altered: {str(name)[:80]!r} is no form of a value.")
    return name


def _object_array(items: list[Any], shape: list[int]) -> Array:
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array.reshape(tuple(shape))
