"""plumbline reproduce, stopped and started again: finished runs are kept, and leave no trace in the results."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import pytest

from cli import tool

PATIENCE = 60  # seconds until a test gives up
REPEATS = 3
CALL = ("reproduce", "loan", "--repeats", REPEATS, "--threads", 1, "--output")


def results(folder: Path) -> dict[str, bytes | None]:
    return {name: content for name, content in tool.files_in(folder).items() if not name.startswith("runs")}


def runs(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "runs").glob("*")}


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    done = tool.succeed(*CALL, folder)
    assert "already" not in done.err
    assert set(runs(folder)) == {f"loan-{seed}.json" for seed in range(REPEATS)}
    return folder


@pytest.fixture
def copy(whole, tmp_path) -> Path:
    """A folder with the same runs and no results."""
    (tmp_path / "runs").mkdir()
    for name, content in runs(whole).items():
        (tmp_path / "runs" / name).write_bytes(content)
    return tmp_path


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_what_was_stopped_goes_on(tmp_path, whole, name):
    process = subprocess.Popen(
        [tool.program(), *map(str, CALL), tmp_path],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=tool.environment(),
        preexec_fn=tool.with_default_signals,
    )
    deadline = time.monotonic() + PATIENCE
    while not (tmp_path / "runs" / "loan-0.json").exists():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(getattr(signal, name))
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (-getattr(signal, name), b"")
    kept = runs(tmp_path)
    assert 1 <= len(kept) < REPEATS
    sentence = (
        f"plumbline: stopped; {{}} of {REPEATS} runs are kept in '{tmp_path / 'runs'}', "
        "and the same command goes on from there\n"
    )
    none = "plumbline: stopped; no run is kept, and the same command starts anew\n"
    counts = (len(kept) - 1, len(kept))  # a run counts once the disk has its name
    assert err.decode() in [sentence.format(count) if count > 0 else none for count in counts]
    assert set(tool.files_in(tmp_path)) == {"runs", *(f"runs/{run}" for run in kept)}
    done = tool.succeed(*CALL, tmp_path)
    assert f"{len(kept)} of {REPEATS} runs were already there\n" in done.err
    assert tool.files_in(tmp_path) == tool.files_in(whole)


def test_nothing_is_computed_twice(copy, whole):
    before = {path: path.stat().st_mtime_ns for path in (copy / "runs").iterdir()}
    done = tool.succeed(*CALL, copy)
    assert f"{REPEATS} of {REPEATS} runs were already there\n" in done.err
    assert {path: path.stat().st_mtime_ns for path in (copy / "runs").iterdir()} == before
    assert "computed again" not in done.err
    assert results(copy) == results(whole)


def test_runs_of_another_build_are_told_of(copy, tmp_path_factory):
    other = tmp_path_factory.mktemp("other") / "plumbline-paper"
    other.write_bytes(Path(tool.program()).with_name("plumbline-paper").read_bytes() + b"another build")
    other.chmod(0o755)

    def err(*flags: str) -> str:
        call = [other, *map(str, CALL), copy, *flags]
        return subprocess.run(call, capture_output=True, env=tool.environment(), check=True, text=True).stderr

    taken = err("--any-build")
    assert f"{REPEATS} of {REPEATS} runs were already there\n" in taken
    assert "computed again" not in taken
    refused = f"computed again: {REPEATS} of another build of the program, which --any-build would take\n"
    assert err("--force").count(refused) == 1


def test_other_seeds_use_the_runs_they_share(copy, whole, tmp_path_factory):
    fresh = tmp_path_factory.mktemp("fresh")
    call = ("reproduce", "loan", "--seed", 1, "--repeats", 2, "--output")
    done = tool.succeed(*call, copy)
    assert "2 of 2 runs were already there\n" in done.err
    tool.succeed(*call, fresh)
    assert results(copy) == results(fresh)
    more = tool.succeed("reproduce", "loan", "--seed", 2, "--repeats", 2, "--force", "--output", copy)
    assert "1 of 2 runs were already there\n" in more.err
    assert set(runs(copy)) == {f"loan-{seed}.json" for seed in range(REPEATS + 1)}


def test_damaged_runs_are_computed_again(copy, whole):
    first, second, third = (copy / "runs" / f"loan-{seed}.json" for seed in range(REPEATS))
    first.write_bytes(first.read_bytes()[:1000])
    third.write_bytes(second.read_bytes())
    done = tool.succeed(*CALL, copy)
    assert f"1 of {REPEATS} runs were already there\n" in done.err
    assert f"2 finished runs in '{copy / 'runs'}' cannot be used and are computed again: 2 damaged" in done.err
    assert tool.files_in(copy) == tool.files_in(whole)


def test_another_instruction_set_takes_none(copy):
    if b"baseline" in tool.succeed("--version").out:
        pytest.skip("this machine has one instruction set only")
    done = tool.succeed(*CALL, copy, env={"PLUMBLINE_ISA": "baseline"})
    assert "already" not in done.err
    assert f"computed again: {REPEATS} of another instruction set or other data\n" in done.err


def test_other_data_take_none(tmp_path):
    if tool.data_dir() is None:
        pytest.skip("PLUMBLINE_DATA_DIR is not set; set it to the folder that holds the published files")
    name = "compas-scores-two-years.csv"
    text = (Path(tool.data_dir()) / name).read_bytes()
    (tmp_path / name).write_bytes(text)
    call = ("reproduce", "compas", "--repeats", 2, "--data-dir", tmp_path, "--output", tmp_path / "out")
    call += ("--allow-modified-data", "--force")
    assert "already" not in tool.succeed(*call).err
    assert "2 of 2 runs were already there" in tool.succeed(*call).err
    for _ in range(2):
        text = text[: text.rindex(b"\n", 0, -1) + 1]  # without the last defendant
        (tmp_path / name).write_bytes(text)
        assert "already" not in tool.succeed(*call).err


def test_a_file_in_the_place_of_the_folder(tmp_path, refused):
    (tmp_path / "runs").write_text("mine")
    refused(*CALL, tmp_path, says=["runs", "not a folder"])
