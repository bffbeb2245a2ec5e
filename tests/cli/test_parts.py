"""One file or its parts, plain or compressed, one thread or more: the same model and the same table."""

from __future__ import annotations

import gzip
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

from . import tool
from .tool import BLOCK


def moments(folder, parts, sensitive, *args):
    """Statistics of parts of a table, each in a file of its own."""
    files = []
    for i, part in enumerate(parts):
        table = tool.write(part, folder / f"part{i}.csv")
        files.append(folder / f"part{i}.plm")
        tool.succeed("moments", "--input", table, "--sensitive", sensitive, "--output", files[-1], "--force", *args)
    return files


def cut(table, *borders):
    return [table.iloc[first:last] for first, last in zip((0, *borders), (*borders, len(table)), strict=True)]


def people(rows, seed):
    """Numbers, a boolean and categories, a target and an identity."""
    rng = np.random.default_rng(seed)
    table = tool.numbers(rows, seed, features=3, sensitive=1)
    table["race"] = rng.choice(["White", "Black", "Other, or none"], rows, p=[0.7, 0.2, 0.1])
    table["job"] = rng.choice(["clerk", "cook", "driver"], rows)
    table["member"] = rng.choice(["yes", "no"], rows)
    table["x0"] += 2.0 * (table["race"] == "Black")
    table["y"] = rng.integers(0, 2, rows)
    return table


@pytest.mark.parametrize("options", [(), ("--rank", 2), ("--mode", "blind"), ("--method", "sob", "--rank", 2)])
@pytest.mark.parametrize("borders", [(1,), (137, 140, 900)])
def test_merged_moments_fit_as_the_whole(tmp_path, borders, options):
    table = tool.numbers(1000, seed=1)
    whole = tool.fit(tool.write(table, tmp_path / "whole.csv"), "s0,s1", "--probe", "none", *options)
    parts = moments(tmp_path, cut(table, *borders), "s0,s1")
    merged = tmp_path / "merged.json"
    tool.succeed("fit", "--moments", *parts, "--model", merged, *options)
    assert tool.differences(tool.meaning(whole), tool.meaning(merged), 1e-12) == []


def test_parts_on_block_borders_give_the_text_of_the_whole(tmp_path):
    table = tool.numbers(2 * BLOCK + 5_000, seed=2)
    whole = tool.fit(tool.write(table, tmp_path / "whole.csv"), "s0,s1", "--probe", "none")
    parts = moments(tmp_path, cut(table, BLOCK, 2 * BLOCK), "s0,s1")
    merged = tmp_path / "merged.json"
    tool.succeed("fit", "--moments", *parts, "--model", merged)
    assert merged.read_text() == whole.read_text()


def test_parts_may_have_levels_of_their_own(tmp_path):
    table = people(900, seed=3)
    table["race"] = ["White"] * 300 + ["Black", "White"] * 150 + ["Asian", "Black", "Native"] * 100
    table["job"] = ["cook", "clerk"] * 150 + ["driver", "cook"] * 150 + ["baker", "clerk"] * 150
    whole = tool.fit(tool.write(table, tmp_path / "whole.csv"), "s0,race", "--target", "y", "--probe", "none")
    parts = moments(tmp_path, cut(table, 300, 600), "s0,race", "--target", "y")
    merged = tmp_path / "merged.json"
    tool.succeed("fit", "--moments", *parts, "--model", merged)
    levels = ["race=Asian", "race=Black", "race=Native", "race=White"]
    assert tool.load(merged)["map"]["sensitive"] == ["s0", *levels]
    assert tool.differences(tool.meaning(whole), tool.meaning(merged), 1e-12) == []
    found, expected = (
        pd.read_csv(pd.io.common.BytesIO(tool.transform(model, tmp_path / "whole.csv")), float_precision="round_trip")
        for model in (merged, whole)
    )
    assert tool.distance(found.to_numpy(float), expected.to_numpy(float)) < 1e-12


def test_cross_moments_are_enough_at_full_rank_and_no_further(tmp_path, refused):
    table = tool.numbers(300, seed=4)
    whole = tool.fit(tool.write(table, tmp_path / "whole.csv"), "s0,s1", "--probe", "none")
    (part,) = moments(tmp_path, [table], "s0,s1", "--kind", "cross")
    small = tmp_path / "small.json"
    tool.succeed("fit", "--moments", part, "--model", small)
    assert tool.differences(tool.load(whole)["map"], tool.load(small)["map"], 1e-12) == []
    refused("fit", "--moments", part, "--rank", 2, "--model", tmp_path / "m.json", outputs=("m.json",))


@pytest.mark.parametrize("missing", ["error", "drop", "mean"])
def test_transform_of_parts_is_the_transform_in_parts(tmp_path, missing):
    table = people(700, seed=5)
    if missing != "error":
        table.loc[::7, "x1"] = np.nan
        table.loc[3::11, "job"] = None
    whole = tool.write(table, tmp_path / "whole.csv")
    model = tool.fit(whole, "s0,race", "--target", "y", "--missing", missing)
    lines = []
    for part in cut(table, 1, 200, 201, 650):
        header, *rest = tool.transform(model, tool.write(part, tmp_path / "part.csv")).splitlines(keepends=True)
        lines += rest
    assert b"".join([header, *lines]) == tool.transform(model, whole)


@pytest.fixture(scope="module")
def forms(tmp_path_factory):
    """One table as a file, compressed in two ways, and in several members."""
    folder = tmp_path_factory.mktemp("forms")
    plain = tool.write(people(3000, seed=6), folder / "t.csv")
    text = plain.read_bytes()
    half = len(text) // 2
    (folder / "t.csv.gz").write_bytes(gzip.compress(text))
    (folder / "members.csv.gz").write_bytes(gzip.compress(text[:half]) + gzip.compress(text[half:]))
    if shutil.which("zstd"):
        subprocess.run(["zstd", "-q", plain, "-o", folder / "t.csv.zst"], check=True)
    return folder


@pytest.mark.parametrize("form", ["t.csv.gz", "members.csv.gz", "t.csv.zst", "-", "/dev/stdin"])
def test_plain_gzip_zstd_and_standard_input_are_the_same(forms, tmp_path, form):
    if form.endswith("zst") and not shutil.which("zstd"):
        pytest.skip("there is no zstd program to compress with")
    text = (forms / "t.csv").read_bytes()
    source = {"input": form, "stdin": text} if form in ("-", "/dev/stdin") else {"input": forms / form, "stdin": None}
    results = []
    for i, (name, stdin) in enumerate([(forms / "t.csv", None), (source["input"], source["stdin"])]):
        model, output, again = (tmp_path / f"{i}.{end}" for end in ("json", "csv", "again.csv"))
        roles = ("--sensitive", "s0,race", "--target", "y")
        tool.succeed("fit", "--input", name, *roles, "--model", model, "--output", output, stdin=stdin)
        tool.succeed("transform", "--input", name, "--model", model, "--output", again, stdin=stdin)
        assert output.read_bytes() == again.read_bytes(), "fit --output is fit, then transform"
        results.append((model.read_bytes(), output.read_bytes()))
    assert results[0] == results[1]


@pytest.mark.parametrize(("end", "reader"), [("gz", ["gzip", "-dc"]), ("zst", ["zstd", "-qdc"])])
def test_outputs_are_compressed_by_extension(forms, tmp_path, end, reader):
    if not shutil.which(reader[0]):
        pytest.skip(f"there is no {reader[0]} program to read with")
    model = tool.fit(tool.write(people(300, seed=6), tmp_path / "t.csv"), "s0,race", "--target", "y")
    output = tmp_path / f"out.csv.{end}"
    tool.succeed("transform", "--input", forms / "t.csv", "--model", model, "--output", output)
    text = subprocess.run([*reader, output], check=True, capture_output=True).stdout
    assert text == tool.transform(model, forms / "t.csv")


@pytest.mark.parametrize("options", [(), ("--rank", 2, "--expand", "powers=2,interactions")])
def test_threads_change_nothing(tmp_path, options):
    table = pd.concat([people(BLOCK + 4000, seed=7)] * 2)  # some megabytes: more than one chunk
    whole = tool.write(table, tmp_path / "t.csv")
    results = set()
    for threads in (1, 2, 5):
        model, output = tmp_path / f"{threads}.json", tmp_path / f"{threads}.csv"
        roles = ("--sensitive", "s0,race", "--target", "y", "--threads", threads)
        tool.succeed("fit", "--input", whole, *roles, "--model", model, "--output", output, *options)
        results.add((model.read_bytes(), output.read_bytes(), tool.transform(model, whole, "--threads", threads)))
    assert len(results) == 1


def test_several_inputs_are_one_table(tmp_path):
    table = people(500, seed=8)
    whole = tool.write(table, tmp_path / "whole.csv")
    names = [tool.write(part, tmp_path / f"{i}.csv") for i, part in enumerate(cut(table, 10, 300))]
    (tmp_path / "2.csv.gz").write_bytes(gzip.compress(names[2].read_bytes()))
    names[2] = tmp_path / "2.csv.gz"
    model, several = tool.fit(whole, "s0,race"), tmp_path / "several.json"
    tool.succeed("fit", "--input", *names, "--sensitive", "s0,race", "--model", several)
    assert several.read_bytes() == model.read_bytes()
    out = tool.succeed("transform", "--input", names[0], "--input", *names[1:], "--model", model, "--output", "-").out
    assert out == tool.transform(model, whole)


def test_standard_input_may_be_one_of_several(tmp_path):
    table = people(400, seed=9)
    first, last = cut(table, 150)
    model = tool.fit(tool.write(table, tmp_path / "t.csv"), "s0,race")
    name = tool.write(first, tmp_path / "first.csv")
    text = tool.write(last, tmp_path / "last.csv").read_bytes()
    several = tmp_path / "several.json"
    tool.succeed("fit", "--input", name, "-", "--sensitive", "s0,race", "--model", several, stdin=text)
    assert several.read_bytes() == model.read_bytes()
