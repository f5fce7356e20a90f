"""Files with valid checksums around a forged structure: refused, or a model that can be used."""

import copy
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, OneHotEncoder, StandardScaler

import bochner as bo
from benchmarks.chaos.forged_files import _file, tried
from benchmarks.chaos.forged_models import corpus
from benchmarks.chaos.forged_trees import Content
from bochner.errors import FileFormatError, UnsupportedModelError
from bochner.solvers import LinearSolution
from tests.io.fitted_models import X, Y, regressor

INTERFACE = {
    "dict": [["data", {"tuple": [4096, False]}], ["shape", {"tuple": [2]}], ["typestr", "<f8"], ["version", 3]]
}


def content_of(model, path, **options):
    bo.save(model, path, **options)
    return Content.of(path.read_bytes(), ["kernels.Gaussian", "sklearn.StandardScaler", "estimators.FourierFeatures"])


def assert_refused(content, path, message):
    path.write_bytes(content.written())
    with pytest.raises(FileFormatError, match=message):
        bo.load(path)


@pytest.mark.filterwarnings("ignore:Trying to unpickle")  # scikit-learn's, of an object without its version
@pytest.mark.parametrize(
    "name", ["kernels.Gaussian", "sklearn.StandardScaler", "features.FourierMap", "groups._Composed"]
)
def test_an_object_with_the_attributes_of_an_array_is_no_array(tmp_path, name):
    """The one that read beyond its end: frequencies with a forged ndim, dtype, T and length."""
    features = bo.FourierFeatures(n_components=8, random_state=0).fit(X)
    content = content_of(features, tmp_path / "model", frequencies="stored")
    state = content.header["header"]["model"]["state"]["map_"]["state"]
    attributes = {"ndim": 2, "dtype": {"dtype": "float64"}, "T": state["omega"], "shape": {"tuple": [20_000_000, 4]}}
    for kept in (attributes, {}, {"omega": state["omega"], "actions": {"tuple": [1] * 1000}}):
        state["omega"] = {"object": name, "state": kept}
        assert_refused(content, tmp_path / "forged", "was altered")


@pytest.mark.parametrize("name", ["__array_interface__", "__array_struct__", "__array__", "profile", "T"])
def test_no_attribute_makes_an_array_of_an_object(tmp_path, name):
    """NumPy looks `__array_interface__` up on the object: an address in a file would be read."""
    content = content_of(StandardScaler().fit(X), tmp_path / "model")
    scaler = content.header["header"]["model"]
    scaler["state"]["mean_"] = {"object": "kernels.Gaussian", "state": {"length_scale": 1.0, name: INTERFACE}}
    assert_refused(content, tmp_path / "forged", f"a Gaussian has an attribute '{name}'")


def test_a_one_hot_encoder_with_forged_sizes_is_refused(tmp_path):
    content = content_of(OneHotEncoder().fit(np.arange(50)[:, None]), tmp_path / "model")
    content.header["header"]["model"]["state"]["_n_features_outs"] = [1]
    assert_refused(content, tmp_path / "forged", "OneHotEncoder has arrays or numbers that do not fit")


@pytest.mark.parametrize(
    ("model", "change", "words"),
    [
        (regressor, {"column_ranges_": None, "n_features_in_": 3}, "columns that do not fit"),
        (regressor, {"alpha": "none"}, "parameters that its fit refuses. The 'alpha' parameter of KernelRegressor"),
        (regressor, {"features": [1]}, "parameters that its fit refuses"),
        (StandardScaler, {"n_features_in_": 3}, "columns that do not fit"),
        (StandardScaler, {"mean_": 1.0}, "columns that do not fit"),
        (StandardScaler, {"scale_": ...}, "not all that its fit leaves"),
        (StandardScaler, {"feature_names_in_": ["a"]}, "columns that do not fit"),
        (lambda: make_pipeline(StandardScaler()), {"steps": [["a"]]}, "columns that do not fit"),
    ],
)
def test_a_fitted_model_with_parts_that_no_fit_leaves_is_refused(tmp_path, model, change, words):
    """It was loaded, and ended in an AttributeError or an IndexError when it was used."""
    content = content_of(model().fit(X, Y), tmp_path / "model")
    state = content.header["header"]["model"]["state"]
    for name, value in change.items():
        state.pop(name, None)
        state |= {} if value is ... else {name: value}
    assert_refused(content, tmp_path / "forged", words)


def test_a_column_of_a_table_with_foreign_fields_is_refused(tmp_path):
    content = content_of(bo.TableEncoder().fit(X), tmp_path / "model")
    column = content.header["header"]["model"]["state"]["columns_"][0]
    for pair in ["levels", []], ["mean", "0"]:
        kept = copy.deepcopy(column)
        column["dict"] = [each for each in column["dict"] if each[0] != pair[0]] + [pair]
        assert_refused(content, tmp_path / "forged", "altered")
        column.update(kept)


def test_target_statistics_of_other_levels_than_there_are_are_refused(tmp_path):
    table = pd.DataFrame({"a": [f"s{each % 90}" for each in range(200)]})
    content = content_of(bo.TableEncoder().fit(table, np.arange(200.0) % 90), tmp_path / "model")
    column = content.header["header"]["model"]["state"]["columns_"][1]
    for forged in [[]], [[1.0]], [], "means":
        kept = copy.deepcopy(column)
        column["dict"] = [each for each in column["dict"] if each[0] != "means"] + [["means", forged]]
        assert_refused(content, tmp_path / "forged", "altered")
        column.update(kept)


@pytest.mark.parametrize("pairs", [[[0, 9]], [[1, 1]], [[-1, 2]], [[2, 1]], [[0.0, 1.0]], [[0, 1, 2]]], ids=str)
def test_columns_of_levels_that_are_none_are_refused(tmp_path, pairs):
    content = content_of(regressor().fit(X, Y), tmp_path / "model")
    content.arrays["levels"] = np.array(pairs)
    content.header["header"]["model"]["state"]["level_columns_"] = {"array": "levels"}
    assert_refused(content, tmp_path / "forged", "columns that do not fit")


@pytest.mark.parametrize("columns", [-1, 2**32, {"scalar": "columns"}], ids=str)
def test_a_number_of_columns_that_nothing_stands_for_is_refused(tmp_path, columns):
    """A list of their names would fill the memory."""
    content = content_of(Normalizer().fit(X), tmp_path / "model")
    content.arrays["columns"] = np.array(2**40)
    content.header["header"]["model"]["state"]["n_features_in_"] = columns
    assert_refused(content, tmp_path / "forged", "has a 'n_features_in_' of")


@pytest.mark.parametrize(
    "top",
    [
        lambda model: [model],
        lambda model: {"tuple": [model]},
        lambda model: {"dict": [["a", model]]},
        lambda model: {"array": "model.length_scale"},
        lambda model: {"enum": ["solvers.Ending", "CONVERGED"]},
        lambda model: "text",
        lambda model: None,
    ],
)
def test_only_models_are_loaded(tmp_path, top):
    content = content_of(bo.Gaussian(np.ones(3)), tmp_path / "model")
    content.header["header"]["model"] = top(content.header["header"]["model"])
    assert_refused(content, tmp_path / "forged", "holds no model")


@pytest.mark.parametrize("value", [[bo.Gaussian()], np.ones(3), {"a": 1}, 3, None, bo.solvers.Ending.CONVERGED])
def test_only_models_are_saved(tmp_path, value):
    with pytest.raises(UnsupportedModelError, match="holds a model"):
        bo.save(value, tmp_path / "model")


def test_an_object_is_not_inside_itself(tmp_path):
    """It would be used before it was checked."""
    content = content_of(bo.Gaussian() + bo.Matern(), tmp_path / "model")
    content.header["header"]["model"]["state"]["left"] = {"same": 0}
    assert_refused(content, tmp_path / "forged", "no object 0 above that is complete")
    moments = content_of(regressor(n_components=4).fit(X, Y), tmp_path / "model")
    text = json.dumps(moments.header).replace('"features": ', '"features": {"same": 0}, "unused": ', 1)
    moments.header = json.loads(text)
    assert_refused(moments, tmp_path / "forged", "was altered")


def test_derived_state_is_never_taken_from_a_file(tmp_path):
    model = bo.NystroemFeatures(n_components=5, random_state=0).fit(X)
    content = content_of(model, tmp_path / "model")
    values = content.header["header"]["model"]["state"]["map_"]["state"]["values"]["state"]
    content.arrays["other"] = np.zeros((1, 4))
    values["_cast"] = {"dict": [[{"dtype": "float64"}, [{"array": "other"}]]]}
    (tmp_path / "forged").write_bytes(content.written())
    np.testing.assert_array_equal(bo.load(tmp_path / "forged").transform(X), model.transform(X))


def test_dual_variables_of_rows_that_are_not_there_are_not_read(tmp_path):
    """A compiled loop goes through as many as there are rows."""
    content = content_of(LinearSolution(np.ones((4, 1)), np.ones(1), 1.0, 0.0, 1, True), tmp_path / "model")
    content.arrays["dual"] = np.ones((1, 1))
    content.header["header"]["model"]["state"]["dual"] = {"array": "dual"}
    (tmp_path / "forged").write_bytes(content.written())
    assert bo.load(tmp_path / "forged").dual is None


def test_attributes_that_a_file_cannot_hold_are_refused_when_it_is_written(tmp_path):
    model = regressor(n_components=4).fit(X, Y)
    model.predict_quickly = 3
    with pytest.raises(UnsupportedModelError, match="A KernelRegressor has an attribute 'predict_quickly'"):
        bo.save(model, tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def contents(tmp_path_factory):
    names = ["FourierFeatures", "NystroemFeatures", "OrbitFeatures", "KernelRegressor", "KernelClassifier, streamed"]
    folder = tmp_path_factory.mktemp("corpus")
    return [(name, path.read_bytes()) for name, path in corpus(folder, [*names, "KernelPCA", "OneHotEncoder"])]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("as_bytes", [False, True], ids=["structure", "bytes"])
def test_a_sample_of_forged_files_is_refused_or_used(contents, as_bytes):
    """Many thousand more: python -m benchmarks.chaos.forged_files."""
    outcomes = set()
    for number in range(60):
        name, raw, true, done = _file(contents, 0, number, as_bytes=as_bytes)
        outcome, detail = tried(name, raw, true)
        assert outcome != "fault", f"{number} {name} {done} {detail}"
        outcomes.add(outcome)
    assert "refused" in outcomes


@pytest.mark.parametrize("last", [-(2**63), -1, 2])
def test_a_sparse_matrix_whose_rows_go_back_is_refused(last, tmp_path):
    """SciPy does not look at the bounds of rows where the last one is not positive, and reads beyond the arrays."""
    flips = bo.OrbitFeatures(bo.groups.SignFlips(), bo.FourierFeatures(n_components=8, random_state=0)).fit(X)
    content = content_of(flips, tmp_path / "model")
    bounds = np.arange(X.shape[1] + 1)
    names = [name for name, array in content.arrays.items() if np.array_equal(array, bounds)]
    assert names
    for name in names:
        content.arrays[name] = np.append(bounds[:-1], last)
    assert_refused(content, tmp_path / "model", "rows of a sparse matrix|altered|could not")
