"""Processes that are forked from one with all imports behind it: a fit then costs the fit alone, a cluster a second.

A kill hits a process of its own as before, but never an import: for these, `kills` starts whole commands beside them.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
import traceback
from collections.abc import Callable
from importlib import import_module
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from .children import HANG, ROOT, Ended, environment, patience

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["benchmarks.chaos.warm_imports"])


def forked(target: Callable[..., None], *args: Any) -> BaseProcess:
    """A process with all imports behind it, started."""
    os.environ.update(environment())  # the server of the forks starts with the first of them, and inherits it
    os.chdir(ROOT)
    process = _CONTEXT.Process(target=target, args=args, daemon=True)
    process.start()
    return process


class WarmFit:
    """A fit under way, on a cluster if a scheduler's file is given: it has begun when this returns."""

    def __init__(self, kind: str, out: Path, kept: Path | None, scheduler: Path | None = None) -> None:
        self._own, other = _CONTEXT.Pipe(duplex=False)
        texts = [None if path is None else str(path) for path in (kept, scheduler)]
        self.process = forked(_fit, kind, out, *texts, other)
        other.close()
        self._begin = time.monotonic()
        if self._own.poll(HANG * patience()):
            self._said()

    def ends_within(self, seconds: float) -> bool:
        self.process.join(seconds)
        return self.process.exitcode is not None

    def kill(self) -> None:
        self.process.kill()
        self.process.join()

    def end(self, seconds: float = HANG) -> Ended:
        """The end of the fit; one that does not end is killed, and called hung."""
        hung = not self.ends_within(seconds * patience())
        if hung:
            self.kill()
        code = self.process.exitcode
        said = self._said() if self._own.poll() else ""
        return Ended(-9 if code is None else code, time.monotonic() - self._begin, "", said, hung=hung)

    def _said(self) -> str:
        try:
            return str(self._own.recv())
        except EOFError:
            return ""


def _fit(kind: str, out: Path, kept: str | None, scheduler: str | None, other: Connection) -> None:
    """Runs in the fork."""
    from .fits import fit, write

    _silence()
    try:
        write(out, fit(kind, kept, scheduler, lambda: other.send("begins")))
    except BaseException:
        other.send(traceback.format_exc())
        os._exit(1)


def member(kind: str, *options: str) -> BaseProcess:
    """A member of a cluster: what `dask scheduler` or `dask worker` does with these options."""
    return forked(_member, kind, options)


def _member(kind: str, options: tuple[str, ...]) -> None:
    """Runs in the fork."""
    _silence()
    import_module(f"distributed.cli.dask_{kind}").main(list(options))


def _silence() -> None:
    with open(os.devnull, "w") as nowhere:
        for stream in (sys.stdout, sys.stderr):
            os.dup2(nowhere.fileno(), stream.fileno())
