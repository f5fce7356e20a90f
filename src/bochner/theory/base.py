"""Base classes of claims, bounds and rates: status, evidence, source, and who may issue a certificate.

A `Claim` is any numbered result of the papers, with its status. Three kinds exist, and the type keeps them apart:

- `Bound`: proved (VALID) or repaired (CORRECTED). Only a `Bound` can issue a `Certificate`.
- `Rate`: ASYMPTOTIC; gives exponents, never a number with a probability.
- `Published`: the formula as printed: true (VALID), open (UNPROVED) or false (REFUTED). It has no `certificate` method.
  A refuted one has a `counterexample()` that computes the violation; without one a class cannot carry the label.

A concrete claim is a frozen dataclass: its fields are the setting (kernel, dimension, number of points, ...), its
class attributes say what is claimed, by whom, under which assumptions and with which evidence.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from numbers import Real
from typing import ClassVar, Literal

import numpy as np

from bochner._typing import JsonDict
from bochner.errors import AssumptionError, invalid_parameter
from bochner.theory.certificate import Certificate

__all__ = [
    "Bound",
    "Certificate",
    "Claim",
    "Embedding",
    "Evidence",
    "Published",
    "Rate",
    "Source",
    "Status",
    "TailBound",
    "check_delta",
    "check_eps",
    "concrete_claims",
    "n_frequencies",
    "require",
    "smallest_integer",
]

Embedding = Literal["paired", "phase"]
_LARGEST_WIDTH = 2**62


class Status(Enum):
    """Status of a claim: proved, repaired, asymptotic, open or refuted."""

    VALID = "true as stated, by the printed proof or by another"
    CORRECTED = "proved after a repair of constants or assumptions"
    ASYMPTOTIC = "a rate with unspecified constants"
    UNPROVED = "not proved, not refuted: the printed proof has a gap, and no counterexample is known"
    REFUTED = "false as printed: `counterexample()` computes a violation"


class Evidence(Enum):
    """Evidence of a status: derivations, simulation, quotation or counterexample."""

    REDERIVED = "re-derived twice, independently, and consistent with simulation"
    DERIVED = "re-derived twice, independently; simulation absent, or too weak to test it"
    COMPUTER_ASSISTED = "proved with a computer-checked cover (tests/theory)"
    QUOTED = "quoted from its source, not re-derived"
    COUNTEREXAMPLE = "an explicit counterexample, run in the test suite"
    OPEN = "none: the printed proof was read and has a gap, and no violation is known"


@dataclass(frozen=True)
class Source:
    """Source of a claim: paper and number of the result."""

    paper: str
    result: str

    def __str__(self) -> str:
        return f"{self.paper}, {self.result}"


@dataclass(frozen=True)
class Claim(ABC):
    """A numbered result in a given setting."""

    statement: ClassVar[str]
    status: ClassVar[Status]
    source: ClassVar[Source]
    assumptions: ClassVar[tuple[str, ...]] = ()
    evidence: ClassVar[Evidence] = Evidence.REDERIVED
    counts_features: ClassVar[bool] = False
    """Whether it gives a number of features for an error."""

    @classmethod
    def describe(cls) -> JsonDict:
        """The claim as a plain dict: name, kind, statement, status, source, assumptions, evidence."""
        kind = next(base.__name__ for base in (Bound, Rate, Published) if issubclass(cls, base))
        module = cls.__module__
        ours = module.startswith("bochner.theory.")  # where `published` is a package
        home = module.split(".")[2] if ours else module.rsplit(".", 1)[-1]
        return {
            "name": f"{home}.{cls.__name__}",
            "kind": kind,
            "statement": cls.statement,
            "status": cls.status.name,
            "source": str(cls.source),
            "assumptions": list(cls.assumptions),
            "evidence": cls.evidence.name,
        }


@dataclass(frozen=True)
class Bound(Claim):
    """A claim that is proved, and so may issue a certificate."""

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        status = getattr(cls, "status", None)
        if status not in (None, Status.VALID, Status.CORRECTED):
            raise TypeError(f"{cls.__name__} is {status}: only VALID and CORRECTED claims can be a Bound")

    def _certificate(
        self,
        value: float,
        delta: float,
        claim: str,
        *,
        over: str = "the draw of the frequencies",
        at_least: float | None = None,
        from_below: bool = False,
        **details: object,
    ) -> Certificate:
        """A certificate of this bound; `claim` is a clause with `{value}` where the limit goes."""
        return Certificate(
            value=float(value),
            delta=float(delta),
            claim=claim,
            bound=type(self).describe()["name"],
            assumptions=self.assumptions,
            source=str(self.source),
            over=over,
            at_least=at_least,
            from_below=from_below,
            details=details,
        )


@dataclass(frozen=True)
class TailBound(Bound):
    """A bound on P(error >= eps) for a map of `n_components` output columns. A subclass gives `probability`.

    `probability` must not increase with `eps` or `n_components`; `error` and `features_needed` invert it.
    A subclass has a field or class attribute `embedding`.
    """

    counts_features: ClassVar[bool] = True
    quantity: ClassVar[str] = "the error"
    error_name: ClassVar[str] = ""
    """The quantity without the points that it is over, for certificates that name those; empty: the quantity."""
    largest_error: ClassVar[float] = 3.0
    """No error exceeds it, so an inversion that finds nothing smaller returns it: |f| <= 2 (paired), 3 (phase)."""

    @abstractmethod
    def probability(self, eps: float, *, n_components: int) -> float:
        """Upper bound on P(error >= eps), at most 1."""

    def error(self, n_components: int, delta: float) -> float:
        """Smallest eps with `probability(eps) <= delta`, to a relative 1e-9, rounded up."""
        check_delta(delta)
        n_frequencies(n_components, self._embedding())
        return _smallest(lambda eps: self.probability(eps, n_components=n_components) <= delta, self.ceiling())

    def features_needed(self, eps: float, delta: float) -> int:
        """Smallest output width (even for the paired map) with `probability(eps) <= delta`."""
        check_eps(eps)
        check_delta(delta)
        step = 2 if self._embedding() == "paired" else 1
        return step * smallest_integer(lambda k: self.probability(eps, n_components=step * k) <= delta)

    def certificate(self, n_components: int, delta: float) -> Certificate:
        """The certificate at a given width and failure probability."""
        value = self.error(n_components, delta)
        return self._certificate(value, delta, self._claim(), n_components=n_components)

    # Optional powers, beside `features_needed`: a bound over a region, of another range or of whole blocks overrides.

    def _claim(self) -> str:
        """The clause of a certificate, with `{value}` where the limit goes. A bound over a region names it there."""
        return f"{self.quantity} is {{value}}"

    def ceiling(self) -> float:
        """The largest possible error. A bound whose error has another range says so."""
        return self.largest_error

    def _embedding(self) -> Embedding:
        return getattr(self, "embedding", "paired")


@dataclass(frozen=True)
class Rate(Claim):
    """An asymptotic claim: exponents of n, no constants, no certificate."""

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        _check_status(cls, "Rate", Status.ASYMPTOTIC)


@dataclass(frozen=True)
class Published(Claim):
    """A formula as printed in its paper, right or wrong. Not a bound: it cannot become a certificate.

    The status speaks of the printed statement, not of its proof: a true statement with a broken proof is VALID if what
    we prove implies it. A refuted claim has a class method `counterexample()` that returns a `Counterexample`, and its
    evidence is COUNTEREXAMPLE; no other claim has either. The evidence of an unproved one is OPEN. Anything else is a
    `TypeError` when the class is defined.
    """

    evidence: ClassVar[Evidence] = Evidence.DERIVED
    scope: ClassVar[str] = ""
    """Of which part of the printed statement the status speaks; empty: of all of it."""
    correction: ClassVar[str] = ""
    """Why it has its status, and which `Bound` to use instead."""

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        _check_status(cls, "Published", Status.VALID, Status.UNPROVED, Status.REFUTED)
        status = getattr(cls, "status", None)
        refuted, has_one = status is Status.REFUTED, hasattr(cls, "counterexample")
        if refuted and not has_one:
            raise TypeError(
                f"{cls.__name__} is REFUTED without a counterexample(): UNPROVED is for what nobody refuted"
            )
        if status is not None and has_one and not refuted:
            raise TypeError(f"{cls.__name__} has a counterexample() and is {status.name}: it must be REFUTED")
        belonging = {Evidence.COUNTEREXAMPLE: Status.REFUTED, Evidence.OPEN: Status.UNPROVED}
        if status is not None and belonging.get(cls.evidence, Status.VALID) is not status:
            raise TypeError(f"{cls.__name__} is {status.name} with evidence {cls.evidence.name}")

    @classmethod
    def describe(cls) -> JsonDict:
        """The claim as a plain dict, with the `scope` of its status, and its `correction`: why, and what to use."""
        # Overrides: a printed formula has two fields more.
        return {**super().describe(), "scope": cls.scope, "correction": cls.correction}

    @abstractmethod
    def value(self) -> float:
        """The printed expression in this setting."""


def _check_status(cls: type, kind: str, *allowed: Status) -> None:
    """A class without a status is abstract."""
    status = getattr(cls, "status", None)
    if status is not None and status not in allowed:
        names = " and ".join(other.name for other in allowed)
        raise TypeError(f"{cls.__name__} is {status.name}: only {names} claims can be a {kind}")


def concrete_claims() -> Iterator[type[Claim]]:
    """Every claim that is not abstract, found through the class tree, in the order of definition."""
    queue = list(Claim.__subclasses__())
    while queue:
        cls = queue.pop(0)
        queue.extend(cls.__subclasses__())
        if not inspect.isabstract(cls) and hasattr(cls, "statement"):
            yield cls


def require(condition: bool, assumption: str, got: object) -> None:
    """Raise `AssumptionError` naming the assumption unless it holds."""
    if not condition:
        raise AssumptionError(f"This bound assumes {assumption}. Got {got!r} instead.")


def n_frequencies(n_components: int, embedding: Embedding) -> int:
    """m = D/2 frequencies of a paired map of width D, m = D of a phase map."""
    if embedding not in ("paired", "phase"):
        raise invalid_parameter("bochner.theory", "embedding", "'paired' or 'phase'", embedding)
    if isinstance(n_components, bool) or int(n_components) != n_components or n_components < 1:
        raise invalid_parameter("bochner.theory", "n_components", "an integer >= 1", n_components)
    if embedding == "paired" and n_components % 2:
        raise invalid_parameter("bochner.theory", "n_components", "even for the paired embedding", n_components)
    return int(n_components) // 2 if embedding == "paired" else int(n_components)


def check_eps(eps: float) -> float:
    """A positive finite accuracy."""
    if not np.isreal(eps) or not 0 < eps < np.inf:
        raise invalid_parameter("bochner.theory", "eps", "a positive finite number", eps)
    return float(eps)


def check_delta(delta: float) -> float:
    """A failure probability in the open interval (0, 1)."""
    if not isinstance(delta, Real) or not 0 < delta < 1:
        raise invalid_parameter("bochner.theory", "delta", "in the open interval (0, 1)", delta)
    return float(delta)


def _smallest(holds: Callable[[float], bool], ceiling: float) -> float:
    """Smallest positive t with `holds(t)`, by bisection, rounded up; `ceiling` where nothing smaller does."""
    if not holds(ceiling):
        return ceiling
    low, high = 0.0, ceiling
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        if holds(middle):
            high = middle
        else:
            low = middle
        if high < 1e-300:
            return high
    return high


def smallest_integer(holds: Callable[[int], bool]) -> int:
    """Smallest integer k >= 1 with `holds(k)`, by doubling and bisection."""
    high = 1
    while not holds(high):
        high *= 2
        if high > _LARGEST_WIDTH:
            raise AssumptionError("No width reaches this accuracy: the bound stays above delta for every n_components.")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
