"""Fits on a Dask cluster of which a part is killed: the client, a worker or the scheduler.

- client: it is started again with the same checkpoint, on the same cluster;
- worker: another one takes its place, and the client knows nothing of it;
- scheduler: the client must end with an error in time, and is started again on a new cluster with its checkpoint.

The model must be that of the same cluster without a kill, to rounding: a tree of merges depends on the workers.
"""

from __future__ import annotations

import random
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path

import numpy as np

from .children import Command, Ended
from .kills import Moment, Plain, begin, compare
from .record import Record, Trial
from .warm import WarmFit, member

ROLES = {"client": 67, "worker": 67, "scheduler": 66}
PER_TRIAL = {"client": 5, "worker": 5, "scheduler": 1}
WORKERS = 2
READY = 180.0
"""Seconds that a cluster may take to come up on a busy machine."""

NOTICED = 120.0
"""Seconds that a client may take to notice that its scheduler is gone."""


class NotUpError(RuntimeError):
    """A cluster did not come up: nothing was attacked."""


class Cluster:
    """A scheduler and workers of one thread each, as processes."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.file = folder, folder / "scheduler.json"
        self.scheduler = self._start("scheduler", "--port", "0", "--host", "127.0.0.1", "--idle-timeout", "900")
        self.workers = [self.add_worker() for _ in range(WORKERS)]

    def wait(self) -> None:
        """Until all workers are there."""
        from distributed import Client

        deadline = time.monotonic() + READY
        while not self.file.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        try:
            with Client(scheduler_file=str(self.file), timeout=READY, set_as_default=False) as client:
                client.wait_for_workers(WORKERS, timeout=READY)
        except (OSError, ValueError) as error:  # TimeoutError is an OSError
            raise NotUpError(str(error)) from None

    def add_worker(self) -> BaseProcess:
        limits = ("--nthreads=1", "--nworkers=1", "--no-nanny", "--memory-limit=1GiB", "--death-timeout=180")
        return self._start("worker", *limits, "--local-directory", str(self.folder))

    def _start(self, kind: str, *options: str) -> BaseProcess:
        return member(kind, "--scheduler-file", str(self.file), "--no-dashboard", *options)

    def close(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.join()


@contextmanager
def cluster() -> Iterator[Cluster]:
    with tempfile.TemporaryDirectory() as folder:
        started = Cluster(Path(folder))
        try:
            started.wait()
            yield started
        finally:
            started.close()


_LOCK = threading.Lock()
_PLAIN: list[Plain] = []


def uninterrupted() -> Plain:
    """The fit on a whole cluster; the second of two, since the first one warms the workers."""
    with _LOCK:
        if not _PLAIN:
            with cluster() as running:
                out = running.folder / "plain.npy"
                ends = [begin("dask", out, None, inside, running.file).end() for inside in (True, True, False)]
                if any(end.code for end in ends):
                    raise RuntimeError(f"The fit on a cluster fails without any kill: {ends[-1].err[-2000:]}")
                _PLAIN.append(Plain(np.load(out), ends[2].seconds, ends[1].seconds))
    return _PLAIN[0]


def trials(share: float) -> list[Trial]:
    counts = {role: max(1, round(share * kills / PER_TRIAL[role])) for role, kills in ROLES.items()}
    each = [Trial("dask_kills", role, number) for role, count in counts.items() for number in range(count)]
    return sorted(each, key=lambda trial: trial.number / counts[trial.name])  # all roles from the beginning


def perform(trial: Trial) -> Record:
    record, rng = Record(), random.Random(trial.seed)
    with tempfile.TemporaryDirectory() as folder:
        try:
            KILLERS[trial.name](Path(folder) / "fit", rng, uninterrupted(), record)
        except NotUpError:
            record.note("a cluster did not come up in time, and was not attacked.")
    return record


def hang(plain: Plain) -> float:
    """Seconds after which a fit is called a hang: thirty times those of a whole one, two minutes at least."""
    return max(120.0, 30 * plain.seconds)


def at_the_moment(running: Cluster, stem: Path, kept: Path | None, moment: Moment) -> tuple[WarmFit | Command, bool]:
    """A client that fits, at the moment of a kill, and whether it has ended before."""
    process = begin("dask", stem.with_suffix(".npy"), kept, moment.inside, running.file)
    return process, process.ends_within(moment.seconds)


def to_the_end(running: Cluster, stem: Path, kept: Path, plain: Plain) -> Ended:
    return begin("dask", stem.with_suffix(".npy"), kept, True, running.file).end(hang(plain))


def kill_clients(stem: Path, rng: random.Random, plain: Plain, record: Record) -> None:
    """Several kills of one client, then a run to the end."""
    kept, kills = stem.with_suffix(".checkpoint"), 0
    with cluster() as running:
        while kills < PER_TRIAL["client"]:
            process, ended = at_the_moment(running, stem, kept, plain.moment(rng))
            if not ended:
                process.kill()
                kills += 1
                record.note("with a checkpoint" if kept.exists() else "before the first checkpoint")
            else:
                record.note("ended before the kill")
                judge("client", process.end(), stem, plain, record, 0)
                kept.unlink(missing_ok=True)
        judge("client", to_the_end(running, stem, kept, plain), stem, plain, record, kills)


def kill_workers(stem: Path, rng: random.Random, plain: Plain, record: Record) -> None:
    """Several fits on one cluster, each with one worker killed and replaced."""
    with cluster() as running:
        for _ in range(PER_TRIAL["worker"]):
            process, _ = at_the_moment(running, stem, None, plain.moment(rng))
            victim = running.workers.pop(rng.randrange(len(running.workers)))
            victim.kill()
            victim.join()
            running.workers.append(running.add_worker())
            judge("worker", process.end(hang(plain)), stem, plain, record, 1)
            running.wait()


def kill_scheduler(stem: Path, rng: random.Random, plain: Plain, record: Record) -> None:
    kept = stem.with_suffix(".checkpoint")
    with cluster() as running:
        process, ended = at_the_moment(running, stem, kept, plain.moment(rng))
        running.scheduler.kill()
        killed = time.monotonic()
        end = process.end(NOTICED)
    if end.hung:
        record.fail("the client hangs", f"scheduler: the client had not ended {NOTICED:.0f} s after its scheduler")
        return
    if not ended:
        record.measure("seconds until the client ended", time.monotonic() - killed)
    record.note("the client ended with an error" if end.code else "the fit was over")
    with cluster() as running:
        judge("scheduler", to_the_end(running, stem, kept, plain), stem, plain, record, 1)


def judge(role: str, end: Ended, stem: Path, plain: Plain, record: Record, kills: int) -> None:
    if end.code == 0:
        compare("dask", stem.with_suffix(".npy"), plain, record, kills)
        return
    record.fail(f"no model: {end.word}", f"{role} killed: {end.word}, {end.last_line}", max(1, kills))


KILLERS = {"client": kill_clients, "worker": kill_workers, "scheduler": kill_scheduler}
