"""Thin scikit-learn faces."""

from bochner.estimators.distribution import DistributionClassifier, DistributionRegressor
from bochner.estimators.drift import DriftDetector, DriftReport
from bochner.estimators.regressor import KernelRegressor
from bochner.estimators.transformers import FourierFeatures

__all__ = [
    "DistributionClassifier",
    "DistributionRegressor",
    "DriftDetector",
    "DriftReport",
    "FourierFeatures",
    "KernelRegressor",
]
