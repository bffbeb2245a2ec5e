"""Small files that would take much memory, or long, are refused by then."""

from __future__ import annotations

import gzip
import resource
import subprocess
from pathlib import Path

import numpy as np
import pytest

from . import tool

MEGABYTE, GIGABYTE = 1 << 20, 1 << 30


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (2 * GIGABYTE, 2 * GIGABYTE))


def squeezed(path: Path, head: bytes, one: bytes, count: int) -> Path:
    with gzip.open(path, "wb", compresslevel=9) as file:
        file.write(head)
        part = one * (MEGABYTE // len(one))
        for _ in range(count * len(one) // len(part)):
            file.write(part)
    return path


@pytest.mark.parametrize("one", [b"0,", b"[],", b'"",', b" ", b"\0"], ids=ascii)
@pytest.mark.parametrize("flag", ["--model", "--moments"])
def test_a_compressed_file_does_not_fill_the_memory(one: bytes, flag: str, tmp_path: Path) -> None:
    head = b'{"a": [' if flag == "--model" else b"PLUMBMOM\1\0\0\0"
    bomb = squeezed(tmp_path / "bomb.gz", head, one, 200 * MEGABYTE // len(one))
    assert bomb.stat().st_size < MEGABYTE
    table = tool.write(tool.numbers(20, seed=1), tmp_path / "t.csv")
    call = ("transform", "-i", table, "--model", bomb) if flag == "--model" else ("fit", "--moments", bomb)
    out = "--output" if flag == "--model" else "--model"
    done = tool.run(*call, out, tmp_path / "out", preexec_fn=limited)
    assert done.code == 2
    assert "expands to more than 64 times its size" in done.err
    assert not (tmp_path / "out").exists()


def test_a_header_does_not_fill_the_memory(tmp_path: Path) -> None:
    bomb = squeezed(tmp_path / "bomb.csv.gz", b"a", b",", 60 * MEGABYTE)
    done = tool.run("fit", "-i", bomb, "-s", "a", "-m", tmp_path / "m.json", preexec_fn=limited)
    assert done.code == 2
    assert "has more than 1000000 columns" in done.err


def test_a_long_quoted_cell_is_called_long(tmp_path: Path) -> None:
    long = tmp_path / "long.csv"
    long.write_bytes(b'a,b\n"' + b"x" * (65 * MEGABYTE) + b'",1\n')
    done = tool.run("fit", "-i", long, "-s", "b", "-m", tmp_path / "m.json")
    assert done.code == 2
    assert "line 2: the record is longer than 64 MB" in done.err


def test_levels_do_not_fill_the_memory(tmp_path: Path) -> None:
    """A few cells of free text are levels; gigabytes of them are not."""
    path = tmp_path / "texts.csv.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b"a,b,t\n")
        for i in range(70):
            file.write(b"%d,%d,%d" % (i % 7, i % 5, i) + b"x" * MEGABYTE + b"\n")
    done = tool.run("fit", "-i", path, "-s", "b", "--categorical", "t", "-m", tmp_path / "m.json", preexec_fn=limited)
    assert done.code == 2
    assert "the different values of column 't'" in done.err
    assert "more than 64 MB of text" in done.err
    assert not (tmp_path / "m.json").exists()


def test_sparse_components_of_more_features_than_rows_need_no_products(tmp_path: Path) -> None:
    """Those of 18,000 features with each other would take 2.6 GB."""
    rng = np.random.default_rng(3)
    cells = rng.normal(size=(20, 18_001))
    names = [*(f"x{j}" for j in range(18_000)), "b"]
    table = tmp_path / "wide.csv"
    table.write_text("\n".join([",".join(names), *(",".join(map(repr, row)) for row in cells.tolist())]) + "\n")
    fair = tmp_path / "fair.csv"
    call = ("fit", "-i", table, "-s", "b", "--method", "sob", "--rank", "2", "-m", tmp_path / "m.json", "-o", fair)
    done = tool.succeed(*call, preexec_fn=limited)
    assert "20 rows, 18000 features" in done.err
    found = np.loadtxt(fair, delimiter=",", skiprows=1)
    b = cells[:, -1] - cells[:, -1].mean()
    varies = np.ptp(found, axis=0) > 0
    assert 0 < varies.sum() < 18_000, "sparse"
    centred = found[:, varies] - found[0, varies]
    centred -= centred.mean(axis=0)
    assert abs(b @ centred / np.linalg.norm(centred, axis=0)).max() < 1e-9


def test_a_full_disk_is_called_full(tmp_path: Path) -> None:
    table = tool.write(tool.numbers(60, seed=51, features=40), tmp_path / "t.csv")
    call = [tool.program(), "fit", "-i", str(table), "-s", "s0", "--json"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(call, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert b"No space left on device" in done.stderr
