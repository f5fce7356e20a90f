"""Model files: the same model comes back, small and readable in later versions."""

import inspect
import json
import re
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.compose import make_column_selector
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

import bochner as bo
from bochner import groups, kernels, sampling
from bochner.errors import FileFormatError, MissingStatisticsError, UnsupportedModelError
from bochner.io.types import name_of, types_by_name
from bochner.solvers import Ending
from tests.io.fitted_models import FITTED, LABELS, X, Y, answers, classifier, regressor

FILES = Path(__file__).parent / "files"


def again(model, path, **options):
    bo.save(model, path, **options)
    return bo.load(path)


def shown(model):
    """The model as it prints itself, with its parameters; generators print where they are in memory."""
    return re.sub(r" at 0x\w+", "", repr(model))


def assert_same_answers(one, other):
    expected, found = answers(one), answers(other)
    assert expected.keys() == found.keys()
    assert expected
    for name, value in expected.items():
        assert found[name].dtype == value.dtype
        np.testing.assert_array_equal(found[name], value, err_msg=name)


@pytest.mark.parametrize("frequencies", ["auto", "stored"])
def test_a_loaded_model_gives_the_same_bits(model, tmp_path, frequencies):
    loaded = again(model, tmp_path / "model.bochner", frequencies=frequencies)
    assert type(loaded) is type(model)
    assert shown(loaded) == shown(model)
    assert vars(loaded).keys() - {"_sklearn_version"} == vars(model).keys()
    assert_same_answers(model, loaded)


def test_a_model_without_statistics_predicts_the_same_bits(model, tmp_path):
    assert_same_answers(model, again(model, tmp_path / "model.bochner", statistics=False))


def test_a_model_can_be_saved_and_loaded_twice(model, tmp_path):
    once = again(model, tmp_path / "model.bochner")
    assert_same_answers(model, again(once, tmp_path / "again.bochner"))


def test_every_public_estimator_is_tried_here():
    public = {name: getattr(bo, name) for name in bo._HOME}
    estimators = {
        name
        for name, each in public.items()
        if inspect.isclass(each) and issubclass(each, BaseEstimator) and hasattr(each, "fit")
    }
    assert estimators <= {name.split(",")[0].split(" ")[0] for name in FITTED}


PARTS_OF_MODELS = [name for name, home in bo._HOME.items() if not home.startswith("bochner.reporting")]


@pytest.mark.parametrize("name", [name for name in PARTS_OF_MODELS if inspect.isclass(getattr(bo, name))])
def test_every_public_class_is_in_the_table(name):
    assert name_of(getattr(bo, name)) is not None


def small_objects():
    for module in (kernels, sampling, groups):
        for name in module.__all__:
            each = getattr(module, name)
            if inspect.isclass(each) and issubclass(each, BaseEstimator) and not inspect.isabstract(each):
                yield each


@pytest.mark.parametrize("cls", list(small_objects()), ids=lambda cls: cls.__qualname__)
def test_every_kernel_sampler_and_group_comes_back(cls, tmp_path):
    given = {
        "groups": [groups.SignFlips(), groups.CyclicShifts()],
        "matrices": [np.eye(3)],
        "left": bo.Gaussian(np.array([1.0, 2.0])),
        "right": bo.Spline(order=3),
        "kernel": bo.Cauchy(),
        "factor": 2.0,
        "directions": np.eye(2),
        "shape": (4, 4),
        "functions": [],
    }
    required = [
        p.name for p in inspect.signature(cls).parameters.values() if p.default is p.empty and p.kind != p.VAR_KEYWORD
    ]
    thing = cls(**{name: given[name] for name in required if name in given})
    assert repr(again(thing, tmp_path / "thing")) == repr(thing)


GIVEN = {
    "ColumnTransformer": {"transformers": [("scaled", StandardScaler(), make_column_selector())], "remainder": "drop"},
    "FeatureUnion": {"transformer_list": [("scaled", StandardScaler())]},
    "MultiOutputClassifier": {"estimator": RidgeClassifier()},
    "MultiOutputRegressor": {"estimator": Ridge()},
    "Pipeline": {"steps": [("scaled", StandardScaler())]},
    "MissingIndicator": {"features": "all"},
    "QuantileTransformer": {"n_quantiles": 10},
}


STEPS = sorted({name for name in types_by_name() if name.startswith("sklearn.")} - {"sklearn.make_column_selector"})


@pytest.mark.parametrize("name", STEPS)
def test_every_step_of_scikit_learn_in_the_table_comes_back(name, tmp_path):
    cls = types_by_name()[name]
    model = cls(**GIVEN.get(cls.__name__, {}))
    rows = pd.DataFrame(X[:, :3], columns=list("abc"))
    if cls.__name__.startswith("Label"):
        rows, given = LABELS, (LABELS,)
    else:
        given = (rows, (np.c_[Y > 0, Y > 1] if cls.__name__.startswith("MultiOutput") else Y > 0).astype(int))
    loaded = again(model.fit(*given), tmp_path / "step")
    ask = "transform" if hasattr(model, "transform") else "predict"
    expected, found = (getattr(each, ask)(rows) for each in (model, loaded))
    if hasattr(expected, "toarray"):
        expected, found = expected.toarray(), found.toarray()
    np.testing.assert_array_equal(found, expected)


def test_streaming_goes_on_after_a_load(make, tmp_path):
    for name, y in (("KernelRegressor, streamed", Y), ("KernelClassifier, streamed", LABELS)):
        model = make(name)
        loaded = again(model, tmp_path / "model.bochner")
        one, other = (each.partial_fit(X[::2], y[::2]) for each in (again(model, tmp_path / "copy"), loaded))
        assert_same_answers(one, other)
        assert not np.array_equal(other.coef_, model.coef_)


def test_error_bars_certificates_and_streams_come_back(make, tmp_path):
    model = make("KernelRegressor")
    loaded = again(model, tmp_path / "model.bochner")
    np.testing.assert_array_equal(loaded.predict(X, return_std=True)[1], model.predict(X, return_std=True)[1])
    assert loaded.certify(X, y=Y).value == model.certify(X, y=Y).value
    assert loaded.dof_ == model.dof_
    assert loaded.path_.alphas.tolist() == model.path_.alphas.tolist()
    detector = make("DriftDetector")
    copies = [again(detector, tmp_path / "detector") for _ in range(2)]
    assert [each.update(np.vstack([X, X]) + 3) for each in copies] == [True, True]
    assert copies[0].history_["evidence"].tolist() == copies[1].history_["evidence"].tolist()


def test_without_statistics_what_needs_them_says_so(make, tmp_path):
    for name, y in (
        ("KernelRegressor, streamed", Y),
        ("KernelClassifier, streamed", LABELS),
        ("KernelPCA", None),
        ("KernelNovelty", None),
    ):
        loaded = again(make(name), tmp_path / "model.bochner", statistics=False)
        with pytest.raises(MissingStatisticsError, match="statistics=True"):
            loaded.partial_fit(X, y)
    loaded = again(make("KernelRegressor"), tmp_path / "model.bochner", statistics=False)
    with pytest.raises(MissingStatisticsError, match="statistics=True"):
        loaded.predict(X, return_std=True)
    loaded.fit(X, Y)
    loaded.predict(X, return_std=True)


def test_gaussian_frequencies_and_statistics_are_most_of_a_file(tmp_path):
    rows = np.random.default_rng(0).standard_normal((50, 100))
    model = bo.KernelRegressor(bo.Gaussian(10.0), n_components=400, random_state=0).fit(rows, rows[:, 0])
    sizes = {}
    for frequencies in ("auto", "stored"):
        for statistics in (True, False):
            bo.save(model, tmp_path / "model", frequencies=frequencies, statistics=statistics)
            sizes[frequencies, statistics] = (tmp_path / "model").stat().st_size
    omega, moments = 8 * 200 * 100, 8 * 400 * 401 // 2
    assert sizes["stored", True] - sizes["auto", True] == pytest.approx(omega, rel=0.05)
    assert sizes["auto", True] - sizes["auto", False] == pytest.approx(moments, rel=0.01)
    assert sizes["auto", False] < 30_000


def test_a_file_does_not_grow_with_the_rows(tmp_path):
    rows = np.random.default_rng(0).standard_normal((2000, 2))
    for loss in ("logistic", "hinge"):
        for n in (100, 2000):
            bo.save(classifier(loss=loss, length_scale=1.0).fit(rows[:n], rows[:n, 0] > 0), tmp_path / f"{n}")
        assert (tmp_path / "2000").stat().st_size == pytest.approx((tmp_path / "100").stat().st_size, abs=100)


def test_frequencies_that_are_drawn_differently_are_refused(make, tmp_path, monkeypatch):
    path = tmp_path / "model.bochner"
    bo.save(make("KernelRegressor"), path)
    monkeypatch.setattr(bo.MonteCarlo, "points", bo.QuasiMonteCarlo().points)
    with pytest.raises(FileFormatError, match="frequencies='stored'"):
        bo.load(path)


def test_frequencies_changed_by_hand_are_kept(tmp_path):
    features = bo.FourierFeatures(n_components=8, random_state=0).fit(X)
    features.map_.omega[0] = 0
    np.testing.assert_array_equal(again(features, tmp_path / "f").map_.omega, features.map_.omega)


def test_one_map_in_two_places_stays_one(make, tmp_path):
    loaded = again(make("KernelRegressor"), tmp_path / "model.bochner")
    assert loaded.feature_map_ is loaded.features_.map_


def test_an_unfitted_model_comes_back_unfitted(tmp_path):
    model = again(regressor(alphas=[0.1, 1.0], kernel=bo.Matern(np.arange(1.0, 5.0))), tmp_path / "model")
    assert not hasattr(model, "moments_")
    model.fit(X, Y)
    assert clone(model).fit(X, Y).alpha_ == model.alpha_


def test_solutions_of_iterative_solvers_come_back(tmp_path):
    model = regressor(alpha=0.1, solver="iterative").fit(X, Y)
    loaded = again(model, tmp_path / "model")
    assert loaded.fitted_.solution.ending is Ending.CONVERGED
    for answer, expected in zip(loaded.predict(X, return_std=True), model.predict(X, return_std=True), strict=True):
        np.testing.assert_array_equal(answer, expected)
    small = again(model, tmp_path / "small", statistics=False)
    np.testing.assert_array_equal(small.predict(X), model.predict(X))
    with pytest.raises(MissingStatisticsError):
        small.predict(X, return_std=True)


def test_categories_of_every_kind_come_back(tmp_path):
    columns = np.array([["a", 1, None], ["\x00", 2.5, "b\x00"], ["", np.nan, "ü\ud800"]], dtype=object)
    encoder = OneHotEncoder(sparse_output=False, dtype=np.float32).fit(columns)
    loaded = again(encoder, tmp_path / "encoder")
    np.testing.assert_array_equal(loaded.transform(columns), encoder.transform(columns))
    assert loaded.dtype is np.float32


@pytest.mark.parametrize(
    ("model", "where"),
    [
        (make_pipeline(FunctionTransformer(np.log1p), regressor()), r"model\.steps\.0\.1\.func is a function"),
        (bo.OrbitFeatures(groups.FromFunctions([lambda rows: rows])), r"model\.group\.functions\.0 is a function"),
        (bo.KernelClassifier(cv=iter([])), r"model\.cv is of type list_iterator"),
        (3, "holds a model"),
    ],
)
def test_what_is_no_data_is_refused_with_its_place(model, where, tmp_path):
    with pytest.raises(UnsupportedModelError, match=where):
        bo.save(model, tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_options_are_checked(tmp_path):
    with pytest.raises(ValueError, match=r"'frequencies' parameter of save must be 'auto' or 'stored'. Got 'none'"):
        bo.save(classifier(), tmp_path / "model", frequencies="none")


def test_a_file_can_be_looked_into_without_us(make, tmp_path):
    bo.save(make("KernelRegressor"), tmp_path / "model.bochner")
    with zipfile.ZipFile(tmp_path / "model.bochner") as archive:
        header = json.loads(archive.read("header.json"))
    assert header["kind"] == "model"
    assert header["bochner"] == bo.__version__
    assert header["header"]["model"]["object"] == "estimators.KernelRegressor"
    assert "model.fitted_.found.coef" in header["arrays"]


def test_places_of_files_are_not_in_a_model(tmp_path):
    model = make_pipeline(
        StandardScaler(), regressor(checkpoint=tmp_path / "checkpoint"), memory=str(tmp_path / "cache")
    )
    loaded = again(model, tmp_path / "model")
    assert loaded.memory is None
    assert loaded[-1].checkpoint is None
    assert model.memory is not None
    assert model[-1].checkpoint is not None


def test_a_parameter_that_came_after_the_file_has_its_default(tmp_path):
    model = regressor()
    del model.solver
    assert again(model, tmp_path / "model").get_params()["solver"] == "auto"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning")
@pytest.mark.parametrize("path", sorted(FILES.glob("*.bochner")), ids=lambda path: path.name)
def test_files_of_earlier_versions_are_read(path):
    """Written once and never again: `python -m tests.io.write_files` adds those of a new version."""
    expected = np.load(path.with_suffix(".npz"))
    found = answers(bo.load(path))
    assert found.keys() == set(expected.files)
    for name, value in found.items():
        if value.dtype.kind == "f":
            np.testing.assert_allclose(value, expected[name], rtol=1e-9, atol=1e-9)
        else:
            np.testing.assert_array_equal(value, expected[name])
