"""Draw docs/_static/tutorial.svg, the figure of the tutorial's first model: `python tools/tutorial_figures.py`."""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_friedman1
from sklearn.model_selection import train_test_split

import bochner as bo

PLACE = Path(__file__).parent.parent / "docs" / "_static" / "tutorial.svg"


def predictions(ax, model, X, y):
    """Predictions of 150 rows with their error bars, beside what was measured."""
    mean, std = model.predict(X[:150], return_std=True)
    ax.errorbar(y[:150], mean, 1.96 * std, fmt=".", color="#1f5a94", ecolor="#8fb4d9", elinewidth=1, ms=5)
    ends = [y[:150].min(), y[:150].max()]
    ax.plot(ends, ends, color="#c4622d", lw=1.2, ls="--")
    ax.set(xlabel="measured", ylabel="predicted, with 95 % error bars", title="150 new rows")


def relevance(ax, model):
    """How much the prediction changes with each column: the root mean square of its gradient."""
    X, _ = make_friedman1(n_samples=500, noise=1.0, random_state=1)
    size = np.sqrt((model.gradient(X) ** 2).mean(axis=0))
    ax.barh(np.arange(10), size, color=["#1f5a94"] * 5 + ["#b0b8c0"] * 5)
    ax.set(yticks=np.arange(10), yticklabels=[f"x{j}" for j in range(10)], xlabel="root mean square of the gradient")
    ax.set_title("Five columns matter, five do not")
    ax.invert_yaxis()


def main():
    """Fit the first model of the tutorial and draw its predictions and what it learned of the columns."""
    mpl.rcParams["svg.hashsalt"] = "bochner"  # the same file every time
    X, y = make_friedman1(n_samples=6000, noise=1.0, random_state=0)
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    model = bo.KernelRegressor(random_state=0).fit(X_train, y_train)
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.6), layout="constrained")
    predictions(left, model, X_test, y_test)
    relevance(right, model)
    for ax in (left, right):
        ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(PLACE, metadata={"Date": None})


if __name__ == "__main__":
    main()
