"""Levels that few rows have, columns that hardly vary, and levels that the fit has not seen."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

from . import tool
from .tool import distance, residuals

ROWS = 2_400  # of which a twentieth is more than 100


def people(towns, rows=ROWS, seed=61):
    """Towns have as many rows as said, and 'Bree' the others."""
    rng = np.random.default_rng(seed)
    table = tool.numbers(rows, seed, features=2, sensitive=1)
    town = [name for name, count in towns.items() for _ in range(count)]
    table["town"] = rng.permutation([*town, *["Bree"] * (rows - len(town))])
    return table


def encoded_towns(table, merged=(), other="other"):
    towns = table.assign(town=table["town"].mask(table["town"].isin(merged), other))
    return pd.get_dummies(towns[["x0", "x1", "town"]], prefix_sep="=", dtype=float)


TOWNS = {"Dale": 3, "Esgaroth": 60, "Hobbiton": 99, "Tharbad": 101, "Gondolin": 300}


@pytest.mark.parametrize(
    ("flags", "merged"),
    [
        ((), ["Dale", "Esgaroth", "Hobbiton"]),
        (("--min-level-rows", 0), []),
        (("--min-level-rows", 1), []),
        (("--min-level-rows", 4), ["Dale", "Esgaroth"]),  # which have as many together, and neither Dale alone
        (("--min-level-rows", 61), ["Dale", "Esgaroth"]),
        (("--min-level-rows", 64), ["Dale", "Esgaroth", "Hobbiton"]),
        (("--min-level-rows", 102), ["Dale", "Esgaroth", "Hobbiton", "Tharbad"]),
    ],
)
def test_rare_levels_are_merged(tmp_path, flags, merged):
    table = people(TOWNS)
    file = tool.write(table, tmp_path / "t.csv")
    found = tool.fitted_output(file, "s0", *flags)
    expected = encoded_towns(table, merged)
    assert set(found.columns) == set(expected.columns)
    assert distance(found[expected.columns], residuals(expected, table[["s0"]])) < 1e-9
    done = tool.succeed("fit", "-i", file, "-s", "s0", *flags, "--json")
    notes = [note for note in done.json["certificate"]["notes"] if "'town'" in note]
    assert len(notes) == (1 if merged else 0)
    assert all(name in notes[0] for name in merged)


def test_the_bound_grows_with_rows_and_sensitive_columns(tmp_path):
    small = people({"Dale": 11, "Hobbiton": 12}, rows=240)
    names = tool.load(tool.fit(tool.write(small, tmp_path / "t.csv"), "s0"))["map"]["features"]
    assert names == ["x0", "x1", "town=Bree", "town=other"], "a twentieth of 240 rows, and together as many"
    large = people({"Dale": 130, "Hobbiton": 300}, rows=4_000)
    for j in range(1, 14):
        large[f"s{j}"] = np.random.default_rng(j).normal(size=4_000)
    file = tool.write(large, tmp_path / "large.csv")
    for sensitive, merged in [("s0", False), ("s*", True)]:
        features = tool.load(tool.fit(file, sensitive, "--features", "x*,town"))["map"]["features"]
        assert ("town=other" in features) == merged, "10 rows for each of 14 sensitive columns"


def test_sensitive_levels_are_never_merged(tmp_path):
    table = people(TOWNS)
    model = tool.load(tool.fit(tool.write(table, tmp_path / "t.csv"), "s0,town"))
    assert model["map"]["sensitive"] == ["s0", *(f"town={name}" for name in sorted({*TOWNS, "Bree"}))]


@pytest.mark.parametrize(("taken", "other"), [(["other"], "(other)"), (["other", "(other)"], "((other))")])
def test_the_name_of_the_others_is_no_levels(tmp_path, taken, other):
    table = people({**TOWNS, **dict.fromkeys(taken, 200)})
    found = tool.fitted_output(tool.write(table, tmp_path / "t.csv"), "s0")
    expected = encoded_towns(table, ["Dale", "Esgaroth", "Hobbiton"], other)
    assert set(found.columns) == set(expected.columns)
    assert distance(found[expected.columns], residuals(expected, table[["s0"]])) < 1e-9


@pytest.mark.parametrize(("differ", "held"), [(99, True), (100, False)])
def test_columns_that_hardly_vary_are_held(tmp_path, differ, held):
    table = people({}).drop(columns="town")
    rare = np.random.default_rng(62).permutation(ROWS) < differ
    table["x1"] = np.where(rare, table["x1"], 7.5)
    table["x2"] = np.where(rare, "yes", "no")
    file = tool.write(table, tmp_path / "t.csv")
    found = tool.fitted_output(file, "s0")
    assert (found["x1"] == 7.5).all() == held
    assert (found["x2"] == 0).all() == held
    done = tool.succeed("fit", "-i", file, "-s", "s0", "--json")
    assert any("held" in note and "x1, x2" in note for note in done.json["certificate"]["notes"]) == held
    all_varies = tool.fitted_output(file, "s0", "--min-level-rows", 0)
    assert all_varies["x1"].nunique() > 1


def test_cells_of_held_columns_are_not_read(tmp_path):
    table = people({}).assign(x2=[1.0] * (ROWS - 1) + [2.0])
    model = tool.fit(tool.write(table, tmp_path / "t.csv"), "s0", "--drop", "town")
    later = table.assign(x2=["many", "", "7"] * (ROWS // 3))
    out = pd.read_csv(io.BytesIO(tool.transform(model, tool.write(later, tmp_path / "later.csv"))))
    assert (out["x2"] == 1).all()


def test_parts_are_merged_by_the_rows_of_all(tmp_path):
    """Towns are rare in each part, and some in all together."""
    table = people(TOWNS)
    file = tool.write(table, tmp_path / "t.csv")
    parts = []
    for i, first in enumerate(range(0, ROWS, 800)):
        part = tool.write(table.iloc[first : first + 800], tmp_path / f"{i}.csv")
        parts.append(tmp_path / f"{i}.plm")
        tool.succeed("moments", "-i", part, "-s", "s0", "-o", parts[-1])
    merged = tmp_path / "merged.json"
    for flags in [(), ("--min-level-rows", 200), ("--min-level-rows", 0)]:
        tool.succeed("fit", "--moments", *parts, "-m", merged, "--force", *flags)
        whole = tool.fit(file, "s0", "--probe", "none", *flags)
        assert tool.differences(tool.meaning(whole), tool.meaning(merged), 1e-12) == []


@pytest.mark.parametrize("count", ["-1", "many", "1.5"])
def test_a_bound_that_is_no_number_of_rows(refused, table, tmp_path, count):
    args = ("-i", table, "-s", "s0", "--min-level-rows", count, "-m", tmp_path / "m.json")
    refused("fit", *args, says=["--min-level-rows", count], outputs=("m.json",))


@pytest.fixture
def later(tmp_path):
    """A model that merges towns of 3 and 60 rows, and a table with a town that it has not seen."""
    table = people(TOWNS)
    model = tool.fit(tool.write(table, tmp_path / "t.csv"), "s0", "--min-level-rows", 61)
    rows = table.head(4).assign(town=["Bree", "Dale", "Moria", "Gondolin"])
    return model, tool.write(rows, tmp_path / "later.csv"), rows


def indicators(out, rows, model):
    """Of towns, as they were before the map took its part away."""
    exported = tool.succeed("export", "-m", model).json
    names = exported["features"]
    assert np.array_equal(exported["t_a"], np.eye(len(names)))
    shift = exported["constant"] + rows[["s0"]].to_numpy() @ np.array(exported["t_b"]).T
    frame = pd.DataFrame(out[names].to_numpy() - shift, columns=names)
    return frame.filter(like="town=").round(9).abs()


@pytest.mark.parametrize("flags", [(), ("--unknown", "merge"), ("--unknown", "ignore")])
def test_unseen_levels_join_the_merged_ones_or_are_none(later, tmp_path, flags):
    model, path, rows = later
    done = tool.succeed("transform", "-m", model, "-i", path, "-o", tmp_path / "o.csv", "--json", *flags)
    found = indicators(pd.read_csv(tmp_path / "o.csv"), rows, model)
    is_ignored = "ignore" in flags
    assert done.json["unknown"] == (1 if is_ignored else 0)
    assert list(found["town=other"]) == [0, 1, 0 if is_ignored else 1, 0]
    assert list(found["town=Bree"]) == [1, 0, 0, 0]
    assert list(found.sum(axis=1)) == [1, 1, 0 if is_ignored else 1, 1]


def test_unseen_levels_can_be_refused(refused, later, tmp_path):
    model, path, _ = later
    args = ("-m", model, "-i", path, "-o", tmp_path / "o.csv", "--unknown", "error")
    refused("transform", *args, says=["line 4", "'town'", "'Moria'", "--unknown ignore"], outputs=("o.csv",))


def test_unseen_levels_are_refused_where_none_is_merged(refused, tmp_path):
    table = people(TOWNS)
    model = tool.fit(tool.write(table, tmp_path / "t.csv"), "s0", "--min-level-rows", 0)
    path = tool.write(table.head(2).assign(town=["Bree", "Moria"]), tmp_path / "later.csv")
    args = ("-m", model, "-i", path, "-o", tmp_path / "o.csv")
    refused("transform", *args, says=["line 3", "'town'", "'Moria'"], outputs=("o.csv",))
