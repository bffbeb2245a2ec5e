"""The command line under test, and the tables it is given."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

Matrix = NDArray[np.float64]

ROOT = Path(__file__).resolve().parents[2]
ORTHOGONAL = 1e-8  # what a certificate promises
BLOCK = 16_384  # rows: parts cut at multiples of it have the bits of the whole

# What a person's shell may hold, and no test shall depend on.
PRIVATE = ("NO_COLOR", "TERM", "PLUMBLINE_DATA_DIR", "PLUMBLINE_DATA_URL", "XDG_CACHE_HOME")


def program() -> str:
    path = Path(os.environ.get("PLUMBLINE_BINARY", ROOT / "build/plumbline"))
    if not path.is_file():
        raise FileNotFoundError(f"{path} is not built; run make build or set PLUMBLINE_BINARY")
    return str(path)


def environment(**more: str) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in PRIVATE} | more


@dataclass(frozen=True)
class Done:
    code: int
    out: bytes
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def run(
    *args: object,
    stdin: bytes | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float = 60,
    **more: Any,
) -> Done:
    done = subprocess.run(
        [program(), *map(str, args)],
        input=b"" if stdin is None else stdin,
        capture_output=True,
        check=False,
        timeout=timeout,
        env=environment(**(env or {})),
        **more,
    )
    return Done(done.returncode, done.stdout, done.stderr.decode())


def with_default_signals() -> None:
    """What is started in the background of a script is told to ignore SIGINT, and tells its children."""
    for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(name, signal.SIG_DFL)


def succeed(*args: object, **more: Any) -> Done:
    done = run(*args, **more)
    assert done.code == 0, done.err
    return done


def fit(table: Path, sensitive: str, *args: object, name: str = "model.json") -> Path:
    """The model of a table, beside it."""
    model = table.parent / name
    succeed("fit", "--input", table, "--sensitive", sensitive, "--model", model, "--force", *args)
    return model


def transform(model: Path, table: Path, *args: object, stdin: bytes | None = None) -> bytes:
    return succeed("transform", "--model", model, "--input", table, "--output", "-", *args, stdin=stdin).out


def fitted_output(table: Path, sensitive: str, *args: object, read: Mapping[str, Any] | None = None) -> pd.DataFrame:
    """What fit --output writes, read back by pandas, which must be told to round correctly."""
    output = table.parent / "fitted-output.csv"
    succeed("fit", "--input", table, "--sensitive", sensitive, "--output", output, "--force", *args)
    return pd.read_csv(output, **{"float_precision": "round_trip", **(read or {})})


def load(model: Path) -> dict[str, Any]:
    return json.loads(model.read_text(encoding="utf-8"))


def meaning(model: Path) -> dict[str, Any]:
    """A model without its checksum, and without the names of the pair whose correlation rounding left largest."""
    out = load(model)
    del out["checksum"]
    for strongest in ("correlation", "explained"):
        for name in ("feature", "sensitive"):
            del out["certificate"]["after"][strongest][name]
    return out


# Tables.


def numbers(rows: int, seed: int, features: int = 4, sensitive: int = 2) -> pd.DataFrame:
    """Columns s0 …, x0 …, in which the features depend on the sensitive ones and on each other."""
    rng = np.random.default_rng(seed)
    b = rng.normal(size=(rows, sensitive)) * 3 + 10
    a = b @ rng.normal(size=(sensitive, features)) + rng.normal(size=(rows, features)) @ rng.normal(
        size=(features, features)
    )
    return pd.DataFrame(
        np.hstack([b, a]), columns=[f"s{j}" for j in range(sensitive)] + [f"x{j}" for j in range(features)]
    )


def write(table: pd.DataFrame, path: Path, **options: Any) -> Path:
    """Floats in the shortest form that reads back exactly."""
    table.to_csv(path, index=False, lineterminator=options.pop("lineterminator", "\n"), **options)
    return path


def columns(table: pd.DataFrame, prefix: str) -> Matrix:
    return table[[name for name in table.columns if name.startswith(prefix)]].to_numpy(float)


# What the tool must compute.


def residuals(a: ArrayLike, b: ArrayLike, weights: ArrayLike | None = None) -> Matrix:
    """A less its least-squares fit on B and an intercept, about the means of A."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    w = np.ones(len(a)) if weights is None else np.asarray(weights, float)
    mean_a, mean_b = np.average(a, axis=0, weights=w), np.average(b, axis=0, weights=w)
    root = np.sqrt(w)[:, None]
    slopes, *_ = np.linalg.lstsq(root * (b - mean_b), root * (a - mean_a), rcond=None)
    return a - (b - mean_b) @ slopes


def distance(found: ArrayLike, expected: ArrayLike) -> float:
    """Largest difference, relative to the spread of the column."""
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    assert found.shape == expected.shape
    spread = expected.std(axis=0)
    return float(np.max(np.abs(found - expected) / np.where(spread > 0, spread, 1)))


def max_correlation(a: ArrayLike, b: ArrayLike) -> float:
    """Largest |corr(a_j, b_l)|; columns without variance count for nothing."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    scale = np.outer(np.linalg.norm(a, axis=0), np.linalg.norm(b, axis=0))
    return float(np.max(np.abs(a.T @ b)[scale > 0] / scale[scale > 0], initial=0))


def differences(one: Any, two: Any, tolerance: float, at: str = "") -> list[str]:
    """Where two models say something else: numbers beyond a tolerance relative to max(1, |number|)."""
    if isinstance(one, dict) and isinstance(two, dict) and one.keys() == two.keys():
        return [found for key in one for found in differences(one[key], two[key], tolerance, f"{at}.{key}")]
    if isinstance(one, list) and isinstance(two, list) and len(one) == len(two):
        pairs = enumerate(zip(one, two, strict=True))
        return [found for i, pair in pairs for found in differences(*pair, tolerance, f"{at}[{i}]")]
    if isinstance(one, float) and isinstance(two, float):
        return [] if abs(one - two) <= tolerance * max(1, abs(one)) else [f"{at}: {one} {two}"]
    return [] if type(one) is type(two) and one == two else [f"{at}: {one} {two}"]


def files_in(folder: Path) -> dict[str, bytes | None]:
    """Every name below a folder, with what it holds."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def data_dir() -> str | None:
    return os.environ.get("PLUMBLINE_DATA_DIR")


Words = Sequence[str]
