"""Which frequencies, with which weights."""

from bochner.errors import invalid_parameter
from bochner.sampling.base import Frequencies, Sampler
from bochner.sampling.leverage import Leverage
from bochner.sampling.monte_carlo import MonteCarlo
from bochner.sampling.orthogonal import Orthogonal
from bochner.sampling.pilot import Pilot, PilotRecord, ScoredPool
from bochner.sampling.quasi_monte_carlo import QuasiMonteCarlo

__all__ = [
    "Frequencies",
    "Leverage",
    "MonteCarlo",
    "Orthogonal",
    "Pilot",
    "PilotRecord",
    "QuasiMonteCarlo",
    "Sampler",
    "ScoredPool",
    "resolve_sampler",
]

SAMPLERS: dict[str, type[Sampler]] = {
    "leverage": Leverage,
    "monte_carlo": MonteCarlo,
    "orthogonal": Orthogonal,
    "qmc": QuasiMonteCarlo,
}


def resolve_sampler(sampling: str | Sampler) -> Sampler:
    """The sampler of a name, or the sampler itself."""
    if isinstance(sampling, Sampler):
        return sampling
    if sampling not in SAMPLERS:
        raise invalid_parameter("FourierFeatures", "sampling", f"a Sampler or one of {sorted(SAMPLERS)}", sampling)
    return SAMPLERS[sampling]()
