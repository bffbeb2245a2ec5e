"""Columns of which nothing can be learned: ids pass, dates are refused; and columns that tell of sensitive ones."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

from . import tool


@pytest.fixture
def people():
    rng = np.random.default_rng(7)
    age = rng.integers(18, 80, 400)
    return pd.DataFrame(
        {
            "key": [f"person {i}" for i in rng.permutation(400)],
            "number": rng.permutation(400) + 1000,
            "long": [9_007_199_254_740_993 + int(i) for i in rng.integers(0, 50, 400)],
            "age": age,
            "group": pd.cut(age, [0, 30, 50, 90], labels=["young", "middle", "old"]).astype(str),
            "colour": rng.choice(["red", "blue"], 400),
            "x": np.round(0.1 * age + rng.normal(size=400), 6),
        }
    )


def fitted(table, tmp_path, *flags):
    out = tmp_path / "out.csv"
    file = tool.write(table, tmp_path / "t.csv")
    return tool.run("fit", "-i", file, "-s", "age", "-o", out, "--force", *flags), out


def test_ids_pass_and_are_named(people, tmp_path):
    done, out = fitted(people, tmp_path)
    assert done.code == 0, done.err
    assert "taken for ids, which pass through unchanged: key, number, long" in done.err
    found = pd.read_csv(out)
    for name in ("key", "number", "long"):
        assert found[name].tolist() == people[name].tolist()


def test_whole_numbers_that_repeat_behind_the_head_are_no_ids(people, tmp_path):
    table = pd.concat([people] * 4, ignore_index=True)
    table["number"] = [*range(1500), *range(100)]
    done, out = fitted(table[["age", "number", "x"]], tmp_path)
    assert "taken for ids" not in done.err
    assert not np.allclose(pd.read_csv(out)["number"], table["number"])


def test_ids_that_are_named_as_features_are_features(people, tmp_path):
    done, out = fitted(people, tmp_path, "--features", "number,x", "--json")
    assert "taken for ids" not in done.err
    assert pd.read_csv(out).columns.tolist() == ["number", "x"]


def test_few_whole_numbers_are_numbers(people, tmp_path):
    done, out = fitted(people.head(60)[["age", "number", "x"]], tmp_path)
    assert done.code == 0, done.err
    assert "taken for ids" not in done.err
    assert not np.allclose(pd.read_csv(out)["number"], people["number"].head(60))


@pytest.mark.parametrize("flag", ["--drop", "--keep", "--categorical"])
def test_dates_are_refused_with_the_ways_out(people, tmp_path, flag):
    people["born"] = [f"{1930 + i % 60}-0{1 + i % 9}-11" for i in range(len(people))]
    done, out = fitted(people, tmp_path)
    assert done.code == 2
    assert not out.exists()
    assert "'born' holds dates, such as '1930-01-11'" in done.err
    assert flag in done.err
    done, out = fitted(people, tmp_path, flag, "born")
    assert done.code == 0, done.err
    assert ("born" in pd.read_csv(out).columns) == (flag == "--keep")


def test_kept_columns_that_tell_of_sensitive_ones_are_named(people, tmp_path):
    done, out = fitted(people, tmp_path, "--keep", "group,colour,key")
    assert done.code == 0, done.err
    assert "'group' is kept, and 'age' tells" in done.err
    assert "'colour' is kept" not in done.err
    assert "'key' is kept" not in done.err
    assert pd.read_csv(out)["group"].tolist() == people["group"].tolist()


def test_kept_dates_that_tell_of_sensitive_ones_are_named(people, tmp_path):
    days = pd.to_timedelta(-365.25 * people["age"], unit="D").dt.round("D")
    people["born"] = (pd.Timestamp("2020-06-01") + days).astype(str)
    people["seen"] = [f"2021-0{1 + i % 9}-{10 + i * 7 % 18}T08:30" for i in range(len(people))]
    people.loc[::9, "born"] = None
    done, out = fitted(people, tmp_path, "--keep", "born,seen")
    assert done.code == 0, done.err
    assert "'born' is kept, and 'age' tells" in done.err
    assert "'seen' is kept" not in done.err
    found = pd.read_csv(out)
    assert found["born"].equals(people["born"].where(people["born"].notna(), np.nan))


def test_kept_columns_need_not_be_readable(people, tmp_path):
    people["note"] = ["1"] * 399 + ["no number"]
    people["nothing"] = None
    done, out = fitted(people, tmp_path, "--keep", "note,nothing")
    assert done.code == 0, done.err
    assert pd.read_csv(out, dtype=str)["note"].tolist() == people["note"].tolist()


def test_levels_become_no_more_columns_than_are_allowed(tmp_path, refused):
    rows = [f"{i % 7},z{i % 1500},t{i % 900},{i * i % 11}" for i in range(9000)]
    file = tmp_path / "wide.csv"
    file.write_text("\n".join(["s,zip,town,x", *rows]) + "\n")
    every = ("-i", file, "-s", "s", "--min-level-rows", "0", "-m", tmp_path / "m.json")
    says = [
        "2400 columns, more than 2000",
        "'zip' 1500, 'town' 900",
        "--drop",
        "--min-level-rows",
        "--max-level-columns",
    ]
    refused("fit", *every, says=says, outputs=("m.json",))
    assert tool.run("fit", *every, "--max-level-columns", "2400").code == 0
    assert tool.run("fit", *every[:4], "-m", tmp_path / "merged.json").code == 0


def test_names_of_ids_are_in_the_model(people, tmp_path):
    model = tmp_path / "m.json"
    tool.succeed("fit", "-i", tool.write(people, tmp_path / "t.csv"), "-s", "age", "-m", model)
    found = pd.read_csv(io.BytesIO(tool.transform(model, tmp_path / "t.csv")))
    assert found["key"].tolist() == people["key"].tolist()
