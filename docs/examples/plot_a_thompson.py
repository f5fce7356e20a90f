"""
Bayesian optimisation by functions drawn from the posterior
===========================================================

Where is the lowest point of a function that is costly to ask? Thompson sampling draws one function from what is known
so far, and asks next where that one is lowest: it looks where the model hopes, and where it does not know.

A draw that is a *function* can be followed downhill. `sample_functions` gives one, with its gradient. A Gaussian
process of scikit-learn draws values at rows that are given beforehand (`sample_y`), and takes the best of a list.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import minimize
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import Matern

import bochner as bo

warnings.simplefilter("ignore")  # few rows, as optimisation has them


def branin(X):
    """Three lowest points, of value 0.398, on the unit square."""
    a, b = 15 * X[:, 0] - 5, 15 * X[:, 1]
    return (b - 5.1 * a**2 / (4 * np.pi**2) + 5 * a / np.pi - 6) ** 2 + 10 * (1 - 1 / (8 * np.pi)) * np.cos(a) + 10


def lowest_of_a_drawn_function(X, y, seed):
    model = bo.KernelRegressor(bo.Matern(nu=2.5), features="exact", length_scale=0.4, alpha=1e-6).fit(X, y)
    f = model.sample_functions(1, random_state=seed)
    candidates = np.random.default_rng(seed).random((500, 2))
    start = candidates[np.argmin(f(candidates))]
    downhill = minimize(
        lambda x: f(x[None])[0, 0], start, jac=lambda x: f.gradient(x[None])[0, :, 0], bounds=[(0, 1)] * 2
    )
    return downhill.x


def lowest_of_a_list(X, y, seed):
    process = GaussianProcessRegressor(Matern(0.4, nu=2.5), alpha=1e-6, normalize_y=True, optimizer=None).fit(X, y)
    candidates = np.random.default_rng(seed).random((500, 2))
    return candidates[np.argmin(process.sample_y(candidates, random_state=seed))]


def optimise(choose, seed, n_rounds=20):
    X = np.random.default_rng(seed).random((5, 2))
    for step in range(n_rounds):
        X = np.vstack([X, choose(X, branin(X), 1000 * seed + step)])
    return X


# %%
# Both models have the same kernel and five random rows to begin with. Shown is how far the best row so far is above the
# lowest point, over rounds.

runs = {
    choose: [optimise(choose, seed) for seed in range(3)] for choose in (lowest_of_a_drawn_function, lowest_of_a_list)
}
labels = {
    lowest_of_a_drawn_function: "functions of bochner",
    lowest_of_a_list: "values of scikit-learn's GP at 500 rows",
}

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
side = np.linspace(0, 1, 100)
square = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
left.contour(
    side, side, branin(square).reshape(100, 100), levels=np.geomspace(1, 300, 14), colors="0.75", linewidths=0.8
)
asked = runs[lowest_of_a_drawn_function][0]
marks = left.scatter(*asked.T, c=np.arange(len(asked)), s=26, cmap="viridis", zorder=3)
figure.colorbar(marks, ax=left, label="row")
left.set(xlabel="$x_1$", ylabel="$x_2$", title="rows asked for, first run")
for color, (choose, found) in zip(("C0", "C1"), runs.items()):
    best = np.array([np.minimum.accumulate(branin(X)) - 0.397887 for X in found])
    right.semilogy(np.exp(np.mean(np.log(best), axis=0)), color=color, lw=2, label=labels[choose])
    right.semilogy(best.T, color=color, lw=0.6, alpha=0.5)
right.set(xlabel="rows", ylabel="best so far, above the lowest point", title="three runs, and their geometric mean")
right.legend(frameon=False)

# %%
# With one column, draws can be looked at: they pass near the rows, and go their own ways elsewhere.

X = np.sort(np.random.default_rng(3).uniform(0, 10, 7))[:, None]
model = bo.KernelRegressor(bo.Matern(nu=2.5), features="exact", length_scale=1.2, alpha=1e-3).fit(X, np.sin(X[:, 0]))
line = np.linspace(-3, 13, 400)[:, None]
figure, ax = plt.subplots(figsize=(8, 3.2), layout="constrained")
ax.plot(line, model.sample_functions(12, random_state=0)(line), color="C0", lw=0.8, alpha=0.7)
ax.plot(line, model.predict(line), color="black", lw=1.6, label="prediction")
ax.plot(X, np.sin(X), "o", color="black", label="rows")
ax.set(xlabel="x", ylabel="y")
ax.legend(frameon=False)
