"""The file of a drift detector: its arrays and parameters in an archive. Nothing in it is executed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from bochner import kernels
from bochner._archive import read_archive, write_archive
from bochner._typing import Array
from bochner.comparison.embedding import KernelFeatures
from bochner.comparison.sequential import ConformalEvidence
from bochner.errors import FileFormatError
from bochner.features import FourierMap
from bochner.kernels import Stationary
from bochner.sampling import SAMPLERS, Sampler

if TYPE_CHECKING:
    from bochner.estimators.drift import DriftDetector

    Detector = TypeVar("Detector", bound=DriftDetector)

__all__ = ["read_detector", "write_detector"]

_KIND, _VERSION = "drift detector", 2
_ROW_TYPES = {"float32": np.float32, "float64": np.float64}
_ARRAYS = ("_reference_mean", "_eigenvalues", "_window_mean", "_calibration", "_kept", "_waiting")


def write_detector(detector: DriftDetector, path: Path) -> None:
    """Write reference and stream."""
    fourier, evidence = detector._features.fourier, detector._evidence
    header = {
        "parameters": {name: _plain(value) for name, value in detector.get_params(deep=False).items()},
        "kernel": _plain(detector.kernel_),
        "independent": detector._features.independent,
        "window": detector.window_,
        "n_reference": detector.n_reference_,
        "n_features_in": detector.n_features_in_,
        "feature_names_in": list(getattr(detector, "feature_names_in_", [])),
        "detected_at": detector.detected_at_,
        "contributions": _plain(detector.contributions_),
        "steps": evidence.steps,
        "row_type": detector._row_type.name,
        "resolution": detector._resolution,
    }
    arrays = {
        "omega": fourier.omega,
        "amplitude": fourier.amplitude,
        "log_started": np.array(evidence.log_started),  # minus infinity before the first window
        "records": np.array(detector._records, dtype=float).reshape(-1, 3),
        **{name.strip("_"): getattr(detector, name) for name in _ARRAYS},
    }
    write_archive(path, kind=_KIND, version=_VERSION, header=header, arrays=arrays)


def read_detector(cls: type[Detector], path: Path) -> Detector:
    """The detector in a file."""
    version, header, arrays = read_archive(path, kind=_KIND, version=_VERSION)
    try:
        detector = _detector(cls, header, arrays)
        if version > 1:  # before, the class knows
            detector._row_type = np.dtype(_ROW_TYPES[header["row_type"]])
            detector._resolution = float(header["resolution"])
        return detector
    except (LookupError, TypeError, ValueError) as error:  # checksums hold: the file is forged
        raise FileFormatError(f"{path} was altered: it does not describe a drift detector.") from error


def _detector(cls: type[Detector], header: dict[str, Any], arrays: dict[str, Array]) -> Detector:
    detector = cls(**{name: _thing(value) for name, value in header["parameters"].items()})
    detector.kernel_ = _thing(header["kernel"])
    fourier = FourierMap(arrays["omega"], arrays["amplitude"], np.empty(0))
    if fourier.omega.shape != (len(fourier.amplitude), header["n_features_in"]):
        raise ValueError("frequencies and amplitudes do not fit")  # compiled loops trust the shapes
    detector._features = KernelFeatures(detector.kernel_, fourier, "paired", header["independent"])
    for name in _ARRAYS:
        setattr(detector, name, arrays[name.strip("_")])
    for name in ("window", "n_reference", "n_features_in", "detected_at"):
        setattr(detector, f"{name}_", header[name])
    if header["feature_names_in"]:
        detector.feature_names_in_ = np.array(header["feature_names_in"], dtype=object)
    contributions = header["contributions"]
    detector.contributions_ = None if contributions is None else np.array(contributions["array"])
    detector._records = [tuple(record) for record in arrays["records"].tolist()]
    scores = np.r_[detector._calibration, arrays["records"][:, 0]]
    detector._evidence = ConformalEvidence(scores, header["steps"], float(arrays["log_started"]))
    return detector


def _plain(value: Any) -> Any:
    """A parameter as JSON: kernels and samplers by name and parameters, arrays as lists, generators not at all."""
    if isinstance(value, (Stationary, Sampler)):
        own = value.get_params(deep=False)
        return {"class": type(value).__name__, "parameters": {name: _plain(each) for name, each in own.items()}}
    if isinstance(value, np.ndarray):
        return {"array": value.tolist()}
    if isinstance(value, np.generic):
        return value.item()
    return value if isinstance(value, (str, int, float, bool, list, tuple, type(None))) else None


def _thing(value: Any) -> Any:
    """The parameter behind its JSON; only kernels and samplers of this package are made."""
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return np.array(value["array"])
    known = {name: getattr(kernels, name) for name in kernels.__all__ if isinstance(getattr(kernels, name), type)}
    known |= {sampler.__name__: sampler for sampler in SAMPLERS.values()}
    return known[value["class"]](**{name: _thing(each) for name, each in value["parameters"].items()})
