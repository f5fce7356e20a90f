"""
Classes: three losses, one boundary
===================================

Logistic regression and support vector machines on the same features. Only the first has probabilities of its own.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons
from sklearn.inspection import DecisionBoundaryDisplay

import bochner as bo

X, y = make_moons(800, noise=0.25, random_state=0)

figure, axes = plt.subplots(1, 3, figsize=(9.5, 3.3), sharey=True, layout="constrained")
for ax, loss in zip(axes, ("logistic", "hinge", "squared_hinge")):
    model = bo.KernelClassifier(loss=loss, length_scale=0.5, n_components=256, alpha=0.1, random_state=0).fit(X, y)
    DecisionBoundaryDisplay.from_estimator(
        model,
        X,
        response_method="predict_proba" if loss == "logistic" else "decision_function",
        grid_resolution=80,
        eps=0.3,
        cmap="RdBu",
        alpha=0.8,
        ax=ax,
    )
    ax.scatter(*X.T, c=y, cmap="RdBu", s=8, edgecolor="0.3", linewidth=0.3)
    ax.set(title=f"{loss}: {100 * model.score(X, y):.1f} % right", xticks=[], yticks=[])
