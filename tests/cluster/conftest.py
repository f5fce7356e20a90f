"""A real scheduler and real workers, as processes."""

import subprocess
import sys
from contextlib import contextmanager

import pytest


class Cluster:
    """A scheduler, its workers, and a client."""

    def __init__(self, folder, n_workers):
        self.file = str(folder / "scheduler.json")
        self.processes = [self._start("scheduler", "--port", "0", "--host", "127.0.0.1")]
        self.workers = [self.add_worker(folder) for _ in range(n_workers)]
        from distributed import Client

        self.client = Client(scheduler_file=self.file, timeout=60)
        self.client.wait_for_workers(n_workers, timeout=60)

    def add_worker(self, folder):
        options = ["--nthreads", "1", "--nworkers", "1", "--no-nanny", "--memory-limit", "1GiB"]
        return self._start("worker", *options, "--local-directory", str(folder))

    def close(self):
        self.client.close()
        for process in (*self.workers, *self.processes):
            process.kill()
            process.wait()

    def _start(self, kind, *options):
        command = [sys.executable, "-m", "dask", kind, "--scheduler-file", self.file, "--no-dashboard", *options]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@contextmanager
def running(folder, n_workers):
    cluster = Cluster(folder, n_workers)
    try:
        yield cluster
    finally:
        cluster.close()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    pytest.importorskip("distributed", reason="needs the extra 'dask'")
    with running(tmp_path_factory.mktemp("cluster"), 2) as started:
        yield started


@pytest.fixture
def short_lived_cluster(tmp_path):
    pytest.importorskip("distributed", reason="needs the extra 'dask'")
    with running(tmp_path, 2) as started:
        yield started
