"""Certificates of orbit features say what is true of the rows."""

import numpy as np
import pytest
from sklearn.kernel_approximation import RBFSampler

import bochner as bo
from bochner import groups
from tests.estimators.test_nystroem import orbit_kernel
from tests.strategies import rows


def named(certificate):
    return {each.bound: each for each in (certificate, *certificate.others)}


@pytest.mark.parametrize("kernel", [bo.Gaussian(2.0), 2.0 * bo.Gaussian(2.0), bo.Gaussian([1.0, 2.0, 3.0, 4.0])])
def test_a_whole_group_is_computed_bounded_and_invariant(kernel):
    X, group = rows(0, 30, 4), groups.CyclicShifts()
    features = bo.OrbitFeatures(group, bo.FourierFeatures(kernel, n_components=2000, random_state=0)).fit(X)
    certificates = named(features.certify(X))
    Z = features.transform(X)
    error = np.abs(Z @ Z.T - orbit_kernel(kernel, X, X, group.elements(4))).max()
    computed = certificates["a_posteriori.AllPairs"]
    assert computed.value == pytest.approx(error, rel=1e-6)
    assert "largest error of the orbit kernel over all pairs of these 30 rows" in computed.statement
    assert certificates["orbit.FullOrbitHoeffding"].value > error
    assert certificates["orbit.Invariance"].value < 1e-12


def test_sampled_transformations_are_not_called_invariant():
    X = rows(0, 20, 30)
    base = bo.FourierFeatures(bo.Gaussian(8.0), n_components=400, embedding="phase", random_state=0)
    features = bo.OrbitFeatures(groups.Permutations(), base, n_transforms=8, random_state=0).fit(X)
    certificates = named(features.certify(X))
    assert set(certificates) == {
        "a_posteriori.AllPairs", "orbit.SampledOrbitHoeffding", "orbit.SampledOrbit", "orbit.Invariance"
    }  # fmt: skip
    assert "the mean kernel over the sampled transformations" in certificates["a_posteriori.AllPairs"].statement
    assert 0.01 < certificates["orbit.Invariance"].value < 2
    assert certificates["orbit.Invariance"].details["relative"] < 0.9
    assert "orbit.SampledOrbitHoeffding" not in named(features.certify(X, independent=False))


def test_interpolated_rotations_report_how_invariant_they_are():
    X = np.abs(rows(0, 10, 100))
    features = bo.OrbitFeatures(
        groups.ImageRotations((10, 10), n=8), bo.FourierFeatures(bo.Gaussian(10.0), random_state=0)
    ).fit(X)
    certificates = named(features.certify(X))
    assert certificates["orbit.Invariance"].value > 1e-6
    transforms = features.transforms_
    Z = features.transform(X)
    error = np.abs(Z @ Z.T - orbit_kernel(bo.Gaussian(10.0), X, X, transforms)).max()
    assert certificates["a_posteriori.AllPairs"].value == pytest.approx(error, rel=1e-6)


def test_a_base_without_a_kernel_has_its_invariance_only():
    X = rows(0, 20, 4)
    certificate = bo.OrbitFeatures(groups.SignFlips(), RBFSampler(random_state=0)).fit(X).certify(X)
    assert certificate.bound == "orbit.Invariance"
    assert certificate.value < 1e-12


def test_a_nystroem_base_and_dependent_frequencies_are_computed_only():
    X = rows(0, 20, 4)
    for base in (bo.NystroemFeatures(n_components=9), bo.FourierFeatures(sampling="orthogonal")):
        certificate = bo.OrbitFeatures(groups.SignFlips(), base, random_state=0).fit(X).certify(X)
        assert set(named(certificate)) == {"a_posteriori.AllPairs", "orbit.Invariance"}
