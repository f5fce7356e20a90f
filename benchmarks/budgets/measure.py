"""Peak memory of a call: growth of the resident set of this process while it runs."""

from __future__ import annotations

import ctypes
import gc
import time
import warnings
from dataclasses import dataclass

import bochner as bo
from benchmarks.budgets.calls import TINY, Call, Size
from bochner.errors import MemoryBudgetError

__all__ = ["Measured", "measure"]


@dataclass(frozen=True)
class Measured:
    """Peak growth of resident memory in bytes, and whether the call was refused with its bill."""

    name: str
    budget: int
    peak: int
    seconds: float
    refusal: str | None

    @property
    def ratio(self) -> float:
        return self.peak / self.budget


def measure(call: Call, size: Size, n_threads: int = 2) -> Measured:
    """Run a call on few rows, then on those of the size, under its budget."""
    warnings.simplefilter("ignore")
    with bo.config_context(memory=TINY.memory, n_threads=n_threads):
        call.prepare(TINY)()
        ready = call.prepare(size)
    refusal = None
    before = _reset_peak()
    began = time.perf_counter()
    with bo.config_context(memory=size.memory, n_threads=n_threads):
        try:
            result = ready()
        except MemoryBudgetError as refused:
            result, refusal = None, str(refused)
    seconds, peak = time.perf_counter() - began, _status("VmHWM") - before
    del result, ready
    return Measured(call.name, size.memory, max(0, peak), seconds, refusal)


def _reset_peak() -> int:
    """Give free memory back, and count the peak from here on; the memory in use now."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/clear_refs", "w") as control:
        control.write("5")
    return _status("VmRSS")


def _status(field: str) -> int:
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))
