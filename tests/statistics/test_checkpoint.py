"""Checkpoint files: what was saved comes back, other fits and other rows are named, and a full disk ends no fit."""

import numpy as np
import pytest

from bochner.data import Block
from bochner.errors import CheckpointError, CheckpointWarning
from bochner.statistics import Moments, PassPlan, accumulate, checkpoint
from bochner.statistics.checkpoint import CheckpointFile
from bochner.statistics.checksums import block_checksum, rows_checksum
from bochner.statistics.moments_checkpoint import MomentsCheckpoint
from bochner.statistics.state_schema import ArrayRule, NumberRule, Schema
from tests.identity_features import identity_map, rows_of
from tests.strategies import rows

FIT = {"kernel": "Gaussian()", "alpha": "0.1"}
PLAN = PassPlan(10, 2, 0)


def test_what_was_saved_comes_back(tmp_path):
    path = tmp_path / "fit.checkpoint"
    file = CheckpointFile(path, FIT)
    assert file.load() is None
    file.notes["seed"] = 7
    file.save({"n_iter": 3}, {"w": rows(0, 4, 2)})
    again = CheckpointFile(path, FIT)
    state, arrays = again.load()
    assert (state, again.notes) == ({"n_iter": 3}, {"seed": 7})
    np.testing.assert_array_equal(arrays["w"], rows(0, 4, 2))
    assert [child.name for child in tmp_path.iterdir()] == ["fit.checkpoint"]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({**FIT, "alpha": "0.2"}, "alpha was 0.1, and is 0.2 now"),
        ({**FIT, "solver": "direct"}, "solver was None, and is direct now"),
        ({**FIT, "alpha": "0.2", "added": "1"}, "alpha was 0.1"),
    ],
)
def test_the_checkpoint_of_another_fit_is_refused_with_the_first_difference(tmp_path, changed, words):
    CheckpointFile(tmp_path / "c", FIT).save({}, {})
    with pytest.raises(CheckpointError, match=words):
        CheckpointFile(tmp_path / "c", changed).load()


def test_a_damaged_checkpoint_is_refused_with_a_remedy(tmp_path):
    path = tmp_path / "c"
    CheckpointFile(path, FIT).save({}, {"w": np.ones(100)})
    content = bytearray(path.read_bytes())
    content[200] ^= 1
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match="Delete it to start anew"):
        CheckpointFile(path, FIT).load()


def test_a_file_that_cannot_be_written_is_a_warning_and_the_old_one_stays(tmp_path, monkeypatch):
    file = CheckpointFile(tmp_path / "c", FIT)
    file.save({"n_iter": 1}, {})

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoint, "write_archive", full)
    with pytest.warns(CheckpointWarning, match="No space left on device"):
        file.save({"n_iter": 2}, {})
    assert CheckpointFile(tmp_path / "c", FIT).load()[0] == {"n_iter": 1}


def test_a_new_file_is_not_due_at_once_and_a_write_defers_the_next(tmp_path, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(checkpoint.time, "monotonic", lambda: now[0])
    file = CheckpointFile(tmp_path / "c", FIT)
    assert not file.due
    now[0] += 1.5
    assert file.due
    file.save({}, {})
    assert not file.due


@pytest.mark.parametrize("stop_after", [1, 4, 9])
def test_a_pass_that_stopped_goes_on_to_the_same_moments(tmp_path, stop_after):
    Z, Y = rows(0, 100, 3), rows(1, 100, 2)
    source, told = rows_of(Z, Y), []
    whole = accumulate(source, identity_map(3), Moments.empty(3, 2), PLAN)

    def stop(n_rows):
        told.append(n_rows)
        return len(told) == stop_after

    first = MomentsCheckpoint(CheckpointFile(tmp_path / "c", FIT))
    accumulate(source, identity_map(3), Moments.empty(3, 2), PLAN, on_block=stop, checkpoint=first)
    second, total = MomentsCheckpoint(CheckpointFile(tmp_path / "c", FIT)), Moments.empty(3, 2)
    assert second.block_rows == 10
    assert len(second.done) == stop_after
    second.restore(total)
    assert total.n_rows == 10 * stop_after
    accumulate(source, identity_map(3), total, PLAN, checkpoint=second)
    np.testing.assert_array_equal(np.tril(total.zz), np.tril(whole.zz))
    np.testing.assert_array_equal(total.zy, whole.zy)
    assert total.identity == whole.identity


def test_rows_that_changed_are_named(tmp_path):
    Z, Y = rows(0, 30, 3), rows(1, 30, 1)
    first = MomentsCheckpoint(CheckpointFile(tmp_path / "c", FIT))
    accumulate(rows_of(Z, Y), identity_map(3), Moments.empty(3, 1), PLAN, checkpoint=first)
    Z[13, 1] += 1e-12
    again, total = MomentsCheckpoint(CheckpointFile(tmp_path / "c", FIT)), Moments.empty(3, 1)
    again.restore(total)
    with pytest.raises(CheckpointError, match="rows from 10 on have changed"):
        accumulate(rows_of(Z, Y), identity_map(3), total, PLAN, checkpoint=again)


def test_a_checksum_sees_rows_targets_and_weights():
    X, Y, weight = rows(0, 8, 3), rows(1, 8, 1), np.ones(8)
    base = block_checksum(Block(X, Y, weight, 0))
    assert block_checksum(Block(X.copy(order="F"), Y.copy(), weight.copy(), 5)) == base
    for part in (X, Y, weight):
        part.flat[3] += 1e-13
        changed = block_checksum(Block(X, Y, weight, 0))
        assert changed != base
        base = changed
    assert block_checksum(Block(X, Y, None, 0)) != base


def test_the_checksum_of_all_rows_changes_with_any_of_them():
    Z = rows(0, 50, 3)
    before = rows_checksum(rows_of(Z))
    assert rows_checksum(rows_of(Z.copy())) == before
    Z[49, 2] += 1e-13
    assert rows_checksum(rows_of(Z)) != before


def test_a_clock_that_is_set_back_does_not_stop_checkpoints(tmp_path, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(checkpoint.time, "monotonic", lambda: now[0])
    for wall in (2e9, 1e9, 0.0):  # whatever the wall clock says
        monkeypatch.setattr(checkpoint.time, "time", lambda wall=wall: wall)
        file = CheckpointFile(tmp_path / "c", FIT)
        now[0] += 1.5
        assert file.due
        file.save({}, {})
        now[0] += 1.5
        assert file.due


def test_parts_are_written_together_and_read_apart(tmp_path):
    schema = Schema({"n": NumberRule(0), "w": ArrayRule((2,))})
    file = CheckpointFile(tmp_path / "c", FIT)
    file.hold({"n": 1, "w": np.zeros(2)}, "a.b")
    file.save({"n": 2}, {"w": np.ones(2)}, part="c")
    file.hold(None, "a.b")
    again = CheckpointFile(tmp_path / "c", FIT)
    assert again.part("a.b", schema)["n"] == 1
    np.testing.assert_array_equal(again.part("c", schema)["w"], np.ones(2))
    assert again.part("d", schema) is None
    with pytest.raises(CheckpointError, match="'w' has the shape 2, not 3"):
        again.part("c", Schema({"n": NumberRule(0), "w": ArrayRule((3,))}))


def test_moments_that_have_nothing_new_are_not_written_again(tmp_path):
    source = rows_of(rows(0, 30, 3), rows(1, 30, 1))
    first = MomentsCheckpoint(CheckpointFile(tmp_path / "c", FIT))
    accumulate(source, identity_map(3), Moments.empty(3, 1), PLAN, checkpoint=first)
    written = (tmp_path / "c").stat().st_mtime_ns
    again, total = MomentsCheckpoint(CheckpointFile(tmp_path / "c", FIT)), Moments.empty(3, 1)
    again.restore(total)
    accumulate(source, identity_map(3), total, PLAN, checkpoint=again)
    assert (tmp_path / "c").stat().st_mtime_ns == written
