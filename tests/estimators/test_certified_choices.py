"""No certificate speaks of frequencies or transformations that took part in a choice, and rows that chose are named.

Maps and estimators are found by themselves: a fresh one is tested without an edit here, or fails for want of arguments.
"""

import numpy as np
import pytest

import bochner as bo
from bochner.errors import AssumptionError
from bochner.estimators import MapTransformer
from bochner.estimators.kernel_features import KernelFeatures
from bochner.features import FourierMap
from bochner.groups import CyclicShifts, Group, Permutations
from bochner.kernels.measure import SpectralMeasure
from bochner.testing import concrete_subclasses
from tests.strategies import rows

X, NEW = np.abs(rows(0, 600, 12)), np.abs(rows(1, 240, 12))  # so many columns have too many orders to list
COUNTS = np.random.default_rng(2).poisson(1 + X[:, 0] * X[:, 1]).clip(max=2)
ARGUMENTS = {
    bo.OrbitFeatures: lambda: {"group": CyclicShifts(), "base": bo.FourierFeatures(n_components=64)},
    bo.PatchFeatures: lambda: {"shape": (3, 4), "patch": 2, "base": bo.FourierFeatures(n_components=64), "pool": 1},
    bo.WarpedFeatures: lambda: {"base": bo.FourierFeatures(n_components=64)},
    bo.GridFeatures: lambda: {"max_components": 10_000, "strict": False},
}
MAPS = [kind for kind in concrete_subclasses(MapTransformer, "bochner.") if kind is not KernelFeatures]
MODELS = [
    kind
    for kind in (getattr(bo, name) for name in bo.__all__)
    if isinstance(kind, type) and hasattr(kind, "certify") and hasattr(kind, "predict")
]
ORBITS = {
    "all": lambda: bo.OrbitFeatures(CyclicShifts(), bo.FourierFeatures(n_components=64)),
    "sampled": lambda: bo.OrbitFeatures(Permutations(), bo.FourierFeatures(n_components=64), n_transforms=3),
}


def made(kind):
    features = kind(**ARGUMENTS.get(kind, dict)())
    return features.set_params(random_state=0) if "random_state" in features.get_params(deep=False) else features


class Draws:
    """Normal numbers that frequencies were made of, and transformations that were drawn, in one fit."""

    def __init__(self, monkeypatch):
        self.frequencies, self.transforms, self._depth = [], [], 0
        for kind in concrete_subclasses(SpectralMeasure, "bochner."):
            if "frequencies" in vars(kind):
                monkeypatch.setattr(kind, "frequencies", self._recorded(kind.frequencies))
        sample = Group.sample

        def sampled(group, *args, **options):
            self.transforms.append(sample(group, *args, **options))
            return self.transforms[-1]

        monkeypatch.setattr(Group, "sample", sampled)

    def _recorded(self, frequencies):
        def recorded(measure, normals, uniforms):
            self._depth += 1
            omega = frequencies(measure, normals, uniforms)
            self._depth -= 1
            if self._depth == 0:  # not those of a part of the kernel
                self.frequencies.append((omega, np.array(normals)))
            return omega

        return recorded

    def check_unseen(self, features):
        """The numbers behind the frequencies and transformations of fitted features are those of no other draw."""
        fourier = fourier_map_of(features)
        own = [normals for omega, normals in self.frequencies if np.array_equal(omega, fourier.omega)]
        assert own, "the frequencies of the map were not recorded"
        others = [normals for omega, normals in self.frequencies if not np.array_equal(omega, fourier.omega)]
        assert not any(np.intersect1d(own[0], each).size for each in others)
        drawn = getattr(features, "transforms_", None)
        if drawn is not None and not drawn.whole:
            assert any(each is drawn for each in self.transforms)
            assert not any(same_actions(each, drawn) for each in self.transforms if each is not drawn)
        return len(others)


def same_actions(a, b):
    return any((one != other).nnz == 0 for one in a.actions for other in b.actions)


def fourier_map_of(features):
    """The Fourier map of features, or of what they rest on; None where there is none."""
    if isinstance(getattr(features, "map_", None), FourierMap):
        return features.map_
    base = getattr(features, "base_", None)
    return None if base is None else fourier_map_of(base)


def scales_of(features):
    base = getattr(features, "base_", features)
    return np.asarray(getattr(getattr(base, "kernel_", None), "length_scale", 1.0))


def random_statements(certificate):
    found = (certificate, *certificate.others)
    return [each for each in found if each.delta > 0]


def names_rows_of_fit(statement):
    return any("rows of the fit" in line for line in statement.assumptions)


@pytest.mark.parametrize("kind", MAPS, ids=lambda kind: kind.__name__)
def test_maps_are_drawn_after_every_choice_and_name_the_rows_that_chose(kind, monkeypatch):
    d, draws = 3 if kind is bo.GridFeatures else 12, Draws(monkeypatch)
    features = made(kind).fit(X[:, :d], COUNTS)
    if fourier_map_of(features) is not None:
        draws.check_unseen(features)
    try:
        certificate = features.certify(0.5 * NEW[:, :d] + 0.25)
    except AssumptionError:
        return  # it has none for these rows
    other = made(kind).fit(3 * X[:, :d], COUNTS)
    if not np.array_equal(scales_of(features), scales_of(other)):
        assert all(map(names_rows_of_fit, random_statements(certificate)))


@pytest.mark.parametrize("kind", MODELS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("features", ["fourier", *ORBITS])
def test_models_have_features_that_chose_nothing_and_name_the_rows_that_chose(kind, features, monkeypatch):
    draws = Draws(monkeypatch)
    given = {"n_components": 64} if features == "fourier" else {}
    model = kind(features=ORBITS.get(features, lambda: features)(), alpha=1.0, random_state=0, **given).fit(X, COUNTS)
    n_others = draws.check_unseen(model.features_)
    assert n_others > 0  # scales were learned by other frequencies
    statements = random_statements(model.certify(NEW))
    assert statements
    assert all(map(names_rows_of_fit, statements))


@pytest.mark.parametrize("length_scale", ["ard", "metric", "median"])
def test_every_rule_of_scales_draws_its_own_frequencies(length_scale, monkeypatch):
    draws = Draws(monkeypatch)
    model = bo.KernelRegressor(
        features="fourier", length_scale=length_scale, n_components=64, alpha=1.0, random_state=0
    )
    draws.check_unseen(model.fit(X, COUNTS).features_)
    assert all(map(names_rows_of_fit, random_statements(model.certify(NEW))))


def test_limits_for_the_law_of_the_data_are_not_taken_from_the_rows_that_chose():
    model = bo.KernelRegressor(features="fourier", n_components=64, alpha=1.0, random_state=0).fit(X, COUNTS)
    given = bo.KernelRegressor(bo.Gaussian(2.0), n_components=64, alpha=1.0, random_state=0).fit(X, COUNTS)
    issued = [fit.certify(each) for fit in (model, given) for each in (X, NEW)]
    bounds = [{each.bound for each in random_statements(certificate)} for certificate in issued]
    assert ["a_posteriori.SampledPairs" in each for each in bounds] == [False, True, True, True]
    assert not any(map(names_rows_of_fit, random_statements(given.certify(NEW))))


def test_names_of_kernels_that_changed_after_the_fit_are_refused():
    """Which rows chose is read from the parameters of the fit."""
    model = bo.KernelRegressor(features="fourier", n_components=64, alpha=1.0, random_state=0).fit(X, COUNTS)
    with pytest.raises(AssumptionError, match="length_scale was 'auto' in the fit"):
        model.set_params(length_scale=[1.0, 2.0, 3.0, 4.0]).certify(X)
