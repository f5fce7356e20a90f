"""Settings of the study, and what the counts of a setting say: exact limits and a verdict."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from zlib import crc32

import numpy as np
from scipy.stats import beta, binom

FALSE_ALARM = 1e-6
"""Probability that a study of true promises reports any of them as refuted."""


@dataclass(frozen=True)
class Setting:
    """Some promises that are tested on the same repeats.

    Attributes
    ----------
    family : str
    options : dict
        What was simulated, as plain data: the only input of a repeat besides its number.
    promised : dict of str to float
        The rate that each promise states for its violation; 0 for what can never happen.
    repeats : int
        Independent repeats; each breaks or keeps every promise.
    per_task : int
        Repeats that one worker does at a time: some seconds.
    exact : bool
        Whether the promise is proved for this simulation. Statements of a model or of a limit theorem are reported, and
        cannot fail the study.
    """

    family: str
    options: Mapping[str, Any]
    promised: Mapping[str, float]
    repeats: int
    per_task: int
    exact: bool = True

    @cached_property
    def key(self) -> str:
        """The setting as a line of text: names it in files and seeds its repeats."""
        return json.dumps([self.family, dict(self.options)], sort_keys=True)

    def records(self, counts: list[int], repeats: int) -> list[dict[str, Any]]:
        """One plain record for every promise."""
        return [
            {
                "family": self.family,
                "setting": dict(self.options),
                "promise": name,
                "promised": rate,
                "exact": self.exact,
                "repeats": repeats,
                "violations": int(count),
                "limits": limits(int(count), repeats),
            }
            for (name, rate), count in zip(self.promised.items(), counts, strict=True)
        ]


def stream(family: str, options: Mapping[str, Any], repeat: int) -> np.random.Generator:
    """The generator of one repeat: the same whatever worker or batch it runs in."""
    return np.random.default_rng([crc32(json.dumps([family, dict(options)], sort_keys=True).encode()), repeat])


def limits(violations: int, repeats: int, confidence: float = 0.95) -> list[float]:
    """Clopper-Pearson limits of a rate."""
    tail = (1 - confidence) / 2
    low = float(beta.ppf(tail, violations, repeats - violations + 1)) if violations else 0.0
    high = float(beta.ppf(1 - tail, violations + 1, repeats - violations)) if violations < repeats else 1.0
    return [low, high]


def refuted(record: Mapping[str, Any], n_records: int) -> bool:
    """Whether so many violations have a probability below 1e-6 / n_records if the promise is true."""
    chance = binom.sf(record["violations"] - 1, record["repeats"], record["promised"])
    return bool(record["exact"] and chance < FALSE_ALARM / n_records)
