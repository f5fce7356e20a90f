"""Work on row blocks in threads: compiled loops without the GIL, one BLAS thread each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache
from threading import Lock
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

from bochner.config import get_config

__all__ = ["run_in_threads", "single_threaded_blas", "threads_for_factor"]

_WIDEST_IN_THREADS = 8192

Item = TypeVar("Item")
State = TypeVar("State")


def run_in_threads(
    work: Callable[[Item, State], object],
    items: Iterable[Item],
    *,
    state: Callable[[], State],
    n_threads: int | None = None,
) -> None:
    """Call `work(item, own)` on every item, on all threads; the first exception stops the rest and is raised.

    `own` is what `state()` made for the thread (its scratch space). Items are handed out one by one in their
    order, so uneven items balance themselves; an iterator is advanced by one thread at a time, while the others work.
    The work ends early if it returns `StopIteration`.
    """
    threads = n_threads or get_config().threads()
    if isinstance(items, Sized):
        threads = min(threads, len(items))
    queue = _Shared(items)
    stop = False

    def drain() -> None:
        nonlocal stop
        try:
            own = state()
            for item in queue:
                if stop:
                    return
                if work(item, own) is StopIteration:
                    stop = True
        except BaseException:
            stop = True
            raise

    try:
        if threads <= 1:
            drain()
            return
        with single_threaded_blas(), ThreadPoolExecutor(threads) as pool:
            futures = [pool.submit(drain) for _ in range(threads)]
            try:
                for future in futures:
                    future.result()
            except BaseException:  # also Ctrl-C in the calling thread: let the workers end after their block
                stop = True
                raise
    finally:
        if hasattr(items, "close"):
            items.close()  # a generator that reads ahead stops now


class _Shared(Iterator[Item]):
    """An iterator that several threads may advance."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._items, self._lock = iter(items), Lock()

    def __next__(self) -> Item:
        with self._lock:
            return next(self._items)


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Limit BLAS to one thread per caller, for the length of a `with` block."""
    with _blas().limit(limits=1, user_api="blas"):
        yield


def threads_for_factor(width: int) -> AbstractContextManager[None]:
    """One BLAS thread to factorise a wide matrix: with two, potrf of OpenBLAS 0.3.30 crashes at a width of 16,384.

    One thread runs at its peak there, so that little is lost.
    """
    return single_threaded_blas() if width > _WIDEST_IN_THREADS else nullcontext()


@lru_cache(maxsize=1)
def _blas() -> Any:
    """The BLAS libraries of this process; looking them up takes milliseconds, limiting them microseconds."""
    import scipy.linalg.blas  # noqa: F401  (loads SciPy's BLAS beside NumPy's, so that both are limited)

    return ThreadpoolController()
