"""The engine of a Dask cluster, with a client that runs tasks here: the sums and models of this machine."""

import pickle

import numpy as np
import pytest

pytest.importorskip("dask", reason="needs the extra 'dask'")
import dask.array as da

import bochner as bo
from bochner.engines.base import Cut
from bochner.engines.dask import DaskEngine, ShippedMap
from bochner.engines.dask_rows import DaskRows
from bochner.features import draw_fourier_map, transform
from bochner.fitting import fit_ridge
from bochner.sampling import MonteCarlo
from bochner.solvers import DirectSolver, IterativeSolver
from bochner.statistics import FeatureStream, identify
from tests import reference
from tests.engines.sums import EXPECTED, SUMS, WEIGHT, N, Notes, X, Y, array_rows
from tests.fitting.known_features import ByProducts, ridge_settings
from tests.identity_features import identity_map

CUTS = (1, 40, 30, 32)


@pytest.fixture
def rows(client):
    return DaskRows(da.from_array(X, chunks=(CUTS, 3)), Y, WEIGHT)


@pytest.mark.parametrize("n_threads", [1, 2, 16])
def test_the_total_is_that_of_all_rows(rows, client, n_threads):
    client.n_threads = n_threads
    told = []
    found = rows.engine.reduce(rows, SUMS, SUMS.empty(), on_part=told.append)
    np.testing.assert_allclose(found, EXPECTED, rtol=1e-12)
    assert sum(told) == N


def test_parts_are_totals_of_partitions_in_their_order(rows):
    parts = list(rows.engine.parts(rows, SUMS))
    assert [part[3] for part in parts] == list(CUTS)
    np.testing.assert_allclose(sum(parts), EXPECTED, rtol=1e-12)


def test_true_ends_a_pass_between_its_waves_and_cancels_the_rest(rows, client):
    found = rows.engine.reduce(rows, SUMS, SUMS.empty(), on_part=lambda n_rows: True, ledger=Notes())
    assert found[3] < N
    assert any(future.cancelled for future in client.futures)


def test_a_pass_goes_on_without_the_partitions_in_its_ledger(rows):
    notes = Notes()
    rows.engine.reduce(rows, SUMS, SUMS.empty(), on_part=lambda n_rows: True, ledger=notes)
    before, told = set(notes.done), []
    found = rows.engine.reduce(rows, SUMS, notes.saved[-1].copy(), on_part=told.append, ledger=notes)
    np.testing.assert_allclose(found, EXPECTED, rtol=1e-12)
    assert before < set(notes.done)
    assert 0 < sum(told) < N


def test_a_partition_that_has_changed_since_is_an_error(rows):
    with pytest.raises(ValueError, match="rows from 1 have changed"):
        rows.engine.reduce(rows, SUMS, SUMS.empty(), ledger=Notes({1: 5}))


def test_applied_functions_are_lazy_and_cut_as_the_rows_are(rows):
    lazy = rows.engine.apply(rows, lambda part: 2 * part[:, :2], (2,), np.dtype(float))
    assert isinstance(lazy, da.Array)
    assert lazy.chunks == (CUTS, (2,))
    np.testing.assert_array_equal(lazy.compute(scheduler="synchronous"), 2 * X[:, :2])
    flat = rows.engine.apply(rows, lambda part: part[:, 0], (), np.dtype(float))
    np.testing.assert_array_equal(flat.compute(scheduler="synchronous"), X[:, 0])


def test_held_rows_are_persisted(rows, client):
    rows.engine.hold(rows)
    assert client.n_persisted == len(CUTS)


@pytest.fixture
def drawn():
    return draw_fourier_map(bo.Gaussian(2.0), MonteCarlo(), n_features=3, n_components=32, embedding="paired", seed=4)


def test_a_map_that_can_be_drawn_again_is_shipped_without_its_frequencies(drawn):
    shipped = DaskEngine(None).ship(drawn)
    assert shipped.content is None
    arrived = pickle.loads(pickle.dumps(shipped))
    np.testing.assert_array_equal(transform(arrived, X, np.dtype(float)), transform(drawn, X, np.dtype(float)))
    assert (arrived.n_components, arrived.scratch_width) == (32, drawn.scratch_width)
    assert arrived.n_bytes(np.dtype(float)) == drawn.n_bytes(np.dtype(float))
    assert arrived.drawn is shipped.drawn  # drawn once in a process


def test_equal_maps_have_equal_keys_and_others_do_not(drawn):
    other = draw_fourier_map(bo.Gaussian(2.0), MonteCarlo(), n_features=3, n_components=32, embedding="paired", seed=5)
    keys = [DaskEngine(None).ship(each).key for each in (drawn, drawn, other)]
    assert keys[0] == keys[1] != keys[2]


def test_a_map_without_a_recipe_is_its_own_content():
    own = identity_map(3)
    shipped = DaskEngine(None).ship(own)
    assert isinstance(shipped, ShippedMap)
    assert shipped.drawn is own


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(
    "solver", [DirectSolver(), IterativeSolver(tol=1e-12), ByProducts()], ids=lambda solver: solver.name
)
def test_a_weighted_fit_is_that_of_this_machine(rows, solver, intercept):
    settings = ridge_settings(0.7, solver, intercept=intercept)
    there, here = fit_ridge(rows, settings), fit_ridge(array_rows(), settings)
    coef, offset = reference.ridge(X, Y, WEIGHT, 0.7, intercept)
    for fit in (there, here):
        np.testing.assert_allclose(fit.solution.coef, coef, atol=1e-9)
        np.testing.assert_allclose(fit.solution.intercept, offset * intercept, atol=1e-9)
    assert there.identity == here.identity == identify(array_rows())


@pytest.mark.parametrize("weighted", [True, False])
def test_the_iterative_solver_takes_as_many_iterations_there_as_here(client, weighted):
    """More rows than the preconditioner has: products, the subsample and its centring all meet weights."""
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((3000, 20)) * np.geomspace(1, 0.03, 20) + 0.5
    y, weight = Z @ rng.standard_normal(20) + 0.1 * rng.standard_normal(3000), None
    if weighted:
        weight = rng.integers(0, 4, 3000).astype(float)
    source = DaskRows(da.from_array(Z, chunks=(700, 20)), y, weight)
    settings = ridge_settings(1e-2, IterativeSolver(tol=1e-10))
    there = fit_ridge(source, settings)
    coef, offset = reference.ridge(Z, y[:, None], np.ones(3000) if weight is None else weight, 1e-2, True)
    np.testing.assert_allclose(there.solution.coef, coef, atol=1e-6)
    np.testing.assert_allclose(there.solution.intercept, offset, atol=1e-6)
    here = fit_ridge(bo.data.ArrayRows(Z, y, weight, np.dtype(float)), settings)
    assert there.solution.iterations == here.solution.iterations > 1
    np.testing.assert_allclose(there.standard_deviations(Z[:50]), here.standard_deviations(Z[:50]), rtol=1e-6)


def test_an_estimator_with_weights_is_that_of_this_machine(client):
    settings = {"n_components": 32, "alpha": 0.1, "length_scale": 2.0, "random_state": 0}
    lazy = da.from_array(X, chunks=(40, 3))
    for solver in ("direct", "iterative"):
        model = bo.KernelRegressor(solver=solver, tol=1e-11, **settings)
        there = model.fit(lazy, Y, WEIGHT).coef_
        np.testing.assert_allclose(there, model.fit(X, Y, WEIGHT).coef_, atol=1e-7)
    np.testing.assert_allclose(model.predict(lazy).compute(scheduler="synchronous"), model.predict(X), atol=1e-9)


def test_products_of_a_stream_are_those_of_the_matrix(rows):
    stream, V = FeatureStream(rows, identity_map(3)), np.arange(6.0).reshape(3, 2)
    np.testing.assert_allclose(stream.forward(V), X @ V, atol=1e-12)
    np.testing.assert_allclose(stream.adjoint(Y), X.T @ Y, atol=1e-12)
    assert not stream.kept


def test_the_cut_of_a_pass_belongs_to_the_machine_that_makes_it(rows):
    """A reduction that holds a cut gives it up elsewhere."""
    asked = []

    class Cutting(type(SUMS)):
        def elsewhere(self):
            asked.append(self)
            return SUMS

        def cut(self, n_rows):
            raise AssertionError("cut here")

    np.testing.assert_allclose(rows.engine.reduce(rows, Cutting(SUMS.factors), SUMS.empty()), EXPECTED, rtol=1e-12)
    assert asked
    assert SUMS.cut(5) == Cut(10, 2)
