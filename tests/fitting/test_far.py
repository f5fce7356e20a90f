"""Error bars far from all rows say that nothing is known there."""

from dataclasses import replace

import numpy as np
import pytest

import bochner as bo
from bochner.fitting import variance_far_out

RNG = np.random.default_rng(0)
X = RNG.standard_normal((200, 3))
FAR = 1e4 * np.sign(RNG.standard_normal((4, 3)))
TARGETS = {
    "smooth": np.sin(X[:, 0]),  # a long scale of the other columns, hardly any noise
    "trend": X[:, 0] ** 2 + X[:, 1],  # an intercept far from the mean
    "noisy": np.sin(X[:, 0]) + 0.3 * RNG.standard_normal(200),
}
KERNEL = bo.Gaussian(length_scale=[1.0, 30.0, 30.0])
pytestmark = pytest.mark.filterwarnings("ignore::bochner.errors.ExtrapolationWarning")


@pytest.fixture(scope="module", params=["exact", "nystroem"])
def features(request):
    return request.param


@pytest.mark.parametrize("name", TARGETS)
def test_far_out_error_bars_hold_the_targets(features, name):
    y = TARGETS[name]
    model = bo.KernelRegressor(KERNEL, features=features, n_components=100, random_state=0)
    mean, std = model.fit(X, y).predict(FAR, return_std=True)
    assert np.all(std**2 >= (1 - 1e-6) * np.mean((y - mean[0]) ** 2))


def test_near_the_rows_nothing_changes(features):
    model = bo.KernelRegressor(KERNEL, features=features, n_components=100, random_state=0)
    fit = model.fit(X, TARGETS["smooth"]).fitted_
    rows = X[:50] + 0.01
    _, std = fit.means_and_deviations(rows)
    _, before = replace(fit, far_variance=None).means_and_deviations(rows)
    assert np.all(std >= before)
    assert np.median(std / before) < 1.01


def test_the_default_call_says_so_too():
    model = bo.KernelRegressor(random_state=0).fit(X, TARGETS["smooth"])
    _, std = model.predict(FAR, return_std=True)
    assert np.all(std > 0.99 * np.std(TARGETS["smooth"]))


def test_files_keep_it(tmp_path):
    model = bo.KernelRegressor(KERNEL, features="exact", random_state=0).fit(X, TARGETS["smooth"])
    bo.save(model, tmp_path / "model.bochner")
    same = bo.load(tmp_path / "model.bochner")
    assert np.array_equal(same.predict(FAR, return_std=True)[1], model.predict(FAR, return_std=True)[1])


def test_graphs_have_it(features):
    onnxruntime = pytest.importorskip("onnxruntime")
    model = bo.KernelRegressor(KERNEL, features=features, n_components=100, random_state=0)
    graph = bo.to_onnx(model.fit(X, TARGETS["trend"]), std=True, dtype=np.float64)
    session = onnxruntime.InferenceSession(graph.SerializeToString())
    rows = np.vstack([FAR, 2 * X[:20]])
    found = session.run(["std"], {session.get_inputs()[0].name: rows})[0]
    assert np.allclose(np.ravel(found), model.predict(rows, return_std=True)[1], rtol=1e-4, atol=1e-4)


def test_more_rows_forget_it():
    model = bo.KernelRegressor(KERNEL, features="nystroem", n_components=50, random_state=0)
    model.fit(X, TARGETS["smooth"]).partial_fit(X, TARGETS["noisy"])
    assert model.fitted_.far_variance is None


def test_share_of_the_prior_variance():
    assert variance_far_out(np.array([0.0, 0.5, 1.0, 3.0, -1.0]), 1.0, 4.0).tolist() == [0.0, 4 / 256, 4.0, 4.0, 0.0]
