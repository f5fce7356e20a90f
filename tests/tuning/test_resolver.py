"""The one resolver of length scales: every rule, with and without targets to learn from."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import pdist
from sklearn.metrics.pairwise import rbf_kernel

import bochner as bo
from bochner.data import ArrayRows
from bochner.errors import InvalidParameterError
from bochner.tuning import ScaleLearner, ScaleRule, Tuning, candidate_kernels

X = np.random.default_rng(0).standard_normal((40, 3))
LEARNED = bo.Gaussian(123.0)


def source(weight=None):
    return ArrayRows(X, X[:, 0], weight, np.dtype(float))


def resolve(rule):
    return rule.resolve(source(), seed=0, width=64)


@dataclass(frozen=True)
class Recorder(ScaleLearner):
    """Records what it is asked for; it has learned `LEARNED`, or nothing."""

    succeeds: bool = True
    calls: list = field(default_factory=list)

    def learn(self, rows, targets, search):
        self.calls.append((targets, search))
        found = Tuning(LEARNED, 123.0, None, None, None, "evidence", (), 1, 1, 1, 0.0)
        return found if self.succeeds else None


def column_scales():
    return ScaleRule("Model", None, "auto").resolve_sample(X, seed=0).length_scale


@pytest.mark.parametrize("kernel", [None, "gaussian", bo.Gaussian(7.0)])
@pytest.mark.parametrize("scale", [2.0, np.array([1.0, 2.0, 3.0])])
def test_given_scales_are_taken_as_they_are(kernel, scale):
    rule = ScaleRule("Model", kernel, scale, Recorder())
    found, tuning = resolve(rule)
    np.testing.assert_array_equal(found.length_scale, scale)
    assert tuning is None
    assert not rule.learns
    assert not rule.looks_at_rows


def test_a_kernel_keeps_its_own_scale():
    own, learner = bo.Matern(7.0), Recorder()
    rule = ScaleRule("Model", own, "auto", learner)
    assert resolve(rule) == (own, None)
    assert rule.resolve_sample(X, seed=0) is own
    assert not rule.looks_at_rows
    assert learner.calls == []


@pytest.mark.parametrize(("kernel", "metric"), [("gaussian", "euclidean"), ("laplacian", "cityblock")])
def test_the_median_distance_is_in_the_metric_of_the_kernel(kernel, metric):
    expected = np.median(pdist(X, metric))
    for rule in (ScaleRule("Model", kernel, "median", Recorder()), ScaleRule("Model", kernel, "median")):
        assert rule.looks_at_rows
        assert resolve(rule)[0].length_scale == expected
        assert rule.resolve_sample(X, seed=0).length_scale == expected
        assert rule.resolve_sample(csr_array(X), seed=0).length_scale == expected


def test_the_median_distance_multiplies_the_scale_of_a_kernel():
    found = ScaleRule("Model", bo.Gaussian(7.0), "median").resolve_sample(X, seed=0)
    assert found.length_scale == 7.0 * np.median(pdist(X))


def test_rows_of_weight_zero_do_not_count():
    weight = np.r_[np.zeros(20), np.ones(20)]
    rule = ScaleRule("Model", "gaussian", "median")
    expected = np.median(pdist(X[20:]))
    assert rule.resolve_sample(X, seed=0, sample_weight=weight).length_scale == expected
    assert rule.resolve(source(weight), seed=0, width=64)[0].length_scale == expected


def test_a_sample_and_a_source_of_many_rows_have_the_same_scale():
    many = np.random.default_rng(1).standard_normal((3000, 2))
    weight = np.random.default_rng(2).integers(0, 2, 3000)
    rule = ScaleRule("Model", "gaussian", "auto")
    rows = ArrayRows(many, many[:, 0], weight, np.dtype(float))
    found = rule.resolve_sample(many, seed=5, sample_weight=weight)
    np.testing.assert_array_equal(found.length_scale, rule.resolve(rows, seed=5, width=64)[0].length_scale)


@pytest.mark.parametrize(("kernel", "metric"), [(None, "euclidean"), ("rbf", "euclidean"), ("laplacian", "cityblock")])
def test_a_name_has_the_spread_of_each_column_times_the_median_distance(kernel, metric):
    spread = np.subtract(*np.quantile(X, [0.75, 0.25], axis=0)) / 1.349
    expected = spread * np.median(pdist(X / spread, metric))
    rule = ScaleRule("Model", kernel, "auto")
    assert rule.looks_at_rows
    np.testing.assert_allclose(rule.resolve_sample(X, seed=0).length_scale, expected)
    np.testing.assert_allclose(resolve(rule)[0].length_scale, expected)


def test_one_column_has_a_number():
    assert isinstance(ScaleRule("Model", None, "auto").resolve_sample(X[:, :1], seed=0).length_scale, float)


def test_sparse_rows_have_the_root_mean_square_of_each_column():
    rows = csr_array(np.where(X > 0.5, X, 0.0))
    found = ScaleRule("Model", None, "auto").resolve_sample(rows, seed=0).length_scale
    distinct = np.unique(rows.toarray(), axis=0)
    root = np.sqrt(np.mean(distinct**2, axis=0))
    np.testing.assert_allclose(found, root * np.median(pdist(distinct / root)))


@pytest.mark.parametrize("kernel", [bo.Gaussian(gamma="scale"), 2.0 * bo.Gaussian(gamma="scale")])
def test_a_rule_of_scikit_learn_is_settled_on_the_rows(kernel):
    rule, gamma = ScaleRule("Model", kernel, "auto", Recorder()), 1 / (X.shape[1] * X.var())
    assert rule.looks_at_rows
    assert not rule.learns
    for found in (rule.resolve_sample(X, seed=0), resolve(rule)[0]):
        np.testing.assert_allclose(found(X, X), kernel.variance * rbf_kernel(X, gamma=gamma))
    median = ScaleRule("Model", kernel, "median").resolve_sample(X, seed=0)
    np.testing.assert_allclose(median(X, X), kernel.variance * rbf_kernel(X, gamma=gamma / np.median(pdist(X)) ** 2))


@pytest.mark.parametrize(
    ("kernel", "scale", "per_feature", "n_kernels"),
    [
        ("gaussian", "auto", False, 1),
        (None, "auto", False, 1),
        ("gaussian", "ard", True, 1),
        (bo.Gaussian(2.0), "ard", True, 1),
        ("auto", "auto", False, len(candidate_kernels())),
        ("auto", "ard", True, len(candidate_kernels())),
    ],
)
def test_what_is_learned_is_what_was_asked_for(kernel, scale, per_feature, n_kernels):
    learner = Recorder()
    rule = ScaleRule("Model", kernel, scale, learner)
    found, tuning = resolve(rule)
    assert rule.learns
    assert rule.looks_at_rows
    assert found is LEARNED
    assert tuning.kernel is LEARNED
    [(targets, search)] = learner.calls
    np.testing.assert_array_equal(targets[0][:, 0], X[:, 0])
    assert (search.per_feature, len(search.kernels), search.seed, search.width) == (per_feature, n_kernels, 0, 64)
    assert search.required == (bool(per_feature) or n_kernels > 1)


def test_targets_that_are_given_replace_those_of_the_rows():
    learner, labels = Recorder(), np.arange(40)
    ScaleRule("Model", None, "auto", learner).resolve(source(), seed=0, width=64, targets=(labels, None))
    assert learner.calls[0][0][0] is labels


def test_the_median_stands_in_where_nothing_can_be_learned():
    found, tuning = resolve(ScaleRule("Model", "gaussian", "auto", Recorder(succeeds=False)))
    assert tuning is None
    np.testing.assert_array_equal(found.length_scale, column_scales())


def test_one_scale_is_learned_only_where_it_is_worth_it():
    learner = Recorder()
    rule = ScaleRule("Model", "gaussian", "auto", learner, learns_one_scale=False)
    assert not rule.learns
    np.testing.assert_array_equal(resolve(rule)[0].length_scale, column_scales())
    assert ScaleRule("Model", "gaussian", "ard", learner, learns_one_scale=False).learns
    assert ScaleRule("Model", "auto", "auto", learner, learns_one_scale=False).learns


@pytest.mark.parametrize("scale", ["median", 2.0, np.array([1.0, 2.0, 3.0])])
def test_a_kernel_to_choose_has_no_given_scale(scale):
    with pytest.raises(
        InvalidParameterError, match="parameter of Model must be 'auto', 'ard' or 'metric' for kernel='auto'"
    ):
        resolve(ScaleRule("Model", "auto", scale, Recorder()))


def test_a_kernel_is_not_chosen_without_targets():
    with pytest.raises(InvalidParameterError, match="'kernel' parameter of Model"):
        ScaleRule("Model", "auto", "auto").resolve_sample(X, seed=0)


@pytest.mark.parametrize(
    ("scale", "learner", "rule"),
    [
        ("ard", None, "'auto', 'median' or positive numbers"),
        ("mean", Recorder(), "'auto', 'ard', 'metric', 'median' or positive numbers"),
        (-1.0, None, "positive and finite"),
        ([1.0, 2.0], None, "one number or 3 numbers"),
    ],
)
def test_other_scales_are_refused(scale, learner, rule):
    with pytest.raises(InvalidParameterError, match=f"'length_scale' parameter of Model must be {rule}"):
        resolve(ScaleRule("Model", None, scale, learner))
