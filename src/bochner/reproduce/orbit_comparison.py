"""Symmetry in the features or in the data: plain features, augmentation, orbit features, orbit Nystroem features.

Augmentation trains on every row under each of the transformations that orbit features average over, with plain features
of the same width. All four are ridge regression with the penalty chosen by GCV, on +-1 targets for classes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from bochner._typing import Array
from bochner.estimators import FourierFeatures, KernelRegressor, NystroemFeatures, OrbitFeatures
from bochner.kernels import Gaussian
from bochner.reproduce.experiment import COLOURS, Experiment, Numbers, legend_outside
from bochner.reproduce.orbit_problems import PROBLEMS, Problem

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "measure"]

_CURVES = {
    "plain": (COLOURS["quiet"], "o", "plain"),
    "augmentation": (COLOURS["old"], "s", "augmentation"),
    "orbit": (COLOURS["paired"], "D", "orbit features"),
    "orbit Nystroem": (COLOURS["ours"], "^", "orbit Nyström"),
}

_TWO_SIDED = 9  # transformations of orbit Nystroem features that are no group: 81 kernel values a landmark


def measure(problem: str, sizes: Sequence[int], n_test: int, n_components: int, seed: int) -> Numbers:
    """Test error (share of wrong labels, or mean absolute error) and seconds of training, by method and rows."""
    whole = PROBLEMS[problem](max(sizes), n_test, seed)
    fits = _methods(whole, n_components, seed)
    methods: dict[str, Any] = {name: {"error": [], "seconds": []} for name in fits}
    for fit in fits.values():  # compiles the loops, so that the first time is of the work
        fit(whole.X[:50], _targets(whole, whole.y[:50]))
    for size in sizes:
        for name, fit in fits.items():
            start = time.perf_counter()
            model = fit(whole.X[:size], _targets(whole, whole.y[:size]))
            methods[name]["seconds"].append(time.perf_counter() - start)
            methods[name]["error"].append(_error(whole, model.predict(_asked(whole, name))))
    return {
        "problem": problem,
        "sizes": list(sizes),
        "n_test": n_test,
        "n_transforms": whole.group.order(whole.X.shape[1]),
        "measure": "mean absolute error" if whole.classes is None else "wrong labels",
        "methods": methods,
    }


def _methods(problem: Problem, D: int, seed: int) -> dict[str, Callable[[Array, Array], Any]]:
    kernel = Gaussian(problem.length_scale)
    plain = FourierFeatures(Gaussian(problem.plain_length_scale), n_components=D, random_state=seed)
    orbit = OrbitFeatures(problem.group, FourierFeatures(kernel, n_components=D, random_state=seed))
    # As many kernel values a row as there are frequencies; fewer transformations where both sides are moved.
    r = "all" if problem.group.closed else min(_TWO_SIDED, problem.group.order(problem.X.shape[1]) or _TWO_SIDED)
    nystroem = NystroemFeatures(kernel, n_components=D // 2, group=problem.group, n_transforms=r, random_state=seed)
    return {
        "plain": lambda X, T: _learner(plain).fit(X, T),
        "augmentation": partial(_augmented, plain, problem),
        "orbit": lambda X, T: _learner(orbit).fit(X, T),
        "orbit Nystroem": lambda X, T: _learner(nystroem).fit(X, T),
    }


def _learner(features: Any) -> Any:
    return KernelRegressor(features=features, alpha="gcv")


def _augmented(features: Any, problem: Problem, X: Array, T: Array) -> Any:
    """Every row under every transformation; added one transformation after the other, so that memory stays small."""
    model = _learner(features)
    for _, moved in problem.group.elements(X.shape[1]).of(X):
        model.partial_fit(moved, T)
    model.predict(X[:1])  # the equations are solved on first use
    return model


def _asked(problem: Problem, method: str) -> Array:
    """The test rows, as the method is asked about them."""
    sorts = method == "augmentation" and problem.canonical is not None
    return problem.canonical(problem.X_test) if sorts else problem.X_test  # type: ignore[misc]


def _targets(problem: Problem, y: Array) -> Array:
    return y if problem.classes is None else np.where(problem.classes == y[:, None], 1.0, -1.0)


def _error(problem: Problem, predicted: Array) -> float:
    if problem.classes is None:
        return float(np.mean(np.abs(predicted - problem.y_test)))
    return float(np.mean(problem.classes[predicted.argmax(axis=1)] != problem.y_test))


def draw(figure: Figure, numbers: Numbers) -> None:
    accuracy, cost = figure.subplots(1, 2)
    percent = numbers["measure"] == "wrong labels"
    for name, (colour, marker, label) in _CURVES.items():
        own = numbers["methods"][name]
        style = {"color": colour, "marker": marker, "ms": 5, "label": label}
        accuracy.plot(numbers["sizes"], np.multiply(own["error"], 100 if percent else 1), **style)
        cost.plot(numbers["sizes"], own["seconds"], **style)
    accuracy.set(ylabel="wrong labels, %" if percent else "mean absolute error, kcal/mol", title="test error")
    cost.set(ylabel="seconds", title="training time")
    for axes in (accuracy, cost):
        axes.set(xscale="log", yscale="log", xlabel="training rows")
        axes.set_xticks(numbers["sizes"], [_short(size) for size in numbers["sizes"]])
        ticks = [tick for tick in _NICE if axes.get_ylim()[0] <= tick <= axes.get_ylim()[1]]
        axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.minorticks_off()
    legend_outside(figure, accuracy)


_NICE = [digit * 10.0**power for power in range(-3, 6) for digit in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 7)]


def _short(size: int) -> str:
    return f"{size:,}" if size < 1000 else f"{size / 1000:g}k"


def _experiment(problem: str, title: str, quick: dict[str, Any], full: dict[str, Any]) -> Experiment:
    return Experiment(
        title=f"{title}: plain, augmented, orbit and orbit Nystroem features",
        measure=partial(measure, problem),
        draw=draw,
        quick={"seed": 1, **quick},
        full={"seed": 1, **full},
        size=(9.5, 3.8),
        needs_data=problem != "signals",
    )


EXPERIMENTS = {
    "raj-rotated-digits": _experiment(
        "rotated digits",
        "digits turned by any angle",
        {"sizes": (250, 500, 1000), "n_test": 2000, "n_components": 512},
        {"sizes": (250, 500, 1000, 2500, 5000, 12_000), "n_test": 50_000, "n_components": 4096},
    ),
    "raj-translated-digits": _experiment(
        "translated digits",
        "digits moved by up to 4 pixels",
        {"sizes": (250, 500, 1000), "n_test": 2000, "n_components": 512},
        {"sizes": (250, 500, 1000, 2500, 5000, 10_000), "n_test": 10_000, "n_components": 2048},
    ),
    "raj-fashion": _experiment(
        "fashion",
        "clothes, small shifts and mirror images",
        {"sizes": (250, 500, 1000), "n_test": 2000, "n_components": 512},
        {"sizes": (250, 500, 1000, 2500, 5000, 10_000), "n_test": 10_000, "n_components": 4096},
    ),
    "raj-signals": _experiment(
        "signals",
        "waveforms anywhere on a ring",
        {"sizes": (100, 200, 400), "n_test": 2000, "n_components": 512},
        {"sizes": (100, 250, 500, 1000, 2500, 5000, 10_000), "n_test": 10_000, "n_components": 2048},
    ),
    "raj-molecules": _experiment(
        "molecules",
        "QM7, atoms in any order",
        {"sizes": (250, 500, 1000), "n_test": 1000, "n_components": 512},
        {"sizes": (250, 500, 1000, 2500, 5000), "n_test": 2000, "n_components": 2048},
    ),
}
