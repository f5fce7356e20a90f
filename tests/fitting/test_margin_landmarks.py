"""Few landmarks, most of them at small margins, are the model of classes that they tell apart."""

import numpy as np
import pytest

import bochner as bo
from bochner.fitting import exact, exact_iterative, landmark_width
from bochner.fitting.left_out import LeftOut
from bochner.fitting.margin_landmarks import MARGIN_LANDMARKS, PROMISING, Counted

RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, (13_000, 2))
STRIPES = (np.sin(12 * X[:, 0]) > 0).astype(int)
TRAIN, NEW = slice(0, 11_000), slice(11_000, None)


def left_out(scores, targets):
    return LeftOut(targets - scores, np.ones(len(scores)), np.ones(len(scores)), targets)


def test_margins_are_own_scores_less_the_largest_other_and_mistakes_have_none():
    scores = np.array([[0.5, -0.2, -0.9], [0.1, 0.4, -1.0], [-1.0, -0.5, -0.6]])
    errors = left_out(scores, np.array([[1.0, -1, -1], [1, -1, -1], [-1, -1, 1]]))
    np.testing.assert_allclose(errors.margins(), [0.7, -0.3, -0.1])
    np.testing.assert_array_equal(errors.margins() < 0, errors.mistakes() == 1)
    assert Counted(None, None, errors).share == pytest.approx(2 / 3)
    np.testing.assert_allclose(left_out(np.array([[0.3], [0.2]]), np.array([[1.0], [-1.0]])).margins(), [0.3, -0.2])


@pytest.mark.parametrize("columns", [1, 2])
def test_the_majority_of_rare_classes_is_not_easy(columns):
    """Two rows of a thousand are of the other class: predicting the first makes 0.2 % mistakes, all there are."""
    signs = np.where(np.arange(1000) < 2, -1.0, 1.0)[:, None]
    targets = signs if columns == 1 else np.hstack([signs, -signs])
    majority = Counted(None, None, left_out(np.abs(targets) * (1 if columns == 1 else [1, -1]), targets))
    assert majority.share == pytest.approx(0.002)
    assert majority.of_majority == pytest.approx(1.0)
    assert not majority.is_promising
    assert Counted(None, None, left_out(targets, targets)).is_enough(MARGIN_LANDMARKS[1])


@pytest.mark.parametrize("warped", [False, True])
def test_landmarks_are_added_each_once_and_the_first_ones_stay(warped):
    base = bo.NystroemFeatures(bo.Gaussian(0.3), n_components=20, random_state=0)
    features = (bo.WarpedFeatures(base) if warped else base).fit(X[:500])
    more = features.with_landmarks_at(X[[600, 601, 600]], X[:500])
    first, then = (each.base_ if warped else each for each in (features, more))
    assert len(then.landmarks_) == more.map_.n_components == 22
    known = {row.tobytes() for row in then.landmarks_}
    assert all(row.tobytes() in known for row in first.landmarks_)
    added = features.warp_(X[600:602]) if warped else X[600:602]
    assert all(row.tobytes() in known for row in added)
    Z = more.transform(X[600:602])  # a landmark's own features have its whole kernel value
    np.testing.assert_allclose(np.sum(Z**2, axis=1), 1.0, rtol=1e-6)
    assert features.map_.n_components == 20


def test_easy_classes_have_few_landmarks_and_those_beyond_the_first_are_at_the_boundary(monkeypatch):
    monkeypatch.setattr(landmark_width, "MARGIN_LANDMARKS", MARGIN_LANDMARKS[:2])  # a second, not ten
    model = bo.KernelClassifier(bo.Laplacian(1.0), random_state=0).fit(X[TRAIN], STRIPES[TRAIN])
    landmarks = model.features_.landmarks_
    assert MARGIN_LANDMARKS[0] < len(landmarks) <= MARGIN_LANDMARKS[1]
    assert np.mean(model.predict(X[NEW]) != STRIPES[NEW]) < 2 * PROMISING
    distance = np.abs(np.sin(12 * landmarks[:, 0]))
    assert np.mean(distance < 0.1) > 2 * np.mean(np.abs(np.sin(12 * X[:, 0])) < 0.1)


@pytest.mark.slow  # the search of 11,000 rows has an exact machine of 3,000
def test_noise_in_the_labels_leaves_the_search_as_it_was():
    noisy = np.where(RNG.random(len(X)) < 0.1, 1 - STRIPES, STRIPES)
    model = bo.KernelClassifier(bo.Gaussian(0.3), random_state=0).fit(X[TRAIN], noisy[TRAIN])
    assert model.features_.map_.n_components in (256, 1024, 2048, 11_000)


@pytest.fixture
def few_are_many(monkeypatch):
    """A table of 600 rows is searched as one of many: landmarks, or the exact machine by iterations."""
    monkeypatch.setattr(landmark_width, "EXACT_ROWS", 100)
    monkeypatch.setattr(landmark_width, "LANDMARKS", (16, 32, 64))
    monkeypatch.setattr(landmark_width, "MARGIN_LANDMARKS", (16, 32))
    rows = slice(0, 600)
    return X[rows], np.where(RNG.random(600) < 0.03, 1 - STRIPES[rows], STRIPES[rows])


def test_the_penalty_of_an_exact_machine_is_searched_once(few_are_many, monkeypatch):
    calls = []
    for module in (exact, exact_iterative):
        search = module.search_penalty
        monkeypatch.setattr(module, "search_penalty", lambda *a, known=search: calls.append(a) or known(*a))
    model = bo.KernelClassifier(bo.Laplacian(0.5), random_state=0).fit(*few_are_many)
    assert model.features_.map_.n_components == 600
    assert len(calls) == 1


def test_the_first_landmarks_are_fitted_once(few_are_many, monkeypatch):
    widths, fitted = [], landmark_width._Search.fitted
    monkeypatch.setattr(landmark_width._Search, "exact_pays", lambda self: False)
    monkeypatch.setattr(landmark_width, "landmark_numbers", lambda n: [16, 32])
    monkeypatch.setattr(
        landmark_width._Search,
        "fitted",
        lambda self, drawn, part, *a: widths.append(part) or fitted(self, drawn, part, *a),
    )
    bo.KernelClassifier(bo.Laplacian(0.5), random_state=0).fit(*few_are_many)
    assert widths == ["margins-16", "landmarks-32"]
