"""Users' kernels, samplers, maps, solvers, groups, bounds and engines: one file each, nothing of the library changes.

Each passes through fit, predict, plan, bill, save, load and certify, or is refused there with the reason.
"""

import numpy as np
import pytest

import bochner as bo
from bochner.errors import AssumptionError, FileFormatError, InvalidDataError, InvalidParameterError, MemoryBudgetError
from bochner.features import map_of
from bochner.memory import MAP
from tests.extension.toy_bound import Chebyshev
from tests.extension.toy_engine import ParcelRows
from tests.extension.toy_group import Reversal
from tests.extension.toy_kernel import TwoScales
from tests.extension.toy_map import ReluFeatures, ReluMap
from tests.extension.toy_products_solver import InverseSpread, PlainGradients, Streamed
from tests.extension.toy_sampler import SignedHadamard, Structured
from tests.extension.toy_solver import Iterated, Richardson

TYPES = [TwoScales, Structured, SignedHadamard, ReluFeatures, ReluMap, Richardson, Iterated, Reversal]
TYPES += [PlainGradients, Streamed, InverseSpread]


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(0)
    X = random.standard_normal((600, 4))
    return X, np.sin(X.sum(axis=1)) + 0.1 * random.standard_normal(600)


def models():
    plain = {"n_components": 64, "alpha": 0.1, "random_state": 0}
    return {
        "kernel": bo.KernelRegressor(TwoScales(2.0), **plain),
        "learned scale": bo.KernelRegressor(TwoScales(), length_scale="ard", **plain),
        "landmarks": bo.KernelRegressor(TwoScales(2.0), features="nystroem", **plain),
        "sampler": bo.KernelRegressor(length_scale=2.0, sampling=Structured(), **plain),
        "map": bo.KernelRegressor(features=ReluFeatures(), alpha=0.1, random_state=0),
        "solver": bo.KernelRegressor(length_scale=2.0, solver=Richardson(), **{**plain, "alpha": 20.0}),
        "products": bo.KernelRegressor(length_scale=2.0, solver=PlainGradients(), **{**plain, "alpha": 20.0}),
        "group": bo.KernelRegressor(features=orbit_features(), alpha=0.1, random_state=0),
    }


def orbit_features():
    return bo.OrbitFeatures(Reversal(), bo.FourierFeatures(bo.Gaussian(2.0), n_components=64, random_state=0))


@pytest.mark.parametrize("name", models())
def test_a_model_fits_predicts_and_is_saved(name, rows, tmp_path):
    X, y = rows
    model = models()[name].fit(X, y)
    assert model.score(X, y) > 0.15  # features that have nothing to do with the rows have at most 64 / 600
    mean, std, interval = model.predict(X, return_std=True, return_interval=0.9)
    assert np.all(std > 0)
    assert np.all(interval[0] < interval[1])
    bo.save(model, tmp_path / "model.bochner")
    again = bo.load(tmp_path / "model.bochner", types=TYPES)
    loaded = again.predict(X, return_std=True, return_interval=0.9)
    np.testing.assert_array_equal(loaded[0], mean)
    np.testing.assert_array_equal(loaded[1], std)
    np.testing.assert_array_equal(loaded[2], interval)
    assert again.dof_ == model.dof_
    with pytest.raises(FileFormatError, match="types="):
        bo.load(tmp_path / "model.bochner")


@pytest.mark.parametrize("name", models())
def test_the_bill_has_the_map_and_a_small_budget_is_refused_before_the_fit(name, rows):
    X, y = rows
    with bo.config_context(memory="30kB"), pytest.raises(MemoryBudgetError, match=r"feature map|landmarks"):
        models()[name].fit(X, y)


@pytest.mark.parametrize("name", models())
def test_a_certificate_is_issued_or_refused_with_the_reason(name, rows):
    X, y = rows
    model = models()[name].fit(X, y)
    if name == "map":
        with pytest.raises(AssumptionError, match="ReluFeatures approximates no kernel"):
            model.certify(X, y=y)
        return
    certificate = model.certify(X, y=y, max_products=6)
    assert 0 <= certificate.value < np.inf
    assert "exact" in certificate.statement


def test_a_plan_knows_the_kernel(rows):
    X, y = rows
    assert bo.plan(X, y, kernel=TwoScales(2.0), eps=0.2).certified_error <= 0.2


@pytest.mark.parametrize(
    "features",
    [ReluFeatures(96), bo.FourierFeatures(bo.Gaussian(2.0), sampling=Structured(), n_components=96), orbit_features()],
    ids=["map", "sampler", "group"],
)
def test_a_plan_knows_features_of_ones_own_and_their_bytes(features, rows):
    X, y = rows
    plan, own = bo.plan(X, y, features=features), map_of(features.fit(X), X)
    assert plan.n_components == own.n_components
    assert plan.memory_items[MAP] == own.n_bytes(np.dtype(float))
    assert plan.seconds > 0


def test_a_row_source_is_planned_by_its_sizes(rows):
    source = ParcelRows(*rows)
    with pytest.raises(InvalidDataError, match=r"give its sizes, plan\(n_samples=source.n_rows"):
        bo.plan(source)
    plan = bo.plan(n_samples=source.n_rows, n_features=source.n_features, kernel=TwoScales(2.0), eps=0.2)
    assert plan.certified_error <= 0.2


def test_a_kernel_obeys_the_laws_of_kernels():
    bo.testing.check_kernel(TwoScales([0.5, 1.0, 2.0]))


def test_structured_frequencies_have_no_iid_certificate_and_estimate_the_kernel(rows):
    X = np.random.default_rng(0).standard_normal((200, 16))
    features = bo.FourierFeatures(bo.Gaussian(4.0), sampling=Structured(), n_components=8192, random_state=0).fit(X)
    Z = features.transform(X[:50])
    assert np.abs(Z @ Z.T - bo.Gaussian(4.0)(X[:50])).max() < 0.15  # the estimate at n -> oo has a bias of O(1 / d)
    certificate = features.certify(X[:200])
    assert certificate.delta is None or certificate.delta == 0
    assert "not independent" in certificate.details["no_a_priori_bound"]


@pytest.mark.parametrize(("name", "solver"), [("solver", Richardson()), ("products", PlainGradients())])
def test_a_solver_gives_the_model_of_ours(name, solver, rows):
    X, y = rows
    own = models()[name].fit(X, y)
    direct = bo.KernelRegressor(length_scale=2.0, n_components=64, alpha=20.0, random_state=0).fit(X, y)
    np.testing.assert_allclose(own.coef_, direct.coef_, rtol=1e-6, atol=1e-8)
    assert own.solver_ == solver.name
    assert own.dof_ == pytest.approx(direct.dof_, rel=1e-6)
    with pytest.raises(ValueError, match=rf"'alpha'.*a number for solver='{solver.name}'"):
        bo.KernelRegressor(solver=solver, alpha="gcv", n_components=16).fit(X, y)


def test_a_solver_of_products_needs_no_moments_and_has_our_error_bars(rows):
    X, y = rows
    weight = np.arange(600) % 3
    own = models()["products"].fit(X, y, sample_weight=weight)
    direct = models()["products"].set_params(solver="direct").fit(X, y, sample_weight=weight)
    assert own.fitted_.moments is None
    assert 1 < own.n_iter_ <= 200
    for found, expected in zip(own.predict(X, return_std=True), direct.predict(X, return_std=True)):
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)
    assert not hasattr(own, "partial_fit")


def test_a_solver_of_products_is_not_given_rows_that_come_once(rows):
    X, y = rows
    with pytest.raises(InvalidParameterError, match=r"'solver'.*only 1 time"):
        models()["products"].fit(bo.scan_blocks(iter([(X, y)])))


def test_a_group_makes_features_invariant(rows):
    X, y = rows
    model = models()["group"].fit(X, y)
    np.testing.assert_allclose(model.predict(X), model.predict(X[:, ::-1]), atol=1e-9)
    bo.testing.check_group(Reversal(), n_features=5)


def test_a_bound_is_inverted_and_certifies():
    bound = Chebyshev(kernel=bo.Gaussian())
    bo.testing.check_bound(bound)
    needed = bound.features_needed(eps=0.1, delta=0.01)
    assert bound.certificate(needed, 0.01).value <= 0.1 * (1 + 1e-6)  # certificates are rounded outward


@pytest.mark.parametrize(
    "parameters", [{"alpha": 0.1}, {"alpha": "gcv"}, {"alpha": "loo"}, {"alpha": 0.1, "solver": "iterative"}]
)
def test_an_engine_gives_the_model_of_this_machine(parameters, rows):
    X, y = rows
    settings = {"n_components": 64, "length_scale": 2.0, "random_state": 0, **parameters}
    source = ParcelRows(X, y)
    there, here = bo.KernelRegressor(**settings).fit(source), bo.KernelRegressor(**settings).fit(X, y)
    np.testing.assert_allclose(there.coef_, here.coef_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(there.predict(source), here.predict(X), rtol=1e-9, atol=1e-9)
    assert source.engine.sent > 0
    certificate = there.certify(source, max_products=4)  # the source brings the targets
    assert certificate.value == pytest.approx(here.certify(X, y=y, max_products=4).value, rel=1e-4)


@pytest.mark.parametrize("name", ["kernel", "sampler", "map", "solver", "products", "group"])
def test_an_engine_takes_all_the_others(name, rows):
    X, y = rows
    there, here = models()[name].fit(ParcelRows(X, y)), models()[name].fit(X, y)
    np.testing.assert_allclose(there.predict(X), here.predict(X), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("solver", ["direct", "iterative"])
def test_a_model_of_an_engine_has_its_bill_and_is_saved_without_it(solver, rows, tmp_path):
    X, y = rows
    model = bo.KernelRegressor(n_components=64, alpha=0.1, length_scale=2.0, random_state=0, solver=solver)
    with bo.config_context(memory="30kB"), pytest.raises(MemoryBudgetError, match="feature map"):
        model.fit(ParcelRows(X, y))
    model.fit(ParcelRows(X, y))
    bo.save(model, tmp_path / "model.bochner")
    again = bo.load(tmp_path / "model.bochner")  # nothing of the engine is in the file: no types are needed
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_allclose(again.predict(ParcelRows(X, y)), model.predict(X), atol=1e-9)
    source = ParcelRows(X, y)
    assert again.certify(source, max_products=4).value == model.certify(source, max_products=4).value


def test_a_classifier_works_on_an_engine(rows):
    X, y = rows
    settings = {"n_components": 64, "length_scale": 2.0, "alpha": 1.0, "random_state": 0}
    there = bo.KernelClassifier(**settings).fit(ParcelRows(X, y > 0))
    here = bo.KernelClassifier(**settings).fit(X, (y > 0).astype(float))
    np.testing.assert_allclose(there.coef_, here.coef_, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    "parameters",
    [
        {"kernel": TwoScales(2.0)},
        {"length_scale": 2.0, "sampling": Structured()},
        {"features": ReluFeatures()},
        {"features": orbit_features()},
    ],
    ids=["kernel", "sampler", "map", "group"],
)
def test_a_classifier_takes_them_as_a_regressor_does(parameters, rows, tmp_path):
    X, y = rows
    model = bo.KernelClassifier(n_components=64, alpha=1.0, random_state=0, **parameters).fit(X, y > 0)
    assert model.score(X, y > 0) > 0.55
    bo.save(model, tmp_path / "model.bochner")
    again = bo.load(tmp_path / "model.bochner", types=TYPES)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_a_kernel_is_compared_tested_and_decomposed(rows):
    X, _ = rows
    exact = bo.mmd(X, X + 0.5, kernel=TwoScales(2.0), n_components="exact")
    close = bo.mmd(X, X + 0.5, kernel=TwoScales(2.0), n_components=4096, rng=0)
    assert abs(close.squared - exact.squared) <= close.error_bound
    axes = bo.KernelPCA(TwoScales(2.0), n_components=3, random_state=0).fit(X)
    assert axes.transform(X).shape == (600, 3)
