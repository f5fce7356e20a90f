"""Fits in processes that are forked from one with all imports behind it: a run then costs the fit alone.

A kill hits a process of its own as before, but never an import: for these, `kills` starts whole commands beside them.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
import traceback
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from .children import HANG, ROOT, Ended, environment, patience

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["benchmarks.chaos.warm_imports"])


class WarmFit:
    """A fit with a checkpoint, under way: it has begun when this returns."""

    def __init__(self, kind: str, out: Path, kept: Path) -> None:
        os.environ.update(environment())  # the server of the forks starts with the first of them, and inherits it
        os.chdir(ROOT)
        self._own, other = _CONTEXT.Pipe(duplex=False)
        self.process: BaseProcess = _CONTEXT.Process(target=_fit, args=(kind, out, str(kept), other), daemon=True)
        self.process.start()
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

    def end(self) -> Ended:
        """The end of the fit; one that does not end is killed, and called hung."""
        hung = not self.ends_within(HANG * patience())
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


def _fit(kind: str, out: Path, kept: str, other: Connection) -> None:
    """Runs in the fork."""
    from .fits import fit, write

    sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    try:
        write(out, fit(kind, kept, lambda: other.send("begins")))
    except BaseException:
        other.send(traceback.format_exc())
        os._exit(1)
