"""Charts as SVG: points where the axes say, words escaped, gaps left out, few ticks."""

import re
from html import unescape

import pytest

from bochner.reporting.svg import Axis, Chart, Rule, Series
from tests.reporting.tags import EVIL, Tags


def test_a_point_is_drawn_where_its_axes_say():
    chart = Chart("T", "M", Axis("x", 1.0, 100.0, log=True), Axis("y", 0.0, 10.0), [Series("a", [10.0], [5.0])])
    drawn = re.search(r'transform="translate\(([\d.]+) ([\d.]+)\)" data-tip="([^"]+)"', chart.svg())
    left, right = re.search(r'class="axis" x1="(\d+)" x2="(\d+)"', chart.svg()).groups()
    assert float(drawn[1]) == pytest.approx((float(left) + float(right)) / 2, abs=0.1)
    assert drawn[3] == "a: 5 at x 10"
    assert 'aria-label="T. M"' in chart.svg()


def test_words_of_a_chart_are_escaped():
    chart = Chart(EVIL, EVIL, Axis(EVIL, 0, 1), Axis(EVIL, 0, 1), [Series(EVIL, [0.5], [0.5])], [Rule(EVIL, 0.2)])
    tags = Tags()
    tags.feed(chart.svg())
    assert set(tags.count) == {"svg", "g", "line", "path", "text"}
    assert chart.svg().count('"') == unescape(chart.svg()).count('"') - chart.svg().count("&quot;")


def test_values_that_cannot_be_drawn_are_left_out():
    series = Series("a", [1.0, 2.0, 4.0, None], [0.0, None, 3.0, 1.0])
    axes = Axis.over("x", series.x, log=True), Axis.over("y", series.y, log=True)
    chart = Chart("T", "M", *axes, [series], [Rule("far", 1e9)])
    assert chart.svg().count("data-tip") == 1
    assert 'class="rule' not in chart.svg()


@pytest.mark.parametrize("low_high", [(0.0, 1.0), (-3.2, 8.9), (1e-9, 3e-9), (5.0, 5.0), (-1e6, 1e7)])
@pytest.mark.parametrize("log", [False, True])
def test_axes_have_a_few_ticks_inside_their_range(low_high, log):
    low, high = (max(low_high[0], 1e-9), low_high[1]) if log else low_high
    axis = Axis.over("x", [low, high], log=log)
    ticks = axis.ticks()
    assert 1 <= len(ticks) <= 10
    assert all(0 <= axis.place(tick) <= 1.001 for tick in ticks)
    assert axis.place(low) >= 0
    assert axis.place(high) <= 1


def test_the_name_of_an_axis_has_room_beside_wide_numbers_on_a_phone():
    chart = Chart("T", "M", Axis("x", 0.0, 1.0), Axis("y", -6e5, 2e5), [Series("a", [0.5], [1e5])])
    at, text = re.search(r'<text x="([\d.]+)" [^>]* text-anchor="end">(-600,000)<', chart.svg()).groups()
    wide_digit, half_a_line = 8.6, 8
    assert float(at) - wide_digit * len(text) > 11 + half_a_line - 2
