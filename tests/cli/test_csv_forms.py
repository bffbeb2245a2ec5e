"""How files spell tables: each spelling of a table gives the output of the plain one."""

from __future__ import annotations

import io

import pandas as pd
import pytest

from . import tool

TABLE = tool.numbers(50, seed=31).round(6).assign(race=["White", "Black"] * 25, y=range(50))
ROLES = ("--sensitive", "s0,race", "--target", "y")


def text(sep=",", end="\n", **options):
    return TABLE.to_csv(index=False, sep=sep, lineterminator=end, **options)


def output(folder, content, *flags):
    """The model's map, and the table that fit --output writes."""
    file, model, out = folder / "in.csv", folder / "m.json", folder / "out.csv"
    file.write_bytes(content.encode())
    tool.succeed("fit", "-i", file, *ROLES, "-m", model, "-o", out, "--force", *flags)
    assert tool.transform(model, file, *flags) == out.read_bytes()
    return tool.load(model)["map"], out.read_text()


@pytest.fixture
def plain(tmp_path):
    return output(tmp_path, text())


def padded(content):
    return "\n".join(" , ".join(line.split(",")) + "\t" for line in content.splitlines())


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(text(end="\r\n"), id="CRLF"),
        pytest.param("\ufeff" + text(), id="byte order mark"),
        pytest.param("\ufeff" + text(end="\r\n", quoting=1), id="BOM, CRLF and quotes"),
        pytest.param(text().rstrip("\n"), id="no line end at the end"),
        pytest.param("\n \n" + text().replace("\n", "\n\n") + "\n  \n", id="empty lines"),
        pytest.param(padded(text()), id="blanks around cells"),
        pytest.param(text().replace("White", '"White"').replace("x1", '"x1"'), id="some quotes"),
    ],
)
def test_the_same_table_in_other_words(tmp_path, plain, content):
    model, out = output(tmp_path, content)
    assert model == plain[0]
    assert out.replace('"', "") == plain[1]


@pytest.mark.parametrize(("flag", "delimiter"), [(";", ";"), ("tab", "\t"), ("\t", "\t"), ("|", "|")])
def test_delimiters(tmp_path, plain, flag, delimiter):
    model, out = output(tmp_path, text(sep=delimiter), "--delimiter", flag)
    assert model == plain[0]
    assert out == plain[1].replace(",", delimiter)


@pytest.mark.parametrize(("delimiter", "called"), [(";", "';'"), ("\t", "tabs"), ("|", "'|'")])
def test_delimiters_that_are_not_named_are_found_and_said(tmp_path, plain, delimiter, called):
    model, out = output(tmp_path, text(sep=delimiter))
    assert model == plain[0]
    assert out == plain[1].replace(",", delimiter)
    call = ("-i", tmp_path / "in.csv", *ROLES)
    note = f"note: cells of '{tmp_path}/in.csv' are separated by {called}\n"
    for args in [("fit", *call, "--json"), ("moments", *call, "-o", tmp_path / "m.plm")]:
        assert tool.succeed(*args).err.count(note) == 1
    assert note not in tool.succeed("fit", *call, "--json", "--delimiter", delimiter).err
    assert tool.succeed("fit", *call, "--json", "--quiet").err == ""


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(text(sep=";", decimal=","), id="semicolons"),
        pytest.param(text(sep="\t", decimal=","), id="tabs"),
        pytest.param(text(decimal=",", quoting=1), id="quotes"),
    ],
)
def test_decimal_commas_are_found_and_said(tmp_path, content):
    (tmp_path / "t.csv").write_text(content)
    call = ("moments", "-i", tmp_path / "t.csv", *ROLES, "-o", tmp_path / "m.plm", "--force")
    note = f"note: numbers of '{tmp_path}/t.csv' have decimal commas\n"
    assert tool.succeed(*call).err.count(note) == 1
    assert note not in tool.succeed(*call, "--decimal", ",").err


@pytest.mark.parametrize(("sep", "quoting"), [(";", 0), ("\t", 0), ("|", 1), (",", 1)])
def test_decimal_commas_are_numbers_and_are_written_again(tmp_path, plain, sep, quoting):
    content = text(sep=sep, decimal=",", quoting=quoting)
    model, out = output(tmp_path, content)
    assert model == plain[0]
    found = pd.read_csv(io.StringIO(out), sep=sep, decimal=",", float_precision="round_trip")
    pd.testing.assert_frame_equal(found, pd.read_csv(io.StringIO(plain[1]), float_precision="round_trip"))
    assert output(tmp_path, content, "--decimal", ",", "--delimiter", sep) == (model, out)


def test_a_decimal_comma_between_quotes_is_one_if_it_is_asked_for(tmp_path):
    (tmp_path / "t.csv").write_text("s,x\n" + "".join(f'{i % 3},"{i % 5 + 1},{i * 7:03}"\n' for i in range(30)))
    found = tool.fitted_output(
        tmp_path / "t.csv", "s", "--decimal", ",", "--alpha", "0", read={"decimal": ",", "float_precision": None}
    )
    assert found["x"].to_list() == pytest.approx([i % 5 + 1 + i * 7 / 1000 for i in range(30)])


def test_a_comma_is_not_worth_a_note(tmp_path):
    (tmp_path / "t.csv").write_text(text())
    assert "note" not in tool.succeed("fit", "-i", tmp_path / "t.csv", *ROLES, "--json").err


def test_the_delimiter_of_standard_input_is_found(tmp_path):
    done = tool.succeed("fit", "-i", "-", *ROLES, "--json", stdin=text(sep=";").encode())
    assert "note: cells of standard input are separated by ';'" in done.err


def test_cells_that_hold_the_delimiter_are_quoted_in_names(tmp_path):
    content = text(sep=";").replace("x1", '"x;""1"""')
    _, out = output(tmp_path, content, "--delimiter", ";")
    assert out.splitlines()[0] == 's1;x0;"x;""1""";x2;x3;y'


def test_without_a_header_columns_are_numbered(tmp_path, plain):
    file, out = tmp_path / "in.csv", tmp_path / "o.csv"
    file.write_text(text(header=False))
    tool.succeed("fit", "-i", file, "--no-header", "-s", "c1,c7", "--target", "c8", "--drop", "c2", "-o", out)
    found = pd.read_csv(out, header=None)
    assert found.shape == (50, 5), "c3 … c6 and c8, and no line of names"
    assert list(found[4]) == list(TABLE["y"])
    model = tool.fit(file, "c1,c7", "--no-header", "--target", "c8")
    assert tool.transform(model, file, "--no-header").decode() == plain[1].split("\n", 1)[1]


def test_names_are_those_of_a_header(tmp_path, plain):
    names = ",".join(TABLE.columns)
    file = tmp_path / "bare.csv"
    file.write_text(text(header=False))
    found = output(tmp_path, text(header=False), "--names", names)
    assert found == plain
    model = tool.fit(file, "s0,race", "--target", "y", "--names", names)
    bare = tool.transform(model, file, "--names", names, "--no-header").decode()
    assert bare == plain[1].split("\n", 1)[1]
    assert tool.transform(model, tmp_path / "in.csv", "--names", names).decode() == plain[1]


def test_names_may_stand_in_quotes(tmp_path):
    (tmp_path / "t.csv").write_text("1,2,3\n2,4,1\n4,1,1\n7,2,2\n")
    found = tool.fitted_output(tmp_path / "t.csv", "s", "--names", 's, "a, b" ,"the ""c"""')
    assert list(found.columns) == ["a, b", 'the "c"']


def test_names_must_be_as_many_as_the_columns(refused, tmp_path):
    (tmp_path / "t.csv").write_text("1,2,3\n2,4,1\n")
    call = ("fit", "-i", tmp_path / "t.csv", "-s", "s", "-m", tmp_path / "m.json")
    refused(*call, "--names", "s,x", says=["t.csv", "3 cells", "2 names", "name each column"], outputs=("m.json",))
    refused(*call, "--names", "s,x,s", says=["t.csv", "'s'", "more than one"], outputs=("m.json",))


MARKERS = ["", "?", "NA", "N/A", "#N/A", "NaN", "nan", "NULL", "null", "None", "none", '"NA"', '""']


@pytest.mark.parametrize("marker", [*MARKERS, "inf", "-Infinity", "1e999"])
def test_markers_of_missing_cells(tmp_path, marker):
    lines = text().splitlines()
    cells = lines[7].split(",")
    cells[3] = marker
    lines[7] = ",".join(cells)
    (tmp_path / "t.csv").write_text("\n".join(lines))
    done = tool.succeed("fit", "-i", tmp_path / "t.csv", *ROLES, "--missing", "drop", "--json")
    assert (done.json["rows"], done.json["dropped"]) == (49, 1)


@pytest.mark.parametrize("marker", ["unknown", "n.a.", "-999", "9999", "-"])
def test_markers_of_ones_own(tmp_path, marker):
    table = TABLE.copy().astype({"x0": object})
    table.loc[[3, 9], "x0"] = marker
    file = tool.write(table, tmp_path / "t.csv")
    done = tool.succeed("fit", "-i", file, *ROLES, "--missing", "drop", f"--missing-marker={marker}", "--json")
    assert done.json["dropped"] == 2


def test_several_markers_of_ones_own(tmp_path):
    table = TABLE.copy().astype({"x0": object})
    table.loc[[3, 9], "x0"] = ["unknown", "n.a."]
    file = tool.write(table, tmp_path / "t.csv")
    markers = ("--missing-marker", "n.a.", "--missing-marker", "unknown")
    done = tool.succeed("fit", "-i", file, *ROLES, "--missing", "drop", *markers, "--json")
    assert done.json["dropped"] == 2


@pytest.mark.parametrize(("rule", "rows"), [("drop", 48), ("fill", 50)])
def test_ragged_rows_can_be_accepted(tmp_path, rule, rows):
    lines = text().splitlines()
    lines[5] += ",7,8"
    lines[9] = lines[9].rsplit(",", 1)[0]  # lacks y, which passes
    (tmp_path / "t.csv").write_text("\n".join(lines))
    done = tool.succeed("fit", "-i", tmp_path / "t.csv", *ROLES, "--ragged", rule, "-o", tmp_path / "o.csv", "--json")
    assert done.json["rows"] == rows
    out = pd.read_csv(tmp_path / "o.csv")
    assert len(out) == rows
    if rule == "fill":
        assert pd.isna(out["y"][8])
        assert out["y"][4] == 4


def test_quotes_can_be_text(tmp_path):
    table = TABLE.assign(note='6" pipe')
    content = table.to_csv(index=False, quoting=3, quotechar="'")
    (tmp_path / "t.csv").write_text(content)
    out = tmp_path / "o.csv"
    tool.succeed("fit", "-i", tmp_path / "t.csv", *ROLES, "--keep", "note", "--no-quotes", "-o", out)
    assert all(line.endswith(',6" pipe') for line in out.read_text().splitlines()[1:])


def test_latin1_can_be_read(tmp_path):
    content = text().replace("White", "Zoë")
    (tmp_path / "t.csv").write_bytes(content.encode("latin-1"))
    (tmp_path / "utf8.csv").write_bytes(content.encode())
    one = tool.fit(tmp_path / "t.csv", "s0,race", "--encoding", "latin1", name="one.json")
    two = tool.fit(tmp_path / "utf8.csv", "s0,race", name="two.json")
    assert one.read_bytes() == two.read_bytes()
    assert "race=Zoë" in tool.load(one)["map"]["sensitive"]


def test_a_column_without_a_name_is_called_by_its_place(tmp_path):
    found = tool.fitted_output(tool.write(TABLE.rename(columns={"x1": ""}), tmp_path / "t.csv"), "s0,race")
    assert list(found.columns) == ["s1", "x0", "c4", "x2", "x3", "y"]


def test_numbers_in_every_spelling(tmp_path):
    cells = ["1", "+1", "1.", ".5", "1e3", "1E-3", "-0", "1.7976931348623157", '"2.5"', "00012", "12345.67890123456789"]
    rows = [f"{i * 7 % 5},{cell},{i}" for i, cell in enumerate(cells)]
    (tmp_path / "t.csv").write_text("\n".join(["s,x,y", *rows]))
    found = tool.fitted_output(tmp_path / "t.csv", "s", "--alpha", "0", "--target", "y")
    assert found["x"].to_list() == pytest.approx([float(cell.strip('"')) for cell in cells], rel=1e-9, abs=1e-9)


def test_kinds_come_from_the_first_thousand_records(tmp_path, refused):
    """A column of numbers there that has text later is refused with a line; --categorical resolves it."""
    table = tool.numbers(1200, seed=32)
    table["x0"] = (table["x0"].round() % 3).astype(int).astype(str)
    table.loc[1100:, "x0"] = "many"
    file = tool.write(table, tmp_path / "t.csv")
    words = ["line 1102", "'x0'", "'many'", "--categorical"]
    refused("fit", "-i", file, "-s", "s*", "-m", tmp_path / "m.json", outputs=("m.json",), says=words)
    names = tool.load(tool.fit(file, "s*", "--categorical", "x0"))["map"]["features"]
    assert names[:4] == ["x0=0", "x0=1", "x0=2", "x0=many"]


def test_reading_back_what_was_written(tmp_path):
    """An output is an input: alpha 0 on top of it changes nothing beyond rounding."""
    first = tool.fitted_output(tool.write(TABLE, tmp_path / "t.csv"), "s0,race", "--keep-sensitive")
    again = tool.fitted_output(tool.write(first, tmp_path / "again.csv"), "s0,race", "--keep-sensitive")
    names = [f"x{j}" for j in range(4)]
    assert tool.distance(again[names], first[names]) < 1e-9


def test_io_module_reads_outputs_with_names_in_quotes(tmp_path):
    table = TABLE.rename(columns={"x0": 'the "first", x', "x1": "two\nlines"})
    out = tool.transform(tool.fit(tool.write(table, tmp_path / "t.csv"), "s0,race"), tmp_path / "t.csv")
    names = list(pd.read_csv(io.BytesIO(out)).columns)
    assert names == ["s1", 'the "first", x', "two\nlines", "x2", "x3", "y"]
