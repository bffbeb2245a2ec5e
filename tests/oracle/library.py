"""What the library computes for a case, by way of the program plumbline_oracle."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Matrix = NDArray[np.float64]

ROOT = Path(__file__).resolve().parents[2]


class Refused(Exception):
    """The library threw plumbline::Error."""


@dataclass(frozen=True)
class Case:
    a: Matrix
    b: Matrix
    weights: Matrix | None = None
    expand: dict[str, Any] | None = None
    options: dict[str, Any] = field(default_factory=dict)
    later: tuple[Matrix, Matrix] | None = None  # rows that the fit does not see

    def asking(self, **options: Any) -> Case:
        return replace(self, options=self.options | options)

    def request(self) -> dict[str, Any]:
        out: dict[str, Any] = {"a": self.a.tolist(), "b": self.b.tolist(), "options": self.options}
        if self.weights is not None:
            out["weights"] = self.weights.tolist()
        if self.expand is not None:
            out["expand"] = self.expand
        if self.later is not None:
            out["later"] = {"a": self.later[0].tolist(), "b": self.later[1].tolist()}
        return out


@dataclass(frozen=True)
class Later:
    fair: Matrix
    from_moments: dict[str, Any]
    from_rows: dict[str, Any]


@dataclass(frozen=True)
class Result:
    fair: Matrix
    scores: Matrix | None
    certificate: dict[str, Any]
    moments: dict[str, Matrix]
    later: Later | None


def matrix(values: ArrayLike) -> Matrix:
    return np.asarray(values, dtype=np.float64)


def result_of(answer: dict[str, Any]) -> Result:
    if "error" in answer:
        raise Refused(answer["error"])
    later = answer["later"]
    return Result(
        fair=matrix(answer["fair"]),
        scores=None if answer["scores"] is None else matrix(answer["scores"]),
        certificate=answer["certificate"],
        moments={name: matrix(values) for name, values in answer["moments"].items()},
        later=later and Later(matrix(later["fair"]), later["from_moments"], later["from_rows"]),
    )


def run(cases: Sequence[Case]) -> list[Result]:
    """All cases in one process. Raises Refused for the first that the library refuses."""
    program = Path(os.environ.get("PLUMBLINE_ORACLE", ROOT / "build/tests/plumbline_oracle"))
    if not program.is_file():
        raise FileNotFoundError(f"{program} is not built; build plumbline_oracle or set PLUMBLINE_ORACLE")
    request = json.dumps([case.request() for case in cases])
    done = subprocess.run([program], input=request, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{program} ended with {done.returncode}: {done.stderr}")
    return [result_of(answer) for answer in json.loads(done.stdout)]
