"""Kernel ridge regression: the exact kernel machine, landmarks, random features or a grid of frequencies."""

from __future__ import annotations

from functools import partial
from numbers import Integral, Real
from os import PathLike
from typing import Any, Self

from sklearn.base import MultiOutputMixin, RegressorMixin

from bochner._random import resolve_seed
from bochner._sklearn import HasMethods, Interval, StrOptions, available_if, fit_method, validated, with_callbacks
from bochner._typing import ArrayLike, Constraints, FilePath, MatrixLike, Seed, Transformer
from bochner.data import RowSource, counted_once
from bochner.errors import invalid_parameter
from bochner.estimators.certified_ridge import CertifiedRidge
from bochner.estimators.grid_choice import ChoosesGrid
from bochner.estimators.kernel_model import MODEL_CONSTRAINTS, seed_of_fit
from bochner.estimators.levels import mixtures_of_levels
from bochner.estimators.posterior import PosteriorFunctions
from bochner.estimators.ranges import warn_of_far_predictions
from bochner.estimators.ridge_rows import (
    needs_random_features,
    open_checkpoint,
    passes_of,
    ridge_rows,
    ridge_settings,
    solver_for,
    solver_of_rows_to_come,
)
from bochner.estimators.rows import linear_predictions, over_rows
from bochner.estimators.watch import CallbackWatch, warn_of_ridge, warn_of_rows
from bochner.fitting import FittedRidge, add_rows, fit_ridge, require_moments
from bochner.kernels import Stationary
from bochner.sampling import Sampler
from bochner.solvers import RidgeSolver
from bochner.statistics import identify
from bochner.tuning import RidgeScales, ScaleLearner

__all__ = ["KernelRegressor"]

_CONSTRAINTS: Constraints = {
    **MODEL_CONSTRAINTS,
    "features": [HasMethods(["fit", "transform"]), StrOptions({"auto", "fourier", "nystroem", "exact", "grid"}), None],
    "alpha": [Interval(Real, 0, None, closed="left"), StrOptions({"auto", "gcv", "evidence", "loo"})],
    "alphas": ["array-like", None],
    "solver": [StrOptions({"auto", "direct", "iterative"}), RidgeSolver],
    "tol": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "validation_fraction": [Interval(Real, 0, 1, closed="neither"), None],
    "fit_intercept": ["boolean"],
    "interval": [StrOptions({"auto", "normal", "conformal"})],
    "noise": [StrOptions({"constant", "learned"})],
    "checkpoint": [str, PathLike, None],
}


def _streams(self: KernelRegressor) -> bool:
    """Whether partial_fit is available: leave-one-out, products and held-out rows need all rows at once."""
    if self.asks_for_exact and not hasattr(self, "fitted_"):
        raise AttributeError("partial_fit adds rows to an exact kernel machine that is fitted. Call fit first.")
    if self.alpha == "loo":
        raise AttributeError("partial_fit is not available with alpha='loo': use 'gcv', 'evidence' or a number.")
    if self.solver == "iterative" if isinstance(self.solver, str) else self.solver.needs != "moments":
        raise AttributeError(f"partial_fit is not available with solver={self.solver!r}, which keeps no moments.")
    if self.interval == "conformal":
        raise AttributeError("partial_fit is not available with interval='conformal': use 'normal'.")
    if self.noise == "learned":
        raise AttributeError("partial_fit is not available with noise='learned': rows that have gone have no errors.")
    return True


class KernelRegressor(MultiOutputMixin, RegressorMixin, CertifiedRidge, PosteriorFunctions, ChoosesGrid):
    """Kernel ridge regression at scale.

        minimise_f,w_0  sum_i s_i (y_i - w_0 - f(x_i))^2 + alpha ||f||^2

    over the functions f of a kernel, or f(x) = z(x).w on features z with z(x).z(y) close to the kernel. By default, up
    to 10,000 rows, it is the exact kernel machine by a Cholesky factor (O(n^3) time, 8 n^2 bytes), or 256 landmarks
    where these predict as well; of more rows in memory more landmarks, the exact machine by iterations up to 64,000, or
    a grid for few columns; for rows that are not in memory, random features (O(n D^2) time, O(D^2) memory). Where it
    hardly has skill, it is ridge regression, if that predicts rows that were left out as well. As a Gaussian process,
    or a Bayesian linear model (w normal, noise normal), it has error bars and a marginal likelihood.

    Parameters
    ----------
    kernel : str or Kernel, default=None
        A kernel, or its name in lower case. "auto": the Gaussian or Matern kernel (nu = 1/2, 3/2, 5/2) of the largest
        evidence. None: Gaussian; with features="auto", whichever predicts rows best that it has not seen. One that is
        not stationary has its own features, `n_components` of them (1024), or 3 a column of an additive kernel.
    features : {"auto", "fourier", "nystroem", "exact", "grid"} or transformer, default="auto"
        "fourier" or None: random Fourier features, `FourierFeatures(kernel, ...)`. "nystroem": kernel values against
        landmarks, `NystroemFeatures(kernel, ...)`, in float64, which go to zero away from the data: more costly, far
        more accurate for rough kernels and little noise. "exact": kernel ridge regression on all rows, by a Cholesky
        factor (8 n^2 bytes) up to 10,000, else by conjugate gradients in tiles. "grid": `GridFeatures` for up to three
        columns, any number of rows (at most `n_components` frequencies; needs finufft). "auto": landmarks for
        dense rows in memory, or the exact machine if that is better; beyond 10,000 rows of one column, and 100,000 of
        two or three, a grid if there can be one; else, and as other parameters may ask for, random features. A
        transformer: its own.
    n_components : int or "auto", default="auto"
        Number of features D. "auto": 256, 512, 1024, ... random features until rows that are held out see no gain, or
        the budget ends (`width_curve_`); of features="auto" 256 landmarks, then all rows, or 1024 and 2048 landmarks of
        more than 10,000, until leave-one-out errors see none. Where that cannot be, sqrt(n) log n from 256 to 4096:
        below 2,000 rows, not in memory or a memory map, `partial_fit`, alpha="loo", solver="iterative",
        sampling="leverage", random features with a checkpoint.
    alpha : {"auto", "loo", "evidence", "gcv"} or float, default="auto"
        The penalty, as in scikit-learn's `Ridge` (not divided by n; the theory's lambda is alpha / n), or how to choose
        it: "auto" by exact leave-one-out errors of up to 4,000 rows, "loo" of all; by the marginal likelihood or
        generalised cross-validation. "auto" is "evidence" for `partial_fit` and rows that can be read only once, "gcv"
        with the iterative solver.
    alphas : array-like, default=None
        Penalties to choose from. None: 25 or more, from the rounding floor of the moments up to their trace or beyond.
    length_scale : "auto", "ard", "metric", "median", float or array of shape (n_features,), default="auto"
        "auto": one scale, learned by the evidence of a narrow map on a subsample (`bochner.tuning`); that of the
        kernel if it is one. With features="auto": one scale in units of the columns' spreads, one per column or a
        metric, of the columns or of their normal scores (`WarpedFeatures`), whichever predicts rows best that it has
        not seen. "ard": one per feature, by evidence. "metric": a matrix, from gradients. "median": the median distance
        between rows. Frequencies that learn are not those of the model: certificates hold as they are.
    solver : {"auto", "direct", "iterative"} or RidgeSolver, default="auto"
        "direct" forms the D x D moments in one pass. "iterative" makes many passes of conjugate gradients and holds no
        such matrix: for wide maps, beyond some 8,000 features. It has no evidence, and its error bars and degrees of
        freedom are estimates. "auto": whichever the cost model and the memory budget say; up to 4,096 features, and for
        rows that are read only once, "direct".
    tol : "auto" or float, default="auto"
        Of the iterative solver: residual of the normal equations relative to their right side, "auto" 1e-6. With
        features="exact" a promised distance to the exact machine, relative to centred targets; "auto" is 1e-4 there,
        as with "nystroem".
    max_iter : int, default=200
        Of the iterative solver.
    validation_fraction : float or None, default=None
        Of the iterative solver: share of rows (4,096 at most) that are left out, and end it when their error settles.
    fit_intercept : bool, default=True
    interval : {"auto", "normal", "conformal"}, default="auto"
        Calibration of `predict(X, return_interval=...)`: by the normal law of `return_std`; by a tenth of the rows (at
        most 2,000), held out, for distribution-free coverage; "auto": by leave-one-out errors with alpha="auto".
    noise : {"constant", "learned"}, default="constant"
        "learned": `return_std` and intervals widen where noise does, by a second model, of squared left-out errors.
    sampling : str or Sampler, default="monte_carlo"
        As in `FourierFeatures`.
    checkpoint : str or Path, default=None
        File from which a killed fit goes on, to the same model; parameters and rows that are not the same are refused.
    random_state : int, RandomState, Generator or None, default=None
        Seed of frequencies and subsamples.

    Attributes
    ----------
    fitted_ : FittedRidge
        The fit as a value; the other attributes are read from it.
    features_ : transformer
        The fitted features; `feature_map_` is their map.
    is_exact : bool
        Whether the fitted model is the exact kernel machine.
    moments_ : Moments or None
        Sufficient statistics of all rows seen: D x D numbers in float64. None after an iterative fit.
    alpha_ : float
    coef_ : array of shape (D,) or (n_targets, D)
    intercept_ : float or array of shape (n_targets,)
    noise_variance_ : float or array of shape (n_targets,)
        At its maximum likelihood for "evidence" or a number; else as GCV ("gcv", "loo") or leave-one-out errors ask.
    log_marginal_likelihood_ : float
        At `alpha_`, with the noise variance at its maximum; summed over targets. Of a grid it is an estimate with the
        standard error `log_marginal_likelihood_error_`, beyond 131,072 frequencies only for alpha="evidence".
    dof_ : float
        Effective degrees of freedom; `path_` has them, and the criteria, along the penalties that were tried.
    loo_errors_ : array or None
        Mean squared leave-one-out error of each penalty, for alpha="loo".
    solver_ : str
        The solver that was used; `n_iter_` its iterations, 1 for the direct one.
    residuals_ : array of shape (n_iterations + 1, n_targets) or None
        Relative residuals before every iteration and after the last one, of the iterative solver.
    condition_ : tuple of float or None
        Condition number of the equations, at most, and of the preconditioned ones, at least, of the iterative solver.
    spread_ : what the error bars come from
    width_curve_ : WidthCurve or None
        The widths that were tried for n_components="auto", their errors on held-out rows, and why the search ended.
    tuning_ : Tuning or None
        How kernel and scales were learned, if they were.
    metric_, feature_importances_, feature_importances_std_ : arrays (d, d), (d,) and (d,)
        Of the kernel's distance; shares of columns in mean squared gradients, in units of their spreads; error bars.
    target_ranges_ : array of shape (2, n_targets) or None
        Least and largest targets of rows in memory; predictions far outside warn.
    precision_ : dtype
        Float type of the products: float64 for float32 rows if float32 is too imprecise for the best penalty.
    seed_, n_features_in_, feature_names_in_ : int, int and array of shape (n_features,)

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import KernelRegressor
    >>> X = np.random.default_rng(0).uniform(-3, 3, (800, 1))
    >>> y = np.sin(2 * X[:, 0]) + 0.1 * np.random.default_rng(1).standard_normal(800)
    >>> model = KernelRegressor(random_state=0).fit(X, y)
    >>> round(model.score(X, y), 2)
    0.98
    """

    _parameter_constraints: Constraints = _CONSTRAINTS

    def __init__(
        self,
        kernel: str | Stationary | None = None,
        *,
        features: Transformer | str | None = "auto",
        n_components: int | str = "auto",
        alpha: float | str = "auto",
        alphas: ArrayLike | None = None,
        length_scale: str | float | ArrayLike = "auto",
        solver: str | RidgeSolver = "auto",
        tol: float | str = "auto",
        max_iter: int = 200,
        validation_fraction: float | None = None,
        fit_intercept: bool = True,
        interval: str = "auto",
        noise: str = "constant",
        sampling: str | Sampler = "monte_carlo",
        checkpoint: FilePath | None = None,
        random_state: Seed = None,
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
        self.noise = noise
        self.sampling = sampling
        self.checkpoint = checkpoint
        self.random_state = random_state

    @fit_method
    def fit(self, X: MatrixLike, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model. Rows that are not in memory are read once or a few times; often by the iterative solver.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), a scan, or a Dask array or data frame
            float32 is computed in float32 and summed in float64. Memory maps and the files of `scan_parquet` and its
            siblings, which bring targets and weights with them, are read block by block. Dask collections are worked on
            by the current `distributed.Client`.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), default=None
            Inverse variances of noise, or counts: 2 is a row given twice, 0 is none; alpha="auto" ignores their unit.

        Returns
        -------
        self
        """
        rows, self._flat_target = ridge_rows(self, X, y, sample_weight, reset=True)
        solver = solver_for(self, rows)
        self._announce_passes(rows, *passes_of(self, solver, rows))
        checkpoint = open_checkpoint(self, solver, rows)
        self.seed_ = seed_of_fit(self.random_state, checkpoint)
        clusters = None if checkpoint is not None else self.without_near_copies(rows, self.seed_)
        given = rows if clusters is None else clusters.rows
        rows = self._counted_once(given)
        settings, watch = ridge_settings(self, solver, rows), CallbackWatch(self, rows)
        fit = fit_ridge(rows, settings, watch=watch, checkpoint=checkpoint, publish=self._store)
        fit = fit if rows is given else fit.of_rows(identify(given))
        self._store(fit if clusters is None else fit.with_more_noise(clusters.within))
        warn_of_rows(rows, 4, self.alpha)
        warn_of_ridge(self.fitted_, stacklevel=4)
        return self

    @available_if(_streams)
    @with_callbacks
    @validated
    def partial_fit(self, X: MatrixLike, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Add rows to the model. Any split of the rows gives the model that `fit` gives on all of them, to rounding.

        `length_scale="auto"` and `n_components="auto"` are chosen by the first block, and alpha="auto" is "evidence",
        since rows that have gone cannot be left out; give all three to have those of `fit`. Parameters are as there. An
        exact machine has its rows, and is solved anew with more of them at its scales and penalty.
        """
        fit = getattr(self, "fitted_", None)
        if fit is not None:
            require_moments(fit)
        rows, flat = ridge_rows(self, X, y, sample_weight, reset=fit is None)
        if fit is None:
            self.seed_, self._flat_target = resolve_seed(self.random_state), flat
        solver = solver_of_rows_to_come(self)
        watch = CallbackWatch(self, rows)
        self._store(add_rows(fit, rows, ridge_settings(self, solver, None), watch=watch, publish=self._store))
        if fit is None:
            self._warn_of_first_block(rows.n_rows)
        return self

    def predict(self, X: MatrixLike, return_std: bool = False, return_interval: float | None = None) -> Any:
        """Predict targets; if asked for, also their standard deviations and intervals, in one pass over the rows.

            mean = w_0 + z.w,    std^2 = sigma^2 (1 + (z - zbar)'(G + alpha I)^-1 (z - zbar) + 1/n)

        the last term for an intercept: the predictive law of a new observation, noise included. With landmarks there is
        a term for their residual variance (`NystroemMap.unseen_variance`). An interval is mean +- s std, with s from
        the normal law or from calibration rows (`interval`). A row between levels of a category is their mixture.

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
        fit, levels = self._fit_value(), getattr(self, "level_columns_", None)
        if not return_std and return_interval is None:
            means = linear_predictions(self, X, fit.response(), levels=levels)
            warn_of_far_predictions(self, means)
            return self._targets(means)
        if return_interval is not None and (isinstance(return_interval, bool) or not 0 < return_interval < 1):
            raise invalid_parameter("predict", "return_interval", "a probability between 0 and 1", return_interval)
        answers = partial(fit.means_and_deviations, n_arrays=2 if return_interval is None else 5)
        means, deviations = over_rows(self, X, answers, levels, mixtures_of_levels)
        warn_of_far_predictions(self, means)
        mean, std = self._targets(means), self._targets(deviations)
        parts: list[Any] = [mean, std] if return_std else [mean]
        if return_interval is not None:
            half = self._targets(fit.half_widths(std.reshape(len(std), -1), return_interval))
            parts.append((mean - half, mean + half))
        return tuple(parts)

    def _counted_once(self, rows: RowSource) -> RowSource:
        """Rows with exact copies as weights, where features and penalty are chosen by left-out rows."""
        known = rows.arrays if self._leaves_all_open(rows) else None
        return rows if known is None else counted_once(known)

    def _scale_learner(self, landmarks: bool) -> ScaleLearner:
        return RidgeScales.for_alpha(self.alpha, exact=landmarks)

    @property
    def _asks_for_fourier(self) -> bool:  # and what only random features have
        return super()._asks_for_fourier or needs_random_features(self)

    def _store(self, fit: FittedRidge) -> None:
        self.fitted_ = fit
