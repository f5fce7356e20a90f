"""Seeds in place of random frequencies in model files: they are drawn again when a model is loaded.

That is exact for independent draws from a normal law, a product of NumPy's normal numbers and a scale. Other draws go
through LAPACK or special functions, whose last bits change between processors and versions: they are stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from bochner.config import get_config
from bochner.errors import FileFormatError, MemoryBudgetError
from bochner.features import FourierMap, FourierRecipe, n_frequencies
from bochner.kernels import Gaussian
from bochner.sampling import MonteCarlo

__all__ = ["SeededMap", "seeded"]


@dataclass(frozen=True)
class SeededMap:
    """Stand-in of a Fourier map in a file: its recipe, with the seed, and a digest of the frequencies."""

    recipe: FourierRecipe
    digest: str

    def restored(self) -> FourierMap:
        """The map, bit for bit."""
        recipe = self.recipe
        if not _is_exact(recipe):
            raise FileFormatError("was altered: it holds a seed for frequencies that are not drawn from seeds.")
        size = 16 * n_frequencies(recipe.n_components, recipe.embedding) * recipe.n_features
        if size > get_config().memory_budget():
            raise MemoryBudgetError(f"The frequencies of this model take {size:,} bytes, more than the memory budget.")
        drawn = recipe.draw()
        if _digest(drawn) != self.digest:
            raise FileFormatError(
                "holds a seed in place of frequencies, and this version of NumPy or bochner draws others from it. "
                "Load it where it was saved, and save it with frequencies='stored'."
            )
        return drawn


def seeded(fourier: FourierMap) -> SeededMap | None:
    """The stand-in of a map, if drawing it again is exact; else None."""
    recipe = fourier.recipe
    if recipe is None or not _is_exact(recipe):
        return None
    digest = _digest(fourier)
    unchanged = _digest(recipe.draw()) == digest  # nobody has changed it after the fit
    return SeededMap(recipe, digest) if unchanged else None


def _is_exact(recipe: FourierRecipe) -> bool:
    gaussian = type(recipe.kernel.without_factor()) is Gaussian
    return type(recipe) is FourierRecipe and type(recipe.sampler) is MonteCarlo and gaussian


def _digest(fourier: FourierMap) -> str:
    digest = sha256()
    for array in (fourier.omega, fourier.amplitude, fourier.phase):
        digest.update(f"{array.shape}{array.dtype}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()
