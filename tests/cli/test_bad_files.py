"""Models and moments that are cut, edited, newer, or of other tables."""

from __future__ import annotations

import json
import re

import pytest

from . import tool

# Models.


def test_model_that_is_missing(refused, table, tmp_path):
    args = ("transform", "-m", tmp_path / "none.json", "-i", table, "-o", tmp_path / "o.csv")
    refused(*args, says=["none.json"], outputs=("o.csv",))


def broken_models(text):
    yield "empty", "", []
    yield "not JSON", "x,y\n1,2\n", []
    for share in (0.02, 0.5, 0.9, 0.999):
        yield f"cut at {share}", text[: int(len(text) * share)], []
    number = json.loads(text)["map"]["mean_features"][0]
    yield "a digit changed", text.replace(repr(number), repr(number + 1), 1), ["edited"]
    yield "a name changed", text.replace('"x0"', '"x9"', 1), ["edited"]
    yield "of another kind", text.replace("plumbline-model", "plumbline-muddle", 1), ["plumbline-muddle"]
    yield "newer", re.sub(r'"version": ?\d+', '"version": 99', text, count=1), ["version 99"]
    yield "with more after it", text + "{}", []
    yield "a list", "[1, 2]", []
    yield "other JSON", "{}", []
    yield "deep JSON", "[" * 100_000, []


@pytest.mark.parametrize("at", range(14))
def test_broken_models(refused, table, model, tmp_path, at):
    _, text, words = list(broken_models(model.read_text()))[at]
    assert text != model.read_text()
    broken = tmp_path / "broken.json"
    broken.write_text(text)
    for args in [("transform", "-i", table, "-o", tmp_path / "o"), ("export", "-o", tmp_path / "o")]:
        refused(*args, "-m", broken, says=["broken.json", *words], outputs=("o",))


def test_a_table_is_no_model_and_a_model_no_table(refused, table, model, tmp_path):
    refused("transform", "-m", table, "-i", table, "-o", tmp_path / "o", says=["t.csv"], outputs=("o",))
    refused("fit", "--moments", model, "-m", tmp_path / "m", says=["model.json"], outputs=("m",))
    refused("fit", "--moments", table, "-m", tmp_path / "m", says=["t.csv"], outputs=("m",))


# Moments.


@pytest.fixture
def part(table, tmp_path):
    path = tmp_path / "part.plm"
    tool.succeed("moments", "-i", table, "-s", "s0,race", "-o", path)
    return path


def test_cut_and_edited_moments(refused, part, tmp_path):
    whole = part.read_bytes()
    broken = tmp_path / "broken.plm"
    cuts = [whole[:length] for length in (0, 4, 8, 12, 19, 40, len(whole) // 2, len(whole) - 1)]
    places = (0, 8, 12, 50, len(whole) - 30, len(whole) - 1)
    edits = [whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :] for at in places]
    for content in [*cuts, *edits, whole + b"x"]:
        broken.write_bytes(content)
        refused("fit", "--moments", part, broken, "-m", tmp_path / "m", says=["broken.plm"], outputs=("m",))
    refused("fit", "--moments", tmp_path / "none.plm", "-m", tmp_path / "m", says=["none.plm"], outputs=("m",))


def test_moments_of_a_newer_version(refused, part, tmp_path):
    newer = tmp_path / "newer.plm"
    newer.write_bytes(part.read_bytes().replace(b"\x01\x00\x00\x00", b"\x07\x00\x00\x00", 1))
    refused("fit", "--moments", newer, "-m", tmp_path / "m", says=["newer.plm", "version 7"], outputs=("m",))


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("-s", "s0"), ["sensitive"]),
        (("-s", "s0,race", "--drop", "x1"), ["'x1'"]),
        (("-s", "s0,race", "--target", "x3"), ["feature"]),
        (("-s", "s0,race", "--categorical", "x0"), ["'x0'", "number", "category"]),
        (("-s", "s0,race", "--kind", "cross"), []),
    ],
)
def test_moments_of_other_tables_do_not_merge(refused, table, part, tmp_path, flags, words):
    other = tmp_path / "other.plm"
    tool.succeed("moments", "-i", table, *flags, "-o", other)
    refused("fit", "--moments", part, other, "-m", tmp_path / "m", says=["other.plm", *words], outputs=("m",))
