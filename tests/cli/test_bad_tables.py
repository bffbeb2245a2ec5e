"""Tables that cannot be read: one sentence with file, line, column and the flag that would accept it, and no file."""

from __future__ import annotations

import contextlib
import gzip
import re
import shutil
import sqlite3
import subprocess
import zipfile

import pytest

from . import tool

LINES = ["s,x,z,race", *(f"{i % 7},{i * i % 11},{i * 3 % 5}.5,{'AB'[i % 2]}" for i in range(40))]


@pytest.fixture
def table(tmp_path):
    def make(lines=LINES, **replaced):
        lines = list(lines)
        for at, text in replaced.items():
            lines[int(at[1:]) - 1] = text  # _7 = … replaces line 7
        path = tmp_path / "t.csv"
        path.write_bytes(b"\n".join(x if isinstance(x, bytes) else x.encode() for x in lines) + b"\n")
        return path

    return make


@pytest.fixture
def refused_fit(refused, tmp_path):
    """By fit, with a model and an output; by moments; and in the same words."""

    def check(path, *flags, says, sensitive="s", **more):
        roles = ("--input", path, "--sensitive", sensitive, *flags)
        both = ("--model", tmp_path / "m.json", "--output", tmp_path / "o.csv")
        sentence = refused("fit", *roles, *both, says=says, outputs=("m.json", "o.csv"), **more)
        out = ("--output", tmp_path / "o.plm")
        assert refused("moments", *roles, *out, outputs=("o.plm",), **more) == sentence
        return sentence

    return check


@pytest.fixture
def refused_transform(refused, table, tmp_path):
    """By transform, with a model of the table as it should be."""
    model = tool.fit(table(), "s,race")

    def check(path, *flags, says, **more):
        out = ("--output", tmp_path / "o.csv")
        return refused("transform", "-m", model, "-i", path, *out, *flags, says=says, outputs=("o.csv",), **more)

    return check


# A missing file, unknown and duplicate columns, two parts for one.


def test_missing_file(refused_fit, refused_transform, tmp_path):
    refused_fit(tmp_path / "none.csv", says=["none.csv", "No such file"])
    refused_transform(tmp_path / "none.csv", says=["none.csv", "No such file"])


def test_second_file_missing(refused_fit, table, tmp_path):
    refused_fit(table(), "--input", tmp_path / "none.csv", says=["none.csv"])


def test_folder_in_place_of_a_file(refused_fit, tmp_path):
    refused_fit(tmp_path, says=[str(tmp_path)])


@pytest.mark.parametrize("content", [b"", b"\n\n  \n", b"\xef\xbb\xbf"])
def test_empty_file(refused_fit, tmp_path, content):
    (tmp_path / "empty.csv").write_bytes(content)
    refused_fit(tmp_path / "empty.csv", says=["empty.csv", "empty"])


def test_no_rows(refused_fit, tmp_path):
    (tmp_path / "head.csv").write_text("s,x\n")
    refused_fit(tmp_path / "head.csv", says=["head.csv", "no rows"])


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--sensitive", "rase"), ["'rase'", "did you mean 'race'", "--sensitive"]),
        (("--sensitive", "RACE"), ["'RACE'", "did you mean 'race'"]),
        (("--sensitive", "s,rcae"), ["'rcae'", "did you mean 'race'"]),
        (("--sensitive", "s", "--features", "x,zz"), ["'zz'", "did you mean 'z'", "--features"]),
        (("--sensitive", "s", "--drop", "raze"), ["'raze'", "did you mean 'race'", "--drop"]),
        (("--sensitive", "s", "--target", "raze"), ["'raze'", "did you mean 'race'", "--target"]),
        (("--sensitive", "s", "--weights", "raze"), ["'raze'", "did you mean 'race'", "--weights"]),
        (("--sensitive", "s", "--categorical", "raze"), ["'raze'", "did you mean 'race'", "--categorical"]),
        (("--sensitive", "income*"), ["'income*'", "--sensitive"]),
        ((), ["--sensitive"]),
    ],
)
def test_unknown_columns(refused, table, tmp_path, flags, words):
    both = ("-m", tmp_path / "m.json", "-o", tmp_path / "o.csv")
    refused("fit", "-i", table(), *flags, *both, says=words, outputs=("m.json", "o.csv"))


def test_duplicate_names(refused_fit, table):
    refused_fit(table(_1="s,x,x,race"), says=["t.csv", "'x'"])


def test_several_inputs_of_other_columns(refused_fit, table, tmp_path):
    (tmp_path / "other.csv").write_text("s,x,w,race\n1,2,3,A\n")
    refused_fit(table(), "--input", tmp_path / "other.csv", says=["other.csv", "t.csv", "'w'", "'z'"])


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--features", "x,s"), ["'s'", "--sensitive", "--features"]),
        (("--target", "s"), ["'s'", "--sensitive", "--target"]),
        (("--weights", "s"), ["'s'", "--sensitive", "--weights"]),
        (("--features", "x", "--target", "x"), ["'x'", "--features", "--target"]),
        (("--features", "x", "--drop", "x"), ["'x'", "--features", "--drop"]),
        (("--drop", "x,z,race"), ["no feature"]),
    ],
)
def test_two_parts_for_one_column_or_none(refused_fit, table, flags, words):
    refused_fit(table(), *flags, says=words)


# Cells that cannot be read.


def test_text_among_numbers(refused_fit, refused_transform, table):
    path = table(_9="3,many,1.5,A")
    words = ["t.csv", "line 9", "'x'", "'many'", "--categorical"]
    refused_fit(path, says=words)
    refused_transform(path, says=["t.csv", "line 9", "'x'", "'many'"])


def test_decimal_commas_among_points(refused_fit, refused_transform, table):
    path = table([line.replace(",", ";") for line in LINES], _9="3;4;1,5;A")
    words = ["t.csv", "line 9", "'z'", "'1,5' has a decimal comma", "--decimal ,", "--categorical 'z'"]
    refused_fit(path, "--delimiter", ";", says=words)
    refused_transform(path, "--delimiter", ";", says=words)


def test_decimal_points_where_commas_are_asked_for(refused_fit, refused_transform, table):
    path = table([line.replace(",", ";") for line in LINES])
    words = ["t.csv", "line 2", "'z'", "'0.5' has a decimal point", "--decimal .", "--categorical 'z'"]
    refused_fit(path, "--delimiter", ";", "--decimal", ",", says=words)
    refused_transform(path, "--delimiter", ";", "--decimal", ",", says=words)


@pytest.mark.parametrize(
    ("cell", "helps"),
    [
        ('"1,234"', "--decimal ,"),
        ('"1,234,567"', "--categorical 'x'"),
        ("1 234", "--categorical 'x'"),
        ("1'234.5", "--categorical 'x'"),
        ("1.234.567", "--categorical 'x'"),
    ],
)
def test_thousands_separators(refused_fit, refused_transform, table, cell, helps):
    path = table(_9=f"3,{cell},1.5,A")
    words = ["t.csv", "line 9", "'x'", cell.strip('"'), "thousands separators", "without them", helps]
    assert "--missing-marker" not in refused_fit(path, says=words)
    refused_transform(path, says=words)


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda i: f'"{i + 1},{i * 7:03}"', id="1,234"),
        pytest.param(lambda i: f"{i + 1} {i * 7:03}", id="1 234"),
        pytest.param(lambda i: f"{i + 1}'{i * 7:03}", id="1'234"),
        pytest.param(lambda i: f"{i + 1}.{i * 7:03}.{i:03}", id="1.234.567"),
    ],
)
def test_a_column_of_grouped_numbers_is_no_category(refused_fit, table, make):
    path = table(["s,x", *(f"{i % 7},{make(i)}" for i in range(40))])
    refused_fit(path, says=["t.csv", "line 2", "'x'", make(0).strip('"'), "thousands separators"])
    tool.fit(path, "s", "--categorical", "x", "--min-level-rows", "0")
    tool.succeed(
        "fit",
        "-i",
        table(["s,z,x", *(f"{i % 7},{i * i},{make(i)}" for i in range(40))]),
        "-s",
        "s",
        "--drop",
        "x",
        "--json",
    )


def test_a_column_of_both_decimal_signs_is_no_category(refused_fit, table):
    path = table(["s;x", *(f"{i % 7};{i},5" if i % 2 else f"{i % 7};{i}.5" for i in range(40))])
    refused_fit(path, "--delimiter", ";", says=["t.csv", "line 3", "'x'", "'1,5' has a decimal comma"])


def test_text_among_booleans(refused_fit, table):
    lines = ["s,x,member", *(f"{i % 7},{i * i % 11},{'yes' if i % 3 else 'no'}" for i in range(1200))]
    words = ["t.csv", "line 1102", "'member'", "'perhaps'", "--categorical"]
    refused_fit(table(lines, _1102="3,4,perhaps"), says=words)


def test_line_numbers_count_lines_within_quotes(refused_fit, table):
    above, below = (line + ',"a\nb"' for line in LINES[1:5]), (line + ",n" for line in LINES[6:])
    path = table([LINES[0] + ",note", *above, "1,many,3,A,n", *below])
    refused_fit(path, "--drop", "note", says=["line 10", "'x'", "'many'"])


def test_lines_are_of_their_own_file(refused_fit, table, tmp_path):
    first = table().rename(tmp_path / "first.csv")
    refused_fit(first, "--input", table(_5="1,many,2,A"), says=["t.csv", "line 5", "'x'"])


def test_standard_input_is_named_too(refused_fit, table):
    refused_fit("-", says=["standard input", "line 3", "'x'", "'many'"], stdin=table(_3="1,many,2,A").read_bytes())


@pytest.mark.parametrize("end", ["gz", "zst"])
def test_lines_of_compressed_files(refused_fit, table, tmp_path, end):
    path, packed = table(_5="1,many,2,A"), tmp_path / f"t.csv.{end}"
    if end == "gz":
        packed.write_bytes(gzip.compress(path.read_bytes()))
    elif shutil.which("zstd"):
        subprocess.run(["zstd", "-q", path, "-o", packed], check=True)
    else:
        pytest.skip("there is no zstd program to compress with")
    refused_fit(packed, says=[f"t.csv.{end}", "line 5", "'x'"])
    whole = packed.read_bytes()
    packed.write_bytes(whole[: len(whole) // 2])
    refused_fit(packed, says=[f"t.csv.{end}"])
    packed.write_bytes(b"not compressed at all")
    refused_fit(packed, says=[f"t.csv.{end}"])


@pytest.mark.parametrize(("line", "words"), [("3,4,1.5", ["'race'", "3 of 4"]), ("3,4,1.5,A,7", ["'7'", "5 cells"])])
def test_ragged_rows(refused_fit, refused_transform, table, line, words):
    path = table(_9=line)
    refused_fit(path, says=["t.csv", "line 9", "column", "--ragged", *words])
    refused_transform(path, says=["t.csv", "line 9", "column", "--ragged", *words])


@pytest.mark.parametrize("cell", ['"open', '"a"b', 'a"b"'])
def test_quotes_out_of_place(refused_fit, refused_transform, table, cell):
    path = table(_9=f"3,4,1.5,{cell}")
    refused_fit(path, says=["t.csv", "line 9", "'race'", cell, "--no-quotes"])
    refused_transform(path, says=["t.csv", "line 9", "'race'", cell, "--no-quotes"])


def test_bad_utf8(refused_fit, refused_transform, table):
    path = table(_9="3,4,1.5,Zoë".encode("latin-1"))
    refused_fit(path, says=["t.csv", "line 9", "'race'", "Zo", "--encoding latin1"])
    refused_transform(path, says=["t.csv", "line 9", "'race'", "Zo", "--encoding latin1"])


def test_bad_utf8_in_a_name(refused_fit, table):
    refused_fit(table(_1="s,x,z,ra\xe7e".encode("latin-1")), says=["t.csv", "column 4", "--encoding latin1"])


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_other_unicode(refused_fit, tmp_path, encoding):
    """The command that the sentence gives makes a table of it, as on standard input."""
    content = "\n".join([*LINES, ""]).encode(encoding)
    (tmp_path / "t.csv").write_bytes(content)
    sentence = refused_fit(tmp_path / "t.csv", says=["t.csv", encoding[:6].upper(), "--input -"])
    command = re.search("`(iconv .*) \\| plumbline", sentence)[1]
    converted = subprocess.run(command, shell=True, capture_output=True, check=True).stdout
    assert converted.decode().lstrip("\ufeff").splitlines() == LINES
    refused_fit("-", says=["standard input is", encoding[:6].upper(), "'FILE'"], stdin=content)


def test_a_database_is_no_table(refused_fit, tmp_path):
    with contextlib.closing(sqlite3.connect(tmp_path / "t.csv")) as base:
        base.execute("CREATE TABLE people (s, x)")
    refused_fit(tmp_path / "t.csv", says=["t.csv", "a SQLite database", "sqlite3 -header -csv", "--input -"])


@pytest.mark.parametrize(("member", "name"), [("xl/workbook.xml", "an Excel workbook"), ("t.csv", "a zip archive")])
def test_an_archive_is_no_table(refused_fit, tmp_path, member, name):
    with zipfile.ZipFile(tmp_path / "t.csv", "w") as file:
        file.writestr(member, "\n".join(LINES))
    refused_fit(tmp_path / "t.csv", says=["t.csv", name, "--input -", "Python"])


@pytest.mark.parametrize(
    ("head", "name"),
    [(b"PAR1\x15\x04", "a Parquet file"), (b"ARROW1\0\0", "an Arrow file"), (b"ORC\n\x06", "an ORC file")],
)
def test_a_file_of_columns_is_no_table(refused_fit, tmp_path, head, name):
    (tmp_path / "t.csv").write_bytes(head + bytes(range(256)) * 40)
    refused_fit(tmp_path / "t.csv", says=["t.csv", name, "--input -", "Python as a frame"])


def test_a_first_name_may_be_that_of_a_format(table, tmp_path):
    for name in ("PK", "ORC", "PAR1"):
        tool.fit(table([f"{name},x,z,race", *LINES[1:]]), name)


# Missing cells, weights and categories.


@pytest.mark.parametrize("cell", ["", "NaN", "inf", "-inf", "?", "NA", "1e400"])
@pytest.mark.parametrize("column", ["s", "x"])
def test_missing_cells(refused_fit, refused_transform, table, cell, column):
    path = table(_9=f"{cell},4,1.5,A" if column == "s" else f"3,{cell},1.5,A")
    words = ["t.csv", "line 9", f"'{column}'", "--missing drop", "--missing mean"]
    refused_fit(path, says=words)
    refused_transform(path, says=words)


def test_missing_category(refused_fit, refused_transform, table):
    path = table(_9="3,4,1.5,")
    refused_fit(path, says=["t.csv", "line 9", "'race'", "--missing drop"])
    refused_transform(path, says=["t.csv", "line 9", "'race'", "--missing drop"])


def test_every_row_has_a_missing_cell(refused_fit, table):
    lines = [LINES[0], *(f"{i},,2,A" if i % 2 else f",{i},2,B" for i in range(20))]
    refused_fit(table(lines), "--missing", "drop", says=["20 rows", "most often in 'x'", "--drop", "--missing mean"])


@pytest.mark.parametrize(
    ("cell", "word"), [("-1", "negative"), ("", "missing"), ("many", "'many'"), ("inf", "missing")]
)
def test_bad_weights(refused_fit, table, cell, word):
    refused_fit(table(_9=f"3,4,{cell},A"), "--weights", "z", says=["t.csv", "line 9", "'z'", word])


def test_no_weight_at_all(refused, table, tmp_path):
    path = table([LINES[0], *(f"{i % 7},{i * i % 11},0,A" for i in range(20))])
    model = ("--model", tmp_path / "m.json")
    refused("fit", "-i", path, "-s", "s", "--weights", "z", *model, says=["weight"], outputs=("m.json",))


def test_category_that_the_fit_has_not_seen(refused_transform, table):
    path = table(_9="3,4,1.5,C")
    refused_transform(path, says=["t.csv", "line 9", "'race'", "'C'", "--unknown ignore"])


def test_category_of_too_many_levels(refused_fit, table):
    lines = ["s,x,race", *(f"{i % 7},{i * i % 11},level{i % 10_050}" for i in range(20_100))]
    refused_fit(table(lines), says=["'race'", "--drop"])


def test_model_and_data_disagree(refused_transform, table, tmp_path):
    lines = ["age,xx,z,rac", *LINES[1:]]
    refused_transform(table(lines), says=["t.csv", "'s'", "'x'", "did you mean 'xx'", "'race'", "did you mean 'rac'"])


def test_a_column_with_a_part_in_the_model_is_no_mistyped_one(refused_transform, table):
    lines = [",".join(cells[:1] + cells[2:]) for cells in (line.split(",") for line in LINES)]
    assert "did you mean" not in refused_transform(table(lines), says=["t.csv", "'x'"])


def test_kinds_disagree(refused_transform, table):
    lines = [LINES[0], *(line.replace(",A", ",1").replace(",B", ",2") for line in LINES[1:])]
    refused_transform(table(lines), says=["t.csv", "line 2", "'race'", "'1'"])


@pytest.mark.parametrize("flags", [(), ("--keep", "job=A")])
def test_output_would_have_two_columns_of_a_name(refused, table, tmp_path, flags):
    path = table(["s,x,z,job,job=A", *(line + ",1" for line in LINES[1:])])
    both = ("-m", tmp_path / "m.json", "-o", tmp_path / "o.csv")
    refused("fit", "-i", path, "-s", "s", *flags, *both, says=["'job=A'"], outputs=("m.json", "o.csv"))


def test_first_problem_in_the_order_of_the_file_is_named_whatever_the_threads(refused, tmp_path):
    body = tool.write(tool.numbers(60_000, seed=41), tmp_path / "t.csv").read_text().splitlines()
    for line, cell in [(59_000, "last"), (31_000, "second"), (30_000, "first")]:
        body[line - 1] = cell + "," + body[line - 1].split(",", 1)[1]
    (tmp_path / "t.csv").write_text("\n".join(body))
    for threads in (1, 2, 5):
        words = ["line 30000,", "'s0'", "'first'"]
        args = ("-i", tmp_path / "t.csv", "-s", "s0", "--threads", threads, "-m", tmp_path / "m.json")
        refused("fit", *args, says=words, outputs=("m.json",))


def test_messages_stay_printable(refused_fit, table):
    sentence = refused_fit(table(_9=b"3,4\x1b[31m,1.5,A"), says=["line 9", "'x'"])
    assert "\x1b" not in sentence


def test_long_cells_are_cut_in_messages(refused_fit, table):
    sentence = refused_fit(table(_9=f"3,{'many' * 5000},1.5,A"), says=["line 9", "'x'"])
    assert len(sentence) < 1000
