"""Classification problems on a circle with known spectrum, regularity and best function (Zhu Li's Table 1)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from scipy.special import expit

from bochner._typing import Array
from bochner.reproduce.circle_classifier import CircleLabels, Loss, fit, loss_values
from bochner.theory.tables import OWN, TABLE_1, TableRow

__all__ = ["GAMMA", "WIDTHS", "Problem", "Spectrum"]

Spectrum = Literal["finite rank", "exponential", "polynomial"]

_POINTS, _WAVES, _FINITE = 512, 255, 5
GAMMA = 1.0  # eigenvalues k^-2
_SURPLUS = 0.05  # f_H = L^r g with |g_k| = k^(-1/2 - surplus)
_GAP = 0.003  # duality gap of the fits, divided by n: far below every risk that is compared
WIDTHS = {"plain": [2**j for j in range(2, 18)], "leverage": [2**j for j in range(2, 15)]}
_ROWS = {
    "finite rank": ("finite rank",) * 2,
    "exponential": ("exponential",) * 2,
    "polynomial": ("polynomial", "i^(-2 gamma)"),
}
_LOGS: dict[str, Callable[[Array], Array]] = {
    "1": np.ones_like,
    "loglog n": lambda n: np.log(np.log(n)),
    "log n": np.log,
    "log n loglog n": lambda n: np.log(n) * np.log(np.log(n)),
}


@dataclass(frozen=True)
class Problem:
    """A loss, a spectrum and a regularity r, with the best function known."""

    loss: Loss
    spectrum: Spectrum
    r: float
    penalty_factor: float

    @cached_property
    def eigenvalues(self) -> Array:
        """A_0 ... A_K with A_0 + 2 (A_1 + ... + A_K) = 1."""
        k = np.arange(_WAVES + 1.0)
        raw = {
            "finite rank": np.where(k <= _FINITE, 2.0**-k, 0.0),
            "exponential": np.exp(-k / 2),
            "polynomial": np.maximum(k, 1) ** (-2 * GAMMA),
        }[self.spectrum]
        return raw / (raw[0] + 2 * raw[1:].sum())

    @cached_property
    def probability(self) -> Array:
        """P(y = 1 | x) at the points."""
        x = np.arange(_POINTS) / _POINTS
        if self.loss == "hinge":
            arc = np.clip((x % 0.5 - 0.05) / 0.4, 0, 1)  # two arcs of length 0.4, gaps of 0.1
            return 0.5 + np.where(x < 0.5, 0.4, -0.4) * np.sin(np.pi * arc)
        return expit(self.best)

    @cached_property
    def best(self) -> Array:
        """Values of a function of least risk."""
        if self.loss == "hinge":
            # 1 and -1 on the arcs; what it is in the gaps changes no risk.
            return np.sign(np.round(self.probability - 0.5, 12))
        k = np.arange(1.0, _WAVES + 1)
        amplitude = self.eigenvalues[1:] ** self.r * k ** (-0.5 - _SURPLUS)
        phase = 2 * np.pi * np.outer(k, np.arange(_POINTS) / _POINTS + (np.sqrt(5) - 1) / 2)
        f = amplitude @ np.cos(phase)
        return 2 * f / f.std()

    def risk(self, f: Array) -> Array:
        """E loss(y f(x)) of functions (..., G)."""
        p = self.probability
        mean: Array = np.mean(p * loss_values(self.loss, f) + (1 - p) * loss_values(self.loss, -f), axis=-1)
        return mean

    def penalty(self, n: int) -> float:
        return float(self.penalty_factor * n ** (-1 / (2 * self.r)))

    def effective_dimension(self, penalty: float) -> float:
        shares = self.eigenvalues / (self.eigenvalues + penalty)
        return float(shares[0] + 2 * shares[1:].sum())

    def row(self, sampling: str) -> TableRow:
        """The row of the paper's Table 1: its own, not one that it quotes."""
        kind, spectrum = ("plain" if sampling == "plain" else "weighted"), _ROWS[self.spectrum][sampling == "leverage"]
        own = [row for row in TABLE_1 if row.authors == OWN]
        return next(row for row in own if (row.sampling, row.spectrum) == (kind, spectrum))

    def predicted(self, sampling: str, n: Array) -> Array:
        """The table's number of features with constant 1."""
        row = self.row(sampling)
        count: Array = n ** row.exponent(self.r, GAMMA) * _LOGS[row.logs](n)
        return count

    def width(self, n: int, sampling: str) -> int:
        """The table's count; for leverage d(lambda) log(16 d(lambda)), which is of its order."""
        if sampling == "plain":
            return int(np.ceil(self.predicted("plain", np.array(float(n)))))
        d = self.effective_dimension(self.penalty(n))
        return int(np.ceil(d * np.log(16 * d)))

    def estimated(self, sampling: str, width: int, penalty: float, rng: np.random.Generator) -> Array:
        """Eigenvalues of the kernel of `width` drawn features."""
        A = self.eigenvalues
        weight = A / (A + penalty) if sampling == "leverage" else A.copy()
        weight[1:] *= 2  # k and -k
        p = weight / weight.sum()
        return A * rng.multinomial(width, p) / np.where(p > 0, width * p, 1.0)

    def observe(self, n: int, rng: np.random.Generator) -> dict[str, Array]:
        """Excess risks on one draw of rows: exact, and of new features of the table's width and of all widths."""
        labels, penalty = CircleLabels.draw(n, self.probability, rng), self.penalty(n)
        widths = {sampling: [self.width(n, sampling), *tried] for sampling, tried in WIDTHS.items()}
        kernels = [self.eigenvalues]
        kernels += [self.estimated(sampling, s, penalty, rng) for sampling, tried in widths.items() for s in tried]
        f, _ = fit(labels, np.array(kernels), penalty, self.loss, gap=_GAP / n)
        excess = self.risk(f) - self.risk(self.best)
        ends = np.cumsum([1, *(len(tried) for tried in widths.values())])
        return dict(zip(("exact", *widths), np.split(excess, ends[:-1]), strict=True))
