"""False alarms of `DriftDetector`: over the whole of a stream without drift, and of single batches.

The promise for a stream is exact: the probability that it *ever* raises an alarm, however long, is at most
`false_alarm_rate`. That of a batch holds to the accuracy of a central limit theorem, and is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import bochner as bo

from .laws import LAWS
from .setting import Setting, stream

FAMILY = "drift"
RATE = 0.05
_PIECES = (0.31, 0.47, 0.83)  # where the stream is cut: not at the ends of windows


def _blocks_of_equal_rows(rng: np.random.Generator, n: int) -> np.ndarray:
    """Dependence inside windows of 10, which are exchangeable."""
    return np.repeat(rng.standard_normal((-(-n // 10), 2)), 10, axis=0)[:n]


def _zeros(rng: np.random.Generator, n: int) -> np.ndarray:
    return np.zeros((n, 2))


def _rarer_events(rng: np.random.Generator, n: int) -> np.ndarray:
    """Most windows are all zero: ties that rounding must not break."""
    return (rng.random((n, 2)) < 0.001).astype(float)


STREAMS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    **{name: LAWS[name] for name in ("normal", "t, 2 degrees", "counts", "constant columns", "rare events")},
    "constant": _zeros,
    "blocks of equal rows": _blocks_of_equal_rows,
    "rarer events": _rarer_events,
}
TYPES = {
    "float64": (np.float64, np.float64),
    "float32": (np.float32, np.float32),
    "float32, then float64": (np.float32, np.float64),
    "float64, then float32": (np.float64, np.float32),
}
_TIED = ("counts", "constant columns", "rare events", "constant")
_INDEPENDENT = ("normal", "t, 2 degrees", "counts", "rare events")
OPTIONS: dict[str, dict[str, Any]] = {
    "narrow": {"n_components": 32},
    "nothing set": {"n_components": 256},
    "kernel laplacian": {"n_components": 32, "kernel": "laplacian"},
    "fixed scale": {"n_components": 32, "length_scale": 1.0},
    "sampling orthogonal": {"n_components": 32, "sampling": "orthogonal"},
    "sampling qmc": {"n_components": 32, "sampling": "qmc"},
}


def settings() -> list[Setting]:
    mixed = [_setting(law, types) for law in _TIED for types in list(TYPES)[2:]]
    laws = [*(_setting(law, types) for law in list(STREAMS)[:-1] for types in ("float64", "float32")), *mixed]
    lengths = [
        _setting(law, types, length=length)
        for law in ("normal", "rare events")
        for types in ("float64", "float32")
        for length in (100, 10_000)
    ]
    references = [_setting(law, "float64", reference=n) for law in ("normal", "rare events") for n in (80, 1600)]
    windows = [
        _setting(law, types, window=window, length=20 * window)
        for law in ("normal", "counts")
        for types in ("float64", "float32")
        for window in (1, 25)
    ]
    options = [_setting("normal", "float64", option=option) for option in list(OPTIONS)[2:]]
    long = [
        _setting(law, types, option="nothing set", reference=5000, window=25, length=5000)
        for law in ("normal", "rarer events")
        for types in TYPES
    ]
    batches = [_batch(law, types) for law in _INDEPENDENT for types in ("float64", "float32")]
    return [*laws, *lengths, *references, *windows, *options, *long, *batches]


def _setting(
    law: str, types: str, *, option: str = "narrow", reference: int = 400, window: int = 10, length: int = 1000
) -> Setting:
    options = {
        "option": option, "law": law, "types": types, "reference": reference, "window": window, "stream": length
    }  # fmt: skip
    repeats = 300 if length > 1000 else 600
    return Setting(FAMILY, options, {"ever an alarm": RATE}, repeats, repeats // 10)


def _batch(law: str, types: str) -> Setting:
    options = {"option": "batch", "law": law, "types": types, "reference": 1000, "batch": 200}
    return Setting(FAMILY, options, {"an alarm for a batch": RATE}, 1000, 100, exact=False)


def violations(options: Mapping[str, Any], repeats: range) -> list[int]:
    alarm = _batch_alarm if options["option"] == "batch" else _stream_alarm
    return [sum(alarm(options, stream(FAMILY, options, repeat)) for repeat in repeats)]


def _stream_alarm(options: Mapping[str, Any], rng: np.random.Generator) -> bool:
    reference, rows = _rows(options, options["stream"], rng)
    detector = bo.DriftDetector(
        window=options["window"], false_alarm_rate=RATE, random_state=int(rng.integers(2**32)),
        **OPTIONS[options["option"]],
    ).fit(reference)  # fmt: skip
    for piece in np.split(rows, [int(share * len(rows)) for share in _PIECES]):
        detector.update(piece)
    return detector.detected_at_ is not None


def _batch_alarm(options: Mapping[str, Any], rng: np.random.Generator) -> bool:
    reference, rows = _rows(options, options["batch"], rng)
    seed = int(rng.integers(2**32))
    detector = bo.DriftDetector(n_components=32, window=10, false_alarm_rate=RATE, random_state=seed)
    return detector.fit(reference).predict(rows).is_drift


def _rows(options: Mapping[str, Any], n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Reference and stream of one law, in their float types."""
    draw, (first, second) = STREAMS[options["law"]], TYPES[options["types"]]
    reference, rows = draw(rng, options["reference"]), draw(rng, n)
    return reference.astype(first), rows.astype(second)
