"""
A causal graph from tests of conditional independence
=====================================================

Which of five quantities act on which? The PC algorithm (Spirtes, Glymour & Scheines 2000) asks two questions of every
pair: are they independent, and do they become independent when others are known? :func:`bochner.hsic_test` answers the
first, :func:`bochner.ci_test` the second, also where the effects are no straight lines.
"""

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np

import bochner as bo

# %%
# Five columns, of which each is made from others by a curve, and noise: rain and traffic are causes, the speed of
# traffic depends on both, delays on the speed, and complaints on delays.

rng = np.random.default_rng(0)
n = 600
rain, traffic = rng.standard_normal((2, n))
speed = np.cos(1.5 * rain) - np.tanh(2 * traffic) + 0.3 * rng.standard_normal(n)
delay = speed**2 / 2 + speed + 0.4 * rng.standard_normal(n)
complaints = np.tanh(delay) + 0.3 * rng.standard_normal(n)
names = ["rain", "traffic", "speed", "delay", "complaints"]
data = dict(zip(names, (rain, traffic, speed, delay, complaints)))
truth = {("rain", "speed"), ("traffic", "speed"), ("speed", "delay"), ("delay", "complaints")}


def column(name):
    return data[name][:, None]


def independent(a, b, given, level=0.01):
    """Whether the test finds nothing. The p-value of `ci_test` is asymptotic, and says so."""
    if not given:
        return bo.hsic_test(column(a), column(b), n_resamples=199, rng=0).pvalue > level
    return bo.ci_test(column(a), column(b), given=np.hstack([column(name) for name in given]), rng=0).pvalue > level


# %%
# Begin with a line between every two, and take away those whose ends are independent, given none, one or two of the
# neighbours of an end. What was given then tells the direction: if two causes meet in a common effect that was *not*
# needed to separate them, both arrows point to it.

lines = {frozenset(pair) for pair in combinations(names, 2)}
separated_by = {}
for size in range(3):
    for pair in sorted(map(sorted, lines)):
        a, b = pair
        neighbours = {name for line in lines if a in line or b in line for name in line} - {a, b}
        for given in combinations(sorted(neighbours), size):
            if independent(a, b, given):
                lines.discard(frozenset(pair))
                separated_by[frozenset(pair)] = set(given)
                break

arrows = set()
for pair, given in separated_by.items():
    a, b = pair
    for middle in set(names) - pair - given:
        if {frozenset((a, middle)), frozenset((b, middle))} <= lines:
            arrows |= {(a, middle), (b, middle)}
for _ in names:  # an arrow into a line whose ends do not meet goes on: else two causes would have met there
    for cause, middle in list(arrows):
        for line in lines:
            if middle in line and cause not in line:
                (effect,) = line - {middle}
                if frozenset((cause, effect)) not in lines and (effect, middle) not in arrows:
                    arrows.add((middle, effect))

print(sorted(arrows))
print("as it was made:", arrows == truth)

# %%
# All four effects are found, with their directions, and no others.

places = {"rain": (0, 1), "traffic": (0, -1), "speed": (1, 0), "delay": (2, 0), "complaints": (3, 0)}
figure, ax = plt.subplots(figsize=(8, 2.8), layout="constrained")
for line in lines:
    a, b = line if tuple(line) in arrows else tuple(line)[::-1]
    style = {"arrowstyle": "-|>" if (a, b) in arrows else "-", "color": "C0", "lw": 1.8, "shrinkA": 36, "shrinkB": 36}
    ax.annotate("", places[b], places[a], arrowprops=style)
for name, place in places.items():
    ax.annotate(name, place, ha="center", va="center", bbox={"boxstyle": "round,pad=0.5", "fc": "white", "ec": "0.6"})
ax.set(xlim=(-0.4, 3.5), ylim=(-1.5, 1.5))
ax.axis("off")
