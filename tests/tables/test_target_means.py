"""Target statistics of rare levels: shrunken means, out of fold in the rows of the fit."""

import io
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

import bochner as bo
from bochner.cli.main import main
from bochner.errors import InvalidDataError, TableWarning
from bochner.tables.level_means import LevelMeans
from bochner.tables.target_means import TargetMeans, targets_of_levels

N, LEVELS = 600, 150


def shops(n=N, seed=0):
    """Rows of shops of Zipf sizes, whose effects matter, and targets."""
    rng = np.random.default_rng(seed)
    shares = 1 / np.arange(1, LEVELS + 1)
    effects = np.random.default_rng(1).standard_normal(LEVELS)
    level, size = rng.choice(LEVELS, n, p=shares / shares.sum()), rng.uniform(0, 1, n)
    table = pd.DataFrame({"size": size, "shop": [f"s{each}" for each in level]})
    return table, effects[level] + size + 0.2 * rng.standard_normal(n)


TABLE, Y = shops()
NEW, Y_NEW = shops(seed=2)
with_unknown_levels = pytest.mark.filterwarnings("ignore:Column 'shop' has")
MEANS = "shop: mean of the target"


def model(**parameters):
    return make_pipeline(
        bo.TableEncoder(max_levels=20, **parameters), bo.KernelRegressor(length_scale=2.0, alpha=0.1, random_state=0)
    )


def column(encoder, rows, name=MEANS):
    return rows[:, encoder.get_feature_names_out().tolist().index(name)]


def test_means_are_shrunken_by_the_ratio_of_variances():
    """Of two levels with a hundred rows each and variances within and between of 1 and 4, and one with a row."""
    noise = np.tile([-1.0, 1.0], 100)
    y = np.r_[noise + np.repeat([-2.0, 2.0], 100), 3.0]
    values = np.array(["a"] * 100 + ["b"] * 100 + ["c"], dtype=object)
    learned, _ = TargetMeans.learn("x", values, targets_of_levels(y, 201), common={"a", "b"})
    M, n = y.mean(), np.array([100, 100, 1])
    sums = np.array([y[:100].sum(), y[100:200].sum(), 3.0]) - n * M
    within = (((y - M) ** 2).sum() - (sums**2 / n).sum()) / (201 - 3)
    between = ((sums**2 / n).sum() - 2 * within) / (201 - (n**2).sum() / 201)
    made = LevelMeans.of(np.searchsorted(["a", "b", "c"], values.astype(str)), np.array([False, False, True]), y)
    np.testing.assert_allclose(made.pull, within / between)
    np.testing.assert_allclose(made.shrunken(), sums / (n + within / between))
    assert learned.levels == ["c"]


def test_rows_of_the_fit_have_means_of_other_rows():
    codes = np.random.default_rng(0).integers(0, 30, 200)
    y = np.random.default_rng(1).standard_normal(30)[codes] + 0.1 * np.random.default_rng(2).standard_normal(200)
    made = LevelMeans.of(codes, np.ones(30, dtype=bool), y)
    found = made.out_of_fold(codes)
    for row in (0, 17, 199):
        others = (made.folds != made.folds[row]) & (codes == codes[row])
        expected = (y[others] - y.mean()).sum() / (others.sum() + made.pull)
        assert found[row] == pytest.approx(expected, abs=1e-12)
    assert np.bincount(made.folds).tolist() == [40] * 5


def test_fit_transform_is_out_of_fold_and_new_rows_have_all_rows():
    encoder = bo.TableEncoder(max_levels=20)
    own, again = column(encoder, encoder.fit_transform(TABLE, Y)), column(encoder, encoder.transform(TABLE))
    counts = TABLE["shop"].map(TABLE["shop"].value_counts()).to_numpy()
    rare = ~TABLE["shop"].isin(encoder.columns_[1]["levels"]).to_numpy()
    assert np.all(own[rare & (counts == 1)] == 0)  # nobody else has this level
    assert np.all(own[~rare] == 0)
    assert np.all(again[~rare] == 0)
    assert np.corrcoef(again[rare], Y[rare])[0, 1] > np.corrcoef(own[rare], Y[rare])[0, 1] + 0.1
    with pytest.warns(TableWarning, match="mean of the levels"):
        unknown = encoder.transform(pd.DataFrame({"size": [0.5], "shop": ["new"]}))
    assert column(encoder, unknown) == 0
    assert column(encoder, unknown, "shop=(other)") == pytest.approx(rare.mean())


@with_unknown_levels
def test_statistics_of_rare_levels_help_a_pipeline():
    errors = [
        np.mean((model(**chosen).fit(TABLE, Y).predict(NEW) - Y_NEW) ** 2) for chosen in ({}, {"target_statistics": ()})
    ]
    assert errors[0] < 0.8 * errors[1]


def test_nothing_changes_without_rare_levels_or_a_target():
    few = TABLE.assign(shop=TABLE["shop"].where(TABLE["shop"].isin(["s0", "s1", "s2"]), "s3"))
    np.testing.assert_array_equal(bo.TableEncoder().fit_transform(few, Y), bo.TableEncoder().fit_transform(few))
    encoder = bo.TableEncoder(max_levels=20)
    encoder.fit_transform(TABLE)
    assert MEANS not in encoder.get_feature_names_out()
    assert MEANS not in encoder.fit(TABLE, np.ones(N)).get_feature_names_out()


@pytest.mark.parametrize(
    ("y", "names"),
    [
        (np.where(Y > 1, "yes", "no"), ["shop: share of yes"]),
        (Y > 1, ["shop: share of True"]),
        (np.digitize(Y, [-0.5, 1]), [f"shop: share of {label}" for label in (0, 1, 2)]),
        (np.round(100 * Y).astype(int), [MEANS]),
        (np.c_[Y, -Y], ["shop: mean of target 0", "shop: mean of target 1"]),
        (np.where(np.arange(N) == 3, np.nan, Y), []),
    ],
    ids=["texts", "booleans", "few whole numbers", "many whole numbers", "two targets", "a gap"],
)
def test_every_kind_of_target_has_its_columns(y, names):
    encoder = bo.TableEncoder(max_levels=20).fit(TABLE, y)
    assert [name for name in encoder.get_feature_names_out() if ": " in name] == names


def test_pure_noise_has_no_column_or_a_harmless_one():
    noise = np.random.default_rng(5).standard_normal(N)
    encoder = bo.TableEncoder(max_levels=20)
    out = encoder.fit_transform(TABLE, noise)
    if MEANS in encoder.get_feature_names_out():
        assert abs(np.corrcoef(column(encoder, out), noise)[0, 1]) < 0.2


def test_names_that_are_no_categories_scans_and_a_wrong_y_are_refused(tmp_path):
    with pytest.raises(InvalidDataError, match=r"are for categories\. Got 'size'"):
        bo.TableEncoder(target_statistics=["size"]).fit(TABLE, Y)
    with pytest.raises(InvalidDataError, match="no column 'town'"):
        bo.TableEncoder(target_statistics=["town"]).fit(TABLE, Y)
    with pytest.raises(InvalidDataError, match="need y"):
        bo.TableEncoder(target_statistics=["shop"]).fit(TABLE)
    with pytest.raises(InvalidDataError, match=r"600 rows\. Got shape"):
        bo.TableEncoder().fit(TABLE, Y[:-1])
    TABLE.assign(y=Y).to_parquet(tmp_path / "t.parquet")
    scan = bo.scan_parquet(tmp_path / "t.parquet", target="y")
    with pytest.raises(InvalidDataError, match="each would see its own target"):
        bo.TableEncoder(target_statistics=["shop"]).fit(scan)
    assert MEANS not in bo.TableEncoder(max_levels=20).fit(scan).get_feature_names_out()


@with_unknown_levels
def test_a_saved_pipeline_gives_the_same_bits(tmp_path):
    fitted = model().fit(TABLE, Y)
    bo.save(fitted, tmp_path / "model")
    np.testing.assert_array_equal(bo.load(tmp_path / "model").predict(NEW), fitted.predict(NEW))


@with_unknown_levels
def test_the_command_line_has_the_statistics_of_the_library(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    TABLE.assign(y=Y).to_csv("t.csv", index=False)
    NEW.to_csv("new.csv", index=False)
    fit = ["fit", "t.csv", "--target", "y", "--test-size", "0", "--length-scale", "2", "--alpha", "0.1", "--json"]
    assert main([*fit, "-D", "64"]) == 0
    assert MEANS in json.loads(capsys.readouterr().out)["columns"]
    assert main(["predict", "t.bochner", "new.csv"]) == 0
    told = pd.read_csv(io.StringIO(capsys.readouterr().out))["prediction"]
    library = bo.KernelRegressor(n_components=64, length_scale=2.0, alpha=0.1, random_state=0)
    pipeline = make_pipeline(bo.TableEncoder(target="y"), library).fit(TABLE, Y)
    np.testing.assert_allclose(told, pipeline.predict(NEW), rtol=1e-9)
