"""Base of estimators on the features of a kernel: parameters to settings, checkpoint identity, tags."""

from __future__ import annotations

import logging
import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, cast

import joblib
import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator

from bochner._random import resolve_seed
from bochner._sklearn import (
    LEARNED_LENGTH_SCALE_RULE,
    SEED_RULE,
    CallbackSupportMixin,
    HasMethods,
    Interval,
    StrOptions,
)
from bochner._typing import Array, ArrayLike, Constraints, Seed, Transformer
from bochner.data import Collapsed, RowSource
from bochner.errors import AssumptionError, FirstBlockWarning, NearCopiesWarning, invalid_parameter
from bochner.estimators.catalogue import features_of_kernel
from bochner.estimators.fourier import SAMPLING_RULE
from bochner.estimators.makers import ExactMaker, FourierMaker, GridMaker, LandmarkMaker, TransformerMaker
from bochner.estimators.map_transformer import WithFeatures
from bochner.fitting import FeatureSettings, FitCheckpoint, MapMaker
from bochner.kernels import Kernel, Stationary
from bochner.planning import EXACT_ROWS
from bochner.sampling import Sampler
from bochner.tuning import ScaleLearner, ScaleRule

__all__ = ["MODEL_CONSTRAINTS", "KernelModel", "check_penalties", "identified", "seed_of_fit"]

_log = logging.getLogger("bochner")

_GRID_EPS, _FINE_GRID_EPS = 1e-4, 1e-6  # kernel error of a grid, and of one whose number of frequencies is given
_DECIDE_CERTIFICATES = (
    "kernel",
    "features",
    "length_scale",
    "fit_intercept",
    "interval",
    "loss",
    "class_weight",
    "validation_fraction",
)
_NAMED = ("kernel", "features", "length_scale")  # of these names alone: what is handed over has nothing chosen

_OF_STATIONARY = {"features": "auto", "length_scale": "auto", "sampling": "monte_carlo"}
"""Parameters of stationary kernels alone, as they are unless given."""

MODEL_CONSTRAINTS: Constraints = {
    "kernel": [Kernel, str, None],
    "features": [HasMethods(["fit", "transform"]), StrOptions({"auto", "fourier", "nystroem", "exact"}), None],
    "n_components": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
    "length_scale": LEARNED_LENGTH_SCALE_RULE,
    "sampling": SAMPLING_RULE,
    "random_state": SEED_RULE,
}
"""Rules of the parameters that all models have."""


class KernelModel(WithFeatures, CallbackSupportMixin, ABC, BaseEstimator):
    """An estimator on the features of a kernel. A subclass validates rows, calls a fit and stores the fitted value.

    `_width_parameter` names the constructor's parameter for the width of the map.
    """

    kernel: str | Kernel | None
    features: Transformer | str | None
    length_scale: str | float | ArrayLike
    sampling: str | Sampler
    random_state: Seed

    seed_: int

    _width_parameter: ClassVar[str] = "n_components"
    _settings_of_fit: dict[str, Any]

    _parameter_constraints: Constraints = MODEL_CONSTRAINTS

    @abstractmethod
    def _scale_learner(self, landmarks: bool) -> ScaleLearner | None:
        """Learner of length scales from the targets, for landmarks or random features; None where there are none."""

    @property
    def _asks_for_fourier(self) -> bool:
        """Whether another parameter asks for random features. A model with more of them adds to this."""
        return self._width is not None or self.sampling != "monte_carlo"

    def uses_landmarks(self, rows: RowSource | None) -> bool:
        """Whether the features are kernel values, against landmarks or all rows: asked for, or automatic.

        Automatic ones are for dense rows in memory; None: rows that are still to come.
        """
        if self._brings_features:
            return False
        if not isinstance(self.features, str) or self.features != "auto":
            return isinstance(self.features, str) and self.features in ("nystroem", "exact")
        known = None if rows is None else rows.arrays
        return known is not None and not issparse(known.X) and not self._asks_for_fourier

    def may_iterate(self, rows: RowSource) -> bool:
        """Whether features="auto" may end with iterations: for more rows in memory than can be factorised."""
        return self.features == "auto" and rows.n_rows > EXACT_ROWS and self.uses_landmarks(rows)

    def without_near_copies(self, rows: RowSource, seed: int, labels: Array | None = None) -> Collapsed | None:
        """One row for every cluster of near copies, with a warning; None without any, or if a class would be lost."""
        known = rows.arrays if self._leaves_all_open(rows) else None
        found = None if known is None else Collapsed.of(known, seed)
        if found is not None and labels is not None and len(np.unique(labels[found.index])) < len(np.unique(labels)):
            return None
        if found is not None:
            warnings.warn(found.warning(rows.n_rows), NearCopiesWarning, stacklevel=6)
        return found

    def _leaves_all_open(self, rows: RowSource) -> bool:
        """Whether features and penalty of rows in memory are chosen by left-out rows."""
        return self.features == "auto" and getattr(self, "alpha", None) == "auto" and self.uses_landmarks(rows)

    @property
    def asks_for_exact(self) -> bool:
        """Whether features="exact" asks for the exact kernel machine. A fitted one is told by `is_exact`."""
        return isinstance(self.features, str) and self.features == "exact"

    def uses_grid(self, rows: RowSource | None) -> bool:
        """Whether features are on a grid of frequencies. A model that can be solved there overrides."""
        return False

    @property
    def _width(self) -> int | None:
        asked = getattr(self, self._width_parameter)
        return None if isinstance(asked, str) else int(asked)

    def _own_features(self, seed: int) -> Transformer | None:
        """Features with a kernel of their own, or none: a transformer that was given, or those of such a kernel."""
        if self.features is not None and not isinstance(self.features, str):
            return self.features
        drawn = features_of_kernel(self, self.kernel, self._width, seed)
        if drawn is not None:
            self._refuse_unused()
        return drawn

    def _refuse_unused(self) -> None:
        """Refuse parameters that have no meaning for a kernel that names its features itself."""
        for name, usual in _OF_STATIONARY.items():
            given = getattr(self, name)
            if given is not None and not (isinstance(given, str) and given == usual):
                rule = f"{usual!r} for the kernel {type(self.kernel).__name__}, which is not stationary"
                raise invalid_parameter(self, name, rule, given)

    @property
    def _brings_features(self) -> bool:
        """Whether the features have a kernel of their own, or none."""
        return self._own_features(0) is not None

    def _scale_rule(self, rows: RowSource | None) -> ScaleRule:
        landmarks, rule = self.uses_landmarks(rows), self.length_scale
        learned = isinstance(rule, str) and rule in ("auto", "ard", "metric")
        if self.uses_grid(rows):
            return self._grid_scale_rule(learned)
        automatic = isinstance(self.features, str) and self.features in ("auto", "exact", "nystroem")
        chosen = "auto" if automatic and landmarks and learned else "gaussian"
        kernel = chosen if self.kernel is None else cast(str | Stationary, self.kernel)
        learner = self._scale_learner(landmarks)
        return ScaleRule(type(self).__name__, kernel, rule, learner, automatic=automatic, warps=automatic and landmarks)

    def _grid_scale_rule(self, learned: bool) -> ScaleRule:
        """Of a grid: the best kernel, unless one is given, and one scale an axis, unless they are those of a kernel."""
        if isinstance(self.length_scale, str) and self.length_scale == "metric":
            rule = "'auto', 'ard', 'median' or numbers for features='grid', whose axes are the columns"
            raise invalid_parameter(self, "length_scale", rule, self.length_scale)
        named = self.kernel is None or isinstance(self.kernel, str)
        kernel = ("auto" if learned else "gaussian") if self.kernel is None else cast(str | Stationary, self.kernel)
        scale = "ard" if learned and named else self.length_scale
        return ScaleRule(type(self).__name__, kernel, scale, self._scale_learner(True))

    def _maker(self, rows: RowSource | None, seed: int = 0) -> MapMaker:
        own = self._own_features(seed)
        if own is not None:
            return TransformerMaker(own)
        if self.uses_grid(rows):
            return GridMaker(_GRID_EPS if self._width is None else _FINE_GRID_EPS)
        if not self.uses_landmarks(rows):
            return FourierMaker(self.sampling)
        if self.asks_for_exact:
            return self._exact_maker()
        return LandmarkMaker(searched_by_refitting=self.features == "auto")

    def _exact_maker(self) -> MapMaker:
        """Maker of the exact kernel. A model whose loss is not that of ridge regression overrides."""
        return ExactMaker()

    def feature_settings(self, seed: int, rows: RowSource | None) -> FeatureSettings:
        """Settings of the features, as a value; keeps the parameters that certificates depend on.

        `rows` is None for rows that are still to come, as for `partial_fit`.
        """
        present = [name for name in _DECIDE_CERTIFICATES if name in self.get_params(deep=False)]
        given = {name: getattr(self, name) for name in present}
        names = {name for name, value in given.items() if value is None or isinstance(value, str)}
        self._settings_of_fit = {name: given[name] for name in present if name in names or name not in _NAMED}
        scale = None if self._brings_features else self._scale_rule(rows)
        return FeatureSettings(scale, self._maker(rows, seed), self._width, seed)

    def _require_settings_of_fit(self) -> None:
        """Refuse a model whose parameters changed since its fit."""
        for name, value in getattr(self, "_settings_of_fit", {}).items():  # older files have none
            now = getattr(self, name)
            if now is not value and (np.ndim(now) > 0 or now != value):
                raise AssumptionError(f"{name} was {value!r} in the fit and is {now!r} now: fit again, or set it back.")

    def _announce_passes(self, rows: RowSource, n_solver: int, more: Sequence[str] = ()) -> None:
        """Tell the log how often rows that are not in memory will be read, and why."""
        if rows.in_memory:
            return
        looks = list(more)
        settings = self.feature_settings(0, rows)
        if settings.looks_at_rows:
            unknown = rows.known_rows is None and (rows.passes is None or settings.width is None)
            looks += (["to count the rows"] if unknown else []) + ["to look at some of them"]
        looks += [] if settings.scale is None else settings.scale.passes
        reasons = "".join(f", 1 {reason}" for reason in looks)
        _log.info(
            "%s reads the rows %d time(s): %d to fit%s.", type(self).__name__, n_solver + len(looks), n_solver, reasons
        )

    def checkpoint_identity(self, rows: RowSource) -> dict[str, str]:
        """Identity of a checkpoint: the parameters that decide the statistics of a fit, as texts and digests."""
        names = ("kernel", "features", self._width_parameter, "length_scale", "sampling", "random_state")
        rule = self._scale_rule(rows)
        penalty = {"alpha": identified(getattr(rule.learner, "penalty", None))} if rule.learns else {}
        return {
            "estimator": type(self).__name__,
            **{name: identified(getattr(self, name)) for name in names},
            **penalty,
            "number of rows": str(rows.n_rows),
            "number of columns": str(rows.n_features),
            "number of targets": str(rows.n_targets),
            "float type": rows.dtype.name,
        }

    @property
    def _rows_chose_scales(self) -> bool:
        """Whether rows of the fit chose kernel or length scale. Features of their own say so themselves."""
        return not self._brings_features and self._scale_rule(None).looks_at_rows

    def _warn_of_first_block(self, n_rows: int) -> None:
        """Say what partial_fit has chosen by its first block."""
        if self._brings_features or self.features in ("nystroem", "exact", "grid"):
            return
        by_data = [self._width_parameter] if self._width is None else []
        by_data += ["length_scale"] if self._scale_rule(None).looks_at_rows else []
        by_data += ["sampling"] if self._maker(None).looks_at_rows else []
        if by_data:
            warnings.warn(
                f"partial_fit settled {' and '.join(by_data)} from the first block of {n_rows} rows. "
                "Give a number to have the model of fit on all rows.",
                FirstBlockWarning,
                stacklevel=5,
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def identified(value: object) -> str:
    """Digest of a value: a short text that no other value has."""
    plain = isinstance(value, (str, Real)) or value is None
    return repr(value) if plain else f"{type(value).__name__} {joblib.hash(value)[:16]}"


def check_penalties(owner: object, alphas: ArrayLike | None) -> Array | None:
    """Penalties to choose from, as an array; None stays None."""
    if alphas is None:
        return None
    penalties = np.asarray(alphas, dtype=float)
    if penalties.ndim != 1 or len(penalties) == 0 or not np.all((penalties > 0) & np.isfinite(penalties)):
        raise invalid_parameter(owner, "alphas", "a non-empty list of positive finite numbers", alphas)
    return penalties


def seed_of_fit(random_state: Seed, checkpoint: FitCheckpoint | None) -> int:
    """The seed of a fit: that of `random_state`, or of the interrupted fit that goes on."""
    seed = resolve_seed(random_state)
    return seed if checkpoint is None else checkpoint.seed(seed, given=type(random_state) is int)
