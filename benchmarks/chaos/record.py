"""Trials and their records: counts of what was tried and how it ended, and sentences about what did not hold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any, NamedTuple

MOST_SENTENCES = 20


class Trial(NamedTuple):
    """A piece of a part that runs as one: the journal knows it by this."""

    part: str
    name: str
    number: int

    @property
    def seed(self) -> str:
        return f"{self.part}/{self.name}/{self.number}"


@dataclass
class Record:
    """Counts of one trial, or of many.

    Attributes
    ----------
    tried, failed : int
        Attacks, and those after which a promise did not hold.
    outcomes : dict of str to int
        How they ended, in words.
    failures : list of str
        What did not hold, the first of them.
    measures : dict of str to list of float
        Numbers of every attack, such as the distance to the model that was not interrupted.
    """

    tried: int = 0
    failed: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    measures: dict[str, list[float]] = field(default_factory=dict)

    def count(self, outcome: str, times: int = 1) -> None:
        """An attack that held."""
        self.tried += times
        self.note(outcome, times)

    def note(self, outcome: str, times: int = 1) -> None:
        """Something that happened, which is no attack of its own."""
        self.outcomes[outcome] = self.outcomes.get(outcome, 0) + times

    def fail(self, outcome: str, sentence: str, times: int = 1) -> None:
        """An attack after which a promise did not hold."""
        self.count(outcome, times)
        self.failed += times
        self.failures.append(sentence)

    def measure(self, name: str, value: float) -> None:
        self.measures.setdefault(name, []).append(float(value))

    def add(self, other: Record) -> None:
        self.tried += other.tried
        self.failed += other.failed
        self.failures = [*self.failures, *other.failures][:MOST_SENTENCES]
        for outcome, times in other.outcomes.items():
            self.note(outcome, times)
        for name, values in other.measures.items():
            self.measures.setdefault(name, []).extend(values)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def summary(self) -> dict[str, Any]:
        """The record with two numbers for every measure."""
        measures = {
            name: {"count": len(values), "median": median(values), "worst": max(values)}
            for name, values in self.measures.items()
            if values
        }
        return {**asdict(self), "measures": measures}


def total(records: Iterable[Record]) -> Record:
    """All records as one."""
    whole = Record()
    for record in records:
        whole.add(record)
    return whole
