"""Dask collections whose engine runs in this process."""

import pytest


@pytest.fixture
def client(monkeypatch):
    """The current client of all `DaskRows` that are made in a test."""
    pytest.importorskip("dask", reason="needs the extra 'dask'")
    from tests.engines.synchronous_client import SynchronousClient

    current = SynchronousClient()
    monkeypatch.setattr("bochner.engines.dask_rows._current_client", lambda: current)
    return current


@pytest.fixture
def no_client(monkeypatch):
    """No client, whatever other tests have left."""
    pytest.importorskip("dask", reason="needs the extra 'dask'")
    monkeypatch.setattr("bochner.engines.dask_rows._current_client", lambda: None)
