"""Checkpoints of fits: an interrupted fit goes on with its seed, its moments or its iterations."""

import numpy as np
import pytest

import bochner as bo
from bochner.errors import CheckpointError
from bochner.fitting import FitCheckpoint, fit_ridge
from bochner.solvers import IterativeSolver
from bochner.statistics import CheckpointFile
from bochner.statistics.state_schema import AnyState
from tests.fitting.known_features import long_table, ridge_settings, table
from tests.identity_features import rows_of

Z, Y, WEIGHT = table()
ROWS = rows_of(Z, Y, WEIGHT)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "fit.checkpoint"


class StopAfter:
    """Interrupts after so many blocks or iterations."""

    def __init__(self, most):
        self.most, self.n = most, 0

    def begin(self, n_blocks):
        return self._on_block, lambda: None

    def _on_block(self, n_rows):
        self.n += 1
        if self.n == self.most:
            raise KeyboardInterrupt
        return False


def test_the_seed_is_the_first_that_was_noted(path):
    first = FitCheckpoint.of_moments(path, {"kind": "a"})
    assert first.seed(5) == 5
    assert first.seed(6) == 5
    first.file.save({"block_rows": 1}, {"starts": np.zeros(0, int), "checksums": np.zeros(0, int)})
    assert FitCheckpoint.of_moments(path, {"kind": "a"}).seed(7) == 5


def test_an_interrupted_pass_goes_on_without_the_blocks_it_has(path):
    with bo.config_context(n_threads=4):
        with pytest.raises(KeyboardInterrupt):
            fit_ridge(ROWS, ridge_settings(0.7), watch=StopAfter(2), checkpoint=FitCheckpoint.of_moments(path, {}))
        rest = StopAfter(None)
        again = fit_ridge(ROWS, ridge_settings(0.7), watch=rest, checkpoint=FitCheckpoint.of_moments(path, {}))
        whole = fit_ridge(ROWS, ridge_settings(0.7))
    assert 0 < rest.n < 4
    assert again.moments.n_rows == len(Z)
    np.testing.assert_allclose(again.solution.coef, whole.solution.coef, atol=1e-11)
    assert again.identity == whole.identity


def test_a_resumed_pass_is_cut_as_it_was(path):
    with bo.config_context(n_threads=4), pytest.raises(KeyboardInterrupt):
        fit_ridge(ROWS, ridge_settings(0.7), watch=StopAfter(2), checkpoint=FitCheckpoint.of_moments(path, {}))
    checkpoint = FitCheckpoint.of_moments(path, {})
    assert checkpoint.moments().block_rows == 50
    with bo.config_context(n_threads=1):
        assert fit_ridge(ROWS, ridge_settings(0.7), checkpoint=checkpoint).moments.n_rows == len(Z)


def test_iterations_go_on_from_the_state_that_was_written(path, monkeypatch):
    monkeypatch.setattr(CheckpointFile, "due", True)
    settings, source = ridge_settings(1e-3, IterativeSolver(tol=1e-10)), rows_of(*long_table())
    whole = fit_ridge(source, settings)
    assert whole.solution.iterations > 3
    with pytest.raises(KeyboardInterrupt):
        fit_ridge(source, settings, watch=StopAfter(2), checkpoint=FitCheckpoint.of_iterations(path, {}, source))
    checkpoint, rest = FitCheckpoint.of_iterations(path, {}, source), StopAfter(None)
    assert checkpoint.resumed_state(AnyState())["stage"] == "final"
    again = fit_ridge(source, settings, watch=rest, checkpoint=checkpoint)
    assert again.solution.iterations == rest.n + 2
    np.testing.assert_allclose(again.solution.coef, whole.solution.coef, rtol=0, atol=1e-7)


def test_a_state_comes_back_with_its_numbers_and_arrays(path, monkeypatch):
    checkpoint = FitCheckpoint.of_iterations(path, {}, ROWS)
    assert checkpoint.resumed_state(AnyState()) is None
    state = {"stage": "search", "n": 3, "x": np.arange(6.0).reshape(2, 3)}
    monkeypatch.setattr(CheckpointFile, "due", False)
    checkpoint.save_state(state)
    assert not path.exists()
    monkeypatch.setattr(CheckpointFile, "due", True)
    checkpoint.save_state(state)
    found = checkpoint.resumed_state(AnyState())
    assert (found["stage"], found["n"]) == ("search", 3)
    np.testing.assert_array_equal(found["x"], state["x"])


@pytest.mark.parametrize("change", [(1e-9, 0, 0), (0, 1e-9, 0), (0, 0, 1e-9)], ids=["rows", "targets", "weights"])
def test_iterations_of_other_rows_are_refused(path, change, monkeypatch):
    monkeypatch.setattr(CheckpointFile, "due", True)
    FitCheckpoint.of_iterations(path, {}, ROWS).save_state({"stage": "final"})
    other = rows_of(Z + change[0], Y + change[1], WEIGHT + change[2])
    with pytest.raises(CheckpointError, match="checksum of the rows"):
        FitCheckpoint.of_iterations(path, {}, other)


def test_a_folder_that_is_missing_is_told_before_the_fit(tmp_path):
    with pytest.raises(CheckpointError, match="There is no folder"):
        FitCheckpoint.of_moments(tmp_path / "none" / "c", {})
