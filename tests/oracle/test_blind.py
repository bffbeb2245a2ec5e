"""Blind mode against the formula with matrix square roots, and against least squares under its constraint."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import null_space, orth, pinv, sqrtm

from . import reference as ref
from .library import Case, Matrix


def blind_map(x: Matrix, b: Matrix, w: Matrix) -> Matrix:
    """I − W⁺PW, W = Σ_AA^{−1/2}, P the projector onto range(W Σ_AB); maps columns, so rows are multiplied by its
    transpose."""
    y = ref.standardised(b, w)
    aa = x.T @ (w[:, None] * x) / w.sum()
    ab = x.T @ (w[:, None] * y) / w.sum()
    root = np.real(sqrtm(aa))
    whiten = pinv(root)
    basis = orth(whiten @ ab, rcond=1e-7)
    return np.eye(len(aa)) - root @ basis @ basis.T @ whiten


def blind_error(case: Case) -> float:
    """In whitened units Σ_AA is known to ‖δΣ‖ κ(Σ_AA), and Σ_AB to its root; the range of W Σ_AB turns by that over
    its smallest singular value, the smallest canonical correlation; W⁺ brings it back."""
    w = ref.weights_of(case)
    work = ref.work(case)
    x, y = work.root * work.x, work.root * ref.standardised(case.b, w)
    a_values = np.linalg.svd(x, compute_uv=False)
    canonical = np.linalg.svd(orth(x, rcond=1e-7).T @ orth(y, rcond=1e-7), compute_uv=False)
    condition = (a_values[0] / a_values[a_values > 1e-7 * a_values[0]][-1]) ** 2
    dimension = case.a.shape[1] + case.b.shape[1]
    return ref.ROUNDING * dimension * condition * np.linalg.cond(y) / canonical[-1] + work.regression_error


def blind_cases(rows: tuple[int, int] = (100, 500)) -> list[Case]:
    cases = []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        cases.append(ref.random_case(rng, rows).asking(mode="blind"))
        cases.append(cases[-1].asking(standardize=False))
        cases.append(replace(cases[-2], weights=ref.random_weights(rng, len(cases[-1].a))))
    return cases


def test_full_rank_is_the_formula(oracle):
    cases = blind_cases()
    for case, result in zip(cases, oracle(cases), strict=True):
        work = ref.work(case)
        expected = work.back(work.x @ blind_map(work.x, case.b, work.w).T)
        assert result.scores is None
        assert work.distance(result.fair, expected) <= blind_error(case)
        assert ref.max_correlation(result.fair, case.b, work.w) <= blind_error(case)


def nearest_without_covariance(work: ref.Work, b: Matrix) -> tuple[Matrix, Matrix]:
    """x and the nearest x M to it, rows times the roots of their weights. x M has no covariance with y if the columns
    of M are in the null space of yᵀx, so the nearest is a regression."""
    x, y = work.root * work.x, work.root * ref.standardised(b, work.w)
    basis = x @ null_space(y.T @ x)
    return x, basis @ np.linalg.lstsq(basis, x, rcond=None)[0]


def test_no_map_of_a_alone_changes_less(oracle):
    cases = blind_cases()
    for case, result in zip(cases, oracle(cases), strict=True):
        work = ref.work(case)
        x, best = nearest_without_covariance(work, case.b)
        least = np.linalg.norm(x - best) / np.linalg.norm(x)
        assert work.distance(result.fair, case.a) == pytest.approx(least, abs=blind_error(case))
        assert result.certificate["change"] == pytest.approx(least, abs=blind_error(case))


@pytest.mark.parametrize("basis", ["optimal", "paper"])
def test_rank_keeps_the_top_of_what_is_left(oracle, basis):
    cases = []
    for case in blind_cases():
        work = ref.work(case)
        r = work.x @ blind_map(work.x, case.b, work.w).T
        kept = r if basis == "optimal" else work.x
        values = np.linalg.svd(work.root * kept, compute_uv=False) ** 2
        rng = np.random.default_rng(len(cases))
        cases.append(case.asking(basis=basis, rank=ref.rank_with_gap(rng, values)))
    for case, result in zip(cases, oracle(cases), strict=True):
        work = ref.work(case)
        r = work.x @ blind_map(work.x, case.b, work.w).T
        _, roots, vectors = np.linalg.svd(work.root * (r if basis == "optimal" else work.x), full_matrices=False)
        k = case.options["rank"]
        u = vectors[:k].T
        assert result.scores.shape == (len(r), k)
        gap = (roots[k - 1] ** 2 - roots[k] ** 2) / np.linalg.norm(work.root * work.x, 2) ** 2
        assert work.distance(result.fair, work.back(r @ u @ u.T)) <= 2 * blind_error(case) / gap


def test_later_rows_do_not_need_b(oracle):
    cases = []
    for case in blind_cases(rows=(300, 600)):
        half = len(case.a) // 2
        weights = None if case.weights is None else case.weights[:half]
        noise = np.random.default_rng(half).normal(size=case.b[half:].shape)
        cases.append(replace(case, a=case.a[:half], b=case.b[:half], weights=weights, later=(case.a[half:], noise)))
    for case, result in zip(cases, oracle(cases), strict=True):
        work = ref.work(case)
        later = (case.later[0] - work.mean) / work.scale
        expected = later @ blind_map(work.x, case.b, work.w).T
        # Rows of the same distribution as the fit's, up to chance.
        error = ref.size((result.later.fair - work.back(expected)) / work.scale, np.ones(len(later)))
        assert error <= 10 * blind_error(case) * ref.size(work.x, work.w)


def test_one_hot_b_costs_one_dimension_less_than_its_levels(oracle):
    cases = []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        levels = int(rng.integers(2, 5))
        b = ref.one_hot(rng.permutation(np.arange(400) % levels))
        cases.append(Case(ref.random_features(rng, b, levels + 3), b).asking(mode="blind"))
    for case, result in zip(cases, oracle(cases), strict=True):
        work = ref.work(case)
        expected = blind_map(work.x, case.b, work.w)
        kept = replace(case, b=case.b[:, :-1])  # the same span, of full rank
        assert work.distance(result.fair, work.back(work.x @ expected.T)) <= blind_error(kept)
        assert np.linalg.matrix_rank(result.fair - work.mean) == case.a.shape[1] - case.b.shape[1] + 1


def test_rounding_costs_no_dimension(oracle):
    """Collinear levels leave a direction of B that is nothing but rounding, and which it is depends on chance: so many
    draws. The same levels without the last span the same, and are of full rank."""
    cases = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        levels, n = int(rng.integers(2, 5)), int(rng.integers(100, 600))
        codes = rng.choice(levels, n, p=rng.dirichlet(np.ones(levels)))
        codes[:levels] = range(levels)
        b = ref.one_hot(codes)
        cases.append(Case(ref.random_features(rng, b, levels + 1), b).asking(mode="blind"))
    for case, result in zip(cases, oracle(cases), strict=True):
        kept = replace(case, b=case.b[:, :-1])
        work = ref.work(kept)
        x, best = nearest_without_covariance(work, kept.b)
        fair = work.root * (result.fair - work.mean) / work.scale
        assert np.linalg.norm(fair - best) <= blind_error(kept) * np.linalg.norm(x)
        assert result.certificate["sensitive_rank"] == kept.b.shape[1]


def test_data_that_are_fair_stay_as_they_are(oracle):
    cases = [ref.random_case(np.random.default_rng(seed), rows=(100, 1000)) for seed in range(60)]
    fair = [
        replace(case, a=ref.work(case).back(ref.work(case).r)).asking(mode="blind") for case in cases
    ]  # orthogonal to B by numpy's least squares
    for case, result in zip(fair, oracle(fair), strict=True):
        assert np.abs(result.fair - case.a).max() <= ref.ROUNDING * np.abs(case.a).max()


def test_units_do_not_matter_at_full_rank(oracle):
    """W⁺PW for D a is D W⁺PW D⁻¹, so the formula may be evaluated where it is well conditioned."""
    cases, units = [], []
    for case in blind_cases():
        rng = np.random.default_rng(len(cases))
        units.append(10.0 ** rng.uniform(-5, 5, case.a.shape[1]))
        cases.append(replace(case, a=ref.standardised(case.a, ref.weights_of(case)) * units[-1]))
    for case, unit, result in zip(cases, units, oracle(cases), strict=True):
        plain = replace(case, a=case.a / unit).asking(standardize=True)
        work = ref.work(plain)
        expected = work.back(work.x @ blind_map(work.x, plain.b, work.w).T)
        assert work.distance(result.fair / unit, expected) <= blind_error(plain)


def test_duplicate_features_are_treated_alike(oracle):
    cases = [
        replace(case, a=np.column_stack([case.a, case.a[:, 0]]))
        for case in blind_cases()
        if case.options.get("standardize", True)
    ]
    for case, result in zip(cases, oracle(cases), strict=True):
        work = ref.work(case)
        x, best = nearest_without_covariance(work, case.b)
        fair = work.root * (result.fair - work.mean) / work.scale
        assert np.linalg.norm(fair - best) <= blind_error(case) * np.linalg.norm(x)
        assert np.linalg.norm(fair[:, 0] - fair[:, -1]) <= blind_error(case) * np.linalg.norm(x)
