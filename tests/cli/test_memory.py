"""Memory does not grow with rows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from . import tool

MEGABYTE = 1 << 20
ROWS, TIMES = 40_000, 10  # 76 MB at most


# The peak that the kernel reports counts what the parent had when it forked, so the parent must be small.
LAUNCHER = """
import os, sys
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss)
"""


def peak(*args, piped=os.devnull):
    """Of the resident memory, in bytes."""
    launch = [sys.executable, "-I", "-S", "-c", LAUNCHER, tool.program(), *map(str, args)]
    with subprocess.Popen(["cat", piped], stdout=subprocess.PIPE) as feeder:
        done = subprocess.run(launch, stdin=feeder.stdout, capture_output=True, text=True, check=True)
    code, kilobytes = map(int, done.stdout.split())
    assert code == 0, done.stderr
    return kilobytes * 1024


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("memory")
    table = tool.numbers(ROWS, seed=95, features=8).assign(race=["A", "B"] * (ROWS // 2))
    small = tool.write(table, folder / "small.csv")
    header, body = small.read_bytes().split(b"\n", 1)
    with (folder / "large.csv").open("wb") as file:
        file.write(header + b"\n")
        for _ in range(TIMES):
            file.write(body)
    assert (folder / "large.csv").stat().st_size > 64 * MEGABYTE, "or it would fit"
    return folder


@pytest.mark.parametrize("source", ["file", "pipe"])
@pytest.mark.parametrize("command", ["fit", "transform", "moments"])
def test_ten_times_the_rows_take_no_more_memory(tables, command, source):
    if b"__asan_init" in Path(tool.program()).read_bytes():
        pytest.skip("the address sanitizer keeps memory of its own")
    model = tool.fit(tables / "small.csv", "s*,race")
    args = {
        "fit": ("fit", "-s", "s*,race", "-o", "/dev/null"),
        "moments": ("moments", "-s", "s*,race", "-o", "/dev/null"),
        "transform": ("transform", "-m", model, "-o", "/dev/null"),
    }[command]
    sizes = []
    for name in ("small.csv", "large.csv"):
        path = tables / name
        sizes.append(peak(*args, "-i", path) if source == "file" else peak(*args, "-i", "-", piped=path))
    assert sizes[1] < sizes[0] + 64 * MEGABYTE
