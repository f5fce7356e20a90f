"""Orbit embeddings (invariant feature maps) as scikit-learn transformers."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from typing import Any, Self

from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from bochner._random import resolve_seed
from bochner._sklearn import SEED_RULE, HasMethods, Interval, StrOptions, refuse_lazy, validated
from bochner._typing import ArrayLike, Constraints, Rows
from bochner.errors import AssumptionError
from bochner.estimators.fourier import FourierFeatures
from bochner.estimators.map_transformer import CertificateContext, MapTransformer, own_transformer
from bochner.estimators.orbit_certificate import certify_orbit
from bochner.estimators.orbit_scale import learned_scale
from bochner.estimators.validation import validated_rows
from bochner.features import draw_orbit_map, map_of
from bochner.features.nystroem import moves_one_side
from bochner.groups import Group, Transforms
from bochner.memory import MemoryBill, require_memory
from bochner.statistics.kernel_product import ExactKernel
from bochner.theory import Certificate
from bochner.tuning import tuning_seed

__all__ = ["OrbitFeatures", "choose_transforms"]


def choose_transforms(group: Group, n_transforms: int | str, n_features: int, seed: int) -> Transforms:
    """All elements of a group, or so many drawn from its law."""
    if isinstance(n_transforms, str):
        return group.elements(n_features)
    return group.sample(n_transforms, n_features, seed=seed)


class OrbitFeatures(MapTransformer):
    """Group-averaged (invariant) features: a feature map averaged over transformations of the input.

        psi(x) = sum_g q_g z(g x),      psi(x).psi(y) estimates k_q(x, y) = E k(g x, g' y)

    Over a whole finite group psi is invariant: psi(g x) = psi(x), to rounding for groups whose actions are exact. With
    a law near the identity (rotations within 30 degrees) it is *locally* invariant. A linear action on the input of a
    `FourierFeatures` base is applied to the frequencies once, at fit.

    Parameters
    ----------
    group : Group
        The transformations, from `bochner.groups`.
    base : transformer, default=None
        The features to average: `FourierFeatures`, `NystroemFeatures` or any scikit-learn transformer. None is
        `FourierFeatures()`. Where the base takes its length scale from the data, it is one for all columns, as a group
        may mix them: learned from targets by leave-one-out errors through a narrow orbit map, if they are given (inside
        of our models they are), else the median distance between rows (`base_.kernel_`).
    n_transforms : int or "all", default="all"
        How many transformations to draw; "all" for the whole of a finite group. All features share them, as in the
        paper.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the transformations, and of the base if it has none.

    Attributes
    ----------
    base_ : transformer
        The fitted base.
    transforms_ : Transforms
        The transformations that are averaged over.
    map_ : FeatureMap
    seed_ : int
    n_components_ : int
        Output width, that of the base.
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    References
    ----------
    Raj et al. (2017), Local group invariant representations via orbit embeddings.

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import OrbitFeatures
    >>> from bochner.groups import CyclicShifts
    >>> X = np.random.default_rng(0).standard_normal((3, 8))
    >>> features = OrbitFeatures(CyclicShifts(), random_state=0).fit(X)
    >>> bool(np.allclose(features.transform(X), features.transform(np.roll(X, 3, axis=1))))
    True
    """

    _parameter_constraints: Constraints = {
        "group": [Group],
        "base": [HasMethods(["fit", "transform"]), None],
        "n_transforms": [Interval(Integral, 1, None, closed="left"), StrOptions({"all"})],
        "random_state": SEED_RULE,
    }

    def __init__(
        self, group: Group, base: Any = None, *, n_transforms: int | str = "all", random_state: Any = None
    ) -> None:
        self.group = group
        self.base = base
        self.n_transforms = n_transforms
        self.random_state = random_state

    @validated
    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the base, choose the transformations and apply them to the frequencies.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets), default=None
            Targets, or labels of classes, that a length scale is learned from if the base has none.

        Returns
        -------
        self
        """
        refuse_lazy(X)
        X = validated_rows(self, X, reset=True)
        self.seed_ = resolve_seed(self.random_state)
        self.transforms_ = choose_transforms(self.group, self.n_transforms, X.shape[1], self.seed_)
        self.base_ = self._seeded_base(X, y).fit(X, y)
        self.map_ = draw_orbit_map(map_of(self.base_, X), self.transforms_)
        size = self.map_.n_bytes(X.dtype)
        require_memory(MemoryBill({"transformed feature map": size}), "Use fewer transformations or features.")
        self.map_.prepare(X.dtype)
        return self

    def certify(  # type: ignore[override]  # a priori bounds ask for more than the base
        self, X: Any, *, delta: float = 0.01, independent: bool = True
    ) -> Certificate:
        """Certificate of the error of the orbit kernel on rows of X, and of the invariance of the features.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows to certify. The exact orbit kernel is computed on as many of them as take seconds.
        delta : float, default=0.01
            Failure probability of the statements that have one.
        independent : bool, default=True
            Whether frequencies and transformations were drawn independently of the rows and of any tuning; if not, a
            priori bounds are void and left out.

        Returns
        -------
        certificate : Certificate
            The tightest bound on the largest error of the orbit kernel over pairs of rows. Its `others` hold the other
            bounds, and how far the features move under transformations from the group (`orbit.Invariance`). A base
            without a kernel has the latter only.
        """
        check_is_fitted(self)
        X = validated_rows(self, X, reset=False)
        return self.certify_kernel(X, delta, CertificateContext(independent=independent))

    @property
    def scale_is_of_rows(self) -> bool:
        # Overrides: it is that of the base.
        own = own_transformer(FourierFeatures() if self.base is None else self.base)
        return own is not None and own.scale_is_of_rows

    def exact_kernel(self) -> ExactKernel:
        kernel = getattr(self.base_, "kernel_", None)
        if kernel is None:
            raise AssumptionError(f"The base {type(self.base_).__name__} approximates no kernel that is known here.")
        if not kernel.stationary:
            raise AssumptionError(
                f"{type(kernel).__name__} is not stationary: there is no exact kernel machine to compare with."
            )
        return ExactKernel(kernel, self.transforms_, moves_one_side(kernel, self.group, self.transforms_))

    def certify_kernel(self, X: Any, delta: float, context: CertificateContext) -> Certificate:
        context = replace(context, scale_is_of_rows=context.scale_is_of_rows or self.scale_is_of_rows)
        return certify_orbit(self, X, delta, context)

    @property
    def uses_targets(self) -> bool:
        # Overrides: they tell the length scale.
        return True

    def _seeded_base(self, X: Rows, y: ArrayLike | None) -> Any:
        """The base, with one length scale, and with this seed unless it has one: one number then fixes everything."""
        base = FourierFeatures() if self.base is None else clone(self.base)
        if base.get_params().get("random_state", 0) is None:
            base.set_params(random_state=self.seed_)
        own = own_transformer(base)
        if own is None:
            return base
        scaled = own.with_one_scale(X, self.seed_)
        if y is None or not own.scale_is_open:
            return scaled
        seed = tuning_seed(self.seed_)  # bounds hold for frequencies and transformations that chose nothing
        drawn = self.transforms_
        if not drawn.whole:
            drawn = choose_transforms(self.group, self.n_transforms, X.shape[1], seed)
        kernel = learned_scale(scaled.get_params()["kernel"], drawn, X, y, seed)
        return scaled.set_params(kernel=kernel)
