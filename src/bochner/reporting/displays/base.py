"""Base of the displays: numbers of a fitted model that draw themselves on matplotlib axes, as in scikit-learn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, ClassVar, Self

from bochner._axes import axes_or_new
from bochner._json import plain
from bochner._typing import JsonDict
from bochner.reporting.displays.axes import draw_chart
from bochner.reporting.svg import Chart

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

__all__ = ["ChartDisplay", "Display"]


class Display(ABC):
    """Base of displays: numbers of a model, and their plot.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where the last `plot` drew.
    figure_ : matplotlib Figure
    """

    _size: ClassVar[tuple[float, float]] = (6.0, 4.0)

    ax_: Axes
    figure_: Figure | SubFigure

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the numbers.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        self
        """
        ax = axes_or_new(ax, self._size)
        self.ax_, self.figure_ = ax, ax.figure
        self._draw(ax)
        return self

    @abstractmethod
    def _draw(self, ax: Axes) -> None: ...


class ChartDisplay(Display):
    """A display whose chart is also in the report: one description, drawn as SVG there and by matplotlib here.

    A subclass is a dataclass whose fields are those of a part of the report's summary.
    """

    @abstractmethod
    def _chart(self, part: JsonDict) -> Chart:
        """The chart of a part of the summary."""

    def _draw(self, ax: Axes) -> None:
        fields: Any = self  # a dataclass, by the contract of this class
        draw_chart(self._chart(plain(asdict(fields))), ax)
