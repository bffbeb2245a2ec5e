"""The published data sets, read from PLUMBLINE_DATA_DIR: the certificate holds, and pandas finds nothing left."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from . import tool
from .tool import ORTHOGONAL, max_correlation


@pytest.fixture
def data():
    if tool.data_dir() is None:
        pytest.skip("PLUMBLINE_DATA_DIR is not set; set it to the folder that holds the published files")
    return Path(tool.data_dir())


def fair(file, folder, *flags):
    """What fit writes, with the sensitive columns; the certificate holds, or the exit code were 1."""
    out = folder / "fair.csv"
    done = tool.run("fit", "-i", file, *flags, "-m", folder / "m.json", "-o", out, "--keep-sensitive", "--json")
    assert done.code == 0, done.err
    before, after = (done.json["certificate"][when]["correlation"]["value"] for when in ("before", "after"))
    assert after <= ORTHOGONAL < before
    return done.json, pd.read_csv(out)


ADULT = [
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship"),
    *("race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income"),
]


def complete_rows(file, **options):
    return pd.read_csv(file, header=None, names=ADULT, skipinitialspace=True, na_values="?", **options).dropna()


@pytest.fixture
def adult(data):
    return complete_rows(data / "adult.data")


LEAST_ROWS = 100  # that a level has on Adult: fewer than 10 sensitive columns, and more than 2,000 rows


def merged(column, least):
    """The levels that fewer rows have, and with them the next rarest until together they have as many, as one."""
    rows = column.value_counts().sort_values()
    rare = (rows < least) | ((rows < least).any() & (rows.cumsum() - rows < least))
    return column.mask(column.isin(rows.index[rare]), "other")


def as_encoded(adult):
    features = adult.drop(columns=["race", "sex", "income"])
    texts = features.select_dtypes("object")
    return pd.get_dummies(
        features.assign(**{name: merged(texts[name], LEAST_ROWS) for name in texts}), prefix_sep="=", dtype=float
    )


@pytest.mark.parametrize("flags", [(), ("--mode", "blind")], ids=["aware", "blind"])
def test_adult(data, adult, tmp_path, flags):
    roles = ("--sensitive", "race,sex", "--target", "income", "--missing", "drop")
    said, out = fair(data / "adult.data", tmp_path, *roles, *flags)
    assert (said["rows"], said["dropped"]) == (len(adult), 32561 - len(adult))
    assert (out["race"].to_numpy() == adult["race"].to_numpy()).all()
    assert (out["income"].to_numpy() == adult["income"].to_numpy()).all()
    b = pd.get_dummies(adult[["race", "sex"]], dtype=float)
    a = out.drop(columns=["race", "sex", "income"])
    assert max_correlation(a, b) <= ORTHOGONAL
    encoded = as_encoded(adult)
    assert set(a.columns) == set(encoded.columns)
    if not flags:
        assert tool.distance(a[encoded.columns], tool.residuals(encoded, b)) < 1e-9


def test_adult_with_the_target_among_the_features(data, adult, tmp_path):
    """As in the issue: race and sex are named, and nothing else."""
    _, out = fair(data / "adult.data", tmp_path, "--sensitive", "race,sex", "--missing", "drop")
    b = pd.get_dummies(adult[["race", "sex"]], dtype=float)
    assert max_correlation(out.drop(columns=["race", "sex"]), b) <= ORTHOGONAL


def test_adult_test_is_transformed_by_the_model_of_adult_data(data, tmp_path):
    roles = ("--sensitive", "race,sex", "--target", "income", "--missing", "drop")
    fair(data / "adult.data", tmp_path, *roles)
    out = tmp_path / "test.csv"
    done = tool.succeed("transform", "-m", tmp_path / "m.json", "-i", data / "adult.test", "-o", out, "--json")
    complete = complete_rows(data / "adult.test", skiprows=1)
    assert (done.json["rows"], done.json["dropped"]) == (len(complete), 16281 - len(complete))
    assert list(pd.read_csv(out)["income"]) == list(complete["income"])


def left_on_adult_test(data, folder, *flags):
    """The largest correlation on adult.test of a model of adult.data."""
    roles = ("--sensitive", "race,sex,age", "--target", "income", "--missing", "drop")
    model, out = folder / "m.json", folder / "test.csv"
    tool.succeed("fit", "-i", data / "adult.data", *roles, "-m", model, "--force", *flags)
    done = tool.run("transform", "-m", model, "-i", data / "adult.test", "-o", out, "--check", "--json", "--force")
    measured = done.json["certificate"]["after"]["correlation"]["value"]
    fair = pd.read_csv(out).drop(columns="income")
    complete = complete_rows(data / "adult.test", skiprows=1)
    found = max_correlation(fair, pd.get_dummies(complete[["race", "sex", "age"]], dtype=float))
    assert found == pytest.approx(measured, abs=1e-9)
    return found


def test_rare_levels_of_adult_do_not_break_the_map_on_new_rows(data, tmp_path):
    assert left_on_adult_test(data, tmp_path) <= 0.06
    assert left_on_adult_test(data, tmp_path, "--min-level-rows", 0) > 0.5


def auc(score, is_positive):
    ranks = pd.Series(score).rank().to_numpy()
    positive = np.asarray(is_positive)
    count = positive.sum()
    return (ranks[positive].sum() - count * (count + 1) / 2) / (count * (len(ranks) - count))


def test_a_linear_model_cannot_read_sex_off_new_rows_of_adult(data, tmp_path):
    left_on_adult_test(data, tmp_path)
    fair = pd.read_csv(tmp_path / "test.csv").drop(columns="income").to_numpy()
    is_female = (complete_rows(data / "adult.test", skiprows=1)["sex"] == "Female").to_numpy()
    half = np.random.default_rng(5).permutation(len(fair)) < len(fair) // 2
    spread = fair[half].std(axis=0)
    scaled = (fair - fair[half].mean(axis=0)) / np.where(spread > 0, spread, 1)
    with_one = np.column_stack([np.ones(len(fair)), scaled])
    slopes = np.linalg.lstsq(with_one[half], is_female[half].astype(float), rcond=None)[0]
    assert auc(with_one[~half] @ slopes, is_female[~half]) <= 0.55


def test_communities(data, tmp_path):
    roles = ("--sensitive", "racepctblack", "--keep", "communityname")
    _, out = fair(data / "communities.data", tmp_path, *roles, "--missing", "mean")
    names = (data / "communities.columns.txt").read_text().split()
    raw = pd.read_csv(data / "communities.data", header=None, na_values="?")
    b = raw[7]
    assert (out["racepctblack"] == b).all()
    a = out.drop(columns=["racepctblack", "communityname"])
    assert max_correlation(a, b.to_frame()) <= ORTHOGONAL
    assert (out["communityname"] == raw[3]).all()
    if len(names) == 128:
        assert names[7] == "racepctblack"
        filled = raw.drop(columns=[3, 7]).fillna(raw.mean(numeric_only=True))
        assert list(a.columns) == [name for j, name in enumerate(names) if j not in (3, 7)]
        spread = np.ptp(filled.to_numpy(), axis=0) > 0
        assert tool.distance(a.to_numpy()[:, spread], tool.residuals(filled, b.to_frame())[:, spread]) < 1e-9


def test_communities_as_in_the_issue(data, tmp_path):
    _, out = fair(data / "communities.data", tmp_path, "--sensitive", "racepctblack", "--missing", "mean")
    raw = pd.read_csv(data / "communities.data", header=None, na_values="?")
    assert max_correlation(out.drop(columns="racepctblack"), raw[[7]]) <= ORTHOGONAL


def test_compas(data, tmp_path):
    features = ["age", "juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count", "c_charge_degree"]
    file = data / "compas-scores-two-years.csv"
    keys = ["id", "name", "dob"]
    roles = ("--sensitive", "race,sex", "--features", ",".join(features), "--target", "two_year_recid")
    roles += ("--keep", ",".join(keys))
    _, out = fair(file, tmp_path, *roles)
    raw = pd.read_csv(file)
    b = pd.get_dummies(raw[["race", "sex"]], dtype=float)
    encoded = pd.get_dummies(raw[features], prefix_sep="=", dtype=float)
    a = out[encoded.columns]
    assert max_correlation(a, b) <= ORTHOGONAL
    assert tool.distance(a, tool.residuals(encoded, b)) < 1e-9
    others = ["race", "sex", "two_year_recid", *keys]
    assert set(out.columns) == {*encoded.columns, *others}
    assert out[others].equals(raw[others])
