"""Settings: sizes as people write them, contexts that nest and end, threads and memory of the machine."""

import threading

import pytest

import bochner as bo
from bochner import config
from bochner.config import Config, parse_bytes
from bochner.errors import InvalidParameterError


@pytest.fixture(autouse=True)
def restored():
    with bo.config_context():
        yield


@pytest.mark.parametrize(
    ("text", "size"),
    [("4GB", 4 * 10**9), ("512MiB", 2**29), ("512 mib", 2**29), ("1.5e9", 1_500_000_000), (1000, 1000), ("2k", 2000)],
)
def test_sizes_are_read_as_people_write_them(text, size):
    assert parse_bytes(text) == size


@pytest.mark.parametrize("wrong", ["", "many", "4XB", "-1GB", True, "1.2.3.4QB"])
def test_what_is_no_size_is_refused_with_what_was_given(wrong):
    with pytest.raises(InvalidParameterError, match=r"'memory' parameter of bochner\.config must be a size such as"):
        parse_bytes(wrong)


@pytest.mark.parametrize("wrong", [0, -5, "0GB"])
def test_a_size_is_positive(wrong):
    with pytest.raises(InvalidParameterError, match="must be positive"):
        parse_bytes(wrong)


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True])
def test_threads_are_a_positive_whole_number(wrong):
    with pytest.raises(InvalidParameterError, match=r"'n_threads' parameter of bochner\.config must be an int >= 1"):
        bo.set_config(n_threads=wrong)


def test_a_context_keeps_what_it_does_not_name_and_ends():
    with bo.config_context(memory="1GB"):
        with bo.config_context(n_threads=3) as inner:
            assert inner == bo.get_config() == Config(10**9, 3)
        assert bo.get_config() == Config(10**9, None)
        with pytest.raises(KeyError), bo.config_context(memory="2GB"):
            raise KeyError
        assert bo.get_config().memory == 10**9
    assert bo.get_config() == Config()


def test_set_config_replaces_all_settings():
    bo.set_config(memory="1GB", n_threads=2)
    bo.set_config(n_threads=5)
    assert bo.get_config() == Config(None, 5)


def test_a_context_is_not_seen_by_other_threads():
    seen = []
    with bo.config_context(n_threads=7):
        thread = threading.Thread(target=lambda: seen.append(bo.get_config().n_threads))
        thread.start()
        thread.join()
    assert seen == [None]


def test_threads_follow_the_limit_that_workers_are_given(monkeypatch):
    monkeypatch.setattr(config.os, "sched_getaffinity", lambda pid: set(range(6)), raising=False)
    for limit, expected in (("2", 2), ("99", 6), ("0", 6), ("none", 6)):
        monkeypatch.setenv("OMP_NUM_THREADS", limit)
        assert Config().threads() == expected
    assert Config(n_threads=4).threads() == 4


def test_the_budget_is_four_fifths_of_what_is_there(monkeypatch):
    monkeypatch.setattr(config, "available_memory", lambda: 1000)
    assert Config().memory_budget() == 800
    assert Config(memory=5).memory_budget() == 5


def test_the_machine_has_memory():
    assert config.available_memory() > 10**6
