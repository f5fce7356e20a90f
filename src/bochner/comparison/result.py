"""Result of a kernel test: statistic, p-value, null distribution and witness function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from bochner._typing import Array, MatrixLike, Transformer
from bochner.comparison.attribution import difference_in_words
from bochner.kernels import Stationary
from bochner.theory import Certificate

__all__ = ["ConditionalTestResult", "KernelTestResult"]


@dataclass(frozen=True)
class KernelTestResult:
    """The result of `mmd_test` or `hsic_test`.

    Attributes
    ----------
    statistic : float
        The observed statistic: the squared MMD or HSIC; with several kernels, their fused statistic, which has no unit.
    pvalue : float
        (1 + number of resampled statistics at least as large) / (1 + n_resamples): valid at any sample size.
    null_distribution : array of shape (n_resamples,)
        The resampled statistics.
    kernel : Stationary, a pair of them for `hsic_test`, or a transformer
        The kernel; of several, the one whose statistic stands out most. The fitted transformer, if `mmd_test` was given
        `features`: no kernel is known then.
    kernels : tuple of Stationary or transformer
        All kernels of the test.
    n_components : int or None
        Width of the features of each kernel; None: the exact kernel.
    certificate : Certificate or None
        Bound on the distance of the squared MMD or HSIC from its value with the exact kernel (at once for all
        kernels); None where there is none: frequencies that are not independent draws.
    block_rows : int
        Rows that were relabelled together.
    assumptions : tuple of str
        What the p-value rests on.
    columns : tuple of str
        Names of the columns of the samples of `mmd_test`; empty for `hsic_test`.
    """

    statistic: float
    pvalue: float
    null_distribution: Array = field(repr=False)
    kernel: Stationary | tuple[Stationary, Stationary] | Transformer
    kernels: tuple[Stationary | Transformer, ...] = field(repr=False)
    n_components: int | None
    certificate: Certificate | None = field(repr=False)
    block_rows: int
    assumptions: tuple[str, ...] = field(repr=False)
    _witness: Callable[[MatrixLike], Array] = field(repr=False)
    columns: tuple[str, ...] = field(default=(), repr=False)
    _shares: Callable[[Callable[[Array], Array]], Array] | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return self.summary()

    @cached_property
    def contributions(self) -> Array | None:
        """Share of every column in the difference of two samples, shape (d,), which add up to 1; None for `hsic_test`.

        The fall of the witness when a column of some hundred rows of the second sample comes from the first. It is an
        estimate without an error bar, and worth a look where the test rejects.
        """
        return None if self._shares is None else self._shares(self._witness)

    def summary(self, level: float = 0.05) -> str:
        """What was found, in a sentence: whether the p-value is at most `level`, and which columns moved most."""
        if self.contributions is not None:
            shares = list(zip(self.columns, self.contributions.tolist(), strict=True))
            return difference_in_words(self.pvalue, shares, differ=self.pvalue <= level, what="samples")
        if self.pvalue > level:
            return f"No dependence was found: X and Y may well be independent (p = {self.pvalue:.3g})."
        return f"X and Y depend on each other (p = {self.pvalue:.3g})."

    @property
    def error_bound(self) -> float | None:
        """The value of the certificate: 0 for the exact kernel, None where there is none."""
        if self.n_components is None:
            return 0.0
        return None if self.certificate is None else self.certificate.value

    def witness(self, points: MatrixLike) -> Array:
        """The witness function: where the samples differ.

        For `mmd_test` it is positive where the first sample has more rows. For `hsic_test` the points have the columns
        of X and then those of Y, and it is positive where such pairs are more frequent than under independence.

        Parameters
        ----------
        points : array-like of shape (n_points, n_features)

        Returns
        -------
        array of shape (n_points,)
        """
        return self._witness(points)


_ASYMPTOTIC = (
    "rows are independent draws",
    "the p-value is asymptotic: exact only in the limit of many rows",
    "regressions on the given columns find the conditional means of X and Y, with errors whose product is small beside "
    "1 / sqrt(n)",
)


@dataclass(frozen=True)
class ConditionalTestResult:
    """The result of `ci_test`.

    Attributes
    ----------
    statistic : float
        n times the squared norm of the cross-covariance of residual features.
    pvalue : float
        Asymptotic: valid in the limit of many rows, under `assumptions`.
    null_law : {"chi_squared", "wild"}
        How the p-value was computed.
    null_distribution : array of shape (n_resamples,) or None
        The resampled statistics of the wild bootstrap.
    n_components : int
        Width of the features of X and of Y.
    n_conditioning : int
        Functions of the given columns that were regressed on.
    dof : (float, float)
        Degrees of freedom of the regressions for X and for Y. Many beside the number of rows cost power.
    explained : (float, float)
        Share of the variance of X and of Y (of their normal scores) that the given columns explain.
    validity : str
        "asymptotic".
    assumptions : tuple of str
        What the p-value rests on.
    """

    statistic: float
    pvalue: float
    null_law: str
    null_distribution: Array | None = field(repr=False)
    n_components: int
    n_conditioning: int = field(repr=False)
    dof: tuple[float, float] = field(repr=False)
    explained: tuple[float, float] = field(repr=False)
    validity: str = "asymptotic"
    assumptions: tuple[str, ...] = field(default=_ASYMPTOTIC, repr=False)

    def __str__(self) -> str:
        return self.summary()

    def summary(self, level: float = 0.05) -> str:
        """What was found, in a sentence: whether the asymptotic p-value is at most `level`."""
        found = f"given the other columns (p = {self.pvalue:.3g}, {self.validity})."
        if self.pvalue > level:
            return f"No dependence was found: X and Y may well be independent {found}"
        return f"X and Y depend on each other {found}"
