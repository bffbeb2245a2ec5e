"""The group mappings, the baselines and the counterfactual gaps in plain NumPy, from their definitions.

Maximum likelihood is statsmodels' Logit on [one-hot S, A] without an intercept, or on [1, A].
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import statsmodels.api as sm

from .library import Matrix

Predict = Callable[[Matrix, Matrix], Matrix]


@dataclass(frozen=True)
class People:
    a: Matrix
    s: Matrix
    y: Matrix

    def rows(self, which: Matrix) -> People:
        return People(self.a[which], self.s[which], self.y[which])


@dataclass(frozen=True)
class Split:
    train: People
    test: People
    levels: int

    def request(self) -> dict[str, object]:
        return {"a": self.train.a, "s": self.train.s, "y": self.train.y, "levels": self.levels,
                "later": {"a": self.test.a, "s": self.test.s}}

    @property
    def shares(self) -> Matrix:
        return np.bincount(self.train.s, minlength=self.levels) / len(self.train.s)


def random_split(seed: int, ties: bool = False) -> Split:
    rng = np.random.default_rng(seed)
    levels, q, n = int(rng.integers(2, 5)), int(rng.integers(1, 5)), 600
    s = rng.integers(0, levels, n)
    a = rng.standard_normal((n, q)) @ rng.standard_normal((q, q)) + rng.standard_normal((levels, q))[s]
    if ties:
        a = np.round(a)
    eta = a @ rng.standard_normal(q) / q + rng.standard_normal(levels)[s]
    people = People(a, s, (rng.random(n) < 1 / (1 + np.exp(-eta))).astype(float))
    return Split(people.rows(np.arange(400)), people.rows(np.arange(400, n)), levels)


def compas() -> Split:
    """As published: standardised and rotated on all rows, then split by NumPy's permutation of seed 0. A component's sign,
    which the marginal mapping feels, is that of older versions of scikit-learn: the score furthest from 0 is positive."""
    folder = os.environ.get("PLUMBLINE_DATA_DIR")
    if folder is None:
        pytest.skip("PLUMBLINE_DATA_DIR is not set; set it to the folder that holds compas-scores-two-years.csv")
    features = ["age", "juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count"]
    races = ["African-American", "Caucasian", "Hispanic"]
    with (Path(folder) / "compas-scores-two-years.csv").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["race"] in races]
    a = np.array([[float(row[name]) for name in features] for row in rows])
    a = (a - a.mean(axis=0)) / a.std(axis=0)
    a = a @ np.linalg.svd(a, full_matrices=False)[2].T
    a *= np.sign(a[np.abs(a).argmax(axis=0), np.arange(a.shape[1])])
    s = np.array([2 * races.index(row["race"]) + ["Female", "Male"].index(row["sex"]) for row in rows])
    people = People(a, s, np.array([float(row["two_year_recid"]) for row in rows]))
    n = len(rows)
    order = np.random.RandomState(0).permutation(n)
    tests = -(-n // 4)
    return Split(people.rows(order[tests:tests + 3 * n // 4]), people.rows(order[:tests]), 6)


def orthogonal(split: Split, a: Matrix, s: Matrix, g: int) -> Matrix:
    means = np.array([split.train.a[split.train.s == h].mean(axis=0) for h in range(split.levels)])
    return a - means[s] + means[g]


def marginal(split: Split, a: Matrix, s: Matrix, g: int) -> Matrix:
    """With a loop over the cells, and all training rows looked at for each."""
    out = np.empty_like(a)
    for j in range(a.shape[1]):
        groups = [split.train.a[split.train.s == h, j] for h in range(split.levels)]
        target = np.sort(groups[g])
        for i in range(len(a)):
            r = np.mean(groups[s[i]] <= a[i, j])
            out[i, j] = target[int(np.floor((len(target) - 1) * r))]
    return out


def averaged(split: Split, mapping: Callable[..., Matrix], a: Matrix, s: Matrix) -> Matrix:
    return sum(share * mapping(split, a, s, g) for g, share in enumerate(split.shares))


def one_hot(s: Matrix, levels: int) -> Matrix:
    return (s[:, None] == np.arange(levels)).astype(float)


def logit(x: Matrix, y: Matrix) -> Callable[[Matrix], Matrix]:
    beta = sm.Logit(y, x).fit(disp=0, method="newton", tol=1e-12, maxiter=100).params
    return lambda z: 1 / (1 + np.exp(-(z @ beta)))


def alone(split: Split, prepare: Callable[[Matrix, Matrix], Matrix]) -> Predict:
    f = logit(sm.add_constant(prepare(split.train.a, split.train.s)), split.train.y)
    return lambda a, s: f(np.column_stack([np.ones(len(a)), prepare(a, s)]))


def over_groups(split: Split, prepare: Callable[[Matrix, Matrix], Matrix]) -> Predict:
    levels = split.levels
    f = logit(np.hstack([one_hot(split.train.s, levels), prepare(split.train.a, split.train.s)]), split.train.y)

    def predict(a: Matrix, s: Matrix) -> Matrix:
        x = prepare(a, s)
        groups = [one_hot(np.full(len(a), g), levels) for g in range(levels)]
        return sum(share * f(np.hstack([group, x])) for share, group in zip(split.shares, groups))

    return predict


def baselines(split: Split) -> dict[str, Predict]:
    levels = split.levels
    ml = logit(np.hstack([one_hot(split.train.s, levels), split.train.a]), split.train.y)
    eo = over_groups(split, lambda a, s: a)
    o = lambda a, s: averaged(split, orthogonal, a, s)
    m = lambda a, s: averaged(split, marginal, a, s)
    return {
        "ML": lambda a, s: ml(np.hstack([one_hot(s, levels), a])),
        "FTU": alone(split, lambda a, s: a),
        "EO": eo,
        "AA": lambda a, s: sum(share * eo(orthogonal(split, a, s, g), s) for g, share in enumerate(split.shares)),
        "FL": alone(split, lambda a, s: o(a, s) - split.train.a.mean(axis=0)),
        "FLAP_1(O)": over_groups(split, o),
        "FLAP_2(O)": alone(split, o),
        "FLAP_1(M)": over_groups(split, m),
        "FLAP_2(M)": alone(split, m),
    }


def gap(split: Split, f: Predict, mapping: Callable[..., Matrix] | None) -> float:
    means = []
    for g in range(split.levels):
        a = split.test.a if mapping is None else mapping(split, split.test.a, split.test.s, g)
        means.append(f(a, np.full(len(a), g)).mean())
    return max(means) - min(means)
