"""Reading ahead: order, failures, and threads that end."""

import threading
from contextlib import closing
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bochner.data.prefetch import prefetched


def readers():
    return [thread for thread in threading.enumerate() if thread.name == "bochner-reader"]


@given(items=st.lists(st.integers()), depth=st.integers(1, 5))
def test_items_come_in_order_and_the_thread_ends(items, depth):
    assert list(prefetched(iter(items), depth)) == items
    assert readers() == []


@pytest.mark.parametrize("depth", [1, 2, 5])
@pytest.mark.parametrize("taken", [1, 2, 7])
def test_closing_early_ends_an_endless_iterator(depth, taken):
    closed = threading.Event()

    def endless():
        try:
            yield from count()
        finally:
            closed.set()

    with closing(prefetched(endless(), depth)) as items:
        assert [next(items) for _ in range(taken)] == list(range(taken))
        assert len(readers()) == 1
    assert closed.is_set()
    assert readers() == []


@pytest.mark.parametrize("depth", [1, 3])
def test_a_failure_is_raised_after_the_items_before_it(depth):
    def broken():
        yield from range(4)
        raise KeyError("fifth")

    items = prefetched(broken(), depth)
    assert [next(items) for _ in range(4)] == [0, 1, 2, 3]
    with pytest.raises(KeyError, match="fifth"):
        next(items)
    assert readers() == []


def test_a_failure_to_start_is_raised():
    class NoIterator:
        def __iter__(self):
            raise OSError("cannot open")

    with pytest.raises(OSError, match="cannot open"):
        next(prefetched(NoIterator()))


def test_no_more_than_depth_items_are_read_ahead():
    read, enough = [], threading.Event()

    def watched():
        for item in range(100):
            read.append(item)
            if item == 4:
                enough.set()
            yield item

    with closing(prefetched(watched(), depth=3)) as items:
        next(items)
        assert enough.wait(10)  # one handed over, three in the queue, one in the reader's hand
        assert threading.Event().wait(0.05) is False
        assert read == [0, 1, 2, 3, 4]


def test_the_iterator_runs_in_one_thread_of_its_own():
    threads = set()

    def watched():
        try:
            for item in range(5):
                threads.add(threading.get_ident())
                yield item
        finally:
            threads.add(threading.get_ident())

    assert list(prefetched(watched())) == list(range(5))
    assert len(threads) == 1
    assert threading.get_ident() not in threads


def test_nothing_is_started_before_the_first_item_is_asked_for():
    prefetched(count())
    assert readers() == []
