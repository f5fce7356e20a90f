"""
How good is the kernel estimate?
================================

Random features replace a kernel by an average of waves. More waves, less error: it falls like one over the square root
of their number, and there is a theorem for how large it can be.
"""

import matplotlib.pyplot as plt
import numpy as np

import bochner as bo

kernel = bo.Gaussian(length_scale=1.0)
distance = np.linspace(0, 4, 200)[:, None]

figure, axes = plt.subplots(1, 3, figsize=(9, 3), sharey=True, layout="constrained")
for ax, width in zip(axes, (16, 128, 1024)):
    for seed in range(8):
        features = bo.FourierFeatures(kernel, n_components=width, random_state=seed).fit(distance)
        Z = features.transform(distance)
        ax.plot(distance, Z @ Z[0], color="C0", alpha=0.4, lw=1)
    ax.plot(distance, kernel(distance, distance[:1]), color="black", lw=1.6)
    ax.set(title=f"{width} features, 8 seeds", xlabel="distance", ylim=(-0.6, 1.1))
axes[0].set_ylabel("kernel (black) and estimates")

# %%
# On rows of data the question is how wrong the worst kernel value is, over all pairs. The guarantee holds before
# looking at the rows; what is measured lies below it.

X = np.random.default_rng(0).standard_normal((300, 5))
features = bo.FourierFeatures(bo.Gaussian(2.0), n_components=1024, random_state=0).fit(X)
bo.KernelErrorDisplay.from_estimator(features, X)

# %%
# Before drawing anything: how many features keep every value within 0.1, with probability 99 %?

needed = bo.theory.finite_set.features_needed(n_points=300, eps=0.1, delta=0.01, kernel=bo.Gaussian())
print(needed, "features")
