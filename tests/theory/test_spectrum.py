"""The decay of a spectrum is recognised, and the counts it implies are those of the tables."""

import json

import numpy as np
import pytest
import scipy.sparse as sp

import bochner as bo
from bochner.theory import feature_counts, fit_spectrum
from bochner.theory.rates import TABLE_1, TABLE_2, RudiRosascoTheorem3
from bochner.theory.spectrum import SpectrumFit

UNIFORM = np.random.default_rng(0).uniform(0, 1, (2000, 1))


def spectrum_of(decay, exponent):
    i = np.arange(1.0, 400)
    eigenvalues = i**-exponent if decay == "polynomial" else np.exp(-exponent * i)
    return SpectrumFit(decay, exponent, 0.01, {}, 1, 399, tuple(eigenvalues / eigenvalues.sum()), 400)


@pytest.mark.parametrize("nu", [0.5, 1.5])
def test_a_matern_kernel_on_the_line_decays_as_the_power_2nu_plus_1(nu):
    """The eigenvalues of a Sobolev kernel of order nu + 1/2 on an interval fall as i^-(2 nu + 1)."""
    fit = fit_spectrum(UNIFORM, kernel=bo.Matern(nu=nu))
    assert fit.decay == "polynomial"
    assert fit.exponent == pytest.approx(2 * nu + 1, rel=0.1)
    assert fit.r_squared["polynomial"] > 0.99 > fit.r_squared["exponential"]
    assert 0 < fit.standard_error < 0.2
    assert fit.capacity == pytest.approx(1 / fit.exponent)


def test_a_gaussian_kernel_on_the_line_decays_exponentially():
    fit = fit_spectrum(UNIFORM, kernel=bo.Gaussian(0.05))
    assert fit.decay == "exponential"
    assert fit.capacity == 0
    assert "exp(-" in str(fit)


def test_few_distinct_rows_are_a_finite_rank():
    rows = np.repeat(np.random.default_rng(1).normal(size=(7, 3)), 40, axis=0)
    fit = fit_spectrum(rows, kernel=bo.Matern())
    assert (fit.decay, fit.exponent) == ("finite rank", 7)
    assert str(fit) == "finite rank 7, on 280 rows"


def test_the_fit_is_reproducible_and_takes_sparse_rows():
    kernel = bo.Laplacian()
    fit = fit_spectrum(UNIFORM, kernel=kernel, max_rows=300)
    assert fit == fit_spectrum(UNIFORM, kernel=kernel, max_rows=300)
    assert fit.n_rows == 300
    assert fit_spectrum(sp.csr_array(UNIFORM), kernel=kernel, max_rows=300).exponent == pytest.approx(fit.exponent)
    with pytest.raises(ValueError, match="'max_rows' parameter"):
        fit_spectrum(UNIFORM, kernel=kernel, max_rows=1)


def test_the_standard_error_is_the_spread_over_pilots():
    data = np.random.default_rng(2).uniform(0, 1, (8000, 1))
    fits = [fit_spectrum(data, kernel=bo.Laplacian(), max_rows=200, random_state=s) for s in range(30)]
    spread = np.std([fit.exponent for fit in fits])
    assert 0.4 * spread < np.mean([fit.standard_error for fit in fits]) < 2.5 * spread


@pytest.mark.parametrize("r", [0.5, 0.75, 1.0])
def test_counts_are_those_of_the_results_they_name(r):
    n, b = 10_000, 2.5
    counts = feature_counts(spectrum_of("polynomial", b), n_points=n, r=r)
    by_name = {(row.source, row.sampling): row.count for row in counts.rows}
    log = np.log(n)
    assert by_name["Rudi & Rosasco Theorem 1", "plain"] == np.ceil(np.sqrt(n) * log)
    exponent = RudiRosascoTheorem3(r=r, gamma=1 / b, alpha=1 / b).features
    assert by_name["Rudi & Rosasco Theorem 3", "leverage"] == np.ceil(n**exponent * log)
    assert by_name["Zhu Li Table 1", "leverage"] == np.ceil(n ** (1 / (2 * b * r)) * log)  # i^(-2 gamma): gamma = b/2
    assert by_name["Zhu Li Table 2", "leverage"] == np.ceil(n ** (1 / (2 * b * r)) * log)  # corrected
    own = {row.status for row in counts.rows if row.source in ("Zhu Li Table 1", "Zhu Li Table 2")}
    assert own == ({"ASYMPTOTIC", "CORRECTED"} if r == 0.5 else {"UNPROVED"})
    assert ("Zhu Li Table 2: Li et al. (2021)" in {row.source for row in counts.rows}) == (r > 0.5)


def test_only_rows_of_the_decay_are_shown():
    sizes = {}
    for decay, exponent in (("finite rank", 9.0), ("exponential", 0.5), ("polynomial", 2.0), ("polynomial", 0.9)):
        rows = feature_counts(spectrum_of(decay, exponent), n_points=1000).rows
        sizes[decay, exponent] = sum(row.source.startswith("Zhu Li") for row in rows)
    # At r = 1/2 the rows of Li et al. are Zhu Li's; those of Sun et al. with powers of the dimension are left out.
    tables = [row for row in (*TABLE_1, *TABLE_2) if not row.authors.startswith("Li et al.") and "^d" not in row.logs]
    spectra = [row.spectrum for row in tables]
    assert sizes["finite rank", 9.0] == spectra.count("finite rank")
    assert sizes["exponential", 0.5] == spectra.count("exponential")
    assert sizes["polynomial", 2.0] == 5
    assert sizes["polynomial", 0.9] == 2  # not summable: the row for any polynomial, and that for 1/i


def test_the_certified_counts_are_those_of_the_operator_bound():
    fit = spectrum_of("polynomial", 2.0)
    counts = feature_counts(fit, n_points=400, penalty=1e-3, delta=0.05)
    mu = np.array(fit.eigenvalues)
    dimension = np.sum(mu / (mu + 1e-3))
    certified = {row.sampling: row.count for row in counts.rows if row.certified}
    assert certified["plain"] == np.ceil(8 * (1000 + 1 / 6) * np.log(8 * dimension / 0.05))
    assert certified["leverage"] == np.ceil(8 * (dimension + 1 / 6) * np.log(8 * dimension / 0.05))
    assert not any(row.certified for row in feature_counts(fit, n_points=400, penalty=2.0).rows)


def test_the_table_prints_and_becomes_json():
    counts = feature_counts(fit_spectrum(UNIFORM, kernel=bo.Laplacian()), n_points=2000)
    assert "polynomial decay" in str(counts)
    assert "order" in str(counts)
    assert "ASYMPTOTIC" in str(counts)
    assert counts._repr_html_().count("<tr>") == len(counts.rows) + 1
    assert json.loads(json.dumps(counts.to_dict()))["n_points"] == 2000


@pytest.mark.parametrize(("name", "value"), [("n_points", 2), ("r", 0.4), ("penalty", 0.0)])
def test_bad_settings_are_named(name, value):
    with pytest.raises(ValueError, match=f"'{name}' parameter of feature_counts"):
        feature_counts(spectrum_of("polynomial", 2.0), **{"n_points": 100, name: value})
