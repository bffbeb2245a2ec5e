"""What models can still read back, as the command line says it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from . import tool


def people(rows: int, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age = np.round(rng.normal(45, 12, rows), 3)
    sex = rng.choice(["f", "m"], rows)
    owns = (rng.random(rows) < 1 / (1 + np.exp((45 - age) / 12 - (sex == "m")))).astype(int)
    income = np.round(age / 12 + (sex == "m") + rng.normal(size=rows), 3)
    return pd.DataFrame({"age": age, "sex": sex, "owns": owns, "income": income, "luck": rng.normal(size=rows)})


@pytest.fixture
def file(tmp_path):
    return tool.write(people(2000), tmp_path / "people.csv")


def column(probe, name, read_as):
    return next(one for one in probe["columns"] if one["name"] == name and one["read_as"] == read_as)


def test_the_first_line_says_what_is_left(file, tmp_path):
    done = tool.succeed("fit", "-i", file, "-s", "age,sex", "-m", tmp_path / "m.json")
    first = next(line for line in done.err.splitlines() if line.startswith("before: "))
    assert "after: 0% along a line; on new rows a linear model" in first
    assert "; a flexible model " in first
    assert "95 % intervals" in done.err
    probe = tool.load(tmp_path / "m.json")["certificate"]["probe"]
    assert probe["rows"] == 2000
    assert probe["learned_rows"] == 800  # four fifths of the half that the map has not seen
    age = column(probe, "age", "number")
    assert age["before"][0]["low"] > 0.2 > 0.05 > age["after"][0]["value"]
    assert age["after"][1]["low"] > 0.3


def test_none_was_asked_for(file, tmp_path):
    done = tool.succeed("fit", "-i", file, "-s", "age,sex", "-m", tmp_path / "m.json", "--probe", "none")
    assert "what a flexible model, such as boosted trees, can still read back was not measured" in done.err
    assert "probe" not in tool.load(tmp_path / "m.json")["certificate"]


def test_a_probe_changes_nothing_else(file, tmp_path):
    models = []
    for effort in ("none", "quick"):
        tool.succeed("fit", "-i", file, "-s", "age,sex", "-m", tmp_path / f"{effort}.json", "--probe", effort)
        models.append(tool.load(tmp_path / f"{effort}.json"))
    models[1]["certificate"].pop("probe")
    assert models[0]["map"] == models[1]["map"]
    assert models[0]["certificate"] == models[1]["certificate"]


def test_threads_and_chunks_leave_no_trace(tmp_path):
    table = people(9000)
    whole = tool.write(table, tmp_path / "whole.csv")
    parts = [tool.write(table.iloc[a:b], tmp_path / f"{a}.csv") for a, b in ((0, 10), (10, 5000), (5000, 9000))]
    texts = set()
    for number, inputs in enumerate(([whole], parts)):
        for threads in (1, 2, 5):
            model = tmp_path / f"{number}{threads}.json"
            tool.succeed("fit", "-i", *inputs, "-s", "age,sex", "-m", model, "--threads", threads)
            texts.add(str(tool.load(model)["certificate"]["probe"]))
    assert len(texts) == 1


def test_new_rows_are_probed_with_the_map_that_there_is(file, tmp_path):
    model, new = tmp_path / "m.json", tool.write(people(1500, seed=1), tmp_path / "new.csv")
    tool.succeed("fit", "-i", file, "-s", "age,sex", "-m", model)
    call = ("transform", "-m", model, "-i", new, "-o", tmp_path / "out.csv", "--force")
    probe = tool.run(*call, "--check", "--json").json["certificate"]["probe"]
    assert (probe["rows"], probe["learned_rows"]) == (1500, 1200)
    assert column(probe, "age", "number")["after"][1]["low"] > 0.3
    assert "probe" not in tool.run(*call, "--check", "--json", "--probe", "none").json["certificate"]
    assert "--probe has no effect without --check" in tool.succeed(*call, "--probe", "full").err


def test_all_attackers(file, tmp_path):
    done = tool.succeed("fit", "-i", file, "-s", "age,sex", "-m", tmp_path / "m.json", "--probe", "full", timeout=300)
    probe = tool.load(tmp_path / "m.json")["certificate"]["probe"]
    if "XGBoost library is not here" in done.err:
        assert probe["attackers"] == ["linear", "hinges"]
        return
    assert probe["attackers"] == ["linear", "hinges", "boosted trees"]
    assert column(probe, "age", "number")["after"][2]["low"] > 0.15
    assert column(probe, "sex=f", "level")["after"][2]["low"] > 0.58


def test_rare_levels_are_named(tmp_path):
    table = people(1000)
    table["tribe"] = ["few"] * 5 + ["many"] * 995
    file = tool.write(table, tmp_path / "t.csv")
    done = tool.succeed("fit", "-i", file, "-s", "tribe,age", "-m", tmp_path / "m.json")
    assert "of 'tribe=few' 5 of 1000 rows that were probed have the rarer value; 20 are needed" in done.err


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (["--probe", "some"], "--probe"),
        (["--probe", ""], "--probe"),
    ],
)
def test_what_is_no_effort(file, tmp_path, call, words):
    done = tool.run("fit", "-i", file, "-s", "age,sex", "-m", tmp_path / "m.json", *call)
    assert done.code == 2
    assert words in done.err


def test_moments_hold_no_rows(file, tmp_path):
    tool.succeed("moments", "-i", file, "-s", "age,sex", "-o", tmp_path / "m.plm")
    done = tool.run("fit", "--moments", tmp_path / "m.plm", "-m", tmp_path / "m.json", "--probe", "quick")
    assert done.code == 2
    assert "--probe needs --input: moments hold no rows to learn from" in done.err
    done = tool.succeed("fit", "--moments", tmp_path / "m.plm", "-m", tmp_path / "m.json")
    assert "was not measured" in done.err
