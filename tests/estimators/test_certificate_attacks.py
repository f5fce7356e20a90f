"""What an attack on certificates found stays fixed."""

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array

import bochner as bo
from bochner.errors import AssumptionError, InvalidDataError
from tests.strategies import rows

X = rows(0, 80, 2)
y = np.sin(2 * X[:, 0])


def regressor(**changes):
    return bo.KernelRegressor(bo.Gaussian(1.0), **{"n_components": 50, "alpha": 0.1, "random_state": 0} | changes)


@pytest.mark.parametrize("alpha", [100.0, 0.01])
@pytest.mark.parametrize("products", [3, 4, 30])
def test_the_limit_at_every_row_holds_however_early_the_search_ends(alpha, products):
    """Its slack was that of another vector: 0.0096 said of 0.046."""
    model = regressor(alpha=alpha, fit_intercept=False).fit(X, y)
    certificate = model.certify(X, y=y, max_products=products, tightness=1.0)
    K = bo.Gaussian(1.0)(X)
    truth = np.abs(K @ np.linalg.solve(K + alpha * np.eye(80), y) - model.predict(X))
    assert truth.max() <= certificate.details["largest"]
    assert certificate.details["largest"] >= certificate.at_least


def test_weighted_quantities_are_called_weighted():
    weight = np.r_[np.full(40, 1e-3), np.ones(40)]
    model = regressor(alpha=1e-3, fit_intercept=False).fit(X, y, sample_weight=weight)
    certificate = model.certify(X, sample_weight=weight)
    assert "difference (weighted as in the fit) between" in certificate.statement
    assert "times the roots of the sample weights" in certificate.others[0].statement
    plain = regressor().fit(X, y).certify(X)
    assert "weight" not in plain.statement + plain.others[0].statement


def test_the_machine_is_named_with_its_intercept_and_its_kernel():
    labels = (y > 0).astype(int)
    said = {
        (loss, intercept): bo.KernelClassifier(
            bo.Gaussian(), loss=loss, alpha=1.0, n_components=64, fit_intercept=intercept, random_state=0
        ).fit(X, labels).certify(X, y=labels).statement
        for loss in ("hinge", "squared_hinge", "logistic") for intercept in (True, False)
    }  # fmt: skip
    assert "support vector machine with a penalised intercept is" in said["hinge", True]
    assert "with squared hinge loss and a penalised intercept is" in said["squared_hinge", True]
    assert "exact kernel logistic regression is" in said["logistic", True]
    assert all("without an intercept" in said[loss, False] for loss in ("hinge", "squared_hinge", "logistic"))
    base = bo.FourierFeatures(bo.Gaussian(1.0), n_components=64, random_state=0)
    sampled = bo.OrbitFeatures(bo.groups.SignFlips(), base, n_transforms=3, random_state=0)
    statement = bo.KernelRegressor(features=sampled, alpha=0.1).fit(X, y).certify(X, y=y).statement
    assert "exact kernel ridge with the mean kernel over the sampled transformations" in statement


def test_training_rows_are_no_draw_from_a_law():
    model = regressor().fit(X, y)
    bounds = [other.bound for other in model.certify(X, y=y, X_new=np.vstack([rows(5, 200, 2), X[:1]])).others]
    assert "distance.NewRows" not in bounds
    assert "distance.NewRows" in [o.bound for o in model.certify(X, y=y, X_new=rows(5, 200, 2)).others]


def test_rows_of_another_table_are_all_certified_by_a_model_that_holds_rows_out():
    model = regressor(interval="conformal").fit(X, y)
    statement = model.certify(rows(3, 50, 2)).statement
    assert "these 50 rows" in statement
    assert "over all pairs of the 60 training rows" in model.certify().statement


def test_float_types_are_named_where_they_matter():
    model = regressor().fit(X.astype(np.float32), y)
    assert "the float32 predictions" in model.certify(X.astype(np.float32), y=y).statement
    assert "the float64 predictions" in model.certify(X.astype(np.float32).astype(float), y=y).statement
    assert "between the predictions" in regressor().fit(X, y).certify(X, y=y).statement


def test_parameters_that_were_changed_after_the_fit_are_refused():
    with pytest.raises(AssumptionError, match="fit_intercept was True in the fit and is False now"):
        regressor().fit(X, y).set_params(fit_intercept=False).certify(X, y=y)
    labels = (y > 0).astype(int)
    changed = bo.KernelClassifier(alpha=1.0, n_components=16).fit(X, labels).set_params(loss="hinge")
    with pytest.raises(AssumptionError, match="loss was 'auto'"):
        changed.certify(X, y=labels)


def test_reasons_are_the_right_ones():
    labels = (y > 0).astype(int)
    balanced = bo.KernelClassifier(alpha=1.0, n_components=16, class_weight="balanced").fit(X, labels)
    assert "(no labels were given)" in balanced.certify(X).statement
    streamed = bo.KernelClassifier(alpha=1.0, n_components=16, length_scale=1.0).partial_fit(X, labels)
    assert "partial_fit approximates" in streamed.certify(X).statement


def test_classes_of_weight_zero_and_split_entries_are_the_same_rows():
    labels, weight = np.arange(80) % 3, (np.arange(80) % 3 != 1).astype(float)
    model = bo.KernelClassifier(bo.Gaussian(), alpha=1.0, n_components=16).fit(X, labels, sample_weight=weight)
    assert model.certify(X, y=labels, sample_weight=weight).value > 0
    places = np.tile(np.repeat(np.arange(80), 2), 2), np.tile([0, 1], 160)
    twice = coo_array((np.tile(X.ravel() / 2, 2), places))
    assert regressor().fit(X, y).certify(csr_array(twice), y=y).bound == "distance.RidgeDistance"


@pytest.mark.parametrize(
    ("name", "value"),
    [("tightness", 0.5), ("tightness", np.nan), ("tightness", "a"), ("max_products", 2), ("max_products", 4.5),
     ("time_limit", -1), ("time_limit", "a"), ("delta", None), ("delta", [0.1]), ("delta", 2.0)],
)  # fmt: skip
def test_bad_parameters_are_refused_by_name(name, value):
    with pytest.raises(ValueError, match=f"'{name}' parameter"):
        regressor().fit(X, y).certify(X, y=y, **{name: value})


@pytest.mark.parametrize("factor", [1e-170, 1e200])
def test_targets_beyond_the_range_of_squares_are_refused(factor):
    model = regressor().fit(X, y)
    model.moments_.identity = None
    with pytest.raises((AssumptionError, InvalidDataError), match=r"too large or too small|y must not exceed"):
        model.certify(X, y=factor * y)
