"""Tables as people have them: what is wrong is said in words that name it, and what looks wrong is noted."""

import numpy as np
import pandas as pd
import pytest

from bochner.cli.main import main

QUICK = ("-D", "8", "--alpha", "1", "--length-scale", "1", "--force")
N = 60
A = np.random.default_rng(0).permutation(N) / 7


def table(**columns):
    return pd.DataFrame({"a": A, "b": np.sqrt(A), "y": A.round(3)} | columns)


def lines(head="a,b,y"):
    return [head, *(f"{i},{i * i},{2 * i}" for i in range(N))]


@pytest.fixture
def fit(tmp_path, monkeypatch, capsys):
    """Fit a table, or a text, quickly: the exit code, and all that is said."""
    monkeypatch.chdir(tmp_path)

    def run(content, *options, name="t.csv"):
        if isinstance(content, pd.DataFrame):
            content.to_csv(name, index=False)
        else:
            (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        code = main(["fit", name, "--target", "y", *QUICK, *options])
        told = capsys.readouterr()
        assert "Traceback" not in told.err
        return code, " ".join((told.err + told.out).split())

    return run


MONTHS = pd.date_range("2015-01-01", periods=N, freq="MS")
UNCLOSED = "\n".join([*lines()[:31], '"30,900,60', *lines()[32:]])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (UNCLOSED, "line 32 has 1 cell, and the line of names 3: \"30,900,60 (a quotation mark is not closed)"),
        ("\n".join([*lines()[:20], "1,2,3,4", *lines()[20:]]), "line 21 has 4 cells, and the line of names 3"),
        ("\n".join([*lines()[:20], "1,2", *lines()[20:]]), "every line must have as many cells as there are names"),
        ("\n".join(["sep=;", *lines("a;b;y")]), "the first line must have the names of the columns"),
        ("\n".join(["# exported", *lines()]), "the first line must have the names of the columns"),
        ("", "it has no rows"),
        ("\n\n\n", "it has no rows"),
        ("\n".join(lines()[4:]), "These are numbers: the first line of a file must have the names"),
        ("\n".join(lines()[1:]), "Twice: 0. The first line of a file must have the names"),
        ("\n".join(lines()).replace(",", " "), "Cells must be separated by commas, semicolons, tabs or bars"),
        ("<!DOCTYPE html><html><body>404</body></html>", "a web page, by its first letters"),
        ('[{"a": 1, "y": 2}]', "JSON, by its first letters"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "a picture, by its first letters"),
        ("\n".join(lines()[:3]), "0 holds out none"),
        (table(y=np.nan), "It is missing in all 60 rows"),
        (table(y=[f"t{i}" for i in range(N)]), "Got 60 in 60 rows, such as 't0'."),
        (table(y=range(N))[:8], "Got 8 in 8 rows, such as '0'; --task regression takes them as numbers."),
        (table(y=[f"'{i}'" for i in range(N)]), "numbers in single quotation marks"),
        (table(y=["?" if i == 10 else f"{a}" for i, a in enumerate(A)]), "must be numbers, as in most of its rows. Got "
         "'?' in row 11: correct it, or leave such rows out (--missing '?' --drop-missing-target)"),
        (table(y=MONTHS), "make them numbers, such as days since a date"),
        (table(y=[1e300 if i == 7 else i / 7 for i in range(N)]), "must not exceed 1e+100. Got 1e+300 in row 8:"),
        (table(y=[str(2**60 + i) for i in range(N)]), "cannot tell whole numbers beyond 2^53 apart: subtract"),
        (table(y=[f"1.{i:03},50" for i in range(N)]), "they look like numbers with separators of thousands"),
        (table(x=["0000-00-00" if i == 30 else f"{day:%Y-%m-%d}" for i, day in enumerate(MONTHS)]), "must hold dates, "
         "as in most of its rows. Got '0000-00-00' in row 31"),
        (table(y=[f"{1 + i % 28}-Jan-{1990 + i}" for i in range(N)]), "they look like dates: write all of them as"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_table_is_named(fit, content, said):
    code, told = fit(content)
    assert code == 2
    assert said in told


def test_a_target_without_a_value_is_refused_whatever_is_left_out(fit):
    code, told = fit(table(y=np.nan), "--drop-missing-target")
    assert code == 2
    assert "It is missing in all 60 rows" in told


def test_a_mark_among_the_targets_is_told_by_its_row_also_after_rows_that_are_left_out(fit):
    marked = [None if i < 5 else "?" if i == 10 else f"{a}" for i, a in enumerate(A)]
    code, told = fit(table(y=marked), "--drop-missing-target")
    assert code == 2
    assert "Got '?' in row 11" in told
    assert fit(table(y=marked), "--drop-missing-target", "--missing", "?")[0] == 0


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        (np.zeros(N), "must not all be zero"),
        (np.where(np.arange(N) == 7, -2, 1.0), "not negative. Got -2 in row 8"),
        (np.where(np.arange(N) == 7, np.nan, 1.0), "Got a missing value in row 8"),
        (["x"] * N, "must be numbers. Got 'x'"),
    ],
)
@pytest.mark.parametrize("share", [1.0, 0.0], ids=["whole", "streamed"])
def test_weights_that_are_none_are_told_by_their_row(fit, weights, said, share, monkeypatch):
    monkeypatch.setattr("bochner.cli.training._WHOLE_SHARE", share)
    code, told = fit(table(w=weights), "--weight", "w")
    assert code == 2
    assert said in told


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (MONTHS.strftime("%b %d, %Y"), "they look like dates"),
        (MONTHS.strftime("%d-%b-%y"), "they look like dates"),
        (MONTHS.strftime("%Y-%m"), "they look like dates"),
        ([f"{day:%d/%m/%Y}" if i % 2 else f"{day:%Y-%m-%d}" for i, day in enumerate(MONTHS)], "they look like dates"),
        (MONTHS.strftime("%Y%m%d"), "seems to hold days as numbers, such as 20"),
        (["None" if i % 5 == 0 else str(i) for i in range(N)], "say so (--missing 'None')"),
        ([-999 if i % 9 == 0 else i for i in range(N)], "far from its other values"),
        ([f"({i})" if i % 4 == 3 else str(1000 + i) for i in range(N)], "they look like numbers with separators"),
        (["word " * 50 + str(i) for i in range(N)], "such as 'word word word word word word word word ...')"),
        (
            ["unknown" if i % 5 == 0 else str(i % 22) for i in range(N)],
            "most of its values are numbers: if the others mean a missing value, say so (--missing 'unknown')",
        ),
        (
            ["0000-00-00" if i % 5 == 0 else f"{MONTHS[i % 22]:%Y-%m-%d}" for i in range(N)],
            "most of its values are dates",
        ),
        ([f"−{i}" for i in range(N)], "they look like numbers with separators"),
        (["Yes" if i % 3 else "yes" for i in range(N)], "Levels 'Yes' and 'yes' of column 'x' differ only by capitals"),
        (
            [f"{i:05}" for i in range(N)],
            "they begin with zeros: if they are numbers, write them without. --categorical 'x'",
        ),
    ],
)
def test_what_looks_wrong_in_a_column_is_noted(fit, column, said):
    code, told = fit(table(x=column))
    assert code == 0
    assert said in told
    assert "Python" not in told
    assert "TableEncoder" not in told


def test_what_looks_wrong_in_classes_is_noted(fit):
    labels = ["other" if i == 0 else "yes" if i % 2 else "no" if i % 4 else "No " for i in range(N)]
    code, told = fit(table(y=labels))
    assert code == 0
    assert "Classes 'No ' and 'no' of 'y' differ only by capitals or blanks" in told
    assert "Class 'other' of 'y' has one row" in told


def test_prices_that_repeat_and_are_taken_for_classes_are_noted(fit):
    code, told = fit(table(y=[f"${1000 + i % 20:,}.00" for i in range(N)]))
    assert code == 0
    assert "The texts of 'y' are taken as 20 classes; they look like numbers with separators of thousands" in told


def test_one_row_is_one_row(fit):
    told = fit(table()[:5])[1]
    assert "fitted to 4 rows: what it chooses" in told
    assert "Score on 1 held-out row model" in told


def test_large_numbers_with_a_point_are_no_identifiers(fit):
    told = fit(table(x=[f"{10.0 ** (i % 40)}" for i in range(N)]))[1]
    assert "inputs a, b, x: standardised" in told


def test_small_errors_have_digits(fit):
    told = fit(table(y=A * 1e-7))[1]
    assert "RMSE, in units of y 0.0000" not in told


def test_a_spreadsheet_is_to_be_exported(fit):
    assert "export its sheet as CSV" in fit(b"PK", name="t.xlsx")[1]


def test_a_name_that_is_empty_is_shown_and_one_column_is_one(fit):
    code, told = fit(table().rename(columns={"b": ""}), "--drop", "a")
    assert code == 0
    assert "inputs '': standardised" in told
    assert "in all 1 column of float64" in told
