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


def run_methods(cases: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """All cases in one process; arrays may be NumPy's. Raises Refused for the first that the library refuses."""
    program = Path(os.environ.get("PLUMBLINE_METHODS_ORACLE", ROOT / "build/tests/plumbline_methods_oracle"))
    if not program.is_file():
        raise FileNotFoundError(f"{program} is not built; build it or set PLUMBLINE_METHODS_ORACLE")
    request = json.dumps([plain(case) for case in cases])
    done = subprocess.run([program], input=request, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{program} ended with {done.returncode}: {done.stderr}")
    answers = json.loads(done.stdout)
    for answer in answers:
        if "error" in answer:
            raise Refused(answer["error"])
    return answers
