"""Classes of users in model files: saved by name, made only if they are handed over, and never found by a file."""

import sys
from dataclasses import dataclass, replace
from enum import Enum
from types import ModuleType

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.ensemble import IsolationForest

import bochner as bo
from bochner.errors import FileFormatError, InvalidParameterError, UnsupportedModelError
from bochner.features import FourierMap
from bochner.groups import Group
from bochner.io.types import types_by_name
from bochner.kernels import Isotropic
from bochner.sampling import DenseProjection, Sampler
from tests.io.fitted_models import X, Y
from tests.io.test_malicious_files import forge

HERE = __name__


class Halved(Isotropic):
    """exp(-r^2 / 2), written by a user."""

    def __init__(self, length_scale=1.0, *, note=None):
        self.length_scale = length_scale
        self.note = note

    def profile(self, r):
        return np.exp(-(r**2) / 2)

    def steepest_slope(self):
        return float(np.exp(-0.5))

    def spectral_measure(self, d):
        return bo.Gaussian(self.length_scale).spectral_measure(d)

    def second_moments(self, d):
        return bo.Gaussian(self.length_scale).second_moments(d)


class Independent(Sampler):
    """Monte Carlo, written by a user."""

    independent = True
    nested = True

    def points(self, m, d, n_vectors, n_uniforms, seed):
        return bo.MonteCarlo().points(m, d, n_vectors, n_uniforms, seed)


class Reversal(Group):
    """The identity and x_t -> x_(T - t)."""

    def order(self, n_features=None):
        return 2

    def _list(self, d):
        from scipy.sparse import csr_array

        return [csr_array(np.eye(d)), csr_array(np.eye(d)[::-1])]

    def _draw(self, n, d, rng):
        return [self._list(d)[i] for i in rng.integers(2, size=n)]


class Centred(TransformerMixin, BaseEstimator):
    """x - mean."""

    def fit(self, X, y=None):
        self.mean_ = np.mean(X, axis=0)
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X):
        return X - self.mean_


class Colour(Enum):
    RED = 1


@dataclass(frozen=True)
class Note:
    text: str
    colour: Colour = Colour.RED


def again(model, path, types):
    bo.save(model, path)
    return bo.load(path, types=types)


def test_a_model_with_a_users_kernel_and_sampler_gives_the_same_bits(tmp_path):
    kernel = bo.Gaussian(2.0) + 0.5 * Halved(1.5, note=Note("mine"))
    model = bo.KernelRegressor(kernel, sampling=Independent(), n_components=32, random_state=0).fit(X, Y)
    loaded = again(model, tmp_path / "model", [Halved, Independent, Note, Colour])
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert loaded.certify(X, y=Y).value == model.certify(X, y=Y).value
    assert type(loaded.kernel.right.kernel) is Halved
    assert loaded.kernel.right.kernel.note == Note("mine", Colour.RED)


def test_a_users_group_and_transformer_give_the_same_bits(tmp_path):
    orbit = bo.OrbitFeatures(Reversal(), bo.FourierFeatures(n_components=16, random_state=0)).fit(X)
    np.testing.assert_array_equal(again(orbit, tmp_path / "orbit", [Reversal]).transform(X), orbit.transform(X))
    model = bo.KernelRegressor(features=Centred(), alpha=0.1).fit(X, Y)
    np.testing.assert_array_equal(again(model, tmp_path / "model", (Centred,)).predict(X), model.predict(X))
    np.testing.assert_array_equal(again(Centred().fit(X), tmp_path / "step", [Centred]).transform(X), X - X.mean(0))


def test_a_local_subclass_of_ours_is_a_users_class(tmp_path):
    class Mine(bo.KernelRegressor):
        pass

    model = Mine(n_components=8, random_state=0).fit(X, Y)
    assert type(again(model, tmp_path / "model", [Mine])) is Mine
    with pytest.raises(FileFormatError, match=r"Mine', not of bochner.*load\(path, types=\[Mine\]\)"):
        bo.load(tmp_path / "model")


def test_a_file_names_all_classes_that_it_needs(tmp_path):
    bo.save(bo.KernelRegressor(Halved(note=Note("mine"))), tmp_path / "model")
    with pytest.raises(FileFormatError) as refused:
        bo.load(tmp_path / "model", types=[Note])
    for expected in (f"'{HERE}:Halved'", f"'{HERE}:Colour'", "types=[", "Halved", "trust"):
        assert expected in str(refused.value)
    assert f"{HERE}:Note" not in str(refused.value)


def other_module(name="elsewhere"):
    """A module with a class of the name `Halved` that leaves a mark when it is made."""
    module = ModuleType(name)
    exec(
        "from sklearn.base import BaseEstimator\n"
        "made = []\n"
        "class Halved(BaseEstimator):\n"
        "    def __new__(cls, *args): made.append('new')\n"
        "    def __setstate__(self, state): made.append('state')\n",
        module.__dict__,
    )
    return module


def test_a_class_of_the_same_name_from_another_module_is_not_the_one(tmp_path):
    module = other_module()
    bo.save(Halved(), tmp_path / "kernel")
    remedy = rf"'elsewhere:Halved' was handed over; .* types={{'{HERE}:Halved': Halved}}"
    with pytest.raises(FileFormatError, match=remedy):
        bo.load(tmp_path / "kernel", types=[module.Halved])
    assert module.made == []


def test_a_class_that_has_moved_is_given_by_its_old_name(tmp_path, monkeypatch):
    monkeypatch.setattr(Halved, "__module__", "__main__")
    bo.save(Halved(3.0), tmp_path / "kernel")
    monkeypatch.undo()
    with pytest.raises(FileFormatError, match="'__main__:Halved'"):
        bo.load(tmp_path / "kernel", types=[Halved])
    assert bo.load(tmp_path / "kernel", types={"__main__:Halved": Halved}).length_scale == 3.0


def test_a_class_that_is_not_the_one_of_the_file_is_refused(tmp_path):
    class Other(BaseEstimator):
        def __init__(self, width, *, depth=1):
            self.width = width
            self.depth = depth

    bo.save(Halved(), tmp_path / "kernel")
    bo.save(Note("text"), tmp_path / "note")
    with pytest.raises(
        FileFormatError, match=r"a .*Other without width: the class that was handed over is not the one"
    ):
        bo.load(tmp_path / "kernel", types={f"{HERE}:Halved": Other})
    with pytest.raises(FileFormatError, match="a Note without text"):
        bo.load(tmp_path / "kernel", types={f"{HERE}:Halved": Note})


@pytest.mark.parametrize(
    "name", ["os:system", "builtins:eval", "subprocess:Popen", "antigravity:geohash", ":", "a:b:c"]
)
def test_names_of_code_are_refused_and_nothing_is_imported(tmp_path, name):
    before = set(sys.modules)
    for model in ({"object": name, "state": {}}, {"enum": [name, "x"]}, {"tuple": [{"object": name, "state": {}}]}):
        (tmp_path / "forged").write_bytes(forge(model))
        with pytest.raises(FileFormatError, match=r"needs '.*', not of bochner"):
            bo.load(tmp_path / "forged", types=[Halved])
    assert set(sys.modules) == before


def test_a_module_that_is_there_is_not_looked_into(tmp_path, monkeypatch):
    """A class that can be imported, and even was, is made only if it is handed over."""
    module = other_module()
    monkeypatch.setitem(sys.modules, "elsewhere", module)
    (tmp_path / "forged").write_bytes(forge({"object": "elsewhere:Halved", "state": {}}))
    with pytest.raises(FileFormatError, match="'elsewhere:Halved'"):
        bo.load(tmp_path / "forged", types=[Halved])
    assert module.made == []


def test_a_class_that_was_handed_over_takes_no_place_of_ours(tmp_path):
    bo.save(bo.Gaussian(2.0), tmp_path / "kernel")
    for types in ({"kernels.Gaussian": Halved}, {"Gaussian": Halved}):
        with pytest.raises(InvalidParameterError, match="'types' parameter of load"):
            bo.load(tmp_path / "kernel", types=types)
    Imposter = type("Gaussian", (Halved,), {"__module__": "bochner.kernels.gaussian"})
    with pytest.raises(InvalidParameterError, match="'types' parameter of load"):
        bo.load(tmp_path / "kernel", types=[Imposter])
    assert type(bo.load(tmp_path / "kernel", types=[Halved])) is bo.Gaussian
    assert not any(":" in name for name in types_by_name())


def test_what_a_forged_file_gives_to_a_users_class_is_data(tmp_path):
    def forged(state):
        (tmp_path / "forged").write_bytes(forge({"object": f"{HERE}:Halved", "state": state}))
        return bo.load(tmp_path / "forged", types=[Halved])

    kernel = forged({"length_scale": "os.system", "note": None, "any_other": 3})
    assert type(kernel) is Halved
    assert (kernel.length_scale, kernel.any_other) == ("os.system", 3)
    gaussian = {"object": "kernels.Gaussian", "state": {}}
    code = ({"__class__": "x"}, {"profile": gaussian}, {"__array_interface__": gaussian})
    for state in ([], 3, None, {"length_scale": {"object": "os:system", "state": {}}}, *code):
        with pytest.raises(FileFormatError):
            forged(state)


@dataclass(frozen=True, eq=False)
class MyMap(FourierMap):
    """A subclass of a map with compiled loops."""


def test_subclasses_of_our_types_keep_their_rules(tmp_path):
    """A class that a caller trusts is not trusted to look at the arrays of ours."""
    good = MyMap(DenseProjection(np.ones((4, 2))), np.ones(4), np.empty(0))
    assert type(again(good, tmp_path / "good", [MyMap])) is MyMap
    for wrong in ({"amplitude": np.ones(3)}, {"amplitude": "x"}, {"phase": np.ones(5)}):
        with pytest.raises(UnsupportedModelError, match="A MyMap has"):
            bo.save(replace(good, **wrong), tmp_path / "wrong")


class Node(BaseEstimator):
    """An object that is inside itself."""

    def __init__(self, name="a"):
        self.name = name
        self.parent = self


def test_objects_of_users_may_be_inside_themselves(tmp_path):
    loaded = again(Node("b"), tmp_path / "node", [Node])
    assert loaded.parent is loaded


@pytest.mark.parametrize("types", [["Halved"], [print], [dict], "Halved", Halved, [3], {"a:b": 3}, {"a:b": print}])
def test_only_classes_of_data_can_be_handed_over(tmp_path, types):
    bo.save(bo.Gaussian(), tmp_path / "kernel")
    with pytest.raises(InvalidParameterError, match="'types' parameter of load"):
        bo.load(tmp_path / "kernel", types=types)


def test_two_classes_of_one_name_cannot_be_handed_over(tmp_path):
    def make():
        class Local(Halved):
            pass

        return Local

    bo.save(bo.Gaussian(), tmp_path / "kernel")
    with pytest.raises(InvalidParameterError, match="one class for the name"):
        bo.load(tmp_path / "kernel", types=[make(), make()])


class Items(dict, BaseEstimator):
    """Its items are not among its attributes."""


@dataclass(frozen=True, slots=True)
class Slotted:
    a: int = 1


class Plain:
    """Neither an estimator nor a dataclass."""


@pytest.mark.parametrize(
    ("note", "reason"),
    [
        (lambda x: x, r"model\.note is a function"),
        (np.sin, r"model\.note is a function"),
        (Halved, r"model\.note is a function"),
        (Plain(), r"model\.note is of type Plain"),
        (Items(a=1), r"model\.note of type Items keeps its state in another place"),
        (Slotted(), r"model\.note of type Slotted keeps its state in another place"),
        (IsolationForest(), r"model\.note is of type IsolationForest"),
    ],
    ids=["lambda", "ufunc", "class", "plain", "dict", "slots", "scikit-learn"],
)
def test_state_that_is_no_data_is_refused_with_its_place(tmp_path, note, reason):
    with pytest.raises(UnsupportedModelError, match=reason):
        bo.save(Halved(note=note), tmp_path / "model")
    assert list(tmp_path.iterdir()) == []
