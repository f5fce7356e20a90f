"""Seeds: one integer fixes every random choice, and each purpose has a random generator of its own."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from sklearn.utils import check_random_state

from bochner._typing import Array

__all__ = ["Purpose", "generator", "position", "resolve_seed", "row_keys", "set_position"]


class Purpose(IntEnum):
    """Purposes of a seed's independent random generators. Numbers are part of the file format: never renumber."""

    NORMALS = 0
    UNIFORMS = 1
    PHASES = 2
    SUBSAMPLE = 3
    LENGTHS = 4
    PAIRS = 5
    ORDER = 6
    PILOT = 7
    FOLDS = 8
    SPLINE_CENTRES = 9
    RESAMPLE = 10
    TRANSFORMS = 11
    RESAMPLES = 12
    SEARCH = 13
    PROBES = 15
    TUNING = 16
    STARTS = 17
    TUNING_ROWS = 18
    CALIBRATION = 19
    HELD_OUT = 20
    LEFT_OUT = 21
    SIGNS = 22
    DEGREES = 23
    HASHES = 24
    THRESHOLDS = 25
    RATES = 26
    CERTIFIED_ROWS = 27
    DRAWS = 30


def resolve_seed(random_state: object) -> int:
    """The integer seed behind scikit-learn's `random_state` (None, int, RandomState) or a Generator."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint32)[0])
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**32))
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        check_random_state(random_state)  # scikit-learn's message for a negative or too large seed
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def generator(seed: int, purpose: Purpose) -> np.random.Generator:
    """Random generator of one purpose; the same seed and purpose always give the same numbers."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(int(purpose),)))


def row_keys(seed: int, purpose: Purpose, start: int, count: int) -> Array:
    """Uniform keys of the rows from number `start` on: a key depends on the number of its row alone."""
    bits = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(int(purpose),)))
    return np.random.Generator(bits.advance(start)).random(count)


def position(random: np.random.Generator) -> Array:
    """Where a generator is in its sequence: six 64-bit numbers, for a checkpoint."""
    state = random.bit_generator.state
    words = [divmod(state["state"][name], 2**64) for name in ("state", "inc")]
    return np.array([*words[0], *words[1], state["has_uint32"], state["uinteger"]], dtype=np.uint64)


def set_position(random: np.random.Generator, numbers: Array) -> None:
    """Put a generator where another one of the same seed and purpose was. Any numbers give some place of the sequence.

    The increment, which says which sequence it is, stays.
    """
    state = dict(random.bit_generator.state)
    high, low, _, _, half, spare = (int(number) for number in numbers)
    state["state"] = {**state["state"], "state": high * 2**64 + low}
    state |= {"has_uint32": half & 1, "uinteger": spare & (2**32 - 1)}
    random.bit_generator.state = state
