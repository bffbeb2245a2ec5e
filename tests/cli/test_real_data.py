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
    before, after = (done.json["certificate"][when]["max_correlation"]["value"] for when in ("before", "after"))
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
    encoded = pd.get_dummies(adult.drop(columns=["race", "sex", "income"]), prefix_sep="=", dtype=float)
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


def test_communities(data, tmp_path):
    roles = ("--sensitive", "racepctblack", "--drop", "communityname")
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
    roles = ("--sensitive", "race,sex", "--features", ",".join(features), "--target", "two_year_recid")
    _, out = fair(file, tmp_path, *roles)
    raw = pd.read_csv(file)
    assert len(out.columns) == len(raw.columns) + 1, "two columns for the degree of the charge"
    b = pd.get_dummies(raw[["race", "sex"]], dtype=float)
    encoded = pd.get_dummies(raw[features], prefix_sep="=", dtype=float)
    a = out[encoded.columns]
    assert max_correlation(a, b) <= ORTHOGONAL
    assert tool.distance(a, tool.residuals(encoded, b)) < 1e-9
    others = [name for name in raw.columns if name not in features and not name.endswith(".1")]
    assert out[others].equals(raw[others])
