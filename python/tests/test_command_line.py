"""Python and the command line: the same models, the same numbers."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import plumbline
import pytest
from people import mixed, numbers
from plumbline import OrthogonalToBias, SparseOrthogonalToBias
from plumbline.moments import Moments
from sklearn.base import clone

from cli import tool

EXACT = {"float_precision": "round_trip"}


def write(table: pd.DataFrame, folder: Path) -> Path:
    return tool.write(table, folder / "table.csv")


def frame(rows: int = 300, seed: int = 0) -> pd.DataFrame:
    return pd.DataFrame(numbers(rows, seed=seed), columns=["s0", "s1", *(f"x{j}" for j in range(5))])


def close(found: pd.DataFrame, expected: pd.DataFrame, tolerance: float = 1e-12) -> None:
    assert list(found.columns) == list(expected.columns)
    a, b = found.to_numpy(float), expected.to_numpy(float)
    assert a.shape == b.shape
    assert np.max(np.abs(a - b)) <= tolerance * np.max(np.abs(b))


CASES = [
    (OrthogonalToBias, {}, []),
    (OrthogonalToBias, {"n_components": 2}, ["--rank", 2]),
    (OrthogonalToBias, {"n_components": 0.9, "basis": "paper"}, ["--rank", "0.9", "--basis", "paper"]),
    (OrthogonalToBias, {"mode": "blind"}, ["--mode", "blind"]),
    (OrthogonalToBias, {"alpha": 0.25}, ["--alpha", "0.25"]),
    (OrthogonalToBias, {"n_components": 3, "standardize": False}, ["--rank", 3, "--no-standardize"]),
    (OrthogonalToBias, {"expand": "powers=3,splines=4"}, ["--expand", "powers=3,splines=4"]),
    (SparseOrthogonalToBias, {"n_components": 3, "l1_bound": 1.5}, ["--method", "sob", "--rank", 3, "--l1", "1.5"]),
]


@pytest.mark.parametrize(("make", "parameters", "flags"), CASES)
def test_fit_is_partial_fit_is_the_command_line(tmp_path, make, parameters, flags):
    table = frame()
    ours = make(sensitive_feature_ids=["s0", "s1"], **parameters).fit(table)
    theirs = tool.fitted_output(write(table, tmp_path), "s0,s1", *flags)
    close(ours.transform(table), theirs)
    if "expand" not in parameters:
        chunked = make(sensitive_feature_ids=["s0", "s1"], **parameters)
        for first in range(0, len(table), 70):
            chunked.partial_fit(table.iloc[first : first + 70])
        close(chunked.transform(table), ours.transform(table))


def test_sensitive_columns_are_in_the_order_of_the_table(tmp_path):
    table = frame()
    fair = OrthogonalToBias(sensitive_feature_ids=["x3", "s1"]).fit(table)
    assert fair.to_json() == OrthogonalToBias(sensitive_feature_ids=["s1", "x3"]).fit(table).to_json()
    theirs = plumbline.load_model(tool.fit(write(table, tmp_path), "x3,s1"))
    assert theirs.sensitive_feature_ids == ["s1", "x3"]
    assert np.allclose(fair.coef_, theirs.coef_, rtol=1e-9)
    b, a = table[["s1", "x3"]], table.drop(columns=["s1", "x3"])
    out = fair.intercept_ + a @ fair.feature_coef_.T + b.to_numpy() @ fair.coef_.T
    assert np.allclose(out, fair.transform(table), rtol=0, atol=1e-12 * np.abs(table).max(axis=None))
    array = OrthogonalToBias(sensitive_feature_ids=[5, 1]).fit(table.to_numpy())
    apart = array.transform(a.to_numpy(), sensitive_features=b.to_numpy())
    assert np.array_equal(apart, array.transform(table.to_numpy()))


def test_categories_truth_values_and_chunks_with_levels_of_their_own(tmp_path):
    table = mixed().sort_values("race", ignore_index=True)
    ours = OrthogonalToBias(sensitive_feature_ids=["race", "age"]).fit(table)
    theirs = tool.fitted_output(write(table, tmp_path), "race,age")
    close(ours.transform(table), theirs)
    chunked = OrthogonalToBias(sensitive_feature_ids=["race", "age"])
    for first in range(0, len(table), 45):
        chunked.partial_fit(table.iloc[first : first + 45])
    close(chunked.transform(table), theirs)


def test_text_of_digits_is_a_category_in_python_alone(tmp_path):
    table = frame()
    codes = np.random.default_rng(1).integers(0, 3, size=len(table))
    text, path = table.assign(s0=codes.astype(str)), write(table.assign(s0=codes), tmp_path)
    fair = OrthogonalToBias(sensitive_feature_ids=["s0", "s1"])
    close(fair.fit_transform(text), tool.fitted_output(path, "s0,s1", "--categorical", "s0"))
    close(fair.fit_transform(text.astype({"s0": float})), tool.fitted_output(path, "s0,s1"))


def test_blanks_around_cells_and_names_are_kept_in_python_alone(tmp_path):
    plain = mixed()
    blanks = plain.assign(race=" " + plain["race"] + " ").rename(columns={"hours": " hours"})
    fair = OrthogonalToBias(sensitive_feature_ids=["race", "age"])
    path = write(blanks, tmp_path)
    close(fair.fit_transform(plain), tool.fitted_output(path, "race,age"))
    for table, words in (
        (blanks, "lacks columns of the model: ' hours'"),
        (blanks.rename(columns=str.strip), "has not seen"),
    ):
        (tmp_path / "ours.json").write_text(fair.fit(table).to_json())
        done = tool.run(
            "transform", "--model", tmp_path / "ours.json", "--input", path, "--output", tmp_path / "out.csv"
        )
        assert done.code == 2
        assert words in done.err


@pytest.mark.parametrize("missing", ["drop", "mean"])
def test_missing_cells(tmp_path, missing):
    table = mixed()
    rng = np.random.default_rng(5)
    for name in ("income", "age", "race", "job"):
        table.loc[rng.choice(len(table), 9, replace=False), name] = None
    ours = OrthogonalToBias(sensitive_feature_ids=["race", "age"], missing=missing).fit(table)
    theirs = tool.fitted_output(write(table, tmp_path), "race,age", "--missing", missing)
    out = ours.transform(table)
    gone = table.isna().any(axis=1)
    if missing == "drop":
        assert ours.n_dropped_ == gone.sum()
        assert out[gone].isna().all(axis=None)
        out = out[~gone]
    else:
        assert ours.n_filled_ == table.isna().sum().sum()
    close(out, theirs)


def test_weights_are_a_column_of_the_command_line(tmp_path):
    table = frame()
    weights = np.random.default_rng(2).integers(0, 4, size=len(table))
    ours = OrthogonalToBias(sensitive_feature_ids=["s0", "s1"], n_components=3).fit(table, sample_weight=weights)
    path = write(table.assign(w=weights), tmp_path)
    theirs = tool.fitted_output(path, "s0,s1", "--weights", "w", "--rank", 3)
    close(ours.transform(table), theirs.drop(columns="w"))


@pytest.mark.parametrize(("make", "parameters", "flags"), CASES)
def test_a_model_of_one_is_applied_by_the_other(tmp_path, make, parameters, flags):
    table, later = mixed(), mixed(seed=1)
    ids = ["race", "age"]
    path = write(table, tmp_path)
    new = tool.write(later, tmp_path / "later.csv")
    if "n_components" in parameters and isinstance(parameters["n_components"], int):
        parameters = parameters | {"n_components": 2}

    ours = make(sensitive_feature_ids=ids, **parameters).fit(table)
    (tmp_path / "ours.json").write_text(ours.to_json())
    tool.succeed("transform", "--model", tmp_path / "ours.json", "--input", new, "--output", tmp_path / "out.csv")
    close(pd.read_csv(tmp_path / "out.csv", **EXACT), ours.transform(later), 1e-15)

    model = tool.fit(path, "race,age", *flags)
    theirs = plumbline.load_model(model)
    assert type(theirs) is make
    assert theirs.mode == parameters.get("mode", "aware")
    tool.succeed("transform", "--model", model, "--input", new, "--output", tmp_path / "out.csv", "--force")
    close(theirs.transform(later), pd.read_csv(tmp_path / "out.csv", **EXACT), 1e-15)


@pytest.mark.parametrize("name", ["model.json", "model.json.gz", "model.json.zst"])
def test_a_model_is_read_as_it_was_written(tmp_path, name):
    table = frame()
    tool.succeed("fit", "--input", write(table, tmp_path), "--sensitive", "s0,s1", "--model", tmp_path / name)
    close(
        plumbline.load_model(str(tmp_path / name)).transform(table),
        OrthogonalToBias(sensitive_feature_ids=["s0", "s1"]).fit_transform(table),
    )


def test_an_array_keeps_its_columns_through_the_file():
    x = numbers()
    fair = OrthogonalToBias(sensitive_feature_ids=[3, 5]).fit(x)
    again = OrthogonalToBias.from_json(fair.to_json())
    assert np.array_equal(again.transform(x), fair.transform(x))
    assert not hasattr(again, "feature_names_in_")


def test_a_loaded_model_finds_columns_by_name():
    table = frame()
    fair = OrthogonalToBias(sensitive_feature_ids=["s1", "x2"]).fit(table)
    again = OrthogonalToBias.from_json(fair.to_json())
    shuffled = table[sorted(table.columns, reverse=True)].assign(other=1)
    pd.testing.assert_frame_equal(again.transform(shuffled), fair.transform(table))
    with pytest.raises(ValueError, match="x4"):
        again.transform(shuffled.drop(columns="x4"))


@pytest.mark.parametrize(
    "expand", [None, "powers=3", "splines=4", {"bins": 3}, ["powers=2", "splines=5", "bins=4", "interactions"], "auto"]
)
def test_a_loaded_model_can_be_fitted_anew(expand):
    x, table = numbers(), mixed()
    array = OrthogonalToBias(sensitive_feature_ids=[3, 5], expand=expand, n_components=2).fit(x)
    named = OrthogonalToBias(sensitive_feature_ids=["race", "age"], expand=expand, mode="blind").fit(table)
    for fair, rows in ((array, x), (named, table)):
        again = OrthogonalToBias.from_json(fair.to_json())
        assert (again.expand is None) == (expand is None)
        assert clone(again).fit(rows).to_json() == fair.to_json()
        assert again.sensitive_feature_ids == fair.sensitive_feature_ids


def test_coefficients_are_of_the_terms():
    x = numbers()
    b, a = x[:, :2], x[:, 2:]
    fair = OrthogonalToBias(sensitive_feature_ids=[0, 1], expand="powers=2").fit(x)
    t = (b - b.mean(axis=0)) / b.std(axis=0)
    phi = np.column_stack([b[:, 0], t[:, 0] ** 2, b[:, 1], t[:, 1] ** 2])
    for one in (fair, OrthogonalToBias.from_json(fair.to_json())):
        out = one.intercept_ + a @ one.feature_coef_.T + phi @ one.coef_.T
        assert np.max(np.abs(out - one.transform(x))) < 1e-12 * np.max(np.abs(x))


@pytest.mark.parametrize("order", [["x2", "x0", "x1"], ["b", "x0", "x1"], None])
@pytest.mark.parametrize("apart", [False, True])
def test_a_model_file_tells_what_the_columns_were(order, apart):
    x = numbers(sensitive=1, features=2)
    given = x if order is None else pd.DataFrame(x, columns=order)
    fair = OrthogonalToBias(sensitive_feature_ids=None if apart else 0 if order is None else order[0])
    rest, b = (given[:, 1:], given[:, 0]) if order is None else (given.iloc[:, 1:], given.iloc[:, 0])
    fit = {"X": rest, "sensitive_features": b} if apart else {"X": given}
    fair.fit(**fit)
    again = OrthogonalToBias.from_json(fair.to_json())
    assert again.n_features_in_ == fair.n_features_in_
    assert hasattr(again, "feature_names_in_") == hasattr(fair, "feature_names_in_") == (order is not None)
    if order is not None:
        assert again.feature_names_in_.tolist() == fair.feature_names_in_.tolist()
    assert again.get_feature_names_out().tolist() == fair.get_feature_names_out().tolist()
    assert not hasattr(again, "n_dropped_")
    assert not hasattr(again, "n_filled_")
    assert clone(again).fit(**fit).to_json() == fair.to_json()
    arrays = {name: np.asarray(value) for name, value in fit.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.array_equal(again.transform(**arrays), fair.transform(**arrays))


@pytest.mark.filterwarnings("ignore:sensitive_features does not have valid feature names")
def test_a_file_of_the_command_line_does_not_tell_the_order_of_columns(tmp_path):
    table = frame().rename(columns={"s0": "x6", "s1": "x5"})
    again = plumbline.load_model(tool.fit(write(table, tmp_path), "x5,x6"))
    fair = OrthogonalToBias(sensitive_feature_ids=["x5", "x6"]).fit(table)
    assert not hasattr(again, "feature_names_in_")
    assert not hasattr(again, "n_features_in_")
    assert again.get_feature_names_out().tolist() == fair.get_feature_names_out().tolist()
    close(again.transform(table[sorted(table)]), fair.transform(table))
    with pytest.raises(ValueError, match=r"X has 7 columns and no names, and the model file does not tell the order"):
        again.transform(table.to_numpy())
    a, b = table.iloc[:, 2:].to_numpy(), table.iloc[:, :2].to_numpy()
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        out = again.transform(a, sensitive_features=b)
    assert np.allclose(out, fair.transform(table), rtol=0, atol=1e-12 * np.abs(a).max())


@pytest.mark.parametrize("mode", ["aware", "blind"])
@pytest.mark.parametrize("restore", [False, True])
def test_a_frame_after_a_fit_to_an_array_goes_by_position(mode, restore):
    x = numbers()
    fair = OrthogonalToBias(sensitive_feature_ids=[1], mode=mode).fit(x)
    expected = fair.transform(x)
    if restore:
        fair = OrthogonalToBias.from_json(fair.to_json())
    table = pd.DataFrame(x, columns=list("tuvwxyz"))
    with pytest.warns(UserWarning, match="X has feature names, but OrthogonalToBias was fitted without feature names"):
        out = fair.transform(table)
    assert np.array_equal(out.to_numpy(), expected)


def test_moments_go_to_the_command_line(tmp_path):
    table = frame()
    a, b = table.filter(like="x"), table.filter(like="s")
    parts = [Moments().update(a.iloc[rows], b.iloc[rows]) for rows in (slice(0, 100), slice(100, None))]
    for number, part in enumerate(parts):
        part.save(tmp_path / f"{number}.plm")
    model = tmp_path / "model.json"
    tool.succeed("fit", "--moments", tmp_path / "0.plm", tmp_path / "1.plm", "--model", model, "--rank", 2)
    ours = OrthogonalToBias(sensitive_feature_ids=["s0", "s1"], n_components=2).fit(table)
    close(plumbline.load_model(model).transform(table), ours.transform(table))
    assert Moments.load(tmp_path / "0.plm") == parts[0]


def _without(folder: Path, sentence: str) -> str:
    """A sentence of the command line without what is its own: the names of files, lines from 2, and flags."""
    out = sentence.strip().removeprefix("plumbline: ").replace(f"'{folder / 'table.csv'}'", "X")
    out = re.sub(r"^X, line (\d+)", lambda found: f"row {int(found[1]) - 2}", out)
    return (
        re.sub(" with --drop '.*?'", "", out)
        .replace("--mode blind", "mode='blind'")
        .replace("--expand", "expand")
        .replace("--unknown ignore", "unknown='ignore'")
    )


def _named(table: pd.DataFrame, **others: str) -> pd.DataFrame:
    return table.rename(columns=others)


IDS = [f"person {number}" for number in range(10_001)] * 2
REFUSED_IN_FIT = {
    "constant": (frame().assign(s0=1.0), {}, []),
    "twice": (_named(frame(), x0="s0", x1="x4"), {}, []),
    "no cell": (frame().assign(x1=np.nan), {"missing": "mean"}, ["--missing", "mean"]),
    "too many levels": (frame(len(IDS)).assign(x1=IDS), {}, []),
    "terms": (frame(), {"expand": "splines=2"}, ["--expand", "splines=2"]),
    "no weight": (frame().assign(w=0), {}, ["--weights", "w"]),
    "no weight and gaps": (
        frame().assign(w=0, x1=[np.nan, *range(299)]),
        {"missing": "mean"},
        ["--weights", "w", "--missing", "mean"],
    ),
}


@pytest.mark.parametrize("case", REFUSED_IN_FIT)
def test_fits_are_refused_in_the_same_words(tmp_path, case):
    table, parameters, flags = REFUSED_IN_FIT[case]
    done = tool.run("fit", "--input", write(table, tmp_path), "--sensitive", "s0", "--model", tmp_path / "m", *flags)
    weights = {"sample_weight": table["w"]} if "w" in table else {}
    fair = OrthogonalToBias(sensitive_feature_ids="s0", **parameters)
    with pytest.raises(plumbline.Error) as caught:
        fair.fit(table.drop(columns="w", errors="ignore"), **weights)
    assert done.code == 2
    assert _without(tmp_path, done.err) == str(caught.value)


def test_weights_are_refused_in_the_same_words(tmp_path):
    table = frame()
    weights = np.ones(len(table))
    weights[7] = -1
    path = write(table.assign(w=weights), tmp_path)
    done = tool.run("fit", "--input", path, "--sensitive", "s0", "--weights", "w", "--model", tmp_path / "m")
    with pytest.raises(plumbline.Error) as caught:
        OrthogonalToBias(sensitive_feature_ids="s0").fit(table, sample_weight=weights)
    assert _without(tmp_path, done.err).replace(", column 'w'", "") == str(caught.value)


REFUSED_LATER = {
    "a feature is absent": mixed().drop(columns="hours"),
    "a sensitive column is absent": mixed().drop(columns="age"),
    "both are mistyped": _named(mixed(), hours="hour", race="Race"),
    "a category is new": mixed().assign(job=["new", *mixed()["job"][1:]]),
}


@pytest.mark.parametrize("case", REFUSED_LATER)
def test_rows_are_refused_in_the_same_words(tmp_path, case):
    model = tool.fit(write(mixed(), tmp_path), "race,age")
    path = write(REFUSED_LATER[case], tmp_path)
    done = tool.run("transform", "--model", model, "--input", path, "--output", tmp_path / "out.csv")
    with pytest.raises(plumbline.Error) as caught:
        plumbline.load_model(model).transform(REFUSED_LATER[case])
    assert done.code == 2
    assert _without(tmp_path, done.err) == str(caught.value)


@pytest.mark.parametrize("missing", ["error", "mean", "drop"])
@pytest.mark.parametrize(
    ("parameters", "flags"),
    [
        ({}, []),
        ({"mode": "blind"}, ["--mode", "blind"]),
        ({"n_components": 3}, ["--rank", 3]),
        ({"expand": "powers=2,interactions"}, ["--expand", "powers=2,interactions"]),
    ],
)
def test_categories_that_the_fit_has_not_seen_are_none_of_its_levels(tmp_path, missing, parameters, flags):
    table, later = mixed(), mixed(seed=1).astype({"job": object})
    later.loc[[0, 5, 60], "job"] = "new"
    later.loc[[5, 61], "race"] = "other"
    if missing != "error":
        later.loc[[7, 8], "job"] = later.loc[[60], "income"] = None
    gone = later.isna().any(axis=1) & (missing == "drop")
    fair = OrthogonalToBias(sensitive_feature_ids=["race", "age"], missing=missing, unknown="ignore", **parameters)
    if missing == "mean":
        table.loc[3, "job"] = None
    fair.fit(table)
    model = tool.fit(write(table, tmp_path), "race,age", "--missing", missing, *flags)
    new = tool.write(later, tmp_path / "later.csv")
    transform = ["transform", "--model", model, "--input", new, "--unknown", "ignore", "--output", tmp_path / "out.csv"]
    tool.succeed(*transform, "--force")
    close(fair.transform(later)[~gone], pd.read_csv(tmp_path / "out.csv", **EXACT))
    if "n_components" in parameters:
        tool.succeed(*transform, "--force", "--scores")
        close(fair.transform_scores(later)[~gone], pd.read_csv(tmp_path / "out.csv", **EXACT))
    theirs = plumbline.load_model(model).set_params(unknown="ignore")
    close(theirs.transform(later)[~gone], fair.transform(later)[~gone])
    assert fair.certify(later).rows == (~gone).sum()
    chosen = clone(fair).set_params(unknown="error").fit(table)
    for call in (chosen.transform, chosen.certify):
        with pytest.raises(ValueError, match="has not seen; unknown='ignore' maps it to none of them"):
            call(later)


def test_a_category_that_the_fit_has_not_seen_leaves_the_other_columns_alone():
    """Its row is what it would be with each indicator at 0."""
    table = mixed()
    fair = OrthogonalToBias(sensitive_feature_ids=["race", "age"], unknown="ignore").fit(table)
    new = table.assign(job="new", race="other")
    names = fair.get_feature_names_out().tolist()
    a = pd.DataFrame(0.0, index=table.index, columns=names)
    a[["income", "married", "hours"]] = table[["income", "married", "hours"]].astype(float)
    b = np.column_stack([np.zeros((len(table), 3)), table["age"]])
    expected = fair.intercept_ + a.to_numpy() @ fair.feature_coef_.T + b @ fair.coef_.T
    assert np.allclose(fair.transform(new), expected, rtol=0, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("flags", [(), ("--min-level-rows", 50)])
def test_moments_that_count_no_values_say_that_rare_ones_stay(tmp_path, flags):
    table = frame()
    path = tmp_path / "part.plm"
    Moments(["x0", "x1"], ["s0"]).update(table[["x0", "x1"]], table[["s0"]]).save(path)
    done = tool.run("fit", "--moments", path, *flags, "-m", tmp_path / "m.json")
    assert done.code == 0, done.err
    said = "part.plm does not say how many rows have each value" in done.err
    assert said == bool(flags)
    assert ("--min-level-rows has no effect" in done.err) == bool(flags)
