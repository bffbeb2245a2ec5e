"""Whatever happens, there is no half of a file, and nobody sees more than before."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import stat
import subprocess
import time

import pandas as pd
import pytest

from . import tool

PATIENCE = 20  # seconds until a test gives up


@pytest.fixture
def table(tmp_path):
    return tool.write(tool.numbers(200, seed=81).assign(race=["A", "B"] * 100), tmp_path / "t.csv")


@pytest.fixture
def model(table):
    return tool.fit(table, "s0,race")


@contextlib.contextmanager
def half_way(*args, table, folder, writes=True, **more):
    """A process that has read some megabytes from a pipe, waits for the rest, and has written to a temporary file."""
    lines = table.read_bytes().splitlines(keepends=True)
    body = b"".join(lines[1:])
    process = subprocess.Popen(
        [tool.program(), *map(str, args)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=tool.environment(TMPDIR=str(folder)),
        preexec_fn=tool.with_default_signals,
        **more,
    )
    try:
        process.stdin.write(lines[0] + body * (8_000_000 // len(body)))
        process.stdin.flush()
        deadline = time.monotonic() + PATIENCE
        while writes and not any(path.stat().st_size > 0 for path in folder.glob(".plumbline-*")):
            assert process.poll() is None, "nothing is written before the end"
            assert time.monotonic() < deadline, "nothing is written before the end"
            time.sleep(0.01)
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        with contextlib.suppress(BrokenPipeError):
            process.communicate()


@pytest.mark.parametrize("old", [None, b"old"])
def test_killed_half_way_leaves_the_old_file_or_none(tmp_path, table, model, old):
    folder = tmp_path / "out"
    folder.mkdir()
    target = folder / "o.csv"
    if old:
        target.write_bytes(old)
    args = ("transform", "-m", model, "-i", "-", "-o", target, "--force")
    with half_way(*args, table=table, folder=folder) as process:
        process.send_signal(signal.SIGKILL)
        assert process.wait(PATIENCE) == -signal.SIGKILL
    assert (target.read_bytes() if target.exists() else None) == old
    done = tool.run("transform", "-m", model, "-i", table, "-o", target, "--force")
    assert done.code == 0, "what was left behind is in nobody's way"


def test_killed_at_any_time_leaves_the_whole_file_or_none(tmp_path, table, model):
    header, body = table.read_bytes().split(b"\n", 1)
    (tmp_path / "large.csv").write_bytes(header + b"\n" + body * 300)
    whole = tool.transform(model, tmp_path / "large.csv")
    target, ends = tmp_path / "o.csv", set()
    for milliseconds in (0, 5, 15, 30, 60, 120, 1000):
        args = ["transform", "-m", model, "-i", tmp_path / "large.csv", "-o", target, "--force"]
        process = subprocess.Popen([tool.program(), *map(str, args)], stderr=subprocess.DEVNULL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(milliseconds / 1000)
        process.kill()
        ends.add(process.wait(PATIENCE))
        assert not target.exists() or target.read_bytes() == whole
    assert -signal.SIGKILL in ends


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
@pytest.mark.parametrize("command", ["transform", "fit"])
def test_signals_leave_no_temporary_files(tmp_path, table, model, name, command):
    """Neither beside the output nor, for what must be read twice, where temporary files go."""
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "o.csv").write_bytes(b"old")
    outputs = ("-i", "-", "-o", folder / "o.csv", "--force")
    args = ("transform", "-m", model, *outputs) if command == "transform" else ("fit", "-s", "s0,race", *outputs)
    with half_way(*args, table=table, folder=folder, writes=command == "transform") as process:
        process.send_signal(getattr(signal, name))
        assert process.wait(PATIENCE) == -getattr(signal, name)
        assert process.stderr.read() == b""
    assert tool.files_in(folder) == {"o.csv": b"old"}


def test_a_disk_that_is_full(tmp_path, table, model):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", disk]
    mounted = subprocess.run(mount, capture_output=True, check=False)
    if mounted.returncode != 0:
        pytest.skip("cannot mount a small disk: " + mounted.stderr.decode().strip())
    try:
        (disk / "old.csv").write_bytes(b"old")
        header, body = table.read_bytes().split(b"\n", 1)
        (tmp_path / "large.csv").write_bytes(header + b"\n" + body * 30)
        calls = [
            ("transform", "-m", model, "-i", tmp_path / "large.csv", "-o", disk / "o.csv"),
            ("transform", "-m", model, "-i", tmp_path / "large.csv", "-o", disk / "old.csv", "--force"),
            ("fit", "-i", tmp_path / "large.csv", "-s", "s0", "-m", disk / "m.json", "-o", disk / "o.csv"),
            ("data", "generate", "loan", "--rows", 50_000, "-o", disk / "o.csv"),
        ]
        for args in calls:
            done = tool.run(*args)
            assert done.code == 2
            assert "No space left" in done.err
            assert str(disk) in done.err
            assert done.err.count("\n") == 1
            assert tool.files_in(disk) == {"old.csv": b"old"}
        filler = disk / "filler"
        with contextlib.suppress(OSError), filler.open("wb") as file:
            while True:
                file.write(b"x" * 512)
                file.flush()
        done = tool.run("fit", "-i", table, "-s", "s0", "-m", disk / "m.json", "-o", tmp_path / "o.csv")
        assert done.code == 2
        assert not (disk / "m.json").exists(), "both or neither"
        assert not (tmp_path / "o.csv").exists(), "both or neither"
    finally:
        subprocess.run(["umount", disk], check=True)


def test_a_file_that_may_not_grow(tmp_path, table, model):
    """RLIMIT_FSIZE, a full disk for those who cannot mount one."""
    folder = tmp_path / "out"
    folder.mkdir()
    header, body = table.read_bytes().split(b"\n", 1)
    (tmp_path / "large.csv").write_bytes(header + b"\n" + body * 30)
    done = tool.run(
        *("transform", "-m", model, "-i", tmp_path / "large.csv", "-o", folder / "o.csv"),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)),
    )
    assert done.code in (2, -signal.SIGXFSZ)
    assert tool.files_in(folder) == {}


# Who may read.


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize(
    ("given", "expected"), [(0o600, 0o600), (0o640, 0o640), (0o644, 0o644), (0o444, 0o644), (0o666, 0o644)]
)
def test_outputs_are_not_wider_than_the_input(tmp_path, table, given, expected):
    table.chmod(given)
    model, output, part = (tmp_path / name for name in ("m.json", "o.csv", "p.plm"))
    mask = {"umask": 0o022}
    tool.succeed("fit", "-i", table, "-s", "s0,race", "-m", model, "-o", output, **mask)
    tool.succeed("moments", "-i", table, "-s", "s0,race", "-o", part, **mask)
    assert [oct(mode(path)) for path in (model, output, part)] == [oct(expected)] * 3
    merged, again, exported = (tmp_path / name for name in ("merged.json", "again.csv", "map.json"))
    tool.succeed("fit", "--moments", part, "-m", merged, **mask)
    tool.succeed("transform", "-m", model, "-i", table, "-o", again, **mask)
    tool.succeed("export", "-m", model, "-o", exported, **mask)
    assert [oct(mode(path)) for path in (merged, again, exported)] == [oct(expected)] * 3


def test_the_narrowest_input_and_the_old_file_decide(tmp_path, table, model):
    other = tmp_path / "other.csv"
    other.write_bytes(table.read_bytes())
    table.chmod(0o644), other.chmod(0o600), model.chmod(0o644)
    output = tmp_path / "o.csv"
    tool.succeed("transform", "-m", model, "-i", table, other, "-o", output, umask=0o022)
    assert mode(output) == 0o600
    tool.succeed("transform", "-m", model, "-i", table, "-o", output, "--force", umask=0o022)
    assert mode(output) == 0o600, "what was private stays so"


def test_what_comes_by_a_pipe_is_for_the_owner_alone(tmp_path, table, model):
    output = tmp_path / "o.csv"
    tool.succeed("transform", "-m", model, "-i", "-", "-o", output, stdin=table.read_bytes(), umask=0o022)
    assert mode(output) == 0o600


def test_temporary_files_are_not_wider_either(tmp_path, table, model):
    folder = tmp_path / "out"
    folder.mkdir()
    args = ("transform", "-m", model, "-i", "-", "-o", folder / "o.csv")
    with half_way(*args, table=table, folder=folder, umask=0o022):
        assert {mode(path) for path in folder.iterdir()} == {0o600}


# Standard output.


def test_a_reader_that_has_seen_enough(tmp_path, table, model):
    header, body = table.read_bytes().split(b"\n", 1)
    (tmp_path / "large.csv").write_bytes(header + b"\n" + body * 300)
    args = ["transform", "-m", model, "-i", tmp_path / "large.csv", "-o", "-"]
    process = subprocess.Popen([tool.program(), *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == b"s1,x0,x1,x2,x3\n"
    process.stdout.close()
    assert process.wait(PATIENCE) in (-signal.SIGPIPE, 128 + signal.SIGPIPE)
    assert process.stderr.read() == b""
    process.stderr.close()


@pytest.mark.parametrize("args", [("manual",), ("completion", "bash"), ("data", "list")])
def test_standard_output_that_is_full_is_no_success(args):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([tool.program(), *args], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1


def test_data_on_a_full_standard_output(table, model):
    for args in [
        ("transform", "-m", model, "-i", table, "-o", "-"),
        ("fit", "-i", table, "-s", "s0", "-o", "-"),
        ("fit", "-i", table, "-s", "s0", "--json"),
        ("data", "generate", "loan"),
        ("export", "-m", model),
    ]:
        with open("/dev/full", "wb") as full:
            done = subprocess.run([tool.program(), *map(str, args)], stdout=full, stderr=subprocess.PIPE, check=False)
        assert done.returncode == 2, args
        assert done.stderr.decode().startswith("plumbline: "), args
        assert done.stderr.count(b"\n") == 1, args


def shell(command, **names):
    """With names as variables, for what only a shell can close."""
    env = tool.environment(P=tool.program(), **{name: str(value) for name, value in names.items()})
    return subprocess.run(["bash", "-c", command], env=env, capture_output=True, check=False, timeout=PATIENCE)


def test_closed_standard_output(tmp_path, table, model):
    """What is meant for it never ends up in a file that was opened in its place."""
    names = {"T": table, "M": model, "O": tmp_path / "o"}
    for call in [
        '"$P" transform -m "$M" -i "$T" -o - >&-',
        '"$P" data generate loan >&-',
        '"$P" export -m "$M" >&-',
    ]:
        done = shell(call, **names)
        assert done.returncode == 2, call
        assert done.stderr.count(b"\n") == 1
    shell('"$P" fit -i "$T" -s s0 -m "$O" --json >&-', **names)
    if (tmp_path / "o").exists():
        json.loads((tmp_path / "o").read_text())
    for source in ('-i "$T"', '-i - <"$T"'):
        shell('"$P" transform -m "$M" -o "$O.csv" --force --json >&- ' + source, **names)
        if (tmp_path / "o.csv").exists():
            assert (tmp_path / "o.csv").read_bytes() == tool.transform(model, table)


def test_closed_standard_error(tmp_path, table):
    """Words that nobody hears end up in no file."""
    rows = pd.read_csv(table)
    rows.loc[3, "x0"] = None
    tool.write(rows, table)
    model = tool.fit(table, "s0,race", "--missing", "drop")
    output, fitted = tmp_path / "o.csv", tmp_path / "m.json"
    done = shell('"$P" transform -m "$M" -i "$T" -o "$O" 2>&-', T=table, M=model, O=output)
    assert done.returncode == 0
    assert output.read_bytes() == tool.transform(model, table)
    output.unlink()
    done = shell('"$P" transform -m "$M" -i - -o "$O" <"$T" 2>&-', T=table, M=model, O=output)
    assert done.returncode == 0
    assert output.read_bytes() == tool.transform(model, table)
    done = shell('"$P" fit -i "$T" -s s0,race --missing drop -m "$O" 2>&-', T=table, O=fitted)
    assert done.returncode == 0
    assert fitted.read_bytes() == model.read_bytes()


def test_closed_standard_input(table, model):
    done = shell('"$P" transform -m "$M" -i - -o - <&-', T=table, M=model)
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"standard input" in done.stderr


def test_links_stay_and_devices_are_written(tmp_path, table, model):
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    real.write_text("old")
    os.symlink(real, link)
    tool.succeed("transform", "-m", model, "-i", table, "-o", link, "--force")
    assert link.is_symlink()
    assert real.read_bytes() == tool.transform(model, table)
    tool.succeed("transform", "-m", model, "-i", table, "-o", "/dev/null")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
