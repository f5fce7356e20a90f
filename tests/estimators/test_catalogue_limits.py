"""Maps of dot-product kernels at the limits of numbers, parameters without meaning, and reports of their models."""

from __future__ import annotations

import numpy as np
import pytest

import bochner as bo
from bochner.errors import BochnerWarning, InvalidDataError, InvalidParameterError, MemoryBudgetError

RNG = np.random.default_rng(3)
X = RNG.random((60, 5))
Y = X[:, 0] - X[:, 1]

KERNELS = [
    bo.Polynomial(2), bo.Exponential(2.0), bo.Linear(), bo.ArcCosine(), bo.Angular(), bo.BinaryCode(bo.Gaussian(2.0)),
    bo.AdditiveChi2(), bo.Hellinger(), bo.ReciprocalSemigroup(), bo.ExponentialSemigroup(0.3),
]  # fmt: skip
EACH_KERNEL = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: type(kernel).__name__)
MAPS = {
    "Maclaurin": lambda kernel: bo.MaclaurinFeatures(kernel, n_components=16, random_state=0),
    "TensorSketch": lambda kernel: bo.TensorSketchFeatures(kernel, n_components=16, random_state=0),
}
EACH_MAP = pytest.mark.parametrize("make", MAPS.values(), ids=MAPS)


@pytest.mark.parametrize(
    ("kernel", "model"),
    [(bo.Polynomial(2), bo.KernelRegressor), (bo.ArcCosine(), bo.KernelRegressor), (bo.AdditiveChi2(), bo.KernelPCA)],
    ids=repr,
)
def test_a_model_of_a_kernel_that_is_not_stationary_is_reported(kernel, model, tmp_path):
    bo.report(model(kernel, random_state=0).set_params(n_components=4).fit(X, Y), tmp_path / "report.html")
    assert type(kernel).__name__ in (tmp_path / "report.html").read_text(encoding="utf-8")


@EACH_KERNEL
@pytest.mark.parametrize(
    ("name", "value"), [("length_scale", 2.5), ("length_scale", "ard"), ("sampling", "sorf"), ("features", "nystroem")]
)
def test_what_has_no_meaning_for_a_kernel_is_refused(kernel, name, value):
    rule = rf"'{name}' parameter of KernelRegressor.*{type(kernel).__name__}, which is not stationary. Got {value!r} "
    with pytest.raises(InvalidParameterError, match=rule):
        bo.KernelRegressor(kernel, **{name: value}).fit(X, Y)


@EACH_MAP
def test_polynomials_beyond_the_numbers_of_a_float_type_are_refused(make):
    features, huge = make(bo.Polynomial(3)).fit(X), 1e10 * X
    assert np.all(np.isfinite(features.transform(huge)))
    for use in (features.transform, make(bo.Polynomial(3)).fit):
        with pytest.raises(InvalidDataError, match=r"Polynomial kernel .* no number in float32.*smaller gamma"):
            use(huge.astype(np.float32))


def test_a_huge_degree_is_computed_or_refused_with_its_value():
    small = X / 1000
    for make, degree in ((MAPS["Maclaurin"], 300), (MAPS["TensorSketch"], 1500)):
        assert np.all(np.isfinite(make(bo.Polynomial(degree, gamma=1.0)).fit(small).transform(small)))
    with pytest.raises(InvalidParameterError, match=r"'degree' parameter of Polynomial.*1,000 or less.*Got 1500"):
        MAPS["Maclaurin"](bo.Polynomial(1500)).fit(small)
    with pytest.raises(InvalidDataError, match="no number in float64"):
        bo.Polynomial(1500)(1000 * X)


def test_a_degree_whose_sketches_do_not_fit_is_refused():
    with bo.config_context(memory="50MB"), pytest.raises(MemoryBudgetError, match="count sketches of a tile"):
        bo.TensorSketchFeatures(bo.Polynomial(1000)).fit(X)
    with bo.config_context(memory="50MB"), pytest.raises(MemoryBudgetError, match="random signs"):
        bo.MaclaurinFeatures(bo.Polynomial(1000, gamma=2.0, coef0=1e-3), n_components=4096).fit(X)


def test_exponential_kernels_beyond_their_series_are_refused_or_warned_of():
    with pytest.raises(InvalidDataError, match=r"mean squared norm of 100 at most.*Got 1\.\d+e\+03"):
        bo.MaclaurinFeatures(bo.Exponential()).fit(30 * X)
    with pytest.warns(BochnerWarning, match=r"Exponential kernel .* no number in float32.*larger length_scale.* are 0"):
        bo.PositiveFeatures(bo.Exponential()).fit(10 * X.astype(np.float32))


def test_a_series_is_whole_at_the_largest_norm():
    row = np.full((1, 4), 5.0)  # squared norm 100
    degrees = bo.MaclaurinFeatures(bo.Exponential(), n_components=20_000, random_state=0).fit(row).map_.degrees
    assert abs(degrees.mean() - 100) < 0.5  # Poisson's law: 6.5 standard errors
    assert degrees.max() < 200
