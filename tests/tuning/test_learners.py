"""Learners of scales: which rows they see, and what they hand to the search."""

import numpy as np
import pytest

import bochner as bo
from bochner.config import config_context
from bochner.data import ArrayRows
from bochner.tuning import ClassifierScales, RidgeScales, learners, tune, tune_classifier
from bochner.tuning.columns import Columns
from bochner.tuning.learners import ScaleSearch
from bochner.tuning.result import rounded
from bochner.tuning.sample import subsample

RNG = np.random.default_rng(0)
X = RNG.standard_normal((1000, 2))
Y = np.sin(2 * X[:, :1]) + 0.1 * RNG.standard_normal((1000, 1))
LABELS = (X[:, 0] * X[:, 1] > 0).astype(int)


def source(n=1000, weight=None):
    return ArrayRows(X[:n], Y[:n], weight, np.dtype(float))


def search(per_feature=False, kernels=None):
    return ScaleSearch(kernels or [bo.Gaussian()], per_feature, 3, 64)


def test_few_rows_keep_their_order():
    rows, targets, weight = subsample(source(500), (Y[:500], None), 4000, 0)
    np.testing.assert_array_equal(rows, X[:500])
    np.testing.assert_array_equal(targets, Y[:500])
    assert weight is None


def test_a_subsample_has_rows_with_their_own_targets_and_weights_and_none_of_weight_zero():
    weight = np.arange(1000.0) % 3
    rows, targets, weights = subsample(source(), (Y, weight), 200, 0)
    assert rows.shape == (200, 2)
    number = [int(np.flatnonzero((row == X).all(axis=1))[0]) for row in rows]
    assert len(set(number)) == 200
    assert number != sorted(number)
    np.testing.assert_array_equal(targets, Y[number])
    np.testing.assert_array_equal(weights, weight[number])
    assert weights.min() > 0


@pytest.mark.parametrize(("alpha", "penalty"), [("gcv", None), (0, None), (0.5, 0.5)])
def test_only_a_positive_number_is_a_penalty(alpha, penalty):
    assert RidgeScales.for_alpha(alpha, exact=True) == RidgeScales(penalty, exact=True)


def test_ridge_scales_are_those_of_tune_on_the_subsample():
    found = RidgeScales(0.3).learn(source(300), (Y[:300], None), search(per_feature=True))
    expected = tune(X[:300], Y[:300], [bo.Gaussian()], per_feature=True, seed=3, width=64, penalty=0.3)
    np.testing.assert_array_equal(found.length_scale, expected.length_scale)
    assert found.noise_variance == pytest.approx(expected.noise_variance)


def test_classifier_scales_are_learned_for_the_penalty_per_row():
    weight = np.full(400, 2.0)
    found = ClassifierScales(0.6).learn(source(400), (LABELS[:400], weight), search())
    columns = Columns.plain(X[:400], weight)
    expected = tune_classifier(
        columns.X, LABELS[:400], [bo.Gaussian()], per_feature=False, seed=3, sample_weight=weight, width=64,
        penalty=0.6 / 800,
    )  # fmt: skip
    np.testing.assert_allclose(found.length_scale, rounded(columns.unit * expected.length_scale))
    assert found.held_out_loss == expected.held_out_loss


def test_few_labelled_rows_teach_no_single_scale():
    rows, targets = source(250), (LABELS[:250], None)
    assert ClassifierScales(1.0).learn(rows, targets, search()) is None
    assert ClassifierScales(1.0).learn(rows, targets, search(per_feature=True)) is not None
    assert ClassifierScales(1.0).learn(rows, targets, search(kernels=[bo.Gaussian(), bo.Matern()])) is not None


def test_a_small_budget_counts_as_few_rows():
    with config_context(memory="100kB"):
        assert ClassifierScales(1.0).learn(source(), (LABELS, None), search()) is None


@pytest.mark.parametrize(("n", "settled"), [(10_000, 0.0), (10_001, learners.SETTLED)])
def test_descents_of_many_classified_rows_alone_end_when_errors_have_settled(n, settled, monkeypatch):
    asked = []
    found = tune(X[:100], Y[:100], [bo.Gaussian()], per_feature=False, seed=0, width=64)
    monkeypatch.setattr(learners, "tune_automatically", lambda *a, **setting: asked.append(setting) or found)
    many = RNG.standard_normal((n, 2))
    rows = ArrayRows(many, many[:, :1], None, np.dtype(float))
    ClassifierScales("auto").learn(rows, ((many[:, 0] > 0).astype(int), None), search(per_feature=None))
    RidgeScales(None, exact=True).learn(rows, (many[:, :1], None), search(per_feature=None))
    assert [setting.get("settled", 0.0) for setting in asked] == [settled, 0.0]
