"""Classification on a circle in the Fourier basis: scikit-learn's machines on the features, and gaps that hold."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from bochner.reproduce.circle_classifier import CircleLabels, fit, loss_values

G, WAVES = 32, 5


@pytest.fixture
def setting():
    """Rows of both labels at the points of a circle, and eigenvalues of which one wave was not drawn."""
    x = np.arange(G) / G
    labels = CircleLabels.draw(300, 0.5 + 0.4 * np.sin(2 * np.pi * x), np.random.default_rng(0))
    return labels, np.array([1.0, 0.5, 0.25, 0.0, 0.1, 0.05]), 0.01


def features(eigenvalues):
    """z(x) with z(x) . z(y) = sum_k A_k exp(2 pi i k (x - y)), at every point."""
    angle = 2 * np.pi * np.outer(np.arange(G) / G, np.arange(1, WAVES + 1))
    waves = np.sqrt(2 * eigenvalues[1:])
    return np.hstack([np.full((G, 1), np.sqrt(eigenvalues[0])), waves * np.cos(angle), waves * np.sin(angle)])


def as_rows(labels):
    """Every point with either label, and how many rows each stands for."""
    Z = np.arange(G).repeat(2)
    counts = labels.n / G * np.stack([labels.positive, labels.negative], axis=1).ravel()
    return Z, np.tile([1, -1], G), counts


def test_a_draw_has_all_its_rows(setting):
    labels, _, _ = setting
    assert (labels.positive + labels.negative).mean() == pytest.approx(1.0)
    assert labels.n / G * labels.positive == pytest.approx(np.round(labels.n / G * labels.positive))


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_it_is_the_machine_that_scikit_learn_fits_on_the_features(setting, loss):
    labels, eigenvalues, penalty = setting
    points, y, counts = as_rows(labels)
    Z = features(eigenvalues)
    C = 1 / (2 * penalty * labels.n)
    machine = (
        LogisticRegression(C=C, fit_intercept=False, tol=1e-10, max_iter=10_000)
        if loss == "logistic"
        else LinearSVC(C=C, loss="hinge", fit_intercept=False, tol=1e-8, max_iter=1_000_000)
    )
    theirs = Z @ machine.fit(Z[points], y, sample_weight=counts).coef_[0]
    ours, gap = fit(labels, eigenvalues[None], penalty, loss, gap=1e-9)
    assert gap <= 1e-9
    assert ours[0] == pytest.approx(theirs, abs=2e-3)


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_the_gap_bounds_the_distance_to_the_least_objective(setting, loss):
    labels, eigenvalues, penalty = setting
    (best,), _ = fit(labels, eigenvalues[None], penalty, loss, gap=1e-10)
    (early,), gap = fit(labels, eigenvalues[None], penalty, loss, gap=0.0, max_rounds=2)
    excess = objective(labels, early, eigenvalues, penalty, loss) - objective(labels, best, eigenvalues, penalty, loss)
    assert 1e-6 < excess <= gap


def objective(labels, f, eigenvalues, penalty, loss):
    mean = np.mean(labels.positive * loss_values(loss, f) + labels.negative * loss_values(loss, -f))
    c = np.abs(np.fft.rfft(f) / G)[: WAVES + 1] ** 2 * np.array([1, 2, 2, 2, 2, 2])
    drawn = eigenvalues > 0
    assert c[~drawn] == pytest.approx(0.0, abs=1e-12)  # no wave that was not drawn
    return mean + penalty * np.sum(c[drawn] / eigenvalues[drawn])


def test_kernels_are_fitted_as_if_alone(setting):
    labels, eigenvalues, penalty = setting
    several = np.stack([eigenvalues, 2 * eigenvalues, eigenvalues**2])
    together, _ = fit(labels, several, penalty, "hinge", gap=1e-7)
    for kernel, f in zip(several, together, strict=True):
        assert f == pytest.approx(fit(labels, kernel[None], penalty, "hinge", gap=1e-7)[0][0], abs=1e-12)
