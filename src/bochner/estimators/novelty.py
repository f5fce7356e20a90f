"""Novelty and outlier detection by the kernel Mahalanobis distance, streaming, with a calibrated threshold."""

from __future__ import annotations

from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.base import OutlierMixin
from sklearn.utils.validation import check_is_fitted

from bochner._random import Purpose, resolve_seed, row_keys
from bochner._sklearn import LENGTH_SCALE_RULE, Interval, StrOptions, fit_method, refuse_lazy, validated, with_callbacks
from bochner._typing import Array, ArrayLike, Constraints, MatrixLike, Seed, Transformer
from bochner.data import ArrayRows, RowSource
from bochner.errors import InvalidDataError
from bochner.estimators.kernel_model import MODEL_CONSTRAINTS, KernelModel
from bochner.estimators.rows import adopt_columns, linear_predictions, open_rows
from bochner.estimators.validation import validated_rows
from bochner.estimators.watch import CallbackWatch
from bochner.features import FeatureMap
from bochner.fitting import FittedNovelty, RowReservoir, fit_novelty, squared_norms
from bochner.kernels import Stationary
from bochner.memory import require_memory
from bochner.sampling import Sampler
from bochner.solvers import pca_bill
from bochner.statistics import Moments, accumulate, plan_pass

__all__ = ["KernelNovelty"]

_CALIBRATION_ROWS = 4096


class KernelNovelty(OutlierMixin, KernelModel):
    """Novelty detector: kernel Mahalanobis distance of a row from the rows of the fit.

        d(x) = n (z(x) - zbar)' (G + alpha I)^-1 (z(x) - zbar),     G = sum_i (z_i - zbar)(z_i - zbar)'

    on random features z of a kernel: n times the leverage of the row. Rows that are far from all others, or lie where
    few are, have large distances. One pass over the rows, O(n D^2) time and O(D^2) memory.

    Parameters
    ----------
    kernel : str or Kernel, default="gaussian"
    features : transformer, default=None
        A scikit-learn transformer to use in place of `FourierFeatures(kernel, ...)`.
    n_components : int or "auto", default="auto"
        Number of features D. "auto": sqrt(n) log n between 256 and 4096.
    length_scale : "auto", "median", float or array of shape (n_features,), default="auto"
        As in `KernelPCA`: by default the units of columns do not matter.
    sampling : str or Sampler, default="monte_carlo"
        As in `FourierFeatures`.
    alpha : "auto" or float, default="auto"
        Penalty beside G. "auto": that of sqrt(n) effective dimensions, or of half of all where these are fewer.
    false_alarm_rate : float, default=0.05
        Share of *new* rows of the same law that are to be called outliers, if `contamination` is "auto". The threshold
        is a quantile of the leave-one-out distances of up to 4,096 rows of the fit, drawn at random.
    contamination : "auto" or float in (0, 0.5], default="auto"
        As in scikit-learn: the share of outliers among the rows of the *fit*, which sets the threshold.
    random_state : int, RandomState, Generator or None, default=None

    Attributes
    ----------
    offset_ : float
        `decision_function` is `score_samples` minus this.
    alpha_ : float
        The penalty.
    features_ : transformer
    moments_ : Moments
    seed_ : int
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    Notes
    -----
    The rate of false alarms holds to about 1 / sqrt(rows of calibration), for rows that are independent draws of one
    law: each row is judged by a model that has not seen it. `partial_fit` keeps the sample, and any split of the rows
    into blocks gives the same one.

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import KernelNovelty
    >>> X = np.random.default_rng(0).standard_normal((500, 2))
    >>> model = KernelNovelty(false_alarm_rate=0.01, random_state=0).fit(X)
    >>> model.predict([[0.0, 0.0], [6.0, 6.0]])
    array([ 1, -1])
    """

    moments_: Moments
    _feature_map: FeatureMap
    _sample: RowReservoir
    _fitted: FittedNovelty | None
    _offset: float

    _parameter_constraints: Constraints = {
        **MODEL_CONSTRAINTS,
        "length_scale": LENGTH_SCALE_RULE,
        "alpha": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "false_alarm_rate": [Interval(Real, 0, 1, closed="neither")],
        "contamination": [Interval(Real, 0, 0.5, closed="right"), StrOptions({"auto"})],
    }

    def __init__(
        self,
        kernel: str | Stationary = "gaussian",
        *,
        features: Transformer | None = None,
        n_components: int | str = "auto",
        length_scale: ArrayLike = "auto",
        sampling: str | Sampler = "monte_carlo",
        alpha: float | str = "auto",
        false_alarm_rate: float = 0.05,
        contamination: float | str = "auto",
        random_state: Seed = None,
    ) -> None:
        self.kernel = kernel
        self.features = features
        self.n_components = n_components
        self.length_scale = length_scale
        self.sampling = sampling
        self.alpha = alpha
        self.false_alarm_rate = false_alarm_rate
        self.contamination = contamination
        self.random_state = random_state

    @fit_method
    def fit(self, X: MatrixLike, y: object = None) -> Self:
        """Learn what is usual, in one pass over the rows (and one to draw some of them, if they are in files).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or a scan
        y : ignored

        Returns
        -------
        self
        """
        rows = self._rows(X, reset=True, least=2)
        self._begin(rows)
        self._absorb(rows)
        self._calibrate()
        return self

    @with_callbacks
    @validated
    def partial_fit(self, X: MatrixLike, y: object = None) -> Self:
        """Add rows. Every split of the rows gives the model that `fit` gives on all of them, to rounding.

        What is automatic among `length_scale` and `n_components` is chosen by the first block.
        """
        first = not hasattr(self, "moments_")
        rows = self._rows(X, reset=first)
        if first:
            self._begin(rows)
            self._warn_of_first_block(rows.n_rows)
        self._absorb(rows)
        self._fitted = None
        return self

    def score_samples(self, X: MatrixLike) -> Array:
        """Minus the Mahalanobis distance of every row: the smaller, the more unusual.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        scores : array of shape (n_samples,)
        """
        check_is_fitted(self)
        response = self._solved().response(self._feature_map)
        scores: Array = linear_predictions(self, X, response, _minus_squared_norms, shape=())
        return scores

    def decision_function(self, X: MatrixLike) -> Array:
        """`score_samples` minus `offset_`: negative for outliers."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: MatrixLike) -> Array:
        """1 for rows like those of the fit, -1 for outliers: integers of shape (n_samples,)."""
        labels: Array = np.where(self.decision_function(X) < 0, -1, 1)
        return labels

    @property
    def feature_map_(self) -> FeatureMap:
        check_is_fitted(self)
        return self._feature_map

    @property
    def alpha_(self) -> float:
        return self._solved().alpha

    @property
    def offset_(self) -> float:
        self._solved()
        return self._offset

    # The steps of a fit, in their order.

    def _rows(self, X: MatrixLike, *, reset: bool, least: int = 1) -> RowSource:
        rows = open_rows(X)
        if rows is None:
            refuse_lazy(X)
            dense_rows = validated_rows(self, X, reset=reset, accept_sparse=False, ensure_min_samples=least)
            return ArrayRows(dense_rows, np.empty((len(dense_rows), 0)), None, dense_rows.dtype)
        adopt_columns(self, rows, reset)
        if rows.weighted:
            raise InvalidDataError(
                "KernelNovelty counts every row once. Got rows with weights: scan without weight=..."
            )
        return rows

    def _scale_learner(self, landmarks: bool) -> None:
        """There are no targets: "auto" is the scale of the columns."""
        return

    def _begin(self, rows: RowSource) -> None:
        """Settle everything that must be known before the first row."""
        self.seed_ = resolve_seed(self.random_state)
        drawn = self.feature_settings(self.seed_, rows).choose(rows)
        self._feature_map, self.features_, self.tuning_ = drawn.map, drawn.drawn.transformer, drawn.tuning
        self.moments_ = Moments.empty(self._feature_map.n_components, rows.n_targets)
        self._sample = RowReservoir(np.empty((0, rows.n_features)), np.empty(0))
        self._fitted = None

    def _absorb(self, rows: RowSource) -> None:
        """Add moments of the rows, and some of the rows themselves to the sample."""
        width, fourier = self._feature_map.n_components, self._feature_map
        plan = plan_pass(rows.planned_rows, fourier, rows.n_targets, rows.dtype)
        require_memory(
            pca_bill(plan, fourier, n_axes=width, dtype=rows.dtype),
            f"Lower n_components (now {width}), or raise the budget with bochner.set_config(memory=...).",
        )
        keys = row_keys(self.seed_, Purpose.CALIBRATION, self.moments_.n_rows, rows.n_rows)
        chosen = np.argsort(keys, kind="stable")[:_CALIBRATION_ROWS]
        added = RowReservoir(np.asarray(rows.take(chosen)), keys[chosen])
        on_block, finish = CallbackWatch(self, rows).begin(rows.n_blocks(plan.block_rows))
        accumulate(rows, fourier, self.moments_, plan, on_block=on_block)
        finish()
        self._sample = added if len(self._sample.keys) == 0 else self._sample.merge(added, _CALIBRATION_ROWS)

    def _calibrate(self) -> FittedNovelty:
        """Distances from the moments, and the threshold from those of the sample."""
        if self.moments_.n_rows < 2:
            raise InvalidDataError(f"KernelNovelty needs at least 2 rows. Got {self.moments_.n_rows}.")
        fitted = fit_novelty(self.moments_, None if isinstance(self.alpha, str) else float(self.alpha))
        distances = squared_norms(fitted.response(self._feature_map)(self._sample.rows)).astype(float)
        if isinstance(self.contamination, str):
            left_out = np.sort(fitted.left_out(distances))
            rank = int(np.ceil((1 - self.false_alarm_rate) * (len(left_out) + 1)))  # that of a new row among them
            self._offset = -float(left_out[min(rank, len(left_out)) - 1])
        else:
            self._offset = float(np.percentile(-distances, 100 * self.contamination))
        self._fitted = fitted
        return fitted

    def _solved(self) -> FittedNovelty:
        check_is_fitted(self)
        return self._calibrate() if self._fitted is None else self._fitted

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags


def _minus_squared_norms(rows: Array) -> Array:
    return -squared_norms(rows)
