"""--remove distribution: one law for all values of the sensitive columns, and every column keeps its kind."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

from . import tool

LAWS = ("--remove", "distribution", "--probe", "none")


def people(rows: int, seed: int = 0) -> pd.DataFrame:
    """What people do, own and earn depends on sex and age; towns of a few rows are merged."""
    rng = np.random.default_rng(seed)
    age = np.round(rng.normal(45, 12, rows), 1)
    male = rng.integers(0, 2, rows)
    job = np.where(rng.random(rows) < 0.3 + 0.3 * male, "crafts, metal", rng.choice(["office", "care"], rows))
    return pd.DataFrame(
        {
            "age": age,
            "sex": np.where(male == 1, "m", "f"),
            "job": job,
            "children": rng.poisson(1 + 0.5 * (age > 45), rows),
            "income": np.round(age / 12 + (1 + male) * rng.normal(size=rows), 2),
            "owns": rng.random(rows) < 0.3 + 0.4 * male,
            "town": np.where(np.arange(rows) < 4, "hamlet", rng.choice(["a", "b", "c"], rows)),
            "repaid": rng.integers(0, 2, rows),
            "weight": rng.integers(1, 4, rows),
        }
    )


@pytest.fixture
def file(tmp_path):
    return tool.write(people(4000), tmp_path / "people.csv")


@pytest.mark.parametrize("flags", [(), ("--seed", "7"), ("--order", "income,job"), ("--weights", "weight")])
def test_a_model_does_to_the_table_what_the_fit_did(file, tmp_path, flags):
    if "--weights" not in flags:
        flags = (*flags, "--drop", "weight")
    tool.fitted_output(file, "age,sex", "--target", "repaid", *LAWS, *flags, "--model", tmp_path / "m.json")
    again = tool.transform(tmp_path / "m.json", file)
    assert again == (tmp_path / "fitted-output.csv").read_bytes()


def test_kinds_stay_as_they_are(file, tmp_path):
    tool.fitted_output(file, "age,sex", "--target", "repaid", "--drop", "weight", *LAWS, "--model", tmp_path / "m.json")
    before, after = pd.read_csv(file), pd.read_csv(io.BytesIO(tool.transform(tmp_path / "m.json", file)))
    assert list(after) == ["job", "children", "income", "owns", "town", "repaid"]
    assert set(after.job) == set(before.job)
    assert set(after.children) <= set(before.children)
    with_hamlet = before.town.value_counts().drop("hamlet").idxmin()  # alone it would still be rare
    assert set(after.town) == {"a", "b", "c", "other"} - {with_hamlet}
    assert np.allclose(after.income, after.income.round(2))
    male = before.sex == "m"
    for column in ("job", "owns"):
        dummies = pd.get_dummies(after[column], dtype=float)
        assert (dummies[male].mean() - dummies[~male].mean()).abs().max() < 0.06
    assert abs(np.corrcoef(after.income, before.age)[0, 1]) < 0.05
    assert (after.repaid == before.repaid).all()


def test_rows_alone_get_what_they_get_among_others(file, tmp_path):
    tool.fitted_output(file, "age,sex", "--target", "repaid", "--drop", "weight", *LAWS, "--model", tmp_path / "m.json")
    whole = tool.transform(tmp_path / "m.json", file).splitlines()
    some = tool.write(pd.read_csv(file).iloc[1200:1210], tmp_path / "some.csv")
    assert tool.transform(tmp_path / "m.json", some).splitlines()[1:] == whole[1201:1211]
