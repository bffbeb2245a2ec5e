"""What a person sees, and what a machine reads."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import time

import pytest

from . import tool

COMMANDS = [
    ("fit",),
    ("transform",),
    ("moments",),
    ("export",),
    ("data",),
    ("data", "list"),
    ("data", "generate"),
    ("data", "fetch"),
    ("completion",),
    ("manual",),
]
ESCAPE = "\x1b["


@pytest.fixture
def table(tmp_path):
    return tool.write(tool.numbers(100, seed=91), tmp_path / "t.csv")


@pytest.fixture
def model(table):
    return tool.fit(table, "s*")


def calls(table, model, folder):
    yield ("fit", "-i", table, "-s", "s*", "-m", folder / "1.json", "-o", folder / "1.csv")
    yield ("transform", "-m", model, "-i", table, "-o", folder / "2.csv", "--check")
    yield ("moments", "-i", table, "-s", "s*", "-o", folder / "3.plm")
    yield ("fit", "--moments", folder / "3.plm", "-m", folder / "4.json")
    yield ("export", "-m", model, "-o", folder / "5.json")
    yield ("data", "generate", "loan", "-o", folder / "6.csv")


def test_standard_output_is_for_data(table, model, tmp_path):
    for args in calls(table, model, tmp_path):
        done = tool.succeed(*args)
        assert done.out == b"", args
        assert ESCAPE not in done.err, "no colours but on a terminal"
        assert "\r" not in done.err, "no progress but on a terminal"


def test_quiet_says_nothing(table, model, tmp_path):
    for i, args in enumerate(calls(table, model, tmp_path)):
        done = tool.succeed(*(["--quiet", *args] if i % 2 else [*args, "-q"]))
        assert (done.out, done.err) == (b"", ""), args


def test_quiet_still_says_what_is_wrong(tmp_path):
    done = tool.run("fit", "-q", "-i", tmp_path / "none.csv", "-s", "a", "-m", tmp_path / "m.json")
    assert done.code == 2
    assert "none.csv" in done.err


def test_certificate_in_words(table, tmp_path):
    done = tool.succeed("fit", "-i", table, "-s", "s*", "-m", tmp_path / "m.json")
    certificate = tool.load(tmp_path / "m.json")["certificate"]
    strongest = certificate["before"]["correlation"]
    share = round(100 * strongest["value"] ** 2)
    before = f"before: {strongest['sensitive']} explains up to {share}% of a feature"
    assert f"{before}; after: 0% along a line; on new rows" in done.err
    assert "100 rows" in done.err
    assert "4 features" in done.err


def test_json_is_for_machines(table, model, tmp_path):
    done = tool.succeed("fit", "-i", table, "-s", "s*", "--json")
    assert done.json["rows"] == 100
    assert done.json["certificate"]["after"]["correlation"]["value"] <= tool.ORTHOGONAL
    again = tool.succeed("fit", "-i", table, "-s", "s*", "--json", "-m", tmp_path / "m.json").json
    assert again["certificate"] == tool.load(tmp_path / "m.json")["certificate"]
    out = tool.succeed("transform", "-m", model, "-i", table, "-o", tmp_path / "o.csv", "--json", "--check").json
    assert (out["rows"], out["dropped"], out["filled"], out["unknown"], out["met"]) == (100, 0, 0, 0, True)


def on_terminal(*args, **env):
    """What a call writes to standard error when that is a terminal."""
    controller, terminal = pty.openpty()
    process = subprocess.Popen(
        [tool.program(), *map(str, args)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=terminal,
        env=tool.environment(**({"TERM": "xterm"} | env)),
    )
    os.close(terminal)
    text = b""
    try:
        while part := os.read(controller, 65536):
            text += part
    except OSError:  # the other end is closed
        pass
    os.close(controller)
    process.wait(20)
    return text.decode()


def test_colours_on_a_terminal_and_not_under_no_color(table, tmp_path):
    for args in [("fit", "-i", table, "-s", "s*", "-m", "/dev/null"), ("fit", "-i", tmp_path / "none.csv")]:
        assert ESCAPE in on_terminal(*args)
        for env in [{"NO_COLOR": "1"}, {"NO_COLOR": "anything"}, {"TERM": "dumb"}]:
            assert ESCAPE not in on_terminal(*args, **env), env


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_on_a_terminal_once_it_takes_long(table, model, terminal):
    """Fed slowly for as long as it takes to see a bar; as long with no terminal, where there is none."""
    header, body = table.read_bytes().split(b"\n", 1)
    body *= 2_000_000 // len(body)
    controller, end = pty.openpty() if terminal else os.pipe()
    args = ["transform", "-m", model, "-i", "-", "-o", "/dev/null"]
    process = subprocess.Popen(
        [tool.program(), *map(str, args)], stdin=subprocess.PIPE, stderr=end, env=tool.environment(TERM="xterm")
    )
    os.close(end)
    process.stdin.write(header + b"\n")
    seen, deadline = b"", time.monotonic() + (10 if terminal else 1.6)
    while b"MB/s" not in seen and time.monotonic() < deadline:
        process.stdin.write(body)
        process.stdin.flush()
        if select.select([controller], [], [], 0.1)[0]:
            seen += os.read(controller, 65536)
    process.stdin.close()
    assert process.wait(20) == 0
    os.close(controller)
    assert (b"MB/s" in seen) == terminal
    assert terminal or seen == b""


# Help.


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_help_shows_an_example(command):
    text = tool.succeed(*command, "--help").out.decode()
    assert "Example" in text
    assert f"plumbline {' '.join(command)}" in text.partition("Example")[2]
    assert max(map(len, text.splitlines())) < 200
    assert tool.succeed(*command, "-h").out.decode() == text


def test_help_lists_every_command():
    text = tool.succeed("--help").out.decode()
    for (command,) in {command[:1] for command in COMMANDS}:
        assert f"\n  {command} " in text


def test_version_names_compiler_and_instruction_set():
    text = tool.succeed("--version").out.decode()
    assert text.startswith("plumbline 0.")
    assert any(name in text for name in ("GNU ", "Clang ", "GCC ", "clang ", "gcc "))
    assert any(name in text for name in ("avx512", "avx2", "sse2", "baseline", "generic", "neon", "sve"))


@pytest.mark.parametrize(
    ("shell", "check"), [("bash", ["bash", "-n"]), ("zsh", ["zsh", "-n"]), ("fish", ["fish", "-n"])]
)
def test_completion_is_a_script(tmp_path, shell, check):
    text = tool.succeed("completion", shell).out
    for word in (b"transform", b"sensitive", b"generate"):
        assert word in text
    if not shutil.which(check[0]):
        pytest.skip(f"there is no {check[0]} to read it")
    (tmp_path / "script").write_bytes(text)
    subprocess.run([*check, tmp_path / "script"], check=True)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("plumbline tra", {"transform"}),
        ("plumbline fit --sens", {"--sensitive"}),
        ("plumbline transform --unk", {"--unknown"}),
        ("plumbline data gen", {"generate"}),
        ("plumbline data generate --ro", {"--rows"}),
        ("plumbline data generate ins", {"insurance"}),
        ("plumbline data fetch c", {"compas", "crime"}),
        ("plumbline completion z", {"zsh"}),
        ("plumbline reproduce sens", {"sensitivity-compas", "sensitivity-crime"}),
        ("plumbline -q tra", {"transform"}),
        ("plumbline -q fit --sens", {"--sensitive"}),
        ("plumbline fit --method s", {"sob"}),
        ("plumbline fit --input x.csv --mode bl", {"blind"}),
        ("plumbline transform --missing dr", {"drop"}),
    ],
)
def test_bash_completes(line, expected):
    script = """
        eval "$("$P" completion bash)"
        COMP_WORDS=($LINE) COMP_LINE=$LINE COMP_POINT=${#LINE}
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        complete=$(complete -p plumbline)
        complete=${complete##*-F }
        ${complete%% *} plumbline "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\\n' "${COMPREPLY[@]}"
    """
    env = tool.environment(P=tool.program(), LINE=line)
    done = subprocess.run(["bash", "-c", script], env=env, capture_output=True, text=True, check=True)
    assert {word.strip() for word in done.stdout.split("\n") if word} == expected


def test_manual_is_a_page():
    text = tool.succeed("manual").out.decode()
    assert text.startswith(".TH")
    for word in ("fit", "transform", "moments", "export", "data", "\\-\\-sensitive", "EXIT STATUS"):
        assert word in text
    if shutil.which("groff"):
        call = ["groff", "-man", "-ww", "-z", "-T", "utf8"]
        assert subprocess.run(call, input=text, capture_output=True, text=True, check=True).stderr == ""


@pytest.mark.parametrize("alpha", [0.1, 0.30000000000000004, 1e-17, 0.9999999999999999, 1 / 3])
def test_numbers_of_a_model_round_trip(table, alpha):
    model = tool.load(tool.fit(table, "s*", "--alpha", repr(alpha)))
    assert model["options"]["alpha"] == alpha
    assert model["map"]["alpha"] == alpha
