"""Work in threads: results are finished in the order of the items, whatever happens."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

import bochner as bo
from bochner import _threads
from bochner._threads import results_in_threads, run_in_threads, single_threaded_blas


def finished(n_items, n_threads, work=lambda item: None, finish=lambda item: None, seed=0):
    """Items in the order in which they were finished, with work of random length."""
    pauses, order = np.random.default_rng(seed).random(n_items) * 2e-3, []

    def slow(item, _):
        time.sleep(pauses[item])
        work(item)
        return item

    def note(item):
        order.append(item)
        return finish(item)

    try:
        run_in_threads(slow, range(n_items), state=lambda: None, finish=note, n_threads=n_threads)
    except ZeroDivisionError:
        order.append("error")
    return order


@pytest.mark.parametrize("n_threads", [1, 2, 5])
@pytest.mark.parametrize("seed", range(3))
def test_results_are_finished_in_order(n_threads, seed):
    assert finished(40, n_threads, seed=seed) == list(range(40))


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_an_early_end_is_after_the_same_item_every_time(n_threads):
    def stop(item):
        return StopIteration if item == 7 else None

    for seed in range(5):
        assert finished(40, n_threads, finish=stop, seed=seed) == list(range(8))


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_an_error_ends_the_run_after_what_came_before_it(n_threads):
    def fail(item):
        return 1 / (item - 7)

    for seed in range(5):
        order = finished(40, n_threads, work=fail, seed=seed)
        assert order[-1] == "error"
        assert order[:-1] == list(range(len(order) - 1))
        assert len(order) - 1 <= 7
        assert finished(40, n_threads, finish=fail, seed=seed) == [*range(8), "error"]


@pytest.mark.parametrize("n_threads", [1, 3])
def test_items_that_cannot_be_read_end_the_run(n_threads):
    def items():
        yield from range(5)
        raise OSError("no more")

    order = []
    with pytest.raises(OSError, match="no more"):
        run_in_threads(
            lambda item, _: item, items(), state=lambda: None, finish=lambda i: order.append(i), n_threads=n_threads
        )
    assert order == list(range(len(order)))


def test_a_thread_without_memory_ends_the_run():
    def state():
        raise MemoryError

    with pytest.raises(MemoryError):
        run_in_threads(lambda item, _: item, range(9), state=state, finish=lambda _: None, n_threads=3)


def blas_threads():
    return {
        each["filepath"]: each["num_threads"] for each in ThreadpoolController().info() if each["user_api"] == "blas"
    }


@pytest.fixture
def two_blas_threads():
    with threadpool_limits(2, user_api="blas"):
        yield blas_threads()


def test_overlapping_limits_restore_the_threads_of_blas(two_blas_threads):
    """The first block to begin is the first to end: the second one still has its limit, and hands back two threads."""
    first, second = single_threaded_blas(), single_threaded_blas()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert set(blas_threads().values()) == {1}
    second.__exit__(None, None, None)
    assert blas_threads() == two_blas_threads


def test_predictions_of_many_threads_leave_blas_as_it_was(two_blas_threads):
    X = np.random.default_rng(0).standard_normal((3000, 3))
    model = bo.KernelRegressor(features="fourier", n_components=64, alpha=1e-3, random_state=0).fit(X, X[:, 0])
    expected = model.predict(X)
    with bo.config_context(n_threads=2), ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: model.predict(X), range(64)))
    assert all(np.array_equal(each, expected) for each in found)
    assert blas_threads() == two_blas_threads


def test_one_thread_is_one_of_blas_too_and_a_single_item_has_them_all(two_blas_threads):
    seen = []

    def note(item, own):
        seen.append(blas_threads())

    run_in_threads(note, range(2), state=lambda: None, n_threads=1)
    assert [set(each.values()) for each in seen] == [{1}, {1}]
    run_in_threads(note, range(1), state=lambda: None, n_threads=2)
    assert seen[-1] == two_blas_threads


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
def test_a_forked_child_has_its_threads_back(two_blas_threads):
    with single_threaded_blas():
        child = os.fork()
        if child == 0:
            whole = blas_threads() == two_blas_threads
            with single_threaded_blas():  # the lock is free
                pass
            os._exit(0 if whole else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("given", [0, 1])
def test_fewer_threads_than_asked_for_do_all_the_work(given, monkeypatch):
    submit, found = ThreadPoolExecutor.submit, []

    def refusing(pool, *work):
        if len(pool._threads) >= given:
            raise RuntimeError("can't start new thread")
        return submit(pool, *work)

    monkeypatch.setattr(ThreadPoolExecutor, "submit", refusing)
    run_in_threads(lambda i, _: i, range(20), state=lambda: None, finish=found.append, n_threads=4)
    assert found == list(range(20))


def test_workers_have_the_settings_of_their_caller():
    with bo.config_context(memory=123_456, n_threads=2):
        found = results_in_threads([bo.config.get_config for _ in range(6)])
    assert {(each.memory, each.n_threads) for each in found} == {(123_456, 2)}


def test_space_of_threads_is_made_by_the_caller():
    """malloc keeps what is freed in the heap of a thread: a fit with landmarks held 1.3 times its budget."""
    made, given = [], []

    def state():
        made.append(threading.get_ident())
        return object()

    run_in_threads(lambda item, own: given.append(own), range(50), state=state, n_threads=3)
    assert made == [threading.get_ident()] * 3
    assert len(given) == 50


@pytest.mark.parametrize("room", [2**20, 2**30])
def test_no_thread_is_started_where_a_limit_leaves_no_memory_for_its_first_steps(monkeypatch, room):
    """It would never say that it has begun, and the caller would wait for that without an end."""
    monkeypatch.setattr(_threads, "addresses_are_limited", lambda: True)
    monkeypatch.setattr(_threads, "available_memory", lambda: room)
    with bo.config_context(n_threads=2):
        found = results_in_threads([threading.get_ident] * 4)
    assert (set(found) == {threading.get_ident()}) == (room == 2**20)
