"""The comparison with peers is made from the benchmark files."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "_ext"))

import peers  # noqa: E402

PAGE = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")
ELSEWHERE = {
    "many_classes": "classification.md",
    "support_vectors": "classification.md",
    "images_full": "classification.md",
    "probabilities": "classification.md",
    "orbit_on_rings": "symmetry.md",
    "distance": "certificates.md",
    "server": "deploy.md",
    "planner": "command-line.md",
    "power": "comparing.md",
    "power_of_more_rows": "comparing.md",
    "power_of_many_rows": "comparing.md",
    "quantile_time": "losses.md",
    "quantiles_of_more_rows": "losses.md",
    "conditional": "comparing.md",
    "conditional_peers": "comparing.md",
    "quantiles": "losses.md",
    "robust": "losses.md",
    "exact_peers": "exact.md",
    "exact_tables": "exact.md",
    "landmarks": "decisions/021-landmarks.md",
}


@pytest.mark.parametrize("name", peers.TABLES)
def test_every_table_is_on_the_page_and_made_of_a_file(name, monkeypatch, tmp_path):
    page = (ROOT / "docs" / ELSEWHERE.get(name, "comparison.md")).read_text(encoding="utf-8")
    assert f"```{{peers}} {name}\n```" in page
    make, result, _ = peers.TABLES[name]
    if (peers.RESULTS / f"{result}.json").exists():
        header, rows = make()
        assert rows
        assert all(len(row) == len(header) for row in rows)
        assert peers.markdown(name).count("\n| ") == len(rows) + 1
    monkeypatch.setattr(peers, "RESULTS", tmp_path)
    assert "Not measured yet" in peers.markdown(name)


def test_no_measured_number_is_typed():
    """Seconds, ratios and percentages on the page come from files alone."""
    assert not re.search(r"\d+(\.\d+)?\s*(s\b|x\b|%|times)", PAGE)
