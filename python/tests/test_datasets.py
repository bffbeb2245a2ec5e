"""Simulations have the rows of the command line; published tables are checked."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from plumbline import datasets

from cli import tool


@pytest.mark.parametrize(("name", "make"), [("insurance", datasets.make_insurance), ("loan", datasets.make_loan)])
def test_simulations_are_those_of_the_command_line(tmp_path, name, make):
    path = tmp_path / "out.csv"
    tool.succeed("data", "generate", name, "--rows", 200, "--seed", 3, "--output", path)
    pd.testing.assert_frame_equal(
        make(200, random_state=3), pd.read_csv(path, float_precision="round_trip"), check_exact=True
    )


def test_a_counterfactual_of_oneself_is_oneself():
    loan = datasets.make_loan(100, random_state=2)
    pd.testing.assert_frame_equal(datasets.loan_counterfactual(loan["race"], random_state=2), loan)
    other = datasets.loan_counterfactual(["r2"] * 100, random_state=2)
    same = loan["race"] == "r2"
    pd.testing.assert_frame_equal(other[same], loan[same])
    assert (other["income"][~same] < loan["income"][~same]).all()
    with pytest.raises(ValueError, match="race has 'r3'; it must be one of r0, r1, r2"):
        datasets.loan_counterfactual(["r3"])


@pytest.mark.parametrize("make", [datasets.make_insurance, datasets.make_loan])
def test_sizes_and_seeds_are_whole_numbers(make):
    for rows, seed, words in (
        (1e3, 0, "rows is 1000.0; it must be a whole number from 0 to"),
        (-1, 0, "rows is -1; it must be"),
        (10**30, 0, "rows is 1000"),
        (5, -1, "random_state is -1; it must be a whole number from 0 to"),
        (5, None, "random_state is None; it must be"),
    ):
        with pytest.raises(ValueError, match=words):
            make(rows, random_state=seed)
    assert len(make(np.int64(5), random_state=np.uint8(1))) == 5


def test_what_is_not_there_is_named(tmp_path, monkeypatch):
    monkeypatch.delenv("PLUMBLINE_DATA_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(ValueError, match=r"'communities.data' is not in .*plumbline data fetch crime"):
        datasets.load_crime(data_dir=tmp_path)
    with pytest.raises(ValueError, match="part is 'most'; it must be one of train, test, all"):
        datasets.load_adult("most")


def test_other_content_is_refused_and_not_kept(tmp_path, monkeypatch):
    source, cache = tmp_path / "source", tmp_path / "cache"
    source.mkdir()
    (source / "communities.data").write_text("1,2,3\n")
    with pytest.raises(ValueError, match=r"is not the published communities.data: its SHA-256 is"):
        datasets.load_crime(data_dir=source)
    monkeypatch.delenv("PLUMBLINE_DATA_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    monkeypatch.setenv("PLUMBLINE_DATA_URL", source.as_uri())
    with pytest.raises(ValueError, match=r"is not the published communities.data"):
        datasets.load_crime(fetch=True)
    assert not list(cache.rglob("*.data"))


@pytest.mark.skipif("PLUMBLINE_DATA_DIR" not in os.environ, reason="PLUMBLINE_DATA_DIR names no published data")
def test_published_tables(tmp_path, monkeypatch):
    folder = Path(os.environ["PLUMBLINE_DATA_DIR"])
    adult = datasets.load_adult()
    assert adult.shape == (48_842, 15)
    assert sorted(adult["income"].unique()) == ["<=50K", ">50K"]
    assert adult["workclass"].isna().any()
    assert datasets.load_compas().shape == (7_214, 53)
    crime = datasets.load_crime()
    assert crime.shape == (1_994, 128)
    assert crime["racepctblack"].between(0, 1).all()
    monkeypatch.setenv("PLUMBLINE_DATA_URL", folder.as_uri())
    monkeypatch.delenv("PLUMBLINE_DATA_DIR")
    fetched = datasets.load_crime(data_dir=tmp_path / "new", fetch=True)
    pd.testing.assert_frame_equal(fetched, crime)
    assert np.array_equal(sorted(path.name for path in (tmp_path / "new").iterdir()), ["communities.data"])
