"""scikit-learn style displays: charts of fitted models on matplotlib axes."""

from bochner.reporting.displays.drift import DriftDisplay
from bochner.reporting.displays.error_bars import ErrorBarDisplay
from bochner.reporting.displays.kernel_error import KernelErrorDisplay
from bochner.reporting.displays.ridge_path import RidgePathDisplay
from bochner.reporting.displays.spectrum import SpectrumDisplay
from bochner.reporting.displays.witness import WitnessDisplay

__all__ = [
    "DriftDisplay",
    "ErrorBarDisplay",
    "KernelErrorDisplay",
    "RidgePathDisplay",
    "SpectrumDisplay",
    "WitnessDisplay",
]
