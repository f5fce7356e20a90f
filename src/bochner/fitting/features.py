"""The feature map of a fit: kernel and length scale, width, then the draw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from bochner.data import RowSource
from bochner.features import FeatureMap
from bochner.kernels import Stationary
from bochner.planning import default_width
from bochner.tuning import ScaleRule, Targets, Tuning

__all__ = ["ROWS_FOR_FEATURES", "ChosenFeatures", "DrawnFeatures", "FeatureSettings", "MapMaker"]

ROWS_FOR_FEATURES = 20_000
"""Rows that a data-dependent map sees of a table that is not in memory."""


@dataclass(frozen=True)
class DrawnFeatures:
    """A fitted transformer, which users see as `features_`, and its feature map."""

    transformer: Any
    map: FeatureMap


class MapMaker(Protocol):
    """Maker of the feature map of a kernel: random Fourier features, landmarks, or a user's transformer."""

    @property
    def nested(self) -> bool:
        """Whether a narrower map is the first part of a wider one, so that a width can be searched for."""
        ...

    @property
    def searched_by_refitting(self) -> bool:
        """Whether a width that is not given is found by fits of more and more landmarks (`search_landmarks`)."""
        ...

    @property
    def looks_at_rows(self) -> bool:
        """Whether the map depends on rows, beyond their number of columns."""
        ...

    @property
    def exact(self) -> MapMaker | None:
        """Maker of the kernel values against all rows, if the exact machine may take the place of other features.

        The maker itself, if there are no others.
        """
        ...

    def draw(
        self, kernel: Stationary | None, width: int, rows: RowSource, seed: int, *, warped: bool = False
    ) -> DrawnFeatures:
        """The map of a width, of rank-warped columns if asked for; `kernel` is None for a maker that has its own."""
        ...


@dataclass(frozen=True)
class ChosenFeatures:
    """Feature map of a fit, its kernel, unless the map brings its own, and the tuning of it, if any."""

    drawn: DrawnFeatures
    tuning: Tuning | None
    kernel: Stationary | None = None

    @property
    def map(self) -> FeatureMap:
        return self.drawn.map


@dataclass(frozen=True)
class FeatureSettings:
    """Settings for the features of a model: kernel, length scale, width, map.

    Attributes
    ----------
    scale : ScaleRule or None
        How kernel and length scale are chosen; None for a maker that has its own kernel.
    maker : MapMaker
    width : int or None
        Number of features; None: found by the data or by `default_width`.
    seed : int
    few : FeatureSettings or None
        Of few landmarks, which classes that are easily told apart have in place of these features.
    """

    scale: ScaleRule | None
    maker: MapMaker
    width: int | None
    seed: int
    few: FeatureSettings | None = None

    def width_for(self, rows: RowSource) -> int:
        """The width that was given, or the one of the default rule."""
        return default_width(rows.n_rows) if self.width is None else self.width

    def kernel_for(
        self, rows: RowSource, targets: Targets | None = None, *, rivals: bool = False
    ) -> tuple[Stationary | None, Tuning | None]:
        """Kernel with its scale, and how it was learned. `targets`: None for those of the rows."""
        if self.scale is None:
            return None, None
        return self.scale.resolve(rows, seed=self.seed, width=self.width_for(rows), targets=targets, rivals=rivals)

    def easy_tuning(self, rows: RowSource, targets: Targets) -> Tuning | None:
        """How the kernel was learned, by a short search, for classes that few landmarks may tell apart; else None."""
        if self.scale is None or not self.searched_by_refitting:
            return None
        return self.scale.resolve_easily(rows, targets, seed=self.seed, width=self.width_for(rows))

    def draw(
        self, kernel: Stationary | None, width: int, rows: RowSource, tuning: Tuning | None = None
    ) -> DrawnFeatures:
        warped = tuning is not None and tuning.warped
        return self.maker.draw(kernel, width, rows, self.seed, warped=warped)

    @property
    def exact_only(self) -> bool:
        """Whether the model is the exact kernel machine."""
        return self.maker.exact is self.maker

    @property
    def has_all_rows(self) -> bool:
        """Whether the model is the exact kernel machine, with kernel values or all rows as landmarks."""
        return self.maker.exact is not None and not self.maker.searched_by_refitting

    def draw_exact(self, kernel: Stationary | None, rows: RowSource, tuning: Tuning | None = None) -> DrawnFeatures:
        """Kernel values against all rows."""
        assert self.maker.exact is not None
        warped = tuning is not None and tuning.warped
        return self.maker.exact.draw(kernel, rows.n_rows, rows, self.seed, warped=warped)

    def choose(self, rows: RowSource, targets: Targets | None = None) -> ChosenFeatures:
        """Kernel, scale, width and map, in this order."""
        kernel, tuning = self.kernel_for(rows, targets)
        width = 0 if self.scale is None else self.width_for(rows)
        return ChosenFeatures(self.draw(kernel, width, rows, tuning), tuning, kernel)

    @property
    def searched_by_refitting(self) -> bool:
        """Whether the width is to be found by fits of more and more landmarks."""
        return self.scale is not None and self.width is None and self.maker.searched_by_refitting

    @property
    def looks_at_rows(self) -> bool:
        """Whether rows are looked at before the fit."""
        return self.maker.looks_at_rows or (self.scale is not None and self.scale.looks_at_rows)
