"""The page on validity is made from the files of the study."""

import json
import re
import sys
from pathlib import Path

import pytest

from benchmarks.validity import runner
from benchmarks.validity.setting import Setting

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "_ext"))

import validity  # noqa: E402

PAGE = (ROOT / "docs" / "validity.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["summary", "reasons", *runner.FAMILIES])
def test_every_family_is_on_the_page(name):
    assert f"```{{validity}} {name}\n```" in PAGE
    assert set(validity.FAMILIES) == set(runner.FAMILIES)


def test_a_table_has_one_row_for_every_promise(monkeypatch, tmp_path):
    monkeypatch.setattr(validity, "RESULTS", tmp_path)
    assert "Not measured yet" in validity.table("drift")
    assert "Not measured yet" in validity.reasons()
    setting = Setting("drift", {"law": "normal", "stream": 1000, "shared rows": True}, {"a": 0.05, "b": 0.0}, 2000, 10)
    payload = {"processor_seconds": 120.0, "not_simulated": {"x": "why"}, "records": setting.records([90, 0], 2000)}
    for name in ("drift", "bounds"):
        (tmp_path / f"validity_{name}.json").write_text(json.dumps(payload))
    lines = validity.table("drift").splitlines()
    assert lines[2] == "| normal, stream = 1,000, shared rows | a | <= 0.05 | 90 of 2,000 | 0.036 to 0.055 |"
    assert lines[3].endswith("| b | <= 0 | 0 of 2,000 | 0 to 0.0018 |")
    assert "| drift | 2 | 4,000 | 0 of 2 | 2.0 min |" in validity.summary()
    assert validity.reasons() == "- `x`: why."


def test_no_measured_number_is_typed():
    assert not re.search(r"\d of \d|\d+ (s|min|minutes)\b", PAGE)
