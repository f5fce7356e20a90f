"""Charts on matplotlib axes: the series, rules, labels and ticks of the page."""

import matplotlib as mpl
import numpy as np

from bochner.reporting.displays.axes import draw_chart
from bochner.reporting.svg import Axis, Chart, Rule, Series

mpl.use("Agg")
from matplotlib.figure import Figure


def drawn(*series, rules=(), log=False):
    ax = Figure().subplots()
    draw_chart(Chart("T", "M", Axis("width", 1.0, 100.0, log=log), Axis("error", 0.0, 2.0), series, rules), ax)
    return ax


def test_lines_rules_and_labels_are_those_of_the_chart():
    ax = drawn(
        Series("a", [1.0, 10.0], [0.5, None]), rules=[Rule("here", 10.0), Rule("low", 0.1, vertical=False)], log=True
    )
    np.testing.assert_array_equal(ax.lines[0].get_xydata(), [[1.0, 0.5], [10.0, np.nan]])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "here", "low"]
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_xscale(), ax.get_yscale()) == ("width", "error", "log", "linear")
    assert (ax.get_xlim(), ax.get_ylim()) == ((1.0, 100.0), (0.0, 2.0))
    assert ax.get_xticklabels()[0].get_text() == "1"


def test_every_kind_of_series_is_drawn():
    x, y = [1.0, 2.0, 3.0], [0.1, 0.2, 0.3]
    ax = drawn(
        Series("points", x, y, "points"),
        Series("bars", x, y[:2], "bars"),
        Series("band", x, y, "band", high=[1.0, 1.0, 1.0]),
        Series("guide", x, y, "guide"),
    )
    assert (len(ax.collections), len(ax.patches), len(ax.lines)) == (2, 1, 1)
