"""Conditional independence test by residuals of random features (the kernel conditional independence test).

With a(x), b(y) random waves, a~ = a(x) - E[a(x) | z] and b~ = b(y) - E[b(y) | z] what regressions on z leave of them,
and c(z) waves of z (one half of them constant), drawn in triples,

    T = n / m  sum_j ( |mean a~_j b~_j c_j|^2 + |mean a~_j conj(b~_j) c_j|^2 ) / 2

which is n times a squared norm of the partial cross-covariance C_xy - C_xz C_zz^-1 C_zy, with c also of the one that
changes sign with z. Under the null hypothesis a term of it has mean 0, and T is a weighted sum of chi-squared
variables (Zhang et al. 2011; Strobl, Zhang & Visweswaran 2019).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from bochner._dense import dense
from bochner._random import Purpose, generator, resolve_seed
from bochner._sklearn import refuse_lazy
from bochner._typing import Array, MatrixLike, Seed
from bochner.comparison.conditioning import Conditioning, ConditioningBasis, Regression, normal_scores, waves_of
from bochner.comparison.kernel_features import check_even_width
from bochner.comparison.null_law import ChiSquaredMixture
from bochner.comparison.resampling import check_resamples, p_value
from bochner.comparison.result import ConditionalTestResult
from bochner.comparison.samples import check_rows
from bochner.errors import InvalidDataError, invalid_parameter
from bochner.features import FourierMap, transform
from bochner.memory import MemoryBill, require_memory

__all__ = ["ci_test"]

_NULL_LAWS = ("chi_squared", "wild")
_UNDERSMOOTHING = 0.01
_TIE = 1e-10
_FEWEST_ROWS, _ROWS_A_COLUMN = 200, 20  # below, far more than a twentieth of nulls are rejected


def ci_test(
    X: MatrixLike,
    Y: MatrixLike,
    given: MatrixLike,
    *,
    null_law: str = "chi_squared",
    n_components: int | str = "auto",
    n_conditioning: int | str = "auto",
    n_resamples: int = 999,
    rng: Seed = None,
) -> ConditionalTestResult:
    """Test whether X and Y are independent given Z, by residuals of random features.

    The p-value is *asymptotic*: right for many rows, if regressions on Z find what X and Y owe to it. No test of
    conditional independence is valid for all continuous laws and has power (Shah & Peters 2020). It is too small where
    X and Y follow the same part of Z that the regression does not find: rough functions of many columns;
    and with fewer than some 500 rows (30 % of false rejections at 5 % were seen with 100).

    Parameters
    ----------
    X, Y : array-like of shapes (n, d) and (n, e), or (n,)
        Row i of X, of Y and of `given` belong together.
    given : array-like of shape (n, k) or (n,)
        Z, the columns to condition on: at least one.
    null_law : {"chi_squared", "wild"}, default="chi_squared"
        Null distribution of the statistic: a weighted sum of chi-squared variables, or the wild bootstrap with random
        signs of rows. They agree but for few rows.
    n_components : int or "auto", default="auto"
        Width D of the features of X and of Y: D/2 triples of waves. "auto": 64 + sqrt(n).
    n_conditioning : int or "auto", default="auto"
        Random features of Z, to regress on, beside eight functions of every column. "auto": 128 + 4 sqrt(n).
    n_resamples : int, default=999
        Of the wild bootstrap.
    rng : int, Generator, RandomState or None, default=None

    Returns
    -------
    ConditionalTestResult

    Notes
    -----
    Columns are replaced by their normal scores, which changes no conditional independence: units, and any increasing
    function of a column of X or Y, do not matter. (With heavy tails, five columns of Z and 5,000 rows 7 % of nulls
    were rejected at 5 %; in other settings of the study no more than 5 % and chance.) X and Y are first replaced by
    their residuals on Z, which changes none either; then waves of these have little left to regress. What a linear
    regression of X, and of Y, on Z predicts counts as a further column of Z (single-index models). The penalty is a
    hundredth of that of generalised cross-validation: the error of the level is the product of two biases, while the
    variance of the regressions only costs power. What residuals lose by the degrees of freedom is put back.

    Time is O(n D^2) with D all functions of Z, in three passes over blocks of rows.

    References
    ----------
    Li & Duan (1989), Regression analysis under link violation. Zhang, Peters, Janzing & Schoelkopf (2011), Kernel-based
    conditional independence test. Strobl, Zhang & Visweswaran (2019), Approximate kernel-based conditional
    independence tests. Shah & Peters (2020), The hardness of conditional independence testing.

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import ci_test
    >>> rng = np.random.default_rng(0)
    >>> z = rng.standard_normal(500)
    >>> x, y = z + rng.standard_normal(500), np.sin(z) + rng.standard_normal(500)
    >>> bool(ci_test(x, y, given=z, rng=0).pvalue > 0.05)
    True
    >>> bool(ci_test(x, y + x, given=z, rng=0).pvalue < 0.001)
    True
    """
    if null_law not in _NULL_LAWS:
        raise invalid_parameter("ci_test", "null_law", f"one of {_NULL_LAWS}", null_law)
    check_resamples("ci_test", n_resamples)
    first, second, third = _check_rows(X, Y, given)
    seed, n = resolve_seed(rng), len(first)
    width = _check_width("n_components", n_components, 64 + np.sqrt(n))
    wide = _check_width("n_conditioning", n_conditioning, 128 + 4 * np.sqrt(n))
    seeds = [int(each) for each in generator(seed, Purpose.SEARCH).integers(2**32, size=4)]

    scores = [normal_scores(rows) for rows in (first, second)]
    basis = ConditioningBasis.of(third, scores, wide, seeds[0])
    square = 8 * basis.width**2
    require_memory(
        MemoryBill({"moments of the functions of Z": 4 * square, "residual products": 64 * width**2}),
        f"Lower n_conditioning (now {wide}) or n_components (now {width}).",
    )
    conditioning = Conditioning.of(basis)
    left, right = (_Side.of(rows, conditioning, width, own) for rows, own in zip(scores, seeds, strict=False))
    products = _Products(left, right, waves_of(basis.scores, width, seeds[3]))
    if null_law == "wild":
        values = products.resampled(n_resamples, seed)
        statistic, pvalue, drawn = float(values[0]), p_value(values, _TIE), values[1:]
    else:
        statistic, drawn = products.statistic, None
        pvalue = products.null_law.survival(statistic)
    return ConditionalTestResult(
        statistic=statistic,
        pvalue=pvalue,
        null_law=null_law,
        null_distribution=drawn,
        n_components=width,
        n_conditioning=basis.width,
        dof=(left.regression.dof, right.regression.dof),
        explained=(left.location.explained, right.location.explained),
    )


@dataclass(frozen=True)
class _Side:
    """Waves of what Z leaves of X (or of Y), and their regressions on Z.

    Attributes
    ----------
    residuals : array of shape (n, d)
        X - E[X | z], of normal scores.
    location, regression : Regression
        Of the scores, and of their waves.
    waves : FourierMap
    """

    residuals: Array
    location: Regression
    waves: FourierMap
    regression: Regression

    @classmethod
    def of(cls, scores: Array, conditioning: Conditioning, width: int, seed: int) -> Self:
        location = conditioning.regress(lambda some: scores[some], _UNDERSMOOTHING)
        coef = location.solve()
        parts = [location.residuals(some, scores[some], coef) for some in conditioning.basis.slices()]
        residuals = np.concatenate(parts)
        waves = waves_of(residuals, width, seed)
        regression = conditioning.regress(
            lambda some: transform(waves, residuals[some], np.dtype(float)), _UNDERSMOOTHING
        )
        # Waves must lose all that the residuals have lost: the correction of the null law then knows what that is.
        return cls(residuals, location, waves, regression.at(min(location.alpha, regression.alpha)))

    @cached_property
    def _coef(self) -> Array:
        return self.regression.solve()

    def rows(self, some: slice) -> Array:
        """What Z leaves of the waves of some rows: complex, (n_rows, D/2)."""
        waves = transform(self.waves, self.residuals[some], np.dtype(float))
        left, m = self.regression.residuals(some, waves, self._coef), self.waves.n_frequencies
        return left[:, :m] + 1j * left[:, m:]


@dataclass(frozen=True)
class _Products:
    """Products of the residuals of both sides and the waves of Z: their sum is the statistic.

    Attributes
    ----------
    left, right : _Side
    given : FourierMap
        Of the normal scores of Z. The first half of its frequencies is taken as 0.
    """

    left: _Side
    right: _Side
    given: FourierMap

    def blocks(self) -> Iterator[Array]:
        """U, blocks of rows of shape (n_rows, 2 D): T = ||sum of its rows||^2 / n."""
        basis, m = self.left.regression.conditioning.basis, self.given.n_frequencies
        for some in basis.slices():
            a, b = self.left.rows(some), self.right.rows(some)
            phase = self.given.projections(basis.scores[some]).T
            phase[:, : m // 2] = 0
            c = np.sqrt(m / 2) * np.exp(1j * phase)
            products = np.hstack([a * b * c, a * b.conj() * c])
            yield np.hstack([products.real, products.imag])

    @property
    def n_rows(self) -> int:
        return len(self.left.residuals)

    @cached_property
    def _sums(self) -> tuple[Array, Array]:
        """Sum of the rows of U, and U'U."""
        total: Array | float = 0.0
        square: Array | float = 0.0
        for U in self.blocks():
            total, square = total + U.sum(axis=0), square + U.T @ U
        return np.asarray(total), np.asarray(square)

    @property
    def statistic(self) -> float:
        total = self._sums[0]
        return float(total @ total) / self.n_rows

    @property
    def null_law(self) -> ChiSquaredMixture:
        """Law of T: the weights are the eigenvalues of the second moment of the rows of U."""
        weights = np.linalg.eigvalsh(self._sums[1] / self.n_rows)
        return ChiSquaredMixture(self.correction * np.maximum(weights, 0.0))

    def resampled(self, n_resamples: int, seed: int) -> Array:
        """T, and its values with random signs of the rows of U."""
        rng = generator(seed, Purpose.RESAMPLES)
        observed: Array | float = 0.0
        sums: Array | float = 0.0
        for U in self.blocks():
            signs = 2.0 * rng.integers(0, 2, (n_resamples, len(U))) - 1
            observed, sums = observed + U.sum(axis=0), sums + signs @ U
        values = np.sum(np.vstack([observed, sums]) ** 2, axis=1) / self.n_rows
        values[1:] *= self.correction
        return values

    @property
    def correction(self) -> float:
        """Variance of a sum of products of residuals, over the sum of their variances.

            n tr(A B) / (tr A tr B),     A = (I - H_x)^2,  B = (I - H_y)^2

        with H the smoothing matrices of the regressions, if leverages are even; n / (n - dof) for projections.
        """
        a, b = (side.regression.retained**2 for side in (self.left, self.right))
        rest = max(self.n_rows - 1 - len(a), 0)
        return float(self.n_rows * (a @ b + rest) / ((a.sum() + rest) * (b.sum() + rest)))


def _check_rows(X: MatrixLike, Y: MatrixLike, Z: MatrixLike) -> tuple[Array, Array, Array]:
    """Dense columns of one length, none of them constant, with rows enough to regress on."""
    first, second, third = (_columns(rows, name) for rows, name in ((X, "X"), (Y, "Y"), (Z, "given")))
    if not len(first) == len(second) == len(third):
        lengths = f"{len(first)}, {len(second)} and {len(third)}"
        raise InvalidDataError(f"X, Y and given must have the same number of rows. Got {lengths}.")
    least = max(_FEWEST_ROWS, _ROWS_A_COLUMN * third.shape[1])
    if len(first) < least:
        raise InvalidDataError(
            f"ci_test needs at least {_FEWEST_ROWS} rows, and {_ROWS_A_COLUMN} for each column of given: here {least}. "
            f"Got {len(first)}."
        )
    for rows, name in ((first, "X"), (second, "Y"), (third, "given")):
        idle = np.flatnonzero(np.all(rows == rows[0], axis=0))
        if len(idle):
            raise InvalidDataError(
                f"Column {idle[0]} of {name} is constant: it can depend on nothing. Leave it out of the test."
            )
    return first, second, third


def _columns(rows: MatrixLike, name: str) -> Array:
    """Rows as a dense matrix in float64; one column may be a vector."""
    refuse_lazy(rows, name)
    shape: tuple[int, ...] = getattr(rows, "shape", None) or np.shape(np.asarray(rows))
    if shape in ((0,), ()) or shape[1:] == (0,) or rows is None:
        remedy = "hsic_test(X, Y) tests independence without a condition" if name == "given" else "give at least one"
        raise InvalidDataError(f"{name} has no columns: {remedy}.")
    return dense(check_rows(np.asarray(rows)[:, None] if len(shape) == 1 else rows, name, dtype=np.float64))


def _check_width(name: str, value: int | str, automatic: float) -> int:
    """An even width; "auto" is the automatic one, rounded up."""
    if isinstance(value, str) and value == "auto":
        return 2 * int(np.ceil(automatic / 2))
    return check_even_width("ci_test", name, value)
