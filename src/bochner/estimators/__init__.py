"""Thin scikit-learn faces."""

from bochner.estimators.nystroem import NystroemFeatures
from bochner.estimators.orbit import OrbitFeatures
from bochner.estimators.regressor import KernelRegressor
from bochner.estimators.transformers import FourierFeatures

__all__ = ["FourierFeatures", "KernelRegressor", "NystroemFeatures", "OrbitFeatures"]
