"""What a scikit-learn user tries first."""

import pickle
import warnings

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.exceptions import NotFittedError
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import bochner as bo
from tests.strategies import rows

X, Y = rows(0, 200, 4), np.sin(rows(0, 200, 4)).sum(axis=1)

FIXED = {"n_components": 64, "length_scale": 2.0}  # choosing both is tested by the two estimators with all defaults

ESTIMATORS = [
    bo.FourierFeatures(),
    bo.FourierFeatures(embedding="phase", sampling="orthogonal"),
    bo.FourierFeatures(bo.Matern() + bo.Laplacian(), sampling="qmc"),
    bo.KernelClassifier(),
    bo.KernelClassifier("laplacian", length_scale=2.0, alpha=0.1, fit_intercept=False),
    bo.KernelClassifier(loss="logistic", alpha=1.0, **FIXED),
    bo.KernelClassifier(loss="hinge", alpha=10.0, **FIXED),  # at 1, random labels take all 5,000 iterations
    bo.KernelClassifier(loss="squared_hinge", alpha=10.0, probability=True, **FIXED),
    bo.FourierFeatures(sampling="leverage"),
    bo.KernelRegressor(),
    bo.KernelRegressor(alpha=1.0, fit_intercept=False, **FIXED),
    bo.KernelRegressor(bo.Matern(nu=2.5), features="fourier", alpha="evidence", **FIXED),
    bo.KernelRegressor(alpha="loo", **FIXED),
    bo.KernelRegressor(alpha=1.0, noise="learned", **FIXED),
    bo.KernelRegressor(solver="iterative", length_scale=2.0, tol=1e-12),  # checks compare predictions to 1e-7
    bo.KernelRegressor(solver="iterative", alpha=1.0, fit_intercept=False, **FIXED),
    bo.SplineFeatures(n_components=40),
    bo.FourierFeatures(sampling="sorf"),
    bo.FourierFeatures(sampling="fastfood"),
    bo.MaclaurinFeatures(n_components=40),
    bo.TensorSketchFeatures(n_components=40),
    bo.PositiveFeatures(n_components=40),
    bo.ArcCosineFeatures(n_components=40),
    bo.SignFeatures(n_components=40),
    bo.SketchFeatures(n_components=40),
    bo.AdditiveFeatures(),
    bo.LaplaceFeatures(n_components=40),
    bo.WarpedFeatures(bo.NystroemFeatures(bo.Gaussian(), n_components=20, random_state=0)),
    bo.KernelQuantileRegressor(alpha=0.1, **FIXED),
    bo.KernelHuberRegressor(alpha=0.01, **FIXED),
    bo.KernelPoissonRegressor(alpha=1.0, n_components=64, length_scale=2.0),
    bo.KernelTweedieRegressor(alpha=1.0, n_components=64, length_scale=2.0),
    bo.KernelNovelty(),
    bo.KernelNovelty(contamination=0.1, **FIXED),
    bo.KernelPCA(n_components=2),
    bo.KernelPCA(width=64, fit_inverse_transform=True),
    bo.KernelRegressor(features=RBFSampler(gamma=0.01, random_state=0), alpha="gcv"),
]


@parametrize_with_checks(ESTIMATORS)
def test_every_estimator_passes_every_check(estimator, check):
    if repr(estimator) == "KernelRegressor()" and "equivalence_on_sparse" in repr(check):
        pytest.skip("fifteen rows without noise are interpolated: a repeated row is a weight of 2 to 1e-3")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bo.errors.BochnerWarning)
        warnings.simplefilter("ignore", UserWarning)
        check(estimator)


@pytest.mark.slow
@parametrize_with_checks([bo.KernelQuantileRegressor(), bo.KernelHuberRegressor()])
def test_regressions_of_other_losses_pass_every_check_by_default(estimator, check):
    if "KernelHuber" in repr(estimator) and "equivalence_on_sparse" in repr(check):
        pytest.skip("fifteen rows without noise are interpolated: equal to 2e-9, checked to 1e-9")
    test_every_estimator_passes_every_check(estimator, check)


def test_drop_in_for_rbf_sampler_in_a_pipeline():
    diabetes = load_diabetes()
    theirs = make_pipeline(StandardScaler(), RBFSampler(gamma=0.02, n_components=600, random_state=0), Ridge())
    ours = make_pipeline(StandardScaler(), bo.FourierFeatures(gamma=0.02, n_components=600, random_state=0), Ridge())
    scores = [cross_val_score(model, diabetes.data, diabetes.target).mean() for model in (theirs, ours)]
    assert scores[1] == pytest.approx(scores[0], abs=0.03)


def test_gamma_scale_is_that_of_scikit_learn():
    features = bo.FourierFeatures(gamma="scale", random_state=0).fit(X)
    assert features.kernel_.gamma == pytest.approx(1 / (4 * X.var()))
    assert bo.FourierFeatures(gamma="scale").fit(sp.csr_array(X)).kernel_.gamma == pytest.approx(1 / (4 * X.var()))
    with pytest.raises(ValueError, match="'gamma' parameter of FourierFeatures must be None"):
        bo.FourierFeatures(bo.Gaussian(), gamma=1.0).fit(X)


def test_kernel_error_falls_as_the_root_of_the_width():
    K = rbf_kernel(X, gamma=0.5)
    widths = [64, 256, 1024, 4096]
    errors = []
    for width in widths:
        Z = [bo.FourierFeatures(bo.Gaussian(), n_components=width, random_state=s).fit_transform(X) for s in range(10)]
        errors.append(np.mean([np.sqrt(np.mean((z @ z.T - K) ** 2)) for z in Z]))
    slope = np.polyfit(np.log(widths), np.log(errors), 1)[0]
    assert slope == pytest.approx(-0.5, abs=0.05)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_float_type_is_kept(dtype):
    data = X.astype(dtype)
    assert bo.FourierFeatures().fit_transform(data).dtype == dtype
    mean, std = bo.KernelRegressor(random_state=0).fit(data, Y).predict(data, return_std=True)
    assert mean.dtype == std.dtype == dtype


def test_integers_lists_and_fortran_order_are_taken():
    integers = np.arange(12).reshape(6, 2)
    features = bo.FourierFeatures(n_components=8, random_state=0)
    expected = features.fit_transform(integers.astype(float))
    for data in (integers, integers.tolist(), np.asfortranarray(integers.astype(float))):
        np.testing.assert_allclose(features.fit_transform(data), expected, atol=1e-12)


@pytest.mark.parametrize("container", [sp.csr_array, sp.csr_matrix, sp.csc_array, sp.coo_array])
def test_sparse_input_gives_what_dense_input_gives(container):
    dense = X * (np.abs(X) > 1)
    features = bo.FourierFeatures(n_components=32, random_state=0).fit(dense)
    np.testing.assert_allclose(features.transform(container(dense)), features.transform(dense), atol=1e-12)
    model = bo.KernelRegressor(features="fourier", random_state=0, alpha=0.1)
    sparse_fit = clone(model).fit(container(dense), Y)
    np.testing.assert_allclose(sparse_fit.predict(dense), clone(model).fit(dense, Y).predict(dense), atol=1e-7)


@pytest.mark.parametrize(
    "frame", [pd.DataFrame, pl.DataFrame, lambda data: pa.table(data)], ids=["pandas", "polars", "pyarrow"]
)
def test_frames_keep_their_names(frame):
    table = frame({name: X[:, i] for i, name in enumerate("abcd")})
    features = bo.FourierFeatures(n_components=4, random_state=0).fit(table)
    assert list(features.feature_names_in_) == list("abcd")
    assert list(features.get_feature_names_out()) == [f"fourierfeatures{i}" for i in range(4)]
    swapped = frame({name: X[:, i] for i, name in enumerate("bacd")})
    with pytest.raises(ValueError, match="feature names"):
        features.transform(swapped)
    named, plain = (bo.KernelRegressor(length_scale=2.0, alpha=0.1, random_state=0).fit(rows, Y) for rows in (table, X))
    np.testing.assert_allclose(named.predict(table), plain.predict(X), atol=1e-9)


@pytest.mark.parametrize(("library", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_set_output_gives_frames(library, kind):
    features = bo.FourierFeatures(n_components=4, random_state=0).set_output(transform=library)
    assert isinstance(features.fit_transform(X), kind)


def test_a_lazy_frame_is_refused_with_the_way_out():
    with pytest.raises(ValueError, match="collect"):
        bo.KernelRegressor().fit(pl.LazyFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}), [1.0, 2.0])


@pytest.mark.parametrize("state", [0, np.random.RandomState(0), np.random.default_rng(0), None])
def test_every_kind_of_random_state_works_and_the_seed_is_kept(state):
    features = bo.FourierFeatures(n_components=8, random_state=state).fit(X)
    again = bo.FourierFeatures(n_components=8, random_state=features.seed_).fit(X)
    assert np.array_equal(features.map_.omega, again.map_.omega)


def test_float32_and_float64_share_their_frequencies():
    a = bo.FourierFeatures(bo.Gaussian(), random_state=0).fit(X)
    b = bo.FourierFeatures(bo.Gaussian(), random_state=0).fit(X.astype(np.float32))
    assert np.array_equal(a.map_.omega, b.map_.omega)


def test_grid_search_reaches_nested_parameters_in_two_processes():
    search = GridSearchCV(
        bo.KernelRegressor(bo.Gaussian(), n_components=64, random_state=0),
        {"kernel__length_scale": [0.5, 2.0], "alpha": [0.1, 1.0]},
        n_jobs=2,
        cv=3,
    )
    assert search.fit(X, Y).best_score_ > 0.5


def test_models_survive_pickle_joblib_and_clone(tmp_path):
    model = bo.KernelRegressor(random_state=0).fit(X, Y)
    joblib.dump(model, tmp_path / "model.joblib")
    for copy in (pickle.loads(pickle.dumps(model)), joblib.load(tmp_path / "model.joblib")):
        assert np.array_equal(copy.predict(X), model.predict(X))
    with pytest.raises(NotFittedError):
        clone(model).predict(X)


def test_any_transformer_serves_as_features():
    model = bo.KernelRegressor(features=Nystroem(gamma=0.2, n_components=50, random_state=0), alpha=0.1).fit(X, Y)
    theirs = make_pipeline(Nystroem(gamma=0.2, n_components=50, random_state=0), Ridge(alpha=0.1)).fit(X, Y)
    np.testing.assert_allclose(model.predict(X), theirs.predict(X), atol=1e-6)


def test_sample_weight_is_routed_through_a_pipeline():
    with sklearn.config_context(enable_metadata_routing=True):
        regressor = bo.KernelRegressor(length_scale=2.0, random_state=0).set_fit_request(sample_weight=True)
        weights = np.random.default_rng(0).integers(0, 3, len(X))
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        routed = make_pipeline(scaler, regressor).fit(X, Y, sample_weight=weights)
    scaled = StandardScaler().fit_transform(X)
    direct = bo.KernelRegressor(length_scale=2.0, random_state=0).fit(scaled, Y, sample_weight=weights)
    np.testing.assert_allclose(routed.predict(X), direct.predict(scaled), atol=1e-9)


class Counter:
    """Counts the tasks of a fit, passes and their blocks."""

    begun = ended = 0
    torn_down = False

    def setup(self, estimator, context):
        self.total = context.max_subtasks

    def on_fit_task_begin(self, estimator, context):
        self.begun += 1

    def on_fit_task_end(self, estimator, context):
        self.ended += 1

    def teardown(self, estimator, context):
        self.torn_down = True


def test_callbacks_see_every_block_and_can_stop_the_fit():
    counter = Counter()
    bo.KernelRegressor(random_state=0).set_callbacks(counter).fit(X, Y)
    assert counter.begun == counter.ended == counter.total + 1
    assert counter.torn_down


@pytest.mark.parametrize(
    "parameters",
    [
        {"n_components": 32},
        {"features": "nystroem", "n_components": 32},
        {"features": "exact"},
        {"features": "exact", "loss": "logistic", "alpha": 0.1},
        {"features": "exact", "loss": "squared_hinge", "alpha": 1.0},
        {"features": "exact", "loss": "hinge", "alpha": 1.0},
        {"n_components": 32, "loss": "logistic", "alpha": 0.1},
        {"n_components": 32, "loss": "logistic", "alphas": [1.0, 0.1]},
        {"n_components": 32, "loss": "hinge", "alpha": 10.0},
        {"n_components": 32, "loss": "squared_hinge", "alpha": 10.0},
    ],
    ids=lambda given: " ".join(map(str, given.values())),
)
def test_callbacks_see_every_pass_or_iteration_of_a_classifier(parameters):
    counter = Counter()
    model = bo.KernelClassifier(length_scale=2.0, random_state=0, **parameters).set_callbacks(counter)
    model.fit(X, np.median(Y) < Y)
    assert counter.begun == counter.ended >= 2
    assert counter.torn_down


@pytest.mark.parametrize("loss", ["squared_error", "logistic", "hinge"])
def test_a_progress_bar_of_a_classifier_is_drawn_to_its_end(capsys, loss):
    pytest.importorskip("rich")
    callback = pytest.importorskip("sklearn.callback")
    model = bo.KernelClassifier(bo.Gaussian(2.0), loss=loss, n_components=16, alpha=10.0, random_state=0)
    model.set_callbacks(callback.ProgressBar()).fit(X, np.median(Y) < Y)
    drawn = capsys.readouterr().out
    assert "KernelClassifier - fit" in drawn
    assert "100%" in drawn


def test_callbacks_see_rows_that_are_added_to_a_classifier_and_other_losses():
    streamed, huber = Counter(), Counter()
    settings = {"length_scale": 2.0, "n_components": 16, "random_state": 0}
    labels = np.median(Y) < Y
    bo.KernelClassifier(alpha=0.1, **settings).set_callbacks(streamed).partial_fit(X, labels)
    bo.KernelHuberRegressor(alpha=0.1, **settings).set_callbacks(huber).fit(X, Y)
    for counter in (streamed, huber):
        assert counter.begun == counter.ended >= 2
        assert counter.torn_down


def test_inputs_are_not_modified():
    data, target, weights = X.copy(), Y.copy(), np.ones(len(X))
    for array in (data, target, weights):
        array.setflags(write=False)
    bo.KernelRegressor(random_state=0).fit(data, target, sample_weight=weights).predict(data, return_std=True)
