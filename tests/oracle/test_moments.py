"""Means and scatter against exact rational arithmetic and against numpy.cov."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from . import reference as ref
from .library import Case, Matrix, Result


def assembled(result: Result) -> tuple[Matrix, Matrix]:
    m = result.moments
    return np.concatenate([m["mean_b"], m["mean_a"]]), np.block([[m["bb"], m["ba"]], [m["ba"].T, m["aa"]]])


def exact(x: Matrix, w: Matrix) -> tuple[Matrix, Matrix]:
    rows = [[Fraction(cell) for cell in row] for row in x.tolist()]
    weights = [Fraction(weight) for weight in w.tolist()]
    total = sum(weights)
    cols = range(x.shape[1])
    mean = [sum(weight * row[j] for weight, row in zip(weights, rows, strict=True)) / total for j in cols]
    away = [[cell - mean[j] for j, cell in enumerate(row)] for row in rows]
    scatter = [
        [float(sum(weight * row[i] * row[j] for weight, row in zip(weights, away, strict=True))) for j in cols]
        for i in cols
    ]
    return np.array([float(value) for value in mean]), np.array(scatter)


def check(result: Result, mean: Matrix, scatter: Matrix, error: float = ref.ROUNDING) -> None:
    """Cauchy and Schwarz: the terms of C_ij add up in size to at most √(C_ii C_jj), of which each is off by ε."""
    found_mean, found_scatter = assembled(result)
    scale = np.sqrt(np.diag(scatter))
    assert np.all(np.abs(found_scatter - scatter) <= error * np.outer(scale, scale))
    spread = scale / np.sqrt(result.moments["weight"])
    assert np.all(np.abs(found_mean - mean) <= error * spread + ref.EPS * np.abs(mean))


def test_exact_whatever_the_mean(oracle):
    cases = []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        n = int(rng.integers(5, 150))
        offset = 10.0 ** rng.uniform(-3, 9, 4) * rng.choice([-1, 1], 4)
        x = offset + rng.normal(size=(n, 4)) @ rng.normal(size=(4, 4))
        case = Case(x[:, 1:], x[:, :1])
        cases += [case, replace(case, weights=ref.random_weights(rng, n))]
    for case, result in zip(cases, oracle(cases), strict=True):
        w = ref.weights_of(case)
        check(result, *exact(np.hstack([case.b, case.a]), w))
        assert abs(result.moments["weight"] - w.sum()) <= ref.ROUNDING * w.sum()


def test_many_rows_against_numpy(oracle):
    cases = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        case = ref.random_case(rng, rows=(3000, 10000))
        case = replace(case, a=case.a[:, :3])
        cases += [case, replace(case, weights=ref.random_weights(rng, len(case.a)))]
    for case, result in zip(cases, oracle(cases), strict=True):
        w = ref.weights_of(case)
        x = np.hstack([case.b, case.a])
        covariance = np.atleast_2d(np.cov(x, rowvar=False, aweights=w, ddof=0))
        # The reference sums n rows where the library sums tiles: √n ε in place of √512 ε.
        check(result, ref.mean(x, w), covariance * w.sum(), error=4 * np.sqrt(len(x)) * ref.EPS)


def test_integer_weights_are_repeated_rows(oracle):
    cases, repeated = [], []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        case = ref.random_case(rng, rows=(20, 900))
        counts = rng.integers(0, 5, len(case.a))
        cases.append(replace(case, weights=counts.astype(float)))
        repeated.append(np.repeat(np.hstack([case.b, case.a]), counts, axis=0))
    for x, result in zip(repeated, oracle(cases), strict=True):
        w = np.ones(len(x))
        scatter = np.cov(x, rowvar=False, ddof=0) * len(x)
        check(result, ref.mean(x, w), scatter, error=4 * np.sqrt(len(x)) * ref.EPS)
        assert result.moments["weight"] == len(x)
