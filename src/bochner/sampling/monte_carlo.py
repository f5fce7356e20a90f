"""Independent frequencies (Rahimi & Recht 2007)."""

from __future__ import annotations

from bochner._random import Purpose, generator
from bochner._typing import Array
from bochner.sampling.base import Sampler

__all__ = ["MonteCarlo"]


class MonteCarlo(Sampler):
    """Independent draws from the spectral measure. The only sampler under which iid bounds hold."""

    independent = True
    nested = True

    def points(self, m: int, d: int, n_vectors: int, n_uniforms: int, seed: int) -> tuple[Array, Array]:
        normals = generator(seed, Purpose.NORMALS).standard_normal((m, n_vectors, d))
        return normals, generator(seed, Purpose.UNIFORMS).random((m, n_uniforms))
