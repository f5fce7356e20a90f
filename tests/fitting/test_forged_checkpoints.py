"""Checkpoints with right checksums and wrong content are refused with the remedy, or do no harm; none hangs a fit."""

import numpy as np
import pytest

import bochner as bo
from bochner._archive import read_archive, write_archive
from bochner.errors import CheckpointError, InvalidDataError
from bochner.statistics import CheckpointFile

RNG = np.random.default_rng(0)
X = RNG.standard_normal((300, 3))
Y = np.sin(X.sum(axis=1))
KERNEL = bo.Gaussian(1.5)
FITS = {
    "direct": lambda path: bo.KernelRegressor(KERNEL, n_components=8, alpha=0.1, random_state=0, checkpoint=path),
    "iterative": lambda path: bo.KernelRegressor(
        KERNEL, n_components=8, alpha=0.1, solver="iterative", random_state=0, checkpoint=path
    ),
    "exact": lambda path: bo.KernelRegressor(
        KERNEL, features="exact", alpha=0.1, solver="iterative", random_state=0, checkpoint=path
    ),
    "logistic": lambda path: bo.KernelClassifier(KERNEL, n_components=8, alpha=0.1, random_state=0, checkpoint=path),
    "hinge": lambda path: bo.KernelClassifier(
        KERNEL, n_components=8, alpha=9.0, loss="hinge", random_state=0, checkpoint=path
    ),
}


class Killed(BaseException):
    pass


def fitted(kind, path):
    target = Y > 0 if kind in ("logistic", "hinge") else Y
    with bo.config_context(n_threads=3):
        return FITS[kind](path).fit(X, target)


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory):
    """Checkpoints of fits that were killed after their first write."""
    folder, save = tmp_path_factory.mktemp("interrupted"), CheckpointFile.save

    def killing(self, *args, **kwargs):
        save(self, *args, **kwargs)
        raise Killed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CheckpointFile, "due", True)
        patch.setattr(CheckpointFile, "save", killing)
        for kind in FITS:
            with pytest.raises(Killed):
                fitted(kind, folder / kind)
    return folder


def forge(interrupted, kind, path, change):
    _, header, arrays = read_archive(interrupted / kind, kind="checkpoint", version=1)
    header, arrays = change(header, arrays) or (header, arrays)
    write_archive(path, kind="checkpoint", version=1, header=header, arrays=arrays)


def with_array(name, change):
    def forged(header, arrays):
        [own] = [each for each in arrays if each == name or each.endswith(f".{name}")]
        arrays[own] = change(arrays[own].copy())

    return forged


def with_number(name, value):
    def forged(header, arrays):
        [own] = [each for each in header["state"] if each == name or each.endswith(f".{name}")]
        header["state"][own] = value

    return forged


def without(name):
    def forged(header, arrays):
        for table in (header["state"], arrays):
            for own in [each for each in table if each == name or each.endswith(f".{name}")]:
                del table[own]

    return forged


def entry(value):
    def changed(array):
        array.flat[0] = value
        return array

    return changed


def header_of(**changes):
    return lambda header, arrays: ({**header, **changes}, arrays)


REFUSED = {
    "identity is a list": ("direct", header_of(identity=["a"])),
    "identity of numbers": ("direct", header_of(identity={"kernel": 1})),
    "notes are none": ("direct", header_of(notes=None)),
    "negative seed": ("direct", header_of(notes={"seed": -1})),
    "seed is a text": ("logistic", header_of(notes={"seed": "0"})),
    "state is a text": ("direct", header_of(state="text")),
    "no identity": ("direct", lambda header, arrays: ({"notes": {}, "state": {}}, arrays)),
    "no zz": ("direct", without("zz")),
    "no block_rows": ("direct", without("block_rows")),
    "NaN in zz": ("direct", with_array("zz", entry(np.nan))),
    "huge zy": ("direct", with_array("zy", entry(1e300))),
    "negative variance": ("direct", with_array("zz", lambda zz: -zz)),
    "float32": ("direct", with_array("zz", lambda zz: zz.astype(np.float32))),
    "wider": ("direct", with_array("zz", lambda zz: np.zeros((900, 900)))),
    "negative n_rows": ("direct", with_number("n_rows", -5)),
    "more rows": ("direct", with_number("n_rows", 10**12)),
    "another weight": ("direct", with_number("weight", 1e9)),
    "huge blocks": ("direct", with_number("block_rows", 10**15)),
    "a start beyond the rows": ("direct", with_array("starts", entry(10**6))),
    "a start within a block": ("direct", with_array("starts", entry(7))),
    "a negative start": ("direct", with_array("starts", entry(-100))),
    "starts that are no pairs": ("direct", with_array("starts", lambda starts: np.r_[starts, starts])),
    "more rows of positive weight than rows": ("direct", with_array("identity", entry(2**64 - 1))),
    "NaN in a residual": ("iterative", with_array("residual", entry(np.nan))),
    "infinite x": ("iterative", with_array("x", entry(np.inf))),
    "x beyond reason": ("iterative", with_array("x", entry(1e300))),
    "no direction": ("iterative", without("direction")),
    "a flat direction": ("iterative", with_array("direction", np.ravel)),
    "a flat residual of exact rows": ("exact", with_array("residual", np.ravel)),
    "fewer exact rows": ("exact", with_array("image", lambda image: image[:-1])),
    "NaN in an exact solution": ("exact", with_array("x", entry(np.nan))),
    "an exact solution with a constant part": ("exact", with_array("x", lambda x: x + 1.0)),
    "another penalty of exact rows": ("exact", with_number("alpha", 5.0)),
    "precision that is no choice": ("exact", with_number("double", 7)),
    "exact iterations without end": ("exact", with_number("n_iter", 10**9)),
    "another stage": ("iterative", with_number("stage", "search")),
    "another penalty": ("iterative", with_number("alpha", 5.0)),
    "other iterations": ("iterative", with_number("n_iter", 10**5)),
    "iterations without end": ("iterative", with_number("n_iter", -(10**9))),
    "NaN in theta": ("logistic", with_array("theta", entry(np.nan))),
    "other rows in scores": ("logistic", with_array("scores", lambda scores: scores[:-1])),
    "too many iterations": ("logistic", with_number("n_iter", 10**9)),
    "no random state": ("logistic", without("random")),
    "a negative dual variable": ("hinge", with_array("dual", entry(-1.0))),
    "an infinite dual variable": ("hinge", with_array("dual", entry(np.inf))),
    "moved by a number": ("hinge", with_number("moved", 3)),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_forged_checkpoint_is_refused_with_path_and_remedy(interrupted, tmp_path, case):
    kind, change = REFUSED[case]
    path = tmp_path / "c"
    forge(interrupted, kind, path, change)
    with pytest.raises(CheckpointError, match=r"Delete it to start anew\.") as error:
        fitted(kind, path)
    assert str(path) in str(error.value)


HARMLESS = {
    "scores that are not those of theta": ("logistic", with_array("scores", lambda scores: -scores)),
    "theta beyond reason": ("logistic", with_array("theta", lambda theta: theta + 1e300)),
    "theta elsewhere": ("logistic", with_array("theta", lambda theta: theta - 3.0)),
    "dual variables above their bound": ("hinge", with_array("dual", lambda dual: dual + 1e200)),
    "dual variables elsewhere": ("hinge", with_array("dual", lambda dual: dual[::-1].copy())),
    "an exact solution elsewhere": ("exact", with_array("x", lambda x: 2.0 * x)),
    "x elsewhere": ("iterative", with_array("x", lambda x: x + 1.0)),
}


@pytest.mark.parametrize("case", HARMLESS)
def test_solvers_find_the_solution_from_wherever_they_start(interrupted, tmp_path, case):
    kind, change = HARMLESS[case]
    forge(interrupted, kind, tmp_path / "c", change)
    found, expected = fitted(kind, tmp_path / "c"), fitted(kind, None)
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=0, atol=2e-3 * np.abs(expected.coef_).max())


def test_a_file_beyond_the_memory_budget_is_refused_as_a_checkpoint(interrupted, tmp_path):
    forge(interrupted, "direct", tmp_path / "c", with_array("zz", lambda zz: np.zeros((2000, 2000))))
    with bo.config_context(memory="20MB"), pytest.raises(CheckpointError, match="Delete it to start anew"):
        fitted("direct", tmp_path / "c")


def test_nobody_is_told_to_delete_a_folder_a_model_or_a_file_of_others(tmp_path):
    bo.save(fitted("direct", None), tmp_path / "model.bochner")
    (tmp_path / "table.csv").write_text("a,b")
    (tmp_path / "old.pickle").write_bytes(b"\x80\x04N.")
    for name in (".", "model.bochner", "table.csv", "old.pickle"):
        with pytest.raises(CheckpointError, match="another path") as refusal:
            fitted("direct", tmp_path / name)
        assert "Delete" not in str(refusal.value)
        assert (tmp_path / name).exists()


def test_nan_ends_conjugate_gradients():
    """Residuals that are no numbers once looped for ever."""
    from bochner.solvers.iterative import solve_ridge_iteratively
    from tests.solvers.test_conjugate_gradient import operator_of

    states = []
    operator = operator_of(RNG.standard_normal((60, 5)), RNG.standard_normal((60, 1)))
    solve_ridge_iteratively(operator, alpha=0.1, tol=1e-9, n_rows=20, on_iteration=lambda state: states.append(state))
    states[0]["residual"][...] = np.nan
    states[0]["x"][...] = np.nan
    with pytest.raises(InvalidDataError, match="not finite"):
        solve_ridge_iteratively(operator, alpha=0.1, tol=1e-9, n_rows=20, state=states[0])
