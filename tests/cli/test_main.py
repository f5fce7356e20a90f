"""Help, exit codes and one-sentence errors of the command `bochner`."""

import re
import signal
import subprocess
import time

import numpy as np
import pytest
from click.testing import CliRunner

from bochner.cli.app import app
from bochner.cli.main import main
from bochner.cli.options import KERNELS
from bochner.kernels import KERNELS as NAMED_KERNELS
from tests.cli.conftest import BOCHNER, ENVIRONMENT, make_houses


def test_help_loads_nothing_heavy():
    code = "import sys; from bochner.cli.main import main; main(['--help']); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([*BOCHNER[:1], "-c", code], env=ENVIRONMENT, capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in done.stderr.split()}
    assert not {"numpy", "scipy", "sklearn", "pandas", "pyarrow", "numba", "narwhals"} & loaded
    assert "fit        Learn to predict a column of a table." in done.stdout


@pytest.mark.parametrize("command", sorted(app.commands))
def test_every_command_teaches_by_examples(command):
    shown = CliRunner().invoke(app, [command, "--help"])
    assert shown.exit_code == 0
    assert re.search(rf"Examples?:\n(.*\n)?\s+bochner {command}", shown.output)


def test_the_kernels_are_those_of_the_library():
    assert set(KERNELS) == set(NAMED_KERNELS) - {"rbf"}  # another name of the Gaussian kernel


def test_bad_input_is_one_sentence_that_says_what_and_where(fitted, monkeypatch, capsys):
    folder, _ = fitted
    monkeypatch.chdir(folder)

    def refused(*arguments):
        assert main(list(arguments)) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        (sentence,) = printed.err.splitlines()
        return sentence

    make_houses(20).drop(columns=["city", "sold"]).to_csv(folder / "short.csv", index=False)
    make_houses(20).assign(area="large").to_csv(folder / "wrong.csv", index=False)
    (folder / "not.bochner").write_text("something else")
    assert refused("fit", "absent.csv", "--target", "price") == "Error: There is no file 'absent.csv'."
    assert "has no column 'cost'. It has 'area', 'rooms'" in refused("fit", "houses.csv", "--target", "cost")
    assert "no 'city', 'sold'" in refused("predict", "houses.bochner", "short.csv")
    assert "Column 'area' must hold a number. Got 'large' in row 1" in refused("predict", "houses.bochner", "wrong.csv")
    assert "--proba needs a model that predicts classes" in refused(
        "predict", "houses.bochner", "houses.csv", "--proba"
    )
    assert "not.bochner" in refused("predict", "not.bochner", "houses.csv")
    assert "there is no folder" in refused("fit", "houses.csv", "--target", "price", "--report", "no/r.html")
    assert "Only one has 'city', 'sold': --drop them" in refused("test", "houses.csv", "short.csv")


def test_an_interrupt_ends_with_130_and_leaves_no_files(tmp_path):
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "long.npz", X=rng.standard_normal((60_000, 20)), y=rng.standard_normal(60_000))
    process = subprocess.Popen(
        [*BOCHNER, "fit", "long.npz", "--target", "y", "-D", "4096"],
        cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    time.sleep(5)
    assert process.poll() is None, "the fit was over before the interrupt"
    process.send_signal(signal.SIGINT)
    printed, told = process.communicate(timeout=120)
    assert process.returncode == 130
    assert printed == ""
    assert told.strip() == "Interrupted."
    assert [path.name for path in tmp_path.iterdir()] == ["long.npz"]
