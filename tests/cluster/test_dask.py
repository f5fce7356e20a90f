"""Fits on a real Dask cluster: the model of a local fit, also when a worker dies."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import bochner as bo
from bochner.errors import CheckpointError, InvalidDataError

pytest.importorskip("distributed", reason="needs the extra 'dask'")
import dask
import dask.array as da

SETTINGS = {"n_components": 128, "alpha": 0.1, "length_scale": 2.0, "random_state": 0}


def table(n=6000, seed=0):
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, 4))
    return X, np.sin(X.sum(axis=1)) + 0.1 * random.standard_normal(n)


def on_cluster(*arrays, rows=700):
    return [da.from_array(array, chunks=(rows, *array.shape[1:])) for array in arrays]


def assert_same(model, local):
    scale = np.abs(local.coef_).max()
    np.testing.assert_allclose(model.coef_, local.coef_, rtol=0, atol=1e-6 * scale)


def test_a_cluster_gives_the_coefficients_of_a_local_fit(cluster):
    X, y = table()
    weight = np.random.default_rng(1).uniform(0, 2, len(y))
    model = bo.KernelRegressor(**SETTINGS).fit(*on_cluster(X, y, weight))
    assert_same(model, bo.KernelRegressor(**SETTINGS).fit(X, y, weight))


def test_a_scale_and_a_penalty_chosen_on_the_cluster_are_those_chosen_here(cluster):
    X, y = table()
    model = bo.KernelRegressor(n_components=64, random_state=0).fit(*on_cluster(X, y))
    local = bo.KernelRegressor(n_components=64, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.features_.kernel_(X[:20]), local.features_.kernel_(X[:20]))
    assert model.alpha_ == pytest.approx(local.alpha_, rel=1e-3)


def test_predictions_are_lazy_and_computed_by_the_workers(cluster):
    X, y = table()
    local = bo.KernelRegressor(**SETTINGS).fit(X, y)
    lazy = local.predict(on_cluster(X)[0])
    assert isinstance(lazy, da.Array)
    np.testing.assert_allclose(lazy.compute(), local.predict(X), rtol=1e-9, atol=1e-9)


def test_several_targets_and_uneven_partitions(cluster):
    X, y = table()
    Y = np.column_stack([y, y**2])
    lazy = da.from_array(X, chunks=((100, 2900, 1, 2999), 4)), da.from_array(Y, chunks=(1000, 1))
    assert_same(bo.KernelRegressor(**SETTINGS).fit(*lazy), bo.KernelRegressor(**SETTINGS).fit(X, Y))


def test_a_classifier_fits_by_rounds_of_products(cluster):
    X, y = table()
    labels = np.where(y > 0, "up", "down")
    settings = {**SETTINGS, "alpha": 1.0, "tol": 1e-8}
    local = bo.KernelClassifier(**settings).fit(X, labels)
    model = bo.KernelClassifier(**settings).fit(*on_cluster(X, labels))
    scale = np.abs(local.coef_).max()
    np.testing.assert_allclose(model.coef_, local.coef_, rtol=0, atol=1e-4 * scale)
    lazy = model.predict(on_cluster(X)[0])
    assert (lazy.compute() == local.predict(X)).mean() > 0.999
    np.testing.assert_allclose(model.predict_proba(on_cluster(X)[0]).compute(), local.predict_proba(X), atol=1e-3)


def test_data_frames_keep_their_names(cluster):
    frames = pytest.importorskip("dask.dataframe")
    pandas = pytest.importorskip("pandas")
    X, y = table(2000)
    frame = frames.from_pandas(pandas.DataFrame(X, columns=list("abcd")).assign(y=y), npartitions=5)
    model = bo.KernelRegressor(**SETTINGS).fit(frame[list("abcd")], frame["y"])
    assert list(model.feature_names_in_) == list("abcd")
    assert_same(model, bo.KernelRegressor(**SETTINGS).fit(X, y))


@dask.delayed
def slow_part(X, seconds):
    time.sleep(seconds)
    return X


def slowly(array, rows, seconds):
    parts = [array[i : i + rows] for i in range(0, len(array), rows)]
    return da.concatenate([da.from_delayed(slow_part(part, seconds), part.shape, dtype=array.dtype) for part in parts])


def test_a_worker_killed_in_mid_fit_costs_time_and_not_correctness(short_lived_cluster):
    X, y = table(8000)
    killed = threading.Event()

    def kill():
        time.sleep(2.0)
        os.kill(short_lived_cluster.workers[0].pid, signal.SIGKILL)
        killed.set()

    threading.Thread(target=kill).start()
    model = bo.KernelRegressor(**SETTINGS).fit(slowly(X, 400, 0.4), da.from_array(y, chunks=400))
    assert killed.is_set()
    assert len(short_lived_cluster.client.nthreads()) == 1
    assert_same(model, bo.KernelRegressor(**SETTINGS).fit(X, y))


def test_a_checkpoint_of_a_cluster_fit_is_resumed_and_guarded(cluster, tmp_path):
    X, y = table()
    path = tmp_path / "fit.checkpoint"
    bo.KernelRegressor(**SETTINGS, checkpoint=path).fit(*on_cluster(X, y))
    again = bo.KernelRegressor(**SETTINGS, checkpoint=path).fit(*on_cluster(X, y))
    assert_same(again, bo.KernelRegressor(**SETTINGS).fit(X, y))
    assert again.moments_.n_rows == len(y)
    with pytest.raises(CheckpointError, match="other data"):
        bo.KernelRegressor(**SETTINGS, checkpoint=path).fit(*on_cluster(X, y + 1e-9))


def test_frequencies_are_not_sent(cluster):
    """A map of 40 MB of frequencies goes to the workers as a few hundred bytes."""
    from bochner.engines.dask import DaskEngine
    from bochner.features import draw_fourier_map
    from bochner.sampling import MonteCarlo

    wide = draw_fourier_map(
        bo.Gaussian(), MonteCarlo(), n_features=1000, n_components=10_000, embedding="paired", seed=0
    )
    from distributed.protocol.pickle import dumps

    assert len(dumps(DaskEngine(cluster).ship(wide))) < 10_000


def test_bad_numbers_name_the_partition(cluster):
    X, y = table(2000)
    X[1500, 2] = np.nan
    with pytest.raises(InvalidDataError, match=r"row 1500.*partition that begins at row 1400"):
        bo.KernelRegressor(**SETTINGS).fit(*on_cluster(X, y))


def test_lengths_that_differ_are_refused(cluster):
    X, y = table(2000)
    with pytest.raises(InvalidDataError, match="y must have 2000 rows"):
        bo.KernelRegressor(**SETTINGS).fit(*on_cluster(X, y[:-1]))


def test_rows_can_be_left_out_for_validation_on_a_cluster(cluster):
    X, y = table()
    settings = {**SETTINGS, "solver": "iterative", "validation_fraction": 0.1}
    assert_same(bo.KernelRegressor(**settings).fit(*on_cluster(X, y)), bo.KernelRegressor(**settings).fit(X, y))


def test_classes_and_probabilities_are_computed_by_the_workers(cluster):
    X, y = table()
    labels = np.where(y > 0, "up", "down")
    local = bo.KernelClassifier(n_components=64, length_scale=2.0, random_state=0).fit(X, labels)
    lazy = local.predict(on_cluster(X)[0]), local.predict_proba(on_cluster(X)[0])
    assert lazy[0].shape == (len(X),)
    assert lazy[1].shape == (len(X), 2)
    np.testing.assert_array_equal(lazy[0].compute(), local.predict(X))
    np.testing.assert_allclose(lazy[1].compute(), local.predict_proba(X), atol=1e-9)
