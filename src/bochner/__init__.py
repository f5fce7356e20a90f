"""Kernel learning at scale with guarantees.

Public names are loaded on first use, so that `import bochner` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "Cauchy": "bochner.kernels",
    "DistributionClassifier": "bochner.estimators",
    "DistributionRegressor": "bochner.estimators",
    "DriftDetector": "bochner.estimators",
    "DriftDisplay": "bochner.reporting.displays",
    "ErrorBarDisplay": "bochner.reporting.displays",
    "FourierFeatures": "bochner.estimators",
    "Gaussian": "bochner.kernels",
    "KernelClassifier": "bochner.estimators",
    "KernelErrorDisplay": "bochner.reporting.displays",
    "KernelPCA": "bochner.estimators",
    "KernelRegressor": "bochner.estimators",
    "Laplacian": "bochner.kernels",
    "Leverage": "bochner.sampling",
    "Matern": "bochner.kernels",
    "Moments": "bochner.statistics",
    "MonteCarlo": "bochner.sampling",
    "NystroemFeatures": "bochner.estimators",
    "OrbitFeatures": "bochner.estimators",
    "Orthogonal": "bochner.sampling",
    "QuasiMonteCarlo": "bochner.sampling",
    "RationalQuadratic": "bochner.kernels",
    "RidgePathDisplay": "bochner.reporting.displays",
    "SpectrumDisplay": "bochner.reporting.displays",
    "Spline": "bochner.kernels",
    "SplineFeatures": "bochner.estimators",
    "TableEncoder": "bochner.estimators",
    "WitnessDisplay": "bochner.reporting.displays",
    "config_context": "bochner.config",
    "get_config": "bochner.config",
    "hsic_test": "bochner.comparison",
    "load": "bochner.io",
    "mean_map": "bochner.comparison",
    "mmd": "bochner.comparison",
    "mmd_test": "bochner.comparison",
    "plan": "bochner.planning",
    "report": "bochner.reporting",
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
    "errors",
    "groups",
    "io",
    "kernels",
    "planning",
    "reporting",
    "reproduce",
    "sampling",
    "testing",
    "theory",
    "tuning",
)

__all__ = ["__version__", *sorted(_HOME), *_MODULES]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    if name in _MODULES:
        return import_module(f"bochner.{name}")
    raise AttributeError(f"module 'bochner' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
