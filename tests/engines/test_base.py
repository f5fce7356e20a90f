"""Engines and reductions: what is abstract, what a new one gets for nothing, and which engine works on which rows."""

import numpy as np
import pytest

from bochner.engines import Cut, Engine, LocalEngine, Reduction, collection_rows, engine_of
from tests.engines.sums import EXPECTED, SUMS, WEIGHT, X, Y, array_rows
from tests.extension.toy_engine import ParcelRows


class Count(Reduction):
    """The number of rows: nothing is held for a row."""

    def cut(self, n_rows):
        return Cut(7)

    def empty(self):
        return 0

    def scratch(self, block_rows):
        return None

    def part(self, block, scratch):
        return block.n_rows

    def add(self, total, part):
        return total + part

    merge = add


def test_arrays_are_worked_on_by_the_threads_of_this_process():
    engine = engine_of(array_rows())
    assert isinstance(engine, LocalEngine)


def test_rows_that_name_an_engine_get_it():
    rows = ParcelRows(X, Y)
    assert engine_of(rows) is rows.engine


@pytest.mark.parametrize("other", [X, X.tolist(), None, "table.csv"])
def test_what_is_no_dask_collection_has_no_rows_of_one(other):
    assert collection_rows(other) is None


@pytest.mark.parametrize("base", [Engine, Reduction])
def test_a_base_class_is_abstract(base):
    with pytest.raises(TypeError, match="abstract"):
        base()


def test_a_reduction_that_holds_nothing_of_the_rows_is_the_same_everywhere():
    count = Count()
    assert count.restricted(slice(3, 5)) is count


def test_a_cut_takes_all_threads_unless_told_otherwise():
    assert Cut(100).n_threads is None


@pytest.mark.parametrize("reduction", [Count(), SUMS], ids=lambda reduction: type(reduction).__name__)
def test_any_order_of_merges_gives_the_same_total(reduction):
    """The law that engines rest on."""
    parts = list(LocalEngine().parts(array_rows(), reduction))
    together = LocalEngine().reduce(array_rows(), reduction, reduction.empty())
    rng = np.random.default_rng(0)
    for _ in range(5):
        total = reduction.empty()
        for i in rng.permutation(len(parts)):
            total = reduction.merge(total, parts[i])
        np.testing.assert_allclose(total, together, rtol=1e-12)


def test_every_engine_gives_the_same_total():
    unweighted = SUMS.factors @ X
    parcels = ParcelRows(X, Y, block_rows=11)
    np.testing.assert_allclose(LocalEngine().reduce(array_rows(), SUMS, SUMS.empty()), EXPECTED, rtol=1e-12)
    found = parcels.engine.reduce(parcels, SUMS, SUMS.empty())
    np.testing.assert_allclose(found[:3], unweighted, rtol=1e-12)
    assert WEIGHT.sum() != len(X)
