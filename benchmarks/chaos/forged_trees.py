"""Forged model files: valid checksums around a tree that was altered on purpose.

A file is a tree of JSON and a table of arrays (`bochner.io.forms`). A forgery replaces nodes by other nodes of the
file, by objects of other types, by arrays of other shapes and types, or by objects that have the attributes of an
array; it adds, renames and deletes attributes, and points at objects that are not complete. `forged` is deterministic:
the same content and generator give the same file.
"""

from __future__ import annotations

import copy
import io
import json
import random
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import numpy as np

__all__ = ["Content", "forged", "mutated_bytes"]

Place = tuple[Any, Any]
"""A list or dict of a tree, and a key of it."""

_INTEGERS = (0, 1, -1, 2, 3, 7, 64, 2**31, 2**32 + 1, 2**53, 2**62, -(2**63), 2**64, 10**30)
_FLOATS = (0.0, -1.0, 1e-308, 1e308, -1e308, 0.5, 1e15)
_NOT_NUMBERS = ({"float": "nan"}, {"float": "inf"}, {"float": "-inf"})
_OTHERS = (None, True, False, "", "x", [], {}, {"tuple": []}, {"dict": []}, "auto", {"dtype": "float32"}, "a" * 10_000)
_METHODS = ("transform", "predict", "fit", "write", "draw", "get_params", "profile", "n_components", "scratch_width")
_OF_ARRAYS = ("omega", "T", "ndim", "dtype", "shape", "size", "flags", "strides", "data")
_OF_NUMPY = ("__array_interface__", "__array__", "__array_struct__", "__array_priority__", "__array_ufunc__")
_OF_PYTHON = ("__len__", "__class__", "__dict__", "__getattr__", "__call__", "__setstate__", "__reduce__", "__iter__")
_DERIVED = ("_cast", "_gram", "_factor", "_lock", "trace", "mean", "solution", "recipe")
_FITTED = ("map_", "fitted_", "kernel_", "n_features_in_", "categories_", "_n_features_outs", "_n_out_full", "steps")
_SETTINGS = (
    "_parameter_constraints",
    "_sklearn_output_config",
    "__sklearn_tags__",
    "memory",
    "checkpoint",
    "note",
    "x_",
)
_NAMES = (*_METHODS, *_OF_ARRAYS, *_OF_NUMPY, *_OF_PYTHON, *_DERIVED, *_FITTED, *_SETTINGS)
_DTYPES = ("<f8", "<f4", "<f2", "<i8", "<i4", "|u1", "|i1", "|b1", "<U3", "<u8")


@dataclass
class Content:
    """Header and arrays of a file."""

    header: dict[str, Any]
    arrays: dict[str, np.ndarray]
    names: list[str] = field(default_factory=list)
    """Names of types that forged objects may have."""

    @classmethod
    def of(cls, raw: bytes, names: list[str]) -> Content:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            header = json.loads(archive.read("header.json"))
            arrays = {name: _array(archive.read(f"arrays/{name}"), row) for name, row in header["arrays"].items()}
        return cls(header, arrays, names)

    def copied(self) -> Content:
        return Content(copy.deepcopy(self.header), dict(self.arrays), self.names)

    def written(self) -> bytes:
        """The bytes of the file, with checksums that hold."""
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            rows = {name: _written(archive, name, array) for name, array in self.arrays.items()}
            text = json.dumps({**self.header, "arrays": rows}).encode()
            archive.writestr("header.json", text)
            archive.comment = sha256(text).hexdigest().encode()
        return file.getvalue()

    def places(self) -> list[Place]:
        """Every place of the tree of the model, from the top."""
        top = self.header["header"]
        return [(top, "model"), *_places(top.get("model"))]


def _array(raw: bytes, row: list[Any]) -> np.ndarray:
    dtype, shape, order, _ = row
    return np.frombuffer(raw, dtype=dtype).reshape(shape, order=order)


def _written(archive: zipfile.ZipFile, name: str, array: np.ndarray) -> list[Any]:
    order = "C" if array.flags.c_contiguous else "F"
    raw = array.tobytes(order=order)
    archive.writestr(f"arrays/{name}", raw)
    return [array.dtype.str, list(array.shape), order, sha256(raw).hexdigest()]


def _places(tree: Any) -> Iterator[Place]:
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in list(items):
        yield tree, key
        yield from _places(value)


def forged(content: Content, rng: random.Random) -> tuple[bytes, list[str]]:
    """A forged file, and the names of what was done to it."""
    own = content.copied()
    ways = rng.choices(list(_WAYS), weights=list(_WAYS.values()), k=rng.choice((1, 1, 1, 1, 2, 3, 5)))
    ways.sort(key=lambda way: way is _other_top)  # after which there is no tree
    for way in ways[: ways.index(_other_top) + 1] if _other_top in ways else ways:
        way(own, rng)
    return own.written(), [way.__name__.strip("_") for way in ways]


def _pick(content: Content, rng: random.Random, wanted: Callable[[Any], bool]) -> Place | None:
    found = [(parent, key) for parent, key in content.places() if wanted(parent[key])]
    return rng.choice(found) if found else None


def _form(name: str) -> Callable[[Any], bool]:
    return lambda node: isinstance(node, dict) and name in node


def _put(place: Place | None, make: Callable[[Any], Any]) -> None:
    if place is not None:
        parent, key = place
        parent[key] = make(parent[key])


def _swap_nodes(content: Content, rng: random.Random) -> None:
    """A node becomes a copy of another one."""
    parent, key = rng.choice(content.places())
    source, source_key = rng.choice(content.places())
    parent[key] = copy.deepcopy(source[source_key])


def _swap_alike(content: Content, rng: random.Random) -> None:
    """An object or array becomes another object or array of the file."""
    wanted = _form(rng.choice(("object", "array")))
    one, other = _pick(content, rng, wanted), _pick(content, rng, wanted)
    if other is not None:
        _put(one, lambda _: copy.deepcopy(other[0][other[1]]))


def _other_value(content: Content, rng: random.Random) -> None:
    _put(rng.choice(content.places()), lambda _: _value(content, rng))


def _value(content: Content, rng: random.Random) -> Any:
    kind = rng.randrange(6)
    if kind == 0:
        return rng.choice(_INTEGERS)
    if kind == 1:
        return rng.choice(_FLOATS)
    if kind == 2:
        return copy.deepcopy(rng.choice((*_NOT_NUMBERS, *_OTHERS)))
    if kind == 3 and content.arrays:
        return {"array": rng.choice(list(content.arrays))}
    if kind == 4:
        return _like_an_array(content, rng)
    return {"object": rng.choice(content.names), "state": {}}


def _other_number(content: Content, rng: random.Random) -> None:
    def change(old: Any) -> Any:
        near = (-old, old + 1, old - 1, 2 * old, old // 2 if isinstance(old, int) else old / 2)
        return rng.choice((*near, *_INTEGERS, *_FLOATS, *copy.deepcopy(_NOT_NUMBERS), str(old), [old]))

    _put(_pick(content, rng, lambda node: type(node) in (int, float)), change)


def _other_array(content: Content, rng: random.Random) -> None:
    """One use of an array becomes another array."""

    def change(node: dict[str, Any]) -> dict[str, Any]:
        old = content.arrays.get(str(node["array"]), np.zeros(3))
        name = f"forged-{len(content.arrays)}"
        content.arrays[name] = _changed_array(old, rng)
        return {**node, "array": name}

    _put(_pick(content, rng, _form("array")), change)


def _every_use_of_an_array(content: Content, rng: random.Random) -> None:
    """An array is changed under its name: also those of sparse matrices, texts and scalars."""
    if content.arrays:
        name = rng.choice(list(content.arrays))
        content.arrays[name] = _changed_array(content.arrays[name], rng)


def _changed_array(old: np.ndarray, rng: random.Random) -> np.ndarray:
    old = np.asarray(old)  # one text is no array
    array = np.asarray(rng.choice(_SHAPES)(old, rng) if rng.random() < 0.6 else old)
    if rng.random() < 0.4:
        with np.errstate(all="ignore"):
            array = np.nan_to_num(array).astype(rng.choice(_DTYPES)) if array.dtype.kind in "biuf" else array
    if rng.random() < 0.3:
        array = np.asfortranarray(array)
    return _changed_numbers(array, rng) if rng.random() < 0.4 and array.size and array.dtype.kind in "iuf" else array


def _changed_numbers(array: np.ndarray, rng: random.Random) -> np.ndarray:
    array = array.copy(order="K")
    floats = (np.nan, np.inf, -np.inf, 1e308, -1e308, 0.0, -1.0, 1e-308)
    info = None if array.dtype.kind == "f" else np.iinfo(array.dtype)
    value = rng.choice(floats) if info is None else rng.choice((info.min, info.max, 0, 1, 5))
    with np.errstate(all="ignore"):
        array.flat[slice(None) if rng.random() < 0.3 else rng.randrange(array.size)] = value
    return array


_SHAPES: tuple[Callable[[np.ndarray, random.Random], np.ndarray], ...] = (
    lambda a, rng: a[:-1] if a.ndim else a,
    lambda a, rng: np.concatenate([a, a[:1]]) if a.ndim else np.array([a]),
    lambda a, rng: a[..., :-1] if a.ndim else a,
    lambda a, rng: a.T,
    lambda a, rng: a.reshape(-1),
    lambda a, rng: a[None],
    lambda a, rng: a[..., None],
    lambda a, rng: a[:0] if a.ndim else np.empty((0, 3)),
    lambda a, rng: a.reshape(-1)[0] if a.size else np.zeros(()),
    lambda a, rng: np.tile(a, 3),
    lambda a, rng: np.zeros((0, rng.choice((1, 4, 2**40)))),
    lambda a, rng: np.ones(rng.choice((1, 2, 100_000))),
    lambda a, rng: np.ones((rng.choice((1, 4, 300)), rng.choice((1, 4, 300)))),
)


def _delete(content: Content, rng: random.Random) -> None:
    inside = content.places()[1:]
    if inside:
        parent, key = rng.choice(inside)
        del parent[key]


def _rename_attribute(content: Content, rng: random.Random) -> None:
    state = _state(content, rng)
    if state:
        name = rng.choice(list(state))
        state[rng.choice(_NAMES)] = state.pop(name)


def _add_attribute(content: Content, rng: random.Random) -> None:
    state = _state(content, rng)
    if state is not None:
        parent, key = rng.choice(content.places())
        value = copy.deepcopy(parent[key]) if rng.random() < 0.5 else _value(content, rng)
        state[rng.choice((*_NAMES, *state))] = value


def _state(content: Content, rng: random.Random) -> dict[str, Any] | None:
    place = _pick(content, rng, lambda node: isinstance(node, dict) and isinstance(node.get("state"), dict))
    return None if place is None else place[0][place[1]]["state"]


def _other_type(content: Content, rng: random.Random) -> None:
    _put(_pick(content, rng, _form("object")), lambda node: {**node, "object": rng.choice(content.names)})


def _other_container(content: Content, rng: random.Random) -> None:
    def change(node: Any) -> Any:
        inside = next(iter(node.values())) if isinstance(node, dict) and node else node
        return rng.choice(
            (inside, [node], {"tuple": [node]}, {"tuple": inside}, {"dict": [["a", node]]}, {"slice": [node, node, 1]})
        )

    _put(_pick(content, rng, lambda node: isinstance(node, (list, dict))), change)


def _same(content: Content, rng: random.Random) -> None:
    """A node becomes an object above, itself and its owners included."""
    _put(rng.choice(content.places()), lambda _: {"same": rng.choice((0, 1, 2, 3, 4, 5, 8, 13, -1, 10**9))})


def _array_by_an_object(content: Content, rng: random.Random) -> None:
    _put(_pick(content, rng, _form("array")), lambda _: _like_an_array(content, rng))


def _like_an_array(content: Content, rng: random.Random) -> dict[str, Any]:
    """An object of some type with the attributes of an array of twenty million rows."""
    n = rng.choice((1, 4, 20_000_000))
    shape = {"tuple": [n, rng.choice((1, 2, 4))]}
    interface = [["data", {"tuple": [0x1000, False]}], ["shape", shape], ["typestr", "<f8"], ["version", 3]]
    of_an_array = {"ndim": 2, "dtype": {"dtype": "float64"}, "T": {"same": 0}, "shape": shape, "size": n, "len": n}
    special = {"__len__": n, "__array_interface__": {"dict": interface}, "__array__": {"same": 0}}
    forged_attributes = {**of_an_array, **special, "nbytes": 8 * n, "flags": {"dict": []}}
    kept = rng.sample(list(forged_attributes), rng.randrange(1, len(forged_attributes) + 1))
    return {"object": rng.choice(content.names), "state": {name: forged_attributes[name] for name in kept}}


def _other_top(content: Content, rng: random.Random) -> None:
    """The model is no model, or the header no header of one."""
    model, header = content.header["header"].get("model"), content.header["header"]
    others = (
        [model],
        {"tuple": [model]},
        {"dict": [["a", model]]},
        {"enum": ["solvers.Ending", "CONVERGED"]},
        3,
        None,
        [],
    )
    if rng.random() < 0.7:
        header["model"] = rng.choice(others)
    else:
        content.header[rng.choice(("kind", "version", "container", "bochner", "header"))] = rng.choice(
            (0, "x", {}, None, [1])
        )


_WAYS: dict[Callable[[Content, random.Random], None], int] = {
    _swap_nodes: 3,
    _swap_alike: 3,
    _other_value: 3,
    _other_number: 5,
    _other_array: 6,
    _every_use_of_an_array: 4,
    _delete: 2,
    _rename_attribute: 2,
    _add_attribute: 4,
    _other_type: 3,
    _other_container: 2,
    _same: 2,
    _array_by_an_object: 3,
    _other_top: 1,
}


def mutated_bytes(raw: bytes, rng: random.Random) -> tuple[bytes, list[str]]:
    """A file with bytes flipped, cut, repeated, moved or inserted, and what was done to it."""
    ways = rng.choices(list(_BYTES), k=rng.choice((1, 1, 2, 4)))
    for way in ways:
        at, n = rng.randrange(len(raw) + 1), rng.choice((1, 2, 8, 64, 400))
        raw = _BYTES[way](raw, at, n, rng)
    return raw, ways


def _flip(raw: bytes, at: int, n: int, rng: random.Random) -> bytes:
    return raw[:at] + bytes(byte ^ (1 << rng.randrange(8)) for byte in raw[at : at + 1]) + raw[at + 1 :]


_BYTES: dict[str, Callable[[bytes, int, int, random.Random], bytes]] = {
    "flip": _flip,
    "cut": lambda raw, at, n, rng: raw[at:],
    "truncate": lambda raw, at, n, rng: raw[:at],
    "double": lambda raw, at, n, rng: raw[:at] + raw[at : at + n] + raw[at:],
    "delete": lambda raw, at, n, rng: raw[:at] + raw[at + n :],
    "insert": lambda raw, at, n, rng: raw[:at] + rng.randbytes(n) + raw[at:],
    "zero": lambda raw, at, n, rng: raw[:at] + bytes(n) + raw[at + n :],
}
