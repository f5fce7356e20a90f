"""Laws of every tail bound: monotone, inverted exactly, scaled by k(0), and at most 1."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from bochner.kernels import Matern
from bochner.testing import check_bound
from bochner.theory import finite_set, uniform
from tests.strategies import seeds
from tests.theory.tail_settings import ALL, GAUSSIAN

QUICK = hypothesis_settings(max_examples=25, deadline=None)
BOUNDS = {name: build() for name, build in ALL.items()}


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
@given(seeds)
@QUICK
def test_every_tail_bound_obeys_the_laws(name, seed):
    check_bound(BOUNDS[name], seed=seed)


@pytest.mark.parametrize("name", [name for name in ALL if hasattr(BOUNDS[name], "kernel")])
def test_multiplying_the_kernel_multiplies_the_error(name):
    bound = BOUNDS[name]
    changes = {"kernel": 3.0 * bound.kernel}
    if hasattr(bound, "mean"):
        changes["mean"] = 3.0 * bound.mean
    scaled = replace(bound, **changes)
    assert scaled.error(1000, 0.05) == pytest.approx(3.0**bound.degree * bound.error(1000, 0.05), rel=1e-6)


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
