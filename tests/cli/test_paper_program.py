"""Commands and data sets that plumbline hands over to plumbline-paper, which may be missing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from . import tool

NEEDS = "needs the program plumbline-paper, which is neither beside plumbline nor on PATH"
ECHO = """#!/bin/sh
echo "$0"
for word in "$@"; do printf '[%s]' "$word"; done
exit 7
"""


def run(program: Path, *args: object, path: str = "/usr/bin:/bin", folder: Path) -> tool.Done:
    done = subprocess.run(
        [program, *map(str, args)], env=tool.environment(PATH=path), capture_output=True, cwd=folder, check=False
    )
    return tool.Done(done.returncode, done.stdout, done.stderr.decode())


@pytest.fixture
def alone(tmp_path: Path) -> Path:
    """The tool in a folder of its own."""
    (tmp_path / "bin").mkdir()
    return Path(shutil.copy2(tool.program(), tmp_path / "bin" / "plumbline"))


def published() -> list[str]:
    """The names of the data sets and of their files, as plumbline-paper lists them."""
    sets = [entry for entry in tool.succeed("data", "list", "--json").json if "files" in entry]
    return [entry["name"] for entry in sets] + [file["name"] for entry in sets for file in entry["files"]]


def described(program: Path, folder: Path) -> dict[str, str]:
    """What --help says about each command."""
    lines = run(program, "--help", folder=folder).out.decode().splitlines()
    return dict(line.split(maxsplit=1) for line in lines if re.match(r"  [a-z]+ +[A-Z]", line))


def test_both_programs_say_the_same_about_a_command(tmp_path):
    tool_says = described(Path(tool.program()), tmp_path)
    paper_says = described(Path(tool.program()).parent / "plumbline-paper", tmp_path)
    assert {name: tool_says[name] for name in ("data", "reproduce")} == {
        name: paper_says[name] for name in ("data", "reproduce")
    }


@pytest.mark.parametrize(
    "args",
    [
        ("reproduce", "compas", "--output", "o"),
        ("reproduce", "--help"),
        ("data", "list"),
        ("-q", "data", "generate", "loan", "--output", "o"),
        ("fit", "--input", "adult", "--sensitive", "sex", "--model", "o"),
    ],
)
def test_without_it_one_sentence_says_what_to_install(alone, tmp_path, args):
    before = tool.files_in(tmp_path)
    done = run(alone, *args, folder=tmp_path)
    assert (done.code, done.out) == (2, b"")
    assert NEEDS in done.err
    assert "make build" in done.err
    assert done.err.count("\n") == 1
    assert tool.files_in(tmp_path) == before


def test_every_published_name_is_known_to_the_tool(alone, tmp_path):
    for name in published():
        done = run(alone, "fit", "--input", name, "--sensitive", "x", "--model", "m", folder=tmp_path)
        assert f"'{name}' {NEEDS}" in done.err


def test_a_published_file_without_it_can_be_read_as_any_other(alone, tmp_path):
    """Its columns are then not named; a row is not taken for a header."""
    (tmp_path / "adult.data").write_text("1,2\n2,3\n3,5\n4,4\n")
    args = ("fit", "--input", "adult.data", "--model", "m.json", "--sensitive")
    assert NEEDS in run(alone, *args, "c1", folder=tmp_path).err
    assert run(alone, *args, "c1", "--no-header", folder=tmp_path).code == 0


def test_arguments_and_exit_code_are_handed_over_as_they_are(alone, tmp_path):
    words = ["-q", "data", "one two", "--b=c", "--", "", "ü*", "--help"]
    (tmp_path / "elsewhere").mkdir()
    for folder in ("elsewhere", "bin"):  # the second is beside the tool, and comes first from then on
        other = tmp_path / folder / "plumbline-paper"
        other.write_text(ECHO)
        other.chmod(0o755)
        done = run(alone, *words, path=f"/usr/bin:/bin:{tmp_path / 'elsewhere'}", folder=tmp_path)
        assert done.code == 7
        assert done.out.decode().startswith(str(other))
        assert done.out.decode().endswith("".join(f"[{word}]" for word in words))


def test_a_broken_program_is_said_to_be_broken(alone, tmp_path):
    other = alone.parent / "plumbline-paper"
    other.touch(mode=0o755)
    fit = ("fit", "--input", "adult", "--sensitive", "sex", "--model", "m")
    for text in ("not a program\n", "#!/bin/sh\nexit 3\n", "#!/bin/sh\necho nonsense\n", "#!/bin/sh\necho '[]'\n"):
        other.write_text(text)
        done = run(alone, *fit, folder=tmp_path)
        assert (done.code, done.err.count("\n")) == (2, 1), done.err


def test_it_answers_by_its_own_name_when_called_by_it():
    program = Path(tool.program()).with_name("plumbline-paper")
    direct = subprocess.run([program, "data", "nothing"], capture_output=True, text=True, check=False)
    assert direct.returncode == 2
    assert direct.stderr.startswith("plumbline-paper: ")
    assert tool.run("data", "nothing").err == direct.stderr.replace("plumbline-paper", "plumbline")


def test_the_tool_needs_no_library_of_the_paper():
    libraries = subprocess.run(["ldd", tool.program()], capture_output=True, text=True, check=True).stdout
    assert "libstdc++" in libraries
    assert not re.search("libcurl|libcrypto|libssl", libraries)


def test_the_product_includes_nothing_of_the_paper():
    sources = [
        path
        for folder in ("src", "include", "apps", "python/src")
        for path in (tool.ROOT / folder).rglob("*")
        if path.suffix in {".h", ".cpp"}
    ]
    assert len(sources) > 100
    assert [path for path in sources if re.search(r'#include "(\.\./)*paper/', path.read_text())] == []


def test_data_list_says_where_files_are_and_how_they_are_laid_out(tmp_path):
    (tmp_path / "adult.test").write_text("")
    entries = tool.succeed("data", "list", "--json", "--data-dir", tmp_path, env={"HOME": str(tmp_path)}).json
    adult = next(entry for entry in entries if entry["name"] == "adult")
    data, test = adult["files"]
    assert data["path"] is None
    assert "plumbline data fetch adult" in data["problem"]
    assert test["path"] == os.fspath(tmp_path / "adult.test")
    assert (data["lines_before_data"], test["lines_before_data"]) == (0, 1)
    assert len(adult["columns"]) == 15
