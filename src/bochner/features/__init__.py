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
from bochner.features.grid import GridMap
from bochner.features.histograms import AdditiveMap, LaplaceMap, additive_grid, draw_additive_map, draw_laplace_map
from bochner.features.maclaurin import MaclaurinMap, PositiveMap, draw_maclaurin_map, draw_positive_map
from bochner.features.orbit import OrbitFourierMap, OrbitMap, draw_orbit_map
from bochner.features.patch_grid import PatchGrid, PolarPatchGrid, Positions
from bochner.features.patches import PatchMap
from bochner.features.shape import FourierShape
from bochner.features.slopes import ColumnSlopes, gradient_response, slope_blocks
from bochner.features.spline import SplineMap, draw_spline_map
from bochner.features.tensor_sketch import TensorSketchMap, draw_tensor_sketch_map
from bochner.features.units import ArcCosineMap, BinaryCodeMap, SignMap, SketchMap, draw_code_map, draw_units
from bochner.features.warped import RankWarp, WarpedMap

__all__ = [
    "AdditiveMap",
    "ArcCosineMap",
    "BinaryCodeMap",
    "ColumnSlopes",
    "FeatureMap",
    "FourierMap",
    "FourierRecipe",
    "FourierShape",
    "GridMap",
    "LaplaceMap",
    "LinearResponse",
    "MaclaurinMap",
    "OrbitFourierMap",
    "OrbitMap",
    "PatchGrid",
    "PatchMap",
    "PolarPatchGrid",
    "Positions",
    "PositiveMap",
    "RankWarp",
    "SignMap",
    "SketchMap",
    "SplineMap",
    "TensorSketchMap",
    "TransformerMap",
    "WarpedMap",
    "additive_grid",
    "apply_map",
    "draw_additive_map",
    "draw_code_map",
    "draw_fourier_map",
    "draw_laplace_map",
    "draw_maclaurin_map",
    "draw_orbit_map",
    "draw_positive_map",
    "draw_spline_map",
    "draw_tensor_sketch_map",
    "draw_units",
    "fourier_map",
    "gradient_response",
    "linear_response",
    "map_of",
    "n_frequencies",
    "slope_blocks",
    "transform",
]
