"""Formulas as printed."""

from __future__ import annotations

import pytest

from bochner.theory import Status, published


@pytest.mark.parametrize(
    ("m", "R", "eps", "value"),
    [
        (100, 2, 0.5, 0.202791),
        (500, 5, 0.3, 0.0579997),
        (1000, 10, 0.2, 0.145251),
    ],
)
def test_li_honorio_theorem_1(m, R, eps, value):
    assert published.li_honorio_thm1(m, R, eps) == pytest.approx(value, rel=4e-6)


def test_li_honorio_corollary_1_loses_a_factor_three():
    corollary = published.LiHonorioCorollary1(m=1, R=1.0)
    assert corollary.value() == pytest.approx(4.211157, rel=1e-6)
    assert corollary.integral_of_theorem1() == pytest.approx(12.633470, rel=1e-6)


def test_raj_pointwise():
    bound = published.RajTheorem31Pointwise(n_transforms=100, eps=0.2)
    assert bound.value() == pytest.approx(6.709e-4, rel=1e-4)
    assert bound.corrected() == pytest.approx(0.2707, abs=5e-5)


def test_statuses():
    for claim in (
        published.LiHonorioTheorem1,
        published.LiHonorioCorollary1,
        published.ZhuLiTheorem3,
        published.RajTheorem31Pointwise,
    ):
        assert claim.status is Status.REFUTED
    for claim in (published.LiHonorioTheorem2, published.SutherlandSchneiderProp7, published.SutherlandSchneiderProp8):
        assert claim.status is Status.VALID
