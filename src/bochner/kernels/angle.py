"""Kernels of the angle between rows: arc-cosine kernels (infinite networks of ReLUs) and the angular kernel (signs)."""

from __future__ import annotations

import numpy as np

from bochner._typing import Array
from bochner.errors import invalid_parameter
from bochner.kernels.base import Kernel

__all__ = ["Angular", "ArcCosine"]

_DEGREES = (0, 1, 2)


class ArcCosine(Kernel):
    """Arc-cosine kernel of Cho & Saul (2009): a layer of infinitely many random units relu(w.x)^degree.

        k(x, y) = 2 E relu(w.x)^s relu(w.y)^s = ||x||^s ||y||^s J_s(theta) / pi,      w normal,     s = degree

        J_0 = pi - theta,    J_1 = sin theta + (pi - theta) cos theta,
        J_2 = 3 sin theta cos theta + (pi - theta) (1 + 2 cos^2 theta)

    with theta the angle between x and y. relu^0 is the step function. k(x, x) = ||x||^(2s) (2s - 1)!!.

    Parameters
    ----------
    degree : 0, 1 or 2, default=1

    Examples
    --------
    >>> from bochner import ArcCosine
    >>> ArcCosine(degree=1)([[1.0, 0.0], [0.0, 1.0]]).round(4)
    array([[1.    , 0.3183],
           [0.3183, 1.    ]])
    """

    def __init__(self, degree: int = 1) -> None:
        self.degree = degree

    def checked_degree(self) -> int:
        """The degree, if it is one that has a closed form here."""
        if isinstance(self.degree, bool) or self.degree not in _DEGREES:
            raise invalid_parameter(self, "degree", "0, 1 or 2", self.degree)
        return int(self.degree)

    def _matrix(self, X: Array, Y: Array) -> Array:
        s = self.checked_degree()
        theta, norms = angles(X, Y)
        return norms**s * _angular_part(theta, s) / np.pi

    def _diagonal(self, X: Array) -> Array:
        s = self.checked_degree()
        norms = np.sum(X**2, axis=1)
        return np.where(norms > 0, norms**s, float(s == 0)) * (1.0, 1.0, 3.0)[s]


class Angular(Kernel):
    """Angular kernel: how often a random hyperplane through 0 has two rows on one side, less how often it parts them.

        k(x, y) = E sign(w.x) sign(w.y) = 1 - 2 theta / pi,      w normal

    with theta the angle between x and y. The row 0 has no angle and counts as orthogonal to all others.

    Examples
    --------
    >>> from bochner import Angular
    >>> Angular()([[1.0, 0.0], [1.0, 1.0]]).round(4)
    array([[1. , 0.5],
           [0.5, 1. ]])
    """

    def _matrix(self, X: Array, Y: Array) -> Array:
        return 1 - 2 * angles(X, Y)[0] / np.pi

    def _diagonal(self, X: Array) -> Array:
        return np.any(X != 0, axis=1).astype(float)


def angles(X: Array, Y: Array) -> tuple[Array, Array]:
    """Angles between rows and products of their lengths, (n, n_Y); pi / 2 where a row is 0.

    Twice the arc tangent of |x' - y'| / |x' + y'| for rows of length 1 (Kahan): next to 0 and pi the arc cosine of
    x'.y' would lose half of the digits.
    """
    lengths = [np.linalg.norm(rows, axis=1) for rows in (X, Y)]
    first, second = (rows / np.where(length > 0, length, 1)[:, None] for rows, length in zip((X, Y), lengths))
    cosine = first @ second.T
    near = np.clip(1 - np.abs(cosine), 0, None) < 1e-4
    theta = np.arccos(np.clip(cosine, -1, 1))
    for i, j in zip(*np.nonzero(near)):
        theta[i, j] = 2 * np.arctan2(np.linalg.norm(first[i] - second[j]), np.linalg.norm(first[i] + second[j]))
    norms = np.multiply.outer(*lengths)
    return np.where(norms > 0, theta, np.pi / 2), norms


def _angular_part(theta: Array, s: int) -> Array:
    """J_s(theta)."""
    rest = np.pi - theta
    if s == 0:
        return rest
    sine, cosine = np.sin(theta), np.cos(theta)
    return sine + rest * cosine if s == 1 else 3 * sine * cosine + rest * (1 + 2 * cosine**2)
