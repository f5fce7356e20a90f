"""
What a model says of a column, with error bars
==============================================

Partial dependence is the mean of a model over rows with one column set to a value. A Gaussian process knows how sure it
is of that mean: :meth:`~bochner.KernelRegressor.partial_dependence` draws functions from the posterior law and averages
each of them. Importances of columns, shares in the squared gradients, have error bars too.
"""

import matplotlib.pyplot as plt
import numpy as np

import bochner as bo

# %%
# Four columns: a wave, a parabola, a third that acts only where the fourth is large, and noise that grows with the
# first column. Rows are dense in the middle and few at the ends.

rng = np.random.default_rng(0)
n = 500
X = rng.normal(0, 1, (n, 4))
y = np.sin(2 * X[:, 0]) + 0.3 * X[:, 1] ** 2 + np.maximum(X[:, 3], 0) * X[:, 2] / 2
y += (0.1 + 0.15 * np.abs(X[:, 0])) * rng.standard_normal(n)
model = bo.KernelRegressor(features="exact", length_scale=[1.0, 2.0, 2.0, 2.0], noise="learned", random_state=0).fit(
    X, y
)

figure, axes = plt.subplots(1, 4, figsize=(10, 2.8), layout="constrained", sharey=True)
for j, ax in enumerate(axes):
    values, mean, std = model.partial_dependence(X, j, grid=np.linspace(-3, 3, 25), random_state=0)
    ax.fill_between(values, mean - 2 * std, mean + 2 * std, alpha=0.25, lw=0)
    ax.plot(values, mean, lw=1.8)
    ax.plot(X[:100, j], np.full(100, -2.4), "|", color="0.4", ms=5)
    ax.set(xlabel=f"$x_{j}$", ylim=(-2.6, 4.5))
axes[0].set(ylabel="mean prediction")

# %%
# The band is two standard deviations of the function, without noise: wide where there are no rows. The last column has
# no partial dependence, since its effect is a product with the third; its importance shows it.

figure, ax = plt.subplots(figsize=(5, 2.6), layout="constrained")
ax.barh(range(4), model.feature_importances_, xerr=2 * model.feature_importances_std_, color="C0", alpha=0.7, capsize=3)
ax.set(yticks=range(4), yticklabels=[f"$x_{j}$" for j in range(4)], xlabel="share of squared gradients")
ax.invert_yaxis()

# %%
# Noise was learned with the function (`noise="learned"`): the error bars of new observations follow it.

line = np.zeros((100, 4))
line[:, 0] = np.linspace(-2.5, 2.5, 100)
mean, std = model.predict(line, return_std=True)
figure, ax = plt.subplots(figsize=(6, 2.8), layout="constrained")
ax.fill_between(line[:, 0], mean - 2 * std, mean + 2 * std, alpha=0.25, lw=0, label="two standard deviations")
ax.plot(line[:, 0], mean, lw=1.8)
ax.plot(line[:, 0], mean + 2 * (0.1 + 0.15 * np.abs(line[:, 0])), "--", color="0.4", lw=1, label="noise as it was made")
ax.plot(line[:, 0], mean - 2 * (0.1 + 0.15 * np.abs(line[:, 0])), "--", color="0.4", lw=1)
ax.set(xlabel="$x_0$, others 0", ylabel="y")
ax.legend(frameon=False)
