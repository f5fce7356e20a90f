"""Every public call stays near the memory budget it is given, or is refused with its bill (benchmarks/budgets)."""

import inspect
import sys

import pytest

import bochner as bo
from benchmarks.budgets.__main__ import in_child
from benchmarks.budgets.calls import CALLS, EXCUSED, QUICK

MOST = 1.2
"""Peak memory over the budget. Buffers of BLAS, stacks and what malloc keeps are in the peak, and on no bill."""

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")


def test_every_public_name_is_measured_or_excused():
    measured = {name for call in CALLS.values() for name in call.covers}
    public = {name for name in bo.__all__ if callable(getattr(bo, name)) and not inspect.ismodule(getattr(bo, name))}
    assert public - measured - EXCUSED.keys() == set()
    assert EXCUSED.keys() & measured == set()
    assert (measured | EXCUSED.keys()) - public == set()


@linux
def test_quick_calls_stay_within_their_budget():
    names = [name for name, call in CALLS.items() if not call.slow]
    found = {row["name"]: row for row in in_child(names, quick=True)}
    assert found.keys() == set(names)
    over = {name: row["ratio"] for name, row in found.items() if row["ratio"] > MOST}
    assert over == {}
    assert all("in all" in row["refusal"] for row in found.values() if row["refusal"])


@linux
@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, call in CALLS.items() if call.slow])
def test_slow_calls_stay_within_their_budget(name):
    (found,) = in_child([name], quick=True)
    assert found["peak"] <= MOST * QUICK.memory, found
