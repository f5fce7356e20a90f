"""KernelPCA is scikit-learn's on the estimated kernel, however its rows arrive."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.decomposition import KernelPCA as ExactKernelPCA
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import make_pipeline

import bochner as bo
from bochner.errors import FirstBlockWarning, InvalidDataError, MemoryBudgetError
from tests.strategies import rows

X = rows(0, 300, 3)


def fixed(**parameters):
    return bo.KernelPCA(**{"n_components": 4, "width": 64, "length_scale": 2.0, "random_state": 0, **parameters})


def up_to_signs(scores, reference):
    return scores * np.sign(np.sum(scores * reference, axis=0))


def test_it_is_kernel_pca_of_the_estimated_kernel():
    model = fixed().fit(X)
    Z, new = model.features_.transform(X), rows(1, 40, 3)
    exact = ExactKernelPCA(4, kernel="precomputed", eigen_solver="dense").fit(Z @ Z.T)
    np.testing.assert_allclose(model.eigenvalues_, exact.eigenvalues_, rtol=1e-10)
    for points in (X, new):
        expected = exact.transform(model.features_.transform(points) @ Z.T)
        scores = model.transform(points)
        np.testing.assert_allclose(up_to_signs(scores, expected), expected, atol=1e-9)


def test_it_is_pca_of_the_features():
    model = fixed().fit(X)
    Z = model.features_.transform(X)
    pca = PCA(4, svd_solver="full").fit(Z)
    np.testing.assert_allclose(model.explained_variance_, pca.explained_variance_, rtol=1e-10)
    np.testing.assert_allclose(model.explained_variance_ratio_, pca.explained_variance_ratio_, rtol=1e-10)
    np.testing.assert_allclose(model.mean_, pca.mean_, atol=1e-12)
    np.testing.assert_allclose(model.components_, pca.components_, atol=1e-8)  # the same rule for signs
    np.testing.assert_allclose(model.transform(X).var(axis=0, ddof=1), model.explained_variance_, rtol=1e-9)


def test_wide_maps_approach_exact_kernel_pca():
    exact = ExactKernelPCA(3, kernel="rbf", gamma=1 / 8, eigen_solver="dense").fit(X)
    expected, gaps = exact.transform(X), []
    for width in (64, 512, 2048):
        model = fixed(n_components=3, width=width).fit(X)
        # The leading scores up to a rotation: eigenvalues may be close.
        gaps.append(np.linalg.norm(model.transform(X) @ model.transform(X).T - expected @ expected.T))
    assert gaps[2] < gaps[1] < gaps[0]
    assert gaps[2] < 0.05 * np.linalg.norm(expected @ expected.T)
    np.testing.assert_allclose(model.eigenvalues_, exact.eigenvalues_, rtol=0.1)


@given(st.lists(st.integers(1, 299), max_size=5), st.booleans())
@settings(max_examples=15, deadline=None)
def test_any_split_of_the_rows_gives_the_model_of_fit(cuts, weighted):
    w = np.random.default_rng(1).integers(0, 3, 300).astype(float) if weighted else np.ones(300)
    whole, parts = fixed().fit(X, sample_weight=w), fixed()
    for a, b in pairwise([0, *sorted(set(cuts)), 300]):
        if w[a:b].sum() > 0:
            parts.partial_fit(X[a:b], sample_weight=w[a:b])
    np.testing.assert_allclose(parts.explained_variance_, whole.explained_variance_, rtol=1e-9)
    np.testing.assert_allclose(parts.transform(X), whole.transform(X), atol=1e-7)


def test_a_weight_counts_copies_of_a_row():
    w = np.random.default_rng(1).integers(0, 3, 300)
    weighted, repeated = fixed().fit(X, sample_weight=w), fixed().fit(np.repeat(X, w, axis=0))
    np.testing.assert_allclose(weighted.explained_variance_, repeated.explained_variance_, rtol=1e-10)
    np.testing.assert_allclose(weighted.transform(X), repeated.transform(X), atol=1e-9)


def test_without_a_number_all_components_above_rounding_are_kept():
    model = fixed(n_components=None, width=200).fit(X[:50])
    assert model.eigenvalues_.shape == (49,)
    assert model.transform(X).shape == (300, 49)
    assert model.explained_variance_ratio_.sum() == pytest.approx(1)
    np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(49), atol=1e-10)
    assert list(model.get_feature_names_out())[-1] == "kernelpca48"
    few = fixed(n_components=None, width=200).fit(X[:50].astype(np.float32))
    assert 5 < len(few.eigenvalues_) <= 49


def test_float32_sparse_and_custom_features():
    plain = fixed().fit(X)
    single = fixed().fit(X.astype(np.float32))
    assert single.transform(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(single.transform(X), plain.transform(X), atol=1e-3)
    dense = X * (np.abs(X) > 1)
    np.testing.assert_allclose(
        fixed().fit(sp.csr_array(dense)).transform(sp.csr_array(dense)), fixed().fit(dense).transform(dense), atol=1e-9
    )
    nystroem = Nystroem(gamma=0.2, n_components=40, random_state=0)
    model = bo.KernelPCA(n_components=2, features=nystroem).fit(X)
    expected = make_pipeline(clone(nystroem), PCA(2, svd_solver="full")).fit_transform(X)
    np.testing.assert_allclose(model.transform(X), expected, atol=1e-8)


def ring(n, seed):
    angle = np.random.default_rng(seed).uniform(0, 2 * np.pi, n)
    return np.c_[np.cos(angle), np.sin(angle), np.cos(2 * angle)] + 5


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_pre_images_of_a_curve_lie_on_it(dtype):
    train, test = ring(2000, 0).astype(dtype), ring(200, 1).astype(dtype)
    model = bo.KernelPCA(n_components=4, width=128, fit_inverse_transform=True, random_state=0).fit(train)
    back = model.inverse_transform(model.transform(test))
    assert back.dtype == dtype
    assert np.sqrt(np.mean((back - test) ** 2)) < 0.02
    linear = PCA(1).fit(train)
    assert np.sqrt(np.mean((linear.inverse_transform(linear.transform(test)) - test) ** 2)) > 0.4


def test_pre_images_remove_noise_as_those_of_scikit_learn():
    digits, rng = load_digits().data / 16, np.random.default_rng(0)
    noisy = digits + 0.3 * rng.standard_normal(digits.shape)
    train, test = slice(0, 1200), slice(1200, None)
    ours = bo.KernelPCA(n_components=16, width=1024, length_scale=4.0, fit_inverse_transform=True, random_state=0)
    theirs = ExactKernelPCA(16, kernel="rbf", gamma=1 / 32, fit_inverse_transform=True, alpha=1e-2)

    def error(model):
        model.fit(noisy[train])
        return np.sqrt(np.mean((model.inverse_transform(model.transform(noisy[test])) - digits[test]) ** 2))

    own = error(ours)
    assert own < 0.7 * 0.3
    assert own < 1.1 * error(theirs)


def test_pre_images_count_weights():
    w, train = np.random.default_rng(1).integers(0, 3, 300), ring(300, 0)
    model = fixed(fit_inverse_transform=True, alpha=0.1)
    weighted = clone(model).fit(train, sample_weight=w)
    repeated = clone(model).fit(np.repeat(train, w, axis=0))
    scores = weighted.transform(train)
    np.testing.assert_allclose(weighted.inverse_transform(scores), repeated.inverse_transform(scores), atol=0.05)


def test_pre_images_are_refused_where_they_make_no_sense():
    assert not hasattr(fixed(), "inverse_transform")
    assert not hasattr(fixed(fit_inverse_transform=True), "partial_fit")
    with pytest.raises(AttributeError) as refusal:
        fixed().fit(X).inverse_transform(X)
    assert "only available with fit_inverse_transform=True" in str(refusal.value.__cause__)
    with pytest.raises(TypeError, match="dense data is required"):
        fixed(fit_inverse_transform=True).fit(sp.csr_array(X))
    with pytest.raises(InvalidDataError, match=r"must have 4 columns, the scores. Got 3"):
        fixed(fit_inverse_transform=True).fit(X).inverse_transform(X)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 65}, "'n_components' parameter of KernelPCA must be at most 64, the width of the map"),
        ({"n_components": 0}, "'n_components' parameter of KernelPCA"),
        ({"width": 0}, "'width' parameter of KernelPCA"),
        ({"alpha": "loo"}, "'alpha' parameter of KernelPCA"),
        ({"length_scale": [1.0, 2.0]}, "must be one number or 3 numbers"),
    ],
)
def test_a_bad_parameter_is_named_with_its_value(parameters, message):
    with pytest.raises(ValueError, match=message):
        fixed(**parameters).fit(X)


def test_one_row_has_no_variance():
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        fixed().fit(X[:1])
    model = fixed().partial_fit(X[:1])
    with pytest.raises(InvalidDataError, match=r"must exceed 1. Got 1"):
        model.transform(X)
    assert model.partial_fit(X[1:]).transform(X).shape == (300, 4)
    with pytest.raises(InvalidDataError, match=r"Got 0.5"):
        fixed().fit(X[:2], sample_weight=[0.25, 0.25])


def test_equal_rows_have_scores_zero():
    model = fixed().fit(np.ones((20, 3)))
    np.testing.assert_allclose(model.transform(np.ones((2, 3))), 0.0, atol=1e-7)
    np.testing.assert_allclose(model.explained_variance_, 0.0, atol=1e-12)


def test_partial_fit_warns_of_what_the_first_block_settled():
    with pytest.warns(FirstBlockWarning, match="width and length_scale from the first block of 50 rows"):
        bo.KernelPCA(random_state=0).partial_fit(X[:50])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bo.KernelPCA(bo.Matern(), width=32).partial_fit(X[:50])


def test_memory_is_refused_with_the_bill_and_the_scores_of_many_rows_hold_no_features():
    with bo.config_context(memory="20MB"), pytest.raises(MemoryBudgetError, match=r"Lower width \(now 4096\)"):
        fixed(width=4096).fit(X)
    with bo.config_context(memory="70MB"):
        many = rows(2, 50_000, 3, np.float32)  # 50,000 x 512 features would be 100 MB
        assert fixed(width=512).fit(many).transform(many).shape == (50_000, 4)
