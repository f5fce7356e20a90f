"""Laws of every tail bound: monotone, inverted exactly, scaled by k(0), and at most 1."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from tail_settings import ALL, GAUSSIAN, step

from bochner.errors import InvalidParameterError
from bochner.kernels import Matern
from bochner.theory import finite_set, uniform

QUICK = hypothesis_settings(max_examples=25, deadline=None)
BOUNDS = {name: build() for name, build in ALL.items()}


@pytest.mark.parametrize("name", ALL)
@given(eps=st.floats(0.01, 2.5), factor=st.floats(1.0, 3.0), k=st.integers(1, 5000), more=st.integers(0, 5000))
@QUICK
def test_probability_decreases_in_accuracy_and_width(name, eps, factor, k, more):
    bound = BOUNDS[name]
    here = bound.probability(eps, n_components=step(bound) * k)
    slack = 1 + 1e-12
    assert 0 <= here <= 1
    assert bound.probability(eps * factor, n_components=step(bound) * k) <= here * slack
    assert bound.probability(eps, n_components=step(bound) * (k + more)) <= here * slack


@pytest.mark.parametrize("name", ALL)
@given(eps=st.floats(0.03, 0.8), delta=st.floats(1e-6, 0.5))
@QUICK
def test_width_needed_is_the_smallest_that_reaches_delta(name, eps, delta):
    bound = BOUNDS[name]
    width = bound.features_needed(eps, delta)
    assert bound.probability(eps, n_components=width) <= delta
    if width > step(bound):
        assert bound.probability(eps, n_components=width - step(bound)) > delta


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("delta", [0.3, 0.01, 1e-6])
def test_error_is_the_smallest_accuracy_that_reaches_delta(name, delta):
    bound = BOUNDS[name]
    eps = bound.error(20_000, delta)
    if eps < bound._ceiling():
        assert bound.probability(eps, n_components=20_000) <= delta
        assert bound.probability(eps * (1 - 1e-6), n_components=20_000) > delta


@pytest.mark.parametrize("name", ALL)
def test_multiplying_the_kernel_multiplies_the_error(name):
    bound = BOUNDS[name]
    changes = {"kernel": 3.0 * bound.kernel}
    if hasattr(bound, "mean"):
        changes["mean"] = 3.0 * bound.mean
    scaled = replace(bound, **changes)
    assert scaled.error(1000, 0.05) == pytest.approx(3.0**bound.degree * bound.error(1000, 0.05), rel=1e-6)


@pytest.mark.parametrize("name", ALL)
def test_certificate_says_what_holds_with_which_probability(name):
    bound = BOUNDS[name]
    certificate = bound.certificate(20_000, 0.05)
    assert certificate.value == bound.error(20_000, 0.05)
    assert certificate.delta == 0.05
    assert bound.quantity in certificate.statement
    assert certificate.assumptions
    assert certificate.to_dict()["details"]["n_components"] == 20_000


@pytest.mark.parametrize("name", ALL)
def test_bad_input_is_refused(name):
    bound = BOUNDS[name]
    for eps in (0.0, -0.1, float("nan"), float("inf")):
        with pytest.raises(InvalidParameterError, match="eps"):
            bound.probability(eps, n_components=100)
    for delta in (0.0, 1.0, -1.0, 2.0):
        with pytest.raises(InvalidParameterError, match="delta"):
            bound.features_needed(0.1, delta)
        with pytest.raises(InvalidParameterError, match="delta"):
            bound.error(100, delta)
    with pytest.raises(InvalidParameterError, match="n_components"):
        bound.probability(0.1, n_components=0)
    if step(bound) == 2:
        with pytest.raises(InvalidParameterError, match="even"):
            bound.probability(0.1, n_components=101)


@given(ell=st.floats(0.1, 20), factor=st.floats(1.0, 5.0), eps=st.floats(0.05, 1.0))
@QUICK
def test_a_larger_region_has_a_larger_bound(ell, factor, eps):
    kinds = (
        (uniform.AnchoredCover, GAUSSIAN),
        (uniform.SutherlandSchneiderProp1, Matern(nu=2.5)),
        (uniform.SutherlandSchneiderProp2, GAUSSIAN),
        (uniform.RahimiRecht, GAUSSIAN),
        (uniform.SriperumbudurSzabo, GAUSSIAN),
    )
    for kind, kernel in kinds:
        small = kind(kernel=kernel, n_features=2, diameter=ell).probability(eps, n_components=5000)
        large = kind(kernel=kernel, n_features=2, diameter=ell * factor).probability(eps, n_components=5000)
        assert small <= large * (1 + 1e-12)


@given(n=st.integers(1, 10**6), more=st.integers(0, 10**6), embedding=st.sampled_from(["paired", "phase"]))
@QUICK
def test_more_points_have_a_larger_bound(n, more, embedding):
    for kind in (finite_set.UnionSubGaussian, finite_set.UnionHoeffding):
        few = kind(kernel=GAUSSIAN, n_points=n, embedding=embedding).probability(0.1, n_components=4000)
        many = kind(kernel=GAUSSIAN, n_points=n + more, embedding=embedding).probability(0.1, n_components=4000)
        assert few <= many
