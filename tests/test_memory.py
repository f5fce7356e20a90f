"""Memory bills: their sum, their words, the refusal before anything is allocated, and calls that stay within them."""

import tracemalloc

import numpy as np
import pytest
from scipy.sparse import random_array

import bochner as bo
from bochner.errors import MemoryBudgetError
from bochner.estimators.rows_of_fit import share_rows
from bochner.memory import (
    MemoryBill,
    advice_when_full,
    fits,
    format_bytes,
    require_memory,
    row_slices,
    rows_within,
)

BILL = MemoryBill({"moments": 1_500_000_000, "blocks": 500_000})


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1 kB"),
        (1_500_000_000, "1.5 GB"),
        (2e15, "2e+03 TB"),
        (12_345_678, "12.3 MB"),
    ],
)
def test_sizes_are_written_for_people(size, words):
    assert format_bytes(size) == words


def test_a_bill_is_the_sum_of_its_items_and_lists_them():
    assert BILL.total == 1_500_500_000
    lines = str(BILL).splitlines()
    assert [line.split("  ")[-1] for line in lines] == ["moments", "blocks", "in all"]
    assert MemoryBill({}).total == 0


def test_a_bill_above_the_budget_is_refused_with_the_remedy():
    with bo.config_context(memory=BILL.total):
        require_memory(BILL, "Use fewer features.")
    with (
        bo.config_context(memory=BILL.total - 1),
        pytest.raises(
            MemoryBudgetError, match=r"(?s)This needs 1.5 GB.*1.5 GB  moments.*Use fewer features\."
        ) as caught,
    ):
        require_memory(BILL, "Use fewer features.")
    assert isinstance(caught.value, MemoryError)


def test_blocks_of_rows_take_a_share_of_the_budget_within_limits():
    with bo.config_context(memory=8_000_000):
        assert rows_within(1000, share=0.25) == 2000
        assert rows_within(1, most=500) == 500
        assert rows_within(10**9, least=7) == 7
        assert fits(8_000_000)
        assert not fits(8_000_001)


def test_slices_cover_all_rows_once():
    found = [*row_slices(10, 4)]
    assert found == [slice(0, 4), slice(4, 8), slice(8, 10)]
    assert [*row_slices(0, 4)] == []


def test_an_allocation_that_the_system_refuses_says_what_to_do():
    @advice_when_full()
    def allocate():
        raise MemoryError("Unable to allocate 9 GiB")

    with pytest.raises(MemoryBudgetError, match=r"(?s)gave no more memory \(Unable to allocate 9 GiB\).*set_config"):
        allocate()


def test_a_bill_that_was_refused_keeps_its_words():
    with pytest.raises(MemoryBudgetError, match=r"^the bill$"), advice_when_full():
        raise MemoryBudgetError("the bill")


def peak_of(call):
    """Largest sum of NumPy arrays and objects that were made and not freed during a call, in bytes."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_leave_one_out_of_many_targets_works_on_some_of_them_at_a_time():
    X = np.random.default_rng(0).standard_normal((4000, 3))
    Y = np.sin(X[:, :1] + np.arange(60))
    model = bo.KernelRegressor(n_components=64, length_scale=2.0, alpha="loo", random_state=0)
    with bo.config_context(memory="24MB", n_threads=2):
        model.fit(X[:200], Y[:200])  # loops are compiled
        assert peak_of(lambda: model.fit(X, Y)) < 24e6  # 4,000 rows of 60 targets and 25 penalties: 48 MB a copy


def test_scales_of_wide_rows_are_learned_from_as_many_as_the_budget_has_room_for():
    X = random_array((1200, 4000), density=0.003, rng=np.random.default_rng(0), format="csr")
    y = np.asarray(X.sum(axis=1))
    with bo.config_context(memory="100MB", n_threads=2):
        model = bo.KernelRegressor(random_state=0).fit(X[:100], y[:100])  # loops are compiled
        assert peak_of(lambda: model.fit(X, y)) < 120e6  # a dense copy of all rows: 38 MB


def test_predictions_hold_no_more_than_what_they_return():
    X = np.random.default_rng(0).standard_normal((30_000, 3))
    model = bo.KernelRegressor(n_components=32, length_scale=2.0, alpha=1.0, random_state=0)
    model.fit(X[:500], np.sin(X[:500, :1] + np.arange(40)))
    returned = 2 * 8 * len(X) * 40
    with bo.config_context(memory=int(1.3 * returned)):
        assert peak_of(lambda: model.predict(X, return_std=True)) < 1.3 * returned
    with bo.config_context(memory=int(0.9 * returned)), pytest.raises(MemoryBudgetError, match="Predict fewer rows"):
        model.predict(X, return_std=True)


def test_probabilities_are_made_from_some_scores_at_a_time():
    X = np.random.default_rng(0).standard_normal((40_000, 2))
    y = np.digitize(X[:600, 0], np.linspace(-1, 1, 29))
    model = bo.KernelClassifier(loss="logistic", n_components=16, length_scale=2.0, alpha=1.0, max_iter=3, tol=1e-1)
    model.fit(X[:600], y)
    returned = 8 * len(X) * len(model.classes_)
    with bo.config_context(memory=int(2 * returned)):
        found = []
        assert peak_of(lambda: found.append(model.predict_proba(X))) < 2 * returned
        np.testing.assert_allclose(found[0][-5:], model.predict_proba(X[-5:]), rtol=1e-9)


def test_a_certificate_of_many_rows_holds_few_of_their_features():
    X = np.random.default_rng(0).standard_normal((20_000, 4))
    features = bo.FourierFeatures(bo.Gaussian(2.0), n_components=512, random_state=0).fit(X)
    with bo.config_context(memory="20MB"):
        assert peak_of(lambda: features.certify(X)) < 20e6  # the features of sampled pairs: 82 MB


def test_dense_kernel_matrices_make_way_for_the_budget():
    X = np.random.default_rng(0).standard_normal((700, 2))
    y = np.sin(X[:, 0])
    model = bo.KernelRegressor(n_components=64, length_scale=2.0, alpha=1.0, random_state=0).fit(X, y)
    assert model.certify(X).instead == ""
    with bo.config_context(memory="24MB"):
        assert "memory budget has no room for kernel matrices of 700 rows" in model.certify(X).instead
        found = []
        assert peak_of(lambda: found.append(model.certify(X, y=y, X_new=np.tile(X + 1, (30, 1))))) < 24e6
        assert len(found[0].others) == 2  # at the new rows, and over their law; nothing of dense matrices


@pytest.mark.parametrize("landmarks", ["pivoted", "leverage"])
def test_landmarks_are_chosen_within_the_budget(landmarks):
    X = np.random.default_rng(0).standard_normal((15_000, 3))
    maps = bo.NystroemFeatures(bo.Gaussian(2.0), n_components=300, landmarks=landmarks, random_state=0)
    with bo.config_context(memory="16MB"):
        assert peak_of(lambda: maps.fit(X)) < 16e6  # a factor of 15,000 candidates: 36 MB


def test_a_search_for_landmarks_ends_with_the_budget():
    X = np.random.default_rng(0).standard_normal((4000, 2))
    y = np.sin(9 * X[:, 0]) * np.cos(7 * X[:, 1])
    with bo.config_context(memory="20MB", n_threads=1):
        model = bo.KernelRegressor(bo.Gaussian(0.3), random_state=0).fit(X, y)
    assert "do not fit in the memory budget" in model.width_curve_.reason


def test_a_kernel_matrix_has_a_bill():
    with bo.config_context(memory="10MB"), pytest.raises(MemoryBudgetError, match="Take fewer rows"):
        bo.Gaussian()(np.zeros((2000, 1)))


def test_frequencies_have_a_bill():
    features = bo.FourierFeatures(bo.Gaussian(), n_components=40_000)
    with bo.config_context(memory="50MB"), pytest.raises(MemoryBudgetError, match="Lower n_components"):
        features.fit(np.zeros((2, 500)))


def test_orthogonal_frequencies_are_the_same_whether_drawn_at_once_or_not(monkeypatch):
    given = (45, 6, 2, 1, 3)
    at_once = bo.Orthogonal().points(*given)[0]
    monkeypatch.setattr("bochner.sampling.orthogonal._NUMBERS", 1)
    np.testing.assert_array_equal(bo.Orthogonal().points(*given)[0], at_once)


def test_rows_in_both_tables_are_found_and_tables_stay_as_they_are():
    X = np.round(np.random.default_rng(0).standard_normal((500, 3)))
    given = X.copy()
    assert share_rows(X, X[-1:])
    assert not share_rows(X, X[-1:] + np.array([0, 0, 0.5]))
    np.testing.assert_array_equal(X, given)


@pytest.mark.parametrize(("budget", "given_back"), [(1_000_000_000, 0), (3_000_000, 1)])
def test_freed_memory_is_given_back_where_a_bill_is_a_large_part_of_the_budget(budget, given_back, monkeypatch):
    calls = []
    monkeypatch.setattr("bochner.memory._trim", lambda: calls.append)
    with bo.config_context(memory=budget):
        require_memory(MemoryBill({"matrix": 1_000_000}), "Use less.")
    assert len(calls) == given_back
