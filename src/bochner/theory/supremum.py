"""The supremum of the kernel error over a ball, computed on a grid: for up to three features and every sampler."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from bochner._typing import Array
from bochner.errors import invalid_parameter
from bochner.kernels.base import Stationary
from bochner.theory.base import Bound, Certificate, Source, Status, require
from bochner.theory.certificate import rounded_down
from bochner.theory.normalised import NormalisedKernel, normalised
from bochner.theory.sources import BOCHNER

__all__ = ["GridSupremum"]

_LARGEST_DIMENSION = 3
_BATCH = 2**20  # cosines at once


@dataclass(frozen=True, kw_only=True, eq=False)
class GridSupremum(Bound):
    """sup |f| over ||x - y|| <= radius, paired embedding, from a grid and a Lipschitz constant of f.

        sup |f| <= max over the grid |f| + (L_s + L_k) h sqrt(d) / 2,    grid h Z^d in the ball of radius + h sqrt(d)/2
        L_s = ||diag(sqrt a) Omega||_op sqrt(sum a)   for s(delta) = sum_i a_i cos(omega_i . delta), a_i >= 0

    for a_i = 1/m that is ||Omega||_op / sqrt(m).

    Parameters
    ----------
    kernel : Stationary
    omega : array of shape (m, d)
    power : array of shape (m,)
        The squared amplitudes a_i of the frequencies.
    radius : float
        Largest distance between two points; in length scales for a kernel with one per feature.
    n_points : int, default=200_000
        Points of the grid.
    """

    kernel: Stationary
    omega: Array
    power: Array
    radius: float
    n_points: int = 200_000

    statement: ClassVar[str] = "sup |f| <= max over a grid |f| + (L_s + L_k) h sqrt(d)/2, computed"
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(BOCHNER, "grid and Lipschitz constant")
    assumptions: ClassVar[tuple[str, ...]] = ("paired embedding", "at most three features", "a Lipschitz kernel")

    def certificate(self) -> Certificate:
        """The bound; no probability is involved."""
        d = self.omega.shape[1]
        require(d <= _LARGEST_DIMENSION, "at most three features", d)
        if not 0 < self.radius < np.inf:
            raise invalid_parameter(self, "radius", "a positive finite number", self.radius)
        lipschitz = self._lipschitz()
        step, points = self._grid(d)
        on_grid = max(
            self._largest(part) for part in np.array_split(points, -(-points.size * len(self.omega) // _BATCH))
        )
        value = (on_grid + lipschitz * step * np.sqrt(d) / 2) * (1 + 1e-12)
        unit = " length scales" if normalised(self.kernel).has_scale_per_feature else ""
        claim = (
            f"the largest kernel error over all points at most {rounded_down(self.radius)}{unit} apart is {{value}} in "
            "exact arithmetic (computed on a grid, with the Lipschitz constant between its points)"
        )
        return self._certificate(value, 0.0, claim, radius=self.radius, on_grid=on_grid, grid_points=len(points))

    @cached_property
    def _scaled(self) -> tuple[NormalisedKernel, Array]:
        """k / k(0) and the frequencies, in units of the length scales where there is one per feature."""
        own, d = normalised(self.kernel), self.omega.shape[1]
        return own.in_scaled_coordinates(d), self.omega * own.scales_per_feature(d)

    def _lipschitz(self) -> float:
        """Lipschitz constant of s - k: |grad s| = |Omega' diag(a) sin| <= ||diag(sqrt a) Omega||_op sqrt(sum a)."""
        own, omega = self._scaled
        of_estimate = np.linalg.norm(np.sqrt(self.power)[:, None] * omega, 2) * np.sqrt(self.power.sum())
        return float(of_estimate + self.kernel.variance * own.lipschitz(omega.shape[1]))

    def _grid(self, d: int) -> tuple[float, Array]:
        """Step and points of the half grid (f is even) that covers the ball."""
        per_axis = max(3, int((2 * self.n_points) ** (1 / d)))
        step = 2 * self.radius / (per_axis - 1)
        reach = int(np.ceil(self.radius / step + np.sqrt(d) / 2))
        axis = step * np.arange(-reach, reach + 1)
        half = axis[reach:]
        points = np.stack(np.meshgrid(half, *[axis] * (d - 1), indexing="ij"), axis=-1).reshape(-1, d)
        inside = np.linalg.norm(points, axis=1) <= self.radius + step * np.sqrt(d) / 2
        return step, points[inside]

    def _largest(self, delta: Array) -> float:
        own, omega = self._scaled
        estimate = np.cos(delta @ omega.T) @ self.power
        return float(np.max(np.abs(estimate - self.kernel.variance * own.at(delta))))
