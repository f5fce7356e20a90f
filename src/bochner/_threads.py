"""Work on row blocks in threads: compiled loops without the GIL, one BLAS thread each."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import copy_context
from math import inf
from threading import Condition, Lock
from typing import Any, TypeVar

from bochner._blas_buffers import blas_libraries, reserve_blas_buffers
from bochner._limits import addresses_are_limited, available_memory
from bochner.config import get_config

__all__ = ["results_in_threads", "run_in_threads", "single_threaded_blas", "threads_for_factor"]

_WIDEST_IN_THREADS = 8192
_FIRST_STEPS = 4 * 2**20  # bytes that the first steps of a thread may take
_LOG = logging.getLogger("bochner")

Item = TypeVar("Item")
State = TypeVar("State")
Result = TypeVar("Result")


def run_in_threads(
    work: Callable[[Item, State], Result],
    items: Iterable[Item],
    *,
    state: Callable[[], State],
    finish: Callable[[Result], object] | None = None,
    n_threads: int | None = None,
) -> None:
    """Call `work(item, own)` on every item, on all threads; the first exception stops the rest and is raised.

    `own` is what `state()` made for the thread (its scratch space), here and not in the thread: malloc has a heap for
    every thread, and would keep what was freed there. Items are handed out one by one in their
    order, so uneven items balance themselves; an iterator is advanced by one thread at a time, while the others work.

    `finish(result)` then takes what `work` returned, by one thread at a time and *in the order of the items*: sums made
    there do not depend on which thread was first. A thread that is early waits for its turn, so that nothing of a
    result is copied and no more results exist than threads; what is finished is always a first part of the items. The
    run ends early if `finish` returns `StopIteration`.
    """
    most = n_threads or get_config().threads()
    threads = _threads_for(items, most)
    queue, turns, stop = _Numbered(items), _Turns(), False

    def drain(own: State) -> None:
        nonlocal stop
        held: float = inf  # the number of the item that this thread has, and others may wait for
        try:
            for held, item in queue:
                if stop:
                    turns.end_at(held)
                    return
                result = work(item, own)
                if finish is not None:
                    if not turns.wait_for(held):
                        return
                    if finish(result) is StopIteration:
                        stop = True
                        turns.end_at(held + 1)
                    turns.pass_on()
                held = inf
        except BaseException:
            stop = True
            turns.end_at(held)
            raise

    try:
        if threads <= 1:
            with single_threaded_blas() if most == 1 else nullcontext():  # a single item has all threads for its BLAS
                drain(state())
            return
        spaces = [state() for _ in range(threads)]
        reserve_blas_buffers(threads + 1)  # the calling thread may work beside them
        with single_threaded_blas(), ThreadPoolExecutor(threads) as pool:
            try:
                started = _started(pool, drain, spaces)
                for future in started:
                    future.result()
                if not started:
                    drain(spaces[0])
            except BaseException:  # also Ctrl-C in the calling thread: let the workers end after their block
                stop = True
                raise
    finally:
        if hasattr(items, "close"):
            items.close()  # a generator that reads ahead stops now


def _threads_for(items: Iterable[Item], most: int) -> int:
    """Threads for some items: one of each at most, and a single one where no other can begin."""
    threads = min(most, len(items)) if isinstance(items, Sized) else most
    return threads if threads <= 1 or _threads_can_begin() else 1


def _threads_can_begin() -> bool:
    """Whether there is memory for the first steps of a thread, where the system limits it (`ulimit -v`).

    A thread that finds none never says that it has begun, and `Thread.start` waits for that without an end.
    """
    return not addresses_are_limited() or available_memory() >= _FIRST_STEPS


def _started(pool: ThreadPoolExecutor, work: Callable[[State], None], spaces: list[State]) -> list[Future[None]]:
    """The work in a thread for every space, or as many as the system gives, with the caller's settings."""
    futures: list[Future[None]] = []
    try:
        for own in spaces:
            futures.append(pool.submit(copy_context().run, work, own))  # noqa: PERF401  (those before a refusal stay)
    except RuntimeError:  # no room for the stack of a thread (ulimit -v), or no number for it (ulimit -u)
        _LOG.info("The system gave %d of %d threads.", len(futures), len(spaces))
    return futures


def results_in_threads(tasks: Sequence[Callable[[], Result]]) -> list[Result]:
    """What some tasks return, in their order; they run on all threads, and none waits for another."""
    found: dict[int, Result] = {}

    def work(i: int, _: None) -> None:
        found[i] = tasks[i]()

    run_in_threads(work, range(len(tasks)), state=lambda: None)
    return [found[i] for i in range(len(tasks))]


class _Numbered(Iterator[tuple[int, Item]]):
    """An iterator that several threads may advance; it numbers its items."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._items, self._lock = enumerate(items), Lock()

    def __next__(self) -> tuple[int, Item]:
        with self._lock:
            return next(self._items)


class _Turns:
    """Ordering of threads: each goes on after those of earlier items, up to the first item that is given up."""

    def __init__(self) -> None:
        self._changed, self._next, self._end = Condition(), 0, inf

    def wait_for(self, number: float) -> bool:
        """Wait until all items before this one are done; False if it lies beyond the end."""
        with self._changed:
            self._changed.wait_for(lambda: number == self._next or number >= self._end)
            return number < self._end

    def pass_on(self) -> None:
        with self._changed:
            self._next += 1
            self._changed.notify_all()

    def end_at(self, number: float) -> None:
        with self._changed:
            self._end = min(self._end, number)
            self._changed.notify_all()


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Limit BLAS to one thread per caller, for the length of a `with` block.

    The limit is one for the whole process. Blocks of several threads overlap in any order: the first to come sets it,
    and the last to leave restores what was there before.
    """
    _limit.enter()
    try:
        yield
    finally:
        _limit.leave()


class _SharedLimit:
    """A limit of BLAS to one thread that is held as long as at least one caller wants it."""

    def __init__(self) -> None:
        self._lock, self._holders = Lock(), 0
        self._limiter: Any = None

    def enter(self) -> None:
        with self._lock:
            if self._holders == 0:
                self._limiter = blas_libraries().limit(limits=1, user_api="blas")
            self._holders += 1

    def leave(self) -> None:
        with self._lock:
            self._holders -= 1
            if self._holders == 0:
                self._release()

    def forget(self) -> None:
        """In a forked child: the threads that held the limit are not there, and the lock may be taken for ever."""
        self._lock, self._holders = Lock(), 0
        self._release()

    def _release(self) -> None:
        limiter, self._limiter = self._limiter, None
        if limiter is not None:
            limiter.restore_original_limits()


_limit = _SharedLimit()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_limit.forget)


def threads_for_factor(width: int) -> AbstractContextManager[None]:
    """One BLAS thread to factorise a wide matrix: with two, potrf of OpenBLAS 0.3.30 crashes at a width of 16,384.

    One thread runs at its peak there, so that little is lost.
    """
    return single_threaded_blas() if width > _WIDEST_IN_THREADS else nullcontext()
