"""Values and functions drawn from the posterior law have its mean and covariance, and are functions."""

from dataclasses import replace

import numpy as np
import pytest

from bochner import Gaussian, KernelRegressor, NystroemFeatures
from bochner.errors import AssumptionError
from bochner.features import transform
from bochner.fitting.draws import draw_functions
from tests.fitting.posterior_models import (
    MODELS,
    WEIGHT,
    assert_law,
    conditional,
    dense_posterior,
    fitted,
    grid_model,
    kriging_weights,
    table,
)

AT = np.array([[-1.5, 1.2], [-0.2, 0.4], [0.7, -1.6], [1.9, 1.8], [3.5, 0.0]])
DRAWS = 10_000
FUNCTIONS = 2_000  # with 4,096 coefficients each


@pytest.mark.parametrize("kind", MODELS)
def test_values_have_the_mean_and_the_covariance_of_the_posterior_law(kind):
    model = fitted(kind)
    draws = model.sample_y(AT, DRAWS, random_state=0)
    covariance = model.noise_variance_ * dense_posterior(model, table()[0], WEIGHT, AT)
    assert draws.shape == (len(AT), DRAWS)
    assert_law(draws, model.predict(AT), covariance)


@pytest.mark.parametrize("kind", ["paired", "phase", "without intercept", "conjugate gradients", "warped columns"])
def test_functions_on_features_have_the_posterior_law(kind):
    model = fitted(kind)
    draws = model.sample_functions(DRAWS, random_state=1)(AT)
    assert_law(draws, model.predict(AT), model.noise_variance_ * dense_posterior(model, table()[0], WEIGHT, AT))


@pytest.mark.parametrize("kind", ["exact", "exact, no intercept"])
def test_functions_of_exact_machines_are_conditioned_on_the_rows_exactly(kind):
    model, X = fitted(kind), table()[0]
    drawn = draw_functions(model.fitted_, FUNCTIONS, seed=1)
    both, kernel, scale = np.vstack([X, AT]), model.features_.kernel_, 1 / model.alpha_
    Z = transform(drawn.parts[1].feature_map, both, np.dtype(float))
    prior, n = scale * Z @ Z.T, len(X)
    H = kriging_weights(scale * kernel(both), n, WEIGHT, model.fit_intercept)
    change = np.hstack([-H, np.eye(len(AT))])
    expected = change @ prior @ change.T + H @ np.diag(1 / WEIGHT) @ H.T
    assert_law(drawn(AT)[:, 0], model.predict(AT), model.noise_variance_ * expected)
    # The estimate of the prior law changes little.
    exact = conditional(scale * kernel(both), n, WEIGHT, model.fit_intercept)
    np.testing.assert_allclose(np.diag(expected), np.diag(exact), rtol=0.1)


@pytest.mark.parametrize("kind", ["landmarks", "warped landmarks"])
def test_functions_on_landmarks_have_the_residual_of_the_kernel(kind):
    model, X = fitted(kind), table()[0]
    drawn = draw_functions(model.fitted_, FUNCTIONS, seed=1)
    exact = dense_posterior(model, X, WEIGHT, AT)
    variance = drawn(AT)[:, 0].var(axis=1) / model.noise_variance_
    np.testing.assert_allclose(variance, np.diag(exact), rtol=0.25)
    np.testing.assert_allclose(
        drawn(AT)[:, 0].mean(axis=1), model.predict(AT), atol=6 * np.sqrt(variance.max() / FUNCTIONS)
    )


@pytest.mark.parametrize("kind", ["landmarks", "exact", "exact, no intercept"])
def test_far_from_the_rows_draws_are_as_wide_as_the_kernel(kind):
    model = fitted(kind)
    far = np.array([[40.0, 0.0], [0.0, -60.0]])
    expected = dense_posterior(model, table()[0], WEIGHT, far)
    scale = model.fitted_.feature_map.residual_process(model.alpha_).scale
    assert np.all(np.diag(expected) >= scale * (1 - 1e-9))
    draws = model.sample_functions(FUNCTIONS, random_state=0)(far)
    assert_law(draws, model.predict(far), model.noise_variance_ * expected)


@pytest.mark.parametrize("kind", ["paired", "phase", "landmarks", "exact", "warped landmarks"])
def test_a_row_has_the_same_values_in_every_call(kind):
    functions = fitted(kind).sample_functions(3, random_state=0)
    X = np.random.default_rng(5).uniform(-3, 3, (700, 2))
    whole = functions(X)
    np.testing.assert_allclose(functions(X[[5, 300, 699]]), whole[[5, 300, 699]], rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(functions(X[::-1])[::-1], whole, rtol=1e-9, atol=1e-10)
    assert functions.n_functions == 3


def test_functions_stay_when_the_model_is_fitted_again():
    model = fitted("exact")
    functions = model.sample_functions(2, random_state=0)
    before = functions(AT)
    model.fit(*table(d=3))
    np.testing.assert_array_equal(functions(AT), before)


def test_a_seed_fixes_the_draws():
    for kind in ("paired", "exact"):
        model = fitted(kind)
        for draw in (lambda s, m=model: m.sample_y(AT, 2, s), lambda s, m=model: m.sample_functions(2, s)(AT)):
            np.testing.assert_array_equal(draw(7), draw(7))
            assert np.all(draw(7) != draw(8))
            assert np.all(draw(None) != draw(None))
            assert np.all(draw(np.random.default_rng(0)) == draw(np.random.default_rng(0)))
            assert np.all(draw(np.random.RandomState(0)) == draw(np.random.RandomState(0)))


@pytest.mark.parametrize("kind", ["paired", "landmarks", "exact"])
def test_targets_are_drawn_independently_each_with_its_own_noise(kind):
    X, y = table()
    noisy = 10 * y + np.random.default_rng(2).standard_normal(len(y))
    model = MODELS[kind]().fit(X, np.column_stack([y, noisy]), sample_weight=WEIGHT)
    covariance = dense_posterior(model, X, WEIGHT, AT)
    for draws in (model.sample_y(AT, FUNCTIONS, 0), model.sample_functions(FUNCTIONS, 0)(AT)):
        assert draws.shape == (len(AT), 2, FUNCTIONS)
        variance = np.diag(covariance)[:, None] * model.noise_variance_
        np.testing.assert_allclose(draws.var(axis=2), variance, rtol=0.25)
        both = draws - model.predict(AT)[:, :, None]
        cross = np.mean(both[:, 0] * both[:, 1], axis=1) / np.sqrt(variance[:, 0] * variance[:, 1])
        assert np.max(np.abs(cross)) < 6 / np.sqrt(FUNCTIONS)


@pytest.mark.parametrize("direct", [False, True])
def test_draws_of_a_grid_have_the_law_of_its_features(direct):
    model, X = grid_model(direct)
    at = np.array([[0.5], [2.2], [3.9]])
    expected = model.noise_variance_ * dense_posterior(model, X, np.ones(60), at)
    assert_law(model.sample_functions(400, 0)(at), model.predict(at), expected)
    assert_law(model.sample_y(at, 400, 1), model.predict(at), expected)


@pytest.mark.parametrize("direct", [False, True])
def test_outside_of_its_cell_a_grid_draws_from_the_prior_law(direct):
    model, X = grid_model(direct)
    far = np.array([[300.0], [301.0], [-900.0]])
    expected = model.noise_variance_ * dense_posterior(model, X, np.ones(60), far)
    assert np.min(np.diag(expected)) > model.noise_variance_ / 0.1
    assert_law(model.sample_functions(400, 0)(far), model.predict(far), expected)
    assert_law(model.sample_y(far, 400, 0), model.predict(far), expected)


def test_landmarks_that_are_all_rows_are_the_exact_machine():
    X, y = table()
    landmarks = KernelRegressor(features=NystroemFeatures(Gaussian(1.0), landmarks=X), alpha=0.1).fit(X, y, WEIGHT)
    exact = dense_posterior(fitted("exact"), X, WEIGHT, AT)
    assert_law(landmarks.sample_y(AT, DRAWS, 0), landmarks.predict(AT), landmarks.noise_variance_ * exact)


def test_rows_twice_have_the_same_values():
    for kind in ("paired", "landmarks", "exact"):
        values = fitted(kind).sample_y(np.vstack([AT, AT]), 3, random_state=0)
        np.testing.assert_allclose(values[:5], values[5:], atol=1e-5)


def test_without_a_penalty_nothing_can_be_drawn():
    fit = fitted("paired").fitted_
    with pytest.raises(AssumptionError, match="alpha=0"):
        draw_functions(replace(fit, found=replace(fit.solution, alpha=0.0)), 2, seed=0)
