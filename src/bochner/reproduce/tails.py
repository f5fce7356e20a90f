"""The uniform bounds of Figures 4 and 5 on [-b, b], as functions of eps.

"tight" has constants that depend on d, "loose" is the second form of Propositions 1 and 2 (66 and 98); both are
repaired, and stand beside "tight, printed" and "loose, printed", the forms of the paper. "old" is Rahimi & Recht's,
whose 256 holds for the Gaussian kernel as it stands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from bochner.kernels import Gaussian
from bochner.theory import published, uniform
from bochner.theory.base import Embedding

__all__ = ["Tail", "integral", "markov_tails"]

Tail: TypeAlias = Callable[[float], float]

_KERNEL = Gaussian()
_SIGMA_P, _SLOPE = _KERNEL.sigma_p(1), _KERNEL.lipschitz(1)


def markov_tails(half_width: float, n_components: int, embedding: Embedding) -> dict[str, Tail]:
    """P(sup |f| >= eps) <= tail(eps) over [-b, b]^2, by name; not clipped at 1 where printed or loose."""
    ell = 2 * half_width
    return _paired_tails(ell, n_components) if embedding == "paired" else _phase_tails(ell, n_components)


def integral(tail: Tail, embedding: Embedding, n_points: int = 1500) -> float:
    """int min(1, tail) d eps up to the largest possible error: a left sum, hence never too small."""
    reach = 2.0 if embedding == "paired" else 3.0
    edges = reach * np.linspace(0, 1, n_points + 1) ** 2
    values = [1.0, *(min(1.0, tail(float(eps))) for eps in edges[1:-1])]
    return float(np.dot(values, np.diff(edges)))


def _paired_tails(ell: float, D: int) -> dict[str, Tail]:
    tight = uniform.SutherlandSchneiderProp1(kernel=_KERNEL, n_features=1, diameter=ell)
    old = uniform.RahimiRecht(kernel=_KERNEL, n_features=1, diameter=ell)
    return {
        "tight": lambda eps: tight.probability(eps, n_components=D),
        "loose": lambda eps: _loose(66, (_SIGMA_P + _SLOPE) * ell, D / 24, eps),
        "old": lambda eps: old.probability(eps, n_components=D),
        "tight, printed": lambda eps: published.SutherlandSchneiderProp1(
            D=D, d=1, eps=eps, ell=ell, sigma_p=_SIGMA_P
        ).value(),
        "loose, printed": lambda eps: _loose(66, _SIGMA_P * ell, D / 24, eps),
    }


def _phase_tails(ell: float, D: int) -> dict[str, Tail]:
    tight = uniform.SutherlandSchneiderProp2(kernel=_KERNEL, n_features=1, diameter=ell, embedding="phase")
    mean_slope = (2 * _SIGMA_P + np.sqrt(2) * _SLOPE) / np.sqrt(3)
    return {
        "tight": lambda eps: tight.probability(eps, n_components=D),
        "loose": lambda eps: _loose(98, mean_slope * ell, D / 64, eps),
        "tight, printed": lambda eps: published.SutherlandSchneiderProp2(
            D=D, d=1, eps=eps, ell=ell, sigma_p=_SIGMA_P
        ).value(),
        "loose, printed": lambda eps: _loose(98, _SIGMA_P * ell, D / 64, eps),
    }


def _loose(constant: float, reach: float, exponent: float, eps: float) -> float:
    """constant (reach/eps)^2 exp(-exponent eps^2): d = 1, so the exponents are D/(8(d+2)) and D/(32(d+1))."""
    return float(constant * (reach / eps) ** 2 * np.exp(-exponent * eps**2))
