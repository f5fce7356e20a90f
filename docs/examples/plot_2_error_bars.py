"""
Error bars, and whether to believe them
=======================================

Ridge regression on random features is a Bayesian linear model, so every prediction has a standard deviation. It is wide
where there were no rows.
"""

import matplotlib.pyplot as plt
import numpy as np

import bochner as bo

rng = np.random.default_rng(0)
X = np.concatenate([rng.uniform(-4, -0.5, 300), rng.uniform(1.5, 4, 300)])[:, None]
y = np.sin(2 * X[:, 0]) + 0.2 * rng.standard_normal(600)

model = bo.KernelRegressor(length_scale=0.8, n_components=512, alpha="evidence", random_state=0).fit(X, y)
grid = np.linspace(-5, 5, 400)[:, None]
mean, std = model.predict(grid, return_std=True)

figure, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
ax.plot(X, y, ".", color="0.55", ms=3, label="rows")
ax.plot(grid, np.sin(2 * grid), color="black", ls="--", lw=1.2, label="truth")
ax.plot(grid, mean, color="C0", lw=1.8, label="prediction")
ax.fill_between(grid[:, 0], mean - 2 * std, mean + 2 * std, color="C0", alpha=0.2, label="two standard deviations")
ax.set(xlabel="x", ylabel="y", ylim=(-2.6, 2.6))
ax.legend(ncols=4, loc="lower center", frameon=False)

# %%
# A model that is right has 80 % of new targets in its 80 % intervals, and so on for every level. This is checked on
# rows that it has not seen.

X_new = np.concatenate([rng.uniform(-4, -0.5, 500), rng.uniform(1.5, 4, 500)])[:, None]
y_new = np.sin(2 * X_new[:, 0]) + 0.2 * rng.standard_normal(1000)
bo.ErrorBarDisplay.from_estimator(model, X_new, y_new)
