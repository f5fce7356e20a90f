"""The catalogue of feature maps: unbiased estimates of the stated kernels, in estimators, files and tests."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.kernel_approximation import AdditiveChi2Sampler
from sklearn.metrics.pairwise import polynomial_kernel

import bochner as bo
from bochner.errors import InvalidDataError

RNG = np.random.default_rng(5)
ROWS = RNG.standard_normal((6, 5))
HISTOGRAMS = RNG.dirichlet(np.ones(5), 6)
HISTOGRAMS[0, 0] = 0

WIDE = {
    "Maclaurin": lambda **given: bo.MaclaurinFeatures(bo.Polynomial(2), **given),
    "Maclaurin, exponential": lambda **given: bo.MaclaurinFeatures(bo.Exponential(2.0), **given),
    "TensorSketch": lambda **given: bo.TensorSketchFeatures(bo.Polynomial(3, coef0=0.5), **given),
    "TensorSketch, no offset": lambda **given: bo.TensorSketchFeatures(bo.Polynomial(2, gamma=0.3, coef0=0), **given),
    "positive": lambda **given: bo.PositiveFeatures(bo.Exponential(np.arange(3.0, 8.0)), **given),
    "arc-cosine 0": lambda **given: bo.ArcCosineFeatures(bo.ArcCosine(0), **given),
    "arc-cosine 1": lambda **given: bo.ArcCosineFeatures(bo.ArcCosine(1), **given),
    "arc-cosine 2": lambda **given: bo.ArcCosineFeatures(bo.ArcCosine(2), **given),
    "signs": bo.SignFeatures,
    "codes": lambda **given: bo.SignFeatures(bo.Matern(2.0, nu=1.5), **given),
    "sketch": bo.SketchFeatures,
    "fastfood": lambda **given: bo.FourierFeatures(bo.Gaussian(2.0), sampling="fastfood", **given),
    "fastfood, Matern": lambda **given: bo.FourierFeatures(
        bo.Matern(np.arange(1.0, 6.0)), sampling="fastfood", **given
    ),
}
HISTOGRAM_MAPS = {
    "Laplace, reciprocal": lambda **given: bo.LaplaceFeatures(bo.ReciprocalSemigroup(0.5), **given),
    "Laplace, exponential": lambda **given: bo.LaplaceFeatures(bo.ExponentialSemigroup(0.4), **given),
}
ALL = {**WIDE, **HISTOGRAM_MAPS}


def rows_of(name):
    return HISTOGRAMS if name in HISTOGRAM_MAPS else ROWS


def estimates(make, rows, n_seeds, **given):
    found = [make(random_state=seed, **given).fit(rows) for seed in range(n_seeds)]
    products = [Z @ Z.T for Z in (features.transform(rows) for features in found)]
    return np.array(products), found[0].kernel_(rows)


def require_unbiased(products, K):
    """A correct map fails less than once in 10^6 runs: 6.5 standard errors for 21 pairs, heavy tails included."""
    spread = products.std(axis=0, ddof=1) / np.sqrt(len(products))
    assert np.all(np.abs(products.mean(axis=0) - K) <= 6.5 * spread + 1e-12 * np.abs(K).max())


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_estimates_are_unbiased_and_their_variance_falls_with_the_width(name):
    narrow, K = estimates(ALL[name], rows_of(name), 200, n_components=33)
    wide, _ = estimates(ALL[name], rows_of(name), 200, n_components=33 * 8)
    require_unbiased(narrow, K)
    require_unbiased(wide, K)
    ratio = np.sqrt(np.mean((narrow - K) ** 2) / np.mean((wide - K) ** 2))
    assert 1.8 < ratio < 4.5  # sqrt(8) = 2.8; heavy tails (positive features) and blocks (Fastfood) move it


@pytest.mark.parametrize("kernel", [bo.AdditiveChi2(), bo.Intersection(), bo.JensenShannon(), bo.Hellinger()], ids=str)
def test_random_additive_features_are_unbiased(kernel):
    make = lambda random_state: bo.AdditiveFeatures(  # noqa: E731
        kernel, n_frequencies=3, sampling="monte_carlo", random_state=random_state
    )
    require_unbiased(*estimates(make, HISTOGRAMS, 300))


def test_a_biased_map_would_be_found():
    products, K = estimates(ALL["arc-cosine 1"], ROWS, 200, n_components=264)
    with pytest.raises(AssertionError):
        require_unbiased(1.1 * products, K)


def test_the_grid_is_that_of_scikit_learn():
    Z = AdditiveChi2Sampler(sample_steps=2).fit_transform(HISTOGRAMS)
    found = bo.AdditiveFeatures().fit_transform(HISTOGRAMS)
    assert found.shape == Z.shape
    np.testing.assert_allclose(found, Z, atol=1e-14)


@pytest.mark.parametrize("kernel", [bo.AdditiveChi2(), bo.Intersection(), bo.JensenShannon()], ids=str)
def test_a_finer_grid_is_better(kernel):
    def error(m):
        Z = bo.AdditiveFeatures(kernel, n_frequencies=m).fit_transform(HISTOGRAMS)
        return np.abs(Z @ Z.T - kernel(HISTOGRAMS)).max()

    assert error(40) < 0.5 * error(4)


@pytest.mark.parametrize("name", [*ALL, "additive"])
def test_float_types_sparse_rows_and_seeds(name):
    make = ALL.get(name, lambda n_components, random_state: bo.AdditiveFeatures(random_state=random_state))
    rows = HISTOGRAMS if name == "additive" else rows_of(name)
    features = make(n_components=40, random_state=3).fit(rows)
    Z = features.transform(rows)
    single = features.transform(rows.astype(np.float32))
    assert single.dtype == np.float32
    assert Z.dtype == np.float64
    np.testing.assert_allclose(single @ single.T, Z @ Z.T, rtol=1e-4, atol=1e-4 * np.abs(Z @ Z.T).max())
    np.testing.assert_allclose(features.transform(csr_array(rows)), Z, rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(make(n_components=40, random_state=3).fit_transform(rows), Z)
    assert features.certify(rows).value >= np.abs(Z @ Z.T - features.kernel_(rows)).max()


def test_sorf_is_close_where_there_are_many_columns():
    rows = RNG.standard_normal((6, 200)) / 10
    products, K = estimates(
        lambda random_state: bo.FourierFeatures(
            bo.Gaussian(), n_components=1024, sampling="sorf", random_state=random_state
        ),
        rows,
        40,
    )
    assert np.abs(products.mean(axis=0) - K).max() < 0.01


@pytest.mark.parametrize("sampling", ["sorf", "fastfood"])
@pytest.mark.parametrize("d", [1, 3, 8, 20])
def test_structured_products_are_those_of_their_matrix(sampling, d):
    X = RNG.standard_normal((37, d))
    features = bo.FourierFeatures(bo.Gaussian(), n_components=75, sampling=sampling, random_state=0).fit(X)
    projection = features.map_.projection
    out = np.empty((37, projection.n_frequencies))
    np.testing.assert_allclose(projection.project(X, out), X @ features.map_.omega.T, atol=1e-12)
    first = projection.first(9)
    np.testing.assert_allclose(first.matrix(), projection.matrix()[:9], atol=1e-13)
    low = projection.project(X.astype(np.float32), np.empty(out.shape, dtype=np.float32))
    allowed = projection.phase_rounding(np.abs(X).max(axis=0), np.dtype(np.float32))
    assert np.all(np.abs(low - out).max(axis=0) <= allowed)


def test_polynomials_are_those_of_scikit_learn():
    np.testing.assert_allclose(bo.Polynomial()(ROWS), polynomial_kernel(ROWS))
    np.testing.assert_allclose(
        bo.Polynomial(2, gamma=0.5, coef0=0)(ROWS), polynomial_kernel(ROWS, degree=2, gamma=0.5, coef0=0)
    )


@pytest.mark.parametrize("n_bits", [1, 64, 100, 130])
def test_codes_are_the_signs(n_bits):
    features = bo.SignFeatures(n_components=n_bits, random_state=0).fit(ROWS)
    codes, Z = features.codes(ROWS), features.transform(ROWS)
    assert codes.dtype == np.uint64
    assert codes.shape == (6, -(-n_bits // 64))
    np.testing.assert_allclose(1 - 2 * features.distances(codes, codes[:4]) / n_bits, Z @ Z[:4].T, atol=1e-12)
    with pytest.raises(InvalidDataError, match=r"Codes must be two arrays of uint64"):
        features.distances(codes, codes.astype(np.int64))


def test_the_nearest_codes_are_those_of_a_sort_of_all_distances():
    rows = RNG.standard_normal((300, 6))
    features = bo.SignFeatures(n_components=100, random_state=0).fit(rows)
    codes = features.codes(rows)
    queries = codes[:40]
    every = features.distances(queries, codes)
    order = np.argsort(every, axis=1, kind="stable")
    for k in (1, 17, 300):
        indices, distances = features.nearest(queries, codes, k)
        np.testing.assert_array_equal(indices, order[:, :k])
        np.testing.assert_array_equal(distances, np.take_along_axis(every, order[:, :k], axis=1))
    with pytest.raises(ValueError, match=r"'n_neighbors' parameter of nearest must be from 1 to.*Got 301"):
        features.nearest(queries, codes, 301)


KERNELS = [
    bo.Polynomial(2), bo.Exponential(2.0), bo.Linear(), bo.ArcCosine(), bo.Angular(), bo.BinaryCode(bo.Gaussian(2.0)),
]  # fmt: skip


@pytest.mark.parametrize(
    "kernel", [*KERNELS, bo.AdditiveChi2(), bo.ReciprocalSemigroup()], ids=lambda k: type(k).__name__
)
def test_a_kernel_names_its_features_in_models(kernel, tmp_path):
    X = (
        RNG.dirichlet(np.ones(4), 150)
        if type(kernel).__name__ in ("AdditiveChi2", "ReciprocalSemigroup")
        else (RNG.standard_normal((150, 4)))
    )
    y = X[:, 0] - X[:, 1]
    model = bo.KernelRegressor(kernel, n_components=128, alpha=1e-2, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.5
    again = bo.KernelRegressor(kernel, n_components=128, alpha=1e-2, random_state=0).fit(X, y)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    bo.save(model, tmp_path / "model.bochner")
    np.testing.assert_array_equal(bo.load(tmp_path / "model.bochner").predict(X), model.predict(X))
    labels = bo.KernelClassifier(kernel, n_components=128, alpha=1e-2, random_state=0).fit(X, y > 0)
    assert labels.score(X, y > 0) > 0.8


def test_features_of_the_catalogue_in_a_two_sample_test():
    X, Y = RNG.standard_normal((200, 3)), RNG.standard_normal((200, 3)) + 0.5
    for features in (bo.ArcCosineFeatures(n_components=64, random_state=0), bo.TensorSketchFeatures(random_state=0)):
        assert bo.mmd_test(X, Y, features=features, n_resamples=199, rng=0).pvalue < 0.05


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: bo.TensorSketchFeatures(bo.Polynomial(0)).fit(ROWS), "'degree' parameter of Polynomial.*Got 0"),
        (lambda: bo.MaclaurinFeatures(bo.Polynomial(-2)).fit(ROWS), "'degree' parameter of Polynomial.*Got -2"),
        (lambda: bo.TensorSketchFeatures(bo.Polynomial(2, coef0=-1)).fit(ROWS), "not positive definite.*Got -1"),
        (lambda: bo.ArcCosineFeatures(bo.ArcCosine(3)).fit(ROWS), "0, 1 or 2. Got 3"),
        (lambda: bo.KernelRegressor(bo.Polynomial(), features="nystroem").fit(ROWS, ROWS[:, 0]), "not stationary"),
        (lambda: bo.MaclaurinFeatures(bo.Gaussian()).fit(ROWS), "'kernel' parameter of MaclaurinFeatures"),
    ],
)
def test_wrong_parameters_show_their_values(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("features", [bo.AdditiveFeatures(), bo.LaplaceFeatures(n_components=8)])
def test_negative_numbers_in_histograms_are_refused(features):
    bad = HISTOGRAMS.copy()
    bad[2, 3] = -0.25
    with pytest.raises(InvalidDataError, match=r"not negative.*-0\.25 in row 2, column 3"):
        features.fit(bad)
    with pytest.raises(InvalidDataError, match="Negative values in data"):
        features.fit(HISTOGRAMS).transform(csr_array(bad))


def test_an_exponential_kernel_that_overflows_says_so():
    with pytest.raises(InvalidDataError, match="larger length_scale"):
        bo.Exponential()(100 * ROWS)
