"""A fit that is killed goes on where it stopped, and never from another fit's checkpoint."""

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import bochner as bo
from bochner.errors import CheckpointError, CheckpointWarning, InvalidDataError
from bochner.statistics import MomentsCheckpoint
from bochner.statistics import checkpoint as checkpoint_module

SLOW_FIT = """
import sys, time, numpy as np, bochner as bo
def blocks():
    random = np.random.default_rng(0)
    for _ in range(120):
        time.sleep(float(sys.argv[2]))
        X = random.standard_normal((400, 3))
        yield X, np.sin(X.sum(axis=1))
rows = bo.scan_blocks(blocks, n_rows=48000)
model = bo.KernelRegressor(length_scale=2.0, n_components=64, alpha=0.1, random_state=None, checkpoint=sys.argv[1])
bo.set_config(memory="20MB", n_threads=2)
model.fit(rows)
np.save(sys.argv[3], np.concatenate([model.coef_, [model.seed_, model.moments_.n_rows]]))
"""


@pytest.fixture
def table():
    random = np.random.default_rng(0)
    X = random.standard_normal((3000, 3))
    return X, np.sin(X.sum(axis=1)) + 0.1 * random.standard_normal(3000)


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of 100 rows or so, and a write after each of them."""
    monkeypatch.setattr("bochner.statistics.moments_pass._BLOCK_BYTES", 100 * 64 * 8)
    monkeypatch.setattr(checkpoint_module, "_SHORTEST", 0.0)
    monkeypatch.setattr(checkpoint_module, "_REST", 0)


def regressor(path=None, **changes):
    return bo.KernelRegressor(
        **({"n_components": 64, "alpha": 0.1, "length_scale": 2.0, "random_state": 3, "checkpoint": path} | changes)
    )


def stopping_after(n_blocks, X, y):
    """A source that breaks off in mid pass."""

    def blocks():
        for i in range(0, len(X), 100):
            if i >= 100 * n_blocks:
                raise InvalidDataError("The disk is gone.")
            yield X[i : i + 100], y[i : i + 100]

    return bo.scan_blocks(blocks, n_rows=len(X))


def whole(X, y):
    return bo.scan_blocks([(X[i : i + 100], y[i : i + 100]) for i in range(0, len(X), 100)])


def test_a_fit_that_failed_in_mid_pass_goes_on_to_the_same_model(tmp_path, table, small_blocks):
    path = tmp_path / "fit.checkpoint"
    with pytest.raises(InvalidDataError, match="disk is gone"):
        regressor(path).fit(stopping_after(12, *table))
    assert path.exists()
    seen = []
    resumed = regressor(path)
    original = MomentsCheckpoint.contains
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MomentsCheckpoint, "contains", lambda self, block: seen.append(original(self, block)) or seen[-1])
        resumed.fit(whole(*table))
    assert sum(seen) >= 5  # several blocks came from the file
    assert not all(seen)
    np.testing.assert_allclose(resumed.coef_, regressor().fit(*table).coef_, rtol=1e-9, atol=1e-12)
    assert resumed.moments_.n_rows == len(table[0])


def test_a_process_killed_at_any_moment_resumes_with_its_seed(tmp_path):
    path, out = tmp_path / "fit.checkpoint", tmp_path / "coef.npy"
    command = [sys.executable, "-c", SLOW_FIT, str(path)]
    process = subprocess.Popen([*command, "0.05", str(out)])
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline and not path.exists():
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)  # at a moment nobody chose
    assert process.wait() == -signal.SIGKILL
    assert path.exists()
    subprocess.run([*command, "0", str(out)], check=True)
    *coef, seed, n_rows = np.load(out)
    random = np.random.default_rng(0)
    X = np.vstack([random.standard_normal((400, 3)) for _ in range(120)])
    uninterrupted = regressor(random_state=int(seed)).fit(X, np.sin(X.sum(axis=1)))
    assert n_rows == 48000
    np.testing.assert_allclose(coef, uninterrupted.coef_, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"length_scale": 1.5}, "length_scale"),
        ({"random_state": 4}, "random_state"),
        ({"kernel": bo.Matern()}, "kernel"),
        ({"n_components": 32}, "n_components"),
    ],
)
def test_a_checkpoint_of_other_parameters_is_refused_by_name(tmp_path, table, change, named):
    regressor(tmp_path / "c").fit(*table)
    with pytest.raises(CheckpointError, match=f"{named} was"):
        regressor(tmp_path / "c", **change).fit(*table)


def test_a_checkpoint_of_other_rows_is_refused(tmp_path, table):
    X, y = table
    regressor(tmp_path / "c").fit(X, y)
    with pytest.raises(CheckpointError, match="number of rows"):
        regressor(tmp_path / "c").fit(X[:-1], y[:-1])
    changed = y.copy()
    changed[1234] += 1e-9
    with pytest.raises(CheckpointError, match="other data"):
        regressor(tmp_path / "c").fit(X, changed)


def test_another_penalty_may_use_the_same_statistics(tmp_path, table):
    regressor(tmp_path / "c").fit(*table)
    again = regressor(tmp_path / "c", alpha=10.0).fit(*table)
    np.testing.assert_allclose(again.coef_, regressor(alpha=10.0).fit(*table).coef_, rtol=1e-9, atol=1e-12)


def test_another_penalty_has_other_learned_scales_and_so_another_checkpoint(tmp_path, table):
    few = [part[:500] for part in table]
    regressor(tmp_path / "c", length_scale="auto").fit(*few)
    with pytest.raises(CheckpointError, match=r"alpha was 0\.1, and is 10\.0 now"):
        regressor(tmp_path / "c", length_scale="auto", alpha=10.0).fit(*few)


@pytest.mark.parametrize("damage", ["truncated", "one byte", "not a checkpoint"])
def test_a_damaged_checkpoint_is_refused_with_the_remedy(tmp_path, table, damage):
    path = tmp_path / "c"
    regressor(path).fit(*table)
    content = bytearray(path.read_bytes())
    if damage == "truncated":
        content = content[:-1000]
    elif damage == "one byte":
        content[len(content) // 2] ^= 1
    else:
        content = bytearray(b"something else")
    path.write_bytes(content)
    remedy = "another path" if damage == "not a checkpoint" else "Delete it to start anew"
    with pytest.raises(CheckpointError, match=remedy):
        regressor(path).fit(*table)


def test_a_full_disk_costs_the_checkpoint_and_not_the_fit(tmp_path, table, small_blocks, monkeypatch):
    path = tmp_path / "c"
    with pytest.raises(InvalidDataError):
        regressor(path).fit(stopping_after(12, *table))
    before = path.read_bytes()

    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.warns(CheckpointWarning, match="No space left"):
        model = regressor(path).fit(whole(*table))
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["c"]  # no part of a file is left
    np.testing.assert_allclose(model.coef_, regressor().fit(*table).coef_, rtol=1e-9, atol=1e-12)


def test_a_truncated_file_in_mid_scan_is_named_and_what_was_read_is_kept(tmp_path, table, small_blocks):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    X, y = table
    frame = pandas.DataFrame(X, columns=list("abc")).assign(y=y)
    for i in range(3):
        frame[i * 1000 : (i + 1) * 1000].to_parquet(tmp_path / f"part-{i}.parquet", row_group_size=250)
    good = (tmp_path / "part-2.parquet").read_bytes()
    broken = bytearray(good)
    broken[len(good) // 2 : len(good) // 2 + 200] = bytes(200)
    source = bo.scan_parquet(tmp_path / "part-*.parquet", target="y")
    (tmp_path / "part-2.parquet").write_bytes(broken)
    path = tmp_path / "c"
    with pytest.raises(InvalidDataError, match=r"part-2\.parquet"):
        regressor(path).fit(source)
    (tmp_path / "part-2.parquet").write_bytes(good)
    state, _ = checkpoint_module.CheckpointFile(path, identity_in(path)).load()
    assert 1000 <= state["n_rows"] <= 2500
    model = regressor(path).fit(bo.scan_parquet(tmp_path / "part-*.parquet", target="y"))
    np.testing.assert_allclose(model.coef_, regressor().fit(*table).coef_, rtol=1e-8, atol=1e-11)


def identity_in(path: Path):
    from bochner._archive import read_archive

    return read_archive(path, kind="checkpoint", version=1)[1]["identity"]


def test_an_iterative_fit_refuses_the_checkpoint_of_other_rows(tmp_path, table, monkeypatch):
    monkeypatch.setattr(checkpoint_module, "_SHORTEST", 0.0)
    monkeypatch.setattr(checkpoint_module, "_REST", 0)
    X, y = table
    settings = {"solver": "iterative"}
    regressor(tmp_path / "c", **settings).fit(X, y)
    again = regressor(tmp_path / "c", **settings).fit(X, y)
    direct = regressor(solver="direct").fit(X, y)
    np.testing.assert_allclose(again.predict(X), direct.predict(X), atol=1e-4)
    changed = X.copy()
    changed[77, 1] += 1e-12
    with pytest.raises(CheckpointError, match="checksum of the rows"):
        regressor(tmp_path / "c", **settings).fit(changed, y)
