"""Charts of the report on matplotlib axes: the same series, rules and labels as in the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bochner._axes import BLUE, GREEN, GREY, ORANGE
from bochner._typing import Array
from bochner.reporting.svg import Axis, Chart, Rule, Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis as MatplotlibAxis

__all__ = ["draw_chart"]

_COLOURS, _LINES, _MARKERS = (BLUE, ORANGE, GREEN, GREY), ("-", "--", ":", "-."), ("o", "s", "^", "D")
_MANY_MARKS = 60


def draw_chart(chart: Chart, ax: Axes) -> None:
    """Draw a chart on matplotlib axes, without its title and message."""
    for series in chart.series:
        _draw_series(series, ax)
    for rule in chart.rules:
        _draw_rule(rule, ax)
    ax.set(xscale="log" if chart.x.log else "linear", yscale="log" if chart.y.log else "linear")
    _label(ax.xaxis, chart.x)
    _label(ax.yaxis, chart.y)
    ax.set(xlim=(chart.x.low, chart.x.high), ylim=(chart.y.low, chart.y.high))
    ax.legend(frameon=False)


def _label(own: MatplotlibAxis, axis: Axis) -> None:
    """Label and ticks of the page, whose numbers do not touch."""
    own.set_label_text(axis.label)
    own.set_ticks(axis.ticks(), [axis.form(tick) for tick in axis.ticks()])
    own.set_ticks([], minor=True)


def _draw_series(series: Series, ax: Axes) -> None:
    x, y, colour = _numbers(series.x), _numbers(series.y), _COLOURS[series.style % 4]
    if series.kind == "band":
        ax.fill_between(x, y, _numbers(series.high), color=colour, alpha=0.2, label=series.name)
    elif series.kind == "bars":
        ax.stairs(y, x, fill=True, color=colour, alpha=0.6, label=series.name)
    elif series.kind == "points":
        ax.scatter(x, y, s=9, color=colour, alpha=0.6, label=series.name)
    elif series.kind == "guide":
        ax.plot(x, y, color=colour, ls="--", lw=1, label=series.name)
    else:
        marker = _MARKERS[series.style % 4] if len(x) <= _MANY_MARKS else ""
        ax.plot(x, y, _LINES[series.style % 4], marker=marker, ms=4, color=colour, label=series.name)


def _draw_rule(rule: Rule, ax: Axes) -> None:
    line = ax.axvline if rule.vertical else ax.axhline
    line(rule.at, color=_COLOURS[rule.style % 4], ls=_LINES[rule.style % 4], lw=1, label=rule.name)


def _numbers(values: Sequence[float | None]) -> Array:
    return np.array(values, dtype=float)  # None is nan: a gap in the line
