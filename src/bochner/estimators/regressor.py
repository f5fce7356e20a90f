"""Kernel ridge regression on random features, in one pass over the rows."""

from __future__ import annotations

import warnings
from dataclasses import replace
from numbers import Integral, Real
from os import PathLike
from typing import Any, Self

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from bochner._typing import Array
from bochner.data import ArrayRows, RowSource
from bochner.errors import IllConditionedWarning, InvalidDataError, MemoryBudgetError, invalid_parameter
from bochner.estimators._sklearn import (
    Interval,
    StrOptions,
    progress,
    validated,
    with_callbacks,
)
from bochner.estimators.certified_ridge import CertifiedRidge
from bochner.estimators.intervals import ConformalScores, calibration_split, normal_factor
from bochner.estimators.kernel_model import KernelModel, check_penalties
from bochner.estimators.ridge_attributes import RidgeAttributes
from bochner.estimators.ridge_fit import direct_bill, fit_iteratively, identity_of_fit, solver_for
from bochner.estimators.rows import linear_predictions, over_rows, rows_to_fit
from bochner.estimators.widening import fit_widening, widens
from bochner.features import transform
from bochner.features.nystroem import NystroemMap
from bochner.kernels import Stationary
from bochner.memory import require_memory
from bochner.planning import WidthCurve
from bochner.solvers import (
    RidgeSolution,
    solve_ridge,
)
from bochner.statistics import (
    CheckpointFile,
    Moments,
    MomentsCheckpoint,
    PassPlan,
    RowIdentity,
    accumulate,
    rows_checksum,
)

__all__ = ["KernelRegressor"]

_SPREAD_ROWS = 1024


def _streams(self: KernelRegressor) -> bool:
    """Leave-one-out needs all rows a second time, and held-out rows must be chosen from all: no partial_fit then."""
    if self.alpha == "loo":
        raise AttributeError("partial_fit is not available with alpha='loo': use 'gcv', 'evidence' or a number.")
    if self.solver == "iterative":
        raise AttributeError("partial_fit is not available with solver='iterative', which keeps no moments.")
    if self.interval == "conformal":
        raise AttributeError("partial_fit is not available with interval='conformal': use 'normal'.")
    return True


class KernelRegressor(MultiOutputMixin, RegressorMixin, CertifiedRidge, RidgeAttributes, KernelModel):
    """Kernel ridge regression at scale.

        minimise_w,b  sum_i s_i (y_i - b - z(x_i).w)^2 + alpha ||w||^2

    on random features z of a kernel: the model of kernel ridge regression with the estimated kernel z(x).z(y), in
    O(n D^2) time and O(D^2) memory, from one pass over the rows. As a Bayesian linear model (w normal, noise normal)
    it has error bars and a marginal likelihood.

    Parameters
    ----------
    kernel : str or Stationary, default="gaussian"
        A kernel, or its name in lower case. "auto": the Gaussian or Matern kernel (nu = 1/2, 3/2, 5/2) of the largest
        evidence.
    features : transformer or "nystroem", default=None
        Any scikit-learn transformer to use in place of `FourierFeatures(kernel, ...)`; `kernel`, `length_scale` and
        `n_components` are then unused. "nystroem": `NystroemFeatures(kernel, ...)` with what `kernel`, `length_scale`
        and `n_components` say, computed in float64: twice the cost of random features of the same width or more, and
        far more accurate for rough kernels, whose frequencies are many, and where the target has little noise.
    n_components : int or "auto", default="auto"
        Number of features D. "auto": 256, 512, 1024, ... until rows that are held out see no gain, or the budget ends
        (`width_curve_`); the model is then that of all rows at the width that was chosen, and no product is computed
        twice. Where that cannot be, sqrt(n) log n between 256 and 4096: below 2,000 rows, for rows that are not in
        memory or a memory map, with `partial_fit`, a checkpoint, alpha="loo", solver="iterative", sampling="leverage"
        or `features`.
    alpha : {"gcv", "evidence", "loo"} or float, default="gcv"
        The penalty, as in scikit-learn's `Ridge` (not divided by n; the theory's lambda is alpha / n), or how to choose
        it: generalised cross-validation or marginal likelihood, from the moments alone, or exact leave-one-out, with
        one more pass.
    alphas : array-like, default=None
        Penalties to choose from. None: 25 from the rounding floor of the moments up to their trace, refined around the
        best one (not for "loo").
    length_scale : "auto", "ard", "median", float or array of shape (n_features,), default="auto"
        "auto": one scale, learned by the evidence of a narrow map on a subsample (`bochner.tuning`), for the
        penalty that is given if `alpha` is a number; the kernel's own if `kernel` is a kernel. "ard": one per feature,
        learned likewise. "median": the median distance between rows. What is learned is learned with other frequencies
        than those of the model, which therefore stay independent of it: certificates hold as they are. (A width that
        was searched for is paid for in the probabilities of certificates.)
    solver : {"auto", "direct", "iterative"}, default="auto"
        "direct" forms the D x D moments in one pass. "iterative" makes many passes of conjugate gradients and holds no
        such matrix: for wide maps, beyond some 8,000 features. It has no evidence, and its error bars and degrees of
        freedom are estimates. "auto": whichever the cost model and the memory budget say; up to 4,096 features, and for
        rows that are read only once, "direct".
    tol : float, default=1e-6
        Of the iterative solver: residual of the normal equations relative to their right side.
    max_iter : int, default=200
        Of the iterative solver.
    validation_fraction : float or None, default=None
        Of the iterative solver: share of the rows to leave out of the fit (4,096 at most); it ends when the error on
        them has settled.
    fit_intercept : bool, default=True
    interval : {"normal", "conformal"}, default="normal"
        How `predict(X, return_interval=...)` is calibrated: by the normal law of `return_std`, or by a tenth of the
        rows (at most 2,000), held out of the fit, for a cover that needs no model (`ConformalScores`).
    sampling : str or Sampler, default="monte_carlo"
        As in `FourierFeatures`.
    checkpoint : str or Path, default=None
        A file that holds how far `fit` came. A fit that was killed goes on from there if it is called again with the
        same parameters and rows, and gives the model of an uninterrupted one; other parameters or rows are refused.
    random_state : int, RandomState, Generator or None, default=None
        Seed of frequencies and subsamples.

    Attributes
    ----------
    features_ : transformer
        The fitted feature map.
    moments_ : Moments or None
        Sufficient statistics of all rows seen: D x D numbers in float64. None after an iterative fit.
    alpha_ : float
    coef_ : array of shape (D,) or (n_targets, D)
    intercept_ : float or array of shape (n_targets,)
    noise_variance_ : float or array of shape (n_targets,)
        At its maximum likelihood for alpha="evidence" or a number; for "gcv" and "loo", such that the mean predictive
        variance is the GCV estimate of the squared error.
    log_marginal_likelihood_ : float
        At `alpha_`, with the noise variance at its maximum; summed over targets.
    dof_ : float
        Effective degrees of freedom.
    path_ : RidgePath or None
        Criteria along the penalties that were tried.
    loo_errors_ : array or None
        Mean squared leave-one-out error of each penalty, for alpha="loo".
    solver_ : str
        The solver that was used.
    n_iter_ : int
        Its iterations; 1 for the direct solver.
    residuals_ : array of shape (n_iterations + 1, n_targets) or None
        Relative residuals before every iteration and after the last one, of the iterative solver.
    condition_ : tuple of float or None
        Condition number of the equations, at most, and of the preconditioned ones, at least, of the iterative solver.
    spread_ : PredictiveSpread or LowRankSpread
        What the error bars come from.
    width_curve_ : WidthCurve or None
        The widths that were tried for n_components="auto", their errors on held-out rows, and why the search ended.
    tuning_ : Tuning or None
        What was learned of kernel and scales, if anything was.
    precision_ : dtype
        Float type of the products. float64 for float32 rows if the best penalty was below the rounding errors of
        float32 products, as targets without noise want it: the pass was then made again.
    seed_ : int
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import KernelRegressor
    >>> X = np.random.default_rng(0).uniform(-3, 3, (2000, 1))
    >>> y = np.sin(2 * X[:, 0]) + 0.1 * np.random.default_rng(1).standard_normal(2000)
    >>> model = KernelRegressor(random_state=0).fit(X, y)
    >>> round(model.score(X, y), 2)
    0.98
    >>> mean, std = model.predict([[0.5]], return_std=True)
    >>> bool(abs(mean[0] - np.sin(1.0)) < 2 * std[0])
    True
    """

    checkpoint: Any
    moments_: Any
    _solution: RidgeSolution | None
    _scores: ConformalScores | None
    _row_dtype: np.dtype[Any]
    _identity_of_rows: RowIdentity
    width_curve_: WidthCurve | None

    _parameter_constraints: dict[str, list[Any]] = {
        **KernelModel._parameter_constraints,
        "alpha": [Interval(Real, 0, None, closed="left"), StrOptions({"gcv", "evidence", "loo"})],
        "alphas": ["array-like", None],
        "solver": [StrOptions({"auto", "direct", "iterative"})],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither"), None],
        "fit_intercept": ["boolean"],
        "interval": [StrOptions({"normal", "conformal"})],
        "checkpoint": [str, PathLike, None],
    }

    def __init__(
        self,
        kernel: str | Stationary = "gaussian",
        *,
        features: Any = None,
        n_components: int | str = "auto",
        alpha: float | str = "gcv",
        alphas: Any = None,
        length_scale: Any = "auto",
        solver: str = "auto",
        tol: float = 1e-6,
        max_iter: int = 200,
        validation_fraction: float | None = None,
        fit_intercept: bool = True,
        interval: str = "normal",
        sampling: Any = "monte_carlo",
        checkpoint: Any = None,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.features = features
        self.n_components = n_components
        self.alpha = alpha
        self.alphas = alphas
        self.length_scale = length_scale
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.validation_fraction = validation_fraction
        self.fit_intercept = fit_intercept
        self.interval = interval
        self.sampling = sampling
        self.checkpoint = checkpoint
        self.random_state = random_state

    @with_callbacks
    @validated
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the model in one pass over the rows; many with the iterative solver.

        Two for alpha="loo", or where float32 does not do (`precision_`); one for the new columns of every width that
        n_components="auto" tries.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), a scan, or a Dask array or data frame
            float32 is computed in float32 and summed in float64. Memory maps are read block by block, and so are the
            files of `scan_parquet` and its siblings, which bring targets and weights with them. Dask collections are
            worked on by the current `distributed.Client`.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), default=None
            A weight of 2 counts a row twice, 0 removes it.

        Returns
        -------
        self
        """
        rows = self._validated_rows(X, y, sample_weight, reset=True)
        self.solver_ = solver_for(self, rows)
        iterative = self.solver_ == "iterative"
        self._announce_passes(rows, self.max_iter if iterative else 2 if self.alpha == "loo" else 1)
        file, checkpoint = self._opened_checkpoint(rows)
        self._choose_seed(file)
        rows, held = calibration_split(rows, self.seed_) if self.interval == "conformal" else (rows, None)
        self._begin(rows)
        if iterative:
            self._solution = fit_iteratively(self, rows, file)
            self._identity_of_rows = identity_of_fit(self, rows)
        else:
            self._fit_all(rows, checkpoint)
        if held is not None:
            mean, std = self.predict(held.X, return_std=True)
            self._scores = ConformalScores.of(held.targets()[0], *(self._columns(part) for part in (mean, std)))
        return self

    @available_if(_streams)
    @with_callbacks
    @validated
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Add rows to the model. Any split of the rows gives the model that `fit` gives on all of them, to rounding.

        What depends on the data beyond the moments, `length_scale="auto"` and `n_components="auto"`, is settled by
        the first block; give them to have them equal those of `fit`. The equations are solved when they are needed.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.

        Returns
        -------
        self
        """
        first = not hasattr(self, "moments_")
        if not first and self.moments_ is None:
            raise InvalidDataError(
                "partial_fit cannot add rows to a model of the iterative solver: it keeps no moments of the rows "
                "before. Fit with solver='direct'."
            )
        rows = self._validated_rows(X, y, sample_weight, reset=first)
        if first:
            self.solver_ = "direct"
            self._choose_seed()
            self._begin(rows)
            self._warn_of_first_block(rows.n_rows)
        elif rows.n_targets != len(self.moments_.y_mean):
            raise InvalidDataError(f"y must have {len(self.moments_.y_mean)} targets as before. Got {rows.n_targets}.")
        self._add(rows)
        self._solution = None
        return self

    def predict(self, X: Any, return_std: bool = False, return_interval: float | None = None) -> Any:
        """Predict targets; if asked for, also their standard deviations and intervals.

            mean = b + z.w,    std^2 = sigma^2 (1 + (z - zbar)'(G + alpha I)^-1 (z - zbar) + 1/n)

        the last term for an intercept: the predictive law of a new observation, noise included. With landmarks there is
        a term for what they do not see (`NystroemMap.unseen_variance`). An interval is
        mean +- s std, with s from the normal law or from held-out rows (`interval`).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        return_std : bool, default=False
        return_interval : float, default=None
            Probability with which an interval is to hold its target, such as 0.9.

        Returns
        -------
        mean : array of shape (n_samples,) or (n_samples, n_targets)
        std : array of the same shape, if `return_std`
        interval : tuple (low, high) of arrays of the same shape, if `return_interval`
        """
        solution = self._solved()
        mean = linear_predictions(self, X, self._map(), solution.coef, solution.intercept, self.precision_)
        mean = mean[:, 0] if self._flat_target else mean
        if not return_std and return_interval is None:
            return mean
        std = over_rows(self, X, self._standard_deviation)
        parts: list[Any] = [mean, *([std] if return_std else [])]
        if return_interval is not None:
            half = (std * self._interval_factor(return_interval)).astype(std.dtype)
            parts.append((mean - half, mean + half))
        return tuple(parts)

    # The steps of a fit, in their order.

    def _auto_learns(self) -> bool:
        """At a given penalty the scale is the best one for it."""
        return True

    def _validated_rows(self, X: Any, y: Any, sample_weight: Any, *, reset: bool) -> RowSource:
        rows, y = rows_to_fit(self, X, y, sample_weight, reset=reset, multi_output=True, y_numeric=True)
        if reset:
            self._flat_target = rows.n_targets == 1 if y is None else y.ndim == 1
        if self.features == "nystroem" and isinstance(rows, ArrayRows):
            return replace(rows, dtype=np.dtype(np.float64))  # as its features: penalties below float32 are common
        return rows

    def _opened_checkpoint(self, rows: RowSource) -> tuple[CheckpointFile | None, MomentsCheckpoint | None]:
        """The checkpoint of this fit, with what an earlier run of it left there, and its moments, if it has some."""
        if self.checkpoint is None:
            return None, None
        identity = {"solver": self.solver_, **self._identity(rows)}
        if self.solver_ == "direct":
            moments = MomentsCheckpoint(CheckpointFile(self.checkpoint, identity))
            return moments.file, moments
        names = ("alpha", "alphas", "fit_intercept", "tol", "validation_fraction")
        identity |= {name: repr(getattr(self, name)) for name in names}
        file = CheckpointFile(self.checkpoint, {**identity, "checksum of the rows": rows_checksum(rows)})
        file.load()  # its notes have the seed
        return file, None

    def _begin(self, rows: RowSource) -> None:
        """Settle everything that must be known before the first row."""
        self._scores, self._row_dtype, self.width_curve_ = None, rows.dtype, None
        self._choose_features(rows)
        direct = self.solver_ == "direct"
        self.moments_ = Moments.empty(self._map().n_components, rows.n_targets) if direct else None
        self._solution = None  # an interrupted fit leaves the model of the rows it has seen

    def _fit_all(self, rows: RowSource, checkpoint: MomentsCheckpoint | None) -> None:
        """One pass and the solution; both again in float64 if float32 products cannot carry the best penalty."""
        plan = None
        if isinstance(rows, ArrayRows) and widens(self, rows):
            fit_widening(self, rows)
        else:
            plan = self._add(rows, checkpoint)
        self._solution = self._solve(rows, plan)
        if self._solution.at_floor and self.precision_ == np.float32 and isinstance(rows, ArrayRows):
            self._fit_again(replace(rows, dtype=np.dtype(np.float64)))
        self._warn_if_raised()

    def _fit_again(self, rows: ArrayRows) -> None:
        """The fit in float64, if there is memory for it. Callbacks have seen their pass."""
        single = self.moments_
        self.moments_ = Moments.empty(self._map().n_components, rows.n_targets)
        try:
            plan = self._planned(rows)
        except MemoryBudgetError:
            self.moments_ = single
            return
        accumulate(rows, self._map(), self.moments_, plan)
        self._solution = self._solve(rows, plan)

    def _add(self, rows: RowSource, checkpoint: MomentsCheckpoint | None = None) -> PassPlan:
        """One pass: add the moments of the rows."""
        plan = self._planned(rows, checkpoint)
        on_block, finish = progress(
            self, rows.n_blocks(plan.block_rows), getattr(rows, "X", None), getattr(rows, "Y", None)
        )
        accumulate(rows, self._map(), self.moments_, plan, on_block=on_block, checkpoint=checkpoint)
        finish()
        if not self.moments_.weight > 0:
            raise InvalidDataError("The sum of sample_weight must be positive. Got 0.")
        return plan

    def _planned(self, rows: RowSource, checkpoint: MomentsCheckpoint | None = None) -> PassPlan:
        """How the pass is cut, within the memory budget."""
        plan, bill = direct_bill(rows, self._map())
        if checkpoint is not None:
            checkpoint.restore(self.moments_)
            plan = replace(plan, block_rows=checkpoint.block_rows or plan.block_rows)
        D = self._map().n_components
        require_memory(bill, f"Lower n_components (now {D}), or raise the budget with bochner.set_config(memory=...).")
        return plan

    def _solve(self, rows: RowSource | None = None, plan: PassPlan | None = None) -> RidgeSolution:
        """Choose the penalty and solve."""

        def leave_one_out(solver: Any, alphas: Array) -> Array:
            errors: Array = solver.leave_one_out(rows, self._map(), plan, self.moments_, alphas)
            return errors

        return solve_ridge(
            self.moments_,
            fit_intercept=self.fit_intercept,
            alpha=self.alpha,
            alphas=None if self.alphas is None else check_penalties(self, self.alphas),
            leave_one_out=leave_one_out,
        )

    def _warn_if_raised(self) -> None:
        solution = self._solved()
        if solution.raised:
            warnings.warn(
                f"The equations are singular to working precision at alpha={self.alpha!r}; alpha={solution.alpha:.3g} "
                "was used instead. Choose a larger alpha, fewer features, or float64 input.",
                IllConditionedWarning,
                stacklevel=5,
            )

    def _solved(self) -> RidgeSolution:
        check_is_fitted(self)
        if self._solution is None:
            self._solution = self._solve()
            self._warn_if_raised()
        return self._solution

    def _standard_deviation(self, X: Any) -> Array:
        solution, dtype = self._solved(), np.promote_types(X.dtype, self.precision_)
        starts = range(0, X.shape[0], _SPREAD_ROWS)
        parts = [self._spread_at(X[i : i + _SPREAD_ROWS], dtype) for i in starts]
        std = np.sqrt(solution.noise_variance * np.concatenate(parts)[:, None]).astype(X.dtype)
        return std[:, 0] if self._flat_target else std

    def _spread_at(self, X: Any, dtype: np.dtype[Any]) -> Array:
        """Variances of predictions in units of the noise variance."""
        feature_map = self._map()
        Z = transform(feature_map, X, dtype)
        if not isinstance(feature_map, NystroemMap):
            return self.spread_.of(Z)
        return self.spread_.of(Z) + feature_map.unseen_variance(X, Z, self.alpha_)

    def _interval_factor(self, level: float) -> Any:
        """Half the width of an interval in standard deviations."""
        if isinstance(level, bool) or not 0 < level < 1:
            raise invalid_parameter("predict", "return_interval", "a probability between 0 and 1", level)
        scores = getattr(self, "_scores", None)  # older files have none
        if scores is None:
            return normal_factor(level)
        factor = scores.factor(level)
        return factor[0] if self._flat_target else factor

    def _columns(self, values: Array) -> Array:
        """Values in the shape of the target as columns, (n, k)."""
        return values[:, None] if self._flat_target else values
