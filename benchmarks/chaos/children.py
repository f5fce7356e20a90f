"""Child processes: attacks are made on processes of their own, which may be killed, starved or hang."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HANG = 120.0
"""Seconds after which a child that should have ended is called a hang."""


def patience() -> float:
    """How many times longer than on a quiet machine a child may take, by the load: a busy one is no hang."""
    return max(1.0, 3 * os.getloadavg()[0] / (os.cpu_count() or 1))


@dataclass(frozen=True)
class Ended:
    """How a child ended. `code` is negative if a signal ended it."""

    code: int
    seconds: float
    out: str
    err: str
    hung: bool = False

    @property
    def last_line(self) -> str:
        lines = [line for line in self.err.splitlines() if line.strip()]
        return lines[-1][:300] if lines else ""

    @property
    def word(self) -> str:
        """One word for the kind of end."""
        if self.hung:
            return "hang"
        if self.code < 0:
            return f"killed by {signal.Signals(-self.code).name}"
        return "done" if self.code == 0 else "error"


def command(module: str, *arguments: object) -> list[str]:
    return [sys.executable, "-m", f"benchmarks.chaos.{module}", *map(str, arguments)]


def environment(changes: Mapping[str, str] | None = None) -> dict[str, str]:
    """That of this process; one BLAS thread, since several children run at once."""
    return {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore", **(changes or {})}


def start(arguments: Sequence[str], changes: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """A child in a session of its own, so that it can be killed with its own children."""
    return subprocess.Popen(
        arguments,
        cwd=ROOT,
        env=environment(changes),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )


def kill(process: subprocess.Popen[str]) -> None:
    """SIGKILL, for the child and its children."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def wait(process: subprocess.Popen[str], begin: float, seconds: float = HANG) -> Ended:
    """The end of a child; one that does not end is killed, and called hung."""
    try:
        out, err = process.communicate(timeout=seconds * patience())
    except subprocess.TimeoutExpired:
        kill(process)
        out, err = process.communicate()
        return Ended(process.returncode, time.monotonic() - begin, out, err, hung=True)
    return Ended(process.returncode, time.monotonic() - begin, out, err)


def run(arguments: Sequence[str], seconds: float = HANG, changes: Mapping[str, str] | None = None) -> Ended:
    """Run a child to its end."""
    begin = time.monotonic()
    return wait(start(arguments, changes), begin, seconds)


class Command:
    """A command under way, which may be killed."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self.process, self._begin = start(arguments), time.monotonic()

    def ends_within(self, seconds: float) -> bool:
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)
        return self.process.returncode is not None

    def kill(self) -> None:
        kill(self.process)
        self.process.communicate()

    def end(self, seconds: float = HANG) -> Ended:
        return wait(self.process, self._begin, seconds)
