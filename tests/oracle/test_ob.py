"""OB against least squares residuals and the SVD of their rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from statsmodels.regression.linear_model import WLS
from statsmodels.tools import add_constant

from . import reference as ref
from .library import Case, Matrix, Refused


def test_full_rank_is_the_least_squares_residual(oracle):
    cases = [ref.random_case(np.random.default_rng(seed)) for seed in ref.SEEDS]
    cases += [case.asking(standardize=False) for case in cases]
    cases.append(ref.random_case(np.random.default_rng(99), rows=(9000, 9001)))  # several blocks of rows
    for case, result in zip(cases, oracle(cases), strict=True):
        work = ref.work(case)
        expected = ref.residuals(case.a, case.b, work.w) + work.mean
        assert result.scores is None
        error = ref.rms(result.fair - expected, work.w) / ref.deviations(case.a, work.w)
        assert error.max() <= work.regression_error
        assert work.regression_error < 1e-11


def test_weights_give_the_residual_of_weighted_least_squares(oracle):
    cases = []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        case = ref.random_case(rng)
        cases.append(replace(case, weights=ref.random_weights(rng, len(case.a))))
    for case, result in zip(cases, oracle(cases), strict=True):
        work = ref.work(case)
        design = add_constant(case.b)
        for j, column in enumerate(case.a.T):
            expected = column - WLS(column, design, weights=case.weights).fit().fittedvalues + work.mean[j]
            error = ref.size(result.fair[:, j] - expected, work.w) / ref.deviations(column, work.w)
            assert error <= work.regression_error


def test_integer_weights_are_repeated_rows(oracle):
    cases, longer = [], []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        case = ref.random_case(rng)
        counts = rng.integers(0, 4, len(case.a))
        longer.append(Case(np.repeat(case.a, counts, axis=0), np.repeat(case.b, counts, axis=0)))
        values, _ = ref.spectrum(ref.work(longer[-1]))
        rank = ref.rank_with_gap(rng, values)
        cases.append(replace(case, weights=counts.astype(float)).asking(rank=rank))
    for case, repeated, result in zip(cases, longer, oracle(cases), strict=True):
        work = ref.work(repeated)
        values, vectors = ref.spectrum(work)
        k = case.options["rank"]
        u = vectors[:, :k]
        expected = work.back(work.r @ u @ u.T)
        fair = np.repeat(result.fair, case.weights.astype(int), axis=0)
        assert work.distance(fair, expected) <= ref.eigenspace_error(work, values, k)


@pytest.mark.parametrize("standardize", [True, False])
def test_optimal_basis_is_the_truncated_svd_of_the_residual(oracle, standardize):
    cases, ranks = [], []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        case = ref.random_case(rng).asking(standardize=standardize)
        ranks.append(ref.rank_with_gap(rng, ref.spectrum(ref.work(case))[0]))
        cases.append(case.asking(rank=ranks[-1]))
    for case, k, result in zip(cases, ranks, oracle(cases), strict=True):
        work = ref.work(case)
        values, vectors = ref.spectrum(work)
        u = vectors[:, :k]
        error = ref.eigenspace_error(work, values, k)
        assert work.distance(result.fair, work.back(work.r @ u @ u.T)) <= error < 1e-9

        # Eckart and Young: no table of rank k that is orthogonal to B is nearer.
        least = ref.size(work.x - work.r, work.w) ** 2 + values[k:].sum()
        total = ref.size(work.x, work.w) ** 2
        changed = (work.distance(result.fair, case.a) ** 2) * total
        assert abs(changed - least) <= work.covariance_error * total


def test_scores_are_the_principal_components_of_the_residual(oracle):
    cases = []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        case = ref.random_case(rng)
        cases.append(case.asking(rank=ref.rank_with_gap(rng, ref.spectrum(ref.work(case))[0])))
    for case, result in zip(cases, oracle(cases), strict=True):
        work = ref.work(case)
        values, vectors = ref.spectrum(work)
        assert result.scores.shape == (len(case.a), case.options["rank"])
        for j, score in enumerate(result.scores.T):
            expected = work.r @ vectors[:, j]
            expected *= np.sign(expected @ score)
            gap = min(abs(values[j] - value) for i, value in enumerate(values) if i != j)
            error = work.covariance_error * values[0] / gap + work.regression_error
            assert ref.size((score - expected)[:, None], work.w) <= error * ref.size(work.x, work.w)


def paper_basis(case: Case) -> tuple[Matrix, Matrix]:
    """As printed: of the correlations, or without standardising the covariances, of A itself."""
    values, vectors = np.linalg.eigh(
        np.corrcoef(case.a, rowvar=False)
        if case.options.get("standardize", True)
        else np.cov(case.a, rowvar=False, ddof=0)
    )
    return values[::-1], vectors[:, ::-1]


@pytest.mark.parametrize("standardize", [True, False])
def test_paper_basis_is_that_of_the_correlations(oracle, standardize):
    cases = []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        case = ref.random_case(rng).asking(standardize=standardize, basis="paper")
        cases.append(case.asking(rank=ref.rank_with_gap(rng, paper_basis(case)[0])))
    for case, result in zip(cases, oracle(cases), strict=True):
        work = ref.work(case)
        values, vectors = paper_basis(case)
        k = case.options["rank"]
        u = vectors[:, :k]
        assert work.distance(result.fair, work.back(work.r @ u @ u.T)) <= ref.eigenspace_error(work, values, k) < 1e-9

        # The corrected lemma: ‖A − Ã‖² = ‖A − A_k‖² + ‖P_B V_k D_k‖².
        scores = work.x @ u
        lemma = values[k:].sum() + ref.size(scores - ref.residuals(scores, case.b, work.w), work.w) ** 2
        total = ref.size(work.x, work.w) ** 2
        assert abs(work.distance(result.fair, case.a) ** 2 * total - lemma) <= work.covariance_error * total
        assert lemma >= ref.size(work.x - work.r, work.w) ** 2 + ref.spectrum(work)[0][k:].sum() - 1e-12 * total


@pytest.mark.parametrize("basis", ["optimal", "paper"])
def test_share_keeps_the_fewest_dimensions_that_explain_it(oracle, basis):
    cases = []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        case = ref.random_case(rng).asking(basis=basis)
        cases += [case.asking(share=share) for share in (*rng.uniform(0.05, 1, 2), 1.0)]
    for case, result in zip(cases, oracle(cases), strict=True):
        work = ref.work(case)
        u = ref.spectrum(work)[1] if basis == "optimal" else paper_basis(case)[1]
        variances = ((work.root * work.r @ u) ** 2).sum(axis=0)
        # A share of 1 is met to rounding, by all.
        wanted = case.options["share"] - (1e-12 if case.options["share"] == 1 else 0)
        expected = 1 + int(np.argmax(np.cumsum(variances) / variances.sum() >= wanted))
        assert result.scores.shape[1] == result.certificate["rank"] == expected


def test_strength_mixes(oracle):
    cases = []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        case = ref.random_case(rng)
        k = ref.rank_with_gap(rng, ref.spectrum(ref.work(case))[0])
        cases += [case.asking(alpha=alpha, rank=k) for alpha in (0.0, 0.37, 1.0)]
        cases.append(case.asking(alpha=float(rng.random()), rank=case.a.shape[1]))
    for case, result in zip(cases, oracle(cases), strict=True):
        work = ref.work(case)
        values, vectors = ref.spectrum(work)
        alpha, k = case.options["alpha"], case.options["rank"]
        u = vectors[:, :k]
        expected = alpha * work.back(work.r @ u @ u.T) + (1 - alpha) * case.a
        error = work.regression_error if k == len(values) else ref.eigenspace_error(work, values, k)
        assert work.distance(result.fair, expected) <= error


def test_one_hot_with_all_levels_gives_deviations_from_group_means(oracle):
    cases, codes = [], []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        levels, n = int(rng.integers(2, 7)), int(rng.integers(60, 600))
        codes.append(rng.permutation(np.arange(n) % levels))
        b = ref.one_hot(codes[-1])
        cases.append(Case(ref.random_features(rng, b, int(rng.integers(1, 9))), b))
    for case, code, result in zip(cases, codes, oracle(cases), strict=True):
        work = ref.work(case)
        means = np.array([case.a[code == level].mean(axis=0) for level in np.unique(code)])
        assert work.distance(result.fair, case.a - means[code] + work.mean) <= work.regression_error
        assert result.certificate["sensitive_rank"] == case.b.shape[1] - 1


def test_two_one_hot_columns_beside_a_number_and_a_copy_of_it(oracle):
    cases = []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        n = int(rng.integers(100, 600))
        number = rng.normal(size=(n, 1))
        b = np.hstack([*(ref.one_hot(rng.permutation(np.arange(n) % k)) for k in (3, 2)), number, 2 - 3 * number])
        cases.append(Case(ref.random_features(rng, b, int(rng.integers(2, 9))), b))
    for case, result in zip(cases, oracle(cases), strict=True):
        work = ref.work(case)
        assert work.distance(result.fair, work.back(work.r)) <= work.regression_error
        assert result.certificate["sensitive_rank"] == 4


def test_later_rows_get_the_coefficients_of_the_fit(oracle):
    cases, ranks = [], []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        whole = ref.random_case(rng, rows=(200, 500))
        half = len(whole.a) // 2
        case = Case(whole.a[:half], whole.b[:half], later=(whole.a[half:], whole.b[half:]))
        k = ref.rank_with_gap(rng, ref.spectrum(ref.work(case))[0])
        cases += [case, case.asking(rank=k)]
        ranks += [None, k]
    for case, k, result in zip(cases, ranks, oracle(cases), strict=True):
        work = ref.work(case)
        later_a, later_b = case.later
        slopes = ref.slopes(case.b, work.x, work.w)
        r = (later_a - work.mean) / work.scale - (later_b - ref.mean(case.b, work.w)) @ slopes
        values, vectors = ref.spectrum(work)
        u = np.eye(len(values)) if k is None else vectors[:, :k]
        error = work.regression_error if k is None else ref.eigenspace_error(work, values, k)
        # Rows of the same distribution: their size is that of the rows of the fit, up to chance.
        later_error = ref.size((result.later.fair - work.back(r @ u @ u.T)) / work.scale, np.ones(len(r)))
        assert later_error <= 10 * error * ref.size(work.x, work.w)


def test_constant_duplicate_and_fully_explained_columns(oracle):
    cases = []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        case = ref.random_case(rng)
        n = len(case.a)
        a = np.column_stack([case.a, np.full(n, -7.0), case.a[:, 0], case.b @ rng.normal(size=case.b.shape[1])])
        cases.append(Case(a, np.column_stack([case.b, np.full(n, 3.0)])))
    for case, result in zip(cases, oracle(cases), strict=True):
        ordinary = replace(case, a=case.a[:, :-3])
        work = ref.work(ordinary)
        assert work.distance(result.fair[:, :-3], work.back(work.r)) <= work.regression_error
        assert np.all(result.fair[:, -3] == -7)
        assert np.array_equal(result.fair[:, -2], result.fair[:, 0])
        assert np.ptp(result.fair[:, -1]) == 0
        assert result.fair[0, -1] == pytest.approx(case.a[:, -1].mean(), abs=ref.ROUNDING * np.abs(case.a[:, -1]).max())


def test_more_features_than_rows(oracle):
    cases = []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        case = Case(rng.normal(size=(20, 40)), rng.normal(size=(20, 2)))
        cases += [case, case.asking(rank=ref.rank_with_gap(rng, ref.spectrum(ref.work(case))[0]))]
    for case, result in zip(cases, oracle(cases), strict=True):
        work = ref.work(case)
        values, vectors = ref.spectrum(work)
        k = case.options.get("rank", len(values))
        u = vectors[:, :k]
        error = ref.eigenspace_error(work, values, k) if "rank" in case.options else work.regression_error
        assert work.distance(result.fair, work.back(work.r @ u @ u.T)) <= error


def test_constant_sensitive_columns_are_refused(oracle):
    rng = np.random.default_rng(0)
    with pytest.raises(Refused, match="nothing to be orthogonal to"):
        oracle([Case(rng.normal(size=(20, 3)), np.ones((20, 2)))])
