"""Comparison of plain features, data augmentation, orbit features, orbit Nystroem features and, of images, patches.

Augmentation trains on every row under each of the transformations that orbit features average over, with plain features
of the same width. Patches have a kernel with landmarks on top (`orbit_patches`). All are ridge regression with the
penalty chosen by GCV, on +-1 targets for classes. Training times are among the numbers: they are not repeatable, the
errors are.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy.stats import binomtest, norm

from bochner._typing import Array, Transformer
from bochner.estimators import FourierFeatures, KernelRegressor, NystroemFeatures, OrbitFeatures
from bochner.kernels import Gaussian
from bochner.reproduce.experiment import COLOURS, Experiment, Numbers, Parameters, legend_outside, readable_logarithms
from bochner.reproduce.orbit_problems import FILES, PROBLEMS, Problem

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "measure"]

_CURVES = {
    "plain": (COLOURS["quiet"], "o", "plain"),
    "augmentation": (COLOURS["old"], "s", "augmentation"),
    "orbit": (COLOURS["paired"], "D", "orbit features"),
    "orbit Nystroem": (COLOURS["ours"], "^", "orbit Nyström"),
    "patches": (COLOURS["printed"], "v", "patches"),
}

Fit: TypeAlias = Callable[[Array, Array], KernelRegressor]

_FOLLOWING = ("orbit Nystroem", "patches")  # methods whose features are made of the training rows
_BLOCK = 2000  # test rows whose features are in memory at once
_TWO_SIDED = 9  # transformations of orbit Nystroem features that are no group: 81 kernel values a landmark


def measure(
    problem: str, sizes: Sequence[int], n_test: int, n_components: int, seed: int, *, without: Collection[str] = ()
) -> Numbers:
    """Test error (share of wrong labels, or mean absolute error) and seconds of training, by method and rows.

    Methods of `without` are left out, so that a stored result can be given those that it lacks.
    """
    whole = PROBLEMS[problem](max(sizes), n_test, seed)
    methods = {
        name: _study(whole, name, fit, sizes, follows_rows=name in _FOLLOWING)
        for name, fit in _methods(whole, n_components, seed).items()
        if name not in without
    }
    return {
        "problem": problem,
        "sizes": list(sizes),
        "n_test": n_test,
        "n_transforms": whole.group.order(whole.X.shape[1]),
        "measure": "mean absolute error" if whole.classes is None else "wrong labels",
        "methods": methods,
    }


def _study(problem: Problem, name: str, fit: Fit, sizes: Sequence[int], *, follows_rows: bool) -> Numbers:
    """Errors, seconds and widths of one method. Features that do not follow the training rows are computed only once.

    An interval of an error has 95 % confidence over the draw of the test rows, given the training rows.
    """
    fit(problem.X[:50], _targets(problem, problem.y[:50]))  # compiles the loops, so that the first time is of the work
    asked, answers = _asked(problem, name), []
    seconds, widths, linear = [], [], []
    features: Transformer | None = None
    for size in sizes:
        start = time.perf_counter()
        model = fit(problem.X[:size], _targets(problem, problem.y[:size]))
        seconds.append(time.perf_counter() - start)
        widths.append(model.coef_.shape[-1])
        if follows_rows:
            answers.append(model.predict(asked))
        else:
            features = model.features_ if features is None else features
            linear.append((model.coef_, model.intercept_))
    if features is not None:
        answers = _linear_answers(features, linear, asked)
    errors = [_errors(problem, each) for each in answers]
    return {
        "error": [float(each.mean()) for each in errors],
        "interval": [_interval(each, counts=problem.classes is not None) for each in errors],
        "seconds": seconds,
        "widths": widths,
    }


def _linear_answers(features: Transformer, linear: list[tuple[Array, Array]], X: Array) -> list[Array]:
    """z(x) . coef + intercept for several coefficients on one map."""
    blocks = []
    for rows in np.array_split(X, -(-len(X) // _BLOCK)):
        Z = features.transform(rows)
        blocks.append([Z @ coef.T + intercept for coef, intercept in linear])
    return [np.concatenate(each) for each in zip(*blocks, strict=True)]


def _methods(problem: Problem, D: int, seed: int) -> dict[str, Fit]:
    kernel = Gaussian(problem.length_scale)
    plain = FourierFeatures(Gaussian(problem.plain_length_scale), n_components=D, random_state=seed)
    orbit = OrbitFeatures(problem.group, FourierFeatures(kernel, n_components=D, random_state=seed))
    # As many kernel values a row as there are frequencies; fewer transformations where both sides are moved.
    r = "all" if problem.group.closed else min(_TWO_SIDED, problem.group.order(problem.X.shape[1]) or _TWO_SIDED)
    nystroem = NystroemFeatures(kernel, n_components=D // 2, group=problem.group, n_transforms=r, random_state=seed)
    methods: dict[str, Fit] = {
        "plain": lambda X, T: _learner(plain).fit(X, T),
        "augmentation": partial(_augmented, plain, problem),
        "orbit": lambda X, T: _learner(orbit).fit(X, T),
        "orbit Nystroem": lambda X, T: _learner(nystroem).fit(X, T),
    }
    if (patches := problem.patches) is not None:
        methods["patches"] = lambda X, T: _learner(patches.features(X, seed)).fit(X, T)
    return methods


def _learner(features: Transformer) -> KernelRegressor:
    return KernelRegressor(features=features, alpha="gcv")


def _augmented(features: Transformer, problem: Problem, X: Array, T: Array) -> KernelRegressor:
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


def _errors(problem: Problem, predicted: Array) -> Array:
    """Errors of every test row: 0 or 1, or the absolute error."""
    if problem.classes is None:
        return np.abs(predicted - problem.y_test)
    wrong: Array = (problem.classes[predicted.argmax(axis=1)] != problem.y_test).astype(float)
    return wrong


def _interval(errors: Array, *, counts: bool) -> list[float]:
    """95 % limits of the mean: Clopper and Pearson's for counts, the normal ones else."""
    if counts:
        limits = binomtest(int(errors.sum()), len(errors)).proportion_ci(0.95)
        return [float(limits.low), float(limits.high)]
    margin = norm.ppf(0.975) * errors.std(ddof=1) / np.sqrt(len(errors))
    return [float(errors.mean() - margin), float(errors.mean() + margin)]


def draw(figure: Figure, numbers: Numbers) -> None:
    accuracy, cost = figure.subplots(1, 2)
    percent = numbers["measure"] == "wrong labels"
    for name, own in numbers["methods"].items():
        colour, marker, label = _CURVES[name]
        style = {"color": colour, "marker": marker, "ms": 5, "label": label}
        unit = 100 if percent else 1
        accuracy.plot(numbers["sizes"], np.multiply(own["error"], unit), **style)
        accuracy.fill_between(numbers["sizes"], *np.multiply(own["interval"], unit).T, color=colour, alpha=0.2, lw=0)
        cost.plot(numbers["sizes"], own["seconds"], **style)
    accuracy.set(ylabel="wrong labels, %" if percent else "mean absolute error, kcal/mol", title="test error")
    cost.set(ylabel="seconds", title="training time")
    for axes in (accuracy, cost):
        axes.set(xscale="log", yscale="log", xlabel="training rows")
        readable_logarithms(axes)
        axes.set_xticks(numbers["sizes"], [_short(size) for size in numbers["sizes"]])
    legend_outside(figure, accuracy)


def _short(size: int) -> str:
    return f"{size:,}" if size < 1000 else f"{size / 1000:g}k"


def _experiment(problem: str, title: str, quick: Parameters, full: Parameters) -> Experiment:
    return Experiment(
        title=f"{title}: plain features, augmentation and invariant features",
        measure=partial(measure, problem),
        draw=draw,
        quick={"seed": 1, **quick},
        full={"seed": 1, **full},
        size=(9.5, 3.8),
        data=FILES.get(problem, ()),
    )


EXPERIMENTS = {
    "raj-rotated-digits": _experiment(
        "rotated digits",
        "digits turned by any angle",
        {"sizes": (250, 500, 1000), "n_test": 2000, "n_components": 512},
        {"sizes": (250, 500, 1000, 2500, 5000, 12_000), "n_test": 10_000, "n_components": 2048},
    ),
    "raj-translated-digits": _experiment(
        "translated digits",
        "digits moved by up to 4 pixels",
        {"sizes": (250, 500, 1000), "n_test": 2000, "n_components": 512},
        {"sizes": (250, 500, 1000, 2500, 5000), "n_test": 10_000, "n_components": 1024},
    ),
    "raj-fashion": _experiment(
        "fashion",
        "clothes, small shifts and mirror images",
        {"sizes": (250, 500, 1000), "n_test": 2000, "n_components": 512},
        {"sizes": (250, 500, 1000, 2500, 5000, 10_000), "n_test": 10_000, "n_components": 2048},
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
