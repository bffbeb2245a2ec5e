"""Bad input through both front ends, the command line on the CSV and Python on the frame, row by row of the design's
table: the same facts are said (which column, which row, which cell) and each says what helps in its own words."""

from __future__ import annotations

import gzip
import json
import re
import resource
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import plumbline
import pyarrow as pa
import pytest
from plumbline import OrthogonalToBias
from plumbline.moments import Moments

from cli import tool

ROWS = 80
EXACT = {"float_precision": "round_trip"}


def people(seed: int = 0, rows: int = ROWS, **more: Any) -> pd.DataFrame:
    """Sensitive age; features of every kind."""
    rng = np.random.default_rng(seed)
    age = rng.normal(40, 10, rows)
    table = {"age": age, "income": 3 * age + rng.normal(size=rows), "hours": rng.normal(size=rows)}
    return pd.DataFrame({**table, "town": [f"t{j % 4}" for j in range(rows)], **more})


def with_cell(row: int, column: str, cell: Any, seed: int = 0) -> pd.DataFrame:
    table = people(seed)
    table[column] = table[column].astype(object)
    table.loc[row, column] = cell
    return table


@dataclass
class Case:
    """What is refused, and the facts that both sentences state; each with the remedies of its own words."""

    table: pd.DataFrame
    facts: Sequence[str]
    flags: Sequence[object] = ()
    parameters: dict[str, Any] = field(default_factory=dict)
    row: int | None = None  # counted from 0; the file has it two lines further down
    line_remedies: Sequence[str] = ()
    python_remedies: Sequence[str] = ()
    sensitive: Sequence[str] = ("age",)
    fitted_to: pd.DataFrame | None = None  # it is refused by a transform after a fit to this
    given: Callable[[pd.DataFrame], Any] = lambda table: table  # as what Python gets it


def of_line(case: Case, folder: Path) -> str:
    """What the command line says, which leaves no file behind."""
    path, out = tool.write(case.table, folder / "t.csv"), folder / "o.csv"
    if case.fitted_to is None:
        roles = ("--sensitive", ",".join(case.sensitive), "--min-level-rows", 0)
        done = tool.run("fit", "-i", path, *roles, *case.flags, "-o", out)
    else:
        first = tool.write(case.fitted_to, folder / "first.csv")
        model = tool.fit(first, ",".join(case.sensitive), "--min-level-rows", 0)
        done = tool.run("transform", "-m", model, "-i", path, *case.flags, "-o", out)
    assert done.code == 2, done
    assert done.err.count("\n") == 1
    assert not out.exists()
    return done.err


def of_python(case: Case) -> str:
    fair = OrthogonalToBias(sensitive_feature_ids=list(case.sensitive), min_level_rows=0, **case.parameters)
    if case.fitted_to is not None:
        fair.fit(case.given(case.fitted_to))
    before = dict(vars(fair))
    with pytest.raises(ValueError) as caught:
        (fair.fit if case.fitted_to is None else fair.transform)(case.given(case.table))
    assert vars(fair) == before
    return str(caught.value)


REFUSED = {
    "unknown column": Case(people(), ["'agee'", "did you mean 'age'"], sensitive=["agee"]),
    "unknown column of another case": Case(people(), ["'Age'", "did you mean 'age'"], sensitive=["Age"]),
    "duplicate name": Case(people().rename(columns={"hours": "income"}), ["'income'"]),
    "nothing is left to change": Case(people()[["age"]], ["feature"]),
    "text among numbers": Case(
        with_cell(7, "hours", "many"),
        ["'hours'", "'many'"],
        row=7,
        line_remedies=["--categorical"],
        python_remedies=["to_numeric", "astype('category')"],
    ),
    "text where the fit had numbers": Case(
        people(hours="many"), ["'hours'"], fitted_to=people(), line_remedies=["--categorical"]
    ),
    "NaN": Case(
        with_cell(9, "hours", np.nan).astype({"hours": float}),
        [],
        line_remedies=["--missing drop", "--missing mean", "'hours'"],
        python_remedies=["NaN"],
    ),
    "infinity": Case(
        with_cell(9, "age", np.inf).astype({"age": float}),
        [],
        line_remedies=["--missing drop", "--missing mean", "'age'"],
        python_remedies=["infinity"],
    ),
    "missing category": Case(
        with_cell(9, "town", None),
        ["'town'"],
        row=9,
        line_remedies=["--missing drop"],
        python_remedies=["missing='drop'"],
    ),
    "missing cells in every row": Case(
        people(hours=np.nan),
        ["'hours'", "80 rows"],
        flags=["--missing", "drop"],
        parameters={"missing": "drop"},
        line_remedies=["--drop", "--missing mean"],
        python_remedies=["missing='mean'"],
    ),
    "every sensitive column is constant": Case(people().assign(age=1.0), ["every sensitive column is constant"]),
    "one row": Case(people().head(1), []),
    "values too far apart": Case(people(hours=np.where(np.arange(ROWS) % 2, 1e300, -1e300)), ["'hours'"]),
    "level that the fit has not seen": Case(
        with_cell(11, "town", "t9"),
        ["'town'", "'t9'"],
        row=11,
        fitted_to=people(1),
        line_remedies=["--unknown ignore"],
        python_remedies=["unknown='ignore'"],
    ),
    "a column of the model is lacking": Case(people().drop(columns="hours"), ["hours"], fitted_to=people(1)),
    "a column of the model has another name": Case(
        people().rename(columns={"hours": "hour"}), ["hours", "hour"], fitted_to=people(1)
    ),
    "decimal commas as text": Case(
        people(price=[f"{j},5" for j in range(ROWS)]),
        ["'price'", "'0,5'"],
        flags=["--decimal", "."],
        line_remedies=["--decimal ,", "--categorical 'price'"],
        python_remedies=["decimal=','", "astype('category')"],
    ),
    "thousands separators": Case(
        people(price=[f"{1 + j % 5} {j:03}" for j in range(ROWS)]),
        ["'price'", "'1 000'", "thousands separators"],
        line_remedies=["--categorical 'price'"],
        python_remedies=["thousands=','", "astype('category')"],
    ),
    "dates": Case(
        people(born=[f"20{j % 30:02}-05-{1 + j % 28:02}" for j in range(ROWS)]),
        ["'born' holds dates, such as '2000-05-01'", "neither a number nor a category"],
        line_remedies=["--drop", "--keep", "--categorical"],
        python_remedies=["leave it out", ".dt.days", "astype('category')"],
    ),
    "more columns than are allowed": Case(
        people(rows=6000, zip=[f"z{j % 2500}" for j in range(6000)]),
        ["2504 columns, more than 2000", "'zip' 2500"],
        line_remedies=["--drop", "--min-level-rows", "--max-level-columns"],
        python_remedies=["leave columns out", "min_level_rows"],
    ),
    "more levels than a category has": Case(
        people(rows=21_000, zip=[f"z{j % 10_500}" for j in range(21_000)]), ["'zip'"]
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_both_refuse_it_with_the_same_facts(name, tmp_path):
    case = REFUSED[name]
    line, python = of_line(case, tmp_path), of_python(case)
    for fact in case.facts:
        assert fact in line
        assert fact in python
    if case.row is not None:
        assert f"line {case.row + 2}," in line
        assert f"row {case.row}," in python
    for remedy in case.line_remedies:
        assert remedy in line
    for remedy in case.python_remedies:
        assert remedy in python
    assert " --" not in python, "flags are of the command line"


@dataclass
class Works:
    """What both do, and the notes or numbers that both give."""

    table: pd.DataFrame
    flags: Sequence[object] = ()
    parameters: dict[str, Any] = field(default_factory=dict)
    notes: Sequence[str] = ()
    dropped: int = 0
    filled: int = 0
    sensitive: Sequence[str] = ("age",)


def gaps(seed: int) -> pd.DataFrame:
    table = people(seed)
    table.loc[[3, 17], "hours"] = np.nan
    table.loc[[17, 40], "income"] = np.nan
    return table


RARE = [*["rare"] * 3, *[f"t{j % 2}" for j in range(ROWS - 3)]]
WORK = {
    "missing cells dropped": Works(gaps(0), ["--missing", "drop"], {"missing": "drop"}, dropped=3),
    "missing cells filled": Works(gaps(0), ["--missing", "mean"], {"missing": "mean"}, filled=4),
    "constant feature": Works(people(hours=2.5)),
    "duplicate feature": Works(people().assign(again=lambda table: table["hours"])),
    "a feature that is sensitive too": Works(people().assign(again=lambda table: 2 * table["age"])),
    "collinear sensitive columns": Works(
        people().assign(twice=lambda table: 2 * table["age"]), sensitive=["age", "twice", "town"]
    ),
    "more sensitive columns than rows": Works(
        pd.DataFrame(np.random.default_rng(2).normal(size=(6, 9)), columns=[f"x{j}" for j in range(9)]),
        sensitive=[f"x{j}" for j in range(7)],
    ),
    "more features than rows": Works(
        pd.DataFrame(np.random.default_rng(3).normal(size=(5, 9)), columns=["age", *(f"x{j}" for j in range(8))])
    ),
    "a rank beyond the features": Works(people(), ["--rank", 100], {"n_components": 100}, notes=["rank 100"]),
    "tiny and large values": Works(
        people().assign(hours=lambda table: 1e-140 * table["hours"], income=lambda table: 1e140 * table["income"])
    ),
    "a mean far from zero": Works(people().assign(hours=lambda table: 1e9 + table["hours"])),
    "a rare level": Works(people(town=RARE), ["--min-level-rows", 5], {"min_level_rows": 5}, notes=["'town'", "rare"]),
    "a feature that hardly varies": Works(
        people(flag=[1.0, *[0.0] * (ROWS - 1)]), ["--min-level-rows", 5], {"min_level_rows": 5}, notes=["flag"]
    ),
    "names with control characters": Works(people(**{"ho\x1b[31m\u202eurs": 1.0 * (np.arange(ROWS) % 7)})),
    "levels with control characters": Works(people(town=[f"t\x1b{j % 3}\u202e" for j in range(ROWS)])),
}


@pytest.mark.parametrize("name", WORK)
def test_both_do_the_same_and_say_what_they_did(name, tmp_path):
    case = WORK[name]
    path = tool.write(case.table, tmp_path / "t.csv")
    flags = case.flags if "--min-level-rows" in case.flags else [*case.flags, "--min-level-rows", 0]
    done = tool.run("fit", "-i", path, "-s", ",".join(case.sensitive), *flags, "--json", "-o", tmp_path / "o.csv")
    parameters = {"min_level_rows": 0, **case.parameters}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        fair = OrthogonalToBias(sensitive_feature_ids=list(case.sensitive), **parameters)
        out = fair.fit_transform(case.table)
    assert done.code in (0, 1), done.err
    assert (done.json["dropped"], done.json["filled"]) == (fair.n_dropped_, fair.n_filled_)
    assert (fair.n_dropped_, fair.n_filled_) == (case.dropped, case.filled)
    line, python = done.json["certificate"], json.loads(fair.certificate_.to_json())
    assert all(line[name] == python[name] for name in line)
    for note in case.notes:
        assert any(note in said for said in python["notes"])
    found = pd.read_csv(tmp_path / "o.csv", **EXACT)
    there = ~out.isna().any(axis=1) if "drop" in case.flags else np.ones(len(out), dtype=bool)
    assert np.array_equal(found[list(out.columns)].to_numpy(), out[there].to_numpy()), "to the last bit"
    kept = case.table if len(found) == len(case.table) else case.table[there]
    b = pd.get_dummies(kept[list(case.sensitive)], dtype=float).to_numpy()
    scale = np.abs(out[there].to_numpy()).max(axis=0)
    left = (out[there].to_numpy() / np.where(scale > 0, scale, 1)).T @ (b - b.mean(axis=0))
    assert np.abs(left).max() <= 1e-8 * np.abs(b).max() * len(b)
    assert "\x1b" not in done.err + str(fair.certificate_)


BAD_FILES = {
    "missing": lambda text: None,
    "cut": lambda text: text[: len(text) // 2].encode(),
    "edited": lambda text: re.sub(r'"rows": \d+', '"rows": 81', text, count=1).encode(),
    "newer": lambda text: re.sub(r'"version": \d+', '"version": 99', text, count=1).encode(),
    "no text": lambda text: b"\xff\xfe\x00\x01",
    "deep": lambda text: b"[" * 100_000,
    "empty": lambda text: b"",
}


@pytest.mark.parametrize("name", BAD_FILES)
@pytest.mark.parametrize("packed", [False, True])
def test_bad_models_are_refused_by_both(name, packed, tmp_path):
    text = OrthogonalToBias(sensitive_feature_ids=["age"]).fit(people()).to_json()
    content, path = BAD_FILES[name](text), tmp_path / ("m.json.gz" if packed else "m.json")
    if content is not None:
        path.write_bytes(gzip.compress(content) if packed else content)
    args = ("transform", "-m", path, "-i", tool.write(people(), tmp_path / "t.csv"), "-o", tmp_path / "o.csv")
    done = tool.run(*args)
    assert done.code == 2
    assert path.name in done.err
    assert not (tmp_path / "o.csv").exists()
    with pytest.raises((plumbline.Error, FileNotFoundError), match=path.name) as caught:
        plumbline.load_model(path)
    if content is not None and name != "no text":  # whose bytes Python shows in its own way
        assert done.err == f"plumbline: {caught.value}\n"


def test_a_compressed_bomb_is_refused_within_bounded_memory(tmp_path):
    bomb = tmp_path / "m.json.gz"
    with gzip.open(bomb, "wb", compresslevel=9) as file:
        for _ in range(40):
            file.write(b" " * (1 << 26))
    limit = 2 << 30
    code = f"import plumbline; plumbline.load_model({str(bomb)!r})"
    table = tool.write(people(), tmp_path / "t.csv")
    for words in ([sys.executable, "-c", code], [tool.program(), "transform", "-m", bomb, "-i", table, "-o", "-"]):
        done = subprocess.run(
            list(map(str, words)),
            capture_output=True,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
        )
        assert done.returncode in (1, 2)
        assert b"m.json.gz" in done.stderr
        assert b"MemoryError" not in done.stderr
        assert b"bad_alloc" not in done.stderr


def test_a_write_that_fails_leaves_no_half_of_a_file(tmp_path):
    """A limit of the size of files stands for a disk that is full."""

    def on_a_small_disk() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    wide = pd.DataFrame(np.random.default_rng(5).normal(size=(50, 120)), columns=[f"x{j}" for j in range(120)])
    table, most = tool.write(wide, tmp_path / "t.csv"), 16_384
    folder = tmp_path / "out"
    folder.mkdir()
    code = (
        "import pandas as pd, plumbline\n"
        "from plumbline.moments import Moments\n"
        f"x = pd.read_csv({str(table)!r})\n"
        f"Moments().update(x.iloc[:, 1:], x.iloc[:, :1]).save({str(folder / 'p.plm')!r})\n"
    )
    line = [tool.program(), "moments", "-i", table, "-s", "x0", "-o", folder / "p.plm"]
    for words in ([sys.executable, "-c", code], line):
        done = subprocess.run(
            list(map(str, words)),
            capture_output=True,
            check=False,
            env=tool.environment(PYTHONDONTWRITEBYTECODE="1"),
            preexec_fn=on_a_small_disk,
        )
        assert done.returncode != 0
        assert b"p.plm" in done.stderr
        assert list(folder.iterdir()) == []


def test_text_that_is_not_utf_8_is_refused_by_both(tmp_path):
    cells = [b"Zo\xeb" if j == 5 else b"ok" for j in range(20)]
    lines = [b"%d,%d,%s\n" % (j % 7, j % 5, cell) for j, cell in enumerate(cells)]
    (tmp_path / "t.csv").write_bytes(b"age,x,who\n" + b"".join(lines))
    done = tool.run("fit", "-i", tmp_path / "t.csv", "-s", "age", "-o", tmp_path / "o.csv")
    assert done.code == 2
    text = pa.array(cells).cast(pa.binary()).view(pa.string())
    table = pa.table({"age": np.arange(20) % 7, "x": np.arange(20) % 5, "who": text})
    with pytest.raises(plumbline.Error) as caught:
        OrthogonalToBias(sensitive_feature_ids=["age"]).fit(table)
    assert "line 7, " in done.err
    for said in (done.err, str(caught.value)):
        assert "UTF" in said


def test_moments_of_other_tables_are_refused_by_both(tmp_path):
    one, two = people(0).drop(columns="town"), people(1).drop(columns="town").rename(columns={"hours": "hour"})
    paths = []
    for name, table in (("one", one), ("two", two)):
        paths.append(tmp_path / f"{name}.plm")
        tool.succeed("moments", "-i", tool.write(table, tmp_path / "t.csv"), "-s", "age", "-o", paths[-1])
    done = tool.run("fit", "--moments", *paths, "-m", tmp_path / "m.json")
    assert done.code == 2
    with pytest.raises(plumbline.Error) as caught:
        Moments.load(paths[0]).merge(Moments.load(paths[1]))
    for fact in ("'hours'", "'hour'"):
        assert fact in done.err
        assert fact in str(caught.value)


def test_ids_pass_by_the_command_line_and_are_refused_by_python(tmp_path):
    table = people(who=[f"person {j}" for j in range(ROWS)])
    done = tool.run("fit", "-i", tool.write(table, tmp_path / "t.csv"), "-s", "age", "-o", tmp_path / "o.csv")
    assert done.code == 0
    assert "ids" in done.err
    assert "who" in done.err
    assert pd.read_csv(tmp_path / "o.csv")["who"].tolist() == table["who"].tolist()
    with pytest.raises(plumbline.Error, match="column 'who' looks like ids"):
        OrthogonalToBias(sensitive_feature_ids=["age"]).fit(table)
