"""Fits on a Dask cluster of which a part is killed: the client, a worker or the scheduler.

- client: it is started again with the same checkpoint, on the same cluster;
- worker: another one takes its place, and the client knows nothing of it;
- scheduler: the client must end with an error in time, and is started again on a new cluster with its checkpoint.

The model must be that of the same cluster without a kill, to rounding: a tree of merges depends on the workers.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .children import Ended, command, kill, run, start, wait
from .kills import Plain, compare
from .record import Record, Trial

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

    def add_worker(self) -> subprocess.Popen[bytes]:
        limits = (
            "--nthreads",
            "1",
            "--nworkers",
            "1",
            "--no-nanny",
            "--memory-limit",
            "1GiB",
            "--death-timeout",
            "180",
        )
        return self._start("worker", *limits, "--local-directory", str(self.folder))

    def _start(self, kind: str, *options: str) -> subprocess.Popen[bytes]:
        line = [sys.executable, "-m", "dask", kind, "--scheduler-file", str(self.file), "--no-dashboard", *options]
        return subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def close(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


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
    import numpy as np

    with _LOCK:
        if not _PLAIN:
            with cluster() as running:
                out = running.folder / "plain.npy"
                ends = [run(fitting(running, out)) for _ in range(2)]
                if any(end.code for end in ends):
                    raise RuntimeError(f"The fit on a cluster fails without any kill: {ends[-1].err[-2000:]}")
                took = float(ends[1].out.split("took ")[1].split()[0])
                _PLAIN.append(Plain(np.load(out), ends[1].seconds, took))
    return _PLAIN[0]


def fitting(running: Cluster, out: Path, kept: Path | None = None) -> list[str]:
    more = [] if kept is None else ["--checkpoint", kept]
    return command("fits", "dask", out, "--scheduler", running.file, *more)


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


def begin(
    running: Cluster, stem: Path, kept: Path | None, moment: tuple[bool, float]
) -> tuple[subprocess.Popen[str], float]:
    """A client that fits, at the moment of a kill."""
    process, started = start(fitting(running, stem.with_suffix(".npy"), kept)), time.monotonic()
    inside, seconds = moment
    if inside and process.stdout is not None:
        process.stdout.readline()
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    return process, started


def kill_clients(stem: Path, rng: random.Random, plain: Plain, record: Record) -> None:
    """Several kills of one client, then a run to the end."""
    kept, kills = stem.with_suffix(".checkpoint"), 0
    with cluster() as running:
        while kills < PER_TRIAL["client"]:
            process, started = begin(running, stem, kept, plain.moment(rng))
            if process.poll() is None:
                kill(process)
                process.communicate()
                kills += 1
                record.note("with a checkpoint" if kept.exists() else "before the first checkpoint")
            else:
                record.note("ended before the kill")
                judge("client", wait(process, started, hang(plain)), stem, plain, record, 0)
                kept.unlink(missing_ok=True)
        judge("client", run(fitting(running, stem.with_suffix(".npy"), kept), hang(plain)), stem, plain, record, kills)


def kill_workers(stem: Path, rng: random.Random, plain: Plain, record: Record) -> None:
    """Several fits on one cluster, each with one worker killed and replaced."""
    with cluster() as running:
        for _ in range(PER_TRIAL["worker"]):
            process, started = begin(running, stem, None, plain.moment(rng))
            victim = running.workers.pop(rng.randrange(len(running.workers)))
            victim.kill()
            victim.wait()
            running.workers.append(running.add_worker())
            judge("worker", wait(process, started, hang(plain)), stem, plain, record, 1)
            running.wait()


def kill_scheduler(stem: Path, rng: random.Random, plain: Plain, record: Record) -> None:
    kept = stem.with_suffix(".checkpoint")
    with cluster() as running:
        process, started = begin(running, stem, kept, plain.moment(rng))
        running.scheduler.kill()
        end = wait(process, started, NOTICED)
    record.measure("seconds until the client ended", end.seconds)
    if end.hung:
        record.fail("the client hangs", f"scheduler: the client had not ended {NOTICED:.0f} s after its scheduler")
        return
    record.note("the client ended with an error" if end.code else "the fit was over")
    with cluster() as running:
        judge("scheduler", run(fitting(running, stem.with_suffix(".npy"), kept), hang(plain)), stem, plain, record, 1)


def judge(role: str, end: Ended, stem: Path, plain: Plain, record: Record, kills: int) -> None:
    if end.code == 0:
        compare("dask", stem.with_suffix(".npy"), plain, record, kills)
        return
    record.fail(f"no model: {end.word}", f"{role} killed: {end.word}, {end.last_line}", max(1, kills))


KILLERS = {"client": kill_clients, "worker": kill_workers, "scheduler": kill_scheduler}
