"""Tasks, merges and waves of a pass on a cluster are as many as the cost model of a plan counts."""

from dataclasses import dataclass

import numpy as np
import pytest

pytest.importorskip("dask", reason="needs the extra 'dask'")
import dask.array as da

from bochner.engines.cluster_shape import BRANCHES, TASKS_PER_THREAD
from bochner.engines.dask_rows import DaskRows
from bochner.engines.dask_waves import Waves
from tests.engines.sums import Notes, WeightedSums

N = 200
X = np.random.default_rng(0).standard_normal((N, 3))
MERGED = []


@dataclass(frozen=True)
class Counting(WeightedSums):
    """Tells when it begins a total: once for a task and once for a merge."""

    def empty(self):
        MERGED.append(0)
        return super().empty()

    def merge(self, total, other):
        MERGED[-1] += 1
        return super().merge(total, other)


@pytest.fixture
def rows(client):
    """A partition for every row: there are always enough."""
    return DaskRows(da.from_array(X, chunks=(1, 3)))


def reduced(rows, **options):
    MERGED.clear()
    sums = Counting(np.ones(N))
    found = rows.engine.reduce(rows, sums, np.zeros(4), **options)
    np.testing.assert_allclose(found, np.append(X.sum(axis=0), N), rtol=1e-9, atol=1e-12)
    return list(MERGED)


@pytest.mark.parametrize("n_threads", [1, 3])
def test_a_thread_has_some_tasks_and_a_merge_a_few_branches(rows, client, n_threads):
    client.n_threads = n_threads
    begun = reduced(rows)
    tasks, merges = begun.count(0), [n for n in begun if n > 0]
    assert tasks == TASKS_PER_THREAD * n_threads
    assert max(merges) <= BRANCHES + 1  # the last one goes to the total as well
    assert len(client.futures) == 1


def test_with_a_ledger_a_pass_has_waves(rows, client, monkeypatch):
    client.n_threads, notes, added, adding = 4, Notes(), [], Notes.adding
    monkeypatch.setattr(Notes, "adding", lambda self, done, *rest: added.append(len(done)) or adding(self, done, *rest))
    reduced(rows, ledger=notes)
    assert added[:2] == [4, 4]  # a partition for each thread, and as many meanwhile
    assert sum(added) == N
    assert sorted(notes.done) == list(range(N))


def test_waves_grow_to_those_that_take_seconds(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("bochner.engines.dask_waves.time.monotonic", lambda: now[0])
    waves, sizes = Waves(list(range(1000)), 3), []
    while wave := waves.next():
        sizes.append(len(wave))
        now[0] += 0.25 * len(wave)  # four partitions a second
        waves.finished(len(wave))
    assert sizes[:4] == [3, 6, 12, 20]
    assert set(sizes[3:-1]) == {20}
    assert sum(sizes) == 1000


def test_fewer_partitions_than_tasks_are_a_task_each(client):
    rows = DaskRows(da.from_array(X, chunks=(200, 3)))
    assert reduced(rows).count(0) <= 2
