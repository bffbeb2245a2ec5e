"""The split of the paper's experiments is NumPy's legacy permutation, for any seed and size."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np

from cli.tool import ROOT


def permutations(cases: list[tuple[int, int]]) -> list[np.ndarray]:
    program = Path(os.environ.get("PLUMBLINE_PERMUTATIONS", ROOT / "build/paper/tests/plumbline_permutations"))
    request = "".join(f"{seed} {rows}\n" for seed, rows in cases)
    done = subprocess.run([program], input=request, capture_output=True, text=True, check=True)
    lines = done.stdout.split("\n")[:-1]
    return [np.array(line.split(), dtype=np.int64) for line in lines]


def test_many_seeds_and_sizes():
    seeds = [0, 1, 2, 3, 42, 2023, 2**31 - 1, 2**31, 2**32 - 1, *range(100, 140)]
    sizes = [0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 255, 256, 257, 1000]
    cases = [(seed, rows) for seed in seeds for rows in sizes] + [(0, 6787), (7, 20_000), (11, 100_003)]
    found = permutations(cases)
    assert len(found) == len(cases)
    for (seed, rows), order in zip(cases, found, strict=True):
        assert np.array_equal(order, np.random.RandomState(seed).permutation(rows)), (seed, rows)
