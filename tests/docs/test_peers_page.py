"""The page on peers is the one that its results give, and counts wins and losses as they are."""

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def made(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import peer_page

    yield peer_page
    sys.modules.pop("peer_page", None)


def test_the_page_is_current(made):
    found = json.loads((ROOT / "benchmarks" / "results" / "peers.json").read_text(encoding="utf-8"))
    assert made.page(found) == (ROOT / "docs" / "peers.md").read_text(encoding="utf-8")
    assert {record["fold"] for record in found["fits"]} <= {5, 6, 7, 8, 9}


def test_wins_ties_and_losses_are_ratios_beyond_one_percent(made):
    def record(table, method, error, fold=5):
        known = {"task": "regression", "n_test": 100, "fit_seconds": 2.0 if method == "ours" else 1.0}
        return {"table": table, "method": method, "error": error, "fold": fold, **known}

    records = [record("a", "ours", 0.5), record("a", "xrfm", 0.6), record("b", "ours", 0.605), record("b", "xrfm", 0.6)]
    records += [record("c", "ours", 0.9), record("c", "xrfm", 0.6), record("c", "ours", None, fold=6)]
    (row,) = made.summary(records)
    assert (row["wins"], row["ties"], row["losses"]) == (1, 1, 1)
    assert row["lost"] == {"c": pytest.approx(1.5)}
    assert row["median_time"] == 2
    assert row["limits"] == (pytest.approx(0.0945, abs=1e-3), pytest.approx(0.9055, abs=1e-3))
