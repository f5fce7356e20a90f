"""Pooled features of image patches as a scikit-learn transformer."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from bochner._dense import dense
from bochner._random import Purpose, generator, resolve_seed
from bochner._sklearn import SEED_RULE, HasMethods, Interval, StrOptions, refuse_lazy, validated
from bochner._typing import Array, Constraints, MatrixLike, Rows, Seed, Transformer
from bochner.errors import AssumptionError, InvalidDataError, invalid_parameter
from bochner.estimators.map_transformer import CertificateContext, MapTransformer
from bochner.estimators.nystroem import NystroemFeatures
from bochner.estimators.validation import validated_rows
from bochner.features import PatchGrid, PatchMap, PolarPatchGrid, Positions, map_of, transform
from bochner.kernels import Gaussian
from bochner.memory import MemoryBill, require_memory, row_slices, rows_within
from bochner.statistics.kernel_product import ExactKernel
from bochner.theory import Certificate
from bochner.theory.a_posteriori import ResidualVariance

__all__ = ["PatchFeatures"]

_PATCHES = 20_000  # that the base is fitted to
_IMAGES = 2_000  # that they are taken from
_LENGTH_SCALE, _WIDTH = 0.5, 128  # of the default base
_ROUNDING = 1e-9  # of K(x, x): whitening magnifies that of kernel values


class PatchFeatures(MapTransformer):
    """Pooled features of image patches: one level of a convolutional kernel.

        z_g(x) = sum_u h_g(u) |p_u| phi(p_u / |p_u|),      g = 1 ... pool^2

    for the patches p_u of an image x at all positions u, features phi of unit patches, and weights h_g of pooling about
    the points g of a grid. With phi(p).phi(q) = k(p, q),

        z(x).z(y) = K(x, y) = sum_g sum_{u, v} h_g(u) h_g(v) |p_u| |q_v| k(p_u / |p_u|, q_v / |q_v|)

    is a kernel that compares what is nearly in the same place, and not pixel by pixel. `phi` is a feature map of k;
    by landmarks, which are patches of the data, z(x).z(y) is a projection of K. A linear model on z is one of K:
    `KernelClassifier(features=PatchFeatures((28, 28)))`. A kernel on top of z sees how patches go together:
    `make_pipeline(PatchFeatures((28, 28)), KernelClassifier())`.

    Parameters
    ----------
    shape : (height, width) or (height, width, channels)
        Of an image; its pixels are a row of X, row by row and channels last.
    patch : int, default=5
        Side of a patch.
    base : transformer, default=None
        Features of unit patches: `FourierFeatures`, `NystroemFeatures` or any scikit-learn transformer. None is
        `NystroemFeatures(Gaussian(0.5), n_components=128, landmarks="kmeans")`.
    pool : int or (int, int), default=4
        Points of the grid of pooling along the height and the width. Of a polar grid rings and angles, an int: so many
        rings and four times as many angles.
    pooling : {"gaussian", "average"}, default="gaussian"
        Weights about a point: a Gaussian with half the distance of two points as its deviation, or equal ones in its
        cell. Those of a point sum to 1.
    centred : bool, default=True
        Take the mean of every channel away from a patch, so that it is what edges and textures are, not brightness.
    grid : {"square", "polar"}, default="square"
        Where patches are: at all pixels, or about points of rings around the middle of the image, turned with their
        angles. Turning an image then shifts features cyclically, angle by angle: `bochner.groups.CyclicShifts` with
        `block_size=features.block_size_` makes a kernel on top of them that does not see rotations.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the patches that the base is fitted to, and of the base if it has none.

    Attributes
    ----------
    base_ : transformer
        The fitted base.
    map_ : PatchMap
    seed_ : int
    n_components_ : int
        Output width: points of pooling times the width of the base.
    block_size_ : int
        Features of one angle of a polar grid, or of one row of points of a square one.
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    References
    ----------
    Mairal, Koniusz, Harchaoui & Schmid (2014), Convolutional kernel networks.
    Coates, Lee & Ng (2011), An analysis of single-layer networks in unsupervised feature learning.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from bochner import KernelClassifier, PatchFeatures
    >>> X, y = load_digits(return_X_y=True)
    >>> features = PatchFeatures((8, 8), patch=3, random_state=0)
    >>> model = KernelClassifier(features=features, random_state=0).fit(X[:900], y[:900])
    >>> model.score(X[900:], y[900:]) > 0.95
    True
    """

    map_: PatchMap

    _parameter_constraints: Constraints = {
        "shape": ["array-like"],
        "patch": [Interval(Integral, 1, None, closed="left")],
        "base": [HasMethods(["fit", "transform"]), None],
        "pool": [Interval(Integral, 1, None, closed="left"), tuple, list],
        "pooling": [StrOptions({"gaussian", "average"})],
        "centred": ["boolean"],
        "grid": [StrOptions({"square", "polar"})],
        "random_state": SEED_RULE,
    }

    def __init__(
        self,
        shape: tuple[int, ...],
        patch: int = 5,
        base: Transformer | None = None,
        *,
        pool: int | tuple[int, int] = 4,
        pooling: str = "gaussian",
        centred: bool = True,
        grid: str = "square",
        random_state: Seed = None,
    ) -> None:
        self.shape = shape
        self.patch = patch
        self.base = base
        self.pool = pool
        self.pooling = pooling
        self.centred = centred
        self.grid = grid
        self.random_state = random_state

    @validated
    def fit(self, X: MatrixLike, y: object = None) -> Self:
        """Fit the base to up to 20,000 patches of up to 2,000 images, those without contrast left out.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Images, one a row.
        y : ignored

        Returns
        -------
        self
        """
        refuse_lazy(X)
        rows, grid = validated_rows(self, X, reset=True), self._grid()
        if rows.shape[1] != grid.n_pixels:
            raise InvalidDataError(
                f"PatchFeatures takes images of shape {tuple(self.shape)}, rows of {grid.n_pixels} columns. "
                f"Got {rows.shape[1]} columns."
            )
        self.seed_ = resolve_seed(self.random_state)
        patches = self._sampled(rows, grid)
        self.base_ = self._seeded_base().fit(patches)
        self.map_ = PatchMap(grid, map_of(self.base_, patches))
        require_memory(
            MemoryBill({"map of patches": self.map_.n_bytes(rows.dtype)}), "Use fewer landmarks or features."
        )
        self.map_.prepare(rows.dtype)
        return self

    @property
    def block_size_(self) -> int:
        check_is_fitted(self)
        across = self.map_.grid.pool[0 if self.grid == "polar" else 1]
        return across * self.map_.base.n_components

    def exact_kernel(self) -> ExactKernel:
        raise AssumptionError(
            "No exact machine with the kernel of PatchFeatures is computed: a pair of images has as many kernel values "
            "as pairs of positions. `features_.certify(X)` bounds the error of its kernel."
        )

    def certify_kernel(self, X: Rows, delta: float, context: CertificateContext) -> Certificate:
        """Computed, without probability, for a base of landmarks: residual variances bound the error on any rows.

            |K(x, y) - z(x).z(y)| <= sqrt(R(x) R(y)),      R(x) = K(x, x) - ||z(x)||^2

        Landmarks project every phi(p_u), so also their sums. K(x, x) takes as many kernel values as there are pairs of
        positions. `delta` is unused.
        """
        kernel, dtype = self.map_.kernel(), np.promote_types(X.dtype, context.precision)
        residual, square, change = np.empty((3, X.shape[0]))
        for some in row_slices(X.shape[0], rows_within(24 * self.n_components_, most=_IMAGES)):
            Z, own = (transform(self.map_, X[some], np.dtype(each)) for each in (float, dtype))
            residual[some] = self.map_.residual_variance(X[some], Z)
            square[some], change[some] = (np.einsum("ij,ij->i", each, each) for each in (Z, own - Z))
        rounding = _ROUNDING * np.max(residual + square) + 2 * np.sqrt(np.max(change) * np.max(square)) + np.max(change)
        of_patches = f"one level of a convolutional kernel over patches of side {self.patch}, {kernel}"
        return ResidualVariance(residual=residual, rounding=float(rounding), kernel=of_patches).certificate()

    def _grid(self) -> Positions:
        """The grid, of checked parameters."""
        shape = _integers(self.shape)
        if len(shape) not in (2, 3) or min(shape) < 1:
            raise invalid_parameter(self, "shape", "(height, width) or (height, width, channels)", self.shape)
        height, width, channels = (*shape, 1)[:3]
        if self.patch > min(height, width):
            raise invalid_parameter(self, "patch", f"at most {min(height, width)}, the side of an image", self.patch)
        if self.centred and self.patch == 1:
            raise invalid_parameter(self, "centred", "False for patches of one pixel", self.centred)
        return self._pooled((height, width, channels))

    def _pooled(self, shape: tuple[int, int, int]) -> Positions:
        """The grid of images of a shape, with as many pools as there are positions at most."""
        make, turns = (PolarPatchGrid, 4) if self.grid == "polar" else (PatchGrid, 1)
        pool = _integers(self.pool if isinstance(self.pool, (tuple, list)) else (self.pool, turns * self.pool))
        points = tuple(max(1, m) for m in (*pool, 1, 1))
        found = make(
            shape,
            int(self.patch),
            (points[0], points[1]),
            self.pooling == "gaussian",
            bool(self.centred),
        )
        if len(pool) != 2 or not all(1 <= m <= n for m, n in zip(pool, found.sides)):
            rule = f"from 1 to the number of positions of a patch along a side, {found.sides}"
            raise invalid_parameter(self, "pool", rule, self.pool)
        return found

    def _sampled(self, X: Rows, grid: Positions) -> Array:
        """Unit patches of some images at random positions; a row of zeros if none has contrast."""
        rng = generator(self.seed_, Purpose.SUBSAMPLE)
        images = rng.permutation(X.shape[0])[:_IMAGES]
        each = min(grid.n_positions, 2 * -(-_PATCHES // len(images)))
        found = []
        for some in row_slices(len(images), max(1, _PATCHES // grid.n_positions)):
            unit, length = grid.patches(dense(X[images[some]]))
            places = rng.permuted(np.tile(np.arange(grid.n_positions), (some.stop - some.start, 1)), axis=1)[:, :each]
            chosen = (places + grid.n_positions * np.arange(len(places))[:, None]).ravel()
            found.append(unit[chosen[length[chosen] > 0]])
        patches = np.concatenate(found)
        return rng.permutation(patches)[:_PATCHES] if len(patches) else np.zeros((1, grid.patch_size), X.dtype)

    def _seeded_base(self) -> Any:
        """The base, with this seed unless it has one: one number then fixes everything."""
        base: Any = self.base
        if base is None:
            base = NystroemFeatures(Gaussian(_LENGTH_SCALE), n_components=_WIDTH, landmarks="kmeans")
        base = clone(base)
        if base.get_params().get("random_state", 0) is None:
            base.set_params(random_state=self.seed_)
        return base


def _integers(values: Any) -> tuple[int, ...]:
    """Whole numbers of a tuple; none if they are not."""
    numbers = tuple(values)
    return tuple(map(int, numbers)) if all(isinstance(value, Integral) for value in numbers) else ()
