"""Measured wall time and peak memory of a `with` block, and memory that is given back as soon as it is free."""

from __future__ import annotations

import ctypes
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Cost", "give_back_memory", "measured"]

_M_MMAP_THRESHOLD, _LARGE = -3, 2**20


@dataclass
class Cost:
    """Seconds, and bytes at the peak on top of what was held before."""

    seconds: float = 0.0
    memory: int = 0


@contextmanager
def measured() -> Iterator[Cost]:
    """The cost of a `with` block; filled in at its end."""
    cost = Cost()
    before, start = _begin_peak(), time.perf_counter()
    yield cost
    cost.seconds = time.perf_counter() - start
    cost.memory = max(0, _peak() - before)


def give_back_memory() -> None:
    """Have this process return large arrays to the system when they are freed, from here on.

    The allocators of Arrow and of the C library keep them otherwise, a hundred megabytes of a stream, for the next.
    """
    import pyarrow as pa

    pa.set_memory_pool(pa.system_memory_pool())
    with suppress(OSError, AttributeError):  # glibc alone has it
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, _LARGE)


def _begin_peak() -> int:
    """Bytes held now; on Linux the recorded peak is reset."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
        return _status("VmRSS")
    except OSError:
        return _peak()


def _peak() -> int:
    try:
        return _status("VmHWM")
    except OSError:
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _status(name: str) -> int:
    """A line of Linux's account of this process, in bytes."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))
