"""
A time series with gaps, and a map with a hole
==============================================

For one to three columns, ``features="grid"`` takes equispaced frequencies: the kernel error has a bound without
probability, and all that a fit needs of the rows are their Fourier sums. Error bars grow where there are no rows.
"""

import matplotlib.pyplot as plt
import numpy as np

import bochner as bo

rng = np.random.default_rng(0)
time = np.sort(rng.uniform(0, 10, 1500))
time = time[((time < 3) | (time > 4)) & ((time < 7) | (time > 7.5))]
signal = np.sin(3 * time) + 0.5 * np.sin(11 * time) + 0.2 * rng.standard_normal(len(time))

series = bo.KernelRegressor(bo.Matern(0.5, nu=2.5), features="grid", random_state=0).fit(time[:, None], signal)
when = np.linspace(0, 10, 500)
mean, std = series.predict(when[:, None], return_std=True)
print(series.certify().statement)

fig, axes = plt.subplots(figsize=(8, 3), constrained_layout=True)
axes.plot(time, signal, ".", ms=2, color="0.6", label="rows")
axes.fill_between(when, mean - 2 * std, mean + 2 * std, alpha=0.25, label="two standard deviations")
axes.plot(when, mean, label="mean")
axes.set(xlabel="time", ylabel="signal")
axes.legend(ncols=3, loc="lower right", fontsize=8)

# %%
# A map of 20,000 rows with a hole in it: the mean goes on into the hole, and the standard deviation tells how far.

X = rng.uniform(0, 1, (20_000, 2))
X = X[np.hypot(X[:, 0] - 0.6, X[:, 1] - 0.4) > 0.15]
y = np.sin(12 * X[:, 0]) * np.cos(9 * X[:, 1]) + X[:, 1] + 0.1 * rng.standard_normal(len(X))
chart = bo.KernelRegressor(bo.Matern(0.3, nu=1.5), features="grid", n_components=10_000, random_state=0).fit(X, y)
side = np.linspace(0, 1, 120)
places = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
mean, std = chart.predict(places, return_std=True)

fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), constrained_layout=True)
for axes, values, title in ((left, mean, "mean"), (right, std, "standard deviation")):
    image = axes.imshow(values.reshape(120, 120), origin="lower", extent=(0, 1, 0, 1))
    axes.set_title(title)
    fig.colorbar(image, ax=axes)
