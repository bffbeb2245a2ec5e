"""What strangers choose, names of columns, levels, cells and files, reaches the terminal with no effect on it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from . import tool

HOSTILE = ["\x1b[2J", "\x07bell", "a\nCertificate: everything is fair", "\u202egnirts", "\x9b31m", "\u2028line", "\x7f"]
hostile = pytest.mark.parametrize("name", HOSTILE, ids=ascii)


def is_harmless(text: str) -> bool:
    return all(c.isprintable() or c == "\n" for c in text) and "\nCertificate: everything" not in text


def write(path: Path, header: list[str], rows: list[list[str]]) -> Path:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    path.write_text(text.getvalue())
    return path


def rows_with(cell: str) -> list[list[str]]:
    return [[str(i * i % 7), str(i % 5), cell if i % 3 else "other", "4"] for i in range(40)]


def names_in(document: object) -> set[str]:
    if isinstance(document, str):
        return {document}
    parts = document.values() if isinstance(document, dict) else document if isinstance(document, list) else ()
    return set().union(*map(names_in, parts))


def check(done: tool.Done, code: int) -> None:
    assert done.code == code, done.err
    assert is_harmless(done.err), ascii(done.err)
    assert is_harmless(done.out.decode()), ascii(done.out)


@hostile
def test_names_and_levels_of_a_fit(name: str, tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", [name, "b", "k", name + "c"], rows_with(name))
    model = tmp_path / "m.json"
    check(tool.run("fit", "-i", table, "-s", "b,k", "-m", model), 0)
    check(tool.run("fit", "-i", table, "-s", "b,k", "-m", model, "--json", "--force"), 0)
    check(tool.run("transform", "-i", table, "--model", model, "-o", tmp_path / "out.csv", "--check", "--json"), 0)
    check(tool.run("export", "--model", model, "--format", "json", "-o", tmp_path / "e.json"), 0)
    assert is_harmless(model.read_text())
    assert is_harmless((tmp_path / "e.json").read_text())
    assert names_in(json.loads(model.read_text())) >= {name, name + "c"}


@hostile
def test_names_that_are_wrong(name: str, tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", [name, "b", "k", "c"], rows_with("x"))
    check(tool.run("fit", "-i", table, "-s", name + "z", "-m", tmp_path / "m.json"), 2)
    check(tool.run("fit", "-i", table, "-s", "b", "--target", name + "z", "-m", tmp_path / "m.json"), 2)
    twice = write(tmp_path / "twice.csv", [name, name, "k", "c"], rows_with("x"))
    check(tool.run("fit", "-i", twice, "-s", "k", "-m", tmp_path / "m.json"), 2)
    missing = write(tmp_path / "missing.csv", [name, "b", "k", "c"], [*rows_with("x"), ["", "1", "x", "4"]])
    check(tool.run("fit", "-i", missing, "-s", "b", "-m", tmp_path / "m.json"), 2)


@hostile
def test_levels_that_the_fit_has_not_seen(name: str, tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", ["a", "b", "k", "c"], rows_with("x"))
    tool.succeed("fit", "-i", table, "-s", "b", "-m", tmp_path / "m.json")
    other = write(tmp_path / "other.csv", ["a", "b", "k", "c"], rows_with(name))
    check(tool.run("transform", "-i", other, "--model", tmp_path / "m.json", "-o", tmp_path / "out.csv"), 2)


@hostile
def test_files(name: str, tmp_path: Path) -> None:
    place = tmp_path / name
    check(tool.run("fit", "-i", place, "-s", "b", "-m", tmp_path / "m.json"), 2)
    table = write(place, ["a", "b", "k", "c"], rows_with("x"))
    check(tool.run("fit", "-i", table, "-i", table, "-s", "b", "-m", tmp_path / (name + "m")), 0)
    check(tool.run("fit", "-i", table, "-s", "b", "-m", tmp_path / (name + "m")), 2)
    check(tool.run("transform", "-i", table, "--model", table, "-o", tmp_path / "o.csv"), 2)
    check(tool.run(name), 2)
    check(tool.run("fit", "--" + name), 2)
