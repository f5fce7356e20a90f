"""Feature maps X -> Z: the abstract base, and the blocked, threaded way to apply one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from bochner._dense import dense
from bochner._threads import run_in_threads
from bochner._typing import Array, FloatType, Rows, Transformer
from bochner.config import get_config
from bochner.errors import AssumptionError

if TYPE_CHECKING:
    from bochner.features.fourier import FourierMap
    from bochner.features.grid import GridMap
    from bochner.features.nystroem import KernelMap
    from bochner.features.residual import ResidualProcess
    from bochner.features.slopes import ColumnSlopes

__all__ = [
    "FeatureMap",
    "LinearResponse",
    "MapOnBase",
    "MapRecipe",
    "TransformerMap",
    "apply_map",
    "gemm_tile_width",
    "linear_response",
    "map_of",
    "new_scratch",
    "tile_rows",
    "transform",
]

_SCRATCH_BYTES = 2**21  # of one tile: stays near a core; larger tiles amortise the packing of GEMM
_SPAN_BYTES = 2**24  # of output that one thread writes at a time: threads then rarely fault on the same huge page


class MapRecipe(Protocol):
    """Seeded recipe that redraws a map bit for bit: sent to workers instead of its arrays."""

    def draw(self) -> FeatureMap: ...


class FeatureMap(ABC):
    """Feature map x -> z(x) in R^D, with optional capabilities.

    A new map states its width, its bytes and `write`. The optional powers below have the answer of a map without them;
    a map that has one overrides it. Nothing else in the library asks for the type of a map.
    """

    @property
    @abstractmethod
    def n_components(self) -> int:
        """Output width D."""

    @property
    @abstractmethod
    def scratch_width(self) -> int:
        """Columns of scratch space that one row needs while it is mapped."""

    @abstractmethod
    def write(self, X: Rows, out: Array, scratch: Array) -> None:
        """Write the features of the rows `X` (n, d) to `out` (n, D) on this thread.

        `scratch` (n, scratch_width) is free to use; it and `out` have the float type of the computation.
        """

    @abstractmethod
    def n_bytes(self, dtype: FloatType) -> int:
        """Bytes that the map holds while it is applied in a float type: an item of the bill of every fit."""

    # Optional powers.

    @property
    def tile_width(self) -> int:
        """Columns of a tile that is to stay in cache: those of scratch, or of `out` for a map that works there."""
        return self.scratch_width

    @property
    def recipe(self) -> MapRecipe | None:
        """Seeded recipe of the map; None: only its arrays define it."""
        return None

    @property
    def fourier(self) -> FourierMap | None:
        """The map as one of Fourier features, if it is one."""
        return None

    @property
    def on_grid(self) -> GridMap | None:
        """The map as one of a grid of frequencies, if it is one."""
        return None

    @property
    def kernel_values(self) -> KernelMap | None:
        """Of an exact machine: kernel values against its rows, as the kernel sees them."""
        return None

    def with_more_points(self, X: Rows) -> FeatureMap:
        """Of an exact machine: the map with more rows."""
        raise AssumptionError(f"{type(self).__name__} has no points to add to")

    def with_points_at(self, index: Array) -> FeatureMap:
        """Of an exact machine: the map with some of its rows, by their numbers."""
        raise AssumptionError(f"{type(self).__name__} has no points to choose from")

    def narrowed(self, n_components: int) -> FeatureMap:
        """The map of this width whose features are, up to a factor, among those of this one (nested maps)."""
        raise AssumptionError(f"{type(self).__name__} has no frequencies to leave out")

    def linear_form(self, coef: Array) -> tuple[FeatureMap, Array] | None:
        """A cheaper map u and coefficients v with u(x).v = z(x).coef, to be summed in float64; None: there is none."""
        return None

    def response(self, X: Rows, coef: Array) -> Array | None:
        """z(x).coef of all rows (n, t) in float64, faster than by features (transforms on a grid); None: it is not."""
        return None

    def deciding_scores(self, X: Rows, coef: Array, offset: Array, dtype: FloatType) -> Array:
        """Scores (n, t) whose largest, or sign of one, is that of z(x).coef + offset in a float type."""
        return linear_response(self, X, coef, offset, dtype, X.dtype)

    @property
    def unwhitened(self) -> tuple[FeatureMap, Array] | None:
        """A cheaper map u and a lower triangular C (D, D), float64, with z(x) = C^-1 u(x); None: there is none.

        Products of z with vectors are products of u, whitened once: D^2 operations a pass instead of a row.
        """
        return None

    def gradient_form(self, coef: Array) -> Array | None:
        """B (t, d, D) with grad (z.coef_t)(x) = B_t z(x), for coefficients (D, t); None: there is no such form."""
        return None

    def slopes(self, X: Rows, dtype: FloatType) -> Iterator[ColumnSlopes]:
        """Derivatives dz(x) / dx_j of all rows, for one column j after the other, in a float type."""
        raise AssumptionError(
            f"Gradients of {type(self).__name__} are not known. Fourier features, landmarks, exact kernel machines and "
            "grids have them."
        )

    def residual_process(self, alpha: float) -> ResidualProcess | None:
        """Law of the functions beyond the features, in units of the noise variance; None: there are none."""
        return None

    def residual_variance(self, X: Rows, Z: Array) -> Array:
        """k(x, x) - ||z(x)||^2 of rows with features Z, for maps of a projection of the kernel (Nystroem)."""
        raise AssumptionError(f"{type(self).__name__} has no residual variances: its kernel estimates are unbiased.")

    def unseen_variance(self, X: Rows, Z: Array, alpha: float) -> Array | float:
        """Extra predictive variance outside the feature span, in units of the noise variance."""
        return 0.0

    def prior_variance(self, X: Rows, alpha: float) -> Array | None:
        """Prior variance k(x, x) / alpha of rows, in units of the noise; None: functions do not end far from all rows.

        Of kernel values, which are 0 there. Sums of cosines go on as they are, and their variance with them.
        """
        return None

    def check_rows(self, X: Rows) -> None:
        """Raise an error that names the first row of X outside the domain of the map; most maps take all numbers."""
        return

    def kappa(self, X: Rows) -> float:
        """Bound on sqrt(M) abs(z_i(x)) over rows like X and all draws of M independent features (Rudi & Rosasco 2017).

        An `AssumptionError` says why there is none.
        """
        raise AssumptionError(f"No bound is known for the features of {type(self).__name__}.")

    def prepare(self, dtype: FloatType) -> None:
        """Compute now what the first rows in a float type would compute."""
        return


class MapOnBase(FeatureMap):
    """A map that does something before or after another one, `base`, and is as wide as that."""

    base: FeatureMap

    @property
    def n_components(self) -> int:
        return self.base.n_components

    @property
    def scratch_width(self) -> int:
        return self.base.scratch_width


class TransformerMap(FeatureMap):
    """Any fitted scikit-learn transformer as a feature map."""

    transformer: Transformer
    _width: int

    def __init__(self, transformer: Transformer, n_components: int) -> None:
        self.transformer = transformer
        self._width = n_components

    @property
    def n_components(self) -> int:
        return self._width

    @property
    def scratch_width(self) -> int:
        return 0

    def write(self, X: Rows, out: Array, scratch: Array) -> None:
        out[...] = dense(self.transformer.transform(X))

    def n_bytes(self, dtype: FloatType) -> int:
        """Bytes of the transformer's arrays, as far as they are its attributes."""
        return sum(value.nbytes for value in vars(self.transformer).values() if isinstance(value, np.ndarray))

    def __getstate__(self) -> dict[str, Any]:
        return {"transformer": self.transformer, "n_components": self._width}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.transformer, self._width = state["transformer"], state["n_components"]


def map_of(transformer: Transformer, X: Rows) -> FeatureMap:
    """The map of a fitted transformer: its own `map_` if that is a feature map, else its `transform` on blocks."""
    own = getattr(transformer, "map_", None)
    if isinstance(own, FeatureMap):
        return own
    return TransformerMap(transformer, int(np.shape(transformer.transform(X[:1]))[1]))


def transform(feature_map: FeatureMap, X: Rows, dtype: FloatType) -> Array:
    """Features of all rows: a new array (n, D) of the given float type, computed on all threads."""
    feature_map.check_rows(X)
    n = X.shape[0]
    Z = np.empty((n, feature_map.n_components), dtype=dtype)
    span = min(_SPAN_BYTES // max(1, Z.itemsize * Z.shape[1]), -(-n // get_config().threads()))
    rows = max(tile_rows(feature_map, dtype), span)

    def write_span(start: int, scratch: Array) -> None:
        apply_map(feature_map, X[start : start + rows], Z[start : start + rows], scratch)

    run_in_threads(write_span, range(0, n, rows), state=lambda: new_scratch(feature_map, dtype))
    return Z


def linear_response(
    feature_map: FeatureMap, X: Rows, coef: Array, offset: Array, dtype: FloatType, out_type: FloatType | None = None
) -> Array:
    """z(x).coef + offset of all rows, shape (n, t), without holding the features of more than a tile a thread.

    It is computed in `dtype` and handed over in `out_type`; None: the same.
    """
    feature_map.check_rows(X)
    out_type = dtype if out_type is None else out_type
    known = feature_map.response(X, coef)
    if known is not None:
        return (known + offset).astype(out_type, copy=False)
    response = np.empty((X.shape[0], coef.shape[1]), dtype=out_type)
    cheaper = feature_map.linear_form(coef)
    if cheaper is not None:
        (feature_map, coef), dtype = cheaper, np.dtype(float)
    n, rows = X.shape[0], tile_rows(feature_map, dtype)
    weights = coef.astype(dtype)

    def state() -> tuple[Array, Array]:
        return np.empty((rows, feature_map.n_components), dtype=dtype), new_scratch(feature_map, dtype)

    def respond(start: int, own: tuple[Array, Array]) -> None:
        stop = min(start + rows, n)
        Z = own[0][: stop - start]
        feature_map.write(X[start:stop], Z, own[1][: stop - start])
        response[start:stop] = Z @ weights + offset

    run_in_threads(respond, range(0, n, rows), state=state)
    return response


@dataclass(frozen=True, eq=False)
class LinearResponse:
    """Predictions of a linear model on features, z(x).coef + offset, as a function of rows that can be sent to workers.

    Rows are computed in `precision` at least, and predictions have the float type of the rows. If it only `decides`,
    the largest of several predictions, or the sign of one, is all that is asked for.
    """

    feature_map: FeatureMap
    coef: Array
    offset: Array
    precision: FloatType
    decides: bool = False

    def __call__(self, X: Rows) -> Array:
        dtype = np.promote_types(X.dtype, self.precision)
        if self.decides:
            return self.feature_map.deciding_scores(X, self.coef, self.offset, dtype)
        return linear_response(self.feature_map, X, self.coef, self.offset, dtype, X.dtype)


def apply_map(feature_map: FeatureMap, X: Rows, out: Array, scratch: Array) -> None:
    """Write the features of the rows `X` to `out`, tile by tile, on this thread."""
    n, rows = X.shape[0], len(scratch)
    for start in range(0, n, rows):
        tile = slice(start, min(start + rows, n))
        feature_map.write(X[tile], out[tile], scratch[: tile.stop - start])


def new_scratch(feature_map: FeatureMap, dtype: FloatType) -> Array:
    """Scratch space of one thread: as many rows as one tile has."""
    return np.empty((tile_rows(feature_map, dtype), feature_map.scratch_width), dtype=dtype)


def gemm_tile_width(n_components: int, n_features: int) -> int:
    """Tile width of a map that is one GEMM and a loop: more rows where there are many columns.

    BLAS packs the matrix (d, D) anew for every tile, which is a fifth of the time at d = 784 and 256 rows.
    """
    return max(1, n_components * 128 // max(128, n_features))


def tile_rows(feature_map: FeatureMap, dtype: FloatType) -> int:
    """Rows of a tile that stays in cache."""
    if feature_map.tile_width == 0:
        return 4096
    return max(16, _SCRATCH_BYTES // (feature_map.tile_width * dtype.itemsize))
