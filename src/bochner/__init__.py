"""Kernel learning at scale with guarantees.

Public names are loaded on first use, so that `import bochner` is quick. Type checkers do not run `__getattr__`: they
read the same names under TYPE_CHECKING (tests/test_package.py keeps the two lists equal).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bochner import comparison as comparison
    from bochner import config as config
    from bochner import datasets as datasets
    from bochner import engines as engines
    from bochner import errors as errors
    from bochner import features as features
    from bochner import fitting as fitting
    from bochner import groups as groups
    from bochner import io as io
    from bochner import kernels as kernels
    from bochner import planning as planning
    from bochner import reporting as reporting
    from bochner import reproduce as reproduce
    from bochner import sampling as sampling
    from bochner import solvers as solvers
    from bochner import testing as testing
    from bochner import theory as theory
    from bochner import tuning as tuning
    from bochner._versions import show_versions as show_versions
    from bochner.comparison import ci_test as ci_test
    from bochner.comparison import hsic_test as hsic_test
    from bochner.comparison import mean_map as mean_map
    from bochner.comparison import mmd as mmd
    from bochner.comparison import mmd_test as mmd_test
    from bochner.config import config_context as config_context
    from bochner.config import get_config as get_config
    from bochner.config import set_config as set_config
    from bochner.data import scan_blocks as scan_blocks
    from bochner.data import scan_csv as scan_csv
    from bochner.data import scan_frame as scan_frame
    from bochner.data import scan_npy as scan_npy
    from bochner.data import scan_parquet as scan_parquet
    from bochner.estimators import AdditiveFeatures as AdditiveFeatures
    from bochner.estimators import ArcCosineFeatures as ArcCosineFeatures
    from bochner.estimators import DistributionClassifier as DistributionClassifier
    from bochner.estimators import DistributionRegressor as DistributionRegressor
    from bochner.estimators import DriftDetector as DriftDetector
    from bochner.estimators import FourierFeatures as FourierFeatures
    from bochner.estimators import GridFeatures as GridFeatures
    from bochner.estimators import KernelClassifier as KernelClassifier
    from bochner.estimators import KernelHuberRegressor as KernelHuberRegressor
    from bochner.estimators import KernelNovelty as KernelNovelty
    from bochner.estimators import KernelPCA as KernelPCA
    from bochner.estimators import KernelPoissonRegressor as KernelPoissonRegressor
    from bochner.estimators import KernelQuantileRegressor as KernelQuantileRegressor
    from bochner.estimators import KernelRegressor as KernelRegressor
    from bochner.estimators import KernelTweedieRegressor as KernelTweedieRegressor
    from bochner.estimators import KernelValues as KernelValues
    from bochner.estimators import LaplaceFeatures as LaplaceFeatures
    from bochner.estimators import MaclaurinFeatures as MaclaurinFeatures
    from bochner.estimators import NystroemFeatures as NystroemFeatures
    from bochner.estimators import OrbitFeatures as OrbitFeatures
    from bochner.estimators import PatchFeatures as PatchFeatures
    from bochner.estimators import PeriodicColumns as PeriodicColumns
    from bochner.estimators import PositiveFeatures as PositiveFeatures
    from bochner.estimators import SignFeatures as SignFeatures
    from bochner.estimators import SketchFeatures as SketchFeatures
    from bochner.estimators import SphereColumns as SphereColumns
    from bochner.estimators import SplineFeatures as SplineFeatures
    from bochner.estimators import TensorSketchFeatures as TensorSketchFeatures
    from bochner.estimators import WarpedFeatures as WarpedFeatures
    from bochner.io import load as load
    from bochner.io import save as save
    from bochner.io import to_onnx as to_onnx
    from bochner.kernels import AdditiveChi2 as AdditiveChi2
    from bochner.kernels import Angular as Angular
    from bochner.kernels import ArcCosine as ArcCosine
    from bochner.kernels import BinaryCode as BinaryCode
    from bochner.kernels import Cauchy as Cauchy
    from bochner.kernels import Exponential as Exponential
    from bochner.kernels import ExponentialSemigroup as ExponentialSemigroup
    from bochner.kernels import Gaussian as Gaussian
    from bochner.kernels import Hellinger as Hellinger
    from bochner.kernels import Intersection as Intersection
    from bochner.kernels import JensenShannon as JensenShannon
    from bochner.kernels import Laplacian as Laplacian
    from bochner.kernels import Linear as Linear
    from bochner.kernels import Matern as Matern
    from bochner.kernels import Metric as Metric
    from bochner.kernels import Polynomial as Polynomial
    from bochner.kernels import PowerExponential as PowerExponential
    from bochner.kernels import RationalQuadratic as RationalQuadratic
    from bochner.kernels import ReciprocalSemigroup as ReciprocalSemigroup
    from bochner.kernels import Spline as Spline
    from bochner.planning.planner import plan as plan
    from bochner.reporting.displays import DriftDisplay as DriftDisplay
    from bochner.reporting.displays import ErrorBarDisplay as ErrorBarDisplay
    from bochner.reporting.displays import KernelErrorDisplay as KernelErrorDisplay
    from bochner.reporting.displays import RidgePathDisplay as RidgePathDisplay
    from bochner.reporting.displays import SpectrumDisplay as SpectrumDisplay
    from bochner.reporting.displays import WitnessDisplay as WitnessDisplay
    from bochner.reporting.report import report as report
    from bochner.sampling import SORF as SORF
    from bochner.sampling import Fastfood as Fastfood
    from bochner.sampling import Leverage as Leverage
    from bochner.sampling import MonteCarlo as MonteCarlo
    from bochner.sampling import Orthogonal as Orthogonal
    from bochner.sampling import Quadrature as Quadrature
    from bochner.sampling import QuasiMonteCarlo as QuasiMonteCarlo
    from bochner.statistics import Moments as Moments
    from bochner.tables import TableEncoder as TableEncoder

__version__ = "0.1.0"

_HOME = {
    "AdditiveChi2": "bochner.kernels",
    "AdditiveFeatures": "bochner.estimators",
    "Angular": "bochner.kernels",
    "ArcCosine": "bochner.kernels",
    "ArcCosineFeatures": "bochner.estimators",
    "BinaryCode": "bochner.kernels",
    "Cauchy": "bochner.kernels",
    "DistributionClassifier": "bochner.estimators",
    "DistributionRegressor": "bochner.estimators",
    "DriftDetector": "bochner.estimators",
    "DriftDisplay": "bochner.reporting.displays",
    "ErrorBarDisplay": "bochner.reporting.displays",
    "Exponential": "bochner.kernels",
    "ExponentialSemigroup": "bochner.kernels",
    "Fastfood": "bochner.sampling",
    "FourierFeatures": "bochner.estimators",
    "Gaussian": "bochner.kernels",
    "GridFeatures": "bochner.estimators",
    "Hellinger": "bochner.kernels",
    "Intersection": "bochner.kernels",
    "JensenShannon": "bochner.kernels",
    "KernelClassifier": "bochner.estimators",
    "KernelErrorDisplay": "bochner.reporting.displays",
    "KernelHuberRegressor": "bochner.estimators",
    "KernelNovelty": "bochner.estimators",
    "KernelPCA": "bochner.estimators",
    "KernelPoissonRegressor": "bochner.estimators",
    "KernelQuantileRegressor": "bochner.estimators",
    "KernelRegressor": "bochner.estimators",
    "KernelTweedieRegressor": "bochner.estimators",
    "KernelValues": "bochner.estimators",
    "LaplaceFeatures": "bochner.estimators",
    "Laplacian": "bochner.kernels",
    "Leverage": "bochner.sampling",
    "Linear": "bochner.kernels",
    "MaclaurinFeatures": "bochner.estimators",
    "Matern": "bochner.kernels",
    "Metric": "bochner.kernels",
    "Moments": "bochner.statistics",
    "MonteCarlo": "bochner.sampling",
    "NystroemFeatures": "bochner.estimators",
    "OrbitFeatures": "bochner.estimators",
    "Orthogonal": "bochner.sampling",
    "PatchFeatures": "bochner.estimators",
    "PeriodicColumns": "bochner.estimators",
    "Polynomial": "bochner.kernels",
    "PositiveFeatures": "bochner.estimators",
    "PowerExponential": "bochner.kernels",
    "Quadrature": "bochner.sampling",
    "QuasiMonteCarlo": "bochner.sampling",
    "RationalQuadratic": "bochner.kernels",
    "ReciprocalSemigroup": "bochner.kernels",
    "RidgePathDisplay": "bochner.reporting.displays",
    "SORF": "bochner.sampling",
    "SignFeatures": "bochner.estimators",
    "SketchFeatures": "bochner.estimators",
    "SpectrumDisplay": "bochner.reporting.displays",
    "SphereColumns": "bochner.estimators",
    "Spline": "bochner.kernels",
    "SplineFeatures": "bochner.estimators",
    "TableEncoder": "bochner.tables",
    "TensorSketchFeatures": "bochner.estimators",
    "WarpedFeatures": "bochner.estimators",
    "WitnessDisplay": "bochner.reporting.displays",
    "ci_test": "bochner.comparison",
    "config_context": "bochner.config",
    "get_config": "bochner.config",
    "hsic_test": "bochner.comparison",
    "load": "bochner.io",
    "mean_map": "bochner.comparison",
    "mmd": "bochner.comparison",
    "mmd_test": "bochner.comparison",
    "plan": "bochner.planning.planner",
    "report": "bochner.reporting.report",
    "save": "bochner.io",
    "scan_blocks": "bochner.data",
    "scan_csv": "bochner.data",
    "scan_frame": "bochner.data",
    "scan_npy": "bochner.data",
    "scan_parquet": "bochner.data",
    "set_config": "bochner.config",
    "show_versions": "bochner._versions",
    "to_onnx": "bochner.io",
}
_MODULES = (
    "comparison",
    "config",
    "datasets",
    "engines",
    "errors",
    "features",
    "fitting",
    "groups",
    "io",
    "kernels",
    "planning",
    "reporting",
    "reproduce",
    "sampling",
    "solvers",
    "testing",
    "theory",
    "tuning",
)

__all__ = ["__version__", *sorted(_HOME), *_MODULES]  # pyright: ignore[reportUnsupportedDunderAll]

if not TYPE_CHECKING:  # a visible __getattr__ would make every misspelt name an Any

    def __getattr__(name: str) -> object:
        if name in _HOME:
            return getattr(import_module(_HOME[name]), name)
        if name in _MODULES:
            return import_module(f"bochner.{name}")
        raise AttributeError(f"module 'bochner' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
