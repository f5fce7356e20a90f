"""Does n_components="auto" find a good width: its error against every width of the grid, its time against one fit.

Tables as in accuracy.py, standardised, float32, scales learned ("ard"). For every set: the curve on held-out rows, the
width that was chosen, the error on the test part at that width and at all others with the same scales, the width and
error of the rule, and the time of the search as a multiple of one fit at the chosen width, in one run.

    python benchmarks/width.py
    python benchmarks/width.py --largest 1024 --rows 5000 protein
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from accuracy import rmse, table
from harness import once, write

import bochner as bo
from bochner.planning import default_width

SETS = ("kin40k", "elevators", "protein")


def one_set(name, largest, n_rows):
    (X, y), (X_test, y_test) = table(name, 0)
    X, y = X[:n_rows], y[:n_rows]
    scales = bo.KernelRegressor(length_scale="ard", alpha="evidence", n_components=256, random_state=0).fit(X, y)

    def model(width):
        return bo.KernelRegressor(scales.tuning_.kernel, alpha="evidence", n_components=width, random_state=0)

    automatic = model("auto")
    auto_seconds = once(lambda: automatic.fit(X, y))
    curve = automatic.width_curve_
    widths = [int(width) for width in 256 * 2 ** np.arange(6) if width <= largest]
    errors, seconds = {}, {}
    for width in sorted({*widths, default_width(len(X)), curve.n_components}):
        fitted = model(width)
        seconds[width] = once(lambda fitted=fitted: fitted.fit(X, y))
        errors[width] = rmse(fitted.predict(X_test), y_test)
    return {
        "n": len(X), "d": X.shape[1], "chosen": curve.n_components, "reason": curve.reason,
        "curve": {
            "widths": curve.widths.tolist(), "rmse": curve.rmse.tolist(), "against": curve.against.tolist(),
            "gain": curve.gain[1:].tolist(), "gain_std": curve.gain_std[1:].tolist(),
        },
        "test_rmse": rmse(automatic.predict(X_test), y_test), "test_rmse_of_widths": errors,
        "rule": default_width(len(X)), "test_rmse_of_rule": errors[default_width(len(X))],
        "seconds": auto_seconds, "seconds_of_widths": seconds,
        "times_a_fit_at_the_chosen_width": auto_seconds / seconds[curve.n_components],
        "times_a_fit_at_the_widest_tried": auto_seconds / seconds.get(int(curve.widths[-1]), np.nan),
    }  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=SETS)
    parser.add_argument("--largest", type=int, default=8192, help="widest map of the grid")
    parser.add_argument("--rows", type=int, default=None, help="training rows at most")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    results = {}
    for name in arguments.names:
        results[name] = one_set(name, arguments.largest, arguments.rows)
        print(name, results[name], flush=True)
    write("width", results)


if __name__ == "__main__":
    main()
