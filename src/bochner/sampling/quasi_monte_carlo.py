"""Low-discrepancy frequencies: scrambled Sobol points through the quantile map (Avron et al. 2016)."""

from __future__ import annotations

import warnings

import numpy as np
from scipy.special import ndtri
from scipy.stats import qmc

from bochner._random import Purpose, generator
from bochner._typing import Array
from bochner.errors import InvalidDataError
from bochner.sampling.base import Sampler

__all__ = ["QuasiMonteCarlo"]


class QuasiMonteCarlo(Sampler):
    """Scrambled Sobol points, mapped to normals and uniforms by their quantile functions.

    Every single frequency has the law of the measure (the scramble is uniform), so the kernel estimate is
    unbiased; frequencies are dependent and no iid bound applies.
    """

    independent = False
    nested = True

    def points(self, m: int, d: int, n_vectors: int, n_uniforms: int, seed: int) -> tuple[Array, Array]:
        dimension = n_vectors * d + n_uniforms
        if dimension > qmc.Sobol.MAXDIM:
            raise InvalidDataError(
                f"Sobol points have at most {qmc.Sobol.MAXDIM} coordinates. Got {dimension} for {d} features: "
                "use sampling='orthogonal' or 'monte_carlo'."
            )
        sobol = qmc.Sobol(dimension, scramble=True, rng=generator(seed, Purpose.NORMALS))
        with warnings.catch_warnings():  # scipy advises powers of two; any prefix is what nesting needs
            warnings.simplefilter("ignore", UserWarning)
            cube = sobol.random(m)
        cube = np.clip(cube, 2.0**-65, 1 - 2.0**-53)  # a point may be 0 exactly, whose normal quantile is infinite
        return ndtri(cube[:, : n_vectors * d]).reshape(m, n_vectors, d), cube[:, n_vectors * d :]
