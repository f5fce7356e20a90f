"""Drift detection for batches and streams: maximum mean discrepancy and conformal evidence against a reference."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from numbers import Integral, Real
from typing import TYPE_CHECKING, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from bochner._random import Purpose, generator, resolve_seed
from bochner._sklearn import LENGTH_SCALE_RULE, SEED_RULE, Interval, OurWords, StrOptions, fit_method, refuse_lazy
from bochner._typing import Array, ArrayLike, Constraints, FloatType, MatrixLike, Seed
from bochner.comparison.attribution import column_shares
from bochner.comparison.group_sums import group_sums
from bochner.comparison.kernel_features import KernelFeatures, feature_witness
from bochner.comparison.null_law import ChiSquaredMixture
from bochner.comparison.reference import (
    FEWEST_WINDOWS,
    default_window,
    largest_taught,
    mean_and_eigenvalues,
    teaching_rows,
)
from bochner.comparison.sequential import ConformalEvidence
from bochner.comparison.windows import RoundedFourier, harmless_in_float32, window_means
from bochner.errors import InvalidDataError
from bochner.estimators.drift_plot import plot_evidence
from bochner.estimators.drift_report import DriftReport
from bochner.estimators.fourier import SAMPLING_RULE
from bochner.estimators.validation import validated_rows
from bochner.kernels import Stationary
from bochner.sampling import Sampler
from bochner.tuning import ScaleRule

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["DriftDetector", "DriftReport"]

_KEPT_ROWS = 64
_RESOLUTION = 1e-12  # of sqrt(k(0)): distances between mean maps have rounding errors below 1e-13 of it
_DOUBLE: FloatType = np.dtype(np.float64)


class DriftDetector(OurWords, BaseEstimator):
    """Drift detector for batches and streams: does new data still have the law of a reference?

    The reference is kept as the mean of random features: some kilobytes, whatever its size.

    - `predict(batch)` tests one batch: P(false alarm) is `false_alarm_rate` per batch, to the accuracy of the central
      limit theorem for bounded features; higher where a batch has less than a few rare events.
    - `update(rows)` follows a stream in windows. The probability that a stream without drift *ever* raises an alarm is
      at most `false_alarm_rate`, exactly, however long the stream (`bochner.comparison.sequential`), for any law of the
      rows: continuous, binary, constant. What is smaller than the noise of a window it sees late or not at all;
      `predict` on a long batch sees it.

    While `length_scale` is automatic, the units of columns do not matter: each has a scale of its own, by its spread in
    the reference. Reference and stream may have different number types: both are rounded to float32 if the reference is
    float32 or loses nothing by it, and mapped in float64.

    Parameters
    ----------
    kernel : str or Stationary, default="gaussian"
    n_components : int, default=256
        Width of the features.
    length_scale : "auto", "median", float or array of shape (n_features,), default="auto"
        "auto": the kernel's own if `kernel` is a kernel, else for each column its spread times the median distance
        between rows in units of these. "median": one for all columns, the median distance. Both are of reference rows.
    window : int or "auto", default="auto"
        Rows of a stream that are compared at a time. "auto": a two-hundredth of the reference, between 16 and 50.
        Longer windows see smaller changes, but the reference then has fewer of them to rank among.
    false_alarm_rate : float, default=0.01
    sampling : str or Sampler, default="monte_carlo"
    random_state : int, RandomState, Generator or None, default=None

    Attributes
    ----------
    kernel_ : Stationary
    window_ : int
    detected_at_ : int or None
        Number of streamed rows after which the alarm was raised.
    contributions_ : array of shape (n_features,) or None
        Shares of the features in the window that raised the alarm.
    history_ : dict of arrays
        "rows" (streamed so far), "statistic", "pvalue" and "evidence" (its decimal logarithm) of every window.
    n_features_in_ : int

    Notes
    -----
    Every other window of the reference makes its mean, and the length scales; the scores of the rest, distances from
    that mean, are what the scores of the stream are ranked among. A score depends on the rows of its window alone, to
    the bit, and distances that are equal but for rounding count as ties, which count against an alarm. Windows are of
    consecutive rows: dependence within a window is allowed, as long as windows are exchangeable.

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import DriftDetector
    >>> rng = np.random.default_rng(0)
    >>> detector = DriftDetector(random_state=0).fit(rng.standard_normal((5000, 3)))
    >>> batch = rng.standard_normal((400, 3)) + np.array([0.0, 1.0, 0.0])
    >>> report = detector.predict(batch)
    >>> report.is_drift, int(report.contributions.argmax())
    (True, 1)
    >>> detector.update(rng.standard_normal((1000, 3)))
    False
    >>> detector.update(batch)
    True
    """

    kernel_: Stationary
    window_: int
    n_reference_: int
    n_features_in_: int
    detected_at_: int | None
    contributions_: Array | None

    _features: KernelFeatures
    _reference_mean: Array
    _eigenvalues: Array
    _window_mean: Array
    _calibration: Array
    _kept: Array
    _waiting: Array
    _records: list[tuple[float, float, float]]
    _evidence: ConformalEvidence

    # Of detectors in files of the first form, whose reference may have been scored in float32.
    _row_type: FloatType = np.dtype(np.float64)
    _resolution: float = 1e-4

    _parameter_constraints: Constraints = {
        "kernel": [Stationary, str],
        "n_components": [Interval(Integral, 2, None, closed="left")],
        "length_scale": LENGTH_SCALE_RULE,
        "window": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "false_alarm_rate": [Interval(Real, 0, 1, closed="neither")],
        "sampling": SAMPLING_RULE,
        "random_state": SEED_RULE,
    }

    def __init__(
        self,
        kernel: str | Stationary = "gaussian",
        *,
        n_components: int = 256,
        length_scale: ArrayLike = "auto",
        window: int | str = "auto",
        false_alarm_rate: float = 0.01,
        sampling: str | Sampler = "monte_carlo",
        random_state: Seed = None,
    ) -> None:
        self.kernel = kernel
        self.n_components = n_components
        self.length_scale = length_scale
        self.window = window
        self.false_alarm_rate = false_alarm_rate
        self.sampling = sampling
        self.random_state = random_state

    @fit_method
    def fit(self, X: MatrixLike, y: object = None) -> Self:
        """Learn the reference, and start a new stream.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        refuse_lazy(X)
        rows: Array = validated_rows(self, X, reset=True, accept_sparse=False)
        n = len(rows)
        self.window_ = default_window(n) if isinstance(self.window, str) else int(self.window)
        if n < FEWEST_WINDOWS * self.window_:
            raise InvalidDataError(
                f"The reference must have at least {FEWEST_WINDOWS} windows of {self.window_} rows. Got {n} rows: "
                "lower window."
            )
        seed = resolve_seed(self.random_state)
        rule = ScaleRule(type(self).__name__, self.kernel, self.length_scale)
        self.kernel_ = rule.resolve_sample(rows, seed=seed, sample_weight=teaching_rows(n, self.window_))
        self._features = KernelFeatures.draw(
            self.kernel_, rows.shape[1], int(self.n_components), embedding="paired", sampling=self.sampling, seed=seed
        )
        single = rows.dtype == np.float32 or harmless_in_float32(
            largest_taught(rows, self.window_), self._features.fourier
        )
        self._row_type, self._resolution = np.dtype(np.float32 if single else np.float64), _RESOLUTION
        self.n_reference_ = n
        self._reference_mean, self._eigenvalues = mean_and_eigenvalues(rows, self._map)
        means = window_means(rows, self._map, self.window_)
        self._window_mean = means[::2].mean(axis=0)
        self._calibration = np.sort([self._score(mean) for mean in means[1::2]])
        chosen = generator(seed, Purpose.SUBSAMPLE).choice(n, size=min(n, _KEPT_ROWS), replace=False)
        self._kept = np.asarray(rows[np.sort(chosen)], dtype=float)
        self.reset()
        return self

    def predict(self, X: MatrixLike) -> DriftReport:
        """Test one batch against the reference.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        DriftReport
        """
        check_is_fitted(self)
        rows = self._validated(X)
        distance = float(np.linalg.norm(self._mean(rows) - self._reference_mean))
        statistic = max(0.0, distance - self._rounding) ** 2
        law = ChiSquaredMixture(self._eigenvalues * (1 / len(rows) + 1 / self.n_reference_))
        pvalue = law.survival(statistic)
        return DriftReport(
            is_drift=pvalue <= self.false_alarm_rate,
            pvalue=pvalue,
            statistic=statistic,
            threshold=law.quantile(self.false_alarm_rate),
            contributions=self._shares(rows),
        )

    def update(self, X: MatrixLike) -> bool:
        """Add rows to the stream; whether drift has been detected so far.

        Rows are compared in windows of `window_`; an incomplete one waits for the next call. After an alarm the history
        goes on; `reset` starts a new stream.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        bool
        """
        check_is_fitted(self)
        rows = np.vstack([self._waiting, self._validated(X)])
        complete = len(rows) // self.window_ * self.window_
        for i, mean in enumerate(window_means(rows, self._map, self.window_)):
            self._observe(rows[i * self.window_ : (i + 1) * self.window_], mean)
        self._waiting = rows[complete:].copy()
        return self.detected_at_ is not None

    def reset(self) -> Self:
        """Forget the stream, keep the reference."""
        self._evidence = ConformalEvidence(self._calibration)
        self._records, self._waiting = [], np.empty((0, self.n_features_in_))
        self.detected_at_, self.contributions_ = None, None
        return self

    def contributions(self, X: MatrixLike) -> Array:
        """Share of every feature in the difference between X and the reference; they sum to 1.

            c_j = mean over rows x of X of  w(x) - w(x with feature j from a row of the reference)

        with w the witness function, large where X has more rows than the reference (`bochner.comparison.attribution`).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_features,)
        """
        check_is_fitted(self)
        return self._shares(self._validated(X))

    @property
    def history_(self) -> dict[str, Array]:
        records = np.array(self._records, dtype=float).reshape(-1, 3)
        rows = self.window_ * np.arange(1, len(records) + 1)
        return {"rows": rows, "statistic": records[:, 0], "pvalue": records[:, 1], "evidence": records[:, 2]}

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the evidence for drift over the stream, with the threshold and the alarm.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        ax : matplotlib Axes
        """
        check_is_fitted(self)
        history = self.history_
        return plot_evidence(
            history["rows"],
            history["evidence"],
            false_alarm_rate=self.false_alarm_rate,
            detected_at=self.detected_at_,
            ax=ax,
        )

    def _observe(self, rows: Array, mean: Array) -> None:
        score = self._score(mean)
        pvalue = self._evidence.observe(score, max(0.0, np.sqrt(score) - self._rounding) ** 2)
        self._records.append((score, pvalue, self._evidence.log_evidence / np.log(10)))
        if self.detected_at_ is None and self._evidence.log_evidence >= -np.log(self.false_alarm_rate):
            self.detected_at_ = self.window_ * self._evidence.steps
            self.contributions_ = self._shares(rows)

    def _score(self, mean: Array) -> float:
        return float(np.sum((mean - self._window_mean) ** 2))

    def _mean(self, X: Array) -> Array:
        mean: Array = group_sums(X, self._map, X.shape[0], _DOUBLE)[0][0] / X.shape[0]
        return mean

    @property
    def _map(self) -> RoundedFourier:
        return RoundedFourier(self._features.fourier, self._row_type)

    @property
    def _rounding(self) -> float:
        """Tolerance within which distances from a mean map count as equal."""
        return self._resolution * float(np.sqrt(self.kernel_.variance))

    def _shares(self, X: Array) -> Array:
        """The contributions of validated rows."""
        return column_shares(np.asarray(X, dtype=float), self._kept, self._witness)

    def _witness(self, rows: Array) -> Callable[[Array], Array]:
        """The witness function of rows against the reference."""
        return partial(feature_witness, self._features, self._mean(rows) - self._reference_mean)

    def _validated(self, X: MatrixLike) -> Array:
        refuse_lazy(X)
        rows: Array = validated_rows(self, X, reset=False, accept_sparse=False, huge=True)  # they are drift, no error
        return rows
