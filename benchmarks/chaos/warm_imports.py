"""Imports of the process that fits are forked from: small fits load the libraries and the compiled loops."""

from importlib import import_module

import numpy as np

import bochner as bo

X = np.random.default_rng(0).standard_normal((300, 6))
GIVEN = {"n_components": 16, "alpha": 0.1, "random_state": 0}
with bo.config_context(n_threads=1, memory="100MB"):
    for solver in ("direct", "iterative"):
        bo.KernelRegressor(bo.Gaussian(2.5), solver=solver, **GIVEN).fit(X, X[:, 0]).predict(X)
    exact = {"features": "exact", "solver": "iterative", "alpha": 0.1}
    bo.KernelRegressor(bo.Gaussian(2.5), **exact).fit(X, X[:, 0]).predict(X)
    bo.KernelClassifier(bo.Gaussian(2.5), **GIVEN).fit(X, X[:, 0] > 0).decision_function(X)

for cluster in ("dask.array", "distributed.cli.dask_scheduler", "distributed.cli.dask_worker"):
    import_module(cluster)
