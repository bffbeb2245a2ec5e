"""The commands that write files, on a table, with what they write when nothing disturbs them."""

from __future__ import annotations

import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass
class Written:
    """A command, the files that it writes, and their bytes."""

    words: list[str]
    files: dict[str, bytes]
    seconds: float
    replaces: bool  # with --force, what is there; and else nothing is there

    def faults(self, folder: Path, *, temporary: bool) -> list[str]:
        """What is wrong with what it left behind: files hold the old or the new, as a whole."""
        wrong = []
        for name, whole in self.files.items():
            path = folder / name
            if path.exists() and path.read_bytes() not in ((whole, OLD) if self.replaces else (whole,)):
                wrong.append(f"{name} is neither old nor new")
            if self.replaces and not path.exists():
                wrong.append(f"{name} is gone")
        left = [p.name for p in folder.iterdir() if p.name not in self.files and p.name not in INPUTS]
        if left and not temporary:
            wrong.append(f"{left} was left behind")
        return wrong

    def prepare(self, folder: Path) -> None:
        for path in folder.iterdir():
            if path.name not in INPUTS:
                path.unlink()
        for name in self.files if self.replaces else ():
            (folder / name).write_bytes(OLD)


OLD = b"old\n"
INPUTS = ("people.csv", "people.csv.gz", "in.json", "in.plm")


def write_table(path: Path, rows: int) -> None:
    rng = np.random.default_rng(11)
    b = rng.normal(size=rows)
    a = rng.normal(size=(rows, 6)) + b[:, None]
    with path.open("w") as file:
        file.write("b,a0,a1,a2,a3,a4,a5,k\n")
        for i in range(rows):
            cells = ",".join(f"{x:.6g}" for x in a[i])
            file.write(f"{b[i]:.6g},{cells},{'xyz'[i % 3]}\n")


def all_commands(program: str, folder: Path, rows: int) -> list[Written]:
    table = folder / "people.csv"
    write_table(table, rows)
    run = [program]
    quiet = {"check": True, "capture_output": True}
    subprocess.run([*run, "fit", "-i", table, "-s", "b,k", "-m", folder / "in.json", "--force"], **quiet)
    subprocess.run([*run, "moments", "-i", table, "-s", "b,k", "-o", folder / "in.plm", "--force"], **quiet)
    calls = [
        (["fit", "-i", "people.csv", "-s", "b,k", "-m", "m.json"], ["m.json"]),
        (["fit", "-i", "people.csv", "-s", "b", "-m", "m.json", "-o", "fair.csv"], ["m.json", "fair.csv"]),
        (["fit", "-i", "people.csv", "-s", "b", "--rank", "2", "-o", "fair.csv.gz"], ["fair.csv.gz"]),
        (["transform", "-i", "people.csv", "--model", "in.json", "-o", "fair.csv"], ["fair.csv"]),
        (["transform", "-i", "people.csv", "--model", "in.json", "-o", "fair.csv.zst", "--check", "--tolerance", "1"],
         ["fair.csv.zst"]),
        (["moments", "-i", "people.csv", "-s", "b,k", "-o", "m.plm"], ["m.plm"]),
        (["fit", "--moments", "in.plm", "-m", "m.json"], ["m.json"]),
        (["export", "--model", "in.json", "--format", "json", "-o", "e.json"], ["e.json"]),
    ]  # fmt: skip
    out = []
    for words, names in calls:
        start = time.monotonic()
        subprocess.run([*run, *words], cwd=folder, **quiet)
        seconds = time.monotonic() - start
        files = {name: (folder / name).read_bytes() for name in names}
        out.append(Written([*run, *words], files, seconds, replaces=False))
        out.append(Written([*run, *words, "--force"], files, seconds, replaces=True))
        for name in names:
            (folder / name).unlink()
    return out


def scratch() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="plumbline-torture-")
