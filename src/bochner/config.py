"""Settings of the process: how much memory, how many threads and how much time bochner may use.

Settings live in a context variable, so that `config_context` is safe in threads and coroutines.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, replace

from bochner._blas_buffers import reserve_blas_buffers
from bochner._limits import addresses_are_limited, available_memory
from bochner.errors import invalid_parameter

__all__ = ["Config", "config_context", "get_config", "parse_bytes", "set_config"]

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}


@dataclass(frozen=True)
class Config:
    """One set of settings.

    Attributes
    ----------
    memory : int or None
        Bytes that one call may hold beyond its inputs, what it returns included. None: four fifths of what this
        process may still take: of the memory that the machine has available, within the limits of its control groups
        (containers, batch systems) and its own (`ulimit`).
    n_threads : int or None
        Threads of one call. None: the cores this process may use, at most `OMP_NUM_THREADS`
        (joblib, loky and Dask set it in their workers, so nothing is oversubscribed).
    time : float or None
        Seconds that an exact kernel machine may be expected to take: a longer fit is refused before its first product,
        and automatic models have landmarks instead. None: any.
    """

    memory: int | None = None
    n_threads: int | None = None
    time: float | None = None

    def memory_budget(self) -> int:
        """Bytes that one call may hold beyond its inputs.

        Where addresses are limited, the buffers of BLAS are taken first: they are no part of the budget.
        """
        if addresses_are_limited():
            reserve_blas_buffers(self.threads() + 1)
        return self.memory if self.memory is not None else int(0.8 * available_memory())

    def threads(self) -> int:
        """Threads that one call may use."""
        if self.n_threads is not None:
            return self.n_threads
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        limit = os.environ.get("OMP_NUM_THREADS", "")
        return min(cores, int(limit)) if limit.isdigit() and int(limit) > 0 else cores


_current: ContextVar[Config] = ContextVar("bochner_config", default=Config())  # noqa: B039  (a frozen dataclass)


def get_config() -> Config:
    """The settings in force."""
    return _current.get()


def set_config(*, memory: int | str | None = None, n_threads: int | None = None, time: float | None = None) -> None:
    """Replace the settings of this context.

    Parameters
    ----------
    memory : int, str such as "4GB" or "512MiB", or None
    n_threads : int or None
    time : float or None
        Seconds that an exact kernel machine may be expected to take.
    """
    _current.set(_checked(memory, n_threads, time))


@contextmanager
def config_context(
    *, memory: int | str | None = None, n_threads: int | None = None, time: float | None = None
) -> Iterator[Config]:
    """Settings for the length of a `with` block; None keeps the setting in force.

    Parameters
    ----------
    memory : int, str such as "4GB" or "512MiB", or None
    n_threads : int or None
    time : float or None
        Seconds that an exact kernel machine may be expected to take.

    Examples
    --------
    >>> from bochner.config import config_context
    >>> with config_context(memory="2GB") as config:
    ...     config.memory_budget()
    2000000000
    """
    given = {name: value for name, value in asdict(_checked(memory, n_threads, time)).items() if value is not None}
    merged = replace(get_config(), **given)
    token = _current.set(merged)
    try:
        yield merged
    finally:
        _current.reset(token)


def parse_bytes(size: int | str) -> int:
    """Bytes in `size`: a number, or a text such as "4GB", "512 MiB", "1.5e9"."""
    if isinstance(size, (int, float)) and not isinstance(size, bool):
        number, unit = float(size), ""
    else:
        match = re.fullmatch(r"\s*([0-9.]+(?:[eE][0-9]+)?)\s*([KMGT]?I?)B?\s*", str(size), flags=re.IGNORECASE)
        if match is None or match[2].upper() not in _UNITS:
            raise invalid_parameter("bochner.config", "memory", "a size such as 4000000000, '4GB' or '512MiB'", size)
        number, unit = float(match[1]), match[2].upper()
    if not number > 0:
        raise invalid_parameter("bochner.config", "memory", "positive", size)
    return int(number * _UNITS[unit])


def _checked(memory: int | str | None, n_threads: int | None, time: float | None) -> Config:
    if n_threads is not None and (isinstance(n_threads, bool) or int(n_threads) != n_threads or n_threads < 1):
        raise invalid_parameter("bochner.config", "n_threads", "an int >= 1 or None", n_threads)
    return Config(None if memory is None else parse_bytes(memory), n_threads, _seconds(time))


def _seconds(time: object) -> float | None:
    if time is None:
        return None
    if isinstance(time, bool) or not isinstance(time, int | float) or not time > 0:
        raise invalid_parameter("bochner.config", "time", "a positive number of seconds or None", time)
    return float(time)
