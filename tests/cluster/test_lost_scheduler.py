"""A scheduler that is killed in mid-fit: one error in time, and a fit that goes on from its checkpoint elsewhere."""

import threading
import time

import pytest

import bochner as bo
from bochner.errors import ClusterError

pytest.importorskip("distributed", reason="needs the extra 'dask'")
import dask.array as da

from bochner.engines import dask as dask_engine
from tests.cluster.conftest import running
from tests.cluster.test_dask import SETTINGS, assert_same, slowly, table

ROWS, SECONDS = 200, 0.5  # of a partition: the slowest fit that a test can wait for


@pytest.fixture
def partitions(monkeypatch):
    """The numbers of the partitions that each pass over the rows was left with."""
    left, waves = [], dask_engine.Waves

    def recorded(numbers, n_threads):
        left.append(len(numbers))
        return waves(numbers, n_threads)

    monkeypatch.setattr(dask_engine, "Waves", recorded)
    return left


def kill_once_there(process, path, moment):
    """Kill a process as soon as a file is there; note when."""
    while not path.exists():
        time.sleep(0.02)
    process.kill()
    moment.append(time.monotonic())


@pytest.mark.slow
def test_a_killed_scheduler_is_one_error_and_the_fit_goes_on_from_its_checkpoint(tmp_path, partitions):
    X, y = table(8000)
    path, moment = tmp_path / "fit.checkpoint", []
    rows = slowly(X, ROWS, SECONDS), da.from_array(y, chunks=ROWS)
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    with running(tmp_path / "first", 2) as cluster:
        victim = threading.Thread(target=kill_once_there, args=(cluster.processes[0], path, moment))
        victim.start()
        with pytest.raises(ClusterError, match=f"cluster was lost.*goes on from '{path}'") as error:
            bo.KernelRegressor(**SETTINGS, checkpoint=path).fit(*rows)
        ended = time.monotonic()
        victim.join()
    assert error.value.__cause__ is None  # no traceback of Dask in front of it
    assert error.value.__suppress_context__
    assert ended - moment[0] < 120
    with running(tmp_path / "second", 2):
        model = bo.KernelRegressor(**SETTINGS, checkpoint=path).fit(*rows)
    assert_same(model, bo.KernelRegressor(**SETTINGS).fit(X, y))
    assert partitions[0] / 2 < partitions[-1] < partitions[0]  # the checkpoint was there early, and was used
