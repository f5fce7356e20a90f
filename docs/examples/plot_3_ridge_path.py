"""
Which penalty, and why
======================

One pass over the rows gives the models of all penalties. The best one is found from the moments alone, by generalised
cross-validation (GCV) or by the evidence of the Bayesian model.
"""

import matplotlib.pyplot as plt

import bochner as bo

waves = bo.datasets.make_waves(1000, noise=0.5)
model = bo.KernelRegressor(length_scale=1.0, n_components=512, alpha="gcv", random_state=0).fit(waves.X, waves.y)

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
bo.RidgePathDisplay.from_estimator(model, ax=left)
bo.RidgePathDisplay.from_estimator(model, criterion="dof", ax=right)

# %%
# The penalty separates directions of the features that the rows can tell from noise (above the line) from those that
# they cannot.

bo.SpectrumDisplay.from_estimator(model)
