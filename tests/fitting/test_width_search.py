"""n_components="auto" finds a width on held-out rows; the model is then that of this width on all rows."""

from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

import bochner as bo
from bochner.data import ArrayRows, scan_blocks
from bochner.errors import WidthWarning
from bochner.fitting import WIDTHS
from bochner.fitting.width_search import _held_out
from bochner.planning import default_width


def fourier(*kernel, **settings):
    """A regressor on random features whose width is searched for."""
    return bo.KernelRegressor(*kernel, **{"features": "fourier", "alpha": "gcv"} | settings)


N = 4000
X = np.random.default_rng(0).uniform(-1, 1, (N, 4))
NOISE = np.random.default_rng(1).standard_normal(N)
SMOOTH = np.sin(X[:, 0]) + 0.3 * NOISE
ROUGH = np.sin(4 * X[:, 0] * X[:, 1]) + np.cos(4 * X[:, 2] + 2 * X[:, 3]) + 0.05 * NOISE
TARGETS = np.c_[ROUGH, np.cos(5 * X[:, 1] * X[:, 2]) + 0.05 * NOISE[::-1]]
SMOOTH_KERNEL, ROUGH_KERNEL = bo.Gaussian(1.5), bo.Gaussian(0.7)


def regressor(kernel=SMOOTH_KERNEL, **parameters):
    return fourier(kernel, **{"random_state": 0, **parameters})


@cache
def rough():
    return regressor(ROUGH_KERNEL).fit(X, ROUGH)


def assert_model_of_its_width(model, data, target, weight=None, tolerance=1e-5):
    given = model.__class__(**{**model.get_params(deep=False), "n_components": model.width_curve_.n_components})
    given.fit(data, target, sample_weight=weight)
    assert given.width_curve_ is None
    assert given.moments_.n_rows == model.moments_.n_rows
    assert given.moments_.weight == pytest.approx(model.moments_.weight, rel=1e-12)
    assert given.features_.n_components_ == model.features_.n_components_
    assert given.precision_ == model.precision_
    assert given.alpha_ == pytest.approx(model.alpha_, rel=1e-3)
    np.testing.assert_allclose(model.predict(data[:200]), given.predict(data[:200]), atol=tolerance)


def test_a_smooth_function_gets_a_narrow_map():
    """Over 40 draws of rows, noise and frequencies, 512 features gain 0.05 % with a deviation of 0.17 %: 1 % is far."""
    curve = regressor().fit(X, SMOOTH).width_curve_
    assert curve.n_components == curve.widths[0] < default_width(N)
    assert curve.gain[-1] < 0.01
    assert f"not clearly better than {curve.n_components:,}" in curve.reason


def test_a_rough_function_gets_a_wide_map():
    """Over 25 draws, 512 features gain 70 %, 13 standard errors with a deviation of 2; 1,024 may or may not be better.

    The last width is the last one that is no more than half of the rows to fit.
    """
    curve = rough().width_curve_
    fitted = N - curve.n_held_out
    assert curve.widths[-1] <= fitted / 2 < 2 * curve.widths[-1]
    np.testing.assert_array_equal(curve.widths[1:], 2 * curve.widths[:-1])
    assert curve.n_components > curve.widths[0]
    assert curve.gain[1] > max(2 * curve.gain_std[1], 0.01)
    clear = curve.gain[-1] > max(2 * curve.gain_std[-1], 0.01)
    assert curve.n_components == curve.widths[-1 if clear else -2]
    assert ("more than half" if clear else f"not clearly better than {curve.n_components:,}") in curve.reason


def test_the_model_is_that_of_all_rows_at_its_width():
    assert_model_of_its_width(rough(), X, ROUGH)


@pytest.mark.parametrize(("sampling", "weighted"), [("orthogonal", True), ("qmc", False)])
def test_so_it_is_with_other_samplers_weights_and_many_targets(sampling, weighted):
    weight = np.random.default_rng(3).integers(1, 4, N) * (np.arange(N) % 5 > 0) if weighted else None
    model = regressor(ROUGH_KERNEL, sampling=sampling).fit(X, TARGETS, sample_weight=weight)
    assert model.width_curve_.n_components > model.width_curve_.widths[0]
    assert_model_of_its_width(model, X, TARGETS, weight)


def test_the_units_of_targets_do_not_matter():
    model = regressor(ROUGH_KERNEL, alpha=1e-3)
    one, other = (model.fit(X, Y).width_curve_ for Y in (TARGETS, TARGETS * [1.0, 1e4] + 1e5))
    assert one.n_components == other.n_components
    np.testing.assert_allclose(one.rmse, other.rmse, rtol=1e-6)


def test_so_it_is_with_float32_rows():
    data = X.astype(np.float32)
    model = regressor(alpha="evidence").fit(data, SMOOTH)
    assert model.precision_ == np.float32
    assert_model_of_its_width(model, data, SMOOTH, tolerance=1e-3)


def test_float32_rows_without_noise_end_in_float64():
    data, target = X.astype(np.float32), np.sin(2 * X[:, 0]) * X[:, 1]
    model = regressor(bo.Gaussian(2.0)).fit(data, target)
    assert model.precision_ == np.float64
    double = regressor(bo.Gaussian(2.0)).fit(data.astype(float), target)
    assert double.width_curve_.n_components == model.width_curve_.n_components
    # At a penalty of 1e-13 the last digits of the moments show, far below the errors of 0.002 of the first width.
    np.testing.assert_allclose(model.predict(X), double.predict(X), atol=1e-3)
    # The largest error is 3e-4 within a factor of 1.3 (12 draws).
    np.testing.assert_allclose(model.predict(X), target, atol=5e-3)


def test_held_out_errors_are_those_of_rows_that_the_fit_has_not_seen():
    curve = rough().width_curve_
    index = _held_out(ArrayRows(X, ROUGH, None, np.dtype(float)), 0)
    train = np.setdiff1d(np.arange(N), index)
    assert curve.n_held_out == len(index) == N // 4
    for i, width in enumerate(curve.widths[:2]):
        fitted = regressor(ROUGH_KERNEL, n_components=int(width)).fit(X[train], ROUGH[train])
        error = np.mean((fitted.predict(X[index]) - ROUGH[index]) ** 2) / np.var(ROUGH[train])
        assert curve.rmse[i] == pytest.approx(np.sqrt(error), rel=1e-4)


def test_the_seed_decides_everything():
    again = regressor(ROUGH_KERNEL).fit(X, ROUGH)
    np.testing.assert_allclose(again.width_curve_.rmse, rough().width_curve_.rmse, rtol=1e-6)
    other = regressor(ROUGH_KERNEL, random_state=1).fit(X, ROUGH)
    assert not np.allclose(other.width_curve_.rmse, rough().width_curve_.rmse, rtol=1e-6)


def test_rows_without_weight_are_never_held_out():
    weight = (np.arange(N) % 5 > 0).astype(float)
    index = _held_out(ArrayRows(X, ROUGH, weight, np.dtype(float)), 0)
    assert weight[index].all()


def test_sparse_rows_and_memory_maps_are_searched_like_arrays(tmp_path):
    np.save(tmp_path / "X.npy", X)
    for data in (sp.csr_array(X), np.load(tmp_path / "X.npy", mmap_mode="r")):
        model = regressor(ROUGH_KERNEL).fit(data, ROUGH)
        np.testing.assert_allclose(model.width_curve_.rmse, rough().width_curve_.rmse, rtol=1e-5)
        np.testing.assert_allclose(model.predict(X[:50]), rough().predict(X[:50]), atol=1e-6)


def test_intervals_by_held_out_rows_hold_out_their_own():
    model = regressor(ROUGH_KERNEL, interval="conformal").fit(X, ROUGH)
    assert model.moments_.weight == N - N // 10
    assert model.width_curve_.n_held_out == (N - N // 10) // 4


@pytest.mark.parametrize(
    ("parameters", "n"),
    [
        ({}, 1999),
        ({"alpha": "loo"}, N),
        ({"sampling": "leverage"}, N),
        ({"n_components": 320}, N),
        ({"solver": "iterative", "alpha": 1.0}, N),
    ],
)
def test_where_widening_is_not_possible_the_rule_stays(parameters, n):
    model = regressor(**parameters).fit(X[:n], SMOOTH[:n])
    assert model.width_curve_ is None
    assert model.features_.n_components_ == parameters.get("n_components", default_width(n))


def test_nystroem_streams_and_checkpoints_keep_the_rule(tmp_path):
    assert regressor(features="nystroem").fit(X, SMOOTH).width_curve_ is None
    assert regressor().fit(scan_blocks(lambda: iter([(X, SMOOTH)]))).width_curve_ is None
    assert regressor(checkpoint=tmp_path / "fit").fit(X, SMOOTH).width_curve_ is None
    with pytest.warns(UserWarning, match="partial_fit settled"):
        assert regressor().partial_fit(X, SMOOTH).width_curve_ is None


def test_the_memory_budget_ends_the_search():
    with bo.config_context(memory="20MB"), pytest.warns(WidthWarning, match="ended at 512 features"):
        model = regressor(ROUGH_KERNEL).fit(X, ROUGH)
    widths, unlimited = list(model.width_curve_.widths), list(rough().width_curve_.widths)
    assert "memory budget" in model.width_curve_.reason
    assert len(widths) < len(unlimited)
    assert widths == unlimited[: len(widths)]


class Callback:
    """Counts blocks, and does something at one of them."""

    def __init__(self, at, what):
        self.at, self.what, self.n_blocks = at, what, 0

    def setup(self, estimator, context): ...

    def teardown(self, estimator, context): ...

    def on_fit_task_begin(self, estimator, context): ...

    def on_fit_task_end(self, estimator, context):
        self.n_blocks += 1
        return self.what() if self.n_blocks == self.at else None


@pytest.mark.parametrize("at", [1, 3])
def test_a_callback_can_stop_the_search(at):
    """How many blocks a pass has depends on the machine: the first one is of the first width, any is of one of them."""
    model = regressor(ROUGH_KERNEL).set_callbacks(Callback(at, lambda: True)).fit(X, ROUGH)
    widths = rough().width_curve_.widths
    assert "callback" in model.width_curve_.reason
    assert model.features_.n_components_ in (widths[:1] if at == 1 else widths)
    assert np.isfinite(model.predict(X[:5])).all()


def test_an_interrupted_search_leaves_the_model_as_it_was():
    def interrupt():
        raise KeyboardInterrupt

    counter = Callback(0, None)
    regressor(ROUGH_KERNEL).set_callbacks(counter).fit(X, ROUGH)
    model = regressor(ROUGH_KERNEL).set_callbacks(Callback(counter.n_blocks, interrupt))
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, ROUGH)  # only the last block is missing
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_rows_can_be_added_after_the_search():
    model = regressor(ROUGH_KERNEL).fit(X[:3500], ROUGH[:3500])
    width = model.width_curve_.n_components
    model.partial_fit(X[3500:], ROUGH[3500:])
    given = regressor(ROUGH_KERNEL, n_components=width).fit(X, ROUGH)
    np.testing.assert_allclose(model.predict(X[:50]), given.predict(X[:50]), atol=1e-6)


def test_the_curve_is_in_model_files(tmp_path):
    bo.save(rough(), tmp_path / "model.bochner")
    curve, saved = bo.load(tmp_path / "model.bochner").width_curve_, rough().width_curve_
    np.testing.assert_array_equal(curve.widths, saved.widths)
    np.testing.assert_array_equal(curve.gain, saved.gain)
    assert curve.reason == saved.reason


def test_certificates_pay_for_the_choice_of_the_width():
    new = np.random.default_rng(5).uniform(-1, 1, (5000, 4))
    given = regressor(ROUGH_KERNEL, n_components=rough().width_curve_.n_components).fit(X, ROUGH)
    paid = given.certify(new, delta=0.06 / WIDTHS)
    got = rough().certify(new, delta=0.06)
    assert got.value == pytest.approx(paid.value, rel=1e-9)
    for one, other in zip((got, *got.others), (paid, *paid.others), strict=True):
        assert one.value == pytest.approx(other.value, rel=1e-9)
        if other.delta > 0:
            assert one.delta == pytest.approx(0.06)
            assert "probability at least 0.94" in one.statement
            assert one.details["chosen_among"] == WIDTHS
