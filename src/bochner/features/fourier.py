"""Random Fourier features in their two embeddings (Rahimi & Recht 2007; Sutherland & Schneider 2015, eqs 1-2)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from scipy.sparse import issparse

from bochner._random import Purpose, generator
from bochner._typing import Array
from bochner.kernels.base import Stationary
from bochner.sampling.base import Frequencies, Sampler

__all__ = ["Embedding", "FourierMap", "FourierRecipe", "draw_fourier_map", "fourier_map", "n_frequencies"]

Embedding = Literal["paired", "phase"]

_NARROW = 16  # columns up to which projecting row by row beats GEMM


@dataclass(frozen=True)
class FourierMap:
    """A fixed Fourier map of m frequencies, of which the last ones, as many as there are phases, have a phase.

        z(x) = [a_i cos(omega_i . x)], [a_i sin(omega_i . x)]  over the paired frequencies,   a_i^2 = k(0) w_i / m
               [a_i cos(omega_i . x + b_i)]                    over those with a phase,       a_i^2 = 2 k(0) w_i / m

    with w_i the importance weight of a frequency (1 unless the sampler says otherwise), so that E z(x).z(y) = k(x, y).
    The paired embedding has no phases, the phase embedding one for every frequency; a paired map of odd width has one.

    Attributes
    ----------
    omega : array of shape (m, d), float64
    amplitude : array of shape (m,), float64
    phase : array of shape (n_phases,), float64
    recipe : FourierRecipe or None
        How to draw the same map again, if that is possible without data.
    """

    omega: Array
    amplitude: Array
    phase: Array
    recipe: FourierRecipe | None = field(default=None, repr=False, compare=False)
    _cast: dict[np.dtype[Any], tuple[Array, Array, Array]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def n_components(self) -> int:
        return 2 * len(self.omega) - len(self.phase)

    @property
    def scratch_width(self) -> int:
        return len(self.omega)

    def write(self, X: Any, out: Array, scratch: Array) -> None:
        from bochner.features import _loops

        omega_t, amplitude, phase = self._in(out.dtype)
        if not issparse(X) and 0 < X.shape[1] == len(omega_t) <= _NARROW and len(X) > 0:
            self.write_row_by_row(X, out, scratch)
        else:
            _loops.fourier_features(_project(X, omega_t, scratch), amplitude, phase, out)

    def rounding(self, reach: Array, dtype: np.dtype[Any]) -> float:
        """Bound on ||computed z(x) - z(x)|| for rows with |x_j| <= reach_j, in a float type of unit round-off u.

        A phase is off by at most (d + 6) u sum_j |omega_ij| reach_j: frequencies rounded to the type, d products and
        sums, the reduction of the argument; sine and cosine by 12 u more, amplitudes by 2 u.
        """
        unit, d = float(np.finfo(dtype).eps) / 2, self.omega.shape[1]
        phases = np.minimum((d + 6) * unit * (np.abs(self.omega) @ reach), 2.0)
        return float(np.linalg.norm(self.amplitude * (phases + 14 * unit))) * (1 + 1e-9)

    def write_row_by_row(self, X: Array, out: Array, scratch: Array) -> None:
        """As `write`, without BLAS: a row has the same features to the bit, whatever rows come with it."""
        from bochner.features import _loops

        rows = np.ascontiguousarray(X, dtype=out.dtype)
        _loops.narrow_fourier_features(rows, *self._in(out.dtype), out, scratch[0])

    def _in(self, dtype: np.dtype[Any]) -> tuple[Array, Array, Array]:
        """omega' (d, m), amplitude and phase in a float type, kept for the next block."""
        if dtype not in self._cast:
            self._cast[dtype] = (
                np.ascontiguousarray(self.omega.T, dtype=dtype),
                self.amplitude.astype(dtype),
                self.phase.astype(dtype),
            )
        return self._cast[dtype]

    def __getstate__(self) -> dict[str, Any]:
        return {"omega": self.omega, "amplitude": self.amplitude, "phase": self.phase, "recipe": self.recipe}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _cast={})


@dataclass(frozen=True)
class FourierRecipe:
    """What a map is drawn from: a few numbers instead of m x d frequencies, for workers and files."""

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
    m = len(frequencies.omega)
    n_phases = 2 * m - n_components
    power = np.full(m, kernel.variance / m) * _weights(frequencies)
    power[m - n_phases :] *= 2
    return FourierMap(
        omega=frequencies.omega,
        amplitude=np.sqrt(power),
        phase=generator(seed, Purpose.PHASES).uniform(0, 2 * np.pi, m)[m - n_phases :],
    )


def _weights(frequencies: Frequencies) -> Array:
    return np.ones(len(frequencies.omega)) if frequencies.weights is None else frequencies.weights


def _project(X: Any, omega_t: Array, scratch: Array) -> Array:
    """X omega' in the float type of `scratch`, written there unless X is sparse."""
    if issparse(X):
        return np.asarray(X @ omega_t, dtype=scratch.dtype)
    return np.matmul(np.asarray(X, dtype=scratch.dtype), omega_t, out=scratch)
