"""What all displays share: axes to draw on, in scikit-learn's manner."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from bochner.errors import MissingExtraError

__all__ = ["BLUE", "GREEN", "GREY", "ORANGE", "Display"]

BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#767676"


class Display:
    """Numbers that can draw themselves.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where the last `plot` drew.
    figure_ : matplotlib Figure
    """

    _size: ClassVar[tuple[float, float]] = (6.0, 4.0)

    ax_: Any
    figure_: Any

    def plot(self, ax: Any = None) -> Self:
        """Draw the numbers.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        self
        """
        if ax is None:
            try:
                from matplotlib import pyplot
            except ImportError:
                raise MissingExtraError("matplotlib", "plot") from None
            _, ax = pyplot.subplots(figsize=self._size, layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        self._draw(ax)
        return self

    def _draw(self, ax: Any) -> None:
        raise NotImplementedError
