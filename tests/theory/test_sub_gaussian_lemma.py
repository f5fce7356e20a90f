"""The proof of the sub-Gaussian lemma for the Gaussian kernel, where it is done by computer.

Claim: F(q, s) = E exp(-s cos(omega . u)) satisfies log F <= -s q + s^2 / 4, q = k(u) in [0, 1], s > 0.
"""

from __future__ import annotations

import numpy as np
from numpy.polynomial import polynomial
from scipy.special import iv, ive


def log_f(q: np.ndarray, s: np.ndarray) -> np.ndarray:
    """log F on a grid (len(q), len(s)): I_0(s) + 2 sum (-1)^n I_n(s) q^(n^2)."""
    n = np.arange(1, 40)
    powers = (-1.0) ** n * q[:, None] ** (n**2)
    return np.log(ive(0, s) + 2 * powers @ ive(n[:, None], s)) + s


def test_lower_tail_holds_on_a_cover_of_the_middle_range():
    # F decreases in q and log F is convex in s: on a box the gap is at most chord_s(log F(q_low)) + s q_high - s^2/4.
    q, s = np.linspace(0, 1, 10_001), np.linspace(0.5, 8, 1_501)
    worst = -np.inf
    for rows in np.array_split(np.arange(10_000), 20):
        chord = log_f(q[rows], s)
        high = q[rows + 1][:, None]
        left, right = s[:-1], s[1:]
        slope = (chord[:, 1:] - chord[:, :-1]) / (right - left) + high
        # chord + s q - s^2/4 is concave in s: its maximum over [left, right] is at s = 2 slope, clipped.
        best = np.clip(2 * slope, left, right)
        gap = chord[:, :-1] - slope * left + high * left + slope * best - best**2 / 4
        worst = max(worst, float(gap.max()))
    assert worst < -4e-4


def test_f_decreases_in_the_kernel_value():
    values = log_f(np.linspace(0, 1, 400), np.linspace(0.5, 8, 60))
    assert np.all(np.diff(values, axis=0) <= 1e-12)


def test_lower_tail_holds_by_series_for_small_s():
    # I_0 - 2 I_1 q + 2 I_2 q^4 >= F, against (1 + s^2/4 + s^4/32)(1 - sq + (sq)^2/2 - (sq)^3/6) <= exp(s^2/4 - sq).
    q, s = np.meshgrid(np.linspace(0, 1, 400), np.linspace(1e-3, 0.5, 400))
    upper = iv(0, s) - 2 * iv(1, s) * q + 2 * iv(2, s) * q**4
    lower = (1 + s**2 / 4 + s**4 / 32) * polynomial.polyval(s * q, [1, -1, 1 / 2, -1 / 6])
    assert np.all(upper <= lower + 1e-15)


def test_lower_tail_is_trivial_for_large_s():
    s = np.linspace(8, 200, 100)
    assert np.all(s <= -s + s**2 / 4 + 1e-12)


def test_upper_tail_holds_on_a_grid():
    n = np.arange(1, 40)
    for q in np.linspace(0, 1, 101):
        s = np.linspace(0.01, 12, 300)
        log_mgf = np.log(ive(0, s) + 2 * (q ** (n**2.0)) @ ive(n[:, None], s)) + s
        assert np.all(log_mgf <= s * q + s**2 / 4 + 1e-12)


def test_phase_term_is_sub_gaussian_too():
    s = np.linspace(0.01, 300, 3000)
    assert np.all(np.log(ive(0, s)) + s <= s**2 / 4)
