"""Which columns are changed, which pass, and what they are called."""

from __future__ import annotations

import csv
import io

import numpy as np
import pandas as pd
import pytest

from . import tool
from .tool import distance, max_correlation, residuals

STRANGE = [
    '"Doe, ""J"""',
    '"two\nlines"',
    '"two\r\nlines"',
    "007",
    "1.50",
    "Zoë",
    '""',
    '" blanks within "',
    '"plain"',
    "",
    "NaN",
    "-0",
]


def people(rows=240, seed=21):
    rng = np.random.default_rng(seed)
    table = tool.numbers(rows, seed, features=2, sensitive=1)
    table["race"] = rng.choice(["White", "Black", "Asian"], rows)
    table["job"] = rng.choice(["cook", "clerk"], rows)
    table["x1"] += 3.0 * (table["race"] == "Asian")
    return table


def encoded(table, *names):
    return pd.get_dummies(table[list(names)], prefix_sep="=", dtype=float)


def test_one_hot_columns_stand_where_the_column_stood(tmp_path):
    table = people()[["x0", "job", "s0", "race", "x1"]]
    found = tool.fitted_output(tool.write(table, tmp_path / "t.csv"), "race,s0")
    assert list(found.columns) == ["x0", "job=clerk", "job=cook", "x1"]
    a, b = encoded(table, "x0", "x1", "job"), encoded(table, "s0", "race")
    assert distance(found[a.columns], residuals(a, b)) < 1e-9
    assert max_correlation(found, b) <= tool.ORTHOGONAL


def test_sensitive_levels_are_named(tmp_path):
    model = tool.load(tool.fit(tool.write(people(), tmp_path / "t.csv"), "race"))
    assert model["map"]["sensitive"] == ["race=Asian", "race=Black", "race=White"]


def test_booleans_are_one_column_of_zeros_and_ones(tmp_path):
    table = people()
    table["x2"] = np.where(table["s0"] + table["x0"] > (table["s0"] + table["x0"]).median(), "yes", "NO")
    found = tool.fitted_output(tool.write(table, tmp_path / "t.csv"), "s0", "--drop", "race,job")
    a = table[["x0", "x1", "x2"]].assign(x2=(table["x2"] == "yes").astype(float))
    assert distance(found[["x0", "x1", "x2"]], residuals(a, table[["s0"]])) < 1e-9


def test_categorical_takes_numbers_for_categories(tmp_path):
    table = people()
    table["zip"] = np.random.default_rng(22).choice([10, 20, 30], len(table))
    found = tool.fitted_output(tool.write(table, tmp_path / "t.csv"), "zip", "--features", "x*", "--categorical", "zip")
    assert distance(found[["x0", "x1"]], residuals(table[["x0", "x1"]], pd.get_dummies(table["zip"]))) < 1e-9


def passing_file(path, newline="\n"):
    """A table with an identity of strange cells, which pandas would rewrite."""
    table = people(120)
    rows = [["id", *table.columns, "note"]]
    rows += [
        [STRANGE[i % len(STRANGE)], *map(str, row), STRANGE[(i * 5 + 1) % len(STRANGE)]]
        for i, row in enumerate(table.itertuples(index=False))
    ]
    path.write_bytes("".join(",".join(row) + newline for row in rows).encode())
    return rows


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("when", ["fit", "transform"])
def test_what_is_kept_passes_byte_for_byte(tmp_path, newline, when):
    rows = passing_file(tmp_path / "t.csv", newline)
    keep = {when: ("--keep", "id,note")}
    model = tool.fit(tmp_path / "t.csv", "s0,race", "--features", "x*", "--target", "job", *keep.get("fit", ()))
    out = tool.transform(model, tmp_path / "t.csv", *keep.get("transform", ()))
    at = rows[0].index
    found = csv.reader(io.StringIO(out.decode(), newline=""))
    expected = [
        [old[at("id")], new[1], new[2], old[at("job")], old[at("note")]] for old, new in zip(rows, found, strict=True)
    ]
    assert out == "".join(",".join(row) + "\n" for row in expected).encode()


def test_columns_that_come_later_are_left_out_and_named_unless_they_are_kept(tmp_path):
    table = people()
    model = tool.fit(tool.write(table, tmp_path / "t.csv"), "s0,race")
    plain = tool.transform(model, tmp_path / "t.csv")
    table.insert(1, "new", "n")
    table.insert(2, "newer", "m")
    call = ("transform", "-m", model, "-i", tool.write(table, tmp_path / "t.csv"), "-o", "-")
    done = tool.succeed(*call)
    assert done.out == plain
    assert "left out" in done.err
    assert "new, newer\n" in done.err
    kept = tool.succeed(*call, "--keep", "new")
    assert kept.out.decode().splitlines()[1:] == ["n," + line for line in plain.decode().splitlines()[1:]]
    assert "newer\n" in kept.err
    assert "new, newer" not in kept.err
    assert tool.succeed(*call, "--keep", "new*").err == ""


def test_columns_may_come_in_another_order(tmp_path):
    table = people()
    model = tool.fit(tool.write(table, tmp_path / "t.csv"), "s0,race")
    before = pd.read_csv(io.BytesIO(tool.transform(model, tmp_path / "t.csv")), dtype=str)
    turned = tool.write(table[table.columns[::-1]], tmp_path / "turned.csv")
    after = pd.read_csv(io.BytesIO(tool.transform(model, turned)), dtype=str)
    assert list(after.columns) == ["job=clerk", "job=cook", "x1", "x0"]
    assert after[before.columns].equals(before)


def test_sensitive_columns_stay_if_asked(tmp_path):
    table = people()[["x0", "race", "x1", "s0", "job"]]
    file = tool.write(table, tmp_path / "t.csv")
    kept = tool.fitted_output(file, "s0,race", "--keep-sensitive")
    assert list(kept.columns) == ["x0", "race", "x1", "s0", "job=clerk", "job=cook"]
    assert kept[["race", "s0"]].equals(table[["race", "s0"]])
    without = tool.fitted_output(file, "s0,race")
    assert kept.drop(columns=["race", "s0"]).equals(without)


def test_transform_keeps_sensitive_columns_as_fit_does(tmp_path):
    file, output = tool.write(people(), tmp_path / "t.csv"), tmp_path / "o.csv"
    model = tmp_path / "m.json"
    tool.succeed("fit", "-i", file, "-s", "s0,race", "-m", model, "-o", output, "--keep-sensitive")
    assert tool.transform(model, file, "--keep-sensitive") == output.read_bytes()


def test_scores_come_after_what_passes(tmp_path):
    table = people().assign(y=1)[["y", "x0", "x1", "s0", "race", "job"]]
    file = tool.write(table, tmp_path / "t.csv")
    model = tool.fit(file, "s0", "--features", "x*", "--keep", "race,job", "--target", "y", "--rank", 1)
    out = pd.read_csv(io.BytesIO(tool.transform(model, file, "--scores")))
    assert list(out.columns) == ["y", "race", "job", "score1"]


@pytest.mark.parametrize(
    "lists",
    [("s0,s1,s2",), ("s0", "s1,s2"), ("s*",), ("s?",), ("s[0-2]",), ("s1,s*",)],
)
def test_lists_and_patterns_choose_columns(tmp_path, lists):
    file = tool.write(tool.numbers(60, seed=23, sensitive=3), tmp_path / "t.csv")
    model = tmp_path / "m.json"
    tool.succeed("fit", "-i", file, *(word for names in lists for word in ("--sensitive", names)), "-m", model)
    assert tool.load(model)["map"]["sensitive"] == ["s0", "s1", "s2"]


def test_a_name_with_a_comma_is_a_name_before_it_is_a_list(tmp_path):
    table = tool.numbers(60, seed=24).rename(columns={"s0": "a,b", "s1": "a"}).assign(b=1.5)
    file = tool.write(table, tmp_path / "t.csv")
    model = tool.load(tool.fit(file, "a,b"))
    assert model["map"]["sensitive"] == ["a,b"]
    out = tool.transform(tmp_path / "model.json", file, "--keep-sensitive")
    assert out.startswith(b'"a,b",a,')


def test_keep_passes_and_drop_leaves_out(tmp_path):
    table = people()
    file = tool.write(table, tmp_path / "t.csv")
    found = tool.fitted_output(file, "s0", "--keep", "x1", "--drop", "job", "--target", "race")
    assert list(found.columns) == ["x0", "x1", "race"]
    assert found[["x1", "race"]].equals(table[["x1", "race"]])
    assert not np.allclose(found["x0"], table["x0"])


@pytest.mark.parametrize("flag", ["--drop", "--keep"])
def test_what_is_no_feature_is_not_in_the_model(tmp_path, flag):
    table = people()
    file = tool.write(table, tmp_path / "t.csv")
    expected = tool.load(tool.fit(file, "s0", "--features", "x0"))["map"]
    assert tool.load(tool.fit(file, "s0", flag, "x1,job,race"))["map"] == expected


def test_features_alone_leave_out_the_others_and_name_them(tmp_path):
    file = tool.write(people(), tmp_path / "t.csv")
    call = ("fit", "-i", file, "-s", "s0", "--features", "x0", "--keep", "x1", "-o", "-")
    done = tool.succeed(*call)
    assert done.out.startswith(b"x0,x1\n")
    assert "left out, as --features and --keep do not name them: race, job\n" in done.err
    assert "left out" not in tool.succeed(*call, "--drop", "race,job").err


@pytest.mark.parametrize("flag", ["--sensitive", "--features", "--drop", "--target"])
def test_a_column_is_kept_or_has_another_part(tmp_path, refused, flag):
    file = tool.write(people(), tmp_path / "t.csv")
    args = ("-s", "s0", "--keep", "x1", flag, "x1", "-m", tmp_path / "m.json")
    refused("fit", "-i", file, *args, says=["'x1'", "--keep", flag], outputs=("m.json",))


def test_parts_keep_their_columns(tmp_path):
    file = tool.write(people().assign(id=range(240)), tmp_path / "t.csv")
    whole = tool.fit(file, "s0,race", "--keep", "id", "--probe", "none")
    tool.succeed("moments", "-i", file, "-s", "s0,race", "--keep", "id", "-o", tmp_path / "p.plm")
    merged = tmp_path / "merged.json"
    tool.succeed("fit", "--moments", tmp_path / "p.plm", "-m", merged)
    assert merged.read_text() == whole.read_text()
    assert tool.transform(merged, file).startswith(b"x0,x1,job=clerk,job=cook,id\n")


def test_categories_that_the_fit_has_not_seen_can_be_none_of_the_known(tmp_path):
    table = people()
    file = tool.write(table, tmp_path / "t.csv")
    model = tool.fit(file, "s0", "--drop", "race")
    exported = tool.succeed("export", "-m", model).json
    later = table.head(3).assign(job=["cook", "pilot", "clerk"])
    out = tmp_path / "o.csv"
    path = tool.write(later, tmp_path / "later.csv")
    done = tool.succeed("transform", "-m", model, "-i", path, "-o", out, "--unknown", "ignore", "--json")
    assert done.json["unknown"] == 1
    assert "1 cell" in done.err
    job = np.array([[0, 1], [0, 0], [1, 0]])
    assert exported["features"] == ["x0", "x1", "job=clerk", "job=cook"]
    a = np.hstack([later[["x0", "x1"]].to_numpy(), job])
    t_a, t_b = np.array(exported["t_a"]), np.array(exported["t_b"])
    expected = exported["constant"] + a @ t_a.T + later[["s0"]].to_numpy() @ t_b.T
    assert np.allclose(pd.read_csv(out)[exported["features"]], expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("flags", [("--mode", "aware"), ("--mode", "blind"), ("--method", "sob", "--l1", "1.5")])
def test_exported_scores_are_those_of_the_tool(tmp_path, flags):
    table = tool.numbers(50, seed=77)
    file = tool.write(table, tmp_path / "t.csv")
    model = tool.fit(file, "s*", "--rank", "2", *flags)
    exported = tool.succeed("export", "-m", model).json
    tool.succeed("transform", "-m", model, "-i", file, "-o", tmp_path / "o.csv", "--scores")
    found = pd.read_csv(tmp_path / "o.csv").to_numpy()
    scores = exported["scores"]
    expected = scores["constant"] + table[exported["features"]].to_numpy() @ np.array(scores["t_a"]).T
    assert ("t_b" in scores) == ("blind" not in flags)
    if "t_b" in scores:
        expected = expected + table[exported["sensitive"]].to_numpy() @ np.array(scores["t_b"]).T
    assert found.shape == (50, 2)
    assert np.allclose(found, expected, rtol=0, atol=1e-11)
    assert "scores" not in tool.succeed("export", "-m", tool.fit(file, "s*")).json


def test_missing_categories_are_filled_with_the_shares_of_the_levels(tmp_path):
    table = people()
    table.loc[::9, "job"] = None
    table.loc[4::11, "race"] = None
    found = tool.fitted_output(tool.write(table, tmp_path / "t.csv"), "s0,race", "--missing", "mean")

    def filled(*names):
        out = encoded(table, *names)
        for name in names:
            levels = [column for column in out if column.startswith(name + "=")]
            if levels:
                out.loc[table[name].isna(), levels] = np.nan
        return out.fillna(out.mean())

    a, b = filled("x0", "x1", "job"), filled("s0", "race")
    assert distance(found[a.columns], residuals(a, b)) < 1e-9


def test_expansion_of_categories_and_gaps(tmp_path):
    table = people()
    table.loc[::9, "s0"] = np.nan
    flags = ("--expand", "powers=2,interactions", "--drop", "job")
    found = tool.fitted_output(tool.write(table, tmp_path / "t.csv"), "s0,race", *flags, "--missing", "mean")
    s, race = table["s0"].fillna(table["s0"].mean()), pd.get_dummies(table["race"], dtype=float)
    phi = pd.concat([s, s**2, race, race.mul(s, axis=0)], axis=1)
    assert distance(found[["x0", "x1"]], residuals(table[["x0", "x1"]], phi)) < 1e-9


def test_weights_are_not_needed_to_transform(tmp_path):
    table = people().assign(w=2.5)
    file = tool.write(table, tmp_path / "t.csv")
    model = tool.fit(file, "s0,race", "--weights", "w")
    with_weights = pd.read_csv(io.BytesIO(tool.transform(model, file)), dtype=str)
    without = tool.transform(model, tool.write(table.drop(columns="w"), tmp_path / "without.csv"))
    assert pd.read_csv(io.BytesIO(without), dtype=str).equals(with_weights.drop(columns="w"))


def test_blind_models_need_sensitive_columns_for_a_check_alone(tmp_path, refused):
    table = people()
    model = tool.fit(tool.write(table, tmp_path / "t.csv"), "s0", "--drop", "race", "--mode", "blind")
    unseen = tool.write(table.drop(columns=["s0", "race"]), tmp_path / "unseen.csv")
    args = ("transform", "-m", model, "-i", unseen, "-o", tmp_path / "o.csv")
    refused(*args, "--check", says=["'s0'"], outputs=("o.csv",))
    tool.succeed(*args)


def test_gaps_in_what_passes_or_is_not_needed_are_no_gaps(tmp_path):
    """A missing cell matters in features and sensitive columns alone, and of these only where the map reads them."""
    table = people()
    model = tool.fit(tool.write(table, tmp_path / "t.csv"), "s0", "--drop", "race", "--mode", "blind", "--keep", "job")
    table["job"] = None
    table["s0"] = None
    gaps = tool.write(table, tmp_path / "gaps.csv")
    out = pd.read_csv(io.BytesIO(tool.transform(model, gaps)))
    assert len(out) == len(table)
    assert out["job"].isna().all()
