"""Matplotlib axes and colours that all plots share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bochner.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["BLUE", "GREEN", "GREY", "ORANGE", "axes_or_new"]

BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#767676"


def axes_or_new(ax: Axes | None, size: tuple[float, float] = (6.0, 4.0)) -> Axes:
    """The axes to draw on: those given, or of a new pyplot figure of a size in inches, as in scikit-learn."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise MissingExtraError("matplotlib", "plot") from None
    return pyplot.subplots(figsize=size, layout="constrained")[1]
