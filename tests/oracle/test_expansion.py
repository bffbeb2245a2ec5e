"""Expanded B against other bases of the same functions: only the span matters, and the residual shows it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from patsy import cr
from scipy.interpolate import CubicSpline

from . import reference as ref
from .library import Case, Matrix, Result


def check_span(case: Case, result: Result, phi: Matrix) -> None:
    """The library's residual is that of a regression on phi. How exact it can be follows from its own columns, whose
    condition the certificate gives; phi may be of a better one."""
    work = ref.work(case, phi)
    error = work.regression_error * max(1.0, result.certificate["sensitive_condition"])
    assert error < 1e-8
    assert work.distance(result.fair, work.back(work.r)) <= error
    assert result.certificate["sensitive_rank"] == np.linalg.matrix_rank(ref.centred(phi, work.w), rtol=1e-9)


def curved_case(rng: np.random.Generator, columns: int = 1) -> Case:
    n = int(rng.integers(150, 500))
    b = rng.normal(size=(n, columns)) * np.exp(rng.uniform(-2, 2, columns)) + rng.uniform(-20, 20, columns)
    t = ref.standardised(b, np.ones(n))
    a = ref.random_features(rng, np.hstack([t, t**2, np.sin(2 * t)]), int(rng.integers(1, 5)))
    return Case(a, b)


def test_powers_span_polynomials(oracle):
    cases = []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        case = curved_case(rng, int(rng.integers(1, 4)))
        cases.append(replace(case, expand={"powers": int(rng.integers(2, 5))}))
    for case, result in zip(cases, oracle(cases), strict=True):
        t = ref.standardised(case.b, np.ones(len(case.b)))
        degree = case.expand["powers"]
        check_span(case, result, np.hstack([np.polynomial.legendre.legvander(x / 3, degree)[:, 1:] for x in t.T]))


def test_interactions_span_products(oracle):
    cases = []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        cases.append(replace(curved_case(rng, int(rng.integers(2, 4))), expand={"interactions": True}))
    for case, result in zip(cases, oracle(cases), strict=True):
        x = ref.centred(case.b, np.ones(len(case.b)))
        p = x.shape[1]
        products = [x[:, i] * x[:, j] for i in range(p) for j in range(i + 1, p)]
        check_span(case, result, np.column_stack([x, *products]))


def test_weights_and_powers(oracle):
    """Powers of b span the same functions whatever mean and spread the library takes them about."""
    cases = []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        case = curved_case(rng, 2)
        weights = ref.random_weights(rng, len(case.a))
        cases.append(replace(case, weights=weights, expand={"powers": 2, "interactions": True}))
    for case, result in zip(cases, oracle(cases), strict=True):
        t = ref.standardised(case.b, case.weights)
        check_span(case, result, np.column_stack([t, t**2, t[:, 0] * t[:, 1]]))


def test_codes_give_group_means_and_with_a_number_group_lines(oracle):
    cases = []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        case = curved_case(rng)
        codes = rng.choice([-2.0, 0.5, 1.0, 7.0], len(case.b))
        b = np.column_stack([codes, case.b])
        a = case.a + codes[:, None]
        cases.append(Case(a, b[:, :1], expand={"one_hot": [0]}))
        cases.append(Case(a, b, expand={"one_hot": [0], "interactions": True}))
    for case, result in zip(cases, oracle(cases), strict=True):
        codes = case.b[:, 0]
        expected = np.empty_like(case.a)
        for code in np.unique(codes):
            group = codes == code
            ones = np.ones(group.sum())
            y, x = case.a[group], case.b[group, 1:]
            expected[group] = ref.residuals(y, x, ones) if x.size else ref.centred(y, ones)
        work = ref.work(case, ref.one_hot(codes))
        error = work.regression_error * result.certificate["sensitive_condition"]
        assert work.distance(result.fair, expected + work.mean) <= error < 1e-9


def knots_of(b: Matrix, count: int) -> Matrix:
    return np.unique(np.quantile(b, np.linspace(0.05, 0.95, count)))


def natural_spline(x: Matrix, knots: Matrix) -> Matrix:
    """Its cardinal basis: cubic between the knots, lines beyond the outermost."""
    spline = CubicSpline(knots, np.eye(len(knots)), bc_type="natural")
    inside = np.clip(x, knots[0], knots[-1])
    return spline(inside) + spline(inside, 1) * (x - inside)[:, None]


def spline_cases(whole_numbers: bool) -> list[Case]:
    cases = []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        case = curved_case(rng, int(rng.integers(1, 3)))
        b = np.round(case.b * 3 / ref.deviations(case.b, np.ones(len(case.b)))) if whole_numbers else case.b
        cases.append(replace(case, b=b, expand={"knots": int(rng.integers(3, 7))}))
    return cases


@pytest.mark.parametrize("whole_numbers", [False, True])
def test_splines_span_natural_cubic_splines(oracle, whole_numbers):
    cases = spline_cases(whole_numbers)
    for case, result in zip(cases, oracle(cases), strict=True):
        knots = [knots_of(x, case.expand["knots"]) for x in case.b.T]
        check_span(case, result, np.hstack([natural_spline(x, k) for x, k in zip(case.b.T, knots, strict=True)]))


def test_splines_span_those_of_patsy(oracle):
    cases = spline_cases(whole_numbers=False)
    for case, result in zip(cases, oracle(cases), strict=True):
        bases = []
        for x in case.b.T:
            knots = knots_of(x, case.expand["knots"])
            bases.append(cr(x, knots=knots[1:-1], lower_bound=knots[0], upper_bound=knots[-1]))
        check_span(case, result, np.hstack(bases))


def test_splines_of_later_rows_keep_the_knots_of_the_fit(oracle):
    cases = []
    for case in spline_cases(whole_numbers=False):
        half = len(case.b) // 2
        outside = case.b[half:] + 3 * ref.deviations(case.b, np.ones(len(case.b)))
        cases.append(replace(case, a=case.a[:half], b=case.b[:half], later=(case.a[half:], outside)))
    for case, result in zip(cases, oracle(cases), strict=True):
        work = ref.work(case)
        later_a, later_b = case.later
        knots = [knots_of(x, case.expand["knots"]) for x in case.b.T]
        phi, later = (
            np.hstack([natural_spline(x, k) for x, k in zip(b.T, knots, strict=True)]) for b in (case.b, later_b)
        )
        removed = (later - ref.mean(phi, work.w)) @ ref.slopes(phi, case.a, work.w)
        # Lines beyond the data: errors of the slopes grow with the distance, here of a few spreads.
        error = ref.work(case, phi).regression_error * result.certificate["sensitive_condition"]
        found = ref.rms((result.later.fair - (later_a - removed)) / work.scale, np.ones(len(later)))
        assert found.max() <= 100 * error


def edges_of(b: Matrix, bins: int) -> Matrix:
    """⌈k n / bins⌉-th smallest values; where k n / bins is not a whole number this is an inverted distribution."""
    edges = np.unique(np.quantile(b, np.arange(1, bins) / bins, method="inverted_cdf"))
    return edges[edges < b.max()]


def bin_cases(whole_numbers: bool) -> list[Case]:
    cases = []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        n, bins = int(rng.choice([101, 211, 307, 401])), int(rng.integers(2, 9))  # primes, so k n / bins is never whole
        b = rng.normal(size=(n, 1)) * 10
        a = ref.random_features(rng, np.hstack([b, np.abs(b)]) / 10, 3)
        cases.append(Case(a, np.round(b / 5) if whole_numbers else b, expand={"bins": bins}))
    return cases


@pytest.mark.parametrize("whole_numbers", [False, True])
def test_bins_give_group_indicators_beside_b(oracle, whole_numbers):
    cases = bin_cases(whole_numbers)
    for case, result in zip(cases, oracle(cases), strict=True):
        b = case.b[:, 0]
        edges = edges_of(b, case.expand["bins"])
        groups = np.searchsorted(edges, b, side="left")  # e_{k−1} < b ≤ e_k
        check_span(case, result, np.column_stack([b, ref.one_hot(groups)]))
        counts = result.moments["mean_b"][1:] * len(b)
        assert np.allclose(counts, np.bincount(groups), rtol=0, atol=1e-9)
        if not whole_numbers:
            assert np.ptp(np.bincount(groups)) <= 1


def test_columns_are_as_documented(oracle):
    """Not only their span: φ(b) is written to model files and to SQL, so its means and products are compared too."""
    cases = []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        case = curved_case(rng, 2)
        expand = {"powers": 3, "knots": int(rng.integers(3, 6)), "interactions": True}
        cases.append(replace(case, expand=expand))
    for case, result in zip(cases, oracle(cases), strict=True):
        w = np.ones(len(case.b))
        t = ref.standardised(case.b, w)
        phi = []
        for b, standard in zip(case.b.T, t.T, strict=True):
            knots = knots_of(b, case.expand["knots"])
            s, k = (b - knots[0]) / (knots[-1] - knots[0]), (knots - knots[0]) / (knots[-1] - knots[0])
            d = [(np.maximum(s - at, 0) ** 3 - np.maximum(s - 1, 0) ** 3) / (1 - at) for at in k[:-1]]
            phi += [b, standard**2, standard**3, *(one - d[-1] for one in d[:-1])]
        expected = np.column_stack([*phi, t[:, 0] * t[:, 1]])
        assert result.moments["mean_b"].shape == (expected.shape[1],)
        scatter = np.cov(expected, rowvar=False, ddof=0) * len(expected)
        scale = np.sqrt(np.diag(scatter))
        # t and s are rounded, and cubed; the cubes of d_k cancel at most to the size of N_k over that of the cubes.
        error = 100 * ref.ROUNDING
        assert np.all(np.abs(result.moments["bb"] - scatter) <= error * np.outer(scale, scale))
        spread = scale / np.sqrt(len(expected))
        assert np.all(np.abs(result.moments["mean_b"] - ref.mean(expected, w)) <= error * spread)
