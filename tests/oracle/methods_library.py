"""What the library's regressions, methods and metrics compute, by way of the program plumbline_methods_oracle."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .library import ROOT, Refused


def plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: plain(cell) for key, cell in value.items() if cell is not None}
    return value.tolist() if isinstance(value, np.ndarray) else value


def answers(command: Sequence[str | Path], cases: Sequence[Any]) -> list[dict[str, Any]]:
    """What a program says to a list of cases. Raises Refused for the first that it refuses."""
    done = subprocess.run(command, input=json.dumps(cases), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{command[-1]} ended with {done.returncode}: {done.stderr}")
    found = json.loads(done.stdout)
    for answer in found:
        if "error" in answer:
            raise Refused(answer["error"])
    return found


def run_methods(cases: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """All cases in one process; arrays may be NumPy's. Raises Refused for the first that the library refuses."""
    program = Path(os.environ.get("PLUMBLINE_METHODS_ORACLE", ROOT / "build/tests/plumbline_methods_oracle"))
    if not program.is_file():
        raise FileNotFoundError(f"{program} is not built; build it or set PLUMBLINE_METHODS_ORACLE")
    return answers([program], [plain(case) for case in cases])
