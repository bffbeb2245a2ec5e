"""The command line on a CSV file and Python on the frame of it: the same model, to the last bit."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import plumbline
import pytest
from plumbline import OrthogonalToBias, SparseOrthogonalToBias
from plumbline.moments import Moments

from cli import tool


def random_table(seed: int) -> pd.DataFrame:
    """Numbers, truth values and categories, some of their levels and values rare."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(300, 9000))
    sex = rng.choice(["f", "m"], rows)
    age = np.round(rng.normal(45, 12, rows), int(rng.integers(0, 6)))
    table = {"sex": sex, "age": age, "x0": 0.3 * age + rng.normal(size=rows)}
    for j in range(1, int(rng.integers(2, 6))):
        table[f"x{j}"] = rng.normal(size=rows) * 10.0 ** rng.integers(-4, 5) + (sex == "m")
    table["often0"] = np.where(rng.random(rows) < rng.choice([0.001, 0.3]), rng.normal(size=rows), 0.0)
    table["flag"] = rng.random(rows) < 0.4
    for j in range(int(rng.integers(0, 3))):
        shares = rng.dirichlet(np.full(int(rng.integers(2, 30)), 0.3))
        table[f"town{j}"] = [f"t{code}" for code in rng.choice(len(shares), rows, p=shares)]
    table["weight"] = rng.integers(0, 4, rows).astype(float)
    return pd.DataFrame(table)


def with_gaps(table: pd.DataFrame, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    names = [name for name in table.columns if name not in ("weight", "flag")]
    gaps = rng.random((len(table), len(names))) < 0.02
    return table.assign(**{name: table[name].mask(gaps[:, j]) for j, name in enumerate(names)})


def model_of(text: str) -> dict:
    model = json.loads(text)
    for member in ("checksum", "version", "format"):
        del model[member]
    for member in ("columns", "unnamed", "weights", "kept"):  # which a file does not tell, or a frame
        model["encoding"].pop(member, None)
    return model


CASES = [
    (OrthogonalToBias, {}, []),
    (OrthogonalToBias, {"n_components": 2}, ["--rank", "2"]),
    (OrthogonalToBias, {"mode": "blind"}, ["--mode", "blind"]),
    (OrthogonalToBias, {"expand": "splines=4,interactions"}, ["--expand", "splines=4,interactions"]),
    (OrthogonalToBias, {"min_level_rows": 0}, ["--min-level-rows", "0"]),
    (SparseOrthogonalToBias, {"n_components": 2, "l1_bound": 1.3}, ["--method", "sob", "--rank", "2", "--l1", "1.3"]),
]


RUNGS = [
    (OrthogonalToBias, {"remove": "spread"}, ["--remove", "spread"]),
    (
        OrthogonalToBias,
        {"remove": "spread", "spread": "diagonal", "regions": 3, "alpha": 0.5},
        ["--remove", "spread", "--spread", "diagonal", "--regions", "3", "--alpha", "0.5"],
    ),
    (OrthogonalToBias, {"remove": "spread", "n_components": 2}, ["--remove", "spread", "--rank", "2"]),
    (
        OrthogonalToBias,
        {"remove": "spread", "expand": "splines=4,interactions"},
        ["--remove", "spread", "--expand", "splines=4,interactions"],
    ),
    (
        SparseOrthogonalToBias,
        {"remove": "spread", "n_components": 2, "l1_bound": 1.3},
        ["--remove", "spread", "--method", "sob", "--rank", "2", "--l1", "1.3"],
    ),
    (OrthogonalToBias, {"remove": "distribution"}, ["--remove", "distribution"]),
    (
        OrthogonalToBias,
        {"remove": "distribution", "order": ["often0", "x1"], "random_state": 7, "regions": 5},
        ["--remove", "distribution", "--order", "often0,x1", "--seed", "7", "--regions", "5"],
    ),
]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("missing", ["error", "drop", "mean"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("make", "parameters", "flags"), CASES)
def test_both_front_ends_give_the_same_model(tmp_path, seed, missing, weighted, make, parameters, flags):
    expect_the_same_model(tmp_path, seed, missing, weighted, make, parameters, flags)


@pytest.mark.parametrize(("missing", "weighted"), [("error", False), ("drop", True), ("mean", True)])
@pytest.mark.parametrize(("make", "parameters", "flags"), RUNGS)
def test_both_remove_spreads_and_laws_alike(tmp_path, missing, weighted, make, parameters, flags):
    expect_the_same_model(tmp_path, 2, missing, weighted, make, parameters, flags)


def expect_the_same_model(tmp_path, seed, missing, weighted, make, parameters, flags):
    table = random_table(seed + 10 * len(flags))
    if missing != "error":
        table = with_gaps(table, seed)
    file, model = tool.write(table, tmp_path / "t.csv"), tmp_path / "m.json"
    roles = ["--weights", "weight"] if weighted else ["--drop", "weight"]
    call = ["fit", "-i", file, "-s", "sex,age", "-m", model, "--missing", missing, *roles, *flags]
    done = tool.run(*call)
    assert model.exists(), done.err
    fair = make(sensitive_feature_ids=["sex", "age"], missing=missing, **parameters)
    fair.fit(table.drop(columns="weight"), sample_weight=table["weight"] if weighted else None)
    assert model_of(fair.to_json()) == model_of(model.read_text())
    again = plumbline.load_model(model)
    ours = fair.transform(table.drop(columns="weight"))
    pd.testing.assert_frame_equal(again.set_params(missing=missing).transform(table), ours, check_exact=True)
    told = [name for name in parameters if name not in ("expand", "min_level_rows")]  # a file does not tell these
    assert {name: again.get_params()[name] for name in told} == {name: parameters[name] for name in told}


@pytest.mark.parametrize("seed", range(4))
def test_parts_of_the_command_line_are_fitted_by_python_and_by_itself(tmp_path, seed):
    table = random_table(seed).drop(columns="weight")
    parts = []
    for number, part in enumerate(np.array_split(np.arange(len(table)), 3)):
        file = tool.write(table.iloc[part], tmp_path / f"part{number}.csv")
        parts.append(tmp_path / f"part{number}.plm")
        tool.succeed("moments", "-i", file, "-s", "sex,age", "-o", parts[-1])
    model = tmp_path / "m.json"
    tool.succeed("fit", "--moments", *parts, "-m", model)
    sum_ = sum(map(Moments.load, parts[1:]), Moments.load(parts[0]))
    fair = OrthogonalToBias().fit_moments(sum_)
    assert model_of(fair.to_json()) == model_of(model.read_text())
    sum_.save(tmp_path / "sum.plm")
    tool.succeed("fit", "--moments", tmp_path / "sum.plm", "-m", model, "--force")
    assert model_of(fair.to_json()) == model_of(model.read_text())


def test_numbers_of_python_are_fitted_by_the_command_line(tmp_path):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(500, 3)), rng.normal(size=(500, 2))
    moments = Moments(["p", "q", "r"], ["u", "v"]).update(a, b)
    moments.save(tmp_path / "m.plm")
    tool.succeed("fit", "--moments", tmp_path / "m.plm", "-m", tmp_path / "m.json")
    ours = json.loads(OrthogonalToBias().fit_moments(moments).to_json())
    assert json.loads((tmp_path / "m.json").read_text())["map"] == ours["map"]


def test_no_flag_of_the_command_line_stands_in_the_library():
    root = Path(__file__).resolve().parents[2]
    call = ["grep", "-rnE", r'"[^"]*--[a-z][a-z-]+', "src", "include", "python/src"]
    found = subprocess.run(call, cwd=root, capture_output=True, text=True)
    assert (found.returncode, found.stdout) == (1, "")  # as grep says that there is none
