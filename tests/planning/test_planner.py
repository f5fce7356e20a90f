"""The planner's parts: what a width costs, the largest one that a budget allows, and the bounds it considers."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import bochner as bo
from bochner.errors import InvalidDataError, InvalidParameterError, MemoryBudgetError
from bochner.features import FourierShape
from bochner.planning import Budget, CostModel
from bochner.planning.budget import _largest
from bochner.planning.planner import _bounds
from bochner.solvers import ridge_bill
from bochner.statistics import plan_pass
from tests.strategies import rows

X = rows(0, 40, 3)
COST = CostModel(product=1e-10, feature=1e-9, projection=1e-10, penalties=1e-4, reduction=1e-10, columns=1e-9)


@pytest.fixture(autouse=True)
def known_machine(monkeypatch):
    """Nothing is measured here."""
    monkeypatch.setattr("bochner.planning.planner.calibrate", lambda name: COST)


def budget(time=None, n=50_000):
    return Budget(n, 8, 2, np.dtype(float), time, COST)


@pytest.mark.parametrize("limit", [0, 1, 7, 99, 100])
def test_the_largest_number_is_found_by_halving(limit):
    asked = []
    assert _largest(lambda k: asked.append(k) or k <= limit, 100) == limit
    assert len(asked) <= 7


def test_the_bill_of_a_width_is_that_of_the_fit():
    found, shape = budget().bill(512), FourierShape(512, 8)
    expected = ridge_bill(plan_pass(50_000, shape, 2, np.dtype(float)), shape, n_targets=2, dtype=np.dtype(float))
    assert found == expected


@pytest.mark.parametrize("memory", ["20MB", "1GB"])
def test_the_largest_width_is_allowed_and_the_next_is_not(memory):
    with bo.config_context(memory=memory):
        own = budget()
        width = own.largest_width()
        assert width % 2 == 0
        assert own.allows(width)
        assert not own.allows(width + 2)


def test_time_is_a_budget_too():
    free = budget()
    limited = budget(time=free.seconds(1000))
    assert limited.allows(1000)
    assert not limited.allows(1002)
    assert 1000 <= limited.largest_width() <= free.largest_width()


def test_data_add_bounds_and_a_region():
    without, few = _bounds(40, 3, bo.Gaussian(), "paired", None), _bounds(40, 3, bo.Gaussian(), "paired", X)
    assert len(few.rows) == len(without.rows) + 1
    assert (len(without.region), len(few.region)) == (0, 1)
    other = _bounds(40, 3, bo.Laplacian(), "paired", X)  # frequencies without moments: no region
    assert len(other.rows) == len(few.rows)
    assert other.region == []
    assert _bounds(5, 3, bo.Gaussian(), "paired", np.zeros((5, 3))).region == []


@pytest.mark.parametrize("eps", [0.05, 0.3])
def test_the_width_is_the_least_that_a_bound_asks_for(eps):
    wanted = _bounds(40, 3, bo.Gaussian(2.0), "paired", X).needed(eps, 0.01)
    assert wanted.bound.error(wanted.width, 0.01) <= eps * (1 + 1e-9)
    widths = [a.n_components for a in wanted.considered if "region" not in a.verdict]
    assert wanted.width == min(widths)
    assert [a.verdict for a in wanted.considered].count("used") == 1


def test_sparse_rows_are_planned_as_dense_ones():
    dense, sparse = bo.plan(X, n_components=32), bo.plan(csr_array(X), n_components=32)
    assert (dense.certified_error, dense.memory) == (sparse.certified_error, sparse.memory)


def test_float32_rows_take_less_memory():
    single = bo.plan(X.astype(np.float32), n_components=256, random_state=0)
    assert single.memory < bo.plan(X, n_components=256, random_state=0).memory


def test_targets_count_and_their_values_do_not():
    one, two = bo.plan(X, np.zeros(40)), bo.plan(X, np.zeros((40, 50)))
    assert one.n_components == two.n_components
    assert two.memory > one.memory


def test_workers_are_planned_on_request():
    alone = bo.plan(n_samples=10**6, n_features=10, n_components=512)
    assert alone.cluster is None
    few, many = (bo.plan(n_samples=10**7, n_features=10, n_components=512, workers=w).cluster for w in (2, 8))
    assert many.seconds < few.seconds
    assert many.traffic > few.traffic
    for name in ("workers", "threads_per_worker"):
        with pytest.raises(InvalidParameterError, match=f"{name!r}.*integer >= 1"):
            bo.plan(n_samples=100, n_features=2, **{"workers": 2, name: 0})


def test_a_budget_for_nothing_names_itself():
    with pytest.raises(MemoryBudgetError, match=r"Not even two features fit in a budget of 10 B"):
        bo.plan(n_samples=100, n_features=2, memory=10)


def test_rows_that_are_read_from_elsewhere_are_told_what_to_give():
    source = bo.scan_blocks(lambda: iter([(np.zeros((3, 2)), np.zeros(3))]), n_rows=3)
    with pytest.raises(InvalidDataError, match=r"Got a \w+: give its sizes, plan\(n_samples=source.n_rows"):
        bo.plan(source)
