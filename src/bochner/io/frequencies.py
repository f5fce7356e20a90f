"""Frequencies that are drawn again when a model is loaded, instead of being in its file.

That is exact for independent draws from a normal law, a product of NumPy's normal numbers and a scale. Other draws go
through LAPACK or special functions, whose last bits change between processors and versions: they are stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from bochner.config import get_config
from bochner.errors import FileFormatError, MemoryBudgetError
from bochner.estimators import FourierFeatures
from bochner.features import FourierMap, draw_fourier_map, n_frequencies
from bochner.kernels import Stationary
from bochner.sampling import MonteCarlo, resolve_sampler

__all__ = ["FrequencyRecipe", "recipe_of"]


@dataclass(frozen=True)
class FrequencyRecipe:
    """All that a Fourier map of independent frequencies depends on, and a digest of the map."""

    kernel: Stationary
    n_features: int
    n_components: int
    embedding: str
    seed: int
    digest: str

    def draw(self) -> FourierMap:
        """The map, bit for bit."""
        size = 16 * n_frequencies(self.n_components, self.embedding) * self.n_features  # type: ignore[arg-type]
        if size > get_config().memory_budget():
            raise MemoryBudgetError(f"The frequencies of this model take {size:,} bytes, more than the memory budget.")
        drawn = _draw(self.kernel, self.n_features, self.n_components, self.embedding, self.seed)
        if _digest(drawn) != self.digest:
            raise FileFormatError(
                "holds a seed in place of frequencies, and this version of NumPy or bochner draws others from it. "
                "Load it where it was saved, and save it with frequencies='stored'."
            )
        return drawn


def recipe_of(features: FourierFeatures) -> FrequencyRecipe | None:
    """The recipe of the fitted map, if drawing it again is exact; else None."""
    kernel, d, seed = features.kernel_, features.n_features_in_, features.seed_
    if type(resolve_sampler(features.sampling)) is not MonteCarlo or kernel.spectral_measure(d).n_uniforms > 0:
        return None
    given: dict[str, Any] = {"n_features": d, "n_components": features.map_.n_components, "seed": seed}
    digest = _digest(features.map_)
    if _digest(_draw(kernel, embedding=features.embedding, **given)) != digest:
        return None  # changed by hand after the fit
    return FrequencyRecipe(kernel, embedding=features.embedding, digest=digest, **given)


def _draw(kernel: Stationary, n_features: int, n_components: int, embedding: Any, seed: int) -> FourierMap:
    return draw_fourier_map(
        kernel, MonteCarlo(), n_features=n_features, n_components=n_components, embedding=embedding, seed=seed
    )


def _digest(drawn: FourierMap) -> str:
    digest = sha256()
    for array in (drawn.omega, drawn.amplitude, drawn.phase):
        digest.update(f"{array.shape}{array.dtype}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()
