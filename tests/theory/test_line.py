"""The supremum along a line: its values, the theorem that it proves, and where it is refused."""

from __future__ import annotations

import numpy as np
import pytest

from bochner.errors import AssumptionError
from bochner.kernels import Gaussian, Laplacian, Matern, Spline
from bochner.theory import line, published, uniform

GAUSSIAN = Gaussian()


def along(R, kernel=GAUSSIAN):
    return line.LineSupremum(kernel=kernel, n_features=1, diameter=R)


@pytest.mark.parametrize(("R", "features"), [(6.0, 1878), (100.0, 2506)])
def test_features_of_the_derivation(R, features):
    assert along(R).features_needed(0.1, 0.05) == features


@pytest.mark.parametrize("m", [30, 1000])
@pytest.mark.parametrize(("kernel", "v"), [(Matern(nu=2.5), 3 / 4), (Spline(order=4), 1.0)], ids=["Matern", "any"])
def test_other_kernels_have_the_formula_of_the_second_moment(kernel, v, m):
    eps, R, rate = 0.4 * kernel.variance, 3.0, np.geomspace(0.1, 20 * np.sqrt(m), 20_000)
    slope = kernel.sigma_p(1) / np.sqrt(m)
    values = 2 * rate * R * slope * np.exp(v * rate**2 / m) / np.expm1(rate * 0.4)
    assert along(R, kernel).probability(eps, n_components=2 * m) == pytest.approx(min(1, values.min()), rel=1e-4)


@pytest.mark.parametrize("p", [4, 8, 16])
def test_norms_of_the_slope_are_at_most_those_of_the_bound(p):
    m, rng = 20, np.random.default_rng(3)
    bound = dict(along(3.0)._slopes(m))[p]
    for u in (0.3, 1.0, 3.0):
        omega = rng.standard_normal((100_000, m))
        slope = -(omega * np.sin(omega * u)).mean(axis=1) + u * np.exp(-(u**2) / 2)
        assert np.mean(np.abs(slope) ** p) ** (1 / p) <= bound


def test_it_is_the_tightest_bound_on_a_line():
    for R in (0.1, 3.0, 1000.0):
        cover = uniform.AnchoredCover(kernel=GAUSSIAN, n_features=1, diameter=R)
        for m in (20, 1000, 10**6):
            for delta in (0.1, 1e-3, 1e-12):
                assert along(R).error(2 * m, delta) <= cover.error(2 * m, delta) * (1 + 1e-9)
    assert isinstance(uniform.tightest(kernel=Matern(nu=2.5), n_features=1, diameter=1.0), line.LineSupremum)
    assert isinstance(uniform.tightest(kernel=GAUSSIAN, n_features=2, diameter=1.0), uniform.AnchoredCover)


def test_theorem_1_of_li_and_honorio_follows_in_one_dimension():
    # P <= min(1, R sqrt(x) / (2 sinh(x/4))), by Hoeffding's lemma alone, is at most the printed bound for all x and R.
    x = np.concatenate([np.geomspace(1e-9, 1, 2000), np.linspace(1, 2000, 20_000)])
    assert np.all(np.log(x) + x / 8 <= np.log(2 * 3**1.5) + np.log(np.sinh(x / 4)))
    m = 200
    for R in (0.01, 1.0, 50.0):
        for value in x[::37]:
            eps = np.sqrt(value / m)
            ours = min(1.0, R * np.sqrt(value) / (2 * np.sinh(value / 4)))
            assert ours <= published.LiHonorioTheorem1Line(m=m, R=R, eps=eps).value() * (1 + 1e-12)


def test_refusals():
    with pytest.raises(AssumptionError, match="line"):
        line.LineSupremum(kernel=GAUSSIAN, n_features=2, diameter=1.0)
    with pytest.raises(AssumptionError, match="paired"):
        line.LineSupremum(kernel=GAUSSIAN, n_features=1, diameter=1.0, embedding="phase")
    with pytest.raises(AssumptionError, match="second moment"):
        along(1.0, Laplacian())
