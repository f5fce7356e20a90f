"""Pooled features of patches: the formula in plain loops, their kernel, what they do not see, and what is refused."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.pipeline import make_pipeline

import bochner as bo
from bochner.errors import AssumptionError, InvalidDataError, InvalidParameterError, MemoryBudgetError

RNG = np.random.default_rng(0)
KERNEL = bo.Gaussian(0.8)
FOURIER = bo.FourierFeatures(KERNEL, n_components=6, random_state=1)


def images(n, *shape):
    return RNG.standard_normal((n, int(np.prod(shape)))) + 2


def unit_patches(image, patch, centred):
    """Patches of an image (h, w, c) in the order of their positions, each divided by its length, and the lengths."""
    h, w, c = image.shape
    found = []
    for i in range(h - patch + 1):
        for j in range(w - patch + 1):
            window = image[i : i + patch, j : j + patch]
            own = [window[:, :, k] - centred * window[:, :, k].mean() for k in range(c)]
            found.append(np.concatenate([each.ravel() for each in own]))
    lengths = np.linalg.norm(found, axis=1)
    return np.array(found) / lengths[:, None], lengths


def line_weights(n, m, pooling):
    cell = n / m
    weights = np.zeros((m, n))
    for g in range(m):
        for u in range(n):
            away = abs(u + 0.5 - cell * (g + 0.5)) / cell
            weights[g, u] = np.exp(-(away**2) / (2 * 0.5**2)) if pooling == "gaussian" else away <= 0.5
    return weights / weights.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("pooling", ["gaussian", "average"])
@pytest.mark.parametrize(("shape", "centred"), [((5, 6), True), ((4, 6, 3), False)])
def test_features_are_sums_over_positions(shape, centred, pooling):
    X, full = images(4, *shape), (*shape, 1)[:3]
    features = bo.PatchFeatures(shape, 3, FOURIER, pool=(1, 2), pooling=pooling, centred=centred, random_state=0).fit(X)
    rows, columns = full[0] - 2, full[1] - 2
    along = line_weights(rows, 1, pooling), line_weights(columns, 2, pooling)
    expected = np.zeros((4, 2, 6))
    for i, image in enumerate(X.reshape(4, *full)):
        unit, length = unit_patches(image, 3, centred)
        phi = features.base_.transform(unit)
        for g in range(2):
            for u in range(rows * columns):
                weight = along[0][0, u // columns] * along[1][g, u % columns]
                expected[i, g] += weight * length[u] * phi[u]
    np.testing.assert_allclose(features.transform(X), expected.reshape(4, -1), atol=1e-10)
    assert features.n_components_ == features.transform(X).shape[1] == 12


def exact_kernel(features, X):
    """K(x, y), over all pairs of patches."""
    grid, weights = features.map_.grid, features.map_.grid.weights()
    sides = [grid.patches(row[None]) for row in X]
    pooled = [(weights * length, unit) for unit, length in sides]
    return np.array([[np.sum(a @ KERNEL(p, q) * b) for b, q in pooled] for a, p in pooled])


def test_landmarks_at_all_patches_have_the_kernel_itself():
    X = images(5, 4, 4)
    base = bo.NystroemFeatures(KERNEL, n_components=100, landmarks="uniform")
    features = bo.PatchFeatures((4, 4), 3, base, pool=2, random_state=0).fit(X)
    Z = features.transform(X)
    np.testing.assert_allclose(Z @ Z.T, exact_kernel(features, X), rtol=1e-7)


def test_random_features_estimate_the_kernel():
    X = images(4, 4, 4)
    base = bo.FourierFeatures(KERNEL, n_components=40_000, random_state=0)
    features = bo.PatchFeatures((4, 4), 3, base, pool=2, random_state=0).fit(X)
    Z, K = features.transform(X), exact_kernel(features, X)
    np.testing.assert_allclose(Z @ Z.T, K, atol=0.05 * K.max())


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_certificate_bounds_the_error_and_comes_close_to_it(dtype):
    X = images(20, 6, 6).astype(dtype)
    base = bo.NystroemFeatures(KERNEL, n_components=20, landmarks="kmeans")
    features = bo.PatchFeatures((6, 6), 3, base, pool=2, random_state=0).fit(X)
    Z = features.transform(X).astype(float)
    error = np.abs(Z @ Z.T - exact_kernel(features, X.astype(float))).max()
    certificate = features.certify(X)
    assert error <= certificate.value <= 1.01 * error  # the largest error is on the diagonal, a residual variance
    assert "convolutional kernel over patches of side 3" in certificate.statement


def test_random_features_of_patches_have_no_certificate():
    X = images(4, 4, 4)
    with pytest.raises(AssumptionError, match="Only patch features of landmarks"):
        bo.PatchFeatures((4, 4), 3, FOURIER, pool=2, random_state=0).fit(X).certify(X)


def test_a_model_says_why_it_has_no_distance_to_an_exact_machine():
    X = images(30, 4, 4)
    features = bo.PatchFeatures((4, 4), 3, pool=2, random_state=0)
    model = bo.KernelRegressor(features=features, alpha=1.0, random_state=0).fit(X, X[:, 0])
    with pytest.raises(AssumptionError, match="No exact machine with the kernel of PatchFeatures"):
        model.features_.exact_kernel()


def test_brightness_is_not_seen_and_contrast_is_a_factor():
    X = images(6, 6, 6)
    features = bo.PatchFeatures((6, 6), 3, pool=2, random_state=0).fit(X)
    Z = features.transform(X)
    np.testing.assert_allclose(features.transform(X + 100), Z, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(features.transform(7 * X), 7 * Z, rtol=1e-9, atol=1e-9)


def test_images_without_contrast_have_features_of_zero():
    X = np.vstack([np.full((1, 36), 0.1), np.zeros((1, 36)), images(3, 6, 6)])
    features = bo.PatchFeatures((6, 6), 3, pool=2, random_state=0)
    assert not np.any(features.fit(X).transform(X)[:2])
    assert not np.any(features.fit(X[:2]).transform(X[:2]))


def test_a_seed_fixes_the_features_and_float32_rounds_them():
    X = images(50, 6, 6)
    first, second = (bo.PatchFeatures((6, 6), 3, pool=2, random_state=3).fit(X) for _ in range(2))
    Z = first.transform(X)
    np.testing.assert_array_equal(second.transform(X), Z)
    single = first.transform(X.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, Z, atol=1e-3 * np.abs(Z).max())


def test_digits_are_told_apart_by_their_patches_and_better_by_a_kernel_on_top():
    X, y = load_digits(return_X_y=True)
    base = bo.NystroemFeatures(bo.Gaussian(0.5), n_components=48, landmarks="kmeans")
    features = bo.PatchFeatures((8, 8), 3, base, pool=3, random_state=0)
    some, others = slice(0, 600), slice(600, None)
    raw, linear, on_top = (
        model.fit(X[some], y[some]).score(X[others], y[others])
        for model in (
            bo.KernelClassifier(features="exact", length_scale="median", random_state=0),
            bo.KernelClassifier(features=features, random_state=0),
            make_pipeline(features, bo.KernelClassifier(features="exact", length_scale="median", random_state=0)),
        )
    )
    assert linear > 0.96
    assert on_top > max(raw, 0.965) + 0.005


def test_a_map_larger_than_the_memory_budget_is_refused():
    with bo.config_context(memory="1MB"), pytest.raises(MemoryBudgetError, match="Use fewer landmarks"):
        bo.PatchFeatures((64, 64), 3, FOURIER).fit(images(2, 64, 64))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"shape": (6,)}, r"'shape' parameter of PatchFeatures must be \(height, width\) or"),
        ({"shape": (6.5, 6)}, r"'shape' parameter of PatchFeatures must be \(height, width\) or"),
        ({"shape": (0, 6)}, r"'shape' parameter of PatchFeatures must be \(height, width\) or"),
        ({"patch": 7}, "'patch' parameter of PatchFeatures must be at most 6, the side of an image. Got 7"),
        ({"patch": 1}, "'centred' parameter of PatchFeatures must be False for patches of one pixel"),
        ({"pool": 9}, r"'pool' parameter of PatchFeatures must be from 1 to the number of positions .*\(4, 4\). Got 9"),
        ({"pool": (2,)}, "'pool' parameter of PatchFeatures must be from 1"),
        ({"pool": (2, 0)}, "'pool' parameter of PatchFeatures must be from 1"),
        ({"pool": (2, 0), "grid": "polar"}, "'pool' parameter of PatchFeatures must be from 1"),
        ({"pool": 3, "grid": "polar"}, r"'pool' parameter of PatchFeatures must be from 1 .*\(2, 12\). Got 3"),
    ],
)
def test_wrong_parameters_are_named(parameters, message):
    with pytest.raises(InvalidParameterError, match=message):
        bo.PatchFeatures(**{"shape": (6, 6), "patch": 3, "pool": 2, **parameters}).fit(images(3, 6, 6))


def test_rows_that_are_no_such_images_are_refused():
    with pytest.raises(InvalidDataError, match=r"images of shape \(6, 6\), rows of 36 columns. Got 35 columns"):
        bo.PatchFeatures((6, 6), 3, pool=2).fit(images(3, 5, 7))


@pytest.mark.parametrize("shape", [(8, 8), (9, 9, 2)])
def test_a_quarter_turn_shifts_features_of_a_polar_grid(shape):
    X = images(5, *shape)
    turned = np.rot90(X.reshape(5, *shape), axes=(1, 2)).reshape(5, -1)
    base = bo.NystroemFeatures(KERNEL, n_components=7)
    features = bo.PatchFeatures(shape, 3, base, pool=(2, 8), grid="polar", random_state=0).fit(X)
    assert features.block_size_ == 14
    shifts = [np.roll(features.transform(X), 14 * g, axis=1) for g in (2, -2)]
    assert min(np.abs(features.transform(turned) - each).max() for each in shifts) < 1e-8
    assert np.abs(features.transform(turned) - features.transform(X)).max() > 0.1


def test_a_kernel_over_shifts_of_a_polar_grid_does_not_see_quarter_turns():
    X, y = load_digits(return_X_y=True)
    turned = np.rot90(X.reshape(-1, 8, 8), axes=(1, 2)).reshape(-1, 64)
    base = bo.NystroemFeatures(bo.Gaussian(0.5), n_components=16)
    patches = bo.PatchFeatures((8, 8), 3, base, pool=(2, 8), grid="polar", random_state=0)
    landmarks = bo.NystroemFeatures("gaussian", n_components=200, group=bo.groups.CyclicShifts(block_size=32))
    model = make_pipeline(patches, bo.KernelClassifier(features=landmarks, random_state=0)).fit(X[:600], y[:600])
    np.testing.assert_allclose(model.predict_proba(X[:50]), model.predict_proba(turned[:50]), atol=1e-6)
    assert model.score(turned[600:1200], y[600:1200]) > 0.85


def test_one_number_for_a_polar_grid_is_rings_and_four_times_as_many_angles():
    features = bo.PatchFeatures((8, 8), 3, FOURIER, pool=2, grid="polar", random_state=0).fit(images(3, 8, 8))
    assert features.map_.grid.pool == (2, 8)
    assert features.n_components_ == 2 * 8 * 6
