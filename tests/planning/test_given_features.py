"""Plans for features that are given: their own width and bytes, and no bound that nobody has proved."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.decomposition import PCA

import bochner as bo
from bochner.errors import AssumptionError, InvalidParameterError
from bochner.features import map_of
from bochner.memory import MAP
from bochner.planning import CostModel
from bochner.planning.given_features import plan_features
from bochner.solvers import ridge_bill
from bochner.statistics import plan_pass
from tests.strategies import rows

X, DOUBLE = rows(0, 3000, 4), np.dtype(float)
COST = CostModel(product=1e-10, feature=1e-9, projection=1e-10, penalties=1e-4, reduction=1e-10, columns=1e-9)


class Counting(PCA):
    """Tells how many rows it was fitted to."""

    def fit(self, X, y=None):
        SEEN.append(len(X))
        return super().fit(X, y)


SEEN = []


def planned(features, X=X, dtype=DOUBLE):
    return plan_features(features, X, n_targets=2, dtype=dtype, delta=0.05, cost=COST)


@pytest.mark.parametrize(
    "features", [PCA(3), bo.FourierFeatures(n_components=96), bo.NystroemFeatures(n_components=30)]
)
def test_width_and_memory_are_those_of_the_features(features):
    plan = planned(features)
    own = map_of(features.fit(X), X)
    assert plan.n_components == own.n_components
    assert (plan.n_samples, plan.n_features) == X.shape
    bill = ridge_bill(plan_pass(3000, own, 2, DOUBLE), own, n_targets=2, dtype=DOUBLE)
    assert plan.memory == sum(plan.memory_items.values())
    assert plan.memory == pytest.approx(bill.total, rel=0.01)
    assert plan.memory_items[MAP] == own.n_bytes(DOUBLE)


def test_no_error_is_certified_before_the_fit():
    plan = planned(PCA(2))
    assert np.isnan(plan.certified_error)
    assert plan.bound.startswith("none before the fit")
    assert (plan.eps, plan.delta, plan.alternatives, plan.curve) == (None, 0.05, (), ())
    assert "features" in str(plan)


def test_up_to_two_thousand_rows_are_fitted_and_the_given_object_is_not():
    SEEN.clear()
    given = Counting(2)
    planned(given)
    planned(given, X[:50])
    assert SEEN == [2000, 50]
    assert not hasattr(given, "components_")


def test_more_rows_take_longer():
    """Twenty times the rows: the time of a pass is proportional to them, whatever a row takes."""
    features = bo.FourierFeatures(n_components=256, random_state=0)
    few, many = planned(features, X[:500]), planned(features, np.tile(X, (20, 1)))
    assert 0 < few.seconds < many.seconds


def test_sparse_and_float32_rows_are_planned():
    assert planned(bo.FourierFeatures(n_components=64), csr_array(X)).n_components == 64
    single = planned(bo.FourierFeatures(n_components=64), X.astype(np.float32), np.dtype(np.float32))
    assert single.memory < planned(bo.FourierFeatures(n_components=64)).memory


def test_without_rows_features_cannot_be_planned():
    with pytest.raises(InvalidParameterError, match=r"'X'.*given with features"):
        planned(PCA(2), None)


def test_pivoted_landmarks_promise_something_before_the_fit():
    rows = np.random.default_rng(0).standard_normal((1500, 2))
    features = bo.NystroemFeatures(bo.Gaussian(), n_components=60, random_state=0)
    plan = bo.plan(rows, features=features)
    assert "the expected mean over 1,500 rows of the residual variance of 60 randomly pivoted landmarks" in plan.bound
    promised = features.promise(rows)
    assert promised.statement == plan.bound
    left = 1 - np.sum(features.fit_transform(rows) ** 2, axis=1)
    assert np.mean(left) <= promised.value < 0.2


@pytest.mark.parametrize(
    "changes", [{"landmarks": "uniform"}, {"n_components": 3000}, {"group": bo.groups.SignFlips(), "n_transforms": 2}]
)
def test_other_landmarks_promise_nothing_before_the_fit(changes):
    rows = np.random.default_rng(0).standard_normal((4000, 2))
    with pytest.raises(AssumptionError):
        bo.NystroemFeatures(bo.Gaussian(), **{"n_components": 60, "random_state": 0, **changes}).promise(rows)
