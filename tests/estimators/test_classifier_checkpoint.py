"""A classifier that is killed goes on where it stopped, to the same bits, and never from another fit's checkpoint."""

import os
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn.base import clone

import bochner as bo
from bochner.errors import CheckpointError, InvalidParameterError
from bochner.statistics import CheckpointFile

RNG = np.random.default_rng(0)
X = RNG.standard_normal((240, 3))
LABELS = np.array(["low", "mid", "high"])[np.digitize(np.sin(X.sum(axis=1)), [-0.4, 0.4])]
KERNEL = bo.Gaussian(1.5)
COMMON = {"kernel": KERNEL, "random_state": 0}
FITS = {
    "squared error": {"n_components": 24},
    "squared error, landmarks": {"features": "nystroem", "n_components": 48},
    "logistic": {"n_components": 24, "alpha": 0.1},
    "logistic, path": {"n_components": 24, "alpha": "cv", "cv": 2, "alphas": [10.0, 1.0, 0.1]},
    "logistic, exact": {"loss": "logistic", "features": "exact", "alphas": [1.0, 0.1], "tol": 1e-8},
    "squared hinge, exact": {"loss": "squared_hinge", "features": "exact", "alpha": 1.0},
    "logistic, landmarks": {"loss": "logistic", "alpha": 1.0},
    "hinge": {"loss": "hinge", "n_components": 24, "alpha": 20.0, "probability": True, "cv": 2, "tol": 1e-3},
    "squared hinge, path": {"loss": "squared_hinge", "n_components": 24, "alpha": "auto", "alphas": [30.0, 10.0]},
}


class Killed(BaseException):
    """Nothing in a fit handles it: as good as a signal."""


def answers(model):
    found = [model.coef_, model.intercept_, model.decision_function(X)]
    found += [] if model.loss == "squared_hinge" else [model.predict_proba(X)]
    return np.concatenate([np.ravel(each) for each in found])


def killed_after(n_writes, monkeypatch, model, *rows):
    """Fit until so many checkpoints are written, which is due at any time; whether the fit was over before."""
    save, left = CheckpointFile.save, [n_writes]

    def counting(self, *args, **kwargs):
        save(self, *args, **kwargs)
        left[0] -= 1
        if left[0] == 0:
            raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(CheckpointFile, "due", True)
        patch.setattr(CheckpointFile, "save", counting)
        try:
            model.fit(*rows)
        except Killed:
            return False
    return True


@pytest.mark.parametrize("fit", FITS)
def test_a_killed_fit_goes_on_to_the_same_bits(tmp_path, monkeypatch, fit):
    whole = answers(bo.KernelClassifier(**COMMON, **FITS[fit]).fit(X, LABELS))
    over, n_killed = False, 0
    while not over:  # killed again and again, each time some more writes later
        model = bo.KernelClassifier(**COMMON, **FITS[fit], checkpoint=tmp_path / "c")
        over = killed_after(1 + 2 * n_killed, monkeypatch, model, X, LABELS)
        n_killed += not over
        assert n_killed < 200
    assert n_killed >= 1
    np.testing.assert_array_equal(answers(model), whole)
    assert [child.name for child in tmp_path.iterdir()] == ["c"]


@pytest.mark.parametrize("fit", ["logistic", "hinge"])
def test_a_resumed_fit_has_only_the_rest_to_do(tmp_path, monkeypatch, fit):
    from bochner.solvers import dual, newton

    steps = []
    for solver, name in ((newton.NewtonSolver, "_step"), (dual.DualAscent, "_swept")):
        taken = getattr(solver, name)
        monkeypatch.setattr(solver, name, lambda *args, taken=taken: steps.append(0) or taken(*args))
    settings = {**COMMON, **FITS[fit], "checkpoint": tmp_path / "c"}
    bo.KernelClassifier(**{**settings, "checkpoint": None}).fit(X, LABELS)
    whole = len(steps)
    steps.clear()
    killed_after(2, monkeypatch, bo.KernelClassifier(**settings), X, LABELS)
    before = len(steps)
    steps.clear()
    bo.KernelClassifier(**settings).fit(X, LABELS)
    assert len(steps) == whole - before


def test_a_stream_with_labels_of_text_goes_on(tmp_path, monkeypatch):
    def blocks():
        return ((X[i : i + 100], LABELS[i : i + 100]) for i in range(0, len(X), 100))

    settings = {**COMMON, "n_components": 24, "alpha": 0.1}
    rows = bo.scan_blocks(blocks)
    whole = answers(bo.KernelClassifier(**settings).fit(rows))
    assert not killed_after(2, monkeypatch, bo.KernelClassifier(**settings, checkpoint=tmp_path / "c"), rows)
    np.testing.assert_array_equal(answers(bo.KernelClassifier(**settings, checkpoint=tmp_path / "c").fit(rows)), whole)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"alpha": 0.2}, "alpha was 0.1, and is 0.2 now"),
        ({"loss": "hinge"}, "loss was logistic, and is hinge now"),
        ({"fit_intercept": False}, "fit_intercept was True"),
        ({"class_weight": "balanced"}, "class_weight was None"),
        ({"max_iter": 7}, "max_iter was 5000"),
        ({"random_state": 1}, "random_state was 0"),
    ],
)
def test_a_checkpoint_of_other_parameters_is_refused_by_name(tmp_path, monkeypatch, change, named):
    settings = {**COMMON, **FITS["logistic"], "checkpoint": tmp_path / "c"}
    killed_after(1, monkeypatch, bo.KernelClassifier(**settings), X, LABELS)
    with pytest.raises(CheckpointError, match=named):
        bo.KernelClassifier(**{**settings, **change}).fit(X, LABELS)


@pytest.mark.parametrize("fit", ["logistic", "squared error"])
def test_a_checkpoint_of_other_rows_labels_or_weights_is_refused(tmp_path, monkeypatch, fit):
    settings = {**COMMON, **FITS[fit], "checkpoint": tmp_path / "c"}
    killed_after(2, monkeypatch, bo.KernelClassifier(**settings), X, LABELS)
    other, relabelled = X.copy(), LABELS.copy()
    other[3, 1] += 1e-9
    relabelled[3] = "mid" if LABELS[3] != "mid" else "low"
    for rows in ((other, LABELS), (X, relabelled), (X, LABELS, np.r_[2.0, np.ones(len(X) - 1)])):
        with pytest.raises(CheckpointError, match=r"checksum|other data"):
            bo.KernelClassifier(**settings).fit(*rows)


def test_a_seed_that_was_drawn_is_drawn_once(tmp_path, monkeypatch):
    settings = {**COMMON, **FITS["logistic"], "random_state": None, "checkpoint": tmp_path / "c"}
    killed_after(1, monkeypatch, bo.KernelClassifier(**settings), X, LABELS)
    shutil.copytree(tmp_path, tmp_path / "copy")
    again = bo.KernelClassifier(**settings).fit(X, LABELS)
    once_more = bo.KernelClassifier(**settings | {"checkpoint": tmp_path / "copy" / "c"}).fit(X, LABELS)
    assert again.seed_ == once_more.seed_


def test_folds_that_can_be_read_only_once_have_no_checkpoint(tmp_path):
    folds = iter([(np.arange(120), np.arange(120, 240))])
    with pytest.raises(InvalidParameterError, match="'cv' parameter of KernelClassifier must be a number, splitter"):
        bo.KernelClassifier(**COMMON, alpha="cv", cv=folds, checkpoint=tmp_path / "c").fit(X, LABELS)


@pytest.mark.parametrize("frequency", [1.0, 5.0], ids=["few landmarks", "the exact machine"])
def test_the_default_call_of_both_models_is_the_same_with_a_checkpoint(tmp_path, monkeypatch, frequency):
    for module in ("fitting.landmark_width", "estimators.kernel_model"):
        monkeypatch.setattr(f"bochner.{module}.EXACT_ROWS", 200)
    monkeypatch.setattr("bochner.fitting.landmark_width.LANDMARKS", (32, 64, 128))
    many = RNG.standard_normal((400, 3))
    y = np.sin(frequency * many[:, 0]) + 0.1 * RNG.standard_normal(len(many))
    for make, target in ((bo.KernelRegressor, y), (bo.KernelClassifier, y > 0)):
        path = tmp_path / make.__name__
        without, with_ = (make(random_state=0, checkpoint=each).fit(many, target) for each in (None, path))
        np.testing.assert_array_equal(with_.predict(many), without.predict(many))
        assert path.exists() or frequency > 1  # iterations of a moment leave nothing
        assert clone(with_).checkpoint == path


def test_a_model_file_does_not_hold_the_path(tmp_path):
    model = bo.KernelClassifier(**COMMON, **FITS["logistic"], checkpoint=tmp_path / "secret-place").fit(X, LABELS)
    bo.save(model, tmp_path / "model.bochner")
    assert bo.load(tmp_path / "model.bochner").checkpoint is None
    assert b"secret-place" not in (tmp_path / "model.bochner").read_bytes()


SLOW_FIT = """
import sys, time, numpy as np, bochner as bo
from bochner.solvers.newton import NewtonSolver
step = NewtonSolver._step
NewtonSolver._step = lambda *args: time.sleep(0.4) or step(*args)
X = np.random.default_rng(0).standard_normal((6000, 3))
y = np.sin(2 * X).sum(axis=1) > 0
settings = {"n_components": 64, "alpha": 1e-3, "tol": 1e-9, "random_state": 0}
model = bo.KernelClassifier(bo.Gaussian(1.0), **settings, checkpoint=sys.argv[1])
np.save(sys.argv[2], model.fit(X, y).coef_)
"""


@pytest.mark.slow
def test_a_process_that_is_killed_leaves_a_checkpoint_within_seconds(tmp_path):
    path, out = tmp_path / "c", tmp_path / "coef.npy"
    process = subprocess.Popen([sys.executable, "-c", SLOW_FIT, str(path), str(out)])
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline and not path.exists():
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert path.exists()
    assert not out.exists()
    fast = [sys.executable, "-c", SLOW_FIT.replace("0.4", "0")]
    subprocess.run([*fast, str(path), str(out)], check=True)
    resumed = np.load(out)
    subprocess.run([*fast, str(tmp_path / "other"), str(out)], check=True)
    np.testing.assert_array_equal(resumed, np.load(out))
