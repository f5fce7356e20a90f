"""Rules for novelty detectors in files: whitening, sample of rows and moments of one width."""

from __future__ import annotations

from bochner.estimators import KernelNovelty
from bochner.fitting import FittedNovelty, RowReservoir
from bochner.io.shapes import finite, fits

__all__: list[str] = []


@fits.register
def _(value: FittedNovelty) -> bool:
    D = len(value.mean) if finite(value.mean, None) else 0
    return finite(value.whitening, D, D) and value.alpha > 0 and value.n > 1


@fits.register
def _(value: RowReservoir) -> bool:
    return finite(value.keys, None) and finite(value.rows, len(value.keys), None)


@fits.register
def _(value: KernelNovelty) -> bool:
    state = vars(value)
    if "_feature_map" not in state:
        return "_fitted" not in state
    D, fitted, sample = state["_feature_map"].n_components, state.get("_fitted"), state.get("_sample")
    widths = len(value.moments_.z_mean) == D and (fitted is None or len(fitted.mean) == D)
    return widths and sample is not None and sample.rows.shape[1] == value.n_features_in_
