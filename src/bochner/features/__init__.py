"""X -> Z: feature maps and the blocked, threaded way to apply them."""

from bochner.features.base import (
    FeatureMap,
    LinearResponse,
    TransformerMap,
    apply_map,
    linear_response,
    map_of,
    transform,
)
from bochner.features.fourier import FourierMap, FourierRecipe, draw_fourier_map, fourier_map, n_frequencies
from bochner.features.orbit import OrbitFourierMap, OrbitMap, draw_orbit_map
from bochner.features.shape import FourierShape
from bochner.features.spline import SplineMap, draw_spline_map
from bochner.features.warped import RankWarp, WarpedMap

__all__ = [
    "FeatureMap",
    "FourierMap",
    "FourierRecipe",
    "FourierShape",
    "LinearResponse",
    "OrbitFourierMap",
    "OrbitMap",
    "RankWarp",
    "SplineMap",
    "TransformerMap",
    "WarpedMap",
    "apply_map",
    "draw_fourier_map",
    "draw_orbit_map",
    "draw_spline_map",
    "fourier_map",
    "linear_response",
    "map_of",
    "n_frequencies",
    "transform",
]
