"""Exact kernel machines by iterations agree with the factorised ones, are saved, resumed, certified and calibrated."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning

import bochner as bo
from bochner.errors import IllConditionedWarning, InvalidDataError, MemoryBudgetError
from bochner.statistics import CheckpointFile
from bochner.statistics.kernel_product import KernelProduct
from tests.strategies import rows

X = rows(0, 900, 3)
CLEAN = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]
y = CLEAN + 0.2 * rows(1, 900, 1)[:, 0]
WEIGHT = np.random.default_rng(2).uniform(0.3, 3, 900)
NEW = rows(3, 200, 3)
GIVEN = {"kernel": bo.Gaussian(1.2), "length_scale": 1.2, "alpha": 0.05, "features": "exact", "random_state": 0}


def machine(solver="iterative", **changes):
    return bo.KernelRegressor(**{**GIVEN, "solver": solver, **changes})


@pytest.mark.parametrize(
    "kernel", [bo.Gaussian(1.2), bo.Matern(1.2, nu=0.5), bo.Laplacian(2.0), bo.Cauchy(1.2)], ids=repr
)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_predictions_are_those_of_the_factorised_machine(kernel, fit_intercept):
    settings = {"kernel": kernel, "length_scale": kernel.length_scale, "fit_intercept": fit_intercept}
    dense, found = (machine(solver, **settings).fit(X, y, WEIGHT) for solver in ("direct", "iterative"))
    distance = np.sqrt(np.average((dense.predict(X) - found.predict(X)) ** 2, weights=WEIGHT))
    assert distance <= 1e-4 * y.std() * 1.1
    np.testing.assert_allclose(found.predict(NEW), dense.predict(NEW), atol=1e-2 * y.std())
    assert (found.solver_, dense.solver_) == ("iterative", "direct")
    assert found.n_iter_ == len(found.residuals_) - 1
    assert found.residuals_[-1] <= 1e-4


def test_many_targets_are_fitted_together():
    Y = np.stack([y, 5 * CLEAN + 2, np.full(900, 3.0)], axis=1)
    together = machine().fit(X, Y)
    for i in range(3):
        alone = machine("direct").fit(X, Y[:, i])
        np.testing.assert_allclose(together.predict(NEW)[:, i], alone.predict(NEW), atol=1e-2 * (Y[:, i].std() + 1e-6))


def test_the_certificate_knows_the_promised_distance():
    model = machine().fit(X, y, WEIGHT)
    certificate = model.certify(X, y=y, sample_weight=WEIGHT)
    centred = y - np.average(y, weights=WEIGHT)
    assert certificate.at_least <= certificate.value <= 1.2e-4 * np.sqrt(np.average(centred**2, weights=WEIGHT))


def test_a_tighter_tolerance_is_kept():
    dense, found = machine("direct").fit(X, y), machine(tol=1e-9).fit(X, y)
    assert np.max(np.abs(dense.predict(X) - found.predict(X))) <= 1e-7


def test_error_bars_cover_new_targets():
    model = machine(alpha="auto").fit(X, y)
    observed = np.sin(2 * NEW[:, 0]) + NEW[:, 1] * NEW[:, 2] + 0.2 * rows(4, 200, 1)[:, 0]
    _, std, (low, high) = model.predict(NEW, return_std=True, return_interval=0.9)
    assert 0.8 <= np.mean((low <= observed) & (observed <= high)) <= 0.97
    assert 0.15 <= np.median(std) <= 0.3
    assert model.spread_.approximate
    far = model.predict(np.full((1, 3), 50.0), return_std=True)[1]
    assert far > 2 * np.median(std)


def test_error_bars_are_near_those_of_the_factorised_machine(monkeypatch):
    monkeypatch.setattr("bochner.solvers.kernel_bill._LANDMARKS", 300)
    dense, found = (machine(solver, alpha=0.05).fit(X, y) for solver in ("direct", "iterative"))
    stds = [model.predict(NEW, return_std=True)[1] / np.sqrt(model.noise_variance_) for model in (dense, found)]
    assert np.all(stds[1] >= 0.97 * stds[0])
    assert np.median(stds[1] / stds[0]) <= 1.05


def test_an_interrupted_fit_goes_on_to_the_same_bits(tmp_path, monkeypatch):
    monkeypatch.setattr("bochner.solvers.kernel_bill._LANDMARKS", 60)
    whole = machine(alpha=0.01).fit(X, y)
    monkeypatch.setattr(CheckpointFile, "due", True)
    saved, save = [], CheckpointFile.save

    def save_and_die(self, *args, **kwargs):
        save(self, *args, **kwargs)
        saved.append(1)
        if len(saved) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(CheckpointFile, "save", save_and_die)
    path = tmp_path / "fit.checkpoint"
    with pytest.raises(KeyboardInterrupt):
        machine(alpha=0.01, checkpoint=path).fit(X, y)
    again = machine(alpha=0.01, checkpoint=path).fit(X, y)
    assert np.array_equal(whole.coef_, again.coef_)
    assert whole.n_iter_ == again.n_iter_ == len(saved)


def test_a_model_file_and_onnx_predict_the_same(tmp_path):
    model = machine(alpha="auto").fit(X, y)
    bo.save(model, tmp_path / "m.bochner")
    loaded = bo.load(tmp_path / "m.bochner")
    for a, b in zip(model.predict(NEW, return_std=True), loaded.predict(NEW, return_std=True)):
        np.testing.assert_array_equal(a, b)
    bo.save(model, tmp_path / "small.bochner", statistics=False)
    small = bo.load(tmp_path / "small.bochner")
    np.testing.assert_array_equal(small.predict(NEW), model.predict(NEW))
    assert (tmp_path / "small.bochner").stat().st_size < (tmp_path / "m.bochner").stat().st_size
    onnxruntime = pytest.importorskip("onnxruntime")
    bo.to_onnx(model, tmp_path / "m.onnx")
    session = onnxruntime.InferenceSession(str(tmp_path / "m.onnx"))
    (found, *_) = session.run(None, {"X": NEW.astype(np.float32)})
    np.testing.assert_allclose(np.ravel(found), model.predict(NEW), atol=1e-3)


def test_a_report_is_written(tmp_path):
    bo.report(machine().fit(X, y), tmp_path / "report.html", X=X, y=y)
    assert (tmp_path / "report.html").stat().st_size > 1000


def test_little_memory_is_refused_with_the_bill():
    with bo.config_context(memory="100 kB"), pytest.raises(MemoryBudgetError, match="features='nystroem'"):
        machine().fit(X, y)


@pytest.mark.parametrize("alpha", [0, 1e-300, 1e-13])
def test_a_penalty_of_zero_or_of_rounding_is_raised_and_told(alpha):
    model = machine(alpha=alpha, max_iter=5)
    with pytest.warns((IllConditionedWarning, ConvergenceWarning)) as told:
        model.fit(X, y)
    assert IllConditionedWarning in [warning.category for warning in told]
    assert model.alpha_ >= 1e-8


def test_iterations_that_end_early_are_told():
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        machine(alpha=1e-4, max_iter=1, tol=1e-8).fit(X, y)


def test_duplicates_and_rows_without_weight_change_nothing():
    weight = np.ones(900)
    weight[100:200] = 0
    dropped = machine(tol=1e-8).fit(X, y, weight)
    kept = np.flatnonzero(weight)
    np.testing.assert_allclose(dropped.predict(NEW), machine(tol=1e-8).fit(X[kept], y[kept]).predict(NEW), atol=1e-5)
    twice = machine(tol=1e-8).fit(np.vstack([X, X]), np.tile(y, 2))
    double = machine(tol=1e-8).fit(X, y, np.full(900, 2.0))
    np.testing.assert_allclose(twice.predict(NEW), double.predict(NEW), atol=1e-5)


def test_sparse_rows_are_the_same_rows():
    sparse = np.where(np.abs(X) > 1, X, 0)
    np.testing.assert_allclose(
        machine().fit(csr_array(sparse), y).predict(sparse), machine().fit(sparse, y).predict(sparse), atol=1e-6
    )


def test_rows_that_are_not_in_memory_are_refused(tmp_path):
    np.save(tmp_path / "x.npy", X)
    with pytest.raises((InvalidDataError, TypeError, ValueError), match="memory"):
        machine().fit(bo.scan_csv(_csv(tmp_path), target="y"))


def _csv(folder):
    path = folder / "rows.csv"
    np.savetxt(path, np.column_stack([X[:50], y[:50]]), delimiter=",", header="a,b,c,y", comments="")
    return path


def test_parameters_that_do_not_go_together_are_refused():
    with pytest.raises(ValueError, match="validation_fraction"):
        machine(validation_fraction=0.1).fit(X, y)
    with pytest.raises(ValueError, match="solver"):
        machine(bo.solvers.DirectSolver()).fit(X, y)


def test_a_memory_map_is_read_as_rows_in_memory(tmp_path):
    np.save(tmp_path / "x.npy", X)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    assert np.array_equal(machine().fit(mapped, y).predict(NEW), machine().fit(X, y).predict(NEW))


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_what_is_no_number_is_refused(wrong):
    damaged = X.copy()
    damaged[17, 1] = wrong
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        machine().fit(damaged, y)
    target = y.copy()
    target[3] = wrong
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        machine().fit(X, target)


def test_machines_that_keep_their_tiles_agree_with_the_factorised_one():
    X = rows(4, 2500, 3)
    y = np.sin(2 * X[:, 0]) + 0.2 * rows(5, 2500, 1)[:, 0]
    kept, dense = machine(alpha=0.3).fit(X, y), machine("direct", alpha=0.3).fit(X, y)
    assert kept.fitted_.solution.rows == 683  # landmarks of the preconditioner: a third, since tiles are kept
    assert np.sqrt(np.mean((kept.predict(X) - dense.predict(X)) ** 2)) <= 1.1e-4 * y.std()
    with bo.config_context(memory="80MB", n_threads=2):  # with tiles it would be 94 MB
        without = machine(alpha=0.3).fit(X, y)
    assert without.fitted_.solution.rows == 512
    np.testing.assert_allclose(without.predict(X), kept.predict(X), atol=1e-3)


def test_a_penalty_that_is_given_has_no_second_machine(monkeypatch):
    columns = []
    times = KernelProduct.times
    monkeypatch.setattr(KernelProduct, "times", lambda self, V: columns.append(V.shape[1]) or times(self, V))
    machine().fit(X, y)
    assert set(columns) == {1}
    columns.clear()
    machine(alpha="auto").fit(X, y)
    assert 2 in columns


def test_a_smaller_tolerance_is_never_a_larger_distance():
    """1e-6 was taken for "not given", and solved to 1e-4 where 1e-5 solved to 1e-7."""
    exact = machine("direct").fit(X, y).predict(X)
    tolerances = ("auto", 1e-4, 1e-5, 1e-6, 1e-8)
    fits = [machine(tol=tol).fit(X, y) for tol in tolerances]
    distances = [np.sqrt(np.mean((fit.predict(X) - exact) ** 2)) / y.std() for fit in fits]
    assert distances[0] == distances[1] <= 1e-4
    assert all(distance <= tol for distance, tol in zip(distances[1:], tolerances[1:]))
    assert distances[1:] == sorted(distances[1:], reverse=True)
    n_iter = [fit.n_iter_ for fit in fits]
    assert n_iter == sorted(n_iter)
    assert n_iter[-1] > n_iter[0]


def test_the_automatic_tolerance_is_saved_and_cloned(tmp_path):
    model = machine().fit(X[:200], y[:200])
    bo.save(model, tmp_path / "m.bochner")
    assert bo.load(tmp_path / "m.bochner").tol == "auto"
    with pytest.raises(ValueError, match="'tol' parameter"):
        machine(tol="tight").fit(X[:200], y[:200])
