"""Prefetching: an iterator that runs ahead in a thread of its own."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from queue import Empty, Queue
from threading import Event, Thread
from typing import TypeAlias, TypeVar, cast

__all__ = ["prefetched"]

Item = TypeVar("Item")
_END = object()
Fetched: TypeAlias = tuple[object, BaseException | None]
"""An item, or the end and the failure behind it."""


def prefetched(items: Iterable[Item], depth: int = 2) -> Generator[Item, None, None]:
    """The items, in order, while a thread fetches up to `depth` of them ahead.

    An exception of the iterator is raised where its item would have come. When the consumer stops (end, `close`, an
    exception), the iterator is closed and the thread has ended before control returns. An iterator is run in that
    one thread from its first item to its end.
    """
    queue: Queue[Fetched] = Queue(depth)
    stop = Event()
    reader = Thread(target=_fetch, args=(items, queue, stop), name="bochner-reader", daemon=True)
    reader.start()
    try:
        while True:
            item, failure = queue.get()
            if failure is not None:
                raise failure
            if item is _END:
                return
            yield cast(Item, item)
    finally:
        stop.set()
        _drain(queue)  # the reader may wait for room; it puts at most one item more
        reader.join()


def _fetch(items: Iterable[object], queue: Queue[Fetched], stop: Event) -> None:
    """Put the items, then the end or the failure. Once `stop` is set, at most the put under way is made."""
    failure: BaseException | None = None
    try:
        _put_all(items, queue, stop)
    except BaseException as error:
        failure = error
    if not stop.is_set():
        queue.put((_END, failure))


def _put_all(items: Iterable[object], queue: Queue[Fetched], stop: Event) -> None:
    iterator = iter(items)
    try:
        for item in iterator:
            queue.put((item, None))
            del item  # not held while the next one is read
            if stop.is_set():
                return
    finally:
        if hasattr(iterator, "close"):
            iterator.close()


def _drain(queue: Queue[Fetched]) -> None:
    try:
        while True:
            queue.get_nowait()
    except Empty:
        return
