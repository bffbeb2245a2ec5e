"""Certificates against the textbook definition of each number, computed from the rows before and after."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from scipy.linalg import orth, subspace_angles
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score

from . import reference as ref
from .library import Case, Matrix, Result

ROWS = (60, 250)
RANK = 1e-7  # relative singular values below this are rounding of a rank-deficient table


@dataclass(frozen=True)
class Expected:
    correlation: Matrix  # q × p, in size
    explained: Matrix  # q
    canonical: Matrix


def dependence(x: Matrix, b: Matrix, w: Matrix) -> Expected:
    """Of x on b. Columns of x without spread depend on nothing."""
    q = x.shape[1]
    alive = ref.deviations(x, w) > 1e-12 * np.abs(ref.mean(x, w))
    root = np.sqrt(w)[:, None]
    correlation, explained = np.zeros((q, b.shape[1])), np.zeros(q)
    c = np.cov(x, b, rowvar=False, aweights=w, ddof=0)
    d = np.sqrt(np.diag(c))
    spread = np.outer(d[:q], d[q:])
    np.divide(np.abs(c[:q, q:]), spread, out=correlation, where=(spread > 0) & alive[:, None])
    fitted = LinearRegression().fit(b, x[:, alive], w).predict(b)
    explained[alive] = r2_score(x[:, alive], fitted, sample_weight=w, multioutput="raw_values")
    left = orth(root * ref.standardised(x[:, alive], w), rcond=RANK)
    right = orth(root * ref.standardised(b, w), rcond=RANK)
    canonical = np.cos(subspace_angles(left, right)) if left.size and right.size else np.empty(0)
    return Expected(correlation, explained, np.sort(canonical)[::-1])


def amplification(x: Matrix, w: Matrix) -> float:
    """Canonical correlations whiten: what rounding does to Σ grows by its condition, in units of the columns."""
    values = np.linalg.svd(np.sqrt(w / w.sum())[:, None] * ref.standardised(x, w), compute_uv=False)
    return float((values[0] / values[values > RANK * values[0]][-1]) ** 2)


def check_side(side: dict[str, Any], expected: Expected, error: float, canonical_error: float) -> None:
    assert side["correlation"]["value"] == pytest.approx(expected.correlation.max(), abs=error)
    assert side["explained"]["value"] == pytest.approx(expected.explained.max(), abs=error)
    if expected.correlation.max() > 0.01:  # else it is noise, and so is whose it is
        pair = int(side["correlation"]["feature"][1:]), int(side["correlation"]["sensitive"][1:])
        assert expected.correlation[pair] == pytest.approx(expected.correlation.max(), abs=error)
        feature = int(side["explained"]["feature"][1:])
        assert expected.explained[feature] == pytest.approx(expected.explained.max(), abs=error)
    if side["canonical"] is not None:
        assert len(side["canonical"]) == len(expected.canonical)
        assert np.abs(np.array(side["canonical"]) - expected.canonical).max() <= canonical_error


def check(certificate: dict[str, Any], case: Case, fair: Matrix, fitted: Case | None = None) -> None:
    """On the case's own rows, or in the units of `fitted`, to whose rows the map was fitted."""
    here = ref.work(case)
    units = ref.work(fitted) if fitted else here
    w, alpha, k = here.w, case.options.get("alpha", 1.0), case.options.get("rank", case.a.shape[1])
    x = (case.a - units.mean) / units.scale
    y = (fair - units.mean) / units.scale
    total = ref.size(x, w)
    before, after = dependence(case.a, case.b, w), dependence(fair, case.b, w)

    # What is left of a column is known to the rounding of what it was.
    left = ref.deviations(fair, w) / ref.deviations(case.a, w)
    error = here.covariance_error
    after_error = error / np.min(left[left > 0], initial=1) ** 2
    check_side(certificate["before"], before, error, error * amplification(case.a, w))
    check_side(certificate["after"], after, after_error, after_error * amplification(fair, w))

    change = ref.size(x - y, w) / total
    residual = ref.residuals(x, case.b, w)
    values = np.linalg.svd(here.root * residual, compute_uv=False) ** 2
    removed = ref.size(ref.centred(x, w) - residual, w) ** 2
    minimum = alpha * np.sqrt(removed + values[k:].sum()) / total
    # Squares are known to `error`; the root of one near zero is known less well.
    root_error = error / max(change, np.sqrt(error)) + error
    assert certificate["change"] == pytest.approx(change, abs=root_error)
    if certificate["minimum_change"] is not None:
        assert certificate["minimum_change"] == pytest.approx(minimum, abs=error / max(minimum, np.sqrt(error)) + error)
        assert certificate["loss"] == pytest.approx(max(0.0, change - minimum), abs=2 * root_error)
    if certificate["variance_by_rank"] is not None:
        shares = np.cumsum(values) / values.sum()
        assert np.abs(np.array(certificate["variance_by_rank"]) - shares).max() <= error * total**2 / values.sum()

    scale_b = ref.deviations((fitted or case).b, units.w)
    roots = np.linalg.svd(here.root * ref.centred(case.b, w) / scale_b, compute_uv=False)
    roots = roots[roots > RANK * roots[0]]
    assert certificate["sensitive_rank"] == len(roots)
    condition = roots[0] / roots[-1]
    # An eigenvalue is off by ε λ_1, so the smallest is by ε κ² of itself.
    assert certificate["sensitive_condition"] == pytest.approx(condition, rel=ref.ROUNDING * len(roots) * condition**2)
    assert (certificate["rows"], certificate["rank"], certificate["alpha"]) == (len(case.a), k, alpha)
    assert certificate["weight"] == pytest.approx(w.sum(), rel=ref.ROUNDING)


def with_options(rng: np.random.Generator, case: Case) -> list[Case]:
    """The ways to fit one table, at full strength and less."""
    q = case.a.shape[1]
    k = ref.rank_with_gap(rng, ref.spectrum(ref.work(case))[0])
    kinds: list[dict[str, Any]] = [
        {},
        {"rank": q},
        {"rank": k},
        {"rank": k, "basis": "paper"},
        {"rank": k, "method": "sob"},
        {"mode": "blind"},
        {"mode": "blind", "rank": k},
    ]
    return [case.asking(**kind, alpha=alpha) for kind in kinds for alpha in (1.0, float(rng.uniform(0.2, 0.9)))]


def test_on_the_rows_of_the_fit(oracle):
    cases = []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        case = ref.random_case(rng, ROWS)
        cases += with_options(rng, case.asking(standardize=bool(seed % 2)))
    for case, result in zip(cases, oracle(cases), strict=True):
        check(result.certificate, case, result.fair)
        assert result.certificate["before"]["canonical"] is not None


def test_on_weighted_rows(oracle):
    cases = []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        case = ref.random_case(rng, ROWS)
        cases += with_options(rng, replace(case, weights=ref.random_weights(rng, len(case.a))))
    for case, result in zip(cases, oracle(cases), strict=True):
        check(result.certificate, case, result.fair)


def test_on_collinear_one_hot_columns(oracle):
    cases = []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        n = int(rng.integers(*ROWS))
        b = np.hstack([ref.one_hot(rng.permutation(np.arange(n) % levels)) for levels in (3, 2)])
        cases += with_options(rng, Case(ref.random_features(rng, b, int(rng.integers(5, 9))), b))
    for case, result in zip(cases, oracle(cases), strict=True):
        check(result.certificate, case, result.fair)


def test_of_more_features_than_rows_without_second_moments(oracle):
    cases = []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        b = rng.normal(size=(25, 2))
        cases.append(Case(ref.random_features(rng, b, 40), b).asking(method="sob", rank=3))
    for case, result in zip(cases, oracle(cases), strict=True):
        check(result.certificate, case, result.fair)
        assert result.certificate["variance_by_rank"] is None


def later_case(rng: np.random.Generator) -> Case:
    whole = ref.random_case(rng, rows=(200, 400))
    half = len(whole.a) // 2
    return Case(whole.a[:half], whole.b[:half], later=(whole.a[half:], whole.b[half:]))


def check_later(cases: list[Case], results: list[Result]) -> None:
    for case, result in zip(cases, results, strict=True):
        assert case.later is not None
        assert result.later is not None
        rows = replace(case, a=case.later[0], b=case.later[1])
        for certificate in (result.later.from_moments, result.later.from_rows):
            check(certificate, rows, result.later.fair, case)


def test_on_later_rows(oracle):
    cases = []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        case = later_case(rng)
        a, b = case.later
        cases += with_options(rng, replace(case, later=(a + rng.normal(size=a.shape[1]), 0.5 * b + 1)))
    check_later(cases, oracle(cases))


def test_on_later_rows_with_a_constant_feature(oracle):
    cases = []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        case = later_case(rng)
        a, b = case.later
        a = a.copy()
        a[:, 0] = a[0, 0]
        cases.append(replace(case, later=(a, b)).asking(alpha=0.5))
    results = oracle(cases)
    for case, result in zip(cases, results, strict=True):
        work = ref.work(case)
        a, _ = case.later
        moved, away = (a - result.later.fair) / work.scale, (a - work.mean) / work.scale
        expected = np.linalg.norm(moved) / np.linalg.norm(away)
        for certificate in (result.later.from_moments, result.later.from_rows):
            assert certificate["change"] == pytest.approx(expected, rel=1e-12)


def test_of_features_in_very_different_units(oracle):
    """Correlations of any kind do not depend on units, so there is no more error than the rounding."""
    cases = []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        case = ref.random_case(rng)
        units = 10.0 ** rng.uniform(-4, 4, case.a.shape[1])
        units[:2] = 1e-4, 1e4
        case = replace(case, a=ref.standardised(case.a, np.ones(len(case.a))) * units).asking(mode="blind")
        cases += [case.asking(standardize=flag, alpha=alpha) for flag in (True, False) for alpha in (0.5, 1.0)]
    for case, result in zip(cases, oracle(cases), strict=True):
        check(result.certificate, case, result.fair)
