"""Tables under test."""

from __future__ import annotations

import numpy as np
import pandas as pd


def numbers(rows: int = 300, features: int = 5, sensitive: int = 2, seed: int = 0) -> np.ndarray:
    """Sensitive columns first; features depend on them, on each other and have means far from 0."""
    rng = np.random.default_rng(seed)
    b = rng.normal(size=(rows, sensitive)) * 3 + 10
    a = b @ rng.normal(size=(sensitive, features)) + rng.normal(size=(rows, features)) @ rng.normal(
        size=(features, features)
    )
    return np.hstack([b, a + rng.normal(size=features) * 20])


def mixed(rows: int = 200, seed: int = 0) -> pd.DataFrame:
    """Numbers, truth values, text and a categorical, in an order that is none of the alphabet."""
    rng = np.random.default_rng(seed)
    race = rng.choice(["White", "Black", "Asian"], size=rows)
    age = rng.normal(40, 10, size=rows)
    income = age * 3 + 10 * (race == "White") + rng.normal(size=rows)
    return pd.DataFrame(
        {
            "income": income,
            "race": race,
            "married": rng.random(rows) < 0.3 + 0.01 * age,
            "age": age,
            "job": pd.Categorical(rng.choice(["z", "m", "a"], size=rows)),
            "hours": rng.integers(0, 60, size=rows),
        }
    )


def correlation(a: np.ndarray, b: np.ndarray) -> float:
    """The largest |corr| of a column of a and one of b."""
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    scale = np.outer(np.linalg.norm(a, axis=0), np.linalg.norm(b, axis=0))
    return float(np.max(np.abs(a.T @ b)[scale > 0] / scale[scale > 0], initial=0))


def residuals(x: np.ndarray, sensitive: int, weights: np.ndarray | None = None) -> np.ndarray:
    """Least squares on the first columns and an intercept, about the means."""
    w = np.ones(len(x)) if weights is None else weights
    b, a = x[:, :sensitive], x[:, sensitive:]
    b = b - np.average(b, axis=0, weights=w)
    root = np.sqrt(w)[:, None]
    slopes, *_ = np.linalg.lstsq(root * b, root * (a - np.average(a, axis=0, weights=w)), rcond=None)
    return a - b @ slopes
