"""Gaussian processes of other libraries for the peers benchmark, each as its documentation recommends: regression only.

Columns and target are standardised. A fit returns a mean and 90 % intervals of new targets.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

TWO_SIDED_90 = 1.6449
INDUCING, EPOCHS, BATCH, RATE = 500, 100, 1024, 0.01
"""GPyTorch's example of stochastic variational regression, with more epochs than its four."""
XGPR_WIDTH, XGPR_SEARCH, XGPR_ROWS = 4096, 1024, 8000
NEIGHBOURS = 20


@dataclass(frozen=True)
class Process:
    """A mean and a deviation of new targets, of standardised columns."""

    moments: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
    mean: np.ndarray
    spread: np.ndarray
    target: tuple[float, float]

    def _of(self, X):
        mean, deviation = self.moments((X - self.mean) / self.spread)
        return self.target[0] + self.target[1] * mean, self.target[1] * deviation

    def __call__(self, X):
        return self._of(X)[0]

    def interval(self, X):
        mean, deviation = self._of(X)
        return mean - TWO_SIDED_90 * deviation, mean + TWO_SIDED_90 * deviation


def process(learn):
    """A method of the benchmark from one that takes standardised columns and targets."""

    def fit(X, y, task):
        mean, spread = X.mean(axis=0), np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
        centre, scale = float(y.mean()), float(y.std()) or 1.0
        return Process(learn((X - mean) / spread, (y - centre) / scale), mean, spread, (centre, scale))

    return fit


def svgp(X, y):
    """GPyTorch: 500 inducing points, one scale a column, Matern 5/2, minibatches of 1,024 rows, Adam."""
    import gpytorch
    import torch
    from gpytorch.variational import CholeskyVariationalDistribution, VariationalStrategy

    torch.manual_seed(0)
    rows, targets = torch.tensor(X, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)
    start = rows[torch.randperm(len(rows))[:INDUCING]]

    class Model(gpytorch.models.ApproximateGP):
        def __init__(self):
            law = CholeskyVariationalDistribution(len(start))
            super().__init__(VariationalStrategy(self, start, law, learn_inducing_locations=True))
            self.mean = gpytorch.means.ConstantMean()
            base = gpytorch.kernels.MaternKernel(nu=2.5, ard_num_dims=rows.shape[1])
            self.covariance = gpytorch.kernels.ScaleKernel(base)

        def forward(self, x):
            return gpytorch.distributions.MultivariateNormal(self.mean(x), self.covariance(x))

    model, likelihood = Model(), gpytorch.likelihoods.GaussianLikelihood()
    bound = gpytorch.mlls.VariationalELBO(likelihood, model, num_data=len(rows))
    optimiser = torch.optim.Adam([*model.parameters(), *likelihood.parameters()], lr=RATE)
    for _ in range(EPOCHS):
        for part in torch.randperm(len(rows)).split(BATCH):
            optimiser.zero_grad()
            loss = -bound(model(rows[part]), targets[part])
            loss.backward()
            optimiser.step()
    model.eval()
    likelihood.eval()

    def moments(new):
        with torch.no_grad():
            law = likelihood(model(torch.tensor(new, dtype=torch.float32)))
            return law.mean.double().numpy(), law.stddev.double().numpy()

    return moments


def xgpr(X, y):
    """xGPR as its documentation shows: Matern 5/2, hyperparameters by its crude search, then its exact fit.

    4,096 random features; the search has 1,024, and 8,000 rows.
    """
    from xGPR import build_regression_dataset, xGPRegression

    model = xGPRegression(
        num_rffs=XGPR_WIDTH, variance_rffs=512, kernel_choice="Matern", verbose=False, random_seed=0,
        kernel_settings={"matern_nu": 5 / 2, "intercept": True},
    )  # fmt: skip
    some = build_regression_dataset(X[:XGPR_ROWS], y[:XGPR_ROWS], chunk_size=2000)
    model.set_hyperparams(None, some)
    model.num_rffs = XGPR_SEARCH
    model.tune_hyperparams_crude(some)
    model.num_rffs = XGPR_WIDTH
    model.fit(build_regression_dataset(X, y, chunk_size=2000), mode="exact")

    def moments(new):
        mean, variance = model.predict(new, get_var=True)
        return np.asarray(mean), np.sqrt(np.maximum(variance, 0.0))

    return moments


def gpboost(X, y):
    """GPBoost: a Gaussian process of one scale a column, Matern 3/2, by Vecchia's approximation."""
    import gpboost as gpb

    model = gpb.GPModel(
        gp_coords=X, cov_function="matern_ard", cov_fct_shape=1.5, gp_approx="vecchia", num_neighbors=NEIGHBOURS,
        likelihood="gaussian",
    )  # fmt: skip
    ones = np.ones((len(y), 1))
    model.fit(y=y, X=ones, params={"trace": False})

    def moments(new):
        found = model.predict(
            gp_coords_pred=new, X_pred=np.ones((len(new), 1)), predict_var=True, predict_response=True
        )
        return found["mu"], np.sqrt(found["var"])

    return moments
