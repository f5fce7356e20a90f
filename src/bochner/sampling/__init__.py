"""Sampling of random frequencies: Monte Carlo, orthogonal, structured, quasi-Monte Carlo, leverage scores."""

from bochner.errors import invalid_parameter
from bochner.sampling.base import Frequencies, Sampler
from bochner.sampling.grid import MOST_AXES, FrequencyGrid, GridError, choose_grid
from bochner.sampling.leverage import Leverage
from bochner.sampling.monte_carlo import MonteCarlo
from bochner.sampling.orthogonal import Orthogonal
from bochner.sampling.pilot import Pilot, PilotRecord, ScoredPool
from bochner.sampling.projection import DenseProjection, Projection
from bochner.sampling.quadrature import Quadrature
from bochner.sampling.quasi_monte_carlo import QuasiMonteCarlo
from bochner.sampling.structured import SORF, Fastfood, StructuredProjection

__all__ = [
    "MOST_AXES",
    "SORF",
    "DenseProjection",
    "Fastfood",
    "Frequencies",
    "FrequencyGrid",
    "GridError",
    "Leverage",
    "MonteCarlo",
    "Orthogonal",
    "Pilot",
    "PilotRecord",
    "Projection",
    "Quadrature",
    "QuasiMonteCarlo",
    "Sampler",
    "ScoredPool",
    "StructuredProjection",
    "choose_grid",
    "resolve_sampler",
]

SAMPLERS: dict[str, type[Sampler]] = {
    "fastfood": Fastfood,
    "leverage": Leverage,
    "monte_carlo": MonteCarlo,
    "orthogonal": Orthogonal,
    "qmc": QuasiMonteCarlo,
    "quadrature": Quadrature,
    "sorf": SORF,
}


def resolve_sampler(sampling: str | Sampler) -> Sampler:
    """The sampler of a name, or the sampler itself."""
    if not isinstance(sampling, str):
        return sampling
    if sampling not in SAMPLERS:
        raise invalid_parameter("FourierFeatures", "sampling", f"a Sampler or one of {sorted(SAMPLERS)}", sampling)
    return SAMPLERS[sampling]()
