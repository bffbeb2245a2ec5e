"""--remove spread: means and covariances that are equal for all values of the sensitive columns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold

from . import tool

SPREAD = ("--remove", "spread", "--probe", "none")


def people(rows: int, seed: int = 0) -> pd.DataFrame:
    """What people earn and own varies more with age, and more among men; a rare flag is all but constant."""
    rng = np.random.default_rng(seed)
    age = np.round(rng.normal(45, 12, rows), 3)
    sex = rng.choice(["f", "m"], rows)
    scale = np.exp((age - 45) / 40 + 0.4 * (sex == "m"))
    return pd.DataFrame(
        {
            "age": age,
            "sex": sex,
            "income": age / 12 + scale * rng.normal(size=rows),
            "town": rng.choice(["a", "b", "c"], rows),
            "wealth": scale * rng.normal(size=rows) + (sex == "m"),
            "flag": (np.arange(rows) % (rows // 3) == 5).astype(int),
            "repaid": rng.integers(0, 2, rows),
            "weight": rng.integers(1, 4, rows),
        }
    )


@pytest.fixture
def file(tmp_path):
    return tool.write(people(3000), tmp_path / "people.csv")


@pytest.mark.parametrize(
    "flags",
    [
        (),
        ("--spread", "diagonal"),
        ("--rank", "2"),
        ("--alpha", "0.5"),
        ("--weights", "weight"),
        ("--expand", "powers=2"),
    ],
)
def test_a_model_does_to_the_table_what_the_fit_did(file, tmp_path, flags):
    fitted = tool.fitted_output(file, "age,sex", "--target", "repaid", *SPREAD, *flags, "--model", tmp_path / "m.json")
    again = tool.transform(tmp_path / "m.json", file)
    assert again == (tmp_path / "fitted-output.csv").read_bytes()
    model = tool.load(tmp_path / "m.json")
    after = model["certificate"]["after"]["correlation"]["value"]
    assert (after <= tool.ORTHOGONAL) == ("--alpha" not in flags)
    assert len(set(fitted["flag"])) == 1  # held, whatever stands in the table
    assert model["version"] == 4
    threads = [tool.transform(tmp_path / "m.json", file, "--threads", t) for t in (1, 3)]
    assert threads == [again, again]


def test_what_varied_with_age_and_sex_varies_alike(file):
    table = people(3000)
    fair = tool.fitted_output(file, "age,sex", "--target", "repaid", *SPREAD)
    for name in ("income", "wealth"):
        for group in (table.sex == "m", table.age > 45):
            before, after = (
                max(x[group].std() / x[~group].std(), x[~group].std() / x[group].std())
                for x in (table[name], fair[name])
            )
            assert after < 1.1 < before


def test_rows_get_the_same_by_themselves(file, tmp_path):
    model = tool.fit(file, "age,sex", "--target", "repaid", *SPREAD)
    whole = tool.transform(model, file).splitlines()
    some = tool.write(people(3000).iloc[100:140], tmp_path / "some.csv")
    assert tool.transform(model, some).splitlines()[1:] == whole[101:141]


def test_new_rows_are_judged_by_chance(file, tmp_path):
    model = tool.fit(file, "age,sex", "--target", "repaid", *SPREAD)
    new = tool.write(people(3000, seed=1), tmp_path / "new.csv")
    tool.succeed("transform", "-m", model, "-i", new, "-o", tmp_path / "o.csv", "--check")


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--mode", "blind"), "cannot be known without its sensitive columns"),
        (("--regions", "1"), "--regions"),
        (("--spread", "some"), "--spread"),
    ],
)
def test_what_it_cannot_do_is_refused(file, tmp_path, flags, words):
    done = tool.run("fit", "-i", file, "-s", "age,sex", "-m", tmp_path / "m.json", *SPREAD, *flags)
    assert done.code == 2
    assert words in done.err


def test_moments_of_all_rows_and_exports_are_refused(file, tmp_path):
    model = tool.fit(file, "age,sex", "--target", "repaid", *SPREAD)
    done = tool.run("export", "-m", model, "--format", "json")
    assert done.code == 2
    assert "no affine map does that" in done.err
    tool.succeed("moments", "-i", file, "-s", "age,sex", "-o", tmp_path / "part.plm")
    done = tool.run("fit", "--moments", tmp_path / "part.plm", "-m", tmp_path / "n.json", "--remove", "spread")
    assert done.code == 2
    assert "means alone" in done.err


def test_thin_regions_are_named(tmp_path):
    table = people(400)
    table["sex"] = np.where(np.arange(400) < 14, "x", table["sex"])
    for j in range(15):
        table[f"more{j}"] = np.random.default_rng(j).normal(size=400)
    done = tool.succeed(
        "fit",
        "-i",
        tool.write(table, tmp_path / "t.csv"),
        "-s",
        "sex",
        "-m",
        tmp_path / "m.json",
        *SPREAD,
        "--min-level-rows",
        "2",
    )
    assert "take more than half of their spread" in done.err


# The published data.


def crime() -> pd.DataFrame:
    if tool.data_dir() is None:
        pytest.skip("PLUMBLINE_DATA_DIR is not set; set it to the folder that holds the published files")
    folder = Path(tool.data_dir())
    names = (folder / "communities.columns.txt").read_text().split()
    table = pd.read_csv(folder / "communities.data", names=names, na_values="?").iloc[:, 5:]
    return table.loc[:, table.isna().mean() < 0.5].fillna(0)


def read_back(table, sensitive, folder, *flags):
    """R² of each sensitive column by boosted trees at their defaults, from ten scores, on rows they have not seen."""
    found = []
    for learned, judged in KFold(5, shuffle=True, random_state=0).split(table):
        parts = [tool.write(table.iloc[rows], folder / f"{at}.csv") for at, rows in enumerate((learned, judged))]
        model = tool.fit(
            parts[0], ",".join(sensitive), "--target", "ViolentCrimesPerPop", "--probe", "none", "--rank", "10", *flags
        )
        scores = []
        for at, part in enumerate(parts):
            out = folder / f"scores{at}.csv"
            tool.succeed("transform", "-m", model, "-i", part, "-o", out, "--scores", "--force")
            scores.append(pd.read_csv(out).drop(columns="ViolentCrimesPerPop"))
        b = table[sensitive]
        trees = HistGradientBoostingRegressor(random_state=0)
        found.append(
            [
                r2_score(b[name].iloc[judged], trees.fit(scores[0], b[name].iloc[learned]).predict(scores[1]))
                for name in sensitive
            ]
        )
    return np.mean(found, axis=0)


def test_trees_find_little_of_a_sensitive_column_of_crime(tmp_path):
    table = crime()
    assert read_back(table, ["racepctblack"], tmp_path)[0] > 0.5
    assert read_back(table, ["racepctblack"], tmp_path, "--remove", "spread")[0] <= 0.25


def test_trees_find_next_to_nothing_of_four_sensitive_columns_of_crime(tmp_path):
    four = ["racepctblack", "racePctWhite", "racePctHisp", "agePct65up"]
    assert read_back(crime(), four, tmp_path, "--remove", "spread").max() <= 0.10
