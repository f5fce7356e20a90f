"""Certificates: error limits that hold with a stated probability, with their scope, assumptions and source.

Its sentence is rendered from its fields, and its numbers are rounded outwards: what is read is never stronger than what
was proved.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from html import escape

import numpy as np

from bochner._html import card, items
from bochner._typing import JsonDict
from bochner.errors import AssumptionError

__all__ = ["Certificate", "confidence", "rounded_down", "rounded_up"]

_DIGITS = 4
_FREQUENCIES = "the draw of the frequencies"


@dataclass(frozen=True, kw_only=True)
class Certificate:
    """An error limit that holds with a stated probability, its scope, and the bound it rests on.

    Attributes
    ----------
    value : float
        The limit on the quantity that `claim` names.
    delta : float
        Probability that it fails; 0 for a deterministic statement.
    claim : str
        What is bounded, and of which rows, targets and weights it speaks: a clause with `{value}` where the limit goes.
    bound : str
        Name of the theorem that was used.
    assumptions : tuple of str
    source : str
    over : str
        What the probability is over.
    at_least : float or None
        A lower limit on the same quantity, for a statement with two sides.
    from_below : bool
        The value is a lower limit: no method does better.
    instead : str
        Why it speaks of less than was asked for; empty if it does not. The statement then begins with it.
    details : dict
        Further plain numbers (number of pairs, features, ...).
    others : tuple of Certificate
        Looser ones for the same quantity, and those for other quantities.

    Examples
    --------
    >>> certificate = Certificate(value=0.123456, delta=1e-16, claim="the error is {value}", bound="example")
    >>> certificate.statement
    'With probability at least 1 - 1e-16 over the draw of the frequencies, the error is at most 0.1235.'
    >>> certificate.of_a_choice(3).delta
    3e-16
    """

    value: float
    delta: float
    claim: str
    bound: str
    assumptions: tuple[str, ...] = ()
    source: str = ""
    over: str = _FREQUENCIES
    at_least: float | None = None
    from_below: bool = False
    instead: str = ""
    details: JsonDict = field(default_factory=dict)
    others: tuple[Certificate, ...] = ()

    def __post_init__(self) -> None:
        if not np.isfinite(self.value):
            raise AssumptionError(f"No certificate: {self.bound} gives {self.value}, numbers over- or underflow.")

    @property
    def statement(self) -> str:
        """One sentence: what is bounded, by how much, and with which probability."""
        claim = self.claim.replace("{value}", self._limits())
        if self.delta > 0:
            claim = f"with probability at least {confidence(self.delta)} over {self.over}, {claim}"
        if self.instead:
            claim = f"only the kernel is certified, not the predictions ({self.instead}): {claim}"
        return f"{claim[0].upper()}{claim[1:]}."

    def of_a_choice(self, among: int) -> Certificate:
        """The same statement for one of `among` objects, however it was chosen: its delta is that of all together.

        A union bound. The statement must have been made in this way for each of them.
        """
        if among == 1 or self.delta == 0:
            return self
        return replace(self, delta=among * self.delta, details={**self.details, "chosen_among": among})

    def widened(self, by: float, why: str) -> Certificate:
        """The same statement with a larger limit: `by` covers what the bound leaves out, such as rounding errors."""
        if by == 0:
            return self
        return replace(self, value=float(np.nextafter(self.value + by, np.inf)), details={**self.details, why: by})

    def to_dict(self) -> JsonDict:
        """The certificate as plain data, ready for JSON."""
        plain = {each.name: getattr(self, each.name) for each in fields(self)}
        plain["assumptions"] = list(self.assumptions)
        plain["details"] = dict(self.details)
        plain["others"] = [other.to_dict() for other in self.others]
        return {"statement": self.statement, **plain}

    def _limits(self) -> str:
        if self.from_below:
            return f"at least {rounded_down(self.value)}"
        if self.at_least is None or self.at_least <= 0:
            return f"at most {rounded_up(self.value)}"
        return f"between {rounded_down(self.at_least)} and {rounded_up(self.value)}"

    def __str__(self) -> str:
        return f"{self.statement} [{self.bound}; {self.source}]"

    def _repr_html_(self) -> str:
        rests_on = f"<p>It rests on:</p>{items(self.assumptions)}" if self.assumptions else ""
        source = f"<p><small>{escape(f'{self.bound}. Source: {self.source}')}</small></p>"
        listed = items(other.statement for other in self.others)
        others = f"<details><summary>{len(self.others)} more statements</summary>{listed}</details>" if listed else ""
        return card("Certificate", f"<blockquote>{escape(self.statement)}</blockquote>", rests_on, source, others)


def rounded_up(value: float) -> str:
    """The number with four digits, not smaller than it is."""
    return _rounded(value, ROUND_CEILING)


def rounded_down(value: float) -> str:
    """The number with four digits, not larger than it is."""
    return _rounded(value, ROUND_FLOOR)


def _rounded(value: float, direction: str) -> str:
    if not np.isfinite(value):
        return f"{value:g}"
    return f"{float(Context(prec=_DIGITS, rounding=direction).create_decimal(value)):.{_DIGITS}g}"


def confidence(delta: float) -> str:
    """1 - delta, not larger than it is: as a number, or as a difference where it would look like 1.

    Examples
    --------
    >>> confidence(0.01), confidence(1e-12)
    ('0.99', '1 - 1e-12')
    """
    if delta < 1e-4:
        return f"1 - {float(Context(prec=2, rounding=ROUND_CEILING).create_decimal(delta)):.2g}"
    left = (1 - Decimal(repr(delta))).quantize(Decimal("1e-6"), rounding=ROUND_FLOOR)
    return f"{max(left, Decimal(0)).normalize():f}"
