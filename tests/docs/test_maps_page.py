"""The page on feature maps is made from the benchmark files and from the constants of the code."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results"
sys.path.insert(0, str(ROOT / "benchmarks"))

import map_page  # noqa: E402

FOUND, FAST = (json.loads((RESULTS / f"{name}.json").read_text()) for name in ("maps", "map_speed"))


def test_the_page_is_current():
    text = (ROOT / "docs" / "maps.md").read_text(encoding="utf-8")
    assert map_page.page(RESULTS) == text, "run python benchmarks/maps.py page"


def test_every_map_is_measured_on_six_tables_or_more():
    tables, maps, cells = map_page.grid(FOUND)
    assert len(tables) >= 6
    assert len(maps) >= 15
    assert len(cells) == len(tables) * len(maps)


def test_nothing_is_reported_on_the_split_of_choices():
    assert FOUND["chosen_on"] not in FOUND["splits"]


@pytest.mark.parametrize("part", ["bytes", "seconds"])
def test_every_table_has_one_best_map_at_least(part):
    best = map_page.places(FOUND, part)
    assert {table for won, _ in best.values() for table in won} == set(map_page.grid(FOUND)[0])


def test_what_is_missed_has_its_reason():
    for line in FAST["rows"]:
        assert line["met"] or any(words in line["what"] for words in map_page.REASONS), line["what"]


def test_words_about_a_sampler_follow_the_numbers():
    said = map_page.sentence("a sampler", ["64", "4096"], [0.5, 0.9], [0.9, 1.001])
    assert said == (
        "- a sampler: at D = 64 the test error is smaller (-10.0 %, kernel error -50 %), at D = 4,096 the test error "
        "is the same (+0.1 %, kernel error -10 %)."
    )
