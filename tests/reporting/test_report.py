"""The page is one file: nothing is loaded, nothing from the user is code, and a broken write leaves the old one."""

import json
import re
import subprocess
import sys
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import bochner as bo
from bochner.errors import MissingExtraError
from bochner.reporting.svg import Axis, Chart, Rule, Series

EVIL = "<script>alert('x')</script>\"'&</style>"


class Tags(HTMLParser):
    """Counts tags, and collects every address in an attribute."""

    def __init__(self):
        super().__init__()
        self.count, self.addresses = {}, []

    def handle_starttag(self, tag, attrs):
        self.count[tag] = self.count.get(tag, 0) + 1
        self.addresses += [
            value for name, value in attrs if name in ("src", "href", "action", "data", "srcset", "poster")
        ]


@pytest.fixture(scope="module")
def evil_report():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((120, 2)), columns=[EVIL, "b"])
    labels = np.where(frame["b"] > 0, EVIL, "!")  # EVIL sorts last: the class whose probability is drawn
    kernel = bo.Gaussian(length_scale=np.array([1.0, 2.0]))
    model = bo.KernelClassifier(kernel, n_components=32, random_state=0).fit(frame[:60], labels[:60])
    return bo.report(model, X=frame[60:], y=labels[60:], title=EVIL, extra={EVIL: EVIL, "seconds": 1.0})


def test_names_from_the_user_are_never_markup(evil_report):
    tags = Tags()
    tags.feed(evil_report.html)
    assert tags.count["script"] == 2  # the numbers and the program
    assert tags.count["style"] == 1
    assert "<script>alert" not in evil_report.html
    assert unescape(evil_report.html).count(EVIL) > 5


def test_the_page_links_to_nothing_outside(evil_report):
    tags = Tags()
    tags.feed(evil_report.html)
    assert all(address.startswith(("#", "data:")) for address in tags.addresses)
    assert not re.search(r"(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}", evil_report.html, flags=re.IGNORECASE)
    assert "@import" not in evil_report.html
    assert len(evil_report.html.encode()) < 1_000_000


def test_the_numbers_in_the_page_are_the_summary(evil_report):
    inside = re.search(r'<script type="application/json" id="summary">(.*?)</script>', evil_report.html, flags=re.S)
    assert json.loads(inside[1]) == evil_report.summary


def test_every_link_within_the_page_has_a_target(evil_report):
    for target in re.findall(r'href="#([^"]+)"', evil_report.html):
        assert f'id="{target}"' in evil_report.html


def test_a_report_is_written_whole_or_not_at_all(waves, tmp_path, monkeypatch):
    made = bo.report(waves.regressor, tmp_path / "report.html", X=waves.X, y=waves.y)
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == made.html
    assert json.loads(made.save(tmp_path / "report.json").read_text()) == made.summary

    def interrupted(self, target):
        raise KeyboardInterrupt

    monkeypatch.setattr("pathlib.Path.replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        bo.report(waves.regressor, tmp_path / "report.html", title="another")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == made.html
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.html", "report.json"]


def test_a_notebook_shows_the_page_in_a_frame(evil_report):
    frame = evil_report._repr_html_()
    assert frame.startswith("<iframe")
    assert "<script" not in frame
    tags = Tags()
    tags.feed(frame)
    assert tags.count == {"iframe": 1}
    assert "kB" in repr(evil_report)
    assert "quality:" in str(evil_report)


def test_the_module_does_not_hide_the_function():
    code = "import bochner as bo, bochner.reporting; bo.KernelErrorDisplay; bo.report; print(callable(bo.report))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "True\n"


def test_a_missing_template_engine_is_named(waves, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'bochner\[report\]'"):
        bo.report(waves.regressor)


def test_cards_of_plans_and_certificates_are_escaped(waves):
    from dataclasses import replace

    plan = replace(bo.plan(n_samples=100, n_features=2), kernel="<b>", warnings=("<script>",))
    certificate = waves.regressor.certify(waves.X)
    odd = replace(certificate, claim="<i>", assumptions=("<u>",), source="<s>")
    for shown, marks in ((plan._repr_html_(), ("<b>", "<script>")), (odd._repr_html_(), ("<i>", "<u>", "<s>"))):
        assert not any(mark in shown for mark in marks)
        assert "bochner-card" in shown
    assert certificate.statement in unescape(certificate._repr_html_())


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
