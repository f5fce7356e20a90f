"""Labelled samples: which rows are searched, held out and reserved."""

import numpy as np
from scipy.sparse import csr_matrix

from bochner.tuning.labelled import LabelledRows, LabelledSample
from bochner.tuning.search import TUNING_ROWS

RNG = np.random.default_rng(0)
X, LABELS = RNG.standard_normal((500, 3)), RNG.integers(0, 3, 500)


def test_the_sample_is_a_centred_permutation_of_the_rows_with_a_weight():
    weight = (np.arange(500) % 4).astype(float)
    sample = LabelledSample.of(X, LABELS, weight, 0)
    assert len(sample.labels) == np.count_nonzero(weight)
    np.testing.assert_allclose(sample.X.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(np.sort(sample.weight), np.sort(weight[weight > 0]))
    order = np.argsort(sample.X[:, 0])
    expected = np.argsort(X[weight > 0, 0])
    np.testing.assert_array_equal(sample.labels[order], LABELS[weight > 0][expected])


def test_sparse_rows_are_the_same_sample():
    dense, sparse = (LabelledSample.of(each, LABELS, None, 0) for each in (X, csr_matrix(X)))
    np.testing.assert_array_equal(dense.X, sparse.X)


def test_a_fifth_and_all_beyond_four_thousand_are_reserved():
    assert LabelledSample.of(X, LABELS, None, 0).n_searched == 400
    many = np.tile(LABELS, 20)
    assert LabelledSample.of(np.tile(X, (20, 1)), many, None, 0).n_searched == TUNING_ROWS


def test_reserved_rows_are_never_descended_on_and_always_chosen_by():
    sample = LabelledSample.of(X, LABELS, None, 0)
    descended, chosen = sample.to_descend(300), sample.to_choose(300)
    assert len(descended.labels) == 300
    assert 0 < descended.held_out.sum() < 300
    assert chosen.held_out.sum() == 100
    np.testing.assert_array_equal(np.flatnonzero(chosen.held_out), np.arange(300, 400))
    np.testing.assert_allclose(chosen.X[300:], sample.X[400:], rtol=1e-6)


def test_losses_have_weights_where_rows_are_fitted_or_held_out_and_the_second_sum_to_one():
    held_out = np.array([True, False, True, False])
    rows = LabelledRows(np.zeros((4, 1)), np.array([0, 1, 1, 0]), np.array([1.0, 2.0, 3.0, 4.0]), held_out, 2)
    np.testing.assert_array_equal(rows.fitted_loss().weight, [0, 2, 0, 4])
    np.testing.assert_allclose(rows.held_out_loss().weight, [0.25, 0, 0.75, 0])
    assert rows.n_columns == 1


def test_one_class_or_no_second_row_cannot_be_held_out():
    assert LabelledSample.of(X, LABELS, None, 0).can_be_held_out(300)
    assert not LabelledSample.of(X, np.zeros(500, dtype=int), None, 0).can_be_held_out(300)
    assert not LabelledSample.of(X, np.arange(500), None, 0).can_be_held_out(300)


def test_two_classes_have_one_indicator():
    assert LabelledSample.of(X, LABELS, None, 0).indicators().shape == (500, 3)
    two = LabelledSample.of(X, LABELS % 2, None, 0)
    np.testing.assert_array_equal(two.indicators()[:, 0], two.labels)
