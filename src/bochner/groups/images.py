"""Groups that act on images: rotations, shifts, scalings, reflections, the symmetries of the square, affine maps."""

from __future__ import annotations

from numbers import Real

import numpy as np
from scipy.stats import qmc

from bochner._typing import Array
from bochner.errors import invalid_parameter
from bochner.groups.base import check_integer
from bochner.groups.image_base import Affine, FiniteImageGroup, ImageGroup

__all__ = [
    "Dihedral",
    "ImageAffine",
    "ImageReflections",
    "ImageRotations",
    "ImageScalings",
    "ImageTranslations",
]

_STILL = np.zeros(2)


class ImageRotations(ImageGroup):
    """Rotations about the middle of the image, by n angles or by any angle.

    By 360 k / n degrees if `max_angle` is 180: a group. By angles spread evenly over +-max_angle otherwise: local
    invariance, which keeps a 6 apart from a 9. Quarter turns of a square image are exact; other angles interpolate,
    which blurs: on digits of MNIST bilinear interpolation changes lengths by 5 % (median) to 13 %, cubic by 1.4 % to
    5 % (`unitarity_defect`), and the corners of an image turn out of it.

    Parameters
    ----------
    shape : (h, w) or (h, w, c), default=(28, 28)
    n : int or None, default=32
        Number of angles; None: any angle, so that n_transforms must say how many to draw.
    max_angle : float, default=180
        Largest angle in degrees.
    interpolation : {"linear", "cubic"}, default="linear"

    Examples
    --------
    >>> from bochner.groups import ImageRotations
    >>> (ImageRotations((2, 2), n=4).elements().actions[1] @ [1, 2, 3, 4]).tolist()
    [2.0, 4.0, 1.0, 3.0]
    """

    def __init__(
        self,
        shape: tuple[int, ...] = (28, 28),
        n: int | None = 32,
        max_angle: float = 180,
        *,
        interpolation: str = "linear",
    ) -> None:
        self.shape = shape
        self.n = n
        self.max_angle = max_angle
        self.interpolation = interpolation

    @property
    def unitary(self) -> bool:  # type: ignore[override]
        return self.closed and (self.n in (1, 2) or (self.n == 4 and self.is_square()))

    @property
    def closed(self) -> bool:  # type: ignore[override]
        return self.max_angle == 180 and self.n is not None

    def order(self, n_features: int | None = None) -> int | None:
        return None if self.n is None else check_integer(self, "n", self.n, 1)

    def _maps(self) -> list[Affine]:
        n, largest = check_integer(self, "n", self.n, 1), _within(self, "max_angle", self.max_angle, 0, 180)
        turns = np.arange(n) / n if largest == 180 else (np.arange(n) + 0.5) / n - 0.5
        return [_rotation(2 * largest * turn) for turn in turns]

    def _draw_maps(self, n: int, rng: np.random.Generator) -> list[Affine]:
        largest = _within(self, "max_angle", self.max_angle, 0, 180)
        return [_rotation(largest * u) for (u,) in _spread(n, 1, rng)]


class ImageTranslations(FiniteImageGroup):
    """Shifts by whole pixels, up to `max_shift` in each direction.

    Parameters
    ----------
    shape : (h, w) or (h, w, c), default=(28, 28)
    max_shift : int, default=2
        (2 max_shift + 1)^2 shifts, or all h w of them if `wrap` and max_shift=None.
    wrap : bool, default=False
        What leaves on one side enters on the other: with max_shift=None a group, and unitary. Without, pixels that
        leave are lost.
    """

    def __init__(self, shape: tuple[int, ...] = (28, 28), max_shift: int | None = 2, *, wrap: bool = False) -> None:
        self.shape = shape
        self.max_shift = max_shift
        self.wrap = wrap

    @property
    def unitary(self) -> bool:  # type: ignore[override]
        return self.wrap or self.max_shift == 0

    @property
    def closed(self) -> bool:  # type: ignore[override]
        return (self.wrap and self.max_shift is None) or self.max_shift == 0

    def _maps(self) -> list[Affine]:
        if self.max_shift is None:
            if not self.wrap:
                raise invalid_parameter(self, "max_shift", "an integer >= 0 unless wrap=True", self.max_shift)
            down, right = (range(size) for size in self._checked_shape()[:2])
        else:
            reach = check_integer(self, "max_shift", self.max_shift, 0)
            down = right = range(-reach, reach + 1)
        return [(np.eye(2), np.array([y, x], dtype=float)) for y in down for x in right]


class ImageScalings(ImageGroup):
    """Magnifications about the middle by factors between 1/max_scale and max_scale, with the factor abs(J)^(-1/2).

    Parameters
    ----------
    shape : (h, w) or (h, w, c), default=(28, 28)
    n : int or None, default=5
        Number of factors, evenly spread in their logarithm; None: any factor.
    max_scale : float, default=1.25
    interpolation : {"linear", "cubic"}, default="linear"
    """

    unitary, closed = False, False

    def __init__(
        self,
        shape: tuple[int, ...] = (28, 28),
        n: int | None = 5,
        max_scale: float = 1.25,
        *,
        interpolation: str = "linear",
    ) -> None:
        self.shape = shape
        self.n = n
        self.max_scale = max_scale
        self.interpolation = interpolation

    def order(self, n_features: int | None = None) -> int | None:
        return None if self.n is None else check_integer(self, "n", self.n, 1)

    def _maps(self) -> list[Affine]:
        n = check_integer(self, "n", self.n, 1)
        return self._by((2 * np.arange(n) + 1) / n - 1)

    def _draw_maps(self, n: int, rng: np.random.Generator) -> list[Affine]:
        return self._by(_spread(n, 1, rng)[:, 0])

    def _by(self, exponents: Array) -> list[Affine]:
        largest = _within(self, "max_scale", self.max_scale, 1, np.inf)
        return [(np.eye(2) * largest**exponent, _STILL) for exponent in exponents]


class ImageReflections(FiniteImageGroup):
    """Mirror images: left-right, up-down, or both (a group of four).

    Parameters
    ----------
    shape : (h, w) or (h, w, c), default=(28, 28)
    axis : {"horizontal", "vertical", "both"}, default="horizontal"
        "horizontal" exchanges left and right.
    """

    def __init__(self, shape: tuple[int, ...] = (28, 28), axis: str = "horizontal") -> None:
        self.shape = shape
        self.axis = axis

    def _maps(self) -> list[Affine]:
        signs = {"horizontal": [(1, -1)], "vertical": [(-1, 1)], "both": [(1, -1), (-1, 1), (-1, -1)]}
        if self.axis not in signs:
            raise invalid_parameter(self, "axis", f"one of {sorted(signs)}", self.axis)
        return [(np.diag(np.array(pair, dtype=float)), _STILL) for pair in [(1, 1), *signs[self.axis]]]


class Dihedral(FiniteImageGroup):
    """D4, the eight symmetries of the square: quarter turns and mirror images. Exact.

    Parameters
    ----------
    shape : (h, h) or (h, h, c), default=(28, 28)
    """

    def __init__(self, shape: tuple[int, ...] = (28, 28)) -> None:
        self.shape = shape

    def _maps(self) -> list[Affine]:
        if not self.is_square():
            raise invalid_parameter(self, "shape", "square: (h, h) or (h, h, c)", self.shape)
        mirror = np.diag([1.0, -1.0])
        return [(_rotation(angle)[0] @ m, _STILL) for m in (np.eye(2), mirror) for angle in (0, 90, 180, 270)]


class ImageAffine(ImageGroup):
    """Affine maps near the identity, with the factor abs(J)^(-1/2): small turns, shifts, scalings and shears together.

        L = rotation(angle) diag(scale, scale) [[1, shear], [0, 1]],      t = shift

    each parameter uniform on its interval (scale in its logarithm), independently. A law, not a group.

    Parameters
    ----------
    shape : (h, w) or (h, w, c), default=(28, 28)
    max_angle : float, default=15
        Degrees.
    max_shift : float, default=2
        Pixels in each direction.
    max_scale : float, default=1.15
    max_shear : float, default=0.15
    interpolation : {"linear", "cubic"}, default="linear"
    """

    unitary, closed = False, False

    def __init__(
        self,
        shape: tuple[int, ...] = (28, 28),
        max_angle: float = 15,
        max_shift: float = 2,
        max_scale: float = 1.15,
        max_shear: float = 0.15,
        *,
        interpolation: str = "linear",
    ) -> None:
        self.shape = shape
        self.max_angle = max_angle
        self.max_shift = max_shift
        self.max_scale = max_scale
        self.max_shear = max_shear
        self.interpolation = interpolation

    def order(self, n_features: int | None = None) -> None:
        return None

    def _maps(self) -> list[Affine]:
        return []

    def _draw_maps(self, n: int, rng: np.random.Generator) -> list[Affine]:
        angle = _within(self, "max_angle", self.max_angle, 0, 180)
        shift = _within(self, "max_shift", self.max_shift, 0, np.inf)
        scale = _within(self, "max_scale", self.max_scale, 1, np.inf)
        shear = _within(self, "max_shear", self.max_shear, 0, np.inf)
        maps = []
        for a, s, k, *t in _spread(n, 5, rng):
            linear = _rotation(angle * a)[0] * scale**s @ np.array([[1.0, shear * k], [0.0, 1.0]])
            maps.append((linear, shift * np.array(t)))
        return maps


def _spread(n: int, k: int, rng: np.random.Generator) -> Array:
    """n points of [-1, 1]^k, each uniform, together evenly spread: a Latin hypercube.

    16 angles so drawn make three quarters of the errors on rotated digits that 16 independent ones make.
    """
    return 2 * qmc.LatinHypercube(k, rng=rng).random(n) - 1


def _rotation(degrees: float) -> Affine:
    """Counter-clockwise as the image is seen, rows counted downwards."""
    angle = np.deg2rad(degrees)
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]]), _STILL


def _within(owner: object, name: str, value: object, low: float, high: float) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not low <= float(value) <= high:
        raise invalid_parameter(owner, name, f"a number in [{low:g}, {high:g}]", value)
    return float(value)
