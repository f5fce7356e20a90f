"""scikit-learn estimators and transformers."""

from bochner.estimators.classifier import KernelClassifier
from bochner.estimators.distribution import DistributionClassifier, DistributionRegressor
from bochner.estimators.dot_product import MaclaurinFeatures, PositiveFeatures, TensorSketchFeatures
from bochner.estimators.drift import DriftDetector, DriftReport
from bochner.estimators.fourier import FourierFeatures
from bochner.estimators.grid import GridFeatures
from bochner.estimators.histograms import AdditiveFeatures, LaplaceFeatures
from bochner.estimators.huber import KernelHuberRegressor
from bochner.estimators.kernel_values import KernelValues
from bochner.estimators.map_transformer import MapTransformer
from bochner.estimators.novelty import KernelNovelty
from bochner.estimators.nystroem import NystroemFeatures
from bochner.estimators.orbit import OrbitFeatures
from bochner.estimators.patches import PatchFeatures
from bochner.estimators.pca import KernelPCA
from bochner.estimators.poisson import KernelPoissonRegressor, KernelTweedieRegressor
from bochner.estimators.quantile import KernelQuantileRegressor
from bochner.estimators.regressor import KernelRegressor
from bochner.estimators.round import PeriodicColumns, SphereColumns
from bochner.estimators.spline import SplineFeatures
from bochner.estimators.units import ArcCosineFeatures, SignFeatures, SketchFeatures
from bochner.estimators.warped import WarpedFeatures

__all__ = [
    "AdditiveFeatures",
    "ArcCosineFeatures",
    "DistributionClassifier",
    "DistributionRegressor",
    "DriftDetector",
    "DriftReport",
    "FourierFeatures",
    "GridFeatures",
    "KernelClassifier",
    "KernelHuberRegressor",
    "KernelNovelty",
    "KernelPCA",
    "KernelPoissonRegressor",
    "KernelQuantileRegressor",
    "KernelRegressor",
    "KernelTweedieRegressor",
    "KernelValues",
    "LaplaceFeatures",
    "MaclaurinFeatures",
    "MapTransformer",
    "NystroemFeatures",
    "OrbitFeatures",
    "PatchFeatures",
    "PeriodicColumns",
    "PositiveFeatures",
    "SignFeatures",
    "SketchFeatures",
    "SphereColumns",
    "SplineFeatures",
    "TensorSketchFeatures",
    "WarpedFeatures",
]
