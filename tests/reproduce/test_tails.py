"""Uniform bounds on an interval as functions of eps, and their integrals."""

import numpy as np
import pytest

from bochner.reproduce.tails import integral, markov_tails


def test_the_integral_of_a_tail_is_never_too_small():
    assert integral(lambda eps: np.exp(-10 * eps), "paired") == pytest.approx(0.1, rel=0.02)
    assert integral(lambda eps: np.exp(-10 * eps), "paired") >= 0.1 * (1 - np.exp(-20))
    assert integral(lambda eps: 5.0, "paired") == pytest.approx(2.0)
    assert integral(lambda eps: 5.0, "phase") == pytest.approx(3.0)


@pytest.mark.parametrize(("embedding", "names"), [("paired", 5), ("phase", 4)])
def test_tails_fall_and_tight_ones_are_below_loose_ones(embedding, names):
    tails = markov_tails(3.0, 500, embedding)
    assert len(tails) == names
    for eps in (0.3, 0.5, 0.8):
        assert tails["tight"](eps) <= min(1.0, tails["loose"](eps)) + 1e-12
        for tail in tails.values():
            assert tail(eps) >= tail(eps + 0.1) >= 0


def test_the_loose_tail_is_the_papers_second_form():
    eps, D, ell = 0.5, 500, 6.0
    expected = 66 * (ell / eps) ** 2 * np.exp(-D * eps**2 / 24)
    assert markov_tails(3.0, D, "paired")["loose, printed"](eps) == pytest.approx(expected)
