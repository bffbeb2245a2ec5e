"""Logistic regression of Adult's income, by scikit-learn and statsmodels."""

from __future__ import annotations

import csv
import os
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

TOLERANCE = 1e-10
COLUMNS = 25


def adult() -> tuple[str, np.ndarray, np.ndarray]:
    """What it is, x, y: six numbers, three of their squares and indicators of marital status, relationship, race and
    sex. Without $PLUMBLINE_DATA_DIR, random numbers of that shape."""
    folder = os.environ.get("PLUMBLINE_DATA_DIR")
    if folder is None:
        rng = np.random.default_rng(3)
        x = rng.standard_normal((32_561, COLUMNS))
        eta = x @ rng.standard_normal(COLUMNS) / 3 - 1.5
        return "a random table of Adult's shape", x, (rng.random(len(x)) < 1 / (1 + np.exp(-eta))).astype(float)
    with (Path(folder) / "adult.data").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.reader(file, skipinitialspace=True) if len(row) == 15]
    cells = [np.array(column) for column in zip(*rows, strict=True)]
    numbers = [cells[j].astype(float) for j in (0, 2, 4, 10, 11, 12)]
    numbers = [(x - x.mean()) / x.std() for x in numbers]
    columns = numbers + [numbers[j] ** 2 for j in (0, 2, 5)]
    for j in (5, 7, 8, 9):
        columns += [(cells[j] == level).astype(float) for level in np.unique(cells[j])[1:]]
    x = np.column_stack(columns)
    assert x.shape == (32_561, COLUMNS)
    return "Adult", x, (cells[14] == ">50K").astype(float)


def write(path: Path, x: np.ndarray, y: np.ndarray) -> None:
    """As logistic_bench.cpp reads it."""
    with path.open("wb") as file:
        np.array(x.shape, dtype=np.int64).tofile(file)
        np.ascontiguousarray(x.T).tofile(file)
        y.tofile(file)


def by_scikit_learn(solver: str, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    from sklearn.linear_model import LogisticRegression

    fit = LogisticRegression(penalty=None, solver=solver, tol=TOLERANCE, max_iter=10_000).fit(x, y)
    return np.concatenate([fit.intercept_, fit.coef_[0]])


def by_statsmodels(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    import statsmodels.api as sm

    return sm.Logit(y, sm.add_constant(x)).fit(disp=0, method="newton", tol=TOLERANCE, maxiter=100).params


def others(x: np.ndarray, y: np.ndarray) -> list[tuple[str, Callable[[], np.ndarray]]]:
    warnings.simplefilter("ignore")
    return [
        ("scikit-learn, newton-cholesky", lambda: by_scikit_learn("newton-cholesky", x, y)),
        ("scikit-learn, lbfgs, its default", lambda: by_scikit_learn("lbfgs", x, y)),
        ("statsmodels' Logit", lambda: by_statsmodels(x, y)),
    ]
