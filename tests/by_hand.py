"""The paper's comparison of methods, computed once more with NumPy, pandas and statsmodels alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import statsmodels.api as sm
from numpy.typing import NDArray
from scipy.special import expit

Matrix = NDArray[np.float64]
Groups = NDArray[np.int64]
Method = Callable[[Matrix, Groups], Matrix]
Metrics = dict[tuple[str, int | None, str], float]

COMPAS_FEATURES = ["age", "juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count"]


def compas(folder: Path) -> tuple[Matrix, Groups, Matrix]:
    table = pd.read_csv(folder / "compas-scores-two-years.csv")
    table = table[table["race"].isin(["African-American", "Caucasian", "Hispanic"])]
    codes = [table[name].astype("category").cat.codes.to_numpy().astype(np.int64) for name in ("race", "sex")]
    features = principal_scores(table[COMPAS_FEATURES].to_numpy(float))
    return features, 2 * codes[0] + codes[1], table["two_year_recid"].to_numpy(float)


def principal_scores(a: Matrix) -> Matrix:
    """Signs as scikit-learn before 1.5 chose them; equal rows are transformed once, so that they stay equal."""
    z = (a - a.mean(axis=0)) / a.std(axis=0)
    left, _, axes = np.linalg.svd(z, full_matrices=False)
    signs = np.sign(left[np.argmax(np.abs(left), axis=0), np.arange(a.shape[1])])
    rows, back = np.unique(z, axis=0, return_inverse=True)
    return (rows @ (axes * signs[:, None]).T)[back.ravel()]


def split(n: int, seed: int) -> tuple[Groups, Groups]:
    order = np.random.RandomState(seed).permutation(n)
    test = int(np.ceil(0.25 * n))
    return order[test : test + int(np.floor(0.75 * n))], order[:test]


def logistic(x: Matrix, y: Matrix) -> Callable[[Matrix], Matrix]:
    """Maximum likelihood, in the row space of x: of least norm where columns are collinear.

    Predictions are sums over the cells of a row and no matrix product: a BLAS may give equal rows different last bits,
    and AUC looks at ties.
    """
    _, values, axes = np.linalg.svd(x, full_matrices=False)
    basis = axes[values > 1e-10 * values[0]].T
    fitted = sm.GLM(y, x @ basis, family=sm.families.Binomial()).fit(tol=1e-13, maxiter=200)
    slopes = basis @ fitted.params
    return lambda later: expit((later * slopes).sum(axis=1))


def with_constant(x: Matrix) -> Matrix:
    return np.column_stack([np.ones(len(x)), x])


class People:
    """The training part, and what is known of its groups."""

    def __init__(self, a: Matrix, s: Groups, y: Matrix, levels: int):
        self.a, self.s, self.y, self.levels = a, s, y, levels
        self.share = np.bincount(s, minlength=levels) / len(s)
        self.mean = np.array([a[s == g].mean(axis=0) for g in range(levels)])
        self.sorted = [np.sort(a[s == g], axis=0) for g in range(levels)]

    def with_groups(self, a: Matrix, s: Groups) -> Matrix:
        return np.hstack([np.eye(self.levels)[s], a])

    def averaged(self, f: Callable[[Matrix], Matrix], a: Matrix) -> Matrix:
        return sum(
            self.share[g] * f(self.with_groups(a, np.full(len(a), g)))  # type: ignore[misc]
            for g in range(self.levels)
        )

    def orthogonal(self, a: Matrix, s: Groups, g: int) -> Matrix:
        """In their own group rows stay what they are, to the last bit: the marginal mapping looks at ties."""
        return a + (self.mean[g] - self.mean[s])

    def marginal(self, a: Matrix, s: Groups, g: int) -> Matrix:
        """Positions in integers: a quotient of doubles would fall short of some."""
        out = np.empty_like(a)
        for h in range(self.levels):
            rows = s == h
            for j in range(a.shape[1]):
                below = np.searchsorted(self.sorted[h][:, j], a[rows, j], side="right")
                place = (len(self.sorted[g]) - 1) * below // len(self.sorted[h])
                out[rows, j] = self.sorted[g][place, j]
        return out

    def mean_of(self, how: Callable[[Matrix, Groups, int], Matrix], a: Matrix, s: Groups) -> Matrix:
        return sum(self.share[g] * how(a, s, g) for g in range(self.levels))  # type: ignore[return-value]


def ob_of_batch(a: Matrix, s: Groups, k: int) -> Matrix:
    axes = np.linalg.svd(a, full_matrices=False)[2][:k].T
    design = with_constant(s.astype(float)[:, None])
    scores = a @ axes
    slopes, *_ = np.linalg.lstsq(design, scores, rcond=None)
    return (scores - design @ slopes) @ axes.T


def published_methods(people: People, ranks: Sequence[int]) -> dict[tuple[str, int | None], Method]:
    methods: dict[tuple[str, int | None], Method] = {}
    a, s, y = people.a, people.s, people.y
    ml = logistic(people.with_groups(a, s), y)
    methods["ML", None] = lambda a, s: ml(people.with_groups(a, s))
    methods["EO", None] = lambda a, s: people.averaged(ml, a)
    methods["AA", None] = lambda a, s: sum(  # type: ignore[return-value, misc]
        people.share[g] * people.averaged(ml, people.orthogonal(a, s, g)) for g in range(people.levels)
    )

    def add(name: str, rank: int | None, prepare: Callable[[Matrix, Groups], Matrix]) -> None:
        """Both ways to use prepared features: with the group, averaged, and alone."""
        first = logistic(people.with_groups(prepare(a, s), s), y)
        second = logistic(with_constant(prepare(a, s)), y)
        methods[name.replace("_", "_1"), rank] = lambda a, s: people.averaged(first, prepare(a, s))
        methods[name.replace("_", "_2"), rank] = lambda a, s: second(with_constant(prepare(a, s)))

    add("FLAP_(O)", None, lambda a, s: people.mean_of(people.orthogonal, a, s))
    add("FLAP_(M)", None, lambda a, s: people.mean_of(people.marginal, a, s))
    for rank in ranks:
        add("OB_", rank, lambda a, s, rank=rank: ob_of_batch(a, s, rank))  # type: ignore[misc]
    ftu = logistic(with_constant(a), y)
    methods["FTU", None] = lambda a, s: ftu(with_constant(a))
    fl = logistic(with_constant(a - people.mean[s]), y)
    methods["FL", None] = lambda a, s: fl(with_constant(a - people.mean[s]))
    return methods


def auc(p: Matrix, y: Matrix) -> float:
    ranks = pd.Series(p).rank().to_numpy()
    ones = y.sum()
    return float((ranks[y == 1].sum() - ones * (ones + 1) / 2) / (ones * (len(y) - ones)))


def metrics(people: People, methods: dict[tuple[str, int | None], Method], a: Matrix, s: Groups, y: Matrix) -> Metrics:
    out: Metrics = {}
    moves = {"CF": people.marginal, "AA": people.orthogonal, "EO": lambda a, s, g: a}
    copies = {
        metric: [(move(a, s, g), np.full(len(s), g)) for g in range(people.levels)] for metric, move in moves.items()
    }
    for (name, rank), f in methods.items():
        p = f(a, s)
        out[name, rank, "ACC"] = float(np.mean(p * y + (1 - p) * (1 - y)))
        out[name, rank, "AUC"] = auc(p, y)
        for metric, batches in copies.items():
            means = [f(moved, groups).mean() for moved, groups in batches]
            out[name, rank, metric] = float(max(means) - min(means))
    return out
