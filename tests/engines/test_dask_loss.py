"""A cluster that is lost is one error that names the checkpoint; errors of tasks stay what they are."""

import time
from concurrent.futures import CancelledError
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("distributed", reason="needs the extra 'dask'")
import dask.array as da
from distributed import KilledWorker
from distributed.comm import CommClosedError

import bochner as bo
from bochner.engines import dask_loss
from bochner.errors import BochnerError, ClusterError, InvalidDataError
from bochner.statistics import CheckpointFile
from tests.engines import synchronous_client

X = np.random.default_rng(0).standard_normal((400, 3))
Y = np.sin(X.sum(axis=1))
SETTINGS = {"kernel": bo.Gaussian(2.0), "n_components": 16, "alpha": 0.1, "random_state": 0}


def lazily():
    return da.from_array(X, chunks=(20, 3)), da.from_array(Y, chunks=20)


@pytest.fixture
def lost(client, monkeypatch):
    """A cluster whose scheduler goes after some results."""
    result, left = synchronous_client.Future.result, [2]

    def losing(self):
        left[0] -= 1
        if left[0] < 0:
            client.status = "closed"
            raise CommClosedError("in <TCP (closed) Client->Scheduler>: Stream is closed\nand much more")
        return result(self)

    def gone(futures):
        raise CommClosedError("ConnectionPool closing.")

    monkeypatch.setattr(synchronous_client.Future, "result", losing)
    monkeypatch.setattr(client, "cancel", gone)
    monkeypatch.setattr("bochner.statistics.checkpoint._SHORTEST", 0.0)
    monkeypatch.setattr("bochner.statistics.checkpoint._REST", 0)
    return left


def test_a_lost_scheduler_is_one_error_that_names_the_checkpoint_and_the_fit_goes_on(lost, tmp_path, client):
    path = tmp_path / "c"
    with pytest.raises(ClusterError, match=rf"cluster was lost \(CommClosedError.*goes on from '{path}'") as error:
        bo.KernelRegressor(**SETTINGS, checkpoint=path).fit(*lazily())
    assert isinstance(error.value, BochnerError)
    assert error.value.__suppress_context__
    assert "\n" not in str(error.value)
    lost[0], client.status = 10**6, "running"
    resumed = bo.KernelRegressor(**SETTINGS, checkpoint=path).fit(*lazily())
    np.testing.assert_allclose(resumed.coef_, bo.KernelRegressor(**SETTINGS).fit(X, Y).coef_, rtol=1e-8, atol=1e-10)


def test_without_a_checkpoint_the_error_says_what_one_is_for(lost):
    lost[0] = 0
    with pytest.raises(ClusterError, match=r"With checkpoint='fit\.checkpoint', a fit goes on"):
        bo.KernelRegressor(**SETTINGS).fit(*lazily())


def test_a_checkpoint_that_has_nothing_yet_is_said_to(lost, tmp_path):
    lost[0] = 0
    with pytest.raises(ClusterError, match="It begins anew: nothing was in"):
        bo.KernelRegressor(**SETTINGS, checkpoint=tmp_path / "c").fit(*lazily())


@pytest.mark.parametrize(
    "error",
    [CancelledError(), KilledWorker("task", SimpleNamespace(address="tcp://10.0.0.1"), 3)],
    ids=["cancelled", "killed"],
)
def test_errors_of_the_cluster_are_told_from_those_of_tasks(client, error):
    with pytest.raises(ClusterError, match=type(error).__name__), dask_loss.one_error_if_lost(client, []):
        raise error
    with pytest.raises(InvalidDataError, match="bad row"), dask_loss.one_error_if_lost(client, []):
        raise InvalidDataError("bad row")


def test_workers_that_do_not_come_back_end_the_wait(client, monkeypatch):
    """Dask itself would wait for ever."""
    monkeypatch.setattr(dask_loss, "_LOOK", 0.01)
    monkeypatch.setattr(dask_loss, "_PATIENCE", 3)
    looks = []
    monkeypatch.setattr(client, "nthreads", lambda: looks.append(0) or ({"worker": 1} if len(looks) < 4 else {}))
    [future] = client.compute([None])

    def waiting():
        while not future.cancelled:
            time.sleep(0.005)
        raise CancelledError

    with pytest.raises(ClusterError, match="no worker for five minutes"), dask_loss.one_error_if_lost(client, [future]):
        waiting()


def test_a_cluster_without_workers_yet_may_wait(client, monkeypatch):
    monkeypatch.setattr(dask_loss, "_LOOK", 0.005)
    monkeypatch.setattr(dask_loss, "_PATIENCE", 2)
    monkeypatch.setattr(client, "nthreads", dict)
    [future] = client.compute([None])
    with dask_loss.one_error_if_lost(client, [future]):
        time.sleep(0.1)
    assert not future.cancelled


def test_partitions_without_rows_are_in_no_ledger(client, tmp_path):
    lazy = da.from_array(X, chunks=((0, 100, 0, 0, 300, 0), 3))
    model = bo.KernelRegressor(**SETTINGS, checkpoint=tmp_path / "c").fit(lazy, Y)
    again = bo.KernelRegressor(**SETTINGS, checkpoint=tmp_path / "c").fit(lazy, Y)
    np.testing.assert_array_equal(again.coef_, model.coef_)


def test_the_first_checkpoint_of_many_partitions_comes_after_one_for_each_thread(client, tmp_path, monkeypatch):
    monkeypatch.setattr("bochner.statistics.checkpoint._SHORTEST", 0.0)
    saved, save = [], CheckpointFile.save

    def noting(self, state, *rest, **more):
        saved.append(state["n_rows"])
        save(self, state, *rest, **more)

    monkeypatch.setattr(CheckpointFile, "save", noting)
    bo.KernelRegressor(**SETTINGS, checkpoint=tmp_path / "c").fit(*lazily())
    assert saved[0] == 2 * 20  # of two threads
