"""People to compare methods on: a training and a test part, random ones and those of COMPAS."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import by_hand
from by_hand import Groups, Matrix


@dataclass(frozen=True)
class Split:
    train: by_hand.People
    a: Matrix  # of the test part, as s and y
    s: Groups
    y: Matrix

    @staticmethod
    def of(a: Matrix, s: Groups, y: Matrix, levels: int, train: Groups, test: Groups) -> Split:
        return Split(by_hand.People(a[train], s[train], y[train], levels), a[test], s[test], y[test])

    def request(self) -> dict[str, object]:
        return {
            "a": self.train.a,
            "s": self.train.s,
            "y": self.train.y,
            "levels": self.train.levels,
            "later": {"a": self.a, "s": self.s},
        }

    def metrics(self, methods: dict[tuple[str, int | None], by_hand.Method]) -> by_hand.Metrics:
        return by_hand.metrics(self.train, methods, self.a, self.s, self.y)


def random_split(seed: int, ties: bool = False) -> Split:
    rng = np.random.default_rng(seed)
    levels, q, n = int(rng.integers(2, 5)), int(rng.integers(1, 5)), 600
    s = rng.integers(0, levels, n)
    a = rng.standard_normal((n, q)) @ rng.standard_normal((q, q)) + rng.standard_normal((levels, q))[s]
    if ties:
        a = np.round(a)
    eta = a @ rng.standard_normal(q) / q + rng.standard_normal(levels)[s]
    y = (rng.random(n) < 1 / (1 + np.exp(-eta))).astype(float)
    return Split.of(a, s, y, levels, np.arange(400), np.arange(400, n))


def compas() -> Split:
    """As published: standardised and rotated on all rows, then split by NumPy's permutation of seed 0."""
    folder = os.environ.get("PLUMBLINE_DATA_DIR")
    if folder is None:
        pytest.skip("PLUMBLINE_DATA_DIR is not set; set it to the folder that holds compas-scores-two-years.csv")
    a, s, y = by_hand.compas(Path(folder))
    return Split.of(a, s, y, 6, *by_hand.split(len(a), 0))
