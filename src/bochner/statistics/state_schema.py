"""Schemas of the states in checkpoints: which numbers and arrays there are, of which types, shapes and ranges.

A checksum tells of damage, not of a file that was made up: nothing in a state is used before it fits its schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from bochner._typing import Array

__all__ = [
    "POSITION",
    "AnyState",
    "ArrayRule",
    "Flag",
    "NumberRule",
    "Rule",
    "Schema",
    "StateSchema",
    "Word",
    "split_state",
]

_LARGEST = float(np.finfo(float).max)


class Rule(Protocol):
    """Rule of one value of a state."""

    def fault(self, value: object) -> str | None:
        """What is wrong with a value, in words; None if it keeps the rule."""
        ...


class StateSchema(Protocol):
    """Schema of a state as a whole."""

    def fault(self, state: Mapping[str, Any]) -> str | None:
        """What is wrong with a state, in words; None if it fits."""
        ...


class AnyState:
    """Schema of the states of a solver that checks them itself."""

    def fault(self, state: Mapping[str, Any]) -> str | None:
        return None


@dataclass(frozen=True)
class NumberRule:
    """A finite number of an interval; an integer if asked for."""

    low: float = -_LARGEST
    high: float = _LARGEST
    integer: bool = False

    def fault(self, value: object) -> str | None:
        allowed = (int,) if self.integer else (int, float)
        if type(value) in allowed and self.low <= value <= self.high:  # type: ignore[operator]
            return None
        kind = "an integer" if self.integer else "a number"
        return f"is {str(value)[:40]!r}, not {kind} from {self.low:g} to {self.high:g}"


@dataclass(frozen=True)
class Flag:
    """True or false."""

    def fault(self, value: object) -> str | None:
        return None if type(value) is bool else f"is {str(value)[:40]!r}, not true or false"


@dataclass(frozen=True)
class Word:
    """One of some words."""

    words: tuple[str, ...]

    def fault(self, value: object) -> str | None:
        known = type(value) is str and value in self.words
        return None if known else f"is {str(value)[:40]!r}, not one of {', '.join(self.words)}"


@dataclass(frozen=True)
class ArrayRule:
    """An array of a type and shape, None for a side of any length, with numbers of an interval.

    `gaps` allows NaN, for numbers that are not known yet.
    """

    shape: tuple[int | None, ...]
    dtype: str = "float64"
    low: float = -_LARGEST
    high: float = _LARGEST
    gaps: bool = False

    def fault(self, value: object) -> str | None:
        if type(value) is not np.ndarray or value.dtype != np.dtype(self.dtype):
            return f"is {getattr(value, 'dtype', type(value).__name__)}, not an array of {self.dtype}"
        if not self._has_shape(value):
            wanted = " x ".join("any" if n is None else str(n) for n in self.shape)
            return f"has the shape {' x '.join(map(str, value.shape)) or 'of a number'}, not {wanted}"
        return None if not value.size or self._in_range(value) else self._out_of_range()

    def _has_shape(self, value: Array) -> bool:
        if value.ndim != len(self.shape):
            return False
        return all(wanted is None or wanted == n for wanted, n in zip(self.shape, value.shape))

    def _in_range(self, value: Array) -> bool:
        """Minima and maxima have no temporary of the array's size, and are NaN if any number is."""
        smallest, largest = (np.fmin, np.fmax) if self.gaps else (np.minimum, np.maximum)
        low, high = smallest.reduce(value, axis=None), largest.reduce(value, axis=None)
        return bool(self.low <= low and high <= self.high) or bool(self.gaps and np.isnan(low))

    def _out_of_range(self) -> str:
        if self.low == -_LARGEST:
            return "has numbers that are not finite"
        return f"has numbers that are not from {self.low:g} to {self.high:g}"


POSITION = ArrayRule((6,), "uint64", 0, 2**64)
"""Place of a random generator in its sequence (`bochner._random.position`)."""


@dataclass(frozen=True)
class Schema:
    """Rules of the values of a state: those that must be there, and those that may."""

    needed: Mapping[str, Rule]
    optional: Mapping[str, Rule] = field(default_factory=dict)

    def fault(self, state: Mapping[str, Any]) -> str | None:
        """What is wrong with a state, in words; None if it fits."""
        missing = sorted(self.needed.keys() - state.keys())
        if missing:
            return f"{missing[0]!r} is missing"
        rules = {**self.optional, **self.needed}
        unknown = sorted(state.keys() - rules.keys())
        if unknown:
            return f"{unknown[0][:60]!r} is nothing that such a checkpoint has"
        faults = ((name, rules[name].fault(value)) for name, value in state.items())
        return next((f"{name!r} {fault}" for name, fault in faults if fault is not None), None)


def split_state(state: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Array]]:
    """Numbers and words of a state, and its arrays."""
    arrays = {name: value for name, value in state.items() if type(value) is np.ndarray}
    return {name: value for name, value in state.items() if name not in arrays}, arrays
