"""Scales of classifiers by held-out log loss: the gradient is right, and the median is kept where nothing is better."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

import bochner as bo
from bochner.tuning import HeldOutLoss, LabelledRows, candidate_kernels, tune_classifier
from bochner.tuning.classifier import is_clear_gain
from bochner.tuning.descent import tuning_seed
from bochner.tuning.labelled import LabelledSample, held_out_rows
from bochner.tuning.median import median_length_scale
from bochner.tuning.narrow_map import NarrowMap
from tests.strategies import rows

Z = 5.0
"""Standard errors: a mean of independent rows is that far from its expectation once in three million times."""

_ROUNDING = 1e-3  # of a log loss: what scales of three digits may cost


def held_out_loss(n_classes, *, kernel=None, tol=1e-13, n=90, d=3, m=10):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    labels = np.digitize(np.sin(2 * X[:, 0]) + X[:, 1] + 0.5 * rng.standard_normal(n), [-0.7, 0.7][: n_classes - 1])
    weight = rng.integers(1, 4, n).astype(float)
    data = LabelledRows(X, labels, weight, held_out_rows(labels, 0), n_classes)
    return HeldOutLoss(data, NarrowMap.draw(kernel or bo.Gaussian(), m, d, 1), tol)


@pytest.mark.parametrize("kernel", [bo.Gaussian(), bo.Matern(nu=0.5), bo.Laplacian()], ids=repr)
@pytest.mark.parametrize("theta", [[0.3, 0.5, -0.2, -4.0], [0.3, -4.0], [1.0, -7.0]])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_gradient_is_that_of_finite_differences(n_classes, theta, kernel):
    f, theta, step = held_out_loss(n_classes, kernel=kernel), np.array(theta), 1e-5

    def difference(e):
        return (8 * (f(theta + e)[0] - f(theta - e)[0]) - (f(theta + 2 * e)[0] - f(theta - 2 * e)[0])) / (12 * step)

    differences = np.array([difference(e) for e in step * np.eye(len(theta))])
    np.testing.assert_allclose(f(theta)[1], differences, rtol=1e-5, atol=1e-5 * np.abs(differences).max())


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_value_is_the_log_loss_of_scikit_learns_model_on_the_same_features(n_classes):
    f = held_out_loss(n_classes)
    X, labels, weight, out = f.rows.X, f.rows.labels, f.rows.weight, f.rows.held_out
    projection = X / np.exp(0.4) @ f.narrow.omega.T
    Z = np.hstack([np.cos(projection), np.sin(projection)]) / np.sqrt(len(f.narrow.omega))
    alpha = np.exp(-5.0) * weight[~out].sum()
    exact = LogisticRegression(C=1 / alpha, tol=1e-10, max_iter=10_000).fit(Z[~out], labels[~out], weight[~out])
    expected = log_loss(labels[out], exact.predict_proba(Z[out]), sample_weight=weight[out])
    theta = np.array([0.4, -5.0])
    assert f(theta)[0] == pytest.approx(expected, rel=1e-6)
    assert np.average(f.losses(theta), weights=weight[out]) == pytest.approx(expected, rel=1e-6)


def test_the_adjoint_makes_up_for_a_solver_that_stopped_early():
    theta = np.array([0.2, -6.0])
    exact, early = held_out_loss(3, tol=1e-13)(theta)[0], held_out_loss(3, tol=1e-3)
    corrected = early(theta)[0]
    early._last = None
    plain = np.average(early.losses(theta), weights=early.rows.weight[early.rows.held_out])
    assert abs(corrected - exact) < 0.1 * abs(plain - exact)


def test_a_third_of_every_class_is_held_out_and_its_last_row_never():
    labels = np.repeat([0, 1, 2, 3], [300, 30, 2, 1])
    held_out = held_out_rows(labels, 0)
    assert [int(held_out[labels == label].sum()) for label in range(4)] == [100, 10, 1, 0]
    assert not np.array_equal(held_out, held_out_rows(labels, 1))


def rings(n=3000, *, seed=0, noise=0.0, n_classes=3):
    """Classes by the distance from the origin in the first two of five columns; the others have no effect."""
    X = rows(seed, n, 5)
    distance = np.hypot(X[:, 0], X[:, 1]) + noise * np.random.default_rng(seed).standard_normal(n)
    return X, np.digitize(distance, [0.9, 1.6][: n_classes - 1])


def row_losses(model, X, labels):
    """The log loss of every row."""
    return -np.log(model.predict_proba(X)[np.arange(len(labels)), np.searchsorted(model.classes_, labels)])


def mean_and_error(values):
    """Mean of independent values, and its standard error."""
    return np.mean(values), np.std(values, ddof=1) / np.sqrt(len(values))


def search(X, labels, *, kernels=None, per_feature=False, penalty=1e-4, **setting):
    settings = {"per_feature": per_feature, "seed": 0, "width": 512, "penalty": penalty, **setting}
    return tune_classifier(X, labels, kernels or [bo.Gaussian()], **settings)


def test_columns_without_effect_are_pushed_out():
    X, labels = rings(2000, noise=0.2)
    found = search(X * [1, 100, 1, 1, 1e-3], labels, per_feature=True)
    relative = found.length_scale / [1, 100, 1, 1, 1e-3]
    assert relative[2:].min() > 2.5 * relative[:2].max()


@pytest.mark.slow
def test_the_scale_found_is_as_good_on_new_rows_as_the_best_of_a_grid():
    """Up to the noise of the comparison, in which all other scales of the grid are worse."""
    X, labels = rings(6000, noise=0.2)
    train, new = slice(0, 3000), slice(3000, None)

    def losses(scale):
        model = bo.KernelClassifier(length_scale=scale, features="fourier", n_components=512, alpha=0.3, random_state=1)
        return row_losses(model.fit(X[train], labels[train]), X[new], labels[new])

    *others, best = sorted((losses(scale) for scale in (0.5, 1.0, 2.0, 4.0, 8.0)), key=np.mean, reverse=True)
    excess, error = mean_and_error(losses(search(X[train], labels[train], penalty=0.3 / 3000).length_scale) - best)
    assert excess < Z * error + _ROUNDING
    for other in others:
        excess, error = mean_and_error(other - best)
        assert excess > Z * error + _ROUNDING


@pytest.mark.parametrize("per_feature", [False, True])
def test_labels_by_chance_leave_the_median(per_feature):
    X = rows(0, 600, 4)
    labels = np.random.default_rng(0).integers(0, 2, 600)
    found = search(X, labels, per_feature=per_feature, penalty=1.0)  # so heavy that no scale matters
    np.testing.assert_allclose(found.length_scale, median_length_scale(X, bo.Gaussian(), 0), rtol=1e-2)
    sample = LabelledSample.of(X, labels, None, tuning_seed(0))
    fitted, reserved = sample.labels[: sample.n_searched], sample.labels[sample.n_searched :]
    constant = log_loss(reserved, np.full(len(reserved), fitted.mean()))
    assert found.held_out_loss == pytest.approx(constant, abs=0.02)  # |W'z| is about 1 / (2 sqrt n) = 0.02


def test_a_gain_is_clear_beyond_its_standard_error():
    equal = np.full(4, 0.25)
    assert not is_clear_gain(np.array([3.0, -1.0, -1.0, 3.0]), equal)  # mean 1, standard error 1
    assert is_clear_gain(np.array([3.0, -1.0, 0.0, 3.0]), equal)
    assert not is_clear_gain(np.zeros(4), equal)
    assert is_clear_gain(np.array([1.0, -100.0]), np.array([1.0, 0.0]))  # a row of weight 0 has no say


@pytest.mark.slow
@pytest.mark.parametrize("choice", ["auto", "ard"])
def test_new_rows_are_never_predicted_worse_than_with_the_median(choice):
    """On problems with and without structure, up to the noise of the comparison; without noise, clearly better."""
    for seed, noise in enumerate((0.0, 0.3, 3.0)):
        X, labels = rings(2500, seed=seed, noise=noise, n_classes=2)
        median, learned = (
            row_losses(model.fit(X[:1000], labels[:1000]), X[1000:], labels[1000:])
            for model in (
                bo.KernelClassifier(length_scale=scale, features="fourier", n_components=256, alpha=0.1, random_state=0)
                for scale in ("median", choice)
            )
        )
        excess, error = mean_and_error(learned - median)
        assert excess < Z * error + _ROUNDING
        assert noise > 0 or excess < -Z * error


def test_the_same_seed_gives_the_same_scales_and_descents_descend():
    X, labels = rings(400, noise=0.1)
    first, again, other = (search(X, labels, per_feature=True, seed=seed) for seed in (3, 3, 4))
    assert np.array_equal(first.length_scale, again.length_scale)
    assert not np.array_equal(first.length_scale, other.length_scale)
    assert first.criterion == "held-out log loss"
    assert first.log_evidence is first.noise_variance is first.signal_variance is None
    assert all(stage.losses[-1] <= stage.losses[0] for stage in first.stages)


def test_rows_sorted_by_class_are_learned_from():
    X, labels = rings(800, noise=0.1)
    order = np.argsort(labels, kind="stable")
    scale, of_sorted = (search(X[i], labels[i], per_feature=False).length_scale for i in (slice(None), order))
    assert of_sorted == pytest.approx(scale, rel=0.5)
    assert search(X[order], labels[order], per_feature=True).held_out_loss < 0.7


def test_rows_of_weight_0_do_not_count_and_a_common_factor_does_not_matter():
    X, labels = rings(900, noise=0.1)
    weight = np.random.default_rng(0).integers(0, 3, 900).astype(float)
    broken = np.where(weight[:, None] > 0, X, 1e6)
    found = search(broken, np.where(weight > 0, labels, 7), sample_weight=weight)
    assert found.length_scale == search(X, labels, sample_weight=weight).length_scale
    heavier = search(X, labels, sample_weight=8 * weight)  # its evidence, where a descent begins, is another
    assert found.length_scale == pytest.approx(heavier.length_scale, rel=0.1)
    assert found.held_out_loss == pytest.approx(heavier.held_out_loss, abs=_ROUNDING)
    assert abs(found.held_out_loss - search(X, labels).held_out_loss) > 2 * _ROUNDING


def test_classes_of_one_row_do_not_break_the_split():
    X, labels = rings(400)
    for rare in ([5], [5, 300], np.arange(40)):
        marked = labels.copy()
        marked[rare] = np.arange(len(rare)) + 3
        found = search(X, marked)
        assert np.isfinite(found.held_out_loss)
        assert found.length_scale > 0
    nearly_all_alone = np.maximum(np.arange(400), 1)
    assert search(X, nearly_all_alone).criterion == search(X, np.arange(400)).criterion == "evidence"
    assert search(X, np.zeros(400, dtype=int)).length_scale > 0


def test_a_penalty_that_is_not_given_is_learned():
    X, labels = rings(1500, noise=0.3)
    found = search(X, labels, penalty=None)
    penalties = [np.exp(stage.theta[-1]) for stage in found.stages[1:]]
    assert len({round(penalty, 8) for penalty in penalties}) > 1
    assert found.held_out_loss < search(X, labels, penalty=1e-1).held_out_loss


def test_a_refinement_has_more_rows_and_frequencies_if_the_fit_is_large_enough():
    X, labels = rings(3000, noise=0.1, n_classes=2)
    small, large = (search(X, labels, n_samples=n, width=width) for n, width in ((3000, 128), (10**6, 1024)))
    assert (small.stages[-1].n_rows, small.stages[-1].n_frequencies) == (2000, 64)
    assert (large.stages[-1].n_rows, large.stages[-1].n_frequencies) == (2400, 512)
    assert len(large.stages) == len(small.stages) + 1


def test_a_time_budget_ends_the_search_and_an_answer_is_given():
    X, labels = rings(600)
    found = search(X, labels, kernels=candidate_kernels(), per_feature=True, time_budget=0.0)
    assert all(len(stage.losses) <= 2 for stage in found.stages)
    assert np.all(found.length_scale > 0)


@pytest.mark.slow
def test_the_kernel_that_predicts_best_is_chosen_in_any_order():
    """The smooth one, and clearly so: new rows agree."""
    X, labels = rings(5000, noise=0.1)
    train, new = slice(0, 1200), slice(1200, None)
    rough, smooth = bo.Matern(nu=0.5), bo.Gaussian()
    alone = [search(X[train], labels[train], kernels=[kernel]).kernel for kernel in (rough, smooth)]
    losses = [
        row_losses(classifier(kernel=kernel, n_components=512).fit(X[train], labels[train]), X[new], labels[new])
        for kernel in alone
    ]
    excess, error = mean_and_error(losses[0] - losses[1])
    assert excess > Z * error
    for kernels in ([rough, smooth], [smooth, rough]):
        assert isinstance(search(X[train], labels[train], kernels=kernels).kernel, bo.Gaussian)


# In the estimator.


def classifier(**setting):
    return bo.KernelClassifier(
        **{"features": "fourier", "n_components": 128, "alpha": 0.1, "random_state": 0, **setting}
    )


def test_the_classifier_learns_scales_and_says_which():
    X, labels = rings(3000, noise=0.1)
    median, one, ard = (
        classifier(length_scale=choice).fit(X[:1000], labels[:1000]) for choice in ("median", "auto", "ard")
    )
    assert median.tuning_ is None
    assert one.features_.kernel_ is one.tuning_.kernel
    np.testing.assert_allclose(np.ptp(np.log(one.tuning_.length_scale / X[:1000].std(axis=0))), 0, atol=0.02)
    assert ard.tuning_.length_scale.shape == (5,)
    right = [(model.predict(X[1000:]) == labels[1000:]).astype(float) for model in (median, ard)]
    gain, error = mean_and_error(right[1] - right[0])
    assert gain > Z * error


def test_few_rows_have_the_median_and_a_kernel_its_own_scale():
    X, labels = rings(400)
    assert classifier().fit(X[:299], labels[:299]).tuning_ is None
    assert classifier().fit(X[:300], labels[:300]).tuning_.criterion == "held-out log loss"
    weight = np.where(np.arange(400) < 299, 1.0, 0.0)
    assert classifier().fit(X, labels, weight).tuning_ is None
    assert classifier(length_scale="ard").fit(X[:299], labels[:299]).tuning_.criterion == "evidence"
    assert classifier(kernel=bo.Gaussian(0.7)).fit(X, labels).features_.kernel_.length_scale == 0.7


def test_wide_rows_in_little_memory_have_the_median():
    X, labels = rings(400)
    wide = csr_matrix((X[:, 0], (np.arange(400), np.arange(400))), shape=(400, 20_000))
    with bo.config_context(memory="64MB"):
        assert classifier(n_components=16).fit(wide, labels).tuning_ is None


def test_the_penalty_is_known_per_row():
    """alpha / n is what a subsample keeps: twice the rows at twice the penalty is the same search."""
    X, labels = rings(1000, noise=0.1)
    once = classifier(alpha=0.5).fit(X, labels)
    twice = classifier(alpha=1.0).fit(X, labels, np.full(1000, 2.0))
    assert once.tuning_.length_scale == pytest.approx(twice.tuning_.length_scale, rel=0.01)  # of three digits
    assert once.tuning_.stages[-1].theta[-1] == pytest.approx(np.log(0.5 / 1000))


@pytest.mark.parametrize(
    "setting", [{"loss": "hinge"}, {"alpha": "cv", "cv": 2}, {"class_weight": "balanced"}], ids=str
)
def test_every_loss_and_weighting_learns_scales(setting):
    X, labels = rings(700, noise=0.1, n_classes=2)
    model = classifier(**setting).fit(X[:500], np.array(["in", "out"])[labels[:500]])
    assert model.tuning_.criterion == "held-out log loss"
    assert model.score(X[500:], np.array(["in", "out"])[labels[500:]]) > 0.8


def test_sparse_rows_learn_the_scales_of_dense_ones():
    X, labels = rings(500)
    X = X * (np.abs(X) > 0.3)
    dense, sparse = (classifier(length_scale="ard").fit(rows_, labels) for rows_ in (X, csr_matrix(X)))
    np.testing.assert_allclose(dense.tuning_.length_scale, sparse.tuning_.length_scale, rtol=1e-2)
