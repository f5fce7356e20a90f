"""Base classes of groups of affine maps of images."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from bochner._typing import Array
from bochner.errors import InvalidDataError, invalid_parameter
from bochner.groups.base import Action, Group
from bochner.groups.interpolation import INTERPOLATIONS, affine_action

__all__ = ["Affine", "FiniteImageGroup", "ImageGroup"]

Affine: TypeAlias = tuple[Array, Array]
"""(L, t): the map p -> L p + t of points (row, column) around the middle of the image."""


class ImageGroup(Group):
    """A group of affine maps of images, row by row and channels last. A subclass lists or draws the maps.

    Attributes
    ----------
    shape : (h, w) or (h, w, c)
    """

    shape: tuple[int, ...]
    wrap: bool = False
    interpolation: str = "linear"
    independent_draws = False  # they are spread

    @abstractmethod
    def _maps(self) -> list[Affine]:
        """The maps of a finite family."""

    @abstractmethod
    def _draw_maps(self, n: int, rng: np.random.Generator) -> list[Affine]:
        """Draws from the law q."""

    def known_width(self) -> int | None:
        return self.check_width(None)

    def check_width(self, n_features: int | None = None) -> int:
        # Overrides: the shape of the images is known.
        width = int(np.prod(self._checked_shape()))
        if n_features is not None and n_features != width:
            raise InvalidDataError(
                f"{type(self).__name__} acts on images of shape {tuple(self.shape)}, rows of {width} columns. "
                f"Got {n_features} columns."
            )
        return width

    def _list(self, d: int) -> Sequence[Action]:
        return [self._action(each) for each in self._maps()]

    def _draw(self, n: int, d: int, rng: np.random.Generator) -> Sequence[Action]:
        return [self._action(each) for each in self._draw_maps(n, rng)]

    def _action(self, affine: Affine) -> Action:
        if self.interpolation not in INTERPOLATIONS:
            raise invalid_parameter(self, "interpolation", f"one of {sorted(INTERPOLATIONS)}", self.interpolation)
        return affine_action(
            self._checked_shape(), affine[0], affine[1], interpolation=self.interpolation, wrap=self.wrap
        )

    def _checked_shape(self) -> tuple[int, ...]:
        try:
            shape = tuple(int(size) for size in self.shape)
        except TypeError:
            shape = ()
        if len(shape) not in (2, 3) or min(shape) < 1:
            raise invalid_parameter(self, "shape", "(height, width) or (height, width, channels)", self.shape)
        return shape

    def is_square(self) -> bool:
        """Height and width are equal."""
        shape = self._checked_shape()
        return shape[0] == shape[1]


class FiniteImageGroup(ImageGroup):
    """A finite family of maps of images, all as likely."""

    def order(self, n_features: int | None = None) -> int:
        return len(self._maps())

    def _draw_maps(self, n: int, rng: np.random.Generator) -> list[Affine]:
        maps = self._maps()
        return [maps[i] for i in rng.integers(len(maps), size=n)]
