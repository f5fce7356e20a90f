"""Formulas as printed."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi

import bochner as bo
from bochner.theory import Published, Status, expectation, generalization, published
from bochner.theory.moments import mean_map_variance
from bochner.theory.published.two_clusters import prediction_errors
from bochner.theory.uniform import beta

STATUSES = {
    "LiHonorioTheorem1": "REFUTED",
    "LiHonorioTheorem1Line": "VALID",
    "LiHonorioTheorem2": "VALID",
    "LiHonorioTheorem3": "VALID",
    "LiHonorioCorollary1": "REFUTED",
    "LiHonorioEq7": "REFUTED",
    "LiHonorioEq8": "REFUTED",
    "LiHonorioEq9": "UNPROVED",
    "LiHonorioEq10": "UNPROVED",
    "LiHonorioEq12": "REFUTED",
    "LiHonorioSVMOrder": "REFUTED",
    "SutherlandSchneiderProp1": "VALID",
    "SutherlandSchneiderProp2": "REFUTED",
    "SutherlandSchneiderProp3": "VALID",
    "SutherlandSchneiderProp4": "VALID",
    "SutherlandSchneiderProp5": "REFUTED",
    "SutherlandSchneiderProp6": "REFUTED",
    "SutherlandSchneiderProp7": "VALID",
    "SutherlandSchneiderProp8": "VALID",
    "SutherlandSchneiderProp10": "REFUTED",
    "SutherlandSchneiderMMK": "VALID",
    "SutherlandSchneiderMMKMean": "VALID",
    "SutherlandSchneiderMMKVariance": "VALID",
    "SutherlandSchneiderMMDSquared": "VALID",
    "SutherlandSchneiderMMDMean": "VALID",
    "ZhuLiFeatures": "UNPROVED",
    "ZhuLiCorollaryFeatures": "UNPROVED",
    "ZhuLiLemma1": "REFUTED",
    "ZhuLiTheorem3": "REFUTED",
    "RajLemmaA1": "VALID",
    "RajLemmaA2": "VALID",
    "RajTheoremA3": "REFUTED",
    "RajTheorem31": "REFUTED",
    "RajTheorem31Pointwise": "REFUTED",
    "RajTheorem32": "REFUTED",
}


def test_statuses():
    classes = [getattr(published, name) for name in published.__all__]
    printed = [claim for claim in classes if isinstance(claim, type) and issubclass(claim, Published)]
    assert {claim.__name__: claim.status.name for claim in printed} == STATUSES


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


@pytest.mark.parametrize(
    ("claim", "claimed", "truth"),
    [
        ("LiHonorioTheorem1", 0.0650929, 0.951982),
        ("SutherlandSchneiderProp5", 1.07e-4, 0.01),
        ("SutherlandSchneiderProp6", 1.514e-5, 0.001),
        ("SutherlandSchneiderProp2", 27.712813 * 2e-4 * np.exp(-0.25 / (64 / 3)), 2 / 3),
        ("ZhuLiLemma1", 0.46, 0.675327),
        ("RajTheorem31Pointwise", 6.709e-4, 1.714e-3),
        ("RajTheorem31", np.sqrt(512) * 0.002, 2 / np.pi * np.arccos(0.6)),
    ],
)
def test_exact_counterexamples_have_the_derived_values(claim, claimed, truth):
    found = getattr(published, claim).counterexample()
    assert found.exact
    assert (found.claimed, found.true_at_least) == pytest.approx((claimed, truth), rel=1e-3)


def supremum_of_two_frequencies(omega, b, p, w):
    """sup |s - k| over X^2 for k(u) = 1 - p + p cos(w u), X = [0, 2 pi/w], one phase feature, on a grid."""
    x = np.linspace(0, 2 * np.pi / w, 401)
    s = 2 * np.outer(np.cos(omega * x + b), np.cos(omega * x + b))
    return np.abs(s - (1 - p + p * np.cos(w * (x[:, None] - x)))).max()


def test_the_suprema_behind_the_counterexample_of_proposition_6():
    p, w = 1e-3, 1.7
    for b in (0.0, 0.3, 1.1, 2.9):
        assert supremum_of_two_frequencies(w, b, p, w) == pytest.approx(3 - 2 * p, abs=2e-3)
        c = np.cos(2 * b)
        assert supremum_of_two_frequencies(0.0, b, p, w) == pytest.approx(max(abs(c), abs(c + 2 * p)), abs=1e-9)
    angles = (np.arange(200_000) + 0.5) * np.pi / 200_000
    mean = np.maximum(np.abs(np.cos(angles)), np.abs(np.cos(angles) + 2 * p)).mean()
    assert (2 * np.sin(np.arccos(-p)) + 2 * p * np.arccos(-p)) / np.pi == pytest.approx(mean, rel=1e-8)


def test_the_two_cluster_predictions_are_those_of_ridge_regression():
    gap, n, lam, x = 0.7, 40, 0.3, 1.0
    X = np.r_[np.zeros(n // 2), np.full(n // 2, gap)]
    y = np.r_[np.ones(n // 2), -np.ones(n // 2)]
    omega = np.random.default_rng(5).standard_normal((1, 3))[0]
    kernels = (lambda u: np.exp(-(u**2) / 2), lambda u: np.cos(np.multiply.outer(omega, u)).mean(axis=0))
    h, h_hat = (k(x - X) @ np.linalg.solve(k(X[:, None] - X) + lam * np.eye(n), y) for k in kernels)
    error = prediction_errors(n_frequencies=3, n_draws=1, gap=gap, n_rows=n, lam=lam, seed=5)
    assert error[0] == pytest.approx(abs(h_hat - h), rel=1e-9)


@pytest.mark.parametrize("d", [1, 2, 3, 5, 9, 20, 100, 1000])
def test_proposition_1_is_implied_by_half_of_a_smaller_net(d):
    """For isotropic kernels in any dimension, and for L_k = sigma_p, the worst case, in up to three. In logarithms."""
    for slack in (1 / np.sqrt(d), *((1.0,) if d <= 3 else ())):
        for x in np.geomspace(0.01, 1e4, 25):  # sigma_p ell / eps
            for exponent in (0.0, 1.0, 10.0, 100.0 * d, 1e4 * d):  # D eps^2 / (16 alpha)
                printed = np.log(beta(d)) + 2 * d / (d + 2) * np.log(x) - 2 * exponent / (d + 2)
                assert log_net_bound(x, exponent, d, 1 + slack) <= printed + 1e-9


def log_net_bound(x, exponent, d, a):
    """(1 + 2 ell/r)^d e^(-exponent) + 4 a^2 x^2 (r/ell)^2 at the printed r over a; or, without a net, a^2 x^2."""
    printed_r = (np.log(d / 4) + d * np.log(4) - 2 * np.log(x) - exponent) / (d + 2)
    log_r, lipschitz = printed_r - np.log(a), 2 * np.log(a * x)
    with_net = np.logaddexp(d * np.logaddexp(0, np.log(2) - log_r) - exponent, np.log(4) + lipschitz + 2 * log_r)
    return min(with_net, lipschitz)


def test_proposition_1_is_the_minimum_over_the_printed_net():
    d, x, exponent = 4, 30.0, 20.0
    claim = published.SutherlandSchneiderProp1(
        D=16 * exponent / 0.25**2, d=d, eps=0.25, ell=0.25 * x, sigma_p=1.0, largest_variance=1.0
    )
    r = np.geomspace(1e-4, 1e2, 200_001)
    net = 2 * (4 / r) ** d * np.exp(-exponent) + 4 * (x * r) ** 2
    assert claim.value() == pytest.approx(net.min(), rel=1e-6)


@pytest.mark.parametrize("d", [1, 2, 5, 30, 300, 10_000])
def test_proposition_3_is_implied_for_the_gaussian_kernel(d):
    for m in np.unique(np.geomspace(1, 1e9, 200).astype(int)):
        printed = published.SutherlandSchneiderProp3(D=2 * int(m), d=d, ell=1.0).value()
        dudley = expectation.DudleyPaired(kernel=bo.Gaussian(), n_features=d, diameter=1.0).unclipped(2 * int(m))
        assert printed >= 1.8 * min(np.sqrt(d) + np.exp(-0.5), dudley)


@pytest.mark.parametrize("d", [1, 2, 10, 100, 1000])
@pytest.mark.parametrize(("ball", "gamma"), [(True, 0.803), (False, 1.541)])
def test_proposition_4_is_implied_unless_the_region_is_tiny(d, ball, gamma):
    """With R = E max ||omega_i|| itself. Beside Dudley's integral, with t = x + y within 2 rho of t0,

    |f| <= ell (mean ||omega|| + L) + |mean cos(omega t0 + 2b)| + 2 rho mean ||omega||.
    """
    radii = np.linspace(0, np.sqrt(d) + 12, 8001)
    for ell in (0.1, 0.3, 1.0, 10.0):
        bound = expectation.DudleyPhase(kernel=bo.Gaussian(), n_features=d, diameter=ell, ball=ball)
        for D in np.unique(np.geomspace(1, 1e8, 40).astype(int)):
            largest = np.trapezoid(1 - chi.cdf(radii, d) ** float(D), radii)
            spread = (largest + np.exp(-0.5)) / (np.exp(-0.5) + np.sqrt(d) + np.sqrt(2 * np.log(D)))
            printed = published.SutherlandSchneiderProp4(D=int(D), d=d, ell=ell, gamma=gamma).value() * spread
            plain = ell * (np.sqrt(d) * (2 if ball else 3) + np.exp(-0.5)) + 1 / np.sqrt(2 * D)
            assert printed >= min(bound.mean(int(D)), plain)


def test_proposition_4_fails_for_a_tiny_region():
    """At x = y the error is the mean of D cosines of uniform angles: E|mean| >= (E mean^2)^(3/2) / (E mean^4)^(1/2)."""
    D = 100
    second, fourth = 1 / (2 * D), (3 * D * (D - 1) / 4 + 3 * D / 8) / D**4
    truth = second**1.5 / np.sqrt(fourth)
    for gamma in (0.803, 1.541):
        assert published.SutherlandSchneiderProp4(D=D, d=1, ell=1e-3, gamma=gamma).value() < 0.035 < truth
    assert published.SutherlandSchneiderProp4(D=D, d=1, ell=1e-3, gamma=0.803).value() == pytest.approx(0.018, abs=5e-4)


def test_propositions_5_and_6_are_implied_for_many_features():
    rng = np.random.default_rng(0)
    for _ in range(2000):
        D, mean, eps = 2 * int(10 ** rng.uniform(1.5, 5)), 10 ** rng.uniform(-2, 0), 10 ** rng.uniform(-2, 0.3)
        w = rng.uniform(0, 2)
        around = {
            kind: expectation.Concentration(kernel=bo.Matern(), mean=mean, wimpy_variance=w, embedding=kind)
            for kind in ("paired", "phase")
        }
        if (D - 16) * (mean + eps / 6) >= 1.5 * w:
            printed = published.SutherlandSchneiderProp5(D=D, mean=mean, eps=eps, wimpy_variance=w).value()
            assert printed >= around["paired"].probability(eps, n_components=D)
        if (D - 27) * (4 * mean / 9 + 2 * eps / 27) >= 80 / 81 * (1 + w):
            printed = published.SutherlandSchneiderProp6(D=D, mean=mean, eps=eps, wimpy_variance=w).value()
            assert printed >= around["phase"].probability(eps, n_components=D)


@pytest.mark.parametrize("d_tau", [1.0, 3.0, 50.0, 1e4])
@pytest.mark.parametrize("ratio", [4.0, 10.0, 64.5, 1e4])
def test_when_the_counts_of_zhu_li_are_enough_at_one_half(d_tau, ratio):
    """2 R lambda^(1/2) follows from L_s + lambda >= (L + lambda)/4; the risk bound of ours from (L + lambda)/2."""
    d_lambda, delta = 0.6, 0.6 / ratio
    setting = {"d_tau": d_tau, "d_lambda": d_lambda, "delta": delta}
    quarter = generalization.features_for_operator_bound(d_tau, d_lambda, delta, kept=0.25)
    assert published.ZhuLiCorollaryFeatures(**setting).value() >= quarter
    assert published.ZhuLiFeatures(**setting).value() >= quarter
    if ratio >= 64.5 and d_tau >= 1e4:
        enough = generalization.features_for_operator_bound(d_tau, d_lambda, delta)
        assert published.ZhuLiFeatures(**setting).value() >= enough


def test_raj_theorem_3_2_is_true_for_ordinary_delta():
    """2 LC + 2 sqrt(2) LC sqrt(log(1/delta)) is proved; the printed terms are at least as large from 2e-8 on."""
    for delta, holds in ((0.1, True), (1e-5, True), (2e-8, True), (1e-50, False)):
        claim = published.RajTheorem32(
            lipschitz=1.0,
            bound=1.0,
            n_points=1,
            n_components=10**15,
            n_transforms=10**15,
            delta=delta,
            loss_at_zero=0.0,
        )
        assert (claim.value() >= 2 + 2 * np.sqrt(2 * np.log(1 / delta))) == holds


def test_printed_equations_of_li_and_honorio():
    assert published.LiHonorioEq7(lam=2.0, spread=0.5, eps=0.3).value() == pytest.approx(4 * 0.3 / 1.5)
    eight = published.LiHonorioEq8(lam=1.0, spread=1.0, eps=1.0, R=10.0, delta=0.1).value()
    w = eight / 4
    assert w * np.exp(w) == pytest.approx(1e5)  # Lambert's W
    twelve = published.LiHonorioEq12(m=100, R=np.e, tau=1.0).value()
    assert twelve == pytest.approx(np.sqrt(24 + 4 * np.log(27 / 4)) / 10)
    ten = published.LiHonorioEq10(m=8, d=1, R=1.0, sigma_p=1.0, eps=2.0).value()
    assert ten == pytest.approx(1024 * np.log(6) - 16 + 256 / np.log(3))


def test_printed_means_are_the_integrals_of_the_tails():
    eps = np.linspace(0, 40, 400_001)
    for mean, tail in (
        (published.SutherlandSchneiderMMKMean, published.SutherlandSchneiderMMK),
        (published.SutherlandSchneiderMMDMean, published.SutherlandSchneiderMMDSquared),
    ):
        values = [
            tail(D=50, eps=0.0).value() * np.exp(np.log(tail(D=50, eps=1.0).value() / 2) * e**2) for e in eps[::400]
        ]
        assert mean(D=50).value() == pytest.approx(np.trapezoid(values, eps[::400]), rel=1e-6)


@pytest.mark.parametrize("embedding", ["paired", "phase"])
def test_the_variance_of_the_mean_map_kernel(embedding):
    """40,000 maps of three frequencies; the mean of bounded squares is within 6 standard errors but once in 10^8."""
    rng = np.random.default_rng(0)
    X, Y, kernel = rng.standard_normal((4, 2)), 1 + rng.standard_normal((3, 2)), 2.0 * bo.Gaussian()
    omega, b = rng.standard_normal((40_000, 3, 2)), rng.uniform(0, 2 * np.pi, (40_000, 3, 1))
    if embedding == "paired":
        mean_maps = [np.exp(1j * omega @ rows.T).mean(axis=2) for rows in (X, Y)]
    else:
        mean_maps = [np.sqrt(2) * np.cos(omega @ rows.T + b).mean(axis=2) for rows in (X, Y)]
    values = 2 * np.real(mean_maps[0] * mean_maps[1].conj()).mean(axis=1)
    squares, D = (values - kernel(X, Y).mean()) ** 2, 6 if embedding == "paired" else 3
    exact = mean_map_variance(kernel, X, Y, n_components=D, embedding=embedding)
    assert abs(squares.mean() - exact) <= 6 * squares.std() / 200
    printed = published.SutherlandSchneiderMMKVariance(kernel=kernel, X=X, Y=Y, D=D, embedding=embedding)
    assert printed.value() == exact


def test_status_texts_say_what_they_mean():
    assert "not proved, not refuted" in Status.UNPROVED.value
    assert "counterexample" in Status.REFUTED.value
