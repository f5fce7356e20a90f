"""Feature maps as scikit-learn transformers."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Self

from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from bochner._random import resolve_seed
from bochner._sklearn import SEED_RULE, Interval, StrOptions, refuse_lazy, validated
from bochner._typing import Constraints, JsonDict, Rows
from bochner.errors import AssumptionError, invalid_parameter
from bochner.estimators.certification import MapCertifier, certify_map
from bochner.estimators.map_transformer import CertificateContext, MapTransformer, kernel_of_data
from bochner.estimators.validation import validated_rows
from bochner.features import FourierMap, FourierRecipe, fourier_map, n_frequencies
from bochner.features.fourier import Embedding
from bochner.kernels import Gaussian, Stationary
from bochner.memory import MemoryBill, require_memory
from bochner.sampling import SAMPLERS, Pilot, Sampler, resolve_sampler
from bochner.sampling.pilot import PilotRecord
from bochner.statistics.kernel_product import ExactKernel
from bochner.theory import Certificate, finite_set
from bochner.theory.bounded import BoundedFeatures

__all__ = ["SAMPLING_RULE", "FourierFeatures"]

SAMPLING_RULE: list[Any] = [StrOptions(set(SAMPLERS)), Sampler]
"""What `sampling` may be."""


class FourierFeatures(MapTransformer):
    """Random Fourier features of a stationary kernel: z(x).z(y) estimates k(x, y).

        paired:  z(x) = sqrt(k(0)/m) [cos(omega_1 . x), ..., cos(omega_m . x), sin(omega_1 . x), ...],   D = 2m
        phase:   z(x) = sqrt(2 k(0)/m) [cos(omega_1 . x + b_1), ..., cos(omega_m . x + b_m)],            D = m

    with omega_i from the spectral measure of the kernel and b_i uniform on [0, 2 pi]. The paired embedding has the
    lower variance at equal width for the kernels of practice, and z(x).z(x) = k(0) exactly.

    Parameters
    ----------
    kernel : Stationary or str, default=None
        The kernel. A name is that of a kernel in lower case, such as "matern", or "rbf"; None is "gaussian". A kernel
        keeps its own length scale; that of a name is the data's: for each column its spread, times the median distance
        between rows in units of these, from up to 1,000 rows. `kernel_` shows it.
    n_components : int or "auto", default=1024
        Output width D. "auto": the width for which all kernel values between rows of X are within `eps` with
        probability 1 - `delta`, by the bound for a finite set.
        With the paired embedding and an odd width, the last frequency has a phase instead of a sine.
    embedding : {"paired", "phase"}, default="paired"
        Which embedding.
    sampling : {"monte_carlo", "orthogonal", "qmc", "leverage", "quadrature"} or Sampler, default="monte_carlo"
        How the frequencies are drawn. "leverage" looks at a pilot of the rows (`Leverage`): fewer features for the same
        spectral error, at the price of the pilot's time. "quadrature": equispaced ones for the box of the rows, for one
        to three columns (`Quadrature`).
    eps : float, default=None
        Largest kernel error allowed, for n_components="auto".
    delta : float, default=0.01
        Probability that it is exceeded, for n_components="auto".
    gamma : float or "scale", default=None
        As in `RBFSampler`: the Gaussian kernel exp(-gamma ||x - y||^2), in place of `kernel`; "scale" is
        1 / (n_features * X.var()).
    random_state : int, RandomState, Generator or None, default=None
        Seed of the frequencies. The same seed gives the same frequencies, and a wider Monte Carlo or QMC map begins
        with the frequencies of the narrower one.

    Attributes
    ----------
    kernel_ : Stationary
        The kernel that was used.
    map_ : FourierMap
        Frequencies `omega` (m, d), amplitudes and phases.
    seed_ : int
        The seed that was used.
    pilot_ : PilotRecord or None
        What a data-dependent sampler saw, chose and spent; None for the others.
    n_components_ : int
        Output width.
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)

    References
    ----------
    Rahimi & Recht (2007), Random features for large-scale kernel machines.
    Sutherland & Schneider (2015), On the error of random Fourier features, eqs (1) and (2).

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import FourierFeatures, Gaussian
    >>> X = np.random.default_rng(0).standard_normal((5, 3))
    >>> Z = FourierFeatures(Gaussian(length_scale=2.0), n_components=4096, random_state=0).fit_transform(X)
    >>> bool(np.abs(Z @ Z.T - Gaussian(length_scale=2.0)(X)).max() < 0.05)
    True
    """

    _parameter_constraints: Constraints = {
        "kernel": [Stationary, str, None],
        "n_components": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "embedding": [StrOptions({"paired", "phase"})],
        "sampling": SAMPLING_RULE,
        "eps": [Interval(Real, 0, None, closed="neither"), None],
        "delta": [Interval(Real, 0, 1, closed="neither")],
        "gamma": [Interval(Real, 0, None, closed="neither"), StrOptions({"scale"}), None],
        "random_state": SEED_RULE,
    }

    def __init__(
        self,
        kernel: Stationary | str | None = None,
        *,
        n_components: int | str = 1024,
        embedding: str = "paired",
        sampling: str | Sampler = "monte_carlo",
        eps: float | None = None,
        delta: float = 0.01,
        gamma: float | str | None = None,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.n_components = n_components
        self.embedding = embedding
        self.sampling = sampling
        self.eps = eps
        self.delta = delta
        self.gamma = gamma
        self.random_state = random_state

    @validated
    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw the frequencies. Of X only the width matters to a kernel with its own scale, unless sampling="leverage".

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
        self.kernel_ = self._scaled_kernel(X)
        width = self._width(X.shape[0])
        self.map_: FourierMap
        self.map_, self.pilot_ = self._drawn(X, width)
        return self

    def certify(  # type: ignore[override]  # a priori bounds ask for more than the base
        self, X: Any, *, delta: float = 0.01, independent: bool = True
    ) -> Certificate:
        """Certificate of the error of the kernel estimates between rows of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows to certify. Up to 4,000 of them the largest error is computed; beyond, it is bounded.
        delta : float, default=0.01
            Failure probability of the statements that have one.
        independent : bool, default=True
            Whether the frequencies were drawn independently of the rows and of any tuning. If a bandwidth was chosen,
            or a seed redrawn, by looking at results with these frequencies, say False: a priori bounds are then void,
            and only what can be computed is certified. The data's own scale, of a kernel by name, is no such choice: it
            is settled by the rows of the fit before a frequency is drawn, so that bounds hold given these rows.
            Limits from sampled pairs, which speak of the law of the data, then need rows other than those of fit, and
            say so.

        Returns
        -------
        certificate : Certificate
            The tightest bound on the largest error over all pairs of rows. Its `others` hold the a priori bounds, the
            bound over the whole domain, and limits on mean and quantiles from sampled pairs.
        """
        check_is_fitted(self)
        X = validated_rows(self, X, reset=False)
        return self.certify_kernel(X, delta, CertificateContext(independent=independent))

    def exact_kernel(self) -> ExactKernel:
        return ExactKernel(self.kernel_)

    def certify_kernel(self, X: Any, delta: float, context: CertificateContext) -> Certificate:
        return certify_map(self._certifier(context), X, delta)

    @property
    def independent_setting(self) -> JsonDict | None:
        independent = resolve_sampler(self.sampling).independent
        return {"kernel": self.kernel_, "embedding": self.embedding} if independent else None

    def bounded_features(self, X: Any) -> BoundedFeatures:
        check_is_fitted(self)
        refusal = self._certifier(CertificateContext()).a_priori_refusal(blocks=False)
        if refusal is not None:
            raise AssumptionError(f"No bound by independent draws: {refusal}.")
        return super().bounded_features(X)

    def certify_rows_of_fit(self, n_rows: int, delta: float, context: CertificateContext) -> Certificate:
        certifier = self._certifier(context)
        found = list(certifier.a_priori(n_rows, delta, f"the {n_rows:,} training rows"))
        if not found:
            why = certifier.a_priori_refusal() or "the bound for orthogonal blocks is not below k(0) at this width"
            raise AssumptionError(f"Without X there is no certificate: {why}. Give rows.")
        return found[0]

    def _certifier(self, context: CertificateContext) -> MapCertifier:
        return MapCertifier(
            fourier=self.map_,
            kernel=self.kernel_,
            sampler=resolve_sampler(self.sampling),
            embedding=self.embedding,  # type: ignore[arg-type]
            seed=self.seed_,
            independent=context.independent,
            n_widths=context.n_widths,
            precision=context.precision,
            scale_is_of_rows=context.scale_is_of_rows or self.scale_is_of_rows,
            at_rows_of_fit=context.at_rows_of_fit,
        )

    def _drawn(self, X: Any, width: int) -> tuple[FourierMap, PilotRecord | None]:
        """Fourier map, and the pilot record of a data-dependent sampler."""
        sampler, d = resolve_sampler(self.sampling), X.shape[1]
        embedding: Embedding = self.embedding  # type: ignore[assignment]
        m = n_frequencies(width, embedding)
        size = 8 * m * d * (1 + self.kernel_.spectral_measure(d).n_vectors)
        require_memory(
            MemoryBill({"frequencies and what they are drawn from": size}), f"Lower n_components (now {width})."
        )
        if not sampler.uses_pilot:
            return FourierRecipe(self.kernel_, sampler, d, width, embedding, self.seed_).draw(), None
        bill = MemoryBill(sampler.memory(X.shape[0], m, d))
        require_memory(bill, f"Lower pool_size or pilot_rows of {type(sampler).__name__}, or n_components.")
        frequencies = sampler.draw(self.kernel_.spectral_measure(d), m, d, self.seed_, Pilot(X, self.kernel_))
        return fourier_map(frequencies, self.kernel_, n_components=width, seed=self.seed_), frequencies.pilot

    def _width(self, n_rows: int) -> int:
        if not isinstance(self.n_components, str):
            return self.n_components
        if self.eps is None:
            raise invalid_parameter(self, "eps", "a positive number when n_components='auto'", self.eps)
        sampler = resolve_sampler(self.sampling)
        if not sampler.independent:
            raise AssumptionError(
                f"n_components='auto' needs independent frequencies (sampling='monte_carlo'). Got {self.sampling!r}: "
                "choose n_components and check with certify."
            )
        setting = {"kernel": self.kernel_, "embedding": self.embedding, "eps": self.eps, "delta": self.delta}
        width = finite_set.features_needed(n_points=n_rows, **setting)  # type: ignore[arg-type]
        size = 8 * width * self.n_features_in_
        require_memory(
            MemoryBill({"frequencies": size}), f"eps={self.eps} needs {width:,} features: allow a larger eps."
        )
        return width

    @property
    def scale_is_open(self) -> bool:
        # Overrides: a kernel that is handed over has its own.
        return self.gamma is None and (self.kernel is None or isinstance(self.kernel, str))

    @property
    def scale_is_of_rows(self) -> bool:
        # Overrides: so it is by scikit-learn's rule.
        return self.scale_is_open or self.gamma == "scale"

    def with_one_scale(self, X: Rows, seed: int) -> Self:
        # Overrides: a named kernel has the scales of the data.
        if self.gamma is not None:
            return self
        return clone(self).set_params(kernel=kernel_of_data(self, self.kernel, X, seed, one_scale=True))

    def _scaled_kernel(self, X: Rows) -> Stationary:
        if self.gamma is None:
            return kernel_of_data(self, self.kernel, X, self.seed_)
        if self.kernel is not None:
            raise invalid_parameter(self, "gamma", "None when a kernel is given", self.gamma)
        return Gaussian(gamma=self.gamma).settled(X)
