"""Counterexamples: a setting in which a printed upper bound lies below the truth, computed when asked."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from bochner import _binomial
from bochner._typing import JsonDict

__all__ = ["LEVEL", "Counterexample", "rate_at_least"]

LEVEL = 1e-6
"""Chance that the lower limit of a simulated probability is too high."""


@dataclass(frozen=True)
class Counterexample:
    """A violation of a claim, made when `counterexample()` of the claim is called.

    Attributes
    ----------
    setting : str
        Where the claim fails.
    quantity : str
        What the claim bounds from above.
    claimed : float
        The largest value that the claim allows.
    true_at_least : float
        A lower bound on the true value.
    exact : bool
        `true_at_least` is computed; else it is the exact Clopper-Pearson limit, at `LEVEL`, of a simulation with a
        fixed seed.
    reason : str
        Why the truth is what it is.
    """

    setting: str
    quantity: str
    claimed: float
    true_at_least: float
    exact: bool
    reason: str

    @property
    def violated(self) -> bool:
        """The claim allows less than the truth."""
        return self.true_at_least > self.claimed

    def to_dict(self) -> JsonDict:
        """The counterexample as plain data."""
        return asdict(self)

    def __str__(self) -> str:
        how = "computed" if self.exact else f"simulated, exact limit at {LEVEL:g}"
        return (
            f"{self.quantity}: claimed at most {self.claimed:.4g}, true at least {self.true_at_least:.4g} ({how}). "
            f"{self.setting}. {self.reason}"
        )


def rate_at_least(successes: int, trials: int, level: float = LEVEL) -> float:
    """Clopper-Pearson lower limit of a probability: it exceeds the truth with probability at most `level`.

    Examples
    --------
    >>> round(rate_at_least(30, 30), 4)
    0.631
    """
    return float(_binomial.rate_at_least(successes, trials, level))
