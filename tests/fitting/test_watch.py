"""Whoever watches a fit is told of every pass and its blocks, and can end it."""

import numpy as np
import pytest

import bochner as bo
from bochner.fitting import Labels, Silent, add_rows, fit_classifier, fit_ridge
from bochner.solvers import IterativeSolver
from tests import reference
from tests.fitting.known_features import classifier_settings, long_table, ridge_settings, table
from tests.identity_features import rows_of

Z, Y, _ = table()
LABELS = Labels((Y[:, 0] > np.median(Y[:, 0])).astype(int), np.ones(len(Z)), 2)


class Diary:
    """Writes down what it is told; asks for an end after so many blocks."""

    def __init__(self, stop_after=None):
        self.stop_after, self.expected, self.blocks, self.finished = stop_after, [], [], 0

    def begin(self, n_blocks):
        self.expected.append(n_blocks)
        return self._on_block, self._finish

    def _on_block(self, n_rows):
        self.blocks.append(n_rows)
        return len(self.blocks) == self.stop_after

    def _finish(self):
        self.finished += 1


def test_nobody_never_ends_a_pass():
    on_block, finish = Silent().begin(3)
    assert on_block(10) is False
    assert finish() is None


@pytest.mark.parametrize("n_threads", [1, 3])
def test_a_pass_tells_of_as_many_blocks_as_it_announced(n_threads):
    diary = Diary()
    with bo.config_context(n_threads=n_threads):
        fit_ridge(rows_of(Z, Y), ridge_settings(0.7), watch=diary)
    assert diary.expected == [len(diary.blocks)] == [n_threads]
    assert sum(diary.blocks) == len(Z)
    assert diary.finished == 1


def test_a_pass_that_is_ended_leaves_the_model_of_the_rows_before():
    diary = Diary(stop_after=2)
    with bo.config_context(n_threads=4):
        fit = fit_ridge(rows_of(Z, Y), ridge_settings(0.7), watch=diary)
    seen = sum(diary.blocks)
    assert len(diary.blocks) == 2
    assert fit.moments.n_rows == seen < len(Z)
    coef, _ = reference.ridge(Z[:seen], Y[:seen], np.ones(seen), 0.7, True)
    np.testing.assert_allclose(fit.solution.coef, coef, atol=1e-9)


def test_added_rows_are_watched_too():
    diary = Diary()
    add_rows(None, rows_of(Z, Y), ridge_settings(0.7), watch=diary, publish=lambda fit: None)
    assert sum(diary.blocks) == len(Z)
    assert diary.finished == 1


def test_iterations_are_told_of_and_can_be_ended():
    settings, source = ridge_settings(1e-3, IterativeSolver(tol=1e-10)), rows_of(*long_table())
    free, stopped = Diary(), Diary(stop_after=2)
    assert fit_ridge(source, settings, watch=free).solution.iterations == len(free.blocks) > 3
    found = fit_ridge(source, settings, watch=stopped)
    assert found.solution.iterations == len(stopped.blocks) == 2
    assert free.finished == stopped.finished == 1


@pytest.mark.parametrize("loss", ["logistic", "hinge", "squared_hinge"])
def test_iterations_of_a_classifier_are_told_of_and_can_be_ended(loss):
    settings, source = classifier_settings(loss=loss, tol=1e-6, max_iter=2000), rows_of(Z, LABELS.labels)
    free, stopped = Diary(), Diary(stop_after=1)
    whole = fit_classifier(source, LABELS, settings, watch=free).solution
    part = fit_classifier(source, LABELS, settings, watch=stopped).solution
    assert whole.converged
    assert not part.converged
    assert 1 == len(stopped.blocks) < len(free.blocks) <= whole.n_iter
    assert part.n_iter < whole.n_iter
    assert free.finished == stopped.finished == 1
    assert free.expected == [None]


def test_whoever_ends_a_path_of_penalties_ends_every_solve_after_it():
    settings = classifier_settings(loss="logistic", alpha=None, alphas=np.array([10.0, 1.0, 0.1]), tol=1e-9)
    free, stopped = Diary(), Diary(stop_after=3)
    fit_classifier(rows_of(Z, LABELS.labels), LABELS, settings, watch=free)
    found = fit_classifier(rows_of(Z, LABELS.labels), LABELS, settings, watch=stopped)
    assert 3 < len(stopped.blocks) <= 3 + 3 * 3 + 1 < len(free.blocks)  # one iteration for each solve
    assert found.solution.n_iter == 1


def test_a_pass_of_least_squares_on_labels_is_told_of():
    diary = Diary()
    fit_classifier(rows_of(Z, LABELS.labels), LABELS, classifier_settings(loss="squared_error"), watch=diary)
    assert sum(diary.blocks) == len(Z)
    assert diary.finished == 1
