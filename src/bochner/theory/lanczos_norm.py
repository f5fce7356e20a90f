"""Spectral norm of a symmetric matrix from a few products with it: block Lanczos from a random start, with a limit.

r start columns are independent standard normal vectors, V spans B, A B, ..., A^(j-1) B after j products. Let w be the
eigenvector of the eigenvalue of largest modulus, g = B' w and x = B g. Where ||A V|| <= ||A|| / cosh(u), the polynomial
p(z) = U_(j-1)(z cosh(u) / ||A||) (Chebyshev, second kind) in the place of the best one gives

    sinh(j u)^2 (w' x)^2 <= ||x||^2 - (w' x)^2,    so   (w' x)^2 <= ||x||^2 / cosh(j u)^2

(w' x / ||x||)^2 has the distribution of Beta(r/2, (n-1)/2). With t^2 its delta-quantile and cosh(j u) = 1 / t,

    ||A||  <  ||A V|| cosh(arccosh(1 / t) / j)          with probability 1 - delta, for all j at once

The failure is one event of the start, the same for all j: a time limit may end the iteration where it likes. For r = 1
and A >= 0 (Chebyshev polynomials of odd degree 2 j - 1 in sqrt(A)) it is the bound of Kuczynski & Wozniakowski (1992),
P(reached < (1 - e) ||A||) <= 1.648 sqrt(n) exp(-sqrt(e) (2 j - 1)), with the smaller constant sqrt(8 / pi) = 1.596.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import betaincinv

from bochner._typing import Array
from bochner.errors import InvalidDataError, invalid_parameter
from bochner.theory.base import Bound, Certificate, Source, Status, check_delta
from bochner.theory.sources import KUCZYNSKI_WOZNIAKOWSKI

__all__ = ["LanczosNorm", "lanczos_norm", "lanczos_norms"]

_START = "the random start of the Lanczos iteration"


@dataclass(frozen=True, kw_only=True)
class LanczosNorm(Bound):
    """||A||_2 of a symmetric (n, n) matrix: at least `reached`, and at most `limit(delta)`.

    Parameters
    ----------
    reached : float
        ||A V||, V an orthonormal basis of the Krylov space; of A >= 0 the largest eigenvalue of V' A V.
    n_rows : int
        n.
    n_products : int
        j, products of A with a block of columns.
    n_starts : int, default=1
        r, columns of the block.
    positive : bool, default=False
        A is positive semi-definite: half as far from what is reached, with the same products.

    Examples
    --------
    >>> norm = LanczosNorm(reached=1.0, n_rows=10**6, n_products=16, n_starts=4)
    >>> round(norm.limit(delta=0.01), 3)
    1.134
    """

    reached: float
    n_rows: int
    n_products: int
    n_starts: int = 1
    positive: bool = False

    statement: ClassVar[str] = (
        "||A|| <= ||A V|| cosh(arccosh(1/t)/j), V the Krylov space of j products with r normal columns, "
        "t^2 the delta-quantile of Beta(r/2, (n-1)/2)"
    )
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(KUCZYNSKI_WOZNIAKOWSKI, "bound for a random start, here for blocks, all signs")
    assumptions: ClassVar[tuple[str, ...]] = (
        "a symmetric matrix, which does not depend on the start",
        "normal start columns, drawn once",
    )

    def __post_init__(self) -> None:
        for name, least in (("n_rows", 2), ("n_products", 1), ("n_starts", 1)):
            value = getattr(self, name)
            if isinstance(value, bool) or int(value) != value or value < least:
                raise invalid_parameter(self, name, f"an integer >= {least}", value)
        if not 0 <= self.reached < np.inf:
            raise invalid_parameter(self, "reached", "a finite number >= 0", self.reached)

    def limit(self, delta: float) -> float:
        """Upper limit on ||A||, except with probability delta."""
        return self.reached * self.factor(delta)

    def factor(self, delta: float) -> float:
        """Upper limit on ||A|| / reached: 1 + O((log(n / delta) / j)^2)."""
        squared = betaincinv(self.n_starts / 2, (self.n_rows - 1) / 2, check_delta(delta))
        exponent = float(np.arccosh(1 / np.sqrt(squared)))
        if self.positive:
            return float(np.cosh(exponent / (2 * self.n_products - 1)) ** 2)
        return float(np.cosh(exponent / self.n_products))

    def certificate(self, delta: float, claim: str) -> Certificate:
        """The certificate of `claim`, a clause with `{value}` for ||A||, between two limits."""
        return self._certificate(
            self.limit(delta),
            delta,
            claim,
            over=_START,
            at_least=self.reached * (1 - 1e-9),
            n_rows=self.n_rows,
            n_products=self.n_products,
            n_starts=self.n_starts,
        )


def lanczos_norm(
    product: Callable[[Array], Array],
    n_rows: int,
    *,
    n_products: int = 16,
    n_starts: int = 4,
    positive: bool = False,
    random_state: int | np.random.Generator | None = None,
) -> LanczosNorm:
    """Spectral norm of a symmetric matrix after `n_products` products, or those that span everything.

    Parameters
    ----------
    product : callable
        (n, r) array -> A times it, float64; the array is not to be changed.
    n_rows : int
        n.
    n_products : int, default=16
        Products with a block. The limit exceeds what is reached by about arccosh(1/t)^2 / (2 j^2).
    n_starts : int, default=4
        Columns r of a block. The basis takes n * r * (n_products + 1) numbers.
    positive : bool, default=False
        A is positive semi-definite.
    random_state : int, Generator or None

    Examples
    --------
    >>> import numpy as np
    >>> values = np.linspace(-2.0, 1.0, 500)
    >>> norm = lanczos_norm(lambda block: values[:, None] * block, 500, random_state=0)
    >>> norm.reached <= 2.0 <= norm.limit(delta=1e-6)
    True
    """
    norms = lanczos_norms(product, n_rows, n_starts=n_starts, positive=positive, random_state=random_state)
    for norm in norms:
        if norm.n_products >= n_products:
            break
    return norm


def lanczos_norms(
    product: Callable[[Array], Array],
    n_rows: int,
    *,
    n_starts: int = 4,
    positive: bool = False,
    random_state: int | np.random.Generator | None = None,
) -> Iterator[LanczosNorm]:
    """The norm after every product. Each limit holds, whenever the caller stops: they fail together, by the start.

    Ends where the basis spans the whole space, or A maps it into itself. Parameters as in `lanczos_norm`.
    """
    rng = np.random.default_rng(random_state)
    n_starts = min(n_starts, n_rows)
    basis = np.linalg.qr(rng.standard_normal((n_rows, n_starts)))[0]
    coefficients = np.zeros((n_starts, 0))  # of A V in the next basis: A V = [V, next block] H
    while True:
        last = basis[:, -n_starts:]
        image = np.asarray(product(last), dtype=np.float64)
        if image.shape != last.shape or not np.all(np.isfinite(image)):
            raise InvalidDataError(f"A product must be a finite array of shape {last.shape}. Got {image.shape}.")
        along = basis.T @ image
        following, beyond = _outside(basis, image - basis @ along)
        coefficients = np.block([[coefficients, along], [np.zeros((n_starts, coefficients.shape[1])), beyond]])
        yield LanczosNorm(
            reached=_reached(coefficients, positive),
            n_rows=n_rows,
            n_products=coefficients.shape[1] // n_starts,
            n_starts=n_starts,
            positive=positive,
        )
        if basis.shape[1] + n_starts > n_rows or np.linalg.norm(beyond) <= 1e-14 * np.linalg.norm(coefficients):
            return
        basis = np.hstack([basis, following])


def _outside(basis: Array, rest: Array) -> tuple[Array, Array]:
    """An orthonormal basis of the columns of `rest` outside of `basis`, and their coefficients in it.

    Directions that rounding leaves of a cancelled column are made orthogonal again: twice is enough.
    """
    factor = np.eye(rest.shape[1])
    for _ in range(2):
        rest, triangle = np.linalg.qr(rest - basis @ (basis.T @ rest))
        factor = triangle @ factor
    return rest, factor


def _reached(coefficients: Array, positive: bool) -> float:
    """||A V||, or the largest eigenvalue of V' A V."""
    if not positive:
        return float(np.linalg.norm(coefficients, 2))
    inner = coefficients[: coefficients.shape[1]]
    return max(0.0, float(np.linalg.eigvalsh((inner + inner.T) / 2)[-1]))
