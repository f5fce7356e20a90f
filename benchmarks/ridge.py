"""Kernel ridge at n = 100,000, d = 20, D = 4096, float32: one penalty and a path of 20, against the limit and peers.

The limits are SYRK alone on the finished float32 features plus one Cholesky factor (one penalty), or plus one
`scipy.linalg.eigh` of the moments (path). Also the growth with n, which should be linear.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg
import scipy.linalg.blas
from harness import interleaved, once, write
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

import bochner as bo

N, D_IN, WIDTH, SCALE = 100_000, 20, 4096, 4.0
GROWTH_WIDTH = 1536
ALPHAS = np.geomspace(1e-3, 1e3, 20)


def problem(n):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, D_IN)).astype(np.float32)
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(n)


def ours(X, y, **parameters):
    setting = {"n_components": WIDTH, "alpha": "gcv", "random_state": 0} | parameters
    return bo.KernelRegressor(bo.Gaussian(SCALE), **setting).fit(X, y)


def scikit_learn(X, y):
    sampler = RBFSampler(gamma=1 / (2 * SCALE**2), n_components=WIDTH, random_state=0)
    return make_pipeline(sampler, Ridge(alpha=1.0, solver="cholesky")).fit(X, y)


def xgpr(X, y):
    """xGPR's exact mode at fixed hyperparameters, without its variance."""
    from xGPR import build_regression_dataset, xGPRegression

    model = xGPRegression(num_rffs=WIDTH, variance_rffs=16, kernel_choice="RBF", verbose=False, random_seed=0)
    dataset = build_regression_dataset(X, y, chunk_size=2000)
    model.set_hyperparams(np.log(np.array([0.1, 1 / SCALE])), dataset)
    return model.fit(dataset, mode="exact", suppress_var=True)


def contest(X, y):
    Z = bo.FourierFeatures(bo.Gaussian(SCALE), n_components=WIDTH, random_state=0).fit_transform(X)
    gram = np.zeros((WIDTH, WIDTH), dtype=np.float32, order="F")
    scipy.linalg.blas.ssyrk(1.0, Z.T, c=gram, overwrite_c=1)
    moments = (np.triu(gram) + np.triu(gram, 1).T).astype(float) + np.eye(WIDTH)
    contestants = {
        "ours, one penalty": lambda: ours(X, y, alpha=1.0),
        "ours, path of 20": lambda: ours(X, y, alpha="gcv", alphas=ALPHAS),
        "SYRK alone": lambda: scipy.linalg.blas.ssyrk(1.0, Z.T, c=gram, overwrite_c=1),
        "Cholesky": lambda: scipy.linalg.cholesky(moments),
        "eigh": lambda: scipy.linalg.eigh(moments),
        "scikit-learn": lambda: scikit_learn(X, y),
    }
    try:
        import xGPR  # noqa: F401

        contestants["xGPR exact"] = lambda: xgpr(X, y)
    except ImportError:
        pass
    return interleaved(contestants, repeats=3)


def growth():
    sizes = [50_000, 100_000, 200_000, 400_000]
    X, y = problem(sizes[-1])
    model = bo.KernelRegressor(bo.Gaussian(SCALE), n_components=GROWTH_WIDTH, alpha=1.0, random_state=0)
    rounds = [[once(lambda n=n: model.fit(X[:n], y[:n])) for n in sizes] for _ in range(7)]
    seconds = np.min(rounds, axis=0).tolist()  # sizes in turn, so that a slow spell meets them alike
    slope = float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
    return {"n": sizes, "n_components": GROWTH_WIDTH, "seconds": seconds, "log_log_slope": slope}


def main():
    X, y = problem(N)
    seconds = contest(X, y)
    one, path = seconds["ours, one penalty"], seconds["ours, path of 20"]
    xgpr_seconds = seconds.get("xGPR exact")
    write(
        "ridge",
        {
            "n": N, "d": D_IN, "n_components": WIDTH, "dtype": "float32", "seconds": seconds,
            "one_penalty_times_limit": one / (seconds["SYRK alone"] + seconds["Cholesky"]),
            "path_times_limit": path / (seconds["SYRK alone"] + seconds["eigh"]),
            "faster_than_scikit_learn": seconds["scikit-learn"] / one,
            "faster_than_xgpr": xgpr_seconds / one if xgpr_seconds else None,
            "growth": growth(),
        },
    )  # fmt: skip


if __name__ == "__main__":
    main()
