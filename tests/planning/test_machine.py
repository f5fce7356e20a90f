"""The calibration file: read if it is of this machine, measured again if anything is wrong with it."""

import json
import subprocess
import sys
from dataclasses import asdict

import pytest

from bochner.planning import CostModel, cost, machine

COST = CostModel(product=1e-10, feature=1e-9, projection=1e-10, penalties=1e-4, reduction=1e-10, columns=1e-9)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty cache folder, and a measurement that is counted."""
    monkeypatch.setenv("BOCHNER_CACHE", str(tmp_path / "not" / "yet"))
    cost.calibrate.cache_clear()
    yield tmp_path / "not" / "yet"
    cost.calibrate.cache_clear()


@pytest.fixture
def measured(monkeypatch):
    calls = []
    monkeypatch.setattr(cost, "_measured", lambda dtype: calls.append(dtype) or COST)
    return calls


def calibrate_anew():
    """As another process would."""
    cost.calibrate.cache_clear()
    return cost.calibrate("float32")


def test_a_machine_is_measured_once(folder, measured):
    assert calibrate_anew() == calibrate_anew() == COST
    assert measured == ["float32"]
    [file] = folder.iterdir()
    assert json.loads(file.read_text())["constants"] == asdict(COST)


def test_another_float_type_or_number_of_threads_is_another_machine(folder, measured):
    from bochner import config_context

    calibrate_anew()
    cost.calibrate("float64")
    with config_context(n_threads=7):
        calibrate_anew()
    assert measured == ["float32", "float64", "float32"]
    assert len(list(folder.iterdir())) == 3


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"\xff\xfe not json",
        b"[1, 2]",
        b"{}",
        b'{"machine": 1, "constants": 2}',
        b"[" * 60_000,
        lambda found: {**found, "machine": {}},
        lambda found: {**found, "constants": {**found["constants"], "product": float("nan")}},
        lambda found: {**found, "constants": {**found["constants"], "product": -1.0}},
        lambda found: {**found, "constants": {**found["constants"], "product": "fast"}},
        lambda found: {**found, "constants": {"product": 1.0}},
    ],
)
def test_a_damaged_file_is_measured_again_and_mended(folder, measured, damage):
    calibrate_anew()
    [file] = folder.iterdir()
    whole = file.read_bytes()
    file.write_bytes(json.dumps(damage(json.loads(whole))).encode() if callable(damage) else damage)
    assert calibrate_anew() == COST
    assert len(measured) == 2
    assert file.read_bytes() == whole


def test_a_folder_that_cannot_be_written_is_no_trouble(tmp_path, monkeypatch, measured):
    (tmp_path / "file").write_text("in the way")
    for place in (tmp_path / "file" / "below", "/proc/nowhere"):
        monkeypatch.setenv("BOCHNER_CACHE", str(place))
        assert calibrate_anew() == COST
    cost.calibrate.cache_clear()
    assert len(measured) == 2


def test_where_the_folder_is(monkeypatch, tmp_path):
    monkeypatch.setenv("BOCHNER_CACHE", "~/mine")
    assert machine.cache_folder() == machine.Path.home() / "mine"
    monkeypatch.delenv("BOCHNER_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert machine.cache_folder() == tmp_path / "bochner"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert machine.cache_folder() == machine.Path.home() / ".cache" / "bochner"
    monkeypatch.setenv("BOCHNER_CACHE", "off")
    assert machine.cache_folder() is None


def test_nothing_is_kept_if_so_wished(monkeypatch, measured):
    monkeypatch.setenv("BOCHNER_CACHE", "off")
    assert calibrate_anew() == calibrate_anew() == COST
    assert len(measured) == 2


def test_a_second_process_reads_what_the_first_measured(folder):
    code = "from bochner.planning import CostModel, calibrate, cost; cost._measured = {}; print(calibrate('float32'))"
    first, second = (
        subprocess.run([sys.executable, "-c", code.format(f"lambda dtype: {measure}")], capture_output=True, text=True)
        for measure in (COST, "1 / 0")
    )
    assert first.stdout == second.stdout == f"{COST}\n", first.stderr + second.stderr
