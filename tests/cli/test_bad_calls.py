"""Calls that cannot be meant: commands, flags and their values, outputs."""

from __future__ import annotations

import os

import pytest

from . import tool


@pytest.fixture
def refused_fit(refused, table, tmp_path):
    def check(*flags, says):
        outputs = ("-m", tmp_path / "m.json", "-o", tmp_path / "o.csv")
        return refused("fit", "-i", table, "-s", "s0", *outputs, *flags, says=says, outputs=("m.json", "o.csv"))

    return check


# Commands and flags.


@pytest.mark.parametrize("args", [("--help",), ("fit", "--help"), ("--version",), ()])
def test_an_instruction_set_that_is_none(args, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_ISA", "foo")
    done = tool.run(*args)
    assert (done.code, done.out) == (2, b"")
    assert "PLUMBLINE_ISA" in done.err
    assert "'foo'" in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((), ["command", "plumbline --help"]),
        (("fti",), ["'fti'", "did you mean 'fit'", "plumbline --help"]),
        (("tranform",), ["'tranform'", "did you mean 'transform'"]),
        (("xyzzy",), ["'xyzzy'", "plumbline --help"]),
        (("data",), ["command", "plumbline data --help"]),
        (("data", "lst"), ["'lst'", "did you mean 'list'", "plumbline data --help"]),
        (("fit", "--sensitiv", "x"), ["--sensitiv", "did you mean '--sensitive'", "plumbline fit --help"]),
        (("fit", "--inptu=x"), ["--inptu", "did you mean '--input'"]),
        (("transform", "--modle", "x"), ["--modle", "did you mean '--model'"]),
        (("moments", "--ouptut", "x"), ["--ouptut", "did you mean '--output'"]),
        (("export", "--formt", "json"), ["--formt", "did you mean '--format'"]),
        (("data", "generate", "loan", "--row", "5"), ["--row", "did you mean '--rows'", "data generate --help"]),
        (("transform",), ["--model", "required"]),
        (("moments", "--input", "x"), ["--output", "required"]),
        (("fit", "--rank"), ["--rank"]),
        (("fit", "stray"), ["'stray'"]),
        (("completion", "tcsh"), ["'tcsh'", "bash", "zsh", "fish"]),
        (("data", "generate", "lone"), ["'lone'", "loan", "insurance"]),
        (("data", "fetch", "adlt"), ["'adlt'", "adult", "compas", "crime"]),
        (("fit",), ["--model"]),
        (("fit", "--model", "m.json"), ["--input"]),
        (("moments", "--output", "o.plm"), ["--input"]),
        (("transform", "--model", "m.json", "--output", "o.csv"), ["m.json"]),
    ],
)
def test_words_that_are_wrong(refused, tmp_path, args, words):
    refused(*args, says=words, cwd=tmp_path)


@pytest.mark.parametrize(
    ("flag", "value"),
    [
        ("--rank", "0"),
        ("--rank", "-1"),
        ("--rank", "1.5"),
        ("--rank", "0.0"),
        ("--rank", "two"),
        ("--rank", "nan"),
        ("--alpha", "1.01"),
        ("--alpha", "-0.1"),
        ("--alpha", "nan"),
        ("--alpha", "half"),
        ("--method", "obb"),
        ("--basis", "best"),
        ("--mode", "blnd"),
        ("--missing", "zero"),
        ("--l1", "0.5"),
        ("--l1", "x"),
        ("--tol", "-1"),
        ("--tol", "x"),
        ("--max-iterations", "0"),
        ("--max-iterations", "1.5"),
        ("--random-starts", "-1"),
        ("--seed", "-1"),
        ("--seed", "x"),
        ("--threads", "-1"),
        ("--threads", "x"),
        ("--threads", "100000"),
        ("--delimiter", ",,"),
        ("--delimiter", ""),
        ("--delimiter", '"'),
        ("--delimiter", "\n"),
        ("--delimiter", "."),
        ("--delimiter", "é"),
        ("--names", "a,,b"),
        ("--names", "a,b,"),
        ("--names", 'a,"b'),
        ("--names", "a\nb"),
        ("--decimal", ";"),
        ("--decimal", ""),
        ("--decimal", "comma"),
        ("--ragged", "keep"),
        ("--encoding", "utf16"),
        ("--expand", "powers"),
        ("--expand", "powers=0"),
        ("--expand", "powers=x"),
        ("--expand", "spline=5"),
        ("--expand", "splines=2"),
        ("--expand", "bins=1"),
        ("--expand", "interactions=2"),
        ("--expand", "auto=2"),
        ("--noise-b", "s0"),
        ("--noise-b", "=0.5"),
        ("--noise-b", "s0=x"),
        ("--noise-b", "s0=2"),
    ],
)
def test_bad_values(refused_fit, flag, value):
    methods = ("--method", "sob") if flag in ("--l1", "--tol", "--max-iterations", "--random-starts", "--seed") else ()
    refused_fit(*methods, *([f"{flag}={value}"] if value else [flag, value]), says=[flag])


def test_reliabilities_that_cannot_be(refused_fit):
    refused_fit("--noise-b", "s0=0", says=["'s0' is 0", "above 0"])
    refused_fit("--noise-b", "s0=0.8,s0=0.9", says=["'s0'", "twice"])
    refused_fit("--noise-b", "race=0.8", says=["'race'", "no number"])
    refused_fit("--noise-b", "s0=0.8", "--expand", "powers=2", says=["expanded"])
    refused_fit("--noise-b", "s0=0.8", "--mode", "blind", says=["blind"])


def test_values_are_guessed_at(refused_fit):
    refused_fit("--method", "sobb", says=["'sobb'", "did you mean 'sob'"])
    refused_fit("--expand", "spline=5", says=["'spline=5'", "did you mean 'splines=5'"])


@pytest.mark.parametrize(
    ("flag", "value"),
    [("--tolerance", "x"), ("--tolerance", "-1"), ("--unknown", "skip"), ("--missing", "zero"), ("--threads", "x")],
)
def test_bad_values_of_transform(refused, table, model, tmp_path, flag, value):
    args = ("transform", "-m", model, "-i", table, "-o", tmp_path / "o.csv", "--check")
    refused(*args, f"{flag}={value}", says=[flag], outputs=("o.csv",))


@pytest.mark.parametrize(
    ("flag", "value"), [("--rows", "0"), ("--rows", "-5"), ("--rows", "many"), ("--seed", "-1"), ("--seed", "x")]
)
def test_bad_values_of_generate(refused, tmp_path, flag, value):
    refused("data", "generate", "loan", "-o", tmp_path / "o.csv", f"{flag}={value}", says=[flag], outputs=("o.csv",))


def test_bad_values_of_moments_and_export(refused, table, model, tmp_path):
    args = ("moments", "-i", table, "-s", "s0", "-o", tmp_path / "o.plm")
    refused(*args, "--kind", "half", says=["--kind", "'half'"], outputs=("o.plm",))
    refused(*args, "--missing", "mean", says=["--missing mean", "drop"], outputs=("o.plm",))
    args = ("export", "-m", model, "-o", tmp_path / "o", "--format", "yaml")
    refused(*args, says=["--format", "'yaml'"], outputs=("o",))


@pytest.mark.parametrize(
    ("flag", "value"),
    [
        ("--input", "t.csv"),
        ("--output", "o.csv"),
        ("--expand", "powers=2"),
        ("--sensitive", "s0"),
        ("--features", "x0"),
        ("--target", "x0"),
        ("--weights", "x0"),
        ("--drop", "x0"),
        ("--categorical", "x0"),
        ("--missing", "drop"),
    ],
)
def test_moments_have_decided_what_is_of_tables(refused, table, tmp_path, flag, value):
    """A flag that could only be ignored is refused."""
    tool.succeed("moments", "-i", table, "-s", "s0", "-o", tmp_path / "p.plm")
    fit = ("fit", "--moments", "p.plm", "-m", "m.json", flag, value)
    refused(*fit, says=[flag, "moments"], outputs=("m.json",), cwd=tmp_path)


def test_flags_that_exclude_each_other(refused, table, model, tmp_path):
    refused("transform", "-m", model, "-i", table, "-o", "-", "--json", says=["--json", "--output"])
    refused("fit", "-i", table, "-s", "s0", "-o", "-", "--json", says=["--json", "--output"])
    refused("fit", "-i", table, "-s", "s0", says=["--model", "--output", "--json"])
    refused("fit", "-i", table, "-s", "s0", "-m", "-", "-o", "-", says=["--model", "--output"])
    refused("fit", "-i", table, "-s", "s0", "-m", "-", "--json", says=["--model", "--json"])
    refused("fit", "-i", "-", "-", "-s", "s0", "-m", tmp_path / "m.json", says=["standard input"], outputs=("m.json",))


def test_scores_need_a_rank(refused, table, model, tmp_path):
    args = ("transform", "-m", model, "-i", table, "-o", tmp_path / "o.csv", "--scores")
    refused(*args, says=["--rank"], outputs=("o.csv",))


# Outputs.


@pytest.mark.parametrize("name", ["t.csv", "./t.csv", "link.csv", "hard.csv"])
@pytest.mark.parametrize("force", [(), ("--force",)])
def test_never_over_an_input(refused, table, model, tmp_path, name, force):
    os.symlink("t.csv", tmp_path / "link.csv")
    os.link(table, tmp_path / "hard.csv")
    out = ("-o", f"{tmp_path}/{name}", *force)
    refused("transform", "-m", model, "-i", table, *out, says=[name.removeprefix("./"), "input"])
    refused("fit", "-i", table, "-s", "s0", *out, says=["input"])
    refused("fit", "-i", table, "-s", "s0", "-m", f"{tmp_path}/{name}", *force, says=["input"])
    refused("moments", "-i", table, "-s", "s0", *out, says=["input"])
    refused("transform", "-m", model, "-i", table, "-o", model, *force, says=["model.json"])
    refused("export", "-m", model, "-o", model, *force, says=["model.json"])


def test_model_and_output_of_one_name(refused, table, tmp_path):
    both = ("-m", tmp_path / "same", "-o", tmp_path / "same")
    refused("fit", "-i", table, "-s", "s0", *both, says=["same"], outputs=("same",))


def test_existing_files_need_force(refused, table, model, tmp_path):
    (tmp_path / "old").write_text("old")
    part = tmp_path / "p.plm"
    tool.succeed("moments", "-i", table, "-s", "s0", "-o", part)
    for args in [
        ("fit", "-i", table, "-s", "s0", "-m", tmp_path / "old", "-o", tmp_path / "new"),
        ("fit", "-i", table, "-s", "s0", "-m", tmp_path / "new", "-o", tmp_path / "old"),
        ("fit", "--moments", part, "-m", tmp_path / "old"),
        ("transform", "-m", model, "-i", table, "-o", tmp_path / "old"),
        ("moments", "-i", table, "-s", "s0", "-o", tmp_path / "old"),
        ("export", "-m", model, "-o", tmp_path / "old"),
        ("data", "generate", "loan", "-o", tmp_path / "old"),
    ]:
        refused(*args, says=["old", "exists", "--force"])
        tool.succeed(*args, "--force")
        assert (tmp_path / "old").read_bytes() != b"old"
        (tmp_path / "old").write_text("old")
        (tmp_path / "new").unlink(missing_ok=True)


def test_output_in_a_missing_folder_or_a_folder(refused, table, model, tmp_path):
    for target in (tmp_path / "none" / "o.csv", tmp_path, tmp_path / "t.csv" / "o.csv"):
        refused("transform", "-m", model, "-i", table, "-o", target, says=[str(tmp_path)])
        refused("fit", "-i", table, "-s", "s0", "-m", target, says=[str(tmp_path)])
        refused("fit", "-i", table, "-s", "s0", "-m", tmp_path / "m.json", "-o", target, says=[str(tmp_path)])


def test_an_empty_name(refused, table, tmp_path):
    fit = ("fit", "-i", table, "-s", "s0")
    refused(*fit, "--output", "", "-m", tmp_path / "m.json", says=["output"], outputs=("m.json",))
    refused(*fit, "--model", "", "-o", tmp_path / "o.csv", says=["model"], outputs=("o.csv",))
    refused(*fit, "--output=", "-m", tmp_path / "m.json", says=["--output"], outputs=("m.json",))
