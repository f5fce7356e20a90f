"""Nystroem features, plain and invariant, as a scikit-learn transformer."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_array

from bochner._dense import dense
from bochner._random import Purpose, generator, resolve_seed
from bochner._sklearn import SEED_RULE, Interval, StrOptions, refuse_lazy, validated
from bochner._typing import Array, ArrayLike, Constraints, Rows
from bochner.errors import AssumptionError, invalid_parameter
from bochner.estimators.landmark_certificate import certify_landmarks
from bochner.estimators.map_transformer import CertificateContext, MapTransformer, kernel_of_data
from bochner.estimators.orbit import choose_transforms
from bochner.estimators.validation import validated_rows
from bochner.features.landmarks import LANDMARK_RULES, choose_landmarks
from bochner.features.nystroem import KernelMap, NystroemMap, draw_nystroem_map, moves_one_side
from bochner.features.pivoting import PIVOTS
from bochner.groups import Group
from bochner.kernels import Stationary
from bochner.memory import MemoryBill, require_memory, rows_within
from bochner.statistics.kernel_product import ExactKernel
from bochner.theory import Certificate
from bochner.theory.pivoted import pilot_tail

__all__ = ["NystroemFeatures"]

_CANDIDATES = 20_000  # rows whose leverage is looked at
_SHARE_OF_BUDGET = 0.6  # of memory, for the factor that landmarks are chosen by
_WORK = 2**33  # N k^2 of a factor of N candidates: a few tenths of a second; more of them are not worth it
_OTHERS, _FEWEST_OTHERS = 1000, 256  # rows that tell how much of the kernel the landmarks see


class NystroemFeatures(MapTransformer):
    """Nystroem features: kernel values against landmarks chosen among the rows, whitened.

        z(x) = C^-1 [k(x, l_1), ..., k(x, l_L)],   K_LL = C C',      z(x).z(y) = k(x, L) K_LL^-1 k(L, y)

    With a group, k is its orbit kernel k_q(x, y) = E k(g x, g' y), computed exactly over the transformations: the
    invariant Nystroem features of Raj et al. Features follow the data and are often better than random ones of the same
    width, at a higher cost: L r kernel values a row (L r^2 if both sides must be moved).

    Parameters
    ----------
    kernel : Stationary or str, default=None
        The kernel. A kernel keeps its own length scale; that of a name, or of None for "gaussian", is the data's, as in
        `FourierFeatures`; with a group, which may mix columns, it is one for all of them: the median distance.
    n_components : int, default=1024
        Number of landmarks and output width, at most the number of rows; unused if they are given.
    landmarks : {"pivoted", "uniform", "leverage", "kmeans"} or array of shape (L, n_features), default="pivoted"
        How they are chosen among up to 20,000 rows: by randomly pivoted Cholesky factorisation, each where the residual
        variance of those before it is large, so that none is left large (`certify`); uniformly; with probability in
        proportion to approximate ridge leverage scores; or the centres of k-means in units of the length scales, which
        are no rows. The first two are nested: for one seed, fewer landmarks are the first of more. An array: these.
    group : Group, default=None
        Transformations that the features should not see. Only the landmarks are moved if that is the same: for all
        elements of a group whose actions are exact (`closed` and `unitary`), and a kernel of distance. Samples of a
        group and interpolated images are moved on both sides.
    n_transforms : int or "all", default="all"
        How many transformations to draw.
    random_state : int, RandomState, Generator or None, default=None
        Seed of landmarks and transformations.

    Attributes
    ----------
    landmarks_ : array of shape (n_landmarks, n_features)
    map_ : NystroemMap
    kernel_ : Stationary
    transforms_ : Transforms or None
    seed_ : int
    n_components_ : int
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    References
    ----------
    Williams & Seeger (2001), Using the Nystroem method to speed up kernel machines.
    Raj et al. (2017), Local group invariant representations via orbit embeddings.

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import Gaussian, NystroemFeatures
    >>> X = np.random.default_rng(0).standard_normal((200, 2))
    >>> Z = NystroemFeatures(Gaussian(2.0), n_components=50, random_state=0).fit_transform(X)
    >>> bool(np.abs(Z @ Z.T - Gaussian(2.0)(X)).max() < 0.01)
    True
    """

    map_: NystroemMap

    _parameter_constraints: Constraints = {
        "kernel": [Stationary, str, None],
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "landmarks": [StrOptions(set(LANDMARK_RULES)), "array-like"],
        "group": [Group, None],
        "n_transforms": [Interval(Integral, 1, None, closed="left"), StrOptions({"all"})],
        "random_state": SEED_RULE,
    }

    def __init__(
        self,
        kernel: Stationary | str | None = None,
        *,
        n_components: int = 1024,
        landmarks: str | ArrayLike = "pivoted",
        group: Group | None = None,
        n_transforms: int | str = "all",
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.n_components = n_components
        self.landmarks = landmarks
        self.group = group
        self.n_transforms = n_transforms
        self.random_state = random_state

    @validated
    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose the landmarks and whiten their kernel matrix.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        refuse_lazy(X)
        X = validated_rows(self, X, reset=True)
        self.seed_ = resolve_seed(self.random_state)
        self.kernel_ = kernel_of_data(self, self.kernel, X, self.seed_, one_scale=self.group is not None)
        self.transforms_ = (
            None if self.group is None else choose_transforms(self.group, self.n_transforms, X.shape[1], self.seed_)
        )
        self.landmarks_, others = self._given(X) if self._points_are_given else self._chosen(X)
        self.map_ = draw_nystroem_map(self._values(self.landmarks_), others)
        return self

    @property
    def scale_is_open(self) -> bool:
        # Overrides: a kernel that is handed over has its own.
        return self.kernel is None or isinstance(self.kernel, str)

    def with_one_scale(self, X: Rows, seed: int) -> Self:
        # Overrides: a named kernel has the scales of the data.
        return clone(self).set_params(kernel=kernel_of_data(self, self.kernel, X, seed, one_scale=True))

    def with_landmarks_at(self, points: Rows, X: Rows) -> Self:
        """Features of the same kernel with landmarks at some points beside those of this one, each once."""
        landmarks = np.unique(np.vstack([self.landmarks_, dense(points, float)]), axis=0)
        kernel = self.kernel_
        return clone(self).set_params(kernel=kernel, landmarks=landmarks, random_state=self.seed_).fit(X)

    def exact_kernel(self) -> ExactKernel:
        return ExactKernel(self.kernel_, self.transforms_, self.map_.values.one_sided)

    def certify_kernel(self, X: Any, delta: float, context: CertificateContext) -> Certificate:
        """Computed, without probability: residual variances r(x) bound the error, on any rows.

            |k(x, y) - z(x).z(y)| <= sqrt(r(x) r(y)),      r(x) = k(x, x) - ||z(x)||^2

        The tightest bound on the largest error over all pairs of rows: computed for up to 4,000 rows, by residual
        variances beyond. `delta` is unused.
        """
        return certify_landmarks(self.map_, self.exact_kernel(), X, np.promote_types(X.dtype, context.precision))

    @validated
    def promise(self, X: Any, *, delta: float = 0.01) -> Certificate:
        """What pivoted landmarks of these rows will leave of the kernel, before any is drawn: `theory.pivoted`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            All of them are candidates, at most 20,000.
        delta : float, default=0.01
            Probability that the pilot of the rows misleads.

        Returns
        -------
        certificate : Certificate
            Of the expected mean residual variance; an `AssumptionError` says why there is none.
        """
        X = validated_rows(clone(self), X, reset=True)
        size, seed = min(self.n_components, X.shape[0]), resolve_seed(self.random_state)
        if self._points_are_given or self.landmarks != "pivoted" or self.group is not None:
            raise AssumptionError("Before the fit only pivoted landmarks without a group have a bound.")
        if self._n_candidates(X, size, "pivoted") < X.shape[0] or size > PIVOTS:
            raise AssumptionError(
                f"The bound is for landmarks that are drawn one after the other (up to {PIVOTS:,}) from all rows. Got "
                f"{size:,} of {X.shape[0]:,} rows, of which some are candidates."
            )
        kernel = kernel_of_data(self, self.kernel, X, seed)
        return pilot_tail(dense(X, float), kernel, size, delta=delta, random_state=seed).certificate(size)

    def _values(self, points: Array) -> KernelMap:
        one_sided = moves_one_side(self.kernel_, self.group, self.transforms_)
        return KernelMap(self.kernel_, points, self.transforms_, one_sided)

    @property
    def _points_are_given(self) -> bool:
        return not isinstance(self.landmarks, str)

    def _given(self, X: Any) -> tuple[Array, Array]:
        """The landmarks that were handed over, and some rows."""
        points = check_array(self.landmarks, dtype=np.float64, input_name="landmarks")
        if points.shape[1] != X.shape[1]:
            raise invalid_parameter(self, "landmarks", f"of {X.shape[1]} columns, as X is", points.shape)
        self._require(len(points), X, "uniform")
        return points, self._some(X, generator(self.seed_, Purpose.SUBSAMPLE).permutation(X.shape[0])[:_OTHERS])

    def _chosen(self, X: Any) -> tuple[Array, Array]:
        """Landmarks (L, d) by a rule, and some other rows, in float64."""
        rule, size = str(self.landmarks), min(self.n_components, X.shape[0])
        self._require(size, X, rule)
        rng = generator(self.seed_, Purpose.SUBSAMPLE)
        order = rng.permutation(X.shape[0])
        n_candidates = min(X.shape[0], size + _OTHERS) if rule == "uniform" else self._n_candidates(X, size, rule)
        landmarks, others = choose_landmarks(rule, self._some(X, order[:n_candidates]), self._values, size, rng)
        return landmarks, others[: max(_FEWEST_OTHERS, min(_OTHERS, _WORK // size**2))]

    def _some(self, X: Any, rows: Array) -> Array:
        return dense(X[rows], float)

    def _n_candidates(self, X: Any, n_landmarks: int, rule: str) -> int:
        """Rows to choose landmarks from: fewer, down to two for each, where a factor of many has no room or time."""
        most = min(X.shape[0], max(_CANDIDATES, n_landmarks))
        if rule != "pivoted":
            return most
        row, affordable = 8 * (min(n_landmarks, PIVOTS) + X.shape[1]), max(2 * n_landmarks, _WORK // n_landmarks**2)
        least = min(most, 2 * n_landmarks)
        return rows_within(row, share=_SHARE_OF_BUDGET, least=least, most=min(most, affordable))

    def _require(self, n_landmarks: int, X: Any, rule: str) -> None:
        r = 1 if self.transforms_ is None else len(self.transforms_)
        uniform, d = rule == "uniform" or n_landmarks == X.shape[0], X.shape[1]
        others = {"rows to compare with": 8 * d * min(X.shape[0], _OTHERS)}
        if not uniform:
            candidates = self._n_candidates(X, n_landmarks, rule)
            work = candidates * min(n_landmarks, PIVOTS) if rule == "pivoted" else 2 * n_landmarks**2
            others = {"candidates": 16 * candidates * d, "factor of the candidates": 8 * work}
        bill = MemoryBill(
            {
                "kernel matrix of the landmarks": 8 * n_landmarks**2,
                **others,
                "transformed landmarks": r * n_landmarks * d * (8 + X.dtype.itemsize),
            }
        )
        require_memory(bill, "Use fewer landmarks or transformations.")
