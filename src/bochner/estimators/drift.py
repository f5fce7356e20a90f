"""Drift detection: does a batch, or a stream, still have the law of the reference?"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from bochner._random import Purpose, generator, resolve_seed
from bochner._typing import Array
from bochner.comparison.embedding import KernelFeatures, feature_witness, group_sums
from bochner.comparison.null_law import ChiSquaredMixture
from bochner.comparison.sequential import ConformalEvidence
from bochner.comparison.windows import RoundedFourier, harmless_in_float32, window_means
from bochner.data import ArrayRows
from bochner.errors import InvalidDataError, MissingExtraError
from bochner.estimators._sklearn import Interval, StrOptions, refuse_lazy, validated
from bochner.estimators.drift_file import read_detector, write_detector
from bochner.estimators.fourier import FourierFeatures
from bochner.kernels import Stationary, resolve_kernel
from bochner.kernels.base import check_scale
from bochner.statistics import Moments, accumulate, plan_pass
from bochner.tuning.median import median_length_scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["DriftDetector", "DriftReport"]

_KEPT_ROWS = 64
_EXPLAINED_ROWS = 400
_SWAPS = 16
_FEWEST_WINDOWS = 8
_RESOLUTION = 1e-12  # of sqrt(k(0)): distances between mean maps have rounding errors below 1e-13 of it
_DOUBLE = np.dtype(float)


@dataclass(frozen=True)
class DriftReport:
    """What `DriftDetector.predict` says of a batch.

    Attributes
    ----------
    is_drift : bool
        Whether the p-value is at most the detector's false-alarm rate.
    pvalue : float
    statistic : float
        Squared distance between the mean maps of batch and reference.
    threshold : float
        The statistic at which drift is reported for a batch of this size.
    contributions : array of shape (n_features,)
        Share of every feature in the difference; see `DriftDetector.contributions`.
    """

    is_drift: bool
    pvalue: float
    statistic: float
    threshold: float
    contributions: Array = field(repr=False)

    def __bool__(self) -> bool:
        return self.is_drift


class DriftDetector(BaseEstimator):
    """Does new data still have the law of a reference? For batches and for streams.

    The reference is kept as the mean of random features: some kilobytes, whatever its size.

    - `predict(batch)` tests one batch: P(false alarm) is `false_alarm_rate` per batch, to the accuracy of the central
      limit theorem for bounded features; higher where a batch has less than a few rare events.
    - `update(rows)` follows a stream in windows. The probability that a stream without drift *ever* raises an alarm is
      at most `false_alarm_rate`, exactly, however long the stream (`bochner.comparison.sequential`), for any law of the
      rows: continuous, binary, constant. What is smaller than the noise of a window it sees late or not at all;
      `predict` on a long batch sees it.

    Rows are used as they are: bring columns to one scale first. Reference and stream may have different number types:
    both are rounded to float32 if the reference is float32 or loses nothing by it, and mapped in float64.

    Parameters
    ----------
    kernel : str or Stationary, default="gaussian"
    n_components : int, default=256
        Width of the features.
    length_scale : "auto", "median", float or array of shape (n_features,), default="auto"
        "median": the median distance between reference rows. "auto": the kernel's own if `kernel` is a kernel, else
        the median.
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
    Every other window of the reference makes its mean, and the median distance; the scores of the rest, distances from
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

    _waiting: Array
    # Of detectors in files of the first form, whose reference may have been scored in float32.
    _row_type: np.dtype[Any] = _DOUBLE
    _resolution: float = 1e-4

    _parameter_constraints: dict[str, list[Any]] = {
        "kernel": [Stationary, str],
        "n_components": [Interval(Integral, 2, None, closed="left")],
        "length_scale": [Interval(Real, 0, None, closed="neither"), "array-like", StrOptions({"auto", "median"})],
        "window": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "false_alarm_rate": [Interval(Real, 0, 1, closed="neither")],
        "sampling": FourierFeatures._parameter_constraints["sampling"],
        "random_state": FourierFeatures._parameter_constraints["random_state"],
    }

    def __init__(
        self,
        kernel: str | Stationary = "gaussian",
        *,
        n_components: int = 256,
        length_scale: Any = "auto",
        window: int | str = "auto",
        false_alarm_rate: float = 0.01,
        sampling: Any = "monte_carlo",
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.n_components = n_components
        self.length_scale = length_scale
        self.window = window
        self.false_alarm_rate = false_alarm_rate
        self.sampling = sampling
        self.random_state = random_state

    @validated
    def fit(self, X: Any, y: Any = None) -> Self:
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
        X = validate_data(self, X, dtype=[np.float64, np.float32])
        n = X.shape[0]
        self.window_ = _default_window(n) if isinstance(self.window, str) else int(self.window)
        if n < _FEWEST_WINDOWS * self.window_:
            raise InvalidDataError(
                f"The reference must have at least {_FEWEST_WINDOWS} windows of {self.window_} rows. Got {n} rows: "
                "lower window."
            )
        seed = resolve_seed(self.random_state)
        self.kernel_ = self._resolved_kernel(X, seed)
        self._features = KernelFeatures.draw(
            self.kernel_, X.shape[1], int(self.n_components), embedding="paired", sampling=self.sampling, seed=seed
        )
        single = X.dtype == np.float32 or harmless_in_float32(self._largest(X), self._features.fourier)
        self._row_type, self._resolution = np.dtype(np.float32 if single else np.float64), _RESOLUTION
        self.n_reference_ = n
        self._learn_law(X)
        self._learn_windows(X)
        chosen = generator(seed, Purpose.SUBSAMPLE).choice(n, size=min(n, _KEPT_ROWS), replace=False)
        self._kept = np.asarray(X[np.sort(chosen)], dtype=float)
        self.reset()
        return self

    def predict(self, X: Any) -> DriftReport:
        """Test one batch against the reference.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        DriftReport
        """
        check_is_fitted(self)
        X = self._validated(X)
        distance = float(np.linalg.norm(self._mean(X) - self._reference_mean))
        statistic = max(0.0, distance - self._rounding) ** 2
        law = ChiSquaredMixture(self._eigenvalues * (1 / X.shape[0] + 1 / self.n_reference_))
        pvalue = law.survival(statistic)
        return DriftReport(
            is_drift=pvalue <= self.false_alarm_rate,
            pvalue=pvalue,
            statistic=statistic,
            threshold=law.quantile(self.false_alarm_rate),
            contributions=self._shares(X),
        )

    def update(self, X: Any) -> bool:
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
        X = np.vstack([self._waiting, self._validated(X)])
        complete = len(X) // self.window_ * self.window_
        for i, mean in enumerate(window_means(X, self._map, self.window_)):
            self._observe(X[i * self.window_ : (i + 1) * self.window_], mean)
        self._waiting = X[complete:].copy()
        return self.detected_at_ is not None

    def reset(self) -> Self:
        """Forget the stream, keep the reference."""
        self._evidence = ConformalEvidence(self._calibration)
        self._records: list[tuple[float, float, float]] = []
        self._waiting = np.empty((0, self.n_features_in_))
        self.detected_at_: int | None = None
        self.contributions_: Array | None = None
        return self

    def contributions(self, X: Any) -> Array:
        """Share of every feature in the difference between X and the reference; they sum to 1.

            c_j = mean over rows x of X of  w(x) - w(x with feature j from a row of the reference)

        with w the witness function, large where X has more rows than the reference. w comes from one half of X and is
        evaluated on the other, and the other way round, so that rows do not speak for themselves. Negative values,
        which are noise, count as 0.

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

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draw the evidence for drift over the stream, with the threshold and the alarm.

        Parameters
        ----------
        axes : matplotlib Axes, default=None
            None: new ones.
        """
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise MissingExtraError("matplotlib", "plot") from None
        check_is_fitted(self)
        if axes is None:
            axes = Figure(figsize=(8, 3.2), layout="constrained").subplots()
        history = self.history_
        axes.plot(history["rows"], history["evidence"], color="#0072B2", lw=1.4, label="evidence for drift")
        axes.axhline(
            -np.log10(self.false_alarm_rate), color="#767676", ls="--", lw=1,
            label=f"alarm: false with probability at most {self.false_alarm_rate:g}",
        )  # fmt: skip
        if self.detected_at_ is not None:
            axes.axvline(self.detected_at_, color="#D55E00", lw=1.2, label=f"detected after {self.detected_at_:,} rows")
        axes.set(xlabel="rows of the stream", ylabel="log10 of the evidence")
        axes.legend(frameon=False, loc="upper left")
        return axes

    def save(self, path: str | Path) -> None:
        """Write reference and stream to a file of some kilobytes; an interrupt leaves the old file or the new one."""
        check_is_fitted(self)
        write_detector(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a detector that `save` wrote. No code in the file is run."""
        return read_detector(cls, Path(path))

    # The steps of a fit and of an update.

    def _learn_law(self, X: Any) -> None:
        """Mean of the features over the reference, and eigenvalues of their covariance."""
        fourier, n = self._map, X.shape[0]
        blocks = ArrayRows(X, np.broadcast_to(0.0, (n,)), None, _DOUBLE)
        moments = accumulate(blocks, fourier, Moments.empty(fourier.n_components, 1), plan_pass(n, fourier, 1, _DOUBLE))
        self._reference_mean = moments.z_mean
        eigenvalues = np.linalg.eigvalsh(moments.zz / (n - 1), UPLO="L")
        self._eigenvalues = np.maximum(eigenvalues[::-1], 0.0)

    def _learn_windows(self, X: Any) -> None:
        """The mean of every other window, and the scores of the rest."""
        means = window_means(X, self._map, self.window_)
        self._window_mean = means[::2].mean(axis=0)
        self._calibration = np.sort([self._score(mean) for mean in means[1::2]])

    def _teaches(self, n_rows: int) -> Array:
        """Which rows are in every other window, those that make the mean.

        Whatever a score depends on comes from them, so that the other windows are as new to it as those of a stream.
        """
        window = np.arange(n_rows) // self.window_
        return (window % 2 == 0) & (window < n_rows // self.window_)

    def _largest(self, X: Any) -> Array:
        """Largest size of every column in those windows."""
        starts = range(0, len(X) - self.window_ + 1, 2 * self.window_)
        return np.max([np.max(np.abs(X[start : start + self.window_]), axis=0) for start in starts], axis=0)

    def _observe(self, rows: Array, mean: Array) -> None:
        score = self._score(mean)
        pvalue = self._evidence.observe(score, max(0.0, np.sqrt(score) - self._rounding) ** 2)
        self._records.append((score, pvalue, self._evidence.log_evidence / np.log(10)))
        if self.detected_at_ is None and self._evidence.log_evidence >= -np.log(self.false_alarm_rate):
            self.detected_at_ = self.window_ * self._evidence.steps
            self.contributions_ = self._shares(rows)

    def _score(self, mean: Array) -> float:
        return float(np.sum((mean - self._window_mean) ** 2))

    def _mean(self, X: Any) -> Array:
        features = replace(self._features, fourier=self._map)
        mean: Array = group_sums(X, features, X.shape[0], _DOUBLE)[0][0] / X.shape[0]
        return mean

    @property
    def _map(self) -> RoundedFourier:
        return RoundedFourier(self._features.fourier, self._row_type)

    @property
    def _rounding(self) -> float:
        """Up to what difference distances from a mean map count as equal."""
        return self._resolution * float(np.sqrt(self.kernel_.variance))

    def _shares(self, X: Array) -> Array:
        """The contributions of validated rows."""
        X = np.asarray(X, dtype=float)
        step = max(1, len(X) // _EXPLAINED_ROWS)
        halves = [X[::2], X[1::2]] if len(X) > 1 else [X, X]
        drops = np.zeros(X.shape[1])
        for teacher, other in (halves, halves[::-1]):
            direction = self._mean(teacher) - self._reference_mean
            drops += self._drops(other[::step], direction)
        drops = np.maximum(drops, 0.0)
        return drops / drops.sum() if drops.sum() > 0 else np.full(len(drops), 1 / len(drops))

    def _drops(self, rows: Array, direction: Array) -> Array:
        """Mean fall of the witness when one feature of every row comes from the reference; one for every feature."""
        whole = feature_witness(self._features, direction, rows).mean()
        picked = np.arange(len(rows) * _SWAPS) % len(self._kept)
        swapped = np.repeat(rows, _SWAPS, axis=0)
        drops = np.empty(rows.shape[1])
        for j in range(rows.shape[1]):
            column = swapped[:, j].copy()
            swapped[:, j] = self._kept[picked, j]
            drops[j] = whole - feature_witness(self._features, direction, swapped).mean()
            swapped[:, j] = column
        return drops

    def _validated(self, X: Any) -> Array:
        refuse_lazy(X)
        rows: Array = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        return rows

    def _resolved_kernel(self, X: Any, seed: int) -> Stationary:
        kernel = resolve_kernel(self, self.kernel)
        if not isinstance(self.length_scale, str):
            return kernel.with_length_scale(check_scale(self, self.length_scale, X.shape[1]))
        if self.length_scale == "auto" and isinstance(self.kernel, Stationary):
            return kernel
        return kernel.scaled_by(median_length_scale(X, kernel, seed, self._teaches(len(X))))


def _default_window(n_rows: int) -> int:
    return int(max(1, min(n_rows // _FEWEST_WINDOWS, np.clip(n_rows // 200, 16, 50))))
