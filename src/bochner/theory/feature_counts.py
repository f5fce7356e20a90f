"""Numbers of features by the learning rates of the papers, for a sample size and a decay of the spectrum.

Rates give an order: n^exponent times logarithms, without their constant. One number has all its constants, the count of
the operator bound, 8 (F + 1/6) log(8 N(lambda) / delta), with F = k(0)/lambda for plain sampling and N(lambda) for
independent leverage-weighted draws. Counts are of frequencies: pairs of columns, or columns with a phase.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from html import escape

import numpy as np

from bochner._html import table as html_table
from bochner._typing import JsonDict
from bochner.errors import AssumptionError, invalid_parameter
from bochner.theory.generalization import OperatorBound
from bochner.theory.rates import RudiRosascoTheorem1, RudiRosascoTheorem2, RudiRosascoTheorem3
from bochner.theory.spectrum import SpectrumFit
from bochner.theory.tables import TABLE_1, TABLE_2, TableRow

__all__ = ["FeatureCount", "FeatureCounts", "feature_counts"]


@dataclass(frozen=True)
class FeatureCount:
    """Number of frequencies by one result of a paper.

    Attributes
    ----------
    source : str
    sampling : str
        "plain" or "leverage".
    rate : str
        Of the excess risk, or what the bound guarantees.
    formula : str
        The count as a function of n.
    count : int
        Its value here: an order of magnitude, unless `certified`.
    certified : bool
        Whether all constants are in it. It then rests on the estimated effective dimension alone.
    status : str
    note : str
    """

    source: str
    sampling: str
    rate: str
    formula: str
    count: int
    certified: bool
    status: str
    note: str = ""


@dataclass(frozen=True)
class FeatureCounts:
    """The results that apply to a spectrum, with the number of frequencies each implies. Printable.

    Attributes
    ----------
    spectrum : SpectrumFit
    n_points : int
    r : float
        The smoothness that was assumed: f_H = L^r g.
    penalty : float
        lambda of the certified counts.
    effective_dimension : float
        N(lambda) of the pilot.
    rows : tuple of FeatureCount
    """

    spectrum: SpectrumFit
    n_points: int
    r: float
    penalty: float
    effective_dimension: float
    rows: tuple[FeatureCount, ...]

    def to_dict(self) -> JsonDict:
        """The table as plain data, ready for JSON; without the eigenvalues, which `spectrum.to_dict()` has."""
        plain = asdict(self)
        del plain["spectrum"]["eigenvalues"]
        return plain

    def __str__(self) -> str:
        cells = [_HEADER, *(_cells(row) for row in self.rows)]
        widths = [max(len(line[i]) for line in cells) for i in range(len(_HEADER))]
        table = "\n".join(
            "  " + "  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths)).rstrip() for line in cells
        )
        return f"Spectrum: {self.spectrum}\n{self._setting()}\n{table}"

    def _repr_html_(self) -> str:
        setting = f"<p>{escape(f'Spectrum: {self.spectrum}. {self._setting()}')}</p>"
        return setting + html_table((_cells(row) for row in self.rows), _HEADER)

    def _setting(self) -> str:
        return (
            f"Frequencies for n = {self.n_points:,} and smoothness r = {self.r:g}; "
            f"lambda = {self.penalty:.3g} has effective dimension {self.effective_dimension:.3g}"
        )


def feature_counts(
    spectrum: SpectrumFit,
    *,
    n_points: int,
    r: float = 0.5,
    penalty: float | None = None,
    k_zero: float = 1.0,
    delta: float = 0.01,
) -> FeatureCounts:
    """The number of frequencies by every rate that applies to this spectrum, and by the bound that has constants.

    Parameters
    ----------
    spectrum : SpectrumFit
        By `fit_spectrum`.
    n_points : int
        Rows of the data.
    r : float in [1/2, 1], default=0.5
        Smoothness of the target, f_H = L^r g. 1/2: it lies in the space of the kernel, and nothing more.
    penalty : float, default=None
        lambda = alpha / n of the certified counts. None: n^(-1/2), that of Rudi & Rosasco's Theorem 1.
    k_zero : float, default=1.0
        k(0).
    delta : float, default=0.01
        Failure probability of the certified counts.

    Returns
    -------
    counts : FeatureCounts

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import Laplacian
    >>> from bochner.theory import fit_spectrum
    >>> fit = fit_spectrum(np.linspace(0, 1, 800)[:, None], kernel=Laplacian())
    >>> counts = feature_counts(fit, n_points=10_000)
    >>> {row.source: row.count for row in counts.rows if "Rudi" in row.source}  # doctest: +NORMALIZE_WHITESPACE
    {'Rudi & Rosasco Theorem 1': 922, 'Rudi & Rosasco Theorem 2': 4593, 'Rudi & Rosasco Theorem 3': 185}
    """
    if isinstance(n_points, bool) or not n_points >= 3 or int(n_points) != n_points:
        raise invalid_parameter("feature_counts", "n_points", "an integer of at least 3", n_points)
    if not 0.5 <= r <= 1:
        raise invalid_parameter("feature_counts", "r", "in [1/2, 1]", r)
    lam = k_zero / np.sqrt(n_points) if penalty is None else penalty
    if not 0 < lam < np.inf:
        raise invalid_parameter("feature_counts", "penalty", "a positive finite number (alpha / n)", penalty)
    mu = np.array(spectrum.eigenvalues)
    dimension = float(np.sum(mu / (mu + lam)))
    rows = (
        *_certified(mu[0], dimension, lam, k_zero, delta),
        *_rudi_rosasco(spectrum, n_points, r),
        *_zhu_li(spectrum, n_points, r),
    )
    return FeatureCounts(spectrum, int(n_points), r, float(lam), dimension, rows)


def _certified(norm: float, dimension: float, lam: float, k_zero: float, delta: float) -> Iterator[FeatureCount]:
    for sampling, leverage in (("plain", k_zero / lam), ("leverage", dimension)):
        try:
            bound = OperatorBound(d_tau=leverage, d_lambda=dimension, lam=lam, operator_norm=norm)
            needed = bound.features_needed(delta)
        except AssumptionError:
            continue  # lambda above the largest eigenvalue: nothing to resolve
        yield FeatureCount(
            source="operator bound",
            sampling=sampling,
            rate="L_s + lambda >= (L + lambda)/2",
            formula=f"8 ({'k(0)/lambda' if sampling == 'plain' else 'N'} + 1/6) log(8 N/delta)",
            count=needed,
            certified=True,
            status=bound.status.name,
            note=f"independent draws{' (replacement=True)' * (sampling == 'leverage')}; N(lambda) from the pilot",
        )


def _rudi_rosasco(spectrum: SpectrumFit, n: int, r: float) -> Iterator[FeatureCount]:
    """Theorems 1 to 3; Theorem 2 is Theorem 3 for plain sampling."""
    g = spectrum.capacity
    claims: tuple[tuple[RudiRosascoTheorem1 | RudiRosascoTheorem2 | RudiRosascoTheorem3, str], ...] = (
        (RudiRosascoTheorem1(), "plain"),
        (RudiRosascoTheorem2(r=r, gamma=g), "plain"),
        (RudiRosascoTheorem3(r=r, gamma=g, alpha=g), "leverage"),
    )
    for claim, sampling in claims:
        yield FeatureCount(
            source=f"Rudi & Rosasco {claim.source.result}",
            sampling=sampling,
            rate=f"n^-{claim.risk:.3g}",
            formula=f"n^{claim.features:.3g} log n",
            count=_order(n, claim.features, "log n"),
            certified=False,
            status=claim.status.name,
        )


def _zhu_li(spectrum: SpectrumFit, n: int, r: float) -> Iterator[FeatureCount]:
    for number, table in ((1, TABLE_1), (2, TABLE_2)):
        for row in table:
            gamma = _table_gamma(row, spectrum)
            if gamma is None or (r == 0.5 and row.authors.startswith("Li et al.")):
                continue  # at r = 1/2 the rows of Li et al. say the same
            exponent = row.exponent(r, gamma)
            yield FeatureCount(
                source=f"Zhu Li Table {number}" + ("" if row.authors.startswith("Zhu Li") else f": {row.authors}"),
                sampling=row.sampling.replace("weighted", "leverage"),
                rate=row.rate.replace("gamma", f"{gamma:.3g}"),
                formula=f"n^{exponent:.3g}" + ("" if row.logs == "1" else f" {row.logs}"),
                count=_order(n, exponent, row.logs),
                certified=False,
                status=row.status_at(r).name,
                note=row.note,
            )


def _table_gamma(row: TableRow, spectrum: SpectrumFit) -> float | None:
    """The tables' gamma for a row that applies to this spectrum, None for one that does not.

    Their weighted rows for i^(-gamma) need a summable spectrum, gamma > 1 (Table 2) or 2 gamma > 1 (Table 1); the row
    for i^(-1) is for a spectrum that is not told from it.
    """
    b = spectrum.exponent
    if row.logs not in _LOGS:
        return None  # Sun et al.: powers of the logarithms that depend on the dimension of the rows
    if row.spectrum in ("finite rank", "exponential", "polynomial"):
        return b if row.spectrum == spectrum.decay else None
    if spectrum.decay != "polynomial":
        return None
    if row.spectrum == "i^(-1)":
        return b if b <= 1 + 2 * np.nan_to_num(spectrum.standard_error) else None
    return (b / 2 if row.spectrum == "i^(-2 gamma)" else b) if b > 1 else None


def _order(n: int, exponent: float, logs: str) -> int:
    log = np.log(n)
    power_of_log, power_of_loglog = _LOGS[logs]
    return int(np.ceil(n**exponent * log**power_of_log * max(np.log(log), 1.0) ** power_of_loglog))


_LOGS = {"1": (0, 0), "log n": (1, 0), "loglog n": (0, 1), "log n loglog n": (1, 1)}
_HEADER = ("result", "sampling", "rate", "frequencies", "formula", "status")


def _cells(row: FeatureCount) -> tuple[str, ...]:
    count = f"{row.count:,}" if row.certified else f"order {row.count:,}"
    return row.source, row.sampling, row.rate, count, row.formula, row.status
