"""The contract checks: what breaks a law is caught, in words."""

from dataclasses import dataclass

import numpy as np
import pytest

import bochner as bo
from bochner import testing
from bochner.errors import InvalidParameterError
from bochner.solvers import EigenRidge, RidgeProblem
from bochner.theory import pointwise


class WrongMeasure(bo.Gaussian):
    def spectral_measure(self, d):
        return bo.Gaussian(0.9 * self.length_scale).spectral_measure(d)


class WrongSlope(bo.Gaussian):
    def lipschitz(self, d):
        return 0.8 * super().lipschitz(d)


class WrongCurvature(bo.Gaussian):
    def second_moments(self, d):
        return 0.99 * super().second_moments(d)


class WrongVariance(bo.Gaussian):
    variance = 1.5


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        (WrongMeasure(), "mean cosine"),
        (WrongSlope(), r"lipschitz\(\)"),
        (WrongCurvature(), r"second_moments\(\)"),
        (WrongVariance(), "variance is not"),
    ],
)
def test_a_kernel_whose_parts_disagree_is_caught(kernel, words):
    with pytest.raises(AssertionError, match=words):
        testing.check_kernel(kernel)


class Narrow(bo.MonteCarlo):
    def points(self, m, d, n_vectors, n_uniforms, seed):
        normals, uniforms = super().points(m, d, n_vectors, n_uniforms, seed)
        return 0.95 * normals, uniforms


class Unseeded(bo.MonteCarlo):
    def points(self, m, d, n_vectors, n_uniforms, seed):
        return super().points(m, d, n_vectors, n_uniforms, seed + np.random.default_rng().integers(2**20))


class NotNested(bo.MonteCarlo):
    def points(self, m, d, n_vectors, n_uniforms, seed):
        return super().points(m, d, n_vectors, n_uniforms, seed + m)


@pytest.mark.parametrize(
    ("sampler", "words"), [(Narrow(), "mean cosine"), (Unseeded(), "different bits"), (NotNested(), "begins with")]
)
def test_a_sampler_that_breaks_a_promise_is_caught(sampler, words):
    with pytest.raises(AssertionError, match=words):
        testing.check_sampler(sampler)


def test_a_sampler_that_looks_at_data_is_refused():
    with pytest.raises(InvalidParameterError, match="without a pilot"):
        testing.check_sampler(bo.Leverage())


@pytest.mark.parametrize(
    ("matrices", "words"),
    [
        ([np.eye(2), np.eye(2)], "repeat"),
        ([-np.eye(2)], "identity"),
        ([np.eye(2), [[0.0, -1.0], [1.0, 0.0]]], "inverse"),
        ([np.eye(2), [[1.0, 0.0], [0.0, -1.0]], [[0.0, 1.0], [1.0, 0.0]]], "product"),
    ],
)
def test_a_family_that_is_no_group_is_caught(matrices, words):
    with pytest.raises(AssertionError, match=words):
        testing.check_group(bo.groups.FromMatrices(matrices, closed=True), 2)


@dataclass(frozen=True, kw_only=True)
class Growing(pointwise.Hoeffding):
    def probability(self, eps, *, n_components):
        return 1 - super().probability(eps, n_components=n_components)


@dataclass(frozen=True, kw_only=True)
class Credulous(pointwise.Hoeffding):
    def probability(self, eps, *, n_components):
        return float(min(1.0, 2 * np.exp(-n_components * eps**2 / 4)))


@pytest.mark.parametrize(("bound", "words"), [(Growing, "increases"), (Credulous, "a bad eps is accepted")])
def test_a_bound_that_breaks_a_law_is_caught(bound, words):
    with pytest.raises(AssertionError, match=words):
        testing.check_bound(bound(kernel=bo.Gaussian()))


class Unregularised(EigenRidge):
    def solve(self, alpha):
        return super().solve(0.99 * alpha)


def test_a_solver_that_solves_something_else_is_caught():
    rng = np.random.default_rng(0)
    moments = bo.Moments.empty(5, 2).update(rng.standard_normal((30, 5)), rng.standard_normal((30, 2)))
    problem = RidgeProblem.from_moments(moments, True)
    testing.check_solver(EigenRidge(problem))
    with pytest.raises(AssertionError, match="coefficients"):
        testing.check_solver(Unregularised(problem))
