"""Working buffers of OpenBLAS, mapped before they are needed: where a call gets none, it ends the process.

Every BLAS or LAPACK call takes a buffer, 32 MB of addresses in the wheels of NumPy and SciPy, and gives it back to its
library, which keeps it for the next. So a library has as many as calls ran at the same time, and the first run of more
threads asks the system for more. Buffers that were never used take no memory, but count against a limit of the address
space (`ulimit -v`), which a fit may have reached by then.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController

from bochner.errors import MemoryBudgetError

__all__ = ["blas_libraries", "reserve_blas_buffers"]

_USUAL = 2**25  # bytes of a buffer in the wheels of NumPy and SciPy; what they really are is seen at the first one


@lru_cache(maxsize=1)
def blas_libraries() -> Any:
    """The BLAS libraries of this process; looking them up takes milliseconds, limiting them microseconds."""
    import scipy.linalg.blas  # noqa: F401  (loads SciPy's BLAS beside NumPy's, so that both are limited)

    return ThreadpoolController()


def reserve_blas_buffers(n_callers: int) -> None:
    """Have every BLAS library hold buffers for so many threads that call it at the same time.

    Raises `MemoryBudgetError` if the process may not take the addresses.
    """
    _reservation.grow(n_callers)


class _Reservation:
    """Callers for whom all libraries have buffers."""

    def __init__(self) -> None:
        self._lock, self._n_callers = Lock(), 0

    def grow(self, n_callers: int) -> None:
        if n_callers <= self._n_callers:
            return
        with self._lock:
            for library in _buffers():
                library.reserve(n_callers)
            self._n_callers = max(self._n_callers, n_callers)

    def forget_threads(self) -> None:
        """In a forked child: the thread that held the lock is not there. The buffers are."""
        self._lock = Lock()


class _Buffers:
    """The buffers of one OpenBLAS library, by the two functions that its own routines call."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._take, self._give_back = library.blas_memory_alloc, library.blas_memory_free
        self._take.restype, self._take.argtypes = ctypes.c_void_p, [ctypes.c_int]
        self._give_back.restype, self._give_back.argtypes = None, [ctypes.c_void_p]
        self._size = 0

    def reserve(self, n: int) -> None:
        """Take n buffers at once, and give them back; the library keeps them."""
        taken: list[int] = []
        try:
            while len(taken) < n:
                self._refuse_if_full(n)
                before = _address_space()
                taken.append(self._take(0))
                self._size = max(self._size, _address_space() - before)
        finally:
            for buffer in taken:
                self._give_back(buffer)

    def _refuse_if_full(self, n: int) -> None:
        """Ask the system for the addresses of a buffer, since the library would not survive a refusal."""
        size = self._size or _USUAL
        try:
            mmap.mmap(-1, size).close()
        except (OSError, MemoryError):
            raise MemoryBudgetError(
                f"This process may not take the {n} buffers of {size // 2**20} MB that BLAS needs for as many threads "
                "at a time: a limit of its address space (ulimit -v) is near. Raise it, or use fewer threads with "
                "bochner.set_config(n_threads=1)."
            ) from None


_reservation = _Reservation()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reservation.forget_threads)


@lru_cache(maxsize=1)
def _buffers() -> list[_Buffers]:
    """Buffers of the OpenBLAS libraries; other libraries, and builds that hide the functions, have none to reserve."""
    found = [each.dynlib for each in blas_libraries().lib_controllers if each.internal_api == "openblas"]
    return [_Buffers(library) for library in found if hasattr(library, "blas_memory_alloc")]


def _address_space() -> int:
    """Bytes of addresses in use; 0 where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * mmap.PAGESIZE
    except OSError:
        return 0
