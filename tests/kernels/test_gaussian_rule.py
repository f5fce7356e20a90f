"""Gaussian(gamma="scale"): scikit-learn's rule, settled where there are rows."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel

import bochner as bo
from bochner.errors import InvalidParameterError

X = np.random.default_rng(0).standard_normal((30, 4)) * [1, 2, 3, 4]
GAMMA = 1 / (4 * X.var())
RULE = bo.Gaussian(gamma="scale")


@pytest.mark.parametrize(
    ("kernel", "variance"), [(RULE, 1.0), (2.0 * RULE, 2.0), (RULE + bo.Gaussian(gamma=GAMMA), 2.0)]
)
def test_it_is_settled_on_the_rows(kernel, variance):
    assert not kernel.is_settled
    settled = kernel.settled(X)
    assert settled.is_settled
    assert settled.settled(X) is settled
    np.testing.assert_allclose(kernel(X), variance * rbf_kernel(X, gamma=GAMMA))
    np.testing.assert_allclose(settled(X[:5], X), variance * rbf_kernel(X[:5], X, gamma=GAMMA))


def test_sparse_and_constant_rows_have_it_as_in_scikit_learn():
    assert RULE.settled(sp.csr_array(X)).gamma == pytest.approx(GAMMA)
    assert RULE.settled(np.ones((5, 2))).gamma == 1.0


@pytest.mark.parametrize("ask", [lambda: RULE(X[:3], X), lambda: RULE.at(X), lambda: RULE.spectral_measure(4)])
def test_without_rows_it_is_refused_with_the_remedy(ask):
    with pytest.raises(InvalidParameterError, match=r"'gamma'.*kernel\.settled\(X\).*Got 'scale'"):
        ask()


def test_it_is_a_parameter_like_others():
    assert clone(RULE).gamma == "scale"
    assert bo.plan(X, kernel=RULE).kernel.startswith("Gaussian(gamma=0.")
    model = bo.KernelRegressor(RULE, n_components=16, random_state=0).fit(X, X[:, 0])
    assert model.features_.kernel_.gamma == pytest.approx(GAMMA)
    with pytest.raises(InvalidParameterError, match="positive"):
        bo.Gaussian(gamma="auto")(X)
