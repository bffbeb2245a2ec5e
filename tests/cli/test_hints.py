"""What the tool says when a call is not quite what was meant: where to look, and which flags do nothing."""

from __future__ import annotations

import pytest

from . import tool


@pytest.fixture
def refused_fit(refused, tmp_path):
    def check(table, *flags, says):
        return refused("fit", "-i", table, "-m", tmp_path / "m.json", *flags, says=says, outputs=("m.json",))

    return check


def test_a_file_without_its_flag(refused, table):
    refused("fit", table, says=["t.csv", "--input"])


def test_a_flag_given_twice(refused_fit, table):
    refused_fit(table, "-s", "s0", "--rank", "1", "--rank", "2", says=["--rank", "more than once"])


def test_columns_are_listed_when_none_is_near(refused_fit, table):
    refused_fit(table, "-s", "xyzzy", says=["'xyzzy'", "s0", "race"])
    refused_fit(table, "-s", "s0", "--target", "xyzzy", says=["--target", "'xyzzy'", "race"])


@pytest.mark.parametrize(("delimiter", "written"), [(";", "';'"), ("\t", "tab"), ("|", "'|'"), (":", "':'")])
def test_another_delimiter_is_guessed(refused_fit, table, tmp_path, delimiter, written):
    other = tmp_path / "other.csv"
    other.write_text(table.read_text().replace(",", delimiter))
    refused_fit(other, "-s", "s0", "--delimiter", ",", says=["'s0'", f"--delimiter {written}"])


def test_weights_are_numbers(refused_fit, table):
    refused_fit(table, "-s", "s0", "--weights", "race", says=["--weights", "'race'", "not numbers"])


def test_a_rank_in_letters(refused_fit, table):
    refused_fit(table, "-s", "s0", "--rank", "ten", says=["--rank", "'ten'", "0.95"])


def test_a_data_set_mistyped(refused_fit):
    refused_fit("Adult", "-s", "sex", says=["'Adult'", "did you mean 'adult'"])


@pytest.mark.parametrize("flags", [(), ("--expand", "powers=2"), ("--weights", "s1"), ("--target", "race")])
def test_the_column_that_leaves_no_row(refused_fit, tmp_path, flags):
    frame = tool.numbers(20, seed=8)
    frame["hollow"] = None
    frame.loc[3, "x0"] = None
    frame["race"] = "A"
    table = tool.write(frame, tmp_path / "h.csv")
    refused_fit(table, "-s", "s0", "--missing", "drop", *flags, says=["20 rows", "'hollow'"])


def test_a_header_on_one_side_only(refused, table, model, tmp_path):
    bare = tmp_path / "bare.csv"
    bare.write_text(table.read_text().split("\n", 1)[1])
    numbered = tmp_path / "numbered.json"
    assert tool.run("fit", "-i", bare, "--no-header", "-s", "c1", "-m", numbered).code == 0
    out = ("-o", tmp_path / "o.csv")
    refused("transform", "-m", numbered, "-i", table, *out, says=["'c1'", "fitted with --no-header", "lacking here"])
    refused("transform", "-m", model, "-i", bare, "--no-header", *out, says=["'s0'", "--no-header is wrong"])


@pytest.mark.parametrize(
    ("flags", "idle"),
    [
        (("--l1", "2"), "--l1"),
        (("--tol", "1e-3"), "--tol"),
        (("--max-iterations", "9"), "--max-iterations"),
        (("--random-starts", "2"), "--random-starts"),
        (("--basis", "paper"), "--basis paper"),
        (("--method", "sob", "--rank", "2", "--seed", "4"), "--seed"),
    ],
)
def test_flags_that_do_nothing_are_named(table, tmp_path, flags, idle):
    done = tool.run("fit", "-i", table, "-s", "s0", "-m", tmp_path / "m.json", *flags)
    assert done.code == 0
    assert f"note: {idle} has no effect without --" in done.err


def test_a_tolerance_that_nothing_is_checked_against(table, model, tmp_path):
    call = ("transform", "-m", model, "-i", table, "-o", tmp_path / "o.csv", "--force", "--tolerance", "0.1")
    assert "--tolerance has no effect" in tool.run(*call).err
    assert "no effect" not in tool.run(*call, "--check").err


def test_rare_levels_of_a_part_are_not_yet_known(table, tmp_path):
    call = ("moments", "-i", table, "-s", "s0", "-o", tmp_path / "p.plm", "--force")
    assert "--min-level-rows has no effect" in tool.run(*call, "--min-level-rows", "5").err
    assert "no effect" not in tool.run(*call).err


def test_the_same_moments_twice(table, tmp_path):
    for name in ("one.plm", "two.plm"):
        assert tool.run("moments", "-i", table, "-s", "s0", "-o", tmp_path / name).code == 0
    done = tool.run("fit", "--moments", tmp_path / "one.plm", tmp_path / "two.plm", "-m", tmp_path / "m.json")
    assert done.code == 0
    assert "one.plm" in done.err
    assert "two.plm" in done.err
    assert "count twice" in done.err


def test_what_a_method_costs_is_noted(table, tmp_path):
    def notes(*flags):
        done = tool.run("fit", "-i", table, "-s", "s0", "--json", *flags)
        assert done.code == 0
        return " ".join(done.json["certificate"]["notes"])

    assert "blind mode costs 1 of" in notes("--mode", "blind")
    assert "a sparse component has 1," in notes("--method", "sob", "--rank", "2", "--l1", "1")
    assert "does not bind" in notes("--method", "sob", "--rank", "2", "--l1", "50")
    assert notes() == ""


def test_one_row_is_no_rows(tmp_path):
    frame = tool.numbers(9, seed=9)
    frame.loc[4, "x0"] = None
    done = tool.run("fit", "-i", tool.write(frame, tmp_path / "o.csv"), "-s", "s0", "--missing", "drop", "--json")
    assert "1 row\n" in done.err
