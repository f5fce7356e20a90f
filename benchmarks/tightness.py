"""How tight the certificates are: their value over the true 95 % quantile of the error, and the features they ask for.

The truth is simulated; its 95 % confidence interval is that of an order statistic, free of assumptions.
"""

from __future__ import annotations

import numpy as np
from harness import write
from scipy.stats import binom

from bochner import Gaussian, MonteCarlo
from bochner.features import draw_fourier_map, transform
from bochner.theory import finite_set, uniform

DELTA = 0.05
KERNEL = Gaussian()


def quantile(errors, level=1 - DELTA, confidence=0.95):
    """The sample quantile and a confidence interval between two order statistics."""
    ordered, n = np.sort(errors), len(errors)
    low, high = binom.ppf([(1 - confidence) / 2, (1 + confidence) / 2], n, level).astype(int)
    return {"value": float(np.quantile(ordered, level)), "interval": [float(ordered[low - 1]), float(ordered[high])]}


def against(certificate, truth, at_most=None):
    """A certificate over the true quantile; `met` must hold at the unfavourable end of the interval."""
    low, high = truth["interval"]
    record = {
        "certificate": certificate,
        "ratio": certificate / truth["value"],
        "ratio_interval": [certificate / high, certificate / low],
    }
    return record if at_most is None else {**record, "at_most": at_most, "met": certificate / low <= at_most}


def draw(n_features, n_components, seed):
    return draw_fourier_map(
        KERNEL, MonteCarlo(), n_features=n_features, n_components=n_components, embedding="paired", seed=seed
    )


def finite_set_tightness(d=200, n=150, D=1000, n_draws=1000):
    """All pairs of n points in d dimensions, scaled so that typical distances are 2.1 length scales."""
    X = np.random.default_rng(0).standard_normal((n, d)) * 1.5 / np.sqrt(d)
    K, errors = KERNEL(X), []
    for seed in range(n_draws):
        Z = transform(draw(d, D, seed), X, np.dtype(float))
        errors.append(np.abs(Z @ Z.T - K).max())
    truth = quantile(errors)
    limits = {
        finite_set.DataAware(kernel=KERNEL, X=X): 1.3,
        finite_set.UnionSubGaussian(kernel=KERNEL, n_points=n): 1.3,
        finite_set.UnionHoeffding(kernel=KERNEL, n_points=n): None,
    }
    rows = {type(bound).__name__: against(bound.error(D, DELTA), truth, limit) for bound, limit in limits.items()}
    return {"d": d, "n_points": n, "n_components": D, "delta": DELTA, "n_draws": n_draws, "truth": truth, **rows}


def supremum(omega, ell, step):
    """max of |s - k| over a grid of half the disc of radius ell: a lower bound on the supremum (s - k is even)."""
    x, y = np.arange(0, ell + step / 2, step), np.arange(-ell, ell + step / 2, step)
    a, b = np.outer(x, omega[:, 0]), np.outer(y, omega[:, 1])
    s = (np.cos(a) @ np.cos(b).T - np.sin(a) @ np.sin(b).T) / len(omega)
    r2 = x[:, None] ** 2 + y**2
    return np.abs(s - np.exp(-r2 / 2))[r2 <= ell**2 + 1e-9].max()


def uniform_tightness(d=2, ell=3.0, m=200, n_draws=2000, step=0.05):
    """The supremum over a disc: our certificate over the true quantile, and over the corrected Proposition 1."""
    errors = [supremum(draw(d, 2 * m, seed).omega, ell, step) for seed in range(n_draws)]
    truth = quantile(errors)
    region = {"kernel": KERNEL, "n_features": d, "diameter": ell}
    ours = uniform.AnchoredCover(**region).error(2 * m, DELTA)
    proved = uniform.AnchoredCover(**region, tail="bernstein").error(2 * m, DELTA)
    proposition_1 = uniform.SutherlandSchneiderProp1(**region).error(2 * m, DELTA)
    return {
        "d": d,
        "diameter": ell,
        "n_components": 2 * m,
        "delta": DELTA,
        "n_draws": n_draws,
        "grid_step": step,
        "truth": truth,
        "AnchoredCover": against(ours, truth, 2.2),
        "AnchoredCover, Bernstein": against(proved, truth),
        "SutherlandSchneiderProp1": against(proposition_1, truth),
        "over_proposition_1": {
            "ratio": ours / proposition_1,
            "at_most": 0.45,
            "met": ours / proposition_1 <= 0.45,
        },
    }


def finite_set_features(eps=0.1, delta=0.01):
    """Output widths for all pairs of n points."""
    rows = []
    for n in (100, 1000, 100_000):
        row = {"n_points": n, "eps": eps, "delta": delta}
        for embedding in ("paired", "phase"):
            setting = {"kernel": KERNEL, "n_points": n, "embedding": embedding}
            row[embedding] = finite_set.UnionSubGaussian(**setting).features_needed(eps, delta)
            row[f"{embedding}_hoeffding"] = finite_set.UnionHoeffding(**setting).features_needed(eps, delta)
        rows.append(row)
    return rows


def uniform_features():
    """Output widths for all pairs of a region, paired: ours, ours without the computer-assisted lemma, the classics."""
    rows = []
    for d, ell, eps, delta in ((1, 6.0, 0.1, 0.05), (10, 10.0, 0.1, 0.05), (100, 20.0, 0.2, 0.01)):
        region = {"kernel": KERNEL, "n_features": d, "diameter": ell}
        bounds = {
            "anchored_cover": uniform.AnchoredCover(**region),
            "anchored_cover_bernstein": uniform.AnchoredCover(**region, tail="bernstein"),
            "proposition_1_corrected": uniform.SutherlandSchneiderProp1(**region),
            "rahimi_recht": uniform.RahimiRecht(**region),
        }
        needed = {name: bound.features_needed(eps, delta) for name, bound in bounds.items()}
        rows.append({"d": d, "diameter": ell, "eps": eps, "delta": delta, **needed})
    return rows


def main():
    write(
        "tightness",
        {
            "finite_set": finite_set_tightness(),
            "uniform": uniform_tightness(),
            "finite_set_features": finite_set_features(),
            "uniform_features": uniform_features(),
        },
    )


if __name__ == "__main__":
    main()
