"""GPBoost (Sigrist 2022) on the satellite temperatures: a Vecchia Gaussian process, in an environment of its own.

    python -m venv other && other/bin/pip install gpboost pandas pyarrow
    other/bin/python benchmarks/lowdim_gpboost.py table.parquet found.json

Exponential covariance with a nugget, 20 neighbours, a mean linear in longitude and latitude: settings of its manual,
parameters by maximum likelihood. `benchmarks/lowdim.py heaton` runs it where GPBOOST_PYTHON names such an interpreter.
"""

import json
import sys
import time

import gpboost
import numpy as np
import pandas as pd


def main(table, found):
    data = pd.read_parquet(table)
    X, y, test = data[["lon", "lat"]].to_numpy(float), data["target"].to_numpy(float), data["split"].to_numpy() == 1
    linear = np.column_stack([np.ones(len(X)), X - X[~test].mean(axis=0)])
    start, cpu = time.perf_counter(), time.process_time()
    model = gpboost.GPModel(
        gp_coords=X[~test], cov_function="exponential", gp_approx="vecchia", num_neighbors=20, likelihood="gaussian"
    )
    model.fit(y=y[~test], X=linear[~test])
    fitted, fitted_cpu = time.perf_counter(), time.process_time()
    predicted = model.predict(gp_coords_pred=X[test], X_pred=linear[test], predict_var=True, predict_response=True)
    end, end_cpu = time.perf_counter(), time.process_time()
    content = {
        "version": gpboost.__version__,
        "fit_seconds": [round(fitted - start, 2), round(fitted_cpu - cpu, 2)],
        "predict_seconds": [round(end - fitted, 2), round(end_cpu - fitted_cpu, 2)],
        "mean": np.asarray(predicted["mu"]).tolist(),
        "std": np.sqrt(np.asarray(predicted["var"])).tolist(),
    }
    with open(found, "w") as file:
        json.dump(content, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
