"""Type checking of user code: mypy --strict and pyright see every public name with its real type."""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import bochner as bo

SOURCE = Path(bo.__file__).parents[1]
PROJECT = Path(__file__).parents[2]
CHECKERS = ("mypy", *(pytest.param(name, marks=pytest.mark.slow) for name in ("mypy of a user", "pyright")))

PREAMBLE = """\
import numpy as np

import bochner as bo

X = np.zeros((8, 2))
model = bo.KernelRegressor(bo.Gaussian(0.5), n_components=64, alpha=0.1, random_state=0)
classifier = bo.KernelClassifier("matern", random_state=0)
"""

CORRECT = """\
from bochner import FourierFeatures, KernelPCA
from bochner.groups import CyclicShifts

model.fit(X, X[:, 0], sample_weight=X[:, 1])
mean, std = model.predict(X, return_std=True)
labels = classifier.fit(X, [0, 1] * 4).predict(X)
features = FourierFeatures(bo.Matern(nu=1.5), n_components=32).fit(X).transform(X)
scores = KernelPCA(n_components=2).fit(X).transform(X)
orbit = bo.OrbitFeatures(CyclicShifts())
limits = bo.theory.finite_set.features_needed(n_points=9, eps=0.1, delta=0.1, kernel=bo.Gaussian(), embedding="paired")
with bo.config_context(memory="1GB"):
    bo.save(model, "model.bochner")
"""

REVEALED = {
    "bo.KernelRegressor": "KernelRegressor",
    "bo.Gaussian()": "Gaussian",
    "bo.Gaussian()(X)": "ndarray",
    "bo.FourierFeatures().transform(X)": "ndarray",
    "classifier.predict(X)": "ndarray",
    "classifier.predict_proba(X)": "ndarray",
    "model.fit(X, X[:, 0])": "KernelRegressor",
    "model.partial_fit(X, X[:, 0])": "KernelRegressor",
    "model.certify(X)": "Certificate",
    "bo.plan(n_samples=10, n_features=2)": "Plan",
    "bo.planning.plan(n_samples=10, n_features=2)": "Plan",
    "bo.mmd_test(X, X)": "KernelTestResult",
    "bo.mmd_test(X, X).pvalue": "float",
    "bo.report(model)": "Report",
    "bo.groups.CyclicShifts()": "CyclicShifts",
    "bo.theory.bounds()": "Claim",
    "bo.__version__": "str",
}

WRONG = {
    "an unknown argument of a constructor": "bo.KernelRegressor(no_such_argument=1)",
    "an argument of the wrong type": "bo.Gaussian(length_scale='wide')",
    "an unknown name": "bo.no_such_name",
    "an unknown name in a module": "bo.theory.no_such_bound",
    "an unknown argument of a function": "bo.plan(X, no_such_argument=1)",
    "a missing argument": "bo.mmd_test(X)",
    "an unknown attribute of a result": "bo.mmd_test(X, X).p_value",
    "an unknown argument of a method": "model.predict(X, return_variance=True)",
    "an unknown argument of a fit": "model.fit(X, X[:, 0], weights=X[:, 0])",
}

# scikit-learn has no types. pyright reads its source; to mypy a class that inherits from it has every attribute.
WRONG_TO_PYRIGHT = {
    "an unknown method": "model.no_such_method()",
    "an unknown attribute of a kernel": "bo.Gaussian(length_scale=np.ones(2)).profile_typo",
}


def lines_of(statements):
    """A module with one statement a line after the preamble, and the line of each."""
    first = PREAMBLE.count("\n") + 1
    return PREAMBLE + "\n".join(statements) + "\n", {text: first + i for i, text in enumerate(statements)}


def run(command, folder):
    """Standard output of a type checker: it fails when it finds errors, which are wanted here."""
    environment = {**os.environ, "MYPYPATH": str(SOURCE), "NO_COLOR": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout


def mypy(folder, config, cache):
    """Messages of mypy with --strict: (file, line, is an error, text)."""
    options = ("--output=json", f"--config-file={config}", f"--cache-dir={cache}")
    out = run([sys.executable, "-m", "mypy", *options, "."], folder)
    found = [json.loads(line) for line in out.splitlines()]
    return [(Path(m["file"]).name, m["line"], m["severity"] == "error", m["message"]) for m in found]


def mypy_of_a_user(folder, cache):
    """With the settings of a user, for whom the package is one that is installed."""
    config = folder / "mypy.ini"
    config.write_text("[mypy]\nstrict = true\n[mypy-bochner.*]\nfollow_imports = silent\n")
    return mypy(folder, config, cache)


def pyright(folder):
    """Messages of basedpyright, the build of pyright that needs no download, in pyright's standard mode."""
    (folder / "pyrightconfig.json").write_text(
        json.dumps({"typeCheckingMode": "standard", "extraPaths": [str(SOURCE)]})
    )
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable]
    found = json.loads(run(command, folder))["generalDiagnostics"]
    return [
        (Path(m["file"]).name, m["range"]["start"]["line"] + 1, m["severity"] == "error", m["message"]) for m in found
    ]


@pytest.fixture(scope="module")
def messages(tmp_path_factory, request):
    """What each checker says of all files of user code, in one run.

    mypy has read the package with the project's settings in `make check`, and takes it from there.
    """
    kept = getattr(request.config, "cache", None)  # absent with -p no:cacheprovider
    cache = tmp_path_factory.mktemp("mypy") if kept is None else kept.mkdir("mypy")
    folder = tmp_path_factory.mktemp("user_code")
    (folder / "correct.py").write_text(PREAMBLE + CORRECT)
    (folder / "revealed.py").write_text(lines_of([f"reveal_type({text})" for text in REVEALED])[0])
    (folder / "wrong.py").write_text(lines_of([*WRONG.values(), *WRONG_TO_PYRIGHT.values()])[0])
    names = [name for name in bo.__all__ if name != "__version__"]
    (folder / "names.py").write_text("import bochner as bo\n" + "".join(f"reveal_type(bo.{n})\n" for n in names))
    checkers = {
        "mypy": lambda: mypy(folder, PROJECT / "pyproject.toml", PROJECT / ".mypy_cache"),
        "mypy of a user": lambda: mypy_of_a_user(folder, cache),
        "pyright": lambda: pyright(folder),
    }
    return functools.cache(lambda name: checkers[name]())


@pytest.mark.parametrize("checker", CHECKERS)
def test_correct_code_passes(messages, checker):
    assert [m for m in messages(checker) if m[0] in ("correct.py", "revealed.py", "names.py") and m[2]] == []


@pytest.mark.parametrize("checker", CHECKERS)
def test_no_public_name_is_any(messages, checker):
    revealed = [text for file, _, error, text in messages(checker) if file == "names.py" and not error]
    assert len(revealed) == len(bo.__all__) - 1
    assert [text for text in revealed if re.search(r'"(Any|Unknown)"', text)] == []


@pytest.mark.parametrize("checker", CHECKERS)
@pytest.mark.parametrize("expression", REVEALED)
def test_revealed_types_are_ours(messages, checker, expression):
    line = lines_of([f"reveal_type({text})" for text in REVEALED])[1][f"reveal_type({expression})"]
    (said,) = [text for file, at, _, text in messages(checker) if (file, at) == ("revealed.py", line)]
    # The type ends what is said: '... is "bochner.planning.plan.Plan"', '... -> bochner.x.KernelRegressor"'.
    assert re.search(rf'\b{REVEALED[expression]}\b[\]\["\w., ]*"$', said.split(" is ", 1)[1]), said


@pytest.mark.parametrize(
    ("checker", "mistake"),
    [
        *(("mypy", mistake) for mistake in WRONG),
        *(pytest.param("pyright", mistake, marks=pytest.mark.slow) for mistake in [*WRONG, *WRONG_TO_PYRIGHT]),
    ],
)
def test_mistakes_are_found(messages, checker, mistake):
    line = lines_of([*WRONG.values(), *WRONG_TO_PYRIGHT.values()])[1][{**WRONG, **WRONG_TO_PYRIGHT}[mistake]]
    assert any(error for file, at, error, _ in messages(checker) if (file, at) == ("wrong.py", line))
