"""The certificates of fitted models contain the truth on real data."""

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import StandardScaler

import bochner as bo


@pytest.mark.slow
@pytest.mark.parametrize("name", ["kin40k", "protein", "elevators"])
def test_the_distance_to_exact_kernel_ridge_is_contained(data_folder, name):
    table = pd.read_parquet(data_folder / f"{name}.parquet").sample(n=2000, random_state=0)
    X = StandardScaler().fit_transform(table.drop(columns=["target", "fold"]).to_numpy(float))
    y = StandardScaler().fit_transform(table[["target"]].to_numpy(float))[:, 0]
    model = bo.KernelRegressor(n_components=1000, random_state=0).fit(X, y)
    certificate = model.certify(X, y=y)
    K = model.features_.kernel_(X)
    system = np.block([[K + model.alpha_ * np.eye(2000), np.ones((2000, 1))], [np.ones((1, 2000)), np.zeros((1, 1))]])
    solution = np.linalg.solve(system, np.r_[y, 0.0])
    exact = K @ solution[:2000] + solution[2000]
    true = np.sqrt(np.mean((model.predict(X) - exact) ** 2))
    assert certificate.value == pytest.approx(true, rel=1e-4)
    assert true <= model.certify(X).value
