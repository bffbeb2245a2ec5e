"""Training against PyTorch, step by step: the same initial weights, the same batches, the same Adam.

Skipped, with a line that says so, where no Python at hand can import torch.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from .library import ROOT, Refused
from .methods_library import answers

STEPS = 50
CLOSE = 1e-5  # of parameters near 1 in float
TORCH_PROGRAM = Path(__file__).with_name("torch_training.py")
HOW_TO_GET_TORCH = (
    "no Python at hand imports torch, so training is NOT compared with PyTorch; "
    "run 'scripts/setup.sh packages torch' or set PLUMBLINE_TORCH_PYTHON to an interpreter that has it"
)


def by_library(cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    program = Path(os.environ.get("PLUMBLINE_NETWORK_ORACLE", ROOT / "build/tests/plumbline_network_oracle"))
    if not program.is_file():
        raise FileNotFoundError(f"{program} is not built; build it or set PLUMBLINE_NETWORK_ORACLE")
    return answers([program], cases)


@pytest.fixture(scope="module")
def torch_python() -> str:
    for candidate in (os.environ.get("PLUMBLINE_TORCH_PYTHON"), sys.executable, "/usr/bin/python3"):
        if candidate is None or not Path(candidate).exists():
            continue
        if subprocess.run([candidate, "-c", "import torch"], capture_output=True, check=False).returncode == 0:
            return candidate
    pytest.skip(HOW_TO_GET_TORCH)


def case(rng: np.random.Generator, activation: str, loss: str) -> dict[str, Any]:
    sizes = [
        int(rng.integers(1, 30)),
        *rng.integers(2, 20, size=int(rng.integers(1, 4))).tolist(),
        int(rng.integers(1, 4)),
    ]
    last = {"mse": "linear", "bce": "sigmoid", "bce_logits": "linear"}[loss]
    layers = [
        {"inputs": inputs, "outputs": outputs, "activation": activation if end < len(sizes) else last}
        for end, (inputs, outputs) in enumerate(itertools.pairwise(sizes), start=2)
    ]
    parameters = np.concatenate(
        [rng.uniform(-1, 1, (layer["inputs"] + 1) * layer["outputs"]) / np.sqrt(layer["inputs"]) for layer in layers]
    )
    rows = int(rng.integers(40, 120))
    targets = rng.standard_normal((rows, sizes[-1]))
    batches = []
    while len(batches) < STEPS:
        order = rng.permutation(rows)
        batches += [order[first : first + 32].tolist() for first in range(0, rows, 32)]
    return {
        "layers": layers,
        "parameters": parameters.astype(np.float32).tolist(),
        "x": rng.standard_normal((rows, sizes[0])).astype(np.float32).tolist(),
        "t": (targets if loss == "mse" else targets > 0).astype(np.float32).tolist(),
        "loss": loss,
        "learning_rate": 1e-3,
        "batches": batches[:STEPS],
    }


def test_every_step_is_that_of_pytorch(torch_python: str) -> None:
    kinds = list(itertools.product(("relu", "tanh", "sigmoid"), ("mse", "bce", "bce_logits")))
    rng = np.random.default_rng(11)
    cases = [case(rng, *kind) for kind in kinds for _ in range(3)]
    pairs = zip(cases, by_library(cases), answers([torch_python, TORCH_PROGRAM], cases), strict=True)
    for asked, ours, theirs in pairs:
        kind = f"{asked['layers']}, {asked['loss']}"
        mine, other = np.array(ours["parameters"]), np.array(theirs["parameters"])
        assert mine.shape == other.shape == (STEPS, len(asked["parameters"]))
        moved = np.abs(mine[-1] - np.array(asked["parameters"])).max()
        assert moved > 100 * CLOSE, kind
        assert np.abs(mine - other).max() <= CLOSE, kind
        assert np.allclose(ours["losses"], theirs["losses"], rtol=1e-5, atol=1e-6), kind


def test_a_batch_that_is_not_there_is_refused() -> None:
    asked = case(np.random.default_rng(1), "relu", "mse")
    asked["batches"] = [[0, 1000]]
    with pytest.raises(Refused, match="row 1000 is in a batch"):
        by_library([asked])
