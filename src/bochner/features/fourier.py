"""Random Fourier features in their two embeddings (Rahimi & Recht 2007; Sutherland & Schneider 2015, eqs 1-2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

import numpy as np
from scipy.sparse import issparse

from bochner._random import Purpose, generator
from bochner._typing import Array, FloatType, Rows
from bochner.features.base import FeatureMap, transform
from bochner.features.slopes import ColumnSlopes
from bochner.kernels.base import Stationary
from bochner.sampling.base import Frequencies, Sampler
from bochner.sampling.projection import DenseProjection, Projection

__all__ = ["Embedding", "FourierMap", "FourierRecipe", "draw_fourier_map", "fourier_map", "n_frequencies"]

Embedding = Literal["paired", "phase"]

_NARROW = 16  # columns up to which projecting row by row beats GEMM


@dataclass(frozen=True)
class FourierMap(FeatureMap):
    """A fixed Fourier map of m frequencies; the last len(phase) of them use a phase.

        z(x) = [a_i cos(omega_i . x)], [a_i sin(omega_i . x)]  over the paired frequencies,   a_i^2 = k(0) w_i / m
               [a_i cos(omega_i . x + b_i)]                    over those with a phase,       a_i^2 = 2 k(0) w_i / m

    with w_i the importance weight of a frequency (1 unless the sampler says otherwise), so that E z(x).z(y) = k(x, y).
    The paired embedding has no phases, the phase embedding one for every frequency; a paired map of odd width has one.

    Attributes
    ----------
    projection : Projection
        Products of rows with the frequencies.
    amplitude : array of shape (m,), float64
    phase : array of shape (n_phases,), float64
    recipe : FourierRecipe or None
        How to draw the same map again, if that is possible without data.
    """

    projection: Projection
    amplitude: Array
    phase: Array
    recipe: FourierRecipe | None = field(default=None, repr=False, compare=False)  # type: ignore[assignment]
    _cast: dict[FloatType, tuple[Array, Array]] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def dense(cls, omega: Array, amplitude: Array, phase: Array | None = None) -> Self:
        """The map of a matrix of frequencies omega (m, d); without phases, a paired one."""
        return cls(DenseProjection(omega), amplitude, np.empty(0) if phase is None else phase)

    @property
    def n_components(self) -> int:
        return 2 * self.n_frequencies - len(self.phase)

    @property
    def scratch_width(self) -> int:
        return self.n_frequencies

    @property
    def n_frequencies(self) -> int:
        """m."""
        return self.projection.n_frequencies

    @property
    def n_features(self) -> int:
        """d."""
        return self.projection.n_features

    @property
    def omega(self) -> Array:
        """The frequencies as a matrix (m, d), float64."""
        return self.projection.matrix()

    @property
    def is_paired(self) -> bool:
        """Whether every frequency has a cosine and a sine."""
        return len(self.phase) == 0

    @property
    def is_phase(self) -> bool:
        """Whether every frequency has a phase."""
        return len(self.phase) == self.n_frequencies

    def write(self, X: Rows, out: Array, scratch: Array) -> None:
        from bochner.features import _loops

        amplitude, phase = self._in(out.dtype)
        narrow = 0 < X.shape[1] == self.n_features <= _NARROW and not issparse(X) and X.shape[0] > 0
        if narrow and self.projection.has_matrix:
            self.write_row_by_row(X, out, scratch)
        else:
            _loops.fourier_features(self.projection.project(X, scratch), amplitude, phase, out)

    def write_row_by_row(self, X: Rows, out: Array, scratch: Array) -> None:
        """As `write`, without BLAS: a row has the same features to the bit, whatever rows come with it."""
        from bochner.features import _loops

        rows = np.ascontiguousarray(X, dtype=out.dtype)
        _loops.narrow_fourier_features(rows, self.projection.columns(out.dtype), *self._in(out.dtype), out, scratch[0])

    def n_bytes(self, dtype: FloatType) -> int:
        return self.projection.n_bytes(dtype)

    def kappa(self, X: Rows) -> float:
        """sqrt(k(0)) for pairs, sqrt(2 k(0)) with a phase, times the root of the largest importance weight."""
        return float(np.sqrt(self.n_frequencies) * np.max(self.amplitude))

    @property
    def fourier(self) -> FourierMap:  # an optional power: this is one
        return self

    def narrowed(self, n_components: int) -> FourierMap:  # an optional power
        """The map of the first frequencies: the one that a nested sampler draws at this width with the same seed."""
        columns, scale = self.columns_of(n_components)
        m = len(columns) if self.is_phase else len(columns) // 2
        phase = self.phase[:m] if self.is_phase else self.phase[:0]
        return FourierMap(self.projection.first(m), self.amplitude[:m] * scale, phase)

    def gradient_form(self, coef: Array) -> Array | None:  # an optional power
        """Omega' [diag b, -diag a] of coefficients (a, b) of cosines and sines: one is the derivative of the other.

        None with phases, whose sines are no features.
        """
        if not self.is_paired:
            return None
        a, b = coef.T[:, None, : self.n_frequencies], coef.T[:, None, self.n_frequencies :]
        return np.concatenate([self.omega.T * b, -self.omega.T * a], axis=2)

    def slopes(self, X: Rows, dtype: FloatType) -> Iterator[ColumnSlopes]:  # an optional power
        """-sin and cos in place of cos and sin, and cos(omega.x + b + pi/2) with a phase, times omega_j."""
        pairs = self.n_frequencies - len(self.phase)
        Z = transform(FourierMap(self.projection, self.amplitude, self.phase + np.pi / 2), X, dtype)
        turned = np.hstack([-Z[:, pairs : 2 * pairs], Z[:, :pairs], Z[:, 2 * pairs :]])
        for column in self.omega.T.astype(dtype):
            yield ColumnSlopes(turned * np.concatenate([column[:pairs], column]))

    def columns_of(self, n_components: int) -> tuple[Array, float]:
        """Columns of the `narrowed` map among those of this one, and the factor that makes them a map of their own."""
        m = self.n_frequencies
        if self.is_phase:
            return np.arange(n_components), float(np.sqrt(m / n_components))
        pairs, kept = m - len(self.phase), n_components // 2
        return np.concatenate([np.arange(kept), pairs + np.arange(kept)]), float(np.sqrt(m / kept))

    def begins_with(self, narrow: FourierMap) -> bool:
        """Whether the first frequencies of this map are those of a narrower one, to the bit."""
        return np.array_equal(self.omega[: narrow.n_frequencies], narrow.omega)

    def projections(self, X: Array, some: slice = slice(None)) -> Array:
        """omega_i . x of some frequencies, shape (m, n), for rows X (n, d)."""
        return self.omega[some] @ X.T

    def phase_reach(self, largest: Array) -> Array:
        """Bound (m,) on omega_i . x in absolute value, of rows of absolute values at most `largest` (d,)."""
        return np.abs(self.omega) @ largest.astype(float)

    def rounding(self, reach: Array, dtype: FloatType) -> float:
        """Bound on the norm of the rounding error of z(x), in a float type of unit round-off u.

        Phases are off by their `Projection.phase_rounding`, sine and cosine by 12 u more, amplitudes by 2 u.
        """
        unit = float(np.finfo(dtype).eps) / 2
        phases = np.minimum(self.projection.phase_rounding(reach, dtype), 2.0)
        return float(np.linalg.norm(self.amplitude * (phases + 14 * unit))) * (1 + 1e-9)

    def _in(self, dtype: FloatType) -> tuple[Array, Array]:
        """Amplitude and phase in a float type, kept for the next block."""
        if dtype not in self._cast:
            self._cast[dtype] = self.amplitude.astype(dtype), self.phase.astype(dtype)
        return self._cast[dtype]

    def __getstate__(self) -> dict[str, Any]:
        """A matrix is stored as `omega`, the name that files have had from the beginning."""
        linear = {"omega": self.omega} if self.projection.has_matrix else {"projection": self.projection}
        return {**linear, "amplitude": self.amplitude, "phase": self.phase, "recipe": self.recipe}

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        if "omega" in state:
            state["projection"] = DenseProjection(state.pop("omega"))
        self.__dict__.update(state, _cast={})


@dataclass(frozen=True)
class FourierRecipe:
    """Recipe of a Fourier map: seed and sizes instead of m x d frequencies, for workers and files."""

    kernel: Stationary
    sampler: Sampler
    n_features: int
    n_components: int
    embedding: Embedding
    seed: int

    def draw(self) -> FourierMap:
        """The map; the same one every time."""
        m = n_frequencies(self.n_components, self.embedding)
        frequencies = self.sampler.draw(self.kernel.spectral_measure(self.n_features), m, self.n_features, self.seed)
        drawn = fourier_map(frequencies, self.kernel, n_components=self.n_components, seed=self.seed)
        return replace(drawn, recipe=self)


def draw_fourier_map(
    kernel: Stationary,
    sampler: Sampler,
    *,
    n_features: int,
    n_components: int,
    embedding: Embedding,
    seed: int,
) -> FourierMap:
    """Draw a Fourier map of output width `n_components`."""
    return FourierRecipe(kernel, sampler, n_features, n_components, embedding, seed).draw()


def n_frequencies(n_components: int, embedding: Embedding) -> int:
    """Frequencies of a map of this width: half of it for pairs, rounded up, since an odd width ends with a phase."""
    return n_components if embedding == "phase" else (n_components + 1) // 2


def fourier_map(frequencies: Frequencies, kernel: Stationary, *, n_components: int, seed: int) -> FourierMap:
    """The map of frequencies that are already drawn; those beyond n_components / 2 have a phase, the last ones."""
    m = frequencies.projection.n_frequencies
    n_phases = 2 * m - n_components
    power = np.full(m, kernel.variance / m) * (1.0 if frequencies.weights is None else frequencies.weights)
    power[m - n_phases :] *= 2
    return FourierMap(
        projection=frequencies.projection,
        amplitude=np.sqrt(power),
        phase=generator(seed, Purpose.PHASES).uniform(0, 2 * np.pi, m)[m - n_phases :],
    )
