"""ONNX graphs: onnxruntime says what the model says."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import TransformedTargetRegressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, PolynomialFeatures, StandardScaler

import bochner as bo
from bochner import groups
from bochner.errors import MissingExtraError, UnsupportedModelError
from tests.io.fitted_models import BAGS, FRAME, LABELS, SIZES, X, Y, classifier, regressor, table

pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")

NEW = np.random.default_rng(5).standard_normal((37, 4))
FLOATS = pytest.mark.parametrize("dtype", [np.float32, np.float64])
REFLECTION = groups.FromMatrices([np.eye(4), np.eye(4)[::-1]], closed=True)
STRETCH = groups.FromMatrices([np.eye(4), np.diag([1, 2, 1, 1.0])], weights=[1, 3], unitary=False)

MAPS = {
    "pairs": bo.FourierFeatures(bo.Gaussian(2.0), n_components=64, random_state=0),
    "odd width": bo.FourierFeatures(n_components=33, random_state=0),
    "phases": bo.FourierFeatures(n_components=32, embedding="phase", random_state=0),
    "one phase": bo.FourierFeatures(n_components=1, random_state=0),
    "leverage": bo.FourierFeatures(n_components=32, sampling="leverage", random_state=0),
    "orbit": bo.OrbitFeatures(
        groups.Permutations(), bo.FourierFeatures(n_components=33), n_transforms=5, random_state=0
    ),
    "orbit with weights": bo.OrbitFeatures(STRETCH, bo.FourierFeatures(n_components=8), random_state=0),
    "orbit of landmarks": bo.OrbitFeatures(
        REFLECTION, bo.NystroemFeatures(bo.Gaussian(2.0), n_components=8), random_state=0
    ),
    "landmarks": bo.NystroemFeatures(bo.Gaussian(3.0), n_components=20, random_state=0),
    "landmarks, Matern": bo.NystroemFeatures(bo.Matern(np.arange(1.0, 5), nu=2.5), n_components=20, random_state=0),
    "landmarks, Laplacian": bo.NystroemFeatures(bo.Laplacian(2.0), n_components=20, random_state=0),
    "landmarks, Cauchy": bo.NystroemFeatures(bo.Cauchy(2.0), n_components=20, random_state=0),
    "landmarks, sums": bo.NystroemFeatures(
        bo.RationalQuadratic(2.0) * bo.Matern(nu=0.5) + 3.0 * bo.Matern(nu=1.5), n_components=20, random_state=0
    ),
    "landmarks of a group": bo.NystroemFeatures(n_components=10, group=REFLECTION, random_state=0),
    "landmarks, two-sided": bo.NystroemFeatures(n_components=10, group=STRETCH, random_state=0),
    "patches": bo.PatchFeatures((2, 2), 1, pool=(2, 1), centred=False, random_state=0),
    "patches, centred": bo.PatchFeatures((2, 2), 2, bo.FourierFeatures(n_components=8), pool=1, random_state=0),
    "patches on rings": bo.PatchFeatures((2, 2), 1, pool=(1, 4), centred=False, grid="polar", random_state=0),
    "landmarks of shifts": bo.NystroemFeatures(n_components=10, group=bo.groups.CyclicShifts(), random_state=0),
    "splines": bo.SplineFeatures(4, n_components=16, length_scale=9.0, random_state=0),
    "splines of another order": bo.SplineFeatures(5.5, n_components=16, length_scale=9.0, random_state=0),
}


@FLOATS
@pytest.mark.parametrize("kernel", [bo.Matern(2.0, nu=0.5), bo.Matern(2.0, nu=1.5), bo.Gaussian(2.0)], ids=repr)
def test_rows_of_the_fit_of_an_exact_machine_are_no_worse_than_others(kernel, dtype):
    """Distances of near rows were differences of large numbers in float32: predictions were off by 0.03 deviations."""
    rng = np.random.default_rng(0)
    rows = 100 + rng.standard_normal((400, 4))
    y = np.sin(3 * rows[:, 0]) + 0.01 * rng.standard_normal(400)
    model = bo.KernelRegressor(kernel, features="exact", length_scale=2.0, alpha=1e-6).fit(rows, y)
    seen = rows.astype(np.float32).astype(float)
    mean = run(model, seen, dtype)["mean"][:, 0]
    assert np.max(np.abs(mean - model.predict(seen))) < (1e-5 if dtype == np.float32 else 1e-7) * y.std()


@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 64, 100])
def test_any_number_of_rows_is_cut_into_blocks(n, monkeypatch):
    monkeypatch.setattr("bochner.io.onnx.export._BLOCK_VALUES", 32 * 64)
    rows = np.random.default_rng(n).standard_normal((n, 4))
    both = np.column_stack([Y, X[:, 0]])
    models = regressor(features="nystroem").fit(X, both), regressor(features="fourier").fit(X, Y)
    for model, t in zip(models, (2, 1)):
        mean = run(model, rows, np.float64)["mean"]
        assert mean.shape == (n, t)
        if n:
            np.testing.assert_allclose(mean, model.predict(rows).reshape(n, t), atol=1e-9)


def run(model, rows, dtype, path=None, **options):
    proto = bo.to_onnx(model, path, dtype=dtype, **options)
    session = runtime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    feed = rows if isinstance(rows, dict) else {session.get_inputs()[0].name: rows.astype(dtype)}
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, feed), strict=True))


OF_ROUNDED_ROWS = 1e-4
"""What a steep function makes of rows that are rounded to float32 before it."""


def assert_close(found, expected, dtype, float32_error=1e-5):
    assert found.dtype == dtype
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=float32_error if dtype == np.float32 else 1e-9)


@FLOATS
@pytest.mark.parametrize("name", MAPS)
def test_feature_maps_have_the_same_features(name, dtype):
    features = MAPS[name].fit(X)
    assert_close(run(features, NEW, dtype)["transformed"], features.transform(NEW), dtype)


@FLOATS
@pytest.mark.parametrize("n_rows", [0, 1, 1000])
def test_the_number_of_rows_is_free(n_rows, dtype):
    features = MAPS["orbit"].fit(X)
    rows = np.random.default_rng(0).standard_normal((n_rows, 4))
    found = run(features, rows, dtype)["transformed"]
    assert found.shape == (n_rows, 33)
    assert n_rows == 0 or np.abs(found - features.transform(rows)).max() < 1e-5


@FLOATS
@pytest.mark.parametrize("targets", [Y, np.c_[Y, X[:, 2]]], ids=["one target", "two targets"])
def test_regressors_have_the_same_mean(targets, dtype):
    model = regressor().fit(X, targets)
    assert_close(run(model, NEW, dtype)["mean"], model.predict(NEW).reshape(37, -1), dtype, OF_ROUNDED_ROWS)


@FLOATS
@pytest.mark.parametrize("given", [{}, {"alpha": 1e-6}, {"fit_intercept": False}], ids=repr)
def test_regressors_have_the_same_error_bars(given, dtype):
    model = regressor(**given).fit(X, np.c_[Y, X[:, 2]])
    mean, std = model.predict(NEW, return_std=True)
    found = run(model, NEW, dtype, std=True)
    assert list(found) == ["mean", "std"]
    tolerance = 1e-8 if dtype == np.float64 else 1e-5 * np.abs(model.coef_).max()
    np.testing.assert_allclose(found["mean"], mean, atol=tolerance)
    np.testing.assert_allclose(found["std"], std, rtol=1e-3 if dtype == np.float32 else 1e-7)
    with pytest.raises(ValueError, match="'std' parameter"):
        bo.to_onnx(MAPS["pairs"].fit(X), std=True)


def test_a_streamed_model_is_solved_first():
    model = regressor(length_scale=2.0).partial_fit(X, Y)
    assert_close(run(model, NEW, np.float64)["mean"][:, 0], model.predict(NEW), np.float64)


@FLOATS
@pytest.mark.parametrize("labels", [LABELS, Y > 0, np.round(Y).astype(int), np.where(Y > 0, 1.0, 2.0)])
@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_classifiers_have_the_same_labels_and_probabilities(labels, loss, dtype):
    model = classifier(loss=loss, probability=loss == "hinge").fit(X, labels)
    found = run(model, NEW, dtype)
    assert list(found) == ["label", "probabilities"]
    np.testing.assert_array_equal(found["label"], model.predict(NEW))
    assert_close(found["probabilities"], model.predict_proba(NEW), dtype)


def test_classifiers_without_probabilities_have_scores():
    for labels in (LABELS, Y > 0):
        model = classifier(loss="squared_hinge").fit(X, labels)
        found = run(model, NEW, np.float64)
        np.testing.assert_array_equal(found["label"], model.predict(NEW))
        assert_close(np.squeeze(found["scores"]), model.decision_function(NEW), np.float64)


@FLOATS
def test_principal_components_are_the_same(dtype):
    model = bo.KernelPCA(n_components=3, width=64, random_state=0).fit(X)
    assert_close(run(model, NEW, dtype)["transformed"], model.transform(NEW), dtype)


def test_the_file_is_the_graph_and_is_written_whole(tmp_path):
    import onnx

    path = tmp_path / "model.onnx"
    proto = bo.to_onnx(regressor().fit(X, Y), path)
    assert [each.name for each in tmp_path.iterdir()] == ["model.onnx"]
    assert onnx.load(path) == proto
    assert proto.ir_version == 9
    assert [(each.domain, each.version) for each in proto.opset_import] == [("", 18)]
    assert proto.graph.input[0].type.tensor_type.elem_type == onnx.TensorProto.FLOAT


@FLOATS
@pytest.mark.parametrize("last", [regressor(), Ridge(), bo.KernelPCA(n_components=2, width=32, random_state=0)])
def test_pipelines_export_through_skl2onnx(last, dtype):
    pytest.importorskip("skl2onnx")
    features = [bo.FourierFeatures(n_components=32, random_state=0)] if isinstance(last, Ridge) else []
    model = make_pipeline(StandardScaler(), MinMaxScaler(), *features, last).fit(X, Y)
    (found,) = run(model, NEW, dtype).values()
    expected = model.transform(NEW) if hasattr(model, "transform") else model.predict(NEW)[:, None]
    assert_close(found, expected, dtype, OF_ROUNDED_ROWS)


@FLOATS
@pytest.mark.parametrize("labels", [LABELS, Y > 0, np.round(Y).astype(np.int8), np.where(Y > 0, 1.0, 2.0)])
def test_pipelines_with_classifiers_export(labels, dtype):
    pytest.importorskip("skl2onnx")
    model = make_pipeline(StandardScaler(), classifier()).fit(X, labels)
    label, probabilities = run(model, NEW, dtype).values()
    np.testing.assert_array_equal(label, model.predict(NEW))
    assert_close(probabilities, model.predict_proba(NEW), dtype)


def test_pipelines_on_frames_take_a_column_each():
    pytest.importorskip("skl2onnx")
    frame = FRAME.assign(b=FRAME["b"].fillna(0.5))
    model = make_pipeline(table(), classifier()).fit(frame, LABELS)
    feed = {
        name: column.to_numpy()[:, None].astype(np.float32 if column.dtype.kind == "f" else object)
        for name, column in frame.items()
    }
    label, probabilities = run(model, feed, np.float32, X=frame).values()
    np.testing.assert_array_equal(label, model.predict(frame))
    np.testing.assert_allclose(probabilities, model.predict_proba(frame), atol=1e-5)


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (bo.DistributionRegressor(n_components=8).fit(BAGS, SIZES), "bags of any size"),
        (bo.DriftDetector(window=5).fit(X), "state of a stream"),
        (bo.NystroemFeatures(bo.Matern(nu=0.8), n_components=5).fit(X), r"Matern\(nu=0.8\) has no static graph"),
        (bo.SplineFeatures(6, n_components=5).fit(X), "twice an odd number"),
        (regressor(features=PolynomialFeatures()).fit(X, Y), "into a Pipeline"),
        (
            bo.OrbitFeatures(groups.FromFunctions([np.negative]), bo.FourierFeatures(n_components=4)).fit(X),
            "functions have no static graph",
        ),
        (
            make_pipeline(FunctionTransformer(np.log1p), regressor(alpha=1.0)).fit(np.abs(X), Y),
            "skl2onnx could not convert",
        ),
        (TransformedTargetRegressor(regressor(), transformer=StandardScaler()).fit(X, Y), "skl2onnx could not convert"),
    ],
)
def test_what_has_no_static_graph_is_refused_with_the_reason(model, reason):
    pytest.importorskip("skl2onnx")
    with pytest.raises(UnsupportedModelError, match=reason):
        bo.to_onnx(model)


def test_options_and_missing_packages_are_named(monkeypatch):
    model = regressor().fit(X, Y)
    with pytest.raises(ValueError, match=r"'dtype' parameter of to_onnx must be float32, float64 or None. Got 'int32'"):
        bo.to_onnx(model, dtype="int32")
    with pytest.raises(NotFittedError):
        bo.to_onnx(regressor())
    monkeypatch.setitem(__import__("sys").modules, "skl2onnx", None)
    with pytest.raises(UnsupportedModelError, match="pip install skl2onnx"):
        bo.to_onnx(make_pipeline(StandardScaler(), regressor()).fit(X, Y))
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    with pytest.raises(MissingExtraError, match=r"bochner\[onnx\]"):
        bo.to_onnx(model)


def test_names_of_columns_are_kept_out_of_the_way():
    model = regressor().fit(pd.DataFrame(X, columns=list("abcd")), Y)
    assert_close(
        run(model, NEW, np.float64)["mean"][:, 0], model.predict(pd.DataFrame(NEW, columns=list("abcd"))), np.float64
    )
