"""Compilation of loops by numba: without the GIL, cached on disk where there is a place for it.

numba keeps compiled code beside the source, or in a folder of the user. Where neither can be written (a read-only
container without a home) or the disk is full, loops are compiled in every process, which takes seconds, and nothing
else changes. No folder that others can write is used in their place: what is in a cache is executed. NUMBA_CACHE_DIR
names a folder of yours.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from numba import njit
from numba.core.caching import FunctionCache

__all__ = ["compiled"]

Loop = TypeVar("Loop", bound=Callable[..., Any])


def compiled(**options: Any) -> Callable[[Loop], Loop]:
    """Decorator like `numba.njit(nogil=True, cache=True, **options)` that also works where nothing can be cached."""

    def decorate(function: Loop) -> Loop:
        loop: Any = njit(nogil=True, **options)(function)
        with suppress(RuntimeError):  # "no locator available": numba found no folder that it may write to
            loop._cache = _Cache(function)  # type: ignore[no-untyped-call]
        return loop  # type: ignore[no-any-return]

    return decorate


class _Cache(FunctionCache):  # type: ignore[misc]
    """Compiled code on disk: a disk that takes no more costs the cache, not the call."""

    def save_overload(self, sig: object, data: object) -> None:
        with suppress(OSError):
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]
