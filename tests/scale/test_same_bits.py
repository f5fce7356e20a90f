"""Same seed, same bits: fits in threads do not depend on which thread is first."""

from __future__ import annotations

import time

import numpy as np
import pytest

import bochner as bo
from bochner import _threads
from bochner.statistics import MomentsCheckpoint, feature_reduction, moments_pass

RNG = np.random.default_rng(0)
X = RNG.standard_normal((3000, 3))
y = np.sin(X).sum(axis=1) + 0.1 * RNG.standard_normal(3000)
classes = np.digitize(y, [-1, 1])
KERNEL = bo.Gaussian(2.0)


@pytest.fixture(autouse=True)
def shuffled_threads(monkeypatch):
    """Two threads, more blocks than threads, and pauses of random length before every block."""
    pauses, handed_out = np.random.default_rng(), _threads._Numbered.__next__

    def late(self):
        item = handed_out(self)
        time.sleep(float(pauses.random()) * 2e-3)
        return item

    monkeypatch.setattr(_threads._Numbered, "__next__", late)
    monkeypatch.setattr(moments_pass, "_BLOCK_BYTES", 2**15)
    monkeypatch.setattr(feature_reduction, "_BLOCK_BYTES", 2**17)
    with bo.config_context(n_threads=2):
        yield


def model(estimator, target, rows=X):
    fitted = estimator.fit(rows, target)
    return np.r_[np.ravel(fitted.coef_), np.ravel(fitted.intercept_)]


ANSWERS = {
    "direct": lambda: model(bo.KernelRegressor(KERNEL, n_components=64, random_state=0), y),
    "float32": lambda: model(bo.KernelRegressor(KERNEL, n_components=64, random_state=0), y, X.astype(np.float32)),
    "leave-one-out": lambda: model(bo.KernelRegressor(KERNEL, n_components=64, alpha="loo", random_state=0), y),
    "iterative": lambda: model(
        bo.KernelRegressor(KERNEL, n_components=64, solver="iterative", alpha=1.0, random_state=0), y
    ),
    "width": lambda: model(bo.KernelRegressor(KERNEL, n_components="auto", random_state=0), y),
    "logistic": lambda: model(bo.KernelClassifier(KERNEL, n_components=64, alpha=1.0, random_state=0), classes),
    "squared error": lambda: model(bo.KernelClassifier(KERNEL, n_components=64, random_state=0), classes),
    "hinge": lambda: model(
        bo.KernelClassifier(KERNEL, n_components=32, loss="hinge", alpha=30.0, tol=1e-2, random_state=0), classes
    ),
    "rows that do not return": lambda: np.ravel(
        bo.KernelClassifier(KERNEL, n_components=32, alpha=1.0, random_state=0)
        .partial_fit(X[:2000], classes[:2000], classes=[0, 1, 2])
        .partial_fit(X[2000:], classes[2000:])
        .coef_
    ),
    "components": lambda: bo.KernelPCA(n_components=3, width=64, random_state=0).fit(X).transform(X[:9]),
    "mean map": lambda: bo.mean_map(X, kernel=KERNEL, n_components=2048, rng=0).mean,
    "two samples": lambda: bo.mmd_test(X, X + 0.05, kernel=KERNEL, n_components=2048, rng=0).null_distribution,
    "independence": lambda: bo.hsic_test(X, y[:, None], n_components=128, n_resamples=99, rng=0).null_distribution,
    "drift": lambda: bo.DriftDetector(n_components=512, random_state=0).fit(X)._eigenvalues,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ANSWERS)
def test_repeated_fits_have_the_same_bits(name):
    first = ANSWERS[name]()
    for _ in range(2):  # dozens of blocks in random order: a sum that depends on it differs at once
        np.testing.assert_array_equal(ANSWERS[name](), first)


def test_another_number_of_threads_agrees_to_rounding():
    two = bo.KernelRegressor(KERNEL, n_components=64, alpha=1.0, random_state=0).fit(X, y)
    with bo.config_context(n_threads=1):
        one = bo.KernelRegressor(KERNEL, n_components=64, alpha=1.0, random_state=0).fit(X, y)
    np.testing.assert_allclose(one.predict(X), two.predict(X), atol=1e-11)


def test_a_resumed_fit_has_the_bits_of_one_that_was_not_interrupted(tmp_path, monkeypatch):
    def fit(**options):
        return bo.KernelRegressor(KERNEL, n_components=64, alpha=1.0, random_state=0, **options).fit(X, y)

    whole, checksum, seen = fit().coef_, MomentsCheckpoint.checksum, []

    def interrupted(block):
        seen.append(block.start)
        if len(seen) == 9:
            raise KeyboardInterrupt
        return checksum(block)

    monkeypatch.setattr(MomentsCheckpoint, "checksum", staticmethod(interrupted))
    with pytest.raises(KeyboardInterrupt):
        fit(checkpoint=tmp_path / "fit.checkpoint")

    def noted(block):
        seen.remove(block.start)
        return checksum(block)

    monkeypatch.setattr(MomentsCheckpoint, "checksum", staticmethod(noted))
    seen = [block for block in range(3000) if block not in seen[:7]]  # what may be computed now
    np.testing.assert_array_equal(fit(checkpoint=tmp_path / "fit.checkpoint").coef_, whole)
