"""A bound of one's own: Chebyshev's inequality for the kernel error at one pair of rows."""

from dataclasses import dataclass
from typing import ClassVar

from bochner.theory import Evidence, Source, Status
from bochner.theory.normalised import KernelTailBound
from bochner.theory.pointwise import IID


@dataclass(frozen=True, kw_only=True)
class Chebyshev(KernelTailBound):
    """v / (m eps^2): a summand has variance at most v = 1 (paired) or 3/2 (phase)."""

    quantity: ClassVar[str] = "the kernel error at a fixed pair"
    statement: ClassVar[str] = "P(|s - k| >= eps) <= v / (m eps^2), v = 1 (paired), 3/2 (phase)"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source("Chebyshev (1867)", "the inequality")
    assumptions: ClassVar[tuple[str, ...]] = (IID,)
    evidence: ClassVar[Evidence] = Evidence.DERIVED

    def _tail(self, eps, m):
        return (1.0 if self.embedding == "paired" else 1.5) / (m * eps**2)
