"""Quantile, Huber, Poisson and Tweedie regressors: what they promise on rows."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.stats import binom
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import bochner as bo
from bochner.errors import LittleDataWarning

RNG = np.random.default_rng(0)
X = RNG.uniform(-2, 2, (400, 2))
NOISE = 0.1 + 0.3 * (X[:, 1] > 0)
Y = np.sin(2 * X[:, 0]) + NOISE * RNG.standard_normal(400)
COUNTS = RNG.poisson(np.exp(1 + np.sin(X[:, 0]))).astype(float)
GIVEN = {"n_components": 64, "length_scale": 1.0, "alpha": 0.1, "random_state": 0}
MODELS = {
    "quantile": (bo.KernelQuantileRegressor(quantile=[0.1, 0.5, 0.9], **GIVEN), Y),
    "huber": (bo.KernelHuberRegressor(**GIVEN), Y),
    "poisson": (bo.KernelPoissonRegressor(**GIVEN), COUNTS),
    "tweedie": (bo.KernelTweedieRegressor(**GIVEN), COUNTS),
    "gamma": (bo.KernelTweedieRegressor(power=2, **GIVEN), COUNTS + 0.5),
}
EVERY = pytest.mark.parametrize(("model", "y"), MODELS.values(), ids=MODELS)


@EVERY
def test_a_weight_of_two_is_a_row_given_twice(model, y):
    weight = np.random.default_rng(1).integers(0, 3, len(X))
    weighted = model.fit(X, y, sample_weight=weight).predict(X)
    again = np.repeat(np.arange(len(X)), weight)
    np.testing.assert_allclose(model.fit(X[again], y[again]).predict(X), weighted, rtol=1e-2, atol=1e-2)


@EVERY
def test_sparse_float32_and_read_only_rows_are_taken(model, y):
    expected = model.fit(X, y).predict(X[:9])
    np.testing.assert_allclose(model.fit(sp.csr_array(X), y).predict(X[:9]), expected, rtol=1e-2, atol=1e-2)
    single = X.astype(np.float32)
    single.setflags(write=False)
    found = model.fit(single, y.astype(np.float32)).predict(single[:9])
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-2, atol=1e-2)


@EVERY
def test_scanned_rows_give_the_model_of_arrays(model, y):
    expected = model.fit(X, y).predict(X[:9])
    scanned = model.fit(bo.scan_blocks([(X[:150], y[:150]), (X[150:], y[150:])]))
    np.testing.assert_allclose(scanned.predict(X[:9]), expected, rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("model", [MODELS["quantile"][0], MODELS["huber"][0]])
def test_rows_beyond_the_memory_are_read_block_by_block(model, monkeypatch):
    weight = np.random.default_rng(1).integers(0, 3, len(X))
    expected = model.fit(X, Y, sample_weight=weight).predict(X[:9])
    monkeypatch.setattr("bochner.statistics.feature_stream.can_be_kept", lambda size: False)
    parts = [slice(0, 150), slice(150, None)]
    read = model.fit(bo.scan_blocks([(X[part], Y[part], weight[part]) for part in parts]))
    np.testing.assert_allclose(read.predict(X[:9]), expected, atol=1e-3)
    assert read.dual_gap_ <= 1e-4 * read.objective_


@pytest.mark.parametrize("model", [MODELS["quantile"][0], MODELS["huber"][0]])
def test_the_unit_of_the_target_does_not_matter(model):
    plain, moved = model.fit(X, Y).predict(X), model.fit(X, 1e6 * Y - 3e7).predict(X)
    np.testing.assert_allclose((moved + 3e7) / 1e6, plain, atol=1e-3)


def test_quantiles_of_a_chosen_penalty_hold_on_new_rows_where_a_given_one_follows_its_own():
    """300 rows and 4,000 new ones: shares of 0.1 and 0.9 err by 0.017 from left-out rows; 0.09 is five times that."""
    between = {}
    rng = np.random.default_rng(0)
    rows = rng.uniform(-2, 2, (4300, 2))
    targets = np.sin(2 * rows[:, 0]) + 0.3 * rng.standard_normal(4300)
    setting = {"quantile": [0.1, 0.9], "features": "fourier", "n_components": 128, "length_scale": 0.4, "tol": 0.01}
    for name, penalty in {"given": {"alpha": 0.01}, "chosen": {"alphas": [0.01]}}.items():
        model = bo.KernelQuantileRegressor(**setting, **penalty, random_state=0).fit(rows[:300], targets[:300])
        low, high = np.mean(targets[300:, None] <= model.predict(rows[300:]), axis=0)
        between[name] = high - low
    assert between["given"] < 0.7
    assert 0.71 < between["chosen"] < 0.93
    assert abs(low - 0.1) < 0.09
    assert abs(high - 0.9) < 0.09


def test_quantiles_of_counts_are_counts_where_columns_say_nothing():
    y = np.round(np.random.default_rng(0).exponential(1, 60))
    for rows in (slice(0, 30), slice(30, 60)):
        model = bo.KernelQuantileRegressor(quantile=[0.1, 0.5, 0.9], features="fourier", n_components=8, random_state=0)
        found = model.fit(np.ones((30, 2)), y[rows]).predict(np.ones((1, 2)))[0]
        np.testing.assert_allclose(found, np.round(found), atol=1e-6)
        assert found[0] > -1e-6  # no step below the smallest count


def test_quantiles_cover_what_they_say_and_do_not_cross():
    rng = np.random.default_rng(5)
    train, test = rng.uniform(-2, 2, (1500, 1)), rng.uniform(-3, 3, (2000, 1))
    y = [np.sin(2 * x[:, 0]) + (0.2 + 0.2 * np.abs(x[:, 0])) * rng.standard_normal(len(x)) for x in (train, test)]
    model = bo.KernelQuantileRegressor(
        quantile=[0.1, 0.5, 0.9], n_components=128, length_scale=1.0, alpha=1.0, random_state=0
    ).fit(train, y[0])
    found = model.predict(test)
    assert np.all(np.diff(found, axis=1) >= 0)
    inside = np.abs(test[:, 0]) < 2
    for level, share in zip((0.1, 0.5, 0.9), np.mean(y[1][inside, None] <= found[inside], axis=0)):
        assert abs(share - level) < 5 * np.sqrt(level * (1 - level) * (1 / 1500 + 1 / inside.sum()) + 0.01**2)
    assert 0.2 < model.score(test[inside], y[1][inside]) < 1


@pytest.mark.slow
def test_conformal_intervals_hold_at_any_number_of_rows():
    hits = 0
    for seed in range(60):  # 60 x 25 new rows, each set behind 25 calibration rows
        rng = np.random.default_rng(seed)
        Z, noise = rng.uniform(0, 1, (275, 1)), rng.standard_normal(275)
        y = Z[:, 0] * noise
        model = bo.KernelQuantileRegressor(quantile=[0.2, 0.8], interval="conformal", **{**GIVEN, "n_components": 16})
        low, high = model.fit(Z[:250], y[:250]).predict(Z[250:], return_interval=0.8)[1]
        hits += int(np.sum((low <= y[250:]) & (y[250:] <= high)))
    # each set of 25 shares its calibration rows: its coverage has a standard deviation of 0.08 around 0.8
    assert hits > 1500 * (0.8 - 5 * np.sqrt(0.08**2 / 60 + 0.16 / 1500))
    assert binom.cdf(hits, 1500, 0.995) < 0.99  # and they are not infinite


def test_outliers_in_the_target_do_not_spoil_huber():
    wrong = Y.copy()
    wrong[::10] += 100
    truth = np.sin(2 * X[:, 0])
    robust = bo.KernelHuberRegressor(**GIVEN).fit(X, wrong).predict(X)
    squares = bo.KernelRegressor(**GIVEN).fit(X, wrong).predict(X)
    assert np.sqrt(np.mean((robust - truth) ** 2)) < 0.2 < 2 < np.sqrt(np.mean((squares - truth) ** 2))


def test_exposure_is_the_weight_of_a_rate():
    exposure = np.random.default_rng(3).integers(1, 5, len(X)).astype(float)
    counts = np.random.default_rng(4).poisson(exposure * np.exp(np.sin(X[:, 0])))
    model = bo.KernelPoissonRegressor(**GIVEN).fit(X, counts / exposure, sample_weight=exposure)
    assert np.sum(exposure * model.predict(X)) == pytest.approx(counts.sum(), rel=1e-6)  # the intercept's equation
    assert np.mean(np.abs(np.log(model.predict(X)) - np.sin(X[:, 0]))) < 0.2
    assert model.score(X, counts / exposure, sample_weight=exposure) > 0.2


@pytest.mark.parametrize("largest", [1e-6, 1e9])
def test_counts_of_any_size_are_solved(largest):
    y = largest * (COUNTS + 0.1)
    model = bo.KernelTweedieRegressor(power=2, **GIVEN).fit(X, y)
    plain = bo.KernelTweedieRegressor(power=2, **GIVEN).fit(X, COUNTS + 0.1)
    np.testing.assert_allclose(model.predict(X) / largest, plain.predict(X), rtol=1e-6)


def test_a_checkpoint_gives_the_same_model(tmp_path):
    for name, (model, y) in MODELS.items():
        kept = type(model)(**{**model.get_params(), "checkpoint": tmp_path / name})
        np.testing.assert_array_equal(kept.fit(X, y).predict(X[:5]), model.fit(X, y).predict(X[:5]))


@pytest.mark.parametrize(
    ("model", "y", "words"),
    [
        (bo.KernelQuantileRegressor(quantile=1.0), Y, "'quantile' parameter of KernelQuantileRegressor"),
        (bo.KernelQuantileRegressor(quantile=[0.9, 0.1]), Y, "ascending"),
        (bo.KernelQuantileRegressor(quantile=[]), Y, "between 0 and 1"),
        (bo.KernelQuantileRegressor(quantile=["low", "high"]), Y, "between 0 and 1"),
        (
            bo.KernelQuantileRegressor(quantile=1),
            Y,
            "a number between 0 and 1, or several ascending ones. Got 1 instead",
        ),
        (bo.KernelQuantileRegressor(interval="conformal"), Y, "two or more"),
        (bo.KernelHuberRegressor(epsilon=1.0), Y, "'epsilon' parameter of KernelHuberRegressor"),
        (bo.KernelPoissonRegressor(), Y, "y must not be negative"),
        (bo.KernelPoissonRegressor(), 0 * Y, "must have a positive value"),
        (bo.KernelTweedieRegressor(power=2), COUNTS, "must be positive for power=2"),
        (bo.KernelTweedieRegressor(power=3), COUNTS, "'power' parameter"),
        (bo.KernelHuberRegressor(alpha="gcv"), Y, "'alpha' parameter"),
        (bo.KernelHuberRegressor(), np.c_[Y, Y], "1d array"),
    ],
)
def test_what_cannot_be_fitted_is_refused_with_the_reason(model, y, words):
    with pytest.raises(ValueError, match=words):
        model.fit(X, y)


def test_an_interval_needs_calibration_rows():
    model = bo.KernelQuantileRegressor(quantile=[0.1, 0.9], **GIVEN).fit(X, Y)
    with pytest.raises(ValueError, match="interval='conformal'"):
        model.predict(X, return_interval=0.9)
    with pytest.raises(ValueError, match="between 0 and 1"):
        model.predict(X, return_interval=1.5)


def test_an_interval_that_so_few_rows_cannot_hold_is_infinite():
    model = bo.KernelQuantileRegressor(quantile=[0.1, 0.9], interval="conformal", **GIVEN).fit(X[:60], Y[:60])
    _, (low, high) = model.predict(X[:5], return_interval=0.999)  # 20 calibration rows know no 0.999 quantile
    np.testing.assert_array_equal(low, -np.inf)
    np.testing.assert_array_equal(high, np.inf)


@EVERY
def test_certificates_take_the_named_columns_of_the_fit(model, y):
    frame = pd.DataFrame(X[:60], columns=["a", "b"])
    fitted = clone(model).fit(frame, y[:60])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted.certify(frame)
    with pytest.raises(ValueError, match="feature names"):
        fitted.certify(frame[["b", "a"]])


def test_the_median_of_two_rows_lies_between_them():
    with pytest.warns(LittleDataWarning):
        model = bo.KernelQuantileRegressor(length_scale=0.5, random_state=0).fit([[0.0], [1.0]], [0.0, 1.0])
    found = model.predict([[0.0], [0.5], [1.0]])
    assert np.all((found >= 0) & (found <= 1))


def test_huber_converges_on_few_rows_that_features_can_interpolate():
    model = bo.KernelHuberRegressor(length_scale=0.3, alpha=1e-5, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        model.fit(X[:20], np.exp(Y[:20]))
    assert model.dual_gap_ < 1e-4 * model.objective_


@EVERY
def test_one_row_and_constant_targets_are_taken(model, y):
    free = type(model)(**{**model.get_params(), "alpha": "auto"})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bo.errors.BochnerWarning)
        one = free.fit(X[:1], [2.0]).predict(X[:1])
        same = free.fit(X[:20], np.full(20, 2.0)).predict(X[:1])
    np.testing.assert_allclose(one, 2.0, rtol=1e-6)
    np.testing.assert_allclose(same, 2.0, rtol=1e-6)


@EVERY
def test_a_graph_says_what_the_model_says(model, y, tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    fitted = model.fit(X, y)
    graph = bo.to_onnx(fitted, dtype=np.float64)
    session = onnxruntime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    found = session.run(None, {"X": X[:20]})[0]
    np.testing.assert_allclose(found, fitted.predict(X[:20]).reshape(20, -1), rtol=1e-6, atol=1e-6)


@EVERY
def test_a_report_scores_them(model, y, tmp_path):
    page = bo.report(model.fit(X, y), tmp_path / "report.html", X=X[:100], y=y[:100])
    assert page.summary["quality"]["rmse"] < np.std(y)
    assert "no error bars" in page.summary["quality"]["coverage"]["missing"]


def test_the_kernel_of_their_features_is_certified():
    model = bo.KernelQuantileRegressor(**GIVEN).fit(X, Y)
    assert model.certify(X[:50]).value == pytest.approx(model.features_.certify(X[:50]).value)


def test_a_penalty_path_goes_on_where_large_penalties_leave_the_mean():
    """Counts whose rate has one wave: held-out losses of the first penalties differ by noise alone."""
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 1, (800, 1))
    counts = rng.poisson(np.exp(np.sin(2 * np.pi * X[:, 0])))
    model = bo.KernelPoissonRegressor(random_state=0).fit(X, counts)
    most, least = model.predict([[0.25], [0.75]])
    assert 2.2 < most < 3.4  # e
    assert least < 0.7  # 1/e


@pytest.mark.parametrize(
    ("model", "link"),
    [(bo.KernelTweedieRegressor(power=2), lambda t: np.exp(6 * t)), (bo.KernelQuantileRegressor(), lambda t: 2 * t)],
)
def test_a_penalty_path_goes_on_while_smaller_penalties_are_clearly_better(model, link):
    model.set_params(features="exact", length_scale=1000.0, random_state=0)
    t = RNG.uniform(-1, 1, 160)
    model.fit(t[:60, None], link(t[:60]))
    assert len(model.alphas_) > 10
    assert model.score(t[60:, None], link(t[60:])) > 0.99
    noisy = link(t[:60]) * np.exp(RNG.standard_normal(60))
    assert len(model.set_params(length_scale=0.5).fit(t[:60, None], noisy).alphas_) == 10
