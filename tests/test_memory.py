"""Memory bills: their sum, their words, and the refusal before anything is allocated."""

import pytest

import bochner as bo
from bochner.errors import MemoryBudgetError
from bochner.memory import MemoryBill, format_bytes, require_memory

BILL = MemoryBill({"moments": 1_500_000_000, "blocks": 500_000})


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1 kB"),
        (1_500_000_000, "1.5 GB"),
        (2e15, "2e+03 TB"),
        (12_345_678, "12.3 MB"),
    ],
)
def test_sizes_are_written_for_people(size, words):
    assert format_bytes(size) == words


def test_a_bill_is_the_sum_of_its_items_and_lists_them():
    assert BILL.total == 1_500_500_000
    lines = str(BILL).splitlines()
    assert [line.split("  ")[-1] for line in lines] == ["moments", "blocks", "in all"]
    assert MemoryBill({}).total == 0


def test_a_bill_above_the_budget_is_refused_with_the_remedy():
    with bo.config_context(memory=BILL.total):
        require_memory(BILL, "Use fewer features.")
    with (
        bo.config_context(memory=BILL.total - 1),
        pytest.raises(
            MemoryBudgetError, match=r"(?s)This needs 1.5 GB.*1.5 GB  moments.*Use fewer features\."
        ) as caught,
    ):
        require_memory(BILL, "Use fewer features.")
    assert isinstance(caught.value, MemoryError)
