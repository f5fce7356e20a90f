"""The table of the page on memory is that of the measured calls, and all of them are within 1.2 times their budget."""

import json

from benchmarks.budgets.__main__ import RESULTS
from benchmarks.budgets.page import PAGE, written


def test_the_table_is_that_of_the_results_and_every_call_is_within_its_budget():
    found, text = json.loads(RESULTS.read_text(encoding="utf-8")), PAGE.read_text(encoding="utf-8")
    assert text == written(text, found)
    assert all(row["ratio"] <= 1.2 for row in found["calls"])
