"""Checkpoints of fits on a grid of frequencies: a killed fit goes on to the same model, and false files are refused."""

import shutil

import dask.array as da
import numpy as np
import pytest
from distributed import Client

import bochner as bo
from bochner._archive import read_archive, write_archive
from bochner.errors import CheckpointError
from bochner.statistics import checkpoint as checkpoint_module
from bochner.statistics import fourier_sums
from bochner.tuning import grid_evidence

RNG = np.random.default_rng(0)
X = RNG.uniform(0, 1, (700, 2))
Y = np.sin(6 * X[:, 0]) * np.cos(4 * X[:, 1]) + 0.1 * RNG.standard_normal(700)
WEIGHT = RNG.integers(0, 3, 700).astype(float)


def model(path=None, **given):
    given = {"alpha": "auto", "n_components": 400, **given}
    return bo.KernelRegressor(features="grid", random_state=0, checkpoint=path, **given)


@pytest.fixture
def small_blocks(monkeypatch):
    """Seven blocks of rows, and a file after every one of them."""
    monkeypatch.setattr(grid_evidence, "_INNER", 300)  # a search of a second
    monkeypatch.setattr(fourier_sums, "fourier_cut", lambda grid, n_rows: fourier_sums.Cut(100, 1))
    monkeypatch.setattr(checkpoint_module, "_SHORTEST", 0.0)
    monkeypatch.setattr(checkpoint_module, "_REST", 0)


def killed(monkeypatch, tmp_path, at, **given):
    """The file that a kill leaves when a block of rows is being summed: nothing is written after it."""
    path, kept, part, met = tmp_path / "fit", tmp_path / "killed", fourier_sums.FourierReduction.part, []

    def interrupted(self, block, scratch):
        if block.n_rows == 100 and self.box is None and path.exists():
            met.append(block.start)
            if len(met) == at:
                shutil.copy(path, kept)
                raise KeyboardInterrupt
        return part(self, block, scratch)

    with monkeypatch.context() as patch:
        patch.setattr(fourier_sums.FourierReduction, "part", interrupted)
        with pytest.raises(KeyboardInterrupt):
            model(path, **given).fit(X, Y, sample_weight=WEIGHT)
    return kept


@pytest.mark.parametrize(("at", "given"), [(1, {"kernel": bo.Matern(0.5, nu=2.5), "alpha": 0.1}), (6, {})])
def test_a_killed_fit_goes_on_to_the_same_bits(tmp_path, monkeypatch, small_blocks, at, given):
    path = killed(monkeypatch, tmp_path, at, **given)
    summed, part = [], fourier_sums.FourierReduction.part
    monkeypatch.setattr(
        fourier_sums.FourierReduction,
        "part",
        lambda self, block, scratch: summed.append(self.grid.n_modes) or part(self, block, scratch),
    )
    whole = model(**given).fit(X, Y, sample_weight=WEIGHT)
    blocks = len(summed)
    resumed = model(path, **given).fit(X, Y, sample_weight=WEIGHT)
    np.testing.assert_array_equal(resumed.coef_, whole.coef_)
    assert resumed.alpha_ == whole.alpha_
    np.testing.assert_array_equal(resumed.predict(X, return_std=True)[1], whole.predict(X, return_std=True)[1])
    assert len(summed) == 2 * blocks - at  # blocks that were not summed again


def test_changed_rows_other_penalties_and_forged_sums_are_refused(tmp_path, monkeypatch, small_blocks):
    path = killed(monkeypatch, tmp_path, 3, alpha=0.1, kernel=bo.Matern(0.5))
    given = {"alpha": 0.1, "kernel": bo.Matern(0.5)}
    other = X.copy()
    other[120, 0] += 1e-6
    with pytest.raises(CheckpointError, match="rows from 100 on have changed"):
        model(path, **given).fit(other, Y, sample_weight=WEIGHT)
    with pytest.raises(CheckpointError, match=r"alpha was 0\.1, and is 0\.2 now"):
        model(path, **{**given, "alpha": 0.2}).fit(X, Y, sample_weight=WEIGHT)
    wider = X.copy()
    wider[-1] = 1.5
    with pytest.raises(CheckpointError, match="on another grid of frequencies"):
        model(path, **given).fit(wider, Y, sample_weight=WEIGHT)
    for name, value, words in [("density", 1e9, "larger than the weight"), ("targets", 1e9, "larger than the targets")]:
        _, header, arrays = read_archive(path, kind="checkpoint", version=1)
        arrays[name] = arrays[name].copy()
        arrays[name][0] = value
        write_archive(tmp_path / "forged", kind="checkpoint", version=1, header=header, arrays=arrays)
        with pytest.raises(CheckpointError, match=words):
            model(tmp_path / "forged", **given).fit(X, Y, sample_weight=WEIGHT)


def test_a_fit_on_a_cluster_goes_on_from_its_checkpoint(tmp_path):
    path, given = tmp_path / "fit", {"alpha": 0.1, "kernel": bo.Matern(0.5), "tol": 1e-10}
    lazy = da.from_array(X, chunks=(100, 2)), da.from_array(Y, chunks=100)
    local = model(**given).fit(X, Y).predict(X)
    with Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None):
        for _ in range(2):  # the second finds all blocks in the file
            found = model(path, **given).fit(*lazy)
            np.testing.assert_allclose(np.asarray(found.predict(X)), local, atol=1e-6)
    assert path.exists()
