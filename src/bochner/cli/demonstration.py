"""Demonstration: fit 100,000 rows with known truth, and compare with exact kernel ridge on a subsample.

Run as `make demo`, `bochner demo` or `python -m bochner.cli.demo`.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np
from sklearn.kernel_ridge import KernelRidge

from bochner import FourierFeatures, KernelRegressor
from bochner._typing import Array
from bochner.cli.meter import Cost, measured
from bochner.datasets import Waves, make_waves
from bochner.memory import format_bytes

__all__ = ["main"]

_TRAIN, _TEST, _SUBSAMPLE = 100_000, 10_000, 4_000


def main() -> None:
    """Run the demonstration and print what it found."""
    data = make_waves(_TRAIN + _TEST)
    train, test = _part(data, slice(_TRAIN)), _part(data, slice(_TRAIN, None))
    print(
        f"{_TRAIN:,} rows, {data.X.shape[1]} features, noise of standard deviation {data.noise}; the truth is known.\n"
    )
    FourierFeatures(n_components=2).fit_transform(train.X[:2])  # compiles on the very first run; not part of the time

    model, cost = _timed_fit(train)
    mean, std = model.predict(test.X, return_std=True)
    covered = np.mean(np.abs(test.y - mean) <= 1.645 * std)
    print(f"\nKernelRegressor(features='fourier'), Gaussian kernel, {model.features_.n_components_:,} random features")
    print(f"  time        {cost.seconds:.1f} s, {_work(model)}")
    print(f"  memory      {format_bytes(cost.memory)} on top of the data")
    print(f"  error       {_rms(mean - test.truth):.4f} from the truth (RMS on {_TEST:,} new rows)")
    print(f"  error bars  {100 * covered:.1f} % of new targets inside the 90 % interval")
    print(f"  noise       {np.sqrt(model.noise_variance_):.3f} estimated")
    _compare(model, train, test)


def _work(model: KernelRegressor) -> str:
    """Summary of the fit in words."""
    curve, penalties = model.width_curve_, f"{len(model.path_.alphas)} penalties compared"  # type: ignore[union-attr]
    if curve is None:
        return f"one pass over the rows, {penalties}"
    return f"{len(curve.widths)} widths up to {curve.widths[-1]:,}, {penalties}"


def _timed_fit(train: Waves) -> tuple[KernelRegressor, Cost]:
    model = _with_progress(KernelRegressor(features="fourier", random_state=0))
    with measured() as cost:
        model.fit(train.X, train.y)
    return model, cost


def _compare(model: KernelRegressor, train: Waves, test: Waves) -> None:
    """Exact kernel ridge on a subsample, with the same kernel and a penalty of the same meaning."""
    kernel = model.features_.kernel_
    small = _part(train, slice(_SUBSAMPLE))
    ours = KernelRegressor(kernel, n_components=model.features_.n_components_, random_state=0).fit(small.X, small.y)
    start = time.perf_counter()
    offset = small.y.mean()
    exact = KernelRidge(kernel="rbf", gamma=0.5, alpha=ours.alpha_)
    exact.fit(small.X / kernel.length_scale, small.y - offset)
    seconds = time.perf_counter() - start
    everything = seconds * (_TRAIN / _SUBSAMPLE) ** 3
    of_exact = exact.predict(test.X / kernel.length_scale) + offset
    print(f"\nExact kernel ridge on {_SUBSAMPLE:,} of the rows, same kernel")
    print(f"  time        {seconds:.1f} s")
    print(f"              all rows would take about {everything / 3600:.1f} h and {format_bytes(8 * _TRAIN**2)}")
    print(f"  error       {_rms(of_exact - test.truth):.4f} from the truth")
    print(f"  our model on the same {_SUBSAMPLE:,} rows differs from it by {_rms(of_exact - ours.predict(test.X)):.4f}")


def _part(data: Waves, rows: slice) -> Waves:
    return Waves(data.X[rows], data.y[rows], data.truth[rows], data.noise)


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(np.square(values))))


def _with_progress(model: Any) -> Any:
    """The model with scikit-learn's progress bar, where there is a terminal and rich to draw it."""
    try:
        import rich  # noqa: F401
        from sklearn.callback import ProgressBar
    except ImportError:
        return model
    return model.set_callbacks(ProgressBar()) if sys.stdout.isatty() else model
