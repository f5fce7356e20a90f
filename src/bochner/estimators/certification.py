"""Certificates of a drawn Fourier map: every bound that applies, the tightest first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bochner._dense import dense
from bochner._random import Purpose, generator
from bochner._typing import Array, Rows
from bochner.errors import AssumptionError
from bochner.features import FourierMap, transform
from bochner.kernels import Stationary
from bochner.memory import MemoryBill, require_memory, row_slices, rows_within
from bochner.sampling import Sampler
from bochner.statistics.kernel_product import BLOCK_ROWS, ExactKernel
from bochner.theory import finite_set, uniform
from bochner.theory.a_posteriori import AllPairs, SampledPairs
from bochner.theory.base import Certificate, Embedding, TailBound, check_delta
from bochner.theory.columns import LeastError
from bochner.theory.orthogonal import OrthogonalPoints
from bochner.theory.region import diameter_of
from bochner.theory.supremum import GridSupremum

__all__ = [
    "COMPUTED_ROWS",
    "MapCertifier",
    "certify_map",
    "computed_error",
    "least_error",
    "naming_the_choice",
    "require_computed_error",
    "tightest_first",
]

COMPUTED_ROWS = 4000
"""Rows up to which a certificate computes the exact kernel matrix: 128 MB, and seconds for its factorisation."""

_SPECTRUM_ROWS = 2000  # whose eigenvalues are computed, for what no map can do: about a second
_PAIRS = 20_000
_QUANTILE = 0.99
_OTHER_ROWS = "the pairs are not of the rows of the fit, which chose the scales of the kernel"
_CHOSEN_BEFORE = "the rows of the fit chose the scales of the kernel before its frequencies were drawn, and not by them"
_WITHOUT_ROUNDING = "features are computed without rounding errors"


@dataclass(frozen=True)
class MapCertifier:
    """A drawn Fourier map, and the inputs of its certificates.

    `independent` says that the frequencies were drawn independently of the rows and of any tuning: a priori bounds
    need it. `n_widths` is the number of widths among which that of the map was chosen by looking at results: what holds
    with a probability then holds for all of them at once. `precision` is the smallest float type of the computation;
    rows of a larger one are computed in theirs. `scale_is_of_rows`: rows of the fit chose the scales; every statement
    with a probability names them, and none about the law of the data is made from them (`at_rows_of_fit`).
    """

    fourier: FourierMap
    kernel: Stationary
    sampler: Sampler
    embedding: Embedding
    seed: int
    independent: bool = True
    n_widths: int = 1
    precision: type = np.float32
    scale_is_of_rows: bool = False
    at_rows_of_fit: bool = False

    def features(self, rows: Array) -> Array:
        """Features of the rows as a model computes them, in float64."""
        return transform(self.fourier, rows, self._type_of(rows)).astype(float, copy=False)

    def rounding(self, X: Any) -> float:
        """Bound on the rounding error of a kernel estimate z(x).z(y) between rows of X."""
        reach = np.maximum(_extremes(X.max(axis=0)), -_extremes(X.min(axis=0)))  # without a copy of X
        off = self.fourier.rounding(reach.astype(float), self._type_of(X))
        return 2 * float(np.linalg.norm(self.fourier.amplitude)) * off + off**2

    def a_priori_refusal(self, *, blocks: bool = True) -> str | None:
        """Why no a priori bound applies, or None; without `blocks` those for orthogonal blocks do not count."""
        if self.sampler.uses_pilot:
            return f"{type(self.sampler).__name__} frequencies are not independent draws, and depend on the rows of fit"
        if not (self.sampler.independent or (blocks and self.sampler.orthogonal_blocks)):
            return f"{type(self.sampler).__name__} frequencies are not independent draws"
        if self.embedding == "paired" and len(self.fourier.phase):
            return "an odd n_components mixes the two embeddings"
        if not self.independent:
            return "the frequencies were seen by tuning, or depend on the rows"
        return None

    # Each yields certificates that bound the largest error over the given rows.

    def computed(self, X: Any) -> Iterator[Certificate]:
        if X.shape[0] <= COMPUTED_ROWS:
            require_computed_error(X.shape[0], self.fourier.n_components)
            yield computed_error(ExactKernel(self.kernel), X, self.features(X))

    def a_priori(self, n_rows: int, delta: float, rows: str, *, diameter: float | None = None) -> Iterator[Certificate]:
        """A priori certificates for all pairs of `n_rows` rows (`rows` in words) independent of the frequencies.

        `diameter` is the largest distance of two of them: bounds for orthogonal blocks grow with it.
        """
        if self.a_priori_refusal() is None:
            bound = self._over_points(n_rows, diameter)
            found = self._chosen(bound.certificate(self.fourier.n_components, delta / self.n_widths))
            claim = f"the largest kernel error over all pairs of {rows} is {{value}} in exact arithmetic"
            if self.sampler.independent or found.value < self.kernel.variance:  # blocks: no bound as large as k(0)
                yield replace(found, claim=claim, assumptions=(*found.assumptions, _WITHOUT_ROUNDING))

    def _over_points(self, n_rows: int, diameter: float | None) -> TailBound:
        setting: dict[str, Any] = {"n_points": n_rows, "kernel": self.kernel, "embedding": self.embedding}
        if self.sampler.independent:
            return finite_set.tightest(**setting)
        return OrthogonalPoints(n_features=self.fourier.n_features, diameter=diameter, **setting)

    def over_the_domain(self, X: Any, delta: float) -> Iterator[Certificate]:
        """Uniform certificates over all points as far apart as the rows, and so over their pairs."""
        d, diameter = X.shape[1], diameter_of(X, self.kernel)
        if not 0 < diameter < np.inf:
            return
        if d <= 3 and not len(self.fourier.phase):
            supremum = GridSupremum(
                kernel=self.kernel, omega=self.fourier.omega, power=self.fourier.amplitude**2, radius=diameter
            )
            yield from _unless_refused(supremum.certificate)
        if self.a_priori_refusal() is None and self.sampler.independent:
            setting = {"kernel": self.kernel, "embedding": self.embedding, "n_features": d, "diameter": diameter}
            width, delta = self.fourier.n_components, delta / self.n_widths
            found = _unless_refused(lambda: uniform.tightest(**setting).certificate(width, delta))  # type: ignore[arg-type]
            yield from map(self._chosen, found)

    def sampled(self, X: Any, delta: float) -> Iterator[Certificate]:
        """Certificates for the law of the data, from disjoint pairs of rows that the frequencies do not depend on."""
        n = X.shape[0]
        if n < 4 or self.sampler.uses_pilot or (self.scale_is_of_rows and self.at_rows_of_fit):
            return
        order = generator(self.seed, Purpose.PAIRS).permutation(n)[: 2 * min(n // 2, _PAIRS)]
        rows = rows_within(8 * (6 * self.fourier.n_components + 6 * X.shape[1]))
        errors = [
            self._pair_errors(X[order[::2][some]], X[order[1::2][some]]) for some in row_slices(len(order) // 2, rows)
        ]
        largest = self.kernel.variance + float(np.sum(self.fourier.amplitude**2))  # |k| + |s|
        pairs = SampledPairs(error=np.concatenate(errors), largest=largest)
        delta /= self.n_widths
        found = pairs.quantile(_QUANTILE, delta), pairs.root_mean_square(delta), pairs.mean_absolute(delta)
        also = (_OTHER_ROWS,) if self.scale_is_of_rows else ()
        named = (replace(each, assumptions=(*each.assumptions, *also)) for each in found)
        yield from (each.of_a_choice(self.n_widths) for each in named)

    def _pair_errors(self, left: Array, right: Array) -> Array:
        """z(x).z(y) - k(x, y) of corresponding rows."""
        estimate = np.einsum("ij,ij->i", self.features(left), self.features(right))
        return estimate - self.kernel.at(dense(left, float) - dense(right, float))

    def _chosen(self, certificate: Certificate) -> Certificate:
        return naming_the_choice(certificate.of_a_choice(self.n_widths), self.scale_is_of_rows)

    def _type_of(self, X: Any) -> np.dtype[Any]:
        return np.promote_types(X.dtype, self.precision)


def certify_map(certifier: MapCertifier, X: Any, delta: float) -> Certificate:
    """The tightest bound on the largest kernel error over the rows; the others are in its `others`.

    What is proved for exact arithmetic is widened by the rounding errors of features of these rows.
    """
    check_delta(delta)
    suprema = [*certifier.computed(X), *_bounded(certifier, X, delta)]
    sampled = list(certifier.sampled(X, delta))
    least = least_error(ExactKernel(certifier.kernel), X, certifier.fourier.n_components)
    refusal = certifier.a_priori_refusal()
    if not suprema and not sampled:
        amount = "many" if X.shape[0] > COMPUTED_ROWS else "few"
        raise AssumptionError(
            f"No certificate applies: {refusal}, and there are too {amount} rows. "
            f"Up to {COMPUTED_ROWS:,} rows the error is computed."
        )
    certificate = tightest_first(suprema, [*sampled, *least])
    return (
        replace(certificate, details={**certificate.details, "no_a_priori_bound": refusal}) if refusal else certificate
    )


def _bounded(certifier: MapCertifier, X: Rows, delta: float) -> Iterator[Certificate]:
    """Bounds of exact arithmetic, widened by the rounding errors; none where these have no bound."""
    words = f"these {X.shape[0]:,} rows"
    try:
        rounding = certifier.rounding(X)
    except AssumptionError:
        return
    diameter = diameter_of(X, certifier.kernel)
    bounded = [*certifier.a_priori(X.shape[0], delta, words, diameter=diameter), *certifier.over_the_domain(X, delta)]
    yield from (_rounded(each, rounding, words) for each in bounded)


def computed_error(exact: ExactKernel, X: Any, Z: Array, rows: str | None = None) -> Certificate:
    """The largest kernel error over all pairs of rows with features Z, computed, with all rounding errors.

    `rows` says which they are, if not all that were given.
    """
    product = exact.of(X)
    squares = float(np.max(np.einsum("ij,ij->i", Z, Z), initial=0.0))
    rounding = product.value_rounding() + Z.shape[1] * 2.0**-53 * squares
    errors = (Z[block] @ Z.T - K for block, K in product.row_blocks())
    return AllPairs(error=errors, rounding=rounding, kernel=str(exact), rows=rows).certificate()


def naming_the_choice(certificate: Certificate, scale_is_of_rows: bool) -> Certificate:
    """A statement on the draw of the frequencies, with the rows that chose the scales, if some did, named."""
    if not scale_is_of_rows or certificate.delta == 0:
        return certificate
    return replace(certificate, assumptions=(*certificate.assumptions, _CHOSEN_BEFORE))


def least_error(exact: ExactKernel, X: Any, width: int) -> list[Certificate]:
    """What no map of so many columns can do better, on the rows or the first 2,000 of them; nothing for few rows."""
    n = min(X.shape[0], rows_within(24 * _SPECTRUM_ROWS, most=_SPECTRUM_ROWS))
    if n <= width:
        return []
    K = np.vstack([block for _, block in exact.of(X[:n]).row_blocks()])
    words = f"these {n:,} rows" if n == X.shape[0] else f"the first {n:,} of these rows"
    return [LeastError(eigenvalues=np.linalg.eigvalsh(K), n_components=width).certificate(words)]


def require_computed_error(n_rows: int, width: int) -> None:
    """Refuse the computed error of so many rows unless their features fit in the memory budget."""
    bill = MemoryBill(
        {"features of the rows": 12 * n_rows * width, "blocks of the kernel matrix": 4 * 8 * BLOCK_ROWS * n_rows}
    )
    require_memory(bill, f"Certify fewer rows (now {n_rows:,}).")


def _extremes(values: Any) -> Array:
    """Largest or smallest entries of columns, which sparse rows hand over as a sparse row."""
    return dense(values, float).ravel()


def tightest_first(alike: list[Certificate], others: list[Certificate]) -> Certificate:
    """The smallest of certificates for one quantity (or the first of the others), with all the rest beside it."""
    ordered = sorted(alike, key=lambda certificate: certificate.value) + others
    return replace(ordered[0], others=tuple(ordered[1:]))


def _rounded(certificate: Certificate, rounding: float, rows: str) -> Certificate:
    """A certificate of exact arithmetic, for features of some rows with rounding errors."""
    assumptions = tuple(each for each in certificate.assumptions if each != _WITHOUT_ROUNDING)
    claim = f"the largest kernel error over all pairs of {rows} is {{value}}"
    return replace(certificate.widened(rounding, "rounding"), claim=claim, assumptions=assumptions)


def _unless_refused(issue: Callable[[], Certificate]) -> Iterator[Certificate]:
    try:
        yield issue()
    except AssumptionError:
        return  # another certificate speaks for these rows
