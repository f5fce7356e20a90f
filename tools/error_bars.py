"""Draw docs/_static/error-bars.svg, the picture of the README and of the home page: `python tools/error_bars.py`."""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

import bochner as bo

PLACE = Path(__file__).parent.parent / "docs" / "_static" / "error-bars.svg"


def truth(x):
    """A wave whose frequency grows."""
    return np.sin(x**2 / 2) * np.exp(-x / 8)


def main():
    """Fit 400 noisy rows with a gap in the middle, and draw the mean with its error bars."""
    mpl.rcParams["svg.hashsalt"] = "bochner"  # the same file every time
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.uniform(0, 3.2, 250), rng.uniform(4.4, 6, 150)])
    y = truth(x) + 0.15 * rng.standard_normal(400)
    grid = np.linspace(-0.3, 6.5, 400)
    model = bo.KernelRegressor(length_scale=0.35, random_state=0).fit(x[:, None], y)
    mean, std = model.predict(grid[:, None], return_std=True)
    figure, ax = plt.subplots(figsize=(8.4, 3.0), layout="constrained")
    ax.fill_between(grid, mean - 2 * std, mean + 2 * std, color="#8fb4d9", alpha=0.5, lw=0, label="95 % error bars")
    ax.plot(x, y, ".", color="#555555", ms=3, label="400 rows, noisy")
    ax.plot(grid, truth(grid), color="#c4622d", lw=1.2, ls="--", label="truth")
    ax.plot(grid, mean, color="#1f5a94", lw=1.8, label="KernelRegressor")
    ax.set(xlabel="x", ylabel="y", ylim=(-2.2, 2.2))
    ax.legend(ncols=4, frameon=False, loc="upper center", fontsize=9)
    ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(PLACE, metadata={"Date": None})


if __name__ == "__main__":
    main()
