"""What estimators on the features of a kernel share: choosing the kernel, its scale and the features."""

from __future__ import annotations

import logging
import warnings
from numbers import Integral, Real
from typing import Any

import joblib
import numpy as np
from sklearn.base import BaseEstimator, clone

from bochner._random import resolve_seed
from bochner._typing import Array
from bochner.data import ArrayRows, RowSource
from bochner.errors import AssumptionError, FirstBlockWarning, invalid_parameter
from bochner.estimators._sklearn import CallbackSupportMixin, HasMethods, Interval, StrOptions
from bochner.estimators.fourier import FourierFeatures
from bochner.estimators.learned_scale import TargetsOfRows, check_learnable, given_penalty, learn_scales
from bochner.estimators.map_transformer import MapTransformer
from bochner.estimators.nystroem import NystroemFeatures
from bochner.features import FeatureMap, map_of
from bochner.kernels import Stationary, resolve_kernel
from bochner.kernels.base import check_scale
from bochner.planning import default_width
from bochner.sampling import resolve_sampler
from bochner.statistics import CheckpointFile
from bochner.tuning import Tuning
from bochner.tuning.median import MEDIAN_ROWS, median_length_scale

__all__ = ["KernelModel", "check_penalties"]

_log = logging.getLogger("bochner")

_ROWS_FOR_FEATURES = 20_000
"""Rows that a data-dependent map sees of a table that is not in memory."""


class KernelModel(CallbackSupportMixin, BaseEstimator):
    """An estimator on the features of a kernel; `_choose_features` sets `seed_` and `features_`.

    `_width_parameter` names the constructor's parameter for the width of the map; `_supervised` says that there are
    targets to learn length scales from.
    """

    kernel: str | Stationary
    features: Any
    length_scale: Any
    sampling: Any
    random_state: Any

    _width_parameter = "n_components"
    _supervised = True

    tuning_: Tuning | None

    _parameter_constraints: dict[str, list[Any]] = {
        "kernel": [Stationary, str],
        "features": [HasMethods(["fit", "transform"]), StrOptions({"nystroem"}), None],
        "n_components": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "length_scale": [
            Interval(Real, 0, None, closed="neither"),
            "array-like",
            StrOptions({"auto", "ard", "median"}),
        ],
        "sampling": FourierFeatures._parameter_constraints["sampling"],
        "random_state": FourierFeatures._parameter_constraints["random_state"],
    }

    def _choose_seed(self, file: CheckpointFile | None = None) -> None:
        """Settle the seed. A resumed fit has its old one."""
        self.seed_ = resolve_seed(self.random_state)
        if file is not None:
            self.seed_ = file.notes.setdefault("seed", self.seed_)

    def _choose_features(self, rows: RowSource, targets: TargetsOfRows | None = None) -> None:
        """Settle what must be known before the first row, after the seed: kernel and features.

        `targets` are those to learn scales from, with their weights; None: those of the rows.
        """
        self.tuning_ = None
        self._record_settings()
        if self.features is not None and not isinstance(self.features, str):
            X = rows.X if isinstance(rows, ArrayRows) else rows.sample(_ROWS_FOR_FEATURES, self.seed_)
            self.features_ = clone(self.features).fit(X)
            self._feature_map = map_of(self.features_, X)
            return
        asked = getattr(self, self._width_parameter)
        width = default_width(rows.n_rows) if isinstance(asked, str) else asked
        kernel = self._resolved_kernel(rows, width, targets)
        if self.features == "nystroem":
            X = rows.sample(max(width, _ROWS_FOR_FEATURES), self.seed_)
            width = min(width, X.shape[0])
            self.features_ = NystroemFeatures(kernel, n_components=width, random_state=self.seed_).fit(X)
        else:
            self.features_ = self._fourier_features(kernel, width, rows)
        self._feature_map = self.features_.map_

    def _fourier_features(self, kernel: Stationary, width: int, rows: RowSource) -> FourierFeatures:
        features = FourierFeatures(kernel, n_components=width, sampling=self.sampling, random_state=self.seed_)
        return features.fit(self._rows_for_features(rows))

    def _rows_for_features(self, rows: RowSource) -> Any:
        """Rows of positive weight for a sampler that looks at them, else one row, which tells the width.

        All of them if they are in memory, else a sample.
        """
        if not resolve_sampler(self.sampling).uses_pilot:
            return np.zeros((1, rows.n_features), dtype=rows.dtype)
        if not isinstance(rows, ArrayRows):
            return rows.sample(_ROWS_FOR_FEATURES, self.seed_)
        return rows.X if rows.sample_weight is None else rows.X[np.flatnonzero(rows.sample_weight)]

    def _resolved_kernel(self, rows: RowSource, width: int, targets: TargetsOfRows | None) -> Stationary:
        check_learnable(self)
        choice = self.length_scale
        if self._learns_scales():
            self.tuning_ = learn_scales(self, rows, rows.targets() if targets is None else targets, width=width)
            if self.tuning_ is not None:
                return self.tuning_.kernel
        kernel = resolve_kernel(self, self.kernel)
        if not isinstance(choice, str):
            return kernel.with_length_scale(check_scale(self, choice, rows.n_features))
        if choice == "auto" and isinstance(self.kernel, Stationary):
            return kernel
        return kernel.scaled_by(median_length_scale(rows.sample(MEDIAN_ROWS, self.seed_), kernel, self.seed_))

    def _learns_scales(self) -> bool:
        """Whether there are scales to learn: not those of a kernel that was handed over, unless asked for."""
        if not self._supervised or not isinstance(self.length_scale, str) or self.length_scale == "median":
            return False
        if self.length_scale == "ard" or self.kernel == "auto":
            return True
        return not isinstance(self.kernel, Stationary) and self._auto_learns()

    def _auto_learns(self) -> bool:
        """Whether length_scale="auto" learns the scale of a named kernel; else it is the median distance."""
        return False

    def _announce_passes(self, rows: RowSource, n_solver: int) -> None:
        """Tell the log how often rows that are not in memory will be read, and why."""
        if isinstance(rows, ArrayRows):
            return
        looks = []
        if rows.known_rows is None and (rows.passes is None or isinstance(getattr(self, self._width_parameter), str)):
            looks += ["to count the rows"] if self._looks_at_rows() else []
        looks += ["to look at some of them"] if self._looks_at_rows() else []
        looks += ["to look at the targets"] if self._learns_scales() and self.features is None else []
        reasons = "".join(f", 1 {reason}" for reason in looks)
        _log.info(
            "%s reads the rows %d time(s): %d to fit%s.", type(self).__name__, n_solver + len(looks), n_solver, reasons
        )

    def _looks_at_rows(self) -> bool:
        """Whether features are chosen by looking at rows."""
        own_scale = isinstance(self.kernel, Stationary) and self.length_scale == "auto"
        by_scale = isinstance(self.length_scale, str) and not own_scale
        return self.features is not None or by_scale or resolve_sampler(self.sampling).uses_pilot

    def _identity(self, rows: RowSource) -> dict[str, str]:
        """What decides the statistics of a fit, in words and digests: the identity of its checkpoint."""
        names = ("kernel", "features", self._width_parameter, "length_scale", "sampling", "random_state")
        return {
            "estimator": type(self).__name__,
            **{name: _identified(getattr(self, name)) for name in names},
            **self._identity_of_scales(),
            "number of rows": str(rows.n_rows),
            "number of columns": str(rows.n_features),
            "number of targets": str(rows.n_targets),
            "float type": rows.dtype.name,
        }

    def _identity_of_scales(self) -> dict[str, str]:
        """What learned scales depend on beside the rows: the penalty they are learned for."""
        return {"alpha": _identified(given_penalty(self))} if self._learns_scales() else {}

    def _map(self) -> FeatureMap:
        return self._feature_map

    _settings_of_fit: dict[str, Any]

    def _record_settings(self) -> None:
        """Keep the parameters that decide what a certificate compares the model with."""
        names = ("fit_intercept", "interval", "loss", "class_weight", "validation_fraction")
        self._settings_of_fit = {name: getattr(self, name) for name in names if hasattr(self, name)}

    def _require_settings_of_fit(self) -> None:
        """Refuse a model whose parameters were changed after its fit: it is not what they say."""
        for name, value in getattr(self, "_settings_of_fit", {}).items():
            now = getattr(self, name)
            if now is not value and now != value:
                raise AssumptionError(f"{name} was {value!r} in the fit and is {now!r} now: fit again, or set it back.")

    def _certified_features(self) -> MapTransformer:
        """The features, if they have certificates."""
        if not isinstance(self.features_, MapTransformer):
            kind = type(self.features_).__name__
            raise AssumptionError(f"A certificate needs features of a known kernel. Got {kind}, which tells of none.")
        return self.features_

    def _warn_of_first_block(self, n_rows: int) -> None:
        by_data = [name for name in (self._width_parameter, "length_scale") if isinstance(getattr(self, name), str)]
        if resolve_sampler(self.sampling).uses_pilot:
            by_data.append("sampling")
        if isinstance(self.kernel, Stationary) and self.length_scale == "auto":
            by_data.remove("length_scale")
        if by_data and self.features is None:
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


def _identified(value: Any) -> str:
    """A value as a short text that no other value has."""
    plain = isinstance(value, (str, Real)) or value is None
    return repr(value) if plain else f"{type(value).__name__} {joblib.hash(value)[:16]}"


def check_penalties(owner: object, alphas: Any) -> Array:
    """Penalties to choose from, as an array."""
    penalties = np.asarray(alphas, dtype=float)
    if penalties.ndim != 1 or len(penalties) == 0 or not np.all((penalties > 0) & np.isfinite(penalties)):
        raise invalid_parameter(owner, "alphas", "a non-empty list of positive finite numbers", alphas)
    return penalties
