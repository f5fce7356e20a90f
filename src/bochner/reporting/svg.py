"""Charts, and their drawing as SVG text: no plotting library, colours from the style sheet, a tooltip on every point.

Series differ by marker and dash as well as by colour. `data-tip` of a mark is what the page shows under the pointer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from itertools import zip_longest

import numpy as np

from bochner._typing import JsonDict
from bochner.reporting.numbers import number

__all__ = ["Axis", "Chart", "Rule", "Series", "swatch"]

_WIDTH, _HEIGHT = 420.0, 270.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 78.0, 18.0, 10.0, 44.0
_DIGIT, _NAME = 8.6, 24.0  # width of a digit in the larger type on a phone; of the name beside the numbers
_MARKERS = (
    "M-3.4 0a3.4 3.4 0 1 0 6.8 0a3.4 3.4 0 1 0 -6.8 0z",
    "M-3 -3h6v6h-6z",
    "M0 -4l3.8 6.6h-7.6z",
    "M0 -4.4l4.4 4.4l-4.4 4.4l-4.4 -4.4z",
)
_MANY_MARKS = 60


@dataclass(frozen=True)
class Axis:
    """A linear or logarithmic axis."""

    label: str
    low: float
    high: float
    log: bool = False
    form: Callable[[float], str] = number

    @classmethod
    def over(
        cls,
        label: str,
        values: Sequence[float | None],
        *,
        log: bool = False,
        form: Callable[[float], str] = number,
        include: Sequence[float] = (),
    ) -> Axis:
        """The axis that holds all values, with a little room; on a logarithmic one only positive values count."""
        known = [float(value) for value in (*values, *include) if value is not None and np.isfinite(value)]
        if log:
            return cls(label, *_logarithmic_range([value for value in known if value > 0]), True, form)
        return cls(label, *_linear_range(known, include), False, form)

    def place(self, value: float) -> float:
        """Where a value is, from 0 at the low end to 1 at the high one."""
        if self.log:
            return float(np.log(value / self.low) / np.log(self.high / self.low))
        return (value - self.low) / (self.high - self.low)

    def ticks(self) -> list[float]:
        """Round numbers, between three and seven of them where that is possible."""
        found = self._decades() if self.log else self._steps()
        return [
            float(tick)
            for tick in found
            if self.low - abs(self.low) * 1e-9 <= tick <= self.high + abs(self.high) * 1e-9
        ]

    def _decades(self) -> list[float]:
        decades = np.arange(np.floor(np.log10(self.low)), np.ceil(np.log10(self.high)) + 1)
        inside = np.log10(self.high / self.low)
        if inside >= 3:
            return list(10.0 ** decades[:: max(1, int(np.ceil(inside / 6)))])
        return [m * 10.0**d for d in decades for m in ((1, 2, 5) if inside > 0.5 else (1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9))]

    def _steps(self) -> list[float]:
        rough = (self.high - self.low) / 5
        unit = 10.0 ** np.floor(np.log10(rough))
        step = unit * next(m for m in (1, 2, 5, 10) if m * unit >= rough * 0.999)
        return [round(step * k, 12) for k in range(int(np.ceil(self.low / step)), int(np.floor(self.high / step)) + 1)]


def _logarithmic_range(values: list[float]) -> tuple[float, float]:
    low, high = (min(values), max(values)) if values else (1.0, 10.0)
    room = max((high / low) ** 0.04, 1.06)
    return low / room, high * room


def _linear_range(values: list[float], exact: Sequence[float]) -> tuple[float, float]:
    """The range of the values with some room, but none beyond an end that is to be met exactly."""
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    room = 0.04 * (high - low) if high > low else max(abs(high), 1.0) * 0.1
    return low if low in exact else low - room, high if high in exact and high > low else high + room


@dataclass(frozen=True)
class Series:
    """One set of marks: a "line" through points, "points" alone, "bars" between edges, a "band" or a "guide"."""

    name: str
    x: Sequence[float | None]
    y: Sequence[float | None]
    kind: str = "line"
    style: int = 0
    high: Sequence[float | None] = ()
    """Upper limits of a band; `y` has the lower ones."""


@dataclass(frozen=True)
class Rule:
    """A straight reference line across the chart."""

    name: str
    at: float
    vertical: bool = True
    style: int = 3


@dataclass(frozen=True)
class Chart:
    """A chart with its title and its message: what a reader should see in it."""

    title: str
    message: str
    x: Axis
    y: Axis
    series: Sequence[Series]
    rules: Sequence[Rule] = field(default_factory=tuple)

    def block(self) -> JsonDict:
        """The chart as a block of a page."""
        return {
            "kind": "figure",
            "title": self.title,
            "message": self.message,
            "svg": self.svg(),
            "legend": self.legend(),
            "table": self.table(),
        }

    def svg(self) -> str:
        """The drawing."""
        label = escape(f"{self.title}. {self.message}")
        marks = [self._series(series) for series in self.series] + [self._rule(rule) for rule in self.rules]
        body = "".join([*self._x_axis(), *self._y_axis(), *marks])
        return (
            f'<svg class="chart" viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" role="img" tabindex="0" aria-label="{label}">'
            f"{body}</svg>"
        )

    def legend(self) -> list[dict[str, str]]:
        """Names and swatches of all series and lines."""
        named = [{"name": s.name, "swatch": swatch(s.kind, s.style)} for s in self.series if s.name]
        return named + [{"name": rule.name, "swatch": swatch("rule", rule.style)} for rule in self.rules if rule.name]

    def table(self) -> dict[str, list[str] | list[list[str]]] | None:
        """The numbers of all lines, side by side; None for clouds of points."""
        lines = [s for s in self.series if s.kind in ("line", "bars")]
        if not lines or any(list(s.x) != list(lines[0].x) for s in lines):
            return None
        columns = [self._tip_numbers(self.y, s.y) for s in lines]
        places = self._tip_numbers(self.x, lines[0].x)
        rows = [list(row) for row in zip_longest(places, *columns, fillvalue="")]  # bars have an edge more than values
        return {"head": [self.x.label, *(s.name or self.y.label for s in lines)], "rows": rows}

    @cached_property
    def _left(self) -> float:
        """Where the axes cross: wide numbers leave room for the name of their axis."""
        longest = max((len(self.y.form(tick)) for tick in self.y.ticks()), default=0)
        return max(_LEFT, _NAME + _DIGIT * longest)

    def _series(self, series: Series) -> str:
        draw = {
            "line": self._line,
            "points": self._points,
            "bars": self._bars,
            "band": self._band,
            "guide": self._guide,
        }[series.kind]
        return f'<g class="series s{series.style}">{draw(series)}</g>'

    def _line(self, series: Series) -> str:
        points = self._placed(series)
        path = "".join(f"{'M' if i == 0 else 'L'}{x:.1f} {y:.1f}" for i, (x, y, _) in enumerate(points))
        return f'<path class="line" d="{path}"/>' + self._points(series, points)

    def _points(self, series: Series, points: list[tuple[float, float, str]] | None = None) -> str:
        points = self._placed(series) if points is None else points
        if len(points) > _MANY_MARKS:
            radius = 2.2 if series.kind == "points" else 1.2
            return "".join(
                f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="{radius}" data-tip="{tip}"/>' for x, y, tip in points
            )
        shape = _MARKERS[series.style % len(_MARKERS)]
        return "".join(
            f'<path class="mark" d="{shape}" transform="translate({x:.1f} {y:.1f})" data-tip="{tip}"/>'
            for x, y, tip in points
        )

    def _bars(self, series: Series) -> str:
        """Bars between the edges x; y has one value less."""
        bars = []
        for left, right, value in zip(series.x, series.x[1:], series.y):
            if left is None or right is None or value is None:
                continue
            x0, x1, y = self._x(left), self._x(right), self._y(value)
            tip = escape(f"{self._tip_number(self.x, left)} to {self._tip_number(self.x, right)}: {number(value)}")
            height = max(self._y(self.y.low) - y, 0)
            shape = f'x="{x0:.1f}" y="{y:.1f}" width="{max(x1 - x0 - 0.6, 0.4):.1f}" height="{height:.1f}"'
            bars.append(f'<rect class="bar" {shape} data-tip="{tip}"/>')
        return "".join(bars)

    def _band(self, series: Series) -> str:
        pairs = [(x, low, high) for x, low, high in zip(series.x, series.y, series.high) if None not in (x, low, high)]
        if not pairs:
            return ""
        there = [f"{self._x(x):.1f} {self._y(low):.1f}" for x, low, _ in pairs]  # type: ignore[arg-type]
        back = [f"{self._x(x):.1f} {self._y(high):.1f}" for x, _, high in reversed(pairs)]  # type: ignore[arg-type]
        return f'<path class="band" d="M{"L".join(there + back)}z"/>'

    def _guide(self, series: Series) -> str:
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y, _ in self._placed(series))
        return f'<path class="guide" d="M{path}"/>'

    def _rule(self, rule: Rule) -> str:
        axis = self.x if rule.vertical else self.y
        if not 0 <= axis.place(rule.at) <= 1:
            return ""
        if rule.vertical:
            at = self._x(rule.at)
            ends = f'x1="{at:.1f}" x2="{at:.1f}" y1="{_TOP:g}" y2="{_HEIGHT - _BOTTOM:g}"'
        else:
            at = self._y(rule.at)
            ends = f'x1="{self._left:g}" x2="{_WIDTH - _RIGHT:g}" y1="{at:.1f}" y2="{at:.1f}"'
        return f'<line class="rule s{rule.style}" {ends}/>'

    def _placed(self, series: Series) -> list[tuple[float, float, str]]:
        """Positions and words of the points that can be drawn."""
        placed = []
        for x, y in zip(series.x, series.y):
            if x is None or y is None or (self.x.log and x <= 0) or (self.y.log and y <= 0):
                continue
            name = f"{series.name}: " if series.name else ""
            tip = f"{name}{self._tip_number(self.y, y)} at {self.x.label} {self._tip_number(self.x, x)}"
            placed.append((self._x(x), self._y(y), escape(tip)))
        return placed

    @staticmethod
    def _tip_number(axis: Axis, value: float | None) -> str:
        return "" if value is None else axis.form(value)

    def _tip_numbers(self, axis: Axis, values: Sequence[float | None]) -> list[str]:
        return [self._tip_number(axis, value) for value in values]

    def _x(self, value: float) -> float:
        return self._left + self.x.place(value) * (_WIDTH - self._left - _RIGHT)

    def _y(self, value: float) -> float:
        return _HEIGHT - _BOTTOM - self.y.place(value) * (_HEIGHT - _TOP - _BOTTOM)

    def _x_axis(self) -> list[str]:
        base = _HEIGHT - _BOTTOM
        parts = [f'<line class="axis" x1="{self._left:g}" x2="{_WIDTH - _RIGHT:g}" y1="{base:g}" y2="{base:g}"/>']
        last = -np.inf
        for tick in self.x.ticks():
            at, text = self._x(tick), self.x.form(tick)
            half = _DIGIT / 2 * len(text)
            if at - half < last + 6 or at + half > _WIDTH + 8:
                continue  # labels must not touch
            last = at + half
            parts.append(f'<line class="tick" x1="{at:.1f}" x2="{at:.1f}" y1="{base:g}" y2="{base + 4:g}"/>')
            parts.append(f'<text x="{at:.1f}" y="{base + 17:g}" text-anchor="middle">{escape(text)}</text>')
        middle = (self._left + _WIDTH - _RIGHT) / 2
        parts.append(f'<text class="name" x="{middle:g}" y="{_HEIGHT - 6:g}" text-anchor="middle">')
        return [*parts, f"{escape(self.x.label)}</text>"]

    def _y_axis(self) -> list[str]:
        parts = []
        for tick in self.y.ticks():
            at = self._y(tick)
            parts.append(
                f'<line class="grid" x1="{self._left:g}" x2="{_WIDTH - _RIGHT:g}" y1="{at:.1f}" y2="{at:.1f}"/>'
            )
            text = escape(self.y.form(tick))
            parts.append(f'<text x="{self._left - 6:g}" y="{at + 4:.1f}" text-anchor="end">{text}</text>')
        middle = (_TOP + _HEIGHT - _BOTTOM) / 2
        turn = f'transform="translate(11 {middle:g}) rotate(-90)"'
        return [*parts, f'<text class="name" {turn} text-anchor="middle">{escape(self.y.label)}</text>']


def swatch(kind: str, style: int) -> str:
    """The mark of a series or line, for a legend."""
    inside = {
        "line": f'<path class="line" d="M1 7h26"/><path class="mark" d="{_MARKERS[style % 4]}" '
        'transform="translate(14 7)"/>',
        "points": f'<path class="mark" d="{_MARKERS[style % 4]}" transform="translate(14 7)"/>',
        "bars": '<rect class="bar" x="5" y="2" width="18" height="10"/>',
        "band": '<rect class="band" x="1" y="2" width="26" height="10"/>',
        "guide": '<path class="guide" d="M1 7h26"/>',
        "rule": f'<line class="rule s{style}" x1="1" x2="27" y1="7" y2="7"/>',
    }[kind]
    return f'<svg class="swatch" viewBox="0 0 28 14" aria-hidden="true"><g class="series s{style}">{inside}</g></svg>'
