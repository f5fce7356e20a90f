"""The page is one file: nothing is loaded, nothing from the user is code, and a broken write leaves the old one."""

import json
import re
import subprocess
import sys
from html import unescape

import numpy as np
import pandas as pd
import pytest

import bochner as bo
from bochner.errors import MissingExtraError
from tests.reporting.tags import EVIL, Tags


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

    def interrupted(*paths):
        raise KeyboardInterrupt

    monkeypatch.setattr("bochner._files.os.replace", interrupted)
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
