"""
A symmetry in the features
==========================

Signals of two shapes, a square and a triangular pulse of the same energy, in noise, each shifted by a random amount.
Features averaged over all cyclic shifts do not see where the pulse is. They learn from two hundred rows what plain
features do not learn from two thousand.
"""

import matplotlib.pyplot as plt
import numpy as np

import bochner as bo

length = 32
square = np.where(np.arange(length) < 8, 1.0, 0.0)
triangle = np.maximum(0, 1 - np.abs(np.arange(length) - 6.5) / 6.5)
triangle *= np.linalg.norm(square) / np.linalg.norm(triangle)


def signals(n, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(2, size=n)
    shapes = np.stack([square, triangle])[labels]
    shifts = (np.arange(length) - rng.integers(length, size=(n, 1))) % length
    return np.take_along_axis(shapes, shifts, axis=1) + 0.15 * rng.standard_normal((n, length)), labels


figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
X, labels = signals(400, seed=1)
for label, name, style in ((0, "square", "-"), (1, "triangle", "--")):
    for k, row in enumerate(X[labels == label][:2]):
        left.plot(row + 2 * k, style, color=f"C{label}", label=name if k == 0 else None)
left.set(xlabel="time", yticks=[], ylim=(-0.6, 4.4), title="two rows of each class")
left.legend(frameon=False, loc="upper right", ncols=2)

plain = bo.FourierFeatures(bo.Gaussian(3.0), n_components=512, random_state=0)
orbit = bo.OrbitFeatures(bo.groups.CyclicShifts(), plain)
test = signals(1000, seed=2)
sizes = [20, 60, 200, 600, 2000]
for (name, features), marker in zip({"plain features": plain, "orbit features": orbit}.items(), "os"):
    right.semilogx(
        sizes,
        [
            100 * bo.KernelClassifier(features=features, alpha=0.01, random_state=0).fit(*signals(n, 3)).score(*test)
            for n in sizes
        ],
        marker=marker,
        label=name,
    )
right.set(xlabel="training rows", ylabel="right (%)", ylim=(45, 101))
right.legend(frameon=False, loc="lower right")

# %%
# The invariance is exact, for every row and every shift:

features = orbit.fit(X)
moved = np.abs(features.transform(X) - features.transform(np.roll(X, 5, axis=1))).max()
print(f"largest change of a feature under a shift: {moved:.1e}")
