"""Exact machines by iterations on inputs that are wrong, degenerate or unusual: a clear error or a right answer."""

import signal
import subprocess
import sys

import numpy as np
import pytest

import bochner as bo
from bochner.errors import MemoryBudgetError
from bochner.statistics.kernel_product import KernelProduct
from tests.strategies import rows

X = rows(0, 600, 3)
Y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.2 * rows(1, 600, 1)[:, 0]


def machine(kernel=None, solver="iterative", **changes):
    settings = {"features": "exact", "alpha": 0.1, "tol": 1e-8, "random_state": 0}
    return bo.KernelRegressor(kernel or bo.Gaussian(1.2), solver=solver, **{**settings, **changes})


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("where", ["X", "y", "sample_weight"])
def test_numbers_that_are_not_finite_are_named(bad, where):
    arrays = {"X": X.copy(), "y": Y.copy(), "sample_weight": np.ones(600)}
    arrays[where][7] = bad
    with pytest.raises(ValueError, match=r"NaN|infinity|finite"):
        machine().fit(**arrays)


@pytest.mark.parametrize(
    "kernel",
    [
        bo.Gaussian(1.0) + bo.Matern(2.0, nu=1.5),
        bo.Gaussian(1.0) * bo.Cauchy(3.0),
        0.5 * bo.RationalQuadratic(1.0),
        bo.Laplacian(2.0) + 2.0 * bo.Gaussian(0.7),
    ],
    ids=repr,
)
def test_sums_and_products_of_kernels_are_their_matrix(kernel):
    found, exact = (machine(kernel, solver).fit(X, Y).predict(X[:100]) for solver in ("iterative", "direct"))
    np.testing.assert_allclose(found, exact, atol=1e-5)


def test_copies_of_all_rows_are_rows_of_twice_the_weight():
    twice = machine().fit(np.vstack([X, X]), np.append(Y, Y))
    weighted = machine().fit(X, Y, sample_weight=np.full(600, 2.0))
    np.testing.assert_allclose(twice.predict(X[:100]), weighted.predict(X[:100]), atol=1e-6)


def test_rows_that_are_all_the_same_have_their_mean():
    model = machine().fit(np.ones((300, 3)), np.arange(300.0))
    np.testing.assert_allclose(model.predict(np.ones((2, 3))), np.full(2, 149.5), rtol=1e-6)


def test_too_many_rows_are_refused_with_the_bill_before_the_first_product(monkeypatch):
    def refuse(self, V):
        raise AssertionError("A product was computed.")

    monkeypatch.setattr(KernelProduct, "times", refuse)
    with bo.config_context(memory="1MB"), pytest.raises(MemoryBudgetError, match="MB"):
        machine().fit(rows(0, 20_000, 3), np.zeros(20_000))


KILLED = """
import os, signal, sys
import numpy as np
import bochner as bo
from bochner.solvers import kernel_bill
from bochner.statistics import CheckpointFile

kernel_bill._LANDMARKS = 60
save, left = CheckpointFile.save, [int(sys.argv[2])]

def counted(self, *arguments, **keywords):
    save(self, *arguments, **keywords)
    left[0] -= 1
    if left[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)

CheckpointFile.save = counted
CheckpointFile.due = property(lambda self: True)
with np.load(sys.argv[4]) as rows:
    X, y = rows["X"], rows["y"]
model = bo.KernelRegressor(bo.Gaussian(1.2), features="exact", alpha=0.01, tol=1e-6, solver="iterative",
                           random_state=0, checkpoint=sys.argv[1])
np.save(sys.argv[3], model.fit(X, y).predict(X))
"""


def test_a_killed_fit_goes_on_to_the_same_bits(tmp_path, monkeypatch):
    monkeypatch.setattr("bochner.solvers.kernel_bill._LANDMARKS", 60)
    np.savez(tmp_path / "rows.npz", X=X, y=Y)

    def run(saves):
        files = [tmp_path / "checkpoint", saves, tmp_path / "resumed.npy", tmp_path / "rows.npz"]
        command = [sys.executable, "-c", KILLED, *map(str, files)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    killed = run(3)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    resumed = run(0)
    assert resumed.returncode == 0, resumed.stderr
    whole = machine(alpha=0.01, tol=1e-6).fit(X, Y)
    np.testing.assert_array_equal(np.load(tmp_path / "resumed.npy"), whole.predict(X))
