"""Uniform bounds: tabulated values, covers in scaled coordinates, and refusals."""

from __future__ import annotations

import numpy as np
import pytest

from bochner.errors import AssumptionError, InvalidParameterError
from bochner.kernels import Gaussian, Laplacian, Matern
from bochner.theory import published, uniform

GAUSSIAN = Gaussian()
CLOSE = 5e-3  # the anchored cover is minimised on a grid


def cover(d: int, ell: float, tail: str = "sub_gaussian", embedding: str = "paired") -> uniform.AnchoredCover:
    return uniform.AnchoredCover(kernel=GAUSSIAN, n_features=d, diameter=ell, tail=tail, embedding=embedding)


def prop1(d: int, ell: float) -> uniform.SutherlandSchneiderProp1:
    return uniform.SutherlandSchneiderProp1(kernel=GAUSSIAN, n_features=d, diameter=ell)


def prop2(d: int, ell: float) -> uniform.SutherlandSchneiderProp2:
    return uniform.SutherlandSchneiderProp2(kernel=GAUSSIAN, n_features=d, diameter=ell)


def test_constants_of_propositions_1_and_2():
    assert [uniform.beta(d) for d in (1, 2, 3, 64)] == pytest.approx([12, 22.627417, 31.362107, 66], rel=1e-7)
    assert [uniform.beta_phase(d) for d in (1, 3, 48)] == pytest.approx([27.712813, 64, 98], rel=1e-7)
    assert max(uniform.beta(d) for d in range(1, 2000)) == uniform.beta(64)
    assert max(uniform.beta_phase(d) for d in range(1, 2000)) == uniform.beta_phase(48)


def test_loose_constants_cover_the_fix():
    d = np.arange(1.0, 3000)
    fixed = np.array([uniform.beta(int(i)) for i in d]) * (1 + np.exp(-0.5) / np.sqrt(d)) ** (2 * d / (d + 2))
    assert fixed.max() == pytest.approx(79.833, abs=1e-3)
    assert d[np.argmax(fixed)] == 21
    general = np.array([uniform.beta(int(i)) for i in d]) * 2 ** (2 * d / (d + 2))
    assert general.max() <= 258


@pytest.mark.parametrize(
    ("D", "d", "ell", "printed", "fixed"),
    [
        (4000, 1, 6.0, 9.00704e-4, 1.2355e-3),
        (60000, 10, 10.0, 1.80259e-14, 2.41493e-14),
    ],
)
def test_proposition_1_values(D, d, ell, printed, fixed):
    as_printed = published.SutherlandSchneiderProp1(D=D, d=d, eps=0.2, ell=ell, sigma_p=np.sqrt(d))
    assert as_printed.value() == pytest.approx(printed, rel=3e-6)
    assert prop1(d, ell).probability(0.2, n_components=D) == pytest.approx(fixed, rel=5e-6)


@pytest.mark.parametrize(
    ("D", "d", "ell", "printed", "fixed"),
    [
        (8000, 1, 6.0, 1.80211e-5, 2.97336e-5),
        (120000, 10, 10.0, 1.14284e-15, 1.87066e-15),
    ],
)
def test_proposition_2_values(D, d, ell, printed, fixed):
    as_printed = published.SutherlandSchneiderProp2(D=D, d=d, eps=0.2, ell=ell, sigma_p=np.sqrt(d))
    assert as_printed.value() == pytest.approx(printed, rel=3e-6)
    assert prop2(d, ell).probability(0.2, n_components=D) == pytest.approx(fixed, rel=5e-6)


@pytest.mark.parametrize(
    ("d", "ell", "printed", "fixed", "printed_phase", "fixed_phase"),
    [
        (1, 6.0, 10509.059, 10913.604, 17769.765, 18624.350),
        (10, 10.0, 85102.891, 86600.204, 168763.679, 173389.149),
    ],
)
def test_widths_of_propositions_1_and_2(d, ell, printed, fixed, printed_phase, fixed_phase):
    setting = {"D": 2, "d": d, "eps": 0.1, "ell": ell, "sigma_p": np.sqrt(d)}
    assert published.SutherlandSchneiderProp1(**setting).real_width(0.05) == pytest.approx(printed, rel=1e-7)
    assert published.SutherlandSchneiderProp2(**setting).real_width(0.05) == pytest.approx(printed_phase, rel=1e-7)
    assert prop1(d, ell).real_width(0.1, 0.05) == pytest.approx(fixed, rel=1e-7)
    assert prop2(d, ell).real_width(0.1, 0.05) == pytest.approx(fixed_phase, rel=1e-7)
    assert prop1(d, ell).features_needed(0.1, 0.05) == 2 * np.ceil(fixed / 2)
    assert prop2(d, ell).features_needed(0.1, 0.05) == np.ceil(fixed_phase)


@pytest.mark.parametrize(
    ("d", "ell", "eps", "delta", "sub_gaussian", "bernstein"),
    [
        (1, 6.0, 0.1, 0.05, 2512, 2832),
        (10, 10.0, 0.1, 0.05, 20194, 22738),
        (100, 20.0, 0.2, 0.01, 49138, 61436),
    ],
)
def test_widths_of_the_anchored_cover(d, ell, eps, delta, sub_gaussian, bernstein):
    assert cover(d, ell).features_needed(eps, delta) == pytest.approx(sub_gaussian, rel=CLOSE)
    assert cover(d, ell, "bernstein").features_needed(eps, delta) == pytest.approx(bernstein, rel=CLOSE)
    assert cover(d, ell).features_needed(eps, delta) < prop1(d, ell).features_needed(eps, delta) / 4


@pytest.mark.parametrize(
    ("m", "d", "ell", "sub_gaussian", "bernstein"),
    [
        (2000, 1, 6.0, -9.958474, -7.807962),
        (20000, 10, 10.0, -94.620658, -73.138026),
    ],
)
def test_log_probabilities_of_the_anchored_cover(m, d, ell, sub_gaussian, bernstein):
    assert cover(d, ell).log_probability(0.1, m) == pytest.approx(sub_gaussian, rel=CLOSE)
    assert cover(d, ell, "bernstein").log_probability(0.1, m) == pytest.approx(bernstein, rel=CLOSE)


@pytest.mark.parametrize(
    ("d", "ell", "m", "eps"),
    [
        (1, 6.0, 50, 0.472),
        (1, 6.0, 400, 0.173),
        (2, 3.0, 100, 0.419),
        (2, 6.0, 200, 0.313),
        (3, 3.0, 100, 0.490),
        (3, 5.0, 200, 0.364),
        (2, 3.0, 200, 0.3008),
    ],
)
def test_errors_of_the_anchored_cover(d, ell, m, eps):
    assert cover(d, ell).error(2 * m, 0.05) == pytest.approx(eps, rel=CLOSE)


def test_more_errors_at_two_dimensions_and_with_phases():
    assert cover(2, 3.0, "bernstein").error(400, 0.05) == pytest.approx(0.3578, rel=CLOSE)
    assert prop1(2, 3.0).error(400, 0.05) == pytest.approx(0.6963, rel=1e-4)
    assert cover(1, 6.0, embedding="phase").error(200, 0.05) == pytest.approx(0.4560, rel=CLOSE)
    assert cover(1, 6.0, embedding="phase").error(1000, 0.05) == pytest.approx(0.2109, rel=CLOSE)


@pytest.mark.parametrize(("m", "d", "S", "eps"), [(10**5, 1, 6.0, 0.400764), (10**6, 10, 10.0, 0.464059)])
def test_sriperumbudur_szabo(m, d, S, eps):
    bound = uniform.SriperumbudurSzabo(kernel=GAUSSIAN, n_features=d, diameter=S)
    assert bound.error(2 * m, np.exp(-3)) == pytest.approx(eps, rel=3e-6)
    # Li & Honorio quote it with the radius in the place of the diameter.
    misquoted = published.LiHonorioEq9(m=m, d=d, R=S, sigma_p=np.sqrt(d), tau=3.0)
    assert misquoted.value() == pytest.approx(eps, rel=3e-6)
    assert published.LiHonorioEq9(m=m, d=d, R=S / 2, sigma_p=np.sqrt(d), tau=3.0).value() < eps


@pytest.mark.parametrize("kind", [uniform.AnchoredCover, uniform.SutherlandSchneiderProp1, uniform.RahimiRecht])
def test_only_the_ratio_of_diameter_and_length_scale_matters(kind):
    one = kind(kernel=Gaussian(), n_features=3, diameter=4.0)
    other = kind(kernel=Gaussian(0.5), n_features=3, diameter=2.0)
    by_gamma = kind(kernel=Gaussian(gamma=2.0), n_features=3, diameter=2.0)
    assert one.error(2000, 0.05) == pytest.approx(other.error(2000, 0.05))
    assert one.error(2000, 0.05) == pytest.approx(by_gamma.error(2000, 0.05))


@pytest.mark.parametrize("kind", [uniform.AnchoredCover, uniform.SutherlandSchneiderProp1, uniform.RahimiRecht])
def test_with_one_length_scale_per_feature_the_diameter_is_scaled(kind):
    scaled = kind(kernel=Gaussian([0.1, 2.0, 30.0]), n_features=3, diameter=4.0)
    unit = kind(kernel=Gaussian(), n_features=3, diameter=4.0)
    assert scaled.error(2000, 0.05) == pytest.approx(unit.error(2000, 0.05))
    with pytest.raises(InvalidParameterError, match="length_scale"):
        kind(kernel=Gaussian([0.1, 2.0]), n_features=3, diameter=4.0).error(2000, 0.05)


def test_a_kernel_without_second_moment_is_refused():
    for kernel in (Laplacian(), Matern(nu=0.5), Gaussian() + Laplacian()):
        for kind in (
            uniform.SutherlandSchneiderProp1,
            uniform.SutherlandSchneiderProp2,
            uniform.RahimiRecht,
            uniform.SriperumbudurSzabo,
        ):
            with pytest.raises(AssumptionError, match="second moment"):
                kind(kernel=kernel, n_features=2, diameter=1.0)


def test_refusals():
    with pytest.raises(AssumptionError, match="Gaussian"):
        uniform.AnchoredCover(kernel=Matern(nu=2.5), n_features=2, diameter=1.0)
    with pytest.raises(AssumptionError, match="paired"):
        uniform.SutherlandSchneiderProp1(kernel=GAUSSIAN, n_features=2, diameter=1.0, embedding="phase")
    with pytest.raises(AssumptionError, match="phase"):
        uniform.SutherlandSchneiderProp2(kernel=GAUSSIAN, n_features=2, diameter=1.0, embedding="paired")
    for diameter in (0.0, -1.0, float("inf")):
        with pytest.raises(InvalidParameterError, match="diameter"):
            cover(2, diameter)
    with pytest.raises(InvalidParameterError, match="tail"):
        cover(2, 1.0, tail="hoeffding")


def test_the_fix_weakens_the_printed_bounds():
    for eps in (0.05, 0.2, 0.6):
        for d in (1, 3, 20):
            printed = published.SutherlandSchneiderProp1(D=20_000, d=d, eps=eps, ell=5.0, sigma_p=np.sqrt(d)).value()
            assert prop1(d, 5.0).probability(eps, n_components=20_000) >= min(1, printed)
            printed = published.SutherlandSchneiderProp2(D=20_000, d=d, eps=eps, ell=5.0, sigma_p=np.sqrt(d)).value()
            assert prop2(d, 5.0).probability(eps, n_components=20_000) >= min(1, printed)
