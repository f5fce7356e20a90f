"""Encoder of objects as JSON and arrays (the forms are listed in `bochner.io.forms`)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np

from bochner._typing import Array, SparseMatrix
from bochner.errors import UnsupportedModelError
from bochner.io.forms import GENERATORS, NUMPY_TYPES, SPARSE, Json
from bochner.io.schema import schema_of
from bochner.io.types import name_of

__all__ = ["Encoder"]


class Encoder:
    """Turns objects into JSON; their arrays gather in `arrays`.

    Parameters
    ----------
    replace : callable
        `replace(value)` is what is written in place of an object: the object itself, or a stand-in.
    """

    def __init__(self, replace: Callable[[object], object] = lambda value: value) -> None:
        self.arrays: dict[str, Array] = {}
        self._replace = replace
        self._seen: dict[int, tuple[object, int]] = {}  # by identity; the object is held so that its id stays its own
        self._named: dict[int, tuple[Array, str]] = {}
        self._forms: dict[type, Callable[[Any, str], Json]] = {
            **dict.fromkeys((type(None), bool, int, str), lambda value, path: value),
            float: self._float,
            list: self._list,
            tuple: lambda value, path: {"tuple": self._list(value, path)},
            dict: self._dict,
            slice: self._slice,
            np.ndarray: self._array,
            np.memmap: self._array,
            np.random.Generator: self._generator,
            np.random.RandomState: self._generator,
            **dict.fromkeys(SPARSE.values(), self._sparse),
        }

    def encode(self, value: object, path: str) -> Json:
        """The JSON of a value that is found at `path`."""
        form = self._forms.get(type(value))
        if form is not None:
            return form(value, path)
        if isinstance(value, Enum):
            return {"enum": [self._type_name(value, path), value.name]}
        return self._numpy(value, path) or self._object(value, path)

    def _float(self, value: float, path: str) -> Json:
        return value if math.isfinite(value) else {"float": repr(value)}

    def _list(self, values: list[object] | tuple[object, ...], path: str) -> list[Json]:
        return [self.encode(each, f"{path}.{i}") for i, each in enumerate(values)]

    def _dict(self, value: dict[object, object], path: str) -> Json:
        return {"dict": [[self.encode(k, f"{path}.key"), self.encode(v, f"{path}.{k}")] for k, v in value.items()]}

    def _slice(self, value: slice, path: str) -> Json:
        return {"slice": [self.encode(part, path) for part in (value.start, value.stop, value.step)]}

    def _numpy(self, value: object, path: str) -> Json:
        """The JSON of a NumPy scalar, dtype or scalar type; None for another value."""
        if isinstance(value, np.generic):
            return {"scalar": self._store(np.asarray(value), path)}
        if isinstance(value, np.dtype) and value.name in NUMPY_TYPES:
            return {"dtype": value.name}
        if isinstance(value, type) and issubclass(value, np.generic) and np.dtype(value).name in NUMPY_TYPES:
            return {"numpy_type": np.dtype(value).name}
        return None

    def _array(self, array: Array, path: str) -> Json:
        if array.dtype.kind != "O":
            return {"array": self._store(array, path)}
        items: list[object] = array.ravel().tolist()
        if all(type(item) is str for item in items):
            encoded = [str(item).encode("utf-8", "surrogatepass") for item in items]
            text = np.frombuffer(b"".join(encoded), dtype=np.uint8)
            ends = np.cumsum([len(each) for each in encoded], dtype=np.int64)
            return {"text": [list(array.shape), self._store(text, f"{path}.text"), self._store(ends, f"{path}.ends")]}
        return {"objects": [list(array.shape), self._list(items, path)]}

    def _generator(self, value: np.random.Generator | np.random.RandomState, path: str) -> Json:
        if isinstance(value, np.random.RandomState):
            form, state = "random_state", dict(value.get_state(legacy=False))
        else:
            form, state = "generator", dict(value.bit_generator.state)
        if state["bit_generator"] not in GENERATORS:
            raise UnsupportedModelError(f"{path} is a generator of type {state['bit_generator']}: give a seed instead.")
        return {form: self.encode(state, path)}

    def _sparse(self, matrix: SparseMatrix, path: str) -> Json:
        parts = [self._store(getattr(matrix, part), f"{path}.{part}") for part in ("data", "indices", "indptr")]
        return {"sparse": [type(matrix).__name__, list(map(int, matrix.shape)), *parts]}

    def _object(self, original: object, path: str) -> Json:
        if id(original) in self._seen:
            return {"same": self._seen[id(original)][1]}
        value = self._replace(original)
        name = self._type_name(value, path)
        self._seen[id(original)] = (original, len(self._seen))
        state = _state(value, path)
        return {"object": name, "state": {key: self.encode(part, f"{path}.{key}") for key, part in state.items()}}

    def _type_name(self, value: object, path: str) -> str:
        name = name_of(type(value))
        if name is None:
            is_function = callable(value) and hasattr(value, "__name__")
            what = "a function" if is_function else f"of type {type(value).__qualname__}"
            raise UnsupportedModelError(
                f"{path} is {what}, which a model file cannot hold: it has no code, and only types of a fixed table, "
                "estimators and dataclasses. joblib.dump writes such a model, for readers who trust you."
            )
        return name

    def _store(self, array: Array, path: str) -> str:
        """Store an array of the archive, once; its name there."""
        if id(array) not in self._named:
            name = plain = re.sub(r"[^A-Za-z0-9_.-]", "-", path)[-180:]
            while name in self.arrays:
                name = f"{plain}-{len(self.arrays)}"
            self.arrays[name] = array
            self._named[id(array)] = (array, name)
        return self._named[id(array)][1]


def _state(value: object, path: str) -> dict[str, object]:
    """Attributes of an object, as pickle takes them; refused if they are not all that the object is made of."""
    try:
        object.__new__(type(value))  # as `load` does; a subclass of dict, tuple or ndarray would lose its content
        state = value.__getstate__() or {}  # None if there are no attributes
    except TypeError:
        state = None
    if not isinstance(state, dict) or not all(type(key) is str for key in state):
        raise UnsupportedModelError(
            f"{path} of type {type(value).__qualname__} keeps its state in another place than its attributes."
        )
    derived = schema_of(value).derived
    return {name: part for name, part in state.items() if name not in derived}
