"""What models can still read back, as Python asks for it; its numbers are those of the command line."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import numpy as np
import pandas as pd
import plumbline
import pytest
from plumbline import Certificate, OrthogonalToBias, SparseOrthogonalToBias, _core
from sklearn.base import clone

from cli import tool

SENSITIVE = ["age", "sex"]


def people(rows: int = 1200, seed: int = 0) -> pd.DataFrame:
    """Numbers, truth values and categories; a 0/1 and a square depend on age."""
    rng = np.random.default_rng(seed)
    age = np.round(rng.normal(45, 12, rows), 3)
    sex = rng.choice(["f", "m"], rows)
    owns = (rng.random(rows) < 1 / (1 + np.exp((45 - age) / 12 - (sex == "m")))).astype(float)
    return pd.DataFrame(
        {
            "age": age,
            "sex": sex,
            "owns": owns,
            "income": age / 12 + (sex == "m") + rng.normal(size=rows),
            "away": ((age - 45) / 12) ** 2 + 0.5 * rng.normal(size=rows),
            "town": rng.choice(["a", "b", "c"], rows),
            "luck": rng.normal(size=rows),
            "weight": rng.integers(0, 4, rows).astype(float),
        }
    )


def fair(**parameters: Any) -> OrthogonalToBias:
    return OrthogonalToBias(sensitive_feature_ids=SENSITIVE, **parameters)


def of_json(certificate: Certificate) -> Any:
    return json.loads(certificate.to_json()).get("probe")


def column(probe: _core.Probe, name: str, read_as: str) -> _core.ProbedColumn:
    return next(one for one in probe.columns if (one.name, one.read_as) == (name, read_as))


def probe_of(certificate: Certificate) -> _core.Probe:
    assert certificate.probe is not None
    return certificate.probe


CASES = [
    (OrthogonalToBias, {}, []),
    (OrthogonalToBias, {"n_components": 2}, ["--rank", "2"]),
    (OrthogonalToBias, {"mode": "blind"}, ["--mode", "blind"]),
    (OrthogonalToBias, {"expand": "splines=4"}, ["--expand", "splines=4"]),
    (OrthogonalToBias, {"probe": "none"}, ["--probe", "none"]),
    (SparseOrthogonalToBias, {"n_components": 2, "l1_bound": 1.3}, ["--method", "sob", "--rank", "2", "--l1", "1.3"]),
]


@pytest.mark.parametrize(("make", "parameters", "flags"), CASES)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("rows", [300, 6000, 12_000])
def test_its_numbers_are_those_of_the_command_line(tmp_path, make, parameters, flags, weighted, rows):
    table = people(rows, seed=rows)
    table.loc[[3, 17], "luck"] = np.nan
    file, model = tool.write(table, tmp_path / "t.csv"), tmp_path / "m.json"
    roles = ["--weights", "weight"] if weighted else ["--drop", "weight"]
    tool.run("fit", "-i", file, "-s", "age,sex", "-m", model, "--missing", "drop", *roles, *flags)
    ours = make(sensitive_feature_ids=SENSITIVE, missing="drop", **parameters)
    ours.fit(table.drop(columns="weight"), sample_weight=table["weight"] if weighted else None)
    line, python = tool.load(model)["certificate"], json.loads(ours.to_json())["certificate"]
    assert line == python
    assert ("probe" in line) == (parameters.get("probe") != "none")
    again = plumbline.load_model(model)
    assert of_json(again.certificate_) == of_json(ours.certificate_)


def test_new_rows_are_probed_as_by_the_command_line(tmp_path):
    table, new = people().drop(columns="weight"), people(900, seed=1).drop(columns="weight")
    file = tool.write(table, tmp_path / "t.csv")
    tool.succeed("fit", "-i", file, "-s", "age,sex", "-m", tmp_path / "m.json")
    call = ("transform", "-m", tmp_path / "m.json", "-i", tool.write(new, tmp_path / "n.csv"), "-o", tmp_path / "o.csv")
    line = tool.run(*call, "--check", "--json").json["certificate"]
    ours = fair().fit(table)
    found = ours.certify(new)
    assert of_json(found) == line["probe"]
    assert probe_of(found).rows == 900
    assert ours.certify(new, probe="none").probe is None
    assert clone(ours).set_params(probe="none").fit(table).certify(new).probe is None
    assert of_json(clone(ours).set_params(probe="none").fit(table).certify(new, probe="quick")) == line["probe"]
    with pytest.raises(plumbline.Error, match="probe is 'most'; it must be 'quick', 'full' or 'none'"):
        ours.certify(new, probe="most")


@pytest.mark.parametrize("effort", ["quick", "full"])
@pytest.mark.parametrize("seed", range(2))
def test_leaks_that_no_correlation_shows_are_found(effort, seed):
    rng = np.random.default_rng(seed)
    b = rng.normal(size=2000)
    square = b**2 + 0.5 * rng.normal(size=2000)
    step = (rng.random(2000) < 1 / (1 + np.exp(-b))).astype(float)
    others = rng.normal(size=(2000, 5))
    others[:, 0] += b
    for leak, read_as in ((square, "distance"), (step, "number")):
        ours = OrthogonalToBias(probe=effort).fit(np.column_stack([leak, others]), sensitive_features=b)
        certificate = ours.certificate_
        assert certificate.holds()
        made = probe_of(certificate)
        assert made.attackers == ["linear", "hinges", "boosted trees"][: 3 if effort == "full" else 2]
        for reading in column(made, "b0", read_as).after[1:]:
            assert reading.low > 0.1
        exposed = made.most_exposed()
        assert exposed is not None
        assert exposed.column.name == "b0"
        assert exposed.attacker in made.attackers[1:]
        assert 0 < exposed.exposure <= 1
        assert made.most_exposed(linear_only=True) is None or exposed.exposure > 0.3
        assert "flexible model" in certificate.in_words()
    nothing = OrthogonalToBias(probe=effort).fit(others[:, 1:], sensitive_features=rng.integers(0, 2, 2000))
    assert all(abs(one.value - 0.5) < 0.1 for one in probe_of(nothing.certificate_).columns[0].after)


def test_what_was_not_asked_or_cannot_be_is_not_there():
    table = people().drop(columns="weight")
    none = fair(probe="none").fit(table)
    assert none.certificate_.probe is None
    assert "was not measured" in none.certificate_.in_words()
    chunked = fair().partial_fit(table.iloc[:600]).partial_fit(table.iloc[600:])
    assert chunked.certificate_.probe is None
    assert fair().fit(table).partial_fit(table).certificate_.probe is None
    few = probe_of(fair().fit(table.head(50)).certificate_)
    assert few.columns == []
    assert "too few" in few.not_estimable[0]
    with pytest.raises(ValueError, match="probe"):
        fair(probe="most").fit(table)


def test_a_stream_is_probed_as_the_table_and_keeps_no_more_rows():
    pa = pytest.importorskip("pyarrow")
    table = people(7000, seed=2)
    table["town"] = np.sort(table["town"].to_numpy())  # no chunk has all levels
    weights = table.pop("weight").to_numpy()
    whole = probe_of(fair(min_level_rows=0).fit(table, sample_weight=weights).certificate_)
    for chunk in (400, 5000, 7000):
        stream = pa.Table.from_pandas(table, preserve_index=False).to_reader(max_chunksize=chunk)
        ours = fair(min_level_rows=0).fit(stream, sample_weight=weights)
        assert ours._fitted().sample.n_rows == 5000
        found = probe_of(ours.certificate_)
        assert found.rows == whole.rows
        for one, other in zip(found.columns, whole.columns, strict=True):
            assert (one.name, one.read_as) == (other.name, other.read_as)
            readings = zip(one.before + one.after, other.before + other.after, strict=True)
            assert all(x.value == pytest.approx(y.value, abs=1e-6) for x, y in readings)
    stream = pa.Table.from_pandas(table, preserve_index=False).to_reader()
    assert fair(probe="none").fit(stream).certificate_.probe is None


def test_nothing_else_depends_on_it():
    table = people().drop(columns="weight")
    models = [json.loads(fair(probe=effort).fit(table).to_json()) for effort in ("none", "quick", "full")]
    probes = [model["certificate"].pop("probe", None) for model in models]
    assert models[0]["certificate"] == models[1]["certificate"] == models[2]["certificate"]
    assert models[0]["map"] == models[1]["map"] == models[2]["map"]
    assert probes[0] is None
    for quick, full in zip(probes[1]["columns"], probes[2]["columns"], strict=True):
        assert quick["after"] == full["after"][:2]
    assert np.array_equal(fair(probe="none").fit_transform(table), fair().fit_transform(table))


def test_rows_are_kept_until_they_are_of_no_use():
    table = people().drop(columns="weight")
    ours = fair().fit(table)
    kept = ours._fitted().sample
    assert kept is not None
    assert kept.n_rows == len(table)
    assert ours.transform(table).shape == (len(table), 7)
    assert ours._fitted().sample is kept
    assert ours.certificate_.probe is not None
    assert ours._fitted().sample is None
    assert fair(probe="full").fit(table)._fitted().sample is None


def test_a_pickle_tells_the_same_and_holds_no_rows():
    table = people(3000).drop(columns="weight")
    expected = fair().fit(table).to_json()
    ours = fair().fit(table)
    bytes_ = pickle.dumps(ours)
    again = pickle.loads(bytes_)
    assert again._fitted().sample is None
    assert again.to_json() == ours.to_json() == expected
    assert table["income"].iloc[5].tobytes() not in bytes_
    for copied in (copy.copy, copy.deepcopy):
        other = fair().fit(table)
        assert copied(other).to_json() == other.to_json() == expected
    certificate = ours.certificate_
    assert of_json(pickle.loads(pickle.dumps(certificate))) == of_json(certificate)
    assert of_json(Certificate.from_json(certificate.to_json())) == of_json(certificate)
    assert plumbline.OrthogonalToBias.from_json(expected).to_json() == expected


def test_kinds_of_tables_and_of_roles_are_read_alike():
    table = people().drop(columns=["weight", "town"])
    expected = of_json(fair().fit(table).certificate_)
    apart = OrthogonalToBias().fit(table.drop(columns=SENSITIVE), sensitive_features=table[SENSITIVE])
    assert of_json(apart.certificate_) == expected
    polars = pytest.importorskip("polars")
    assert of_json(fair().fit(polars.from_pandas(table)).certificate_) == expected
    numbers = table.drop(columns="sex").astype(np.float32)
    narrow = OrthogonalToBias(sensitive_feature_ids=["age"]).fit(numbers)
    wide = OrthogonalToBias(sensitive_feature_ids=["age"]).fit(numbers.astype(np.float64))
    assert of_json(narrow.certificate_) == of_json(wide.certificate_)
    array = OrthogonalToBias(sensitive_feature_ids=[0]).fit(numbers.to_numpy())
    assert of_json(array.certificate_)["columns"][0]["after"] == of_json(wide.certificate_)["columns"][0]["after"]


def test_rows_of_weight_zero_count_for_nothing_and_weights_do():
    table = people(2000)
    heavy = table["weight"] > 0
    features = table.drop(columns="weight")
    ours = fair().fit(features, sample_weight=table["weight"])
    made = probe_of(ours.certificate_)
    assert made.rows == heavy.sum()
    plain = probe_of(fair().fit(features).certificate_)
    assert plain.rows == len(table)
    assert column(plain, "age", "number").after[1].value != column(made, "age", "number").after[1].value
    full = probe_of(fair(probe="full").fit(features, sample_weight=table["weight"]).certificate_)
    assert full.rows == made.rows
    assert len(full.columns[0].after) == 3


def test_as_a_frame():
    made = probe_of(fair().fit(people().drop(columns="weight")).certificate_)
    frame = made.by_column()
    assert frame.columns.tolist() == [
        *("name", "read_as", "attacker", "before", "before_low", "before_high", "after", "after_low", "after_high")
    ]
    assert len(frame) == len(made.columns) * len(made.attackers)
    row = frame[(frame["name"] == "age") & (frame["read_as"] == "number") & (frame["attacker"] == "hinges")].iloc[0]
    reading = column(made, "age", "number").after[1]
    assert (row["after"], row["after_low"], row["after_high"]) == (reading.value, reading.low, reading.high)
    assert (frame["after_low"] <= frame["after"]).all()
    assert repr(reading).startswith("Reading(value=")


def test_a_bar_of_all_attackers(capfd):
    table = people(400).drop(columns=["weight", "town"])
    expected = fair(probe="full").fit(table)
    assert capfd.readouterr().err == ""
    shown = fair(probe="full").fit(table, progress=True)
    assert "probe: 100%" in capfd.readouterr().err
    assert shown.to_json() == expected.to_json()
    found = shown.certify(table, progress=True)
    assert "probe: 100%" in capfd.readouterr().err
    assert of_json(found) == of_json(expected.certify(table))
    shown.certify(table, probe="quick", progress=True)
    assert "probe" not in capfd.readouterr().err


def test_what_an_attacker_of_python_raises_comes_out():
    table = people(300).drop(columns=["weight", "town"])
    ours = fair().fit(table)
    fit, sample = ours._fitted().fit, ours._fitted().sample
    assert sample is not None

    def fails(*_: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _core.probe_fit(fit, sample, [("fails", fails)], None)
    for answer in (np.zeros(3), "text", np.zeros((3, 1)), None):
        with pytest.raises(plumbline.Error, match="attacker 'odd' predicts"):
            _core.probe_fit(fit, sample, [("odd", lambda *_, answer=answer: answer)], None)
    assert ours.certificate_.probe is not None
