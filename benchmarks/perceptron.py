"""One training step of 121-64-32-16-1 on 256 rows by PyTorch, on one core.

Debian's python3-torch belongs to the system's Python and not to .venv/, so the step is timed by whichever interpreter
can import torch: the one of $PLUMBLINE_TORCH_PYTHON, this one, or the system's. Run as a program, it times and prints.
A BLAS that has threads of its own is held to one.
"""

from __future__ import annotations

import itertools
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple


class Times(NamedTuple):
    torch: str  # its version
    step: float  # seconds
    gathered: float  # with the rows taken from a table, as in an epoch


def interpreter() -> str | None:
    for candidate in (os.environ.get("PLUMBLINE_TORCH_PYTHON"), sys.executable, "/usr/bin/python3"):
        if candidate is None or not Path(candidate).exists():
            continue
        if subprocess.run([candidate, "-c", "import torch"], capture_output=True, check=False).returncode == 0:
            return candidate
    return None


def times() -> Times | None:
    """None if no interpreter here has PyTorch."""
    python = interpreter()
    if python is None:
        return None
    one_core = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    done = subprocess.run([python, __file__], capture_output=True, text=True, check=True, env=one_core)
    return Times(**json.loads(done.stdout))


def measure() -> Times:
    import time

    import torch

    torch.set_num_threads(1)
    torch.manual_seed(1)
    x, t = torch.rand(1994, 121), torch.rand(1994, 1)
    rows = torch.randint(1994, (256,))
    sizes = (121, 64, 32, 16, 1)
    layers: list[torch.nn.Module] = []
    for inputs, outputs in itertools.pairwise(sizes):
        layers += [torch.nn.Linear(inputs, outputs), torch.nn.ReLU()]
    network = torch.nn.Sequential(*layers[:-1])
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-4)
    loss = torch.nn.MSELoss()

    def step(some: torch.Tensor, target: torch.Tensor) -> None:
        optimiser.zero_grad()
        loss(network(some), target).backward()
        optimiser.step()

    def seconds(gathered: bool) -> float:
        some, target = x[rows], t[rows]
        rounds = []
        for _ in range(9):
            start = time.perf_counter()
            for _ in range(200):
                step(x[rows], t[rows]) if gathered else step(some, target)
            rounds.append((time.perf_counter() - start) / 200)
        return statistics.median(rounds)

    seconds(False)
    return Times(torch.__version__, seconds(False), seconds(True))


if __name__ == "__main__":
    print(json.dumps(measure()._asdict()))
