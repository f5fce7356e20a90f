"""The feature map of a fit: kernel, width and draw, in this order, each told what was chosen before."""

from types import SimpleNamespace

import numpy as np
import pytest

import bochner as bo
from bochner.data import scan_blocks
from bochner.fitting import DrawnFeatures, FeatureSettings
from bochner.planning import default_width
from bochner.tuning import ScaleRule
from tests.identity_features import Identity, identity_map, rows_of
from tests.strategies import rows

ROWS = rows_of(rows(0, 120, 3), rows(1, 120, 1))
GIVEN = ScaleRule("Test", bo.Gaussian(), 2.0)
LABELS = (np.zeros(120), np.ones(120))
TUNING = SimpleNamespace(warped=False)


class Scale:
    """A rule that writes down when it is asked, and for what."""

    looks_at_rows = False

    def __init__(self, log):
        self.log = log

    def resolve(self, rows, *, seed, width, targets, rivals):
        self.log.append(("scale", seed, width, targets))
        return "kernel", TUNING


class Maker:
    nested = False

    def __init__(self, log=None, looks_at_rows=False):
        self.log, self.looks_at_rows = [] if log is None else log, looks_at_rows

    def draw(self, kernel, width, rows, seed, *, warped=False):
        self.log.append(("draw", kernel, width, seed))
        return DrawnFeatures(Identity(), identity_map(rows.n_features))


def test_the_kernel_is_chosen_first_and_the_map_is_drawn_of_it():
    log = []
    chosen = FeatureSettings(Scale(log), Maker(log), 64, seed=7).choose(ROWS, LABELS)
    assert log == [("scale", 7, 64, LABELS), ("draw", "kernel", 64, 7)]
    assert chosen.tuning is TUNING
    assert chosen.map is chosen.drawn.map


def test_a_width_that_is_not_given_is_that_of_the_rule():
    log = []
    FeatureSettings(Scale(log), Maker(log), None, seed=0).choose(ROWS)
    assert [entry[2] for entry in log] == [default_width(120)] * 2


def test_a_maker_with_its_own_kernel_is_asked_for_no_width():
    settings = FeatureSettings(None, maker := Maker(), None, seed=3)
    assert settings.kernel_for(ROWS) == (None, None)
    assert settings.choose(ROWS).tuning is None
    assert maker.log == [("draw", None, 0, 3)]


def test_a_maker_with_its_own_kernel_counts_no_rows():
    """The rows of a callable are counted by a pass of their own."""
    source = scan_blocks(lambda: iter([(ROWS.X, ROWS.Y)]))
    FeatureSettings(None, Maker(), None, seed=3).choose(source)
    FeatureSettings(GIVEN, Maker(), 64, seed=3).choose(source)
    assert source.known_rows is None


def test_given_scales_are_those_of_the_kernel():
    kernel, tuning = FeatureSettings(GIVEN, Maker(), 16, seed=0).kernel_for(ROWS)
    assert kernel.length_scale == 2.0
    assert tuning is None


@pytest.mark.parametrize("by_maker", [True, False])
@pytest.mark.parametrize("length_scale", ["median", 1.0])
def test_rows_are_looked_at_if_the_scale_or_the_map_depends_on_them(by_maker, length_scale):
    settings = FeatureSettings(ScaleRule("Test", "gaussian", length_scale), Maker(looks_at_rows=by_maker), 16, seed=0)
    assert settings.looks_at_rows == (by_maker or length_scale == "median")
    assert FeatureSettings(None, Maker(looks_at_rows=by_maker), None, seed=0).looks_at_rows == by_maker


def test_the_seed_decides_the_map():
    from bochner.estimators.makers import FourierMaker

    draws = [
        FeatureSettings(GIVEN, FourierMaker("monte_carlo"), 16, seed).choose(ROWS).drawn.transformer.transform(ROWS.X)
        for seed in (0, 0, 1)
    ]
    np.testing.assert_array_equal(draws[0], draws[1])
    assert np.abs(draws[0] - draws[2]).max() > 0.01
