"""Kernel errors at nested widths are those of maps drawn at these widths."""

import numpy as np
import pytest

import bochner as bo
from bochner.reporting import summarise
from bochner.theory import finite_set


def test_kernel_errors_are_those_of_maps_drawn_at_each_width(waves):
    curve = summarise(waves.regressor, waves.X)["approximation"]["curve"]
    kernel, seed = waves.regressor.features_.kernel_, waves.regressor.features_.seed_
    assert curve["n_rows"] == 300
    upper = np.triu_indices(300, 1)
    for width, largest, rms in zip(curve["widths"], curve["largest"], curve["root_mean_square"], strict=True):
        Z = bo.FourierFeatures(kernel, n_components=width, random_state=seed).fit_transform(waves.X)
        error = (Z @ Z.T - kernel(waves.X))[upper]
        assert largest == pytest.approx(np.abs(error).max())
        assert rms == pytest.approx(np.sqrt(np.mean(error**2)))
    assert max(curve["widths"]) == 512
    assert curve["guaranteed"][-1] == pytest.approx(
        finite_set.error(n_points=300, n_components=512, delta=0.01, kernel=kernel)
    )


@pytest.mark.parametrize("given", [{"embedding": "phase"}, {"n_components": 101}, {"sampling": "orthogonal"}])
def test_maps_of_other_shapes_are_measured_too(given):
    X = np.random.default_rng(0).standard_normal((60, 3))
    features = bo.FourierFeatures(**{"n_components": 64, "random_state": 0, **given}).fit(X)
    curve = summarise(features, X)["approximation"]["curve"]
    at = curve["widths"].index(features.n_components_)
    Z = features.transform(X)
    error = (Z @ Z.T - features.kernel_(X))[np.triu_indices(60, 1)]
    assert curve["largest"][at] == pytest.approx(np.abs(error).max())
    if given == {"embedding": "phase"}:
        narrow = bo.FourierFeatures(n_components=32, embedding="phase", random_state=0).fit_transform(X)
        error = (narrow @ narrow.T - features.kernel_(X))[np.triu_indices(60, 1)]
        assert curve["largest"][curve["widths"].index(32)] == pytest.approx(np.abs(error).max())


def test_a_certificate_that_was_made_before_is_shown_as_it_is(waves, monkeypatch):
    certificate = waves.regressor.certify(waves.X)
    monkeypatch.setattr(bo.KernelRegressor, "certify", None)  # a second one would fail
    told = summarise(waves.regressor, waves.X, certificate=certificate)["approximation"]["certificate"]
    assert told["statement"] == certificate.statement
    refused = summarise(waves.regressor, waves.X, certificate="none holds")["approximation"]["certificate"]
    assert refused == {"missing": "none holds"}
