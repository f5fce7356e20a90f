"""Rules for the feature maps of the catalogue: indices within bounds, sizes that belong together."""

from dataclasses import replace
from typing import get_type_hints

import numpy as np
import pytest

import bochner as bo
from bochner.errors import InvalidDataError
from bochner.features import FeatureMap, FourierMap
from bochner.io.checks import problem_of
from bochner.io.shapes import fits
from bochner.io.types import types_by_name
from bochner.sampling.projection import Projection
from tests.io.fitted_models import X

H = np.abs(X)
MAPS = {
    "fastfood": lambda: bo.FourierFeatures(sampling="fastfood", n_components=16, random_state=0).fit(X).map_.projection,
    "sorf": lambda: bo.FourierFeatures(sampling="sorf", n_components=16, random_state=0).fit(X).map_.projection,
    "codes": lambda: bo.SignFeatures(bo.Gaussian(), n_components=8, random_state=0).fit(X).map_,
    "sketch": lambda: bo.TensorSketchFeatures(n_components=8, random_state=0).fit(X).map_,
    "maclaurin": lambda: bo.MaclaurinFeatures(n_components=8, random_state=0).fit(X).map_,
    "positive": lambda: bo.PositiveFeatures(n_components=8, random_state=0).fit(X / 9).map_,
    "additive": lambda: bo.AdditiveFeatures(random_state=0).fit(H).map_,
    "laplace": lambda: bo.LaplaceFeatures(n_components=8, random_state=0).fit(H).map_,
}


@pytest.mark.parametrize("name", MAPS)
def test_a_map_as_it_was_fitted_is_in_order(name):
    assert problem_of(MAPS[name]()) is None


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("fastfood", lambda a: {"permutations": a.permutations + 1}),
        ("fastfood", lambda a: {"permutations": a.permutations - 1}),
        ("fastfood", lambda a: {"permutations": a.permutations[:-1, :]}),
        ("fastfood", lambda a: {"permutations": a.permutations.astype(float)}),
        ("fastfood", lambda a: {"diagonals": a.diagonals[:, :, :-1]}),
        ("sorf", lambda a: {"diagonals": a.diagonals[:-1]}),
        ("sorf", lambda a: {"diagonals": a.diagonals[:, :0]}),
        ("sorf", lambda a: {"scales": np.append(a.scales, np.ones(99))}),
        ("sorf", lambda a: {"scales": np.nan * a.scales}),
        ("sorf", lambda a: {"units": np.ones(a.padded + 1)}),
        ("codes", lambda a: {"thresholds": a.thresholds[:-1]}),
        ("codes", lambda a: {"thresholds": np.append(a.thresholds, 0.0)}),
        ("codes", lambda a: {"waves": replace(a.waves, phase=a.waves.phase[:0])}),
        ("sketch", lambda a: {"buckets": a.buckets + a.width}),
        ("sketch", lambda a: {"buckets": -1 - a.buckets}),
        ("sketch", lambda a: {"buckets": a.buckets[:, :-1]}),
        ("sketch", lambda a: {"signs": a.signs[:-1]}),
        ("sketch", lambda a: {"width": 2**60}),
        ("sketch", lambda a: {"width": 1}),
        ("maclaurin", lambda a: {"degrees": a.degrees + 1}),
        ("maclaurin", lambda a: {"degrees": a.degrees[::-1] - 1}),
        ("maclaurin", lambda a: {"amplitude": a.amplitude[1:]}),
        ("maclaurin", lambda a: {"signs": a.signs[:, 1:]}),
        ("positive", lambda a: {"omega": a.omega[0]}),
        ("additive", lambda a: {"amplitude": a.amplitude[1:]}),
        ("additive", lambda a: {"frequencies": a.frequencies[0]}),
        ("laplace", lambda a: {"rates": -1 - a.rates}),
    ],
)
def test_arrays_that_compiled_loops_would_leave_are_refused(name, change):
    value = MAPS[name]()
    assert problem_of(replace(value, **change(value))) is not None


@pytest.mark.parametrize("name", ["fastfood", "sketch", "additive"])
def test_rows_of_another_width_do_not_reach_a_compiled_loop(name):
    value = MAPS[name]()
    if name == "fastfood":
        value = FourierMap(value, np.ones(value.n_frequencies), np.empty(0))
    for width in (1, 9):
        rows = np.ones((3, width))
        with pytest.raises(InvalidDataError, match=f"columns, as the features do. Got {width}"):
            value.write(rows, np.empty((3, value.n_components)), np.empty((3, value.scratch_width)))


def test_every_feature_map_and_projection_with_arrays_has_a_rule():
    without = [
        name
        for name, kind in types_by_name().items()
        if issubclass(kind, FeatureMap | Projection)
        and any("ndarray" in str(hint) for hint in get_type_hints(kind).values())
        and fits.dispatch(kind) is fits.dispatch(object)
    ]
    assert without == []
