"""SOB against Algorithm 1 run on the n rows, with its constraint read as in the penalised matrix decomposition.

Both sides run the same map to its fixed point from the same start. A step below η at a rate ρ of convergence leaves
η ρ / (1 − ρ) to go, and errors of earlier components pass on to later ones. η is 1e-12 here, so agreement to 1e-7 is
asked for where the slowest component has 1 − ρ > 1e-4; the cases are checked to be of that kind.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from . import reference as ref
from .library import Case, Matrix, matrix

CONVERGED = {"method": "sob", "tolerance": 1e-12, "max_iterations": 200_000}
AGREEMENT = 1e-7
SLOWEST = 1 - 1e-4


def soft(g: Matrix, theta: float) -> Matrix:
    return np.sign(g) * np.maximum(np.abs(g) - theta, 0)


def unit_within(g: Matrix, h: float) -> Matrix:
    """S_θ(g) / ‖S_θ(g)‖ with the smallest θ ≥ 0 for which its ℓ1 norm is at most h, by bisection."""
    if np.abs(g).sum() <= h * np.linalg.norm(g):
        return g / np.linalg.norm(g)
    low, high = 0.0, float(np.abs(g).max())
    while (middle := (low + high) / 2) not in (low, high):
        s = soft(g, middle)
        low, high = (middle, high) if np.abs(s).sum() > h * np.linalg.norm(s) else (low, middle)
    s = soft(g, low)  # from below, where something is left
    return s / np.linalg.norm(s)


@dataclass(frozen=True)
class Sparse:
    u: Matrix  # q × k
    s: Matrix  # n × k, of unit variance
    d: Matrix
    rate: float  # the slowest convergence of a component


def algorithm_1(r: Matrix, h: float, rank: int, share: float = 0) -> Sparse:
    n, q = r.shape
    s, u, d = matrix(np.empty((n, 0))), matrix(np.empty((q, 0))), matrix([])
    rate = 0.0
    total = (r**2).sum() / n
    while len(d) < rank and (share == 0 or (d**2).sum() < share * total):
        left = r - s @ (s.T @ r) / n
        new = np.linalg.svd(left, full_matrices=False)[2][0]
        steps: list[float] = []
        while not steps or (steps[-1] > 1e-14 and len(steps) < 200_000):
            old = new
            score = left @ old
            score *= np.sqrt(n) / np.linalg.norm(score)
            new = unit_within(r.T @ score / n, h)
            steps.append(float(np.linalg.norm(new - old)))
        tail = [step for step in steps if 1e-12 < step < 1e-4]
        if len(tail) > 2:
            rate = max(rate, (tail[-1] / tail[0]) ** (1 / (len(tail) - 1)))
        s, u = np.column_stack([s, score]), np.column_stack([u, new])
        d = np.append(d, score @ r @ new / n)
    return Sparse(u, s, d, rate)


def bound_of(case: Case) -> float:
    return case.options.get("l1_bound", max(1.0, np.sqrt(case.a.shape[1]) / 2))


def check(case: Case, fair: Matrix, scores: Matrix, certificate: dict) -> None:
    work = ref.work(case)
    root = np.sqrt(work.w)[:, None]
    n = work.w.sum()
    expected = algorithm_1(
        root * work.r * np.sqrt(len(root) / n),
        bound_of(case),
        case.options.get("rank", case.a.shape[1]),
        case.options.get("share", 0),
    )
    assert expected.rate < SLOWEST
    assert not [note for note in certificate["notes"] if "limit" in note]
    assert scores.shape[1] == len(expected.d)
    kept = work.w > 0
    rows = expected.s[kept] / (root * np.sqrt(len(root) / n))[kept]
    fitted = work.back(rows @ np.diag(expected.d) @ expected.u.T)
    assert replace(work, x=work.x[kept], w=work.w[kept]).distance(fair[kept], fitted) <= AGREEMENT
    for score, unit, d in zip(scores[kept].T, rows.T, expected.d, strict=True):
        assert np.abs(score - np.sign(score @ unit) * d * unit).max() <= AGREEMENT * np.abs(score).max()


def test_components_are_those_of_algorithm_1(oracle):
    cases = []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        case = ref.random_case(rng).asking(**CONVERGED)
        q = case.a.shape[1]
        for standardize in (True, False):
            h = float(rng.uniform(1.05, np.sqrt(q)))
            rank = int(rng.integers(1, min(q, 6) + 1))
            cases.append(case.asking(rank=rank, l1_bound=h, standardize=standardize))
    for case, result in zip(cases, oracle(cases), strict=True):
        check(case, result.fair, result.scores, result.certificate)


def test_default_bound_is_half_the_root_of_the_features(oracle):
    cases = [ref.random_case(np.random.default_rng(seed)).asking(**CONVERGED, rank=2) for seed in ref.SEEDS]
    for case, result in zip(cases, oracle(cases), strict=True):
        check(case, result.fair, result.scores, result.certificate)


def test_share_keeps_the_fewest_components_that_explain_it(oracle):
    cases = []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        case = ref.random_case(rng)
        h = 0.8 * np.sqrt(case.a.shape[1])
        cases.append(case.asking(**CONVERGED, share=float(rng.uniform(0.1, 0.7)), l1_bound=max(1.0, h)))
    for case, result in zip(cases, oracle(cases), strict=True):
        check(case, result.fair, result.scores, result.certificate)


def test_weighted_rows(oracle):
    cases = []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        case = ref.random_case(rng)
        cases.append(replace(case, weights=ref.random_weights(rng, len(case.a))).asking(**CONVERGED, rank=2))
    for case, result in zip(cases, oracle(cases), strict=True):
        check(case, result.fair, result.scores, result.certificate)


@pytest.mark.parametrize("weighted", [False, True])
def test_more_features_than_rows(oracle, weighted):
    cases = []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        n = int(rng.integers(20, 40))
        b = rng.normal(size=(n, 2))
        weights = ref.random_weights(rng, n) if weighted else None
        cases.append(Case(ref.random_features(rng, b, n + 20), b, weights).asking(**CONVERGED, rank=3, l1_bound=2.5))
    for case, result in zip(cases, oracle(cases), strict=True):
        check(case, result.fair, result.scores, result.certificate)


def test_a_bound_that_does_not_bind_gives_the_truncated_svd(oracle):
    cases = []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        case = ref.random_case(rng).asking(**CONVERGED)
        rank = ref.rank_with_gap(rng, ref.spectrum(ref.work(case))[0])
        cases.append(case.asking(rank=rank, l1_bound=float(np.sqrt(case.a.shape[1]))))
    for case, result in zip(cases, oracle(cases), strict=True):
        work = ref.work(case)
        values, vectors = ref.spectrum(work)
        u = vectors[:, : case.options["rank"]]
        # The power method is at its fixed point from the start, so only the eigenspace's own error is left.
        error = ref.eigenspace_error(work, values, case.options["rank"])
        assert work.distance(result.fair, work.back(work.r @ u @ u.T)) <= error


def test_the_smallest_bound_keeps_one_feature_a_component(oracle):
    cases = [
        ref.random_case(np.random.default_rng(seed)).asking(**CONVERGED, rank=1, l1_bound=1.0) for seed in ref.SEEDS
    ]
    for case, result in zip(cases, oracle(cases), strict=True):
        changed = np.ptp(result.fair, axis=0) > 0
        work = ref.work(case)
        assert changed.sum() == 1
        # u is a unit vector e_j, so s is r_j to scale, and the one column is r_j itself.
        error = ref.rms(result.fair - work.back(work.r), work.w)[changed] / work.scale[changed]
        assert error <= work.regression_error


def test_components_keep_their_constraints(oracle):
    """‖u‖ = 1, ‖u‖₁ ≤ h; scores uncorrelated; ‖R − Ã‖² = ‖R‖² − n Σ d². Each holds to rounding at any η."""
    cases = []
    for seed in ref.SEEDS:
        rng = np.random.default_rng(seed)
        case = ref.random_case(rng)
        q = case.a.shape[1]
        rank, h = int(rng.integers(1, q)), float(rng.uniform(1, np.sqrt(q)))
        cases.append(case.asking(method="sob", rank=rank, l1_bound=h, tolerance=1e-2))
    for case, result in zip(cases, oracle(cases), strict=True):
        work = ref.work(case)
        fair = (result.fair - work.mean) / work.scale
        d = ref.rms(result.scores, work.w)
        u = np.linalg.lstsq(result.scores, fair, rcond=None)[0]
        # Of a weak component d, what is left of R is known to rounding of the whole, over d.
        error = work.covariance_error * ref.size(work.x, work.w) / d
        assert np.all(np.abs(np.linalg.norm(u, axis=1) - 1) <= error)
        assert np.all(np.abs(u).sum(axis=1) <= case.options["l1_bound"] + error * np.sqrt(len(u.T)))
        correlations = np.atleast_2d(np.corrcoef(result.scores, rowvar=False))
        assert np.all(np.abs(correlations - np.eye(len(d))) <= error.max())
        total = ref.size(work.x, work.w) ** 2
        lost = ref.size(work.r - fair, work.w) ** 2
        assert abs(lost - (ref.size(work.r, work.w) ** 2 - (d**2).sum())) <= work.covariance_error * total
        # r is orthogonal to B to a relative error, so what is left after weak components is, too.
        assert ref.max_correlation(result.fair, case.b) <= work.regression_error * total / min(d)
