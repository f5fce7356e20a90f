"""Migration of model files of earlier versions: states of classes that have changed since."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bochner._typing import JsonDict
from bochner.estimators import KernelClassifier, KernelRegressor
from bochner.fitting import FittedClassifier, FittedRidge
from bochner.solvers import DirectSolver, IterativeSolver, PenaltyRule
from bochner.tables import TableEncoder

__all__ = ["upgraded"]


def upgraded(type_: type, state: JsonDict) -> JsonDict:
    """The state of an object as its class has it now; that of a newer file is handed back as it is."""
    upgrade = _UPGRADES.get(type_)
    return state if upgrade is None else upgrade(state)


def _regressor(state: JsonDict) -> JsonDict:
    """Version 0.1.0 kept the parts of a fit as attributes of the estimator."""
    if "_feature_map" not in state:
        return state
    solver, solution = state.pop("solver_", "direct"), state.pop("_solution", None)
    iterative = solver == "iterative"
    state["fitted_"] = FittedRidge(
        features=state.pop("features_"),
        feature_map=state.pop("_feature_map"),
        rule=PenaltyRule(state["alpha"], _penalties(state), state["fit_intercept"]),
        solver=IterativeSolver(state["tol"], state["max_iter"]) if iterative else DirectSolver(),
        row_type=state.pop("_row_dtype", np.dtype(float)),
        moments=state.pop("moments_", None),
        found=solution,
        tuning=state.pop("tuning_", None),
        width_curve=state.pop("width_curve_", None),
        conformal=state.pop("_scores", None),
        row_identity=state.pop("_identity_of_rows", None),
    )
    return state


def _classifier(state: JsonDict) -> JsonDict:
    if "_feature_map" not in state:
        return state
    state["fitted_"] = FittedClassifier(
        features=state.pop("features_"),
        feature_map=state.pop("_feature_map"),
        solution=state.pop("_solution"),
        alpha=state.pop("alpha_"),
        n_rows=state.pop("n_rows_"),
        tuning=state.pop("tuning_", None),
        alphas=state.pop("alphas_", None),
        cv_losses=state.pop("cv_losses_", None),
        inverse_temperature=state.pop("_inverse_temperature", 1.0),
        row_identity=state.pop("_identity_of_rows", None),
        prior=state.pop("_prior", None),
    )
    return state


def _fitted_ridge(state: JsonDict) -> JsonDict:
    """Version 0.1.0 had the solution of an open fit as a cached property."""
    solution = state.pop("solution", None)
    return state if state.get("found") is not None else {**state, "found": solution}


def _encoder(state: JsonDict) -> JsonDict:
    """Version 0.2.0 knew neither marks of missing values nor dates in texts, later ones no target statistics."""
    return {"missing": (), "day_first": None, "target_statistics": "auto", **state}


def _penalties(state: JsonDict) -> Any:
    return None if state.get("alphas") is None else np.asarray(state["alphas"], dtype=float)


_UPGRADES: dict[type, Callable[[JsonDict], JsonDict]] = {
    KernelRegressor: _regressor,
    KernelClassifier: _classifier,
    FittedRidge: _fitted_ridge,
    TableEncoder: _encoder,
}
