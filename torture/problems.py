"""Random numeric problems: every number of a certificate is computed anew from the rows that came back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from plumbline import OrthogonalToBias, SparseOrthogonalToBias

from .reference import Long, canonical, centred, correlations, explained, orthonormal, residual, variances
from .tally import Tally, is_harmless

PROMISE = "a certificate says what the rows show, `holds()` is true of no more than 1e-8, a constant stays constant"
HOLDS = 1e-8
RANK_SHARE = 1e-13**0.5  # of its spread, by which a feature must differ from the others to count


@dataclass
class Problem:
    a: NDArray[np.floating]
    b: NDArray[np.floating]
    weights: NDArray[np.float64] | None
    estimator: Any
    words: str

    @property
    def condition(self) -> float:
        x = self.b - self.b.mean(axis=0)
        norms = np.linalg.norm(x, axis=0)
        values = np.linalg.svd(x[:, norms > 0] / norms[norms > 0], compute_uv=False)
        values = values[values > 1e-12]
        return float(values[0] / values[-1]) if len(values) else 1.0


def random_problem(rng: np.random.Generator) -> Problem:
    n, q, p = int(rng.integers(8, 200)), int(rng.integers(1, 9)), int(rng.integers(1, 5))
    b = rng.normal(size=(n, p))
    if rng.random() < 0.3:
        b = np.eye(p)[rng.integers(0, p, size=n)]  # a category, one column of which follows from the others
    if rng.random() < 0.2:
        b[:, 0] = b.sum(axis=1) * 10 ** rng.uniform(-6, 0) + b[:, -1]
    rank = int(rng.integers(1, q + 1)) if rng.random() < 0.4 else q
    a = (rng.normal(size=(n, rank)) + 10 ** rng.uniform(-2, 2) * b @ rng.normal(size=(p, rank))) @ rng.normal(
        size=(rank, q)
    )
    kinds = []
    for j in range(q):
        kind = rng.choice(
            ["plain", "unit", "shift", "constant", "zero", "rare", "b", "integer"], p=[0.4] + [0.6 / 7] * 7
        )
        kinds.append(str(kind))
        if kind == "unit":
            a[:, j] *= 10 ** rng.uniform(-30, 30)
        elif kind == "shift":
            a[:, j] += 10 ** rng.uniform(0, 6)
        elif kind == "constant":
            a[:, j] = rng.normal() * 10 ** rng.uniform(-5, 5)
        elif kind == "zero":
            a[:, j] = 0
        elif kind == "rare":
            a[:, j] = np.arange(n) == 0
        elif kind == "b":
            a[:, j] = b @ rng.normal(size=p)
        elif kind == "integer":
            a[:, j] = rng.integers(-3, 4, size=n)
    weights = None
    if rng.random() < 0.3:
        weights = rng.integers(0, 4, size=n).astype(float)
        weights[:2] = 1
    if rng.random() < 0.15:
        a, b = a.astype(np.float32), b.astype(np.float32)
    options: dict[str, Any] = {
        "mode": str(rng.choice(["aware", "blind"], p=[0.7, 0.3])),
        "standardize": bool(rng.random() < 0.7),
        "n_components": None if rng.random() < 0.5 else int(rng.integers(1, q + 1)),
        "min_level_rows": 0,  # the reference holds no feature
    }
    if rng.random() < 0.2:
        options["n_components"] = int(rng.integers(1, q + 1))
        estimator: Any = SparseOrthogonalToBias(**options)
    else:
        options["basis"] = str(rng.choice(["optimal", "paper"], p=[0.8, 0.2]))
        estimator = OrthogonalToBias(**options)
    words = f"n={n} q={q} p={p} rank={rank} {kinds} weights={weights is not None} {a.dtype} {estimator}"
    return Problem(a, b, weights, estimator, words)


def check(problem: Problem) -> tuple[str, list[str]]:
    try:
        fitted = problem.estimator.fit(problem.a, sensitive_features=problem.b, sample_weight=problem.weights)
        blind = problem.estimator.mode == "blind"
        fair = fitted.transform(problem.a, **({} if blind else {"sensitive_features": problem.b}))
        measured = fitted.certify(problem.a, sensitive_features=problem.b, sample_weight=problem.weights)
    except ValueError as refused:
        return "refused", [] if is_harmless(str(refused)) else [f"raw text: {refused!a}"]
    wrong = [f"{what}; {problem.words}" for what in differences(problem, fair, measured, fitted.certificate_)]
    if measured.holds(HOLDS):
        return "held", wrong
    if not fitted.certificate_.holds(HOLDS):
        return "did not hold, and said so", wrong
    why = "32-bit floats" if problem.a.dtype == np.float32 else "units apart" if has_odd_units(problem) else "rounding"
    return f"held of moments, not of rows, for {why}", wrong


def differences(problem: Problem, fair: NDArray[np.floating], measured: Any, fitted: Any) -> list[str]:
    weights = np.ones(len(fair)) if problem.weights is None else problem.weights
    weights = weights.astype(np.longdouble)
    used = weights > 0
    before, after, b = (centred(x[used], weights[used]) for x in (problem.a, fair, problem.b))
    out = []
    for j in range(fair.shape[1]):
        column = problem.a[used, j]
        if (column == column[0]).all() and not (fair[used, j] == fair[used, j][0]).all():
            out.append(f"constant {column[0]} came out as {np.ptp(fair[used, j])} wide")
    # A column counts as constant where its spread is within rounding of its mean (include/plumbline/certificate.h).
    for x, of in ((before, problem.a), (after, fair)):
        scale = abs(np.asarray(of[used], dtype=np.longdouble)).max(axis=0)
        x[:, np.sqrt((x**2).sum(axis=0) / weights[used].sum()) <= 16 * np.finfo(np.float64).eps * scale] = 0
    rounding = 1e-9 + 1e-14 * problem.condition
    for name, x, said in (("before", before, measured.before), ("after", after, measured.after)):
        found = float(correlations(x, b).max(initial=0))
        if abs(found - said.correlation.value) > rounding + 1e-6 * found:
            out.append(f"correlation {name} is {found:.3g}, and {said.correlation.value:.3g} was said")
        share = float(explained(x, b).max(initial=0))
        if abs(share - said.explained.value) > 1e-6 + min(1e-3, 1e-12 * problem.condition**2):
            out.append(f"explained {name} is {share:.3g}, and {said.explained.value:.3g} was said")
    for which, said in (("measured", measured), ("fitted", fitted)):
        out += [f"{which}: {what}" for what in wrong_sizes(problem, before, after, b, said)]
    if not has_odd_units(problem):
        of_rows = size_rounding(problem, np.sqrt((before**2).sum(axis=0)))
        for name, x, said in (("before", before, measured.before), ("after", after, measured.after)):
            out += [f"{name}: {what}" for what in wrong_canonical(x, b, said.canonical, of_rows)]
    strongest = float(correlations(after, b).max(initial=0))
    if measured.holds(HOLDS) and strongest > HOLDS * 1.001 + 1e-15 * problem.condition:
        out.append(f"the certificate holds at a correlation of {strongest:.3g}")
    if (
        fitted.holds(HOLDS)
        and not measured.holds(1e-6)
        and problem.a.dtype == np.float64
        and not has_odd_units(problem)
    ):
        out.append(f"the fit's certificate holds, and rows show {strongest:.3g}")
    return out


def wrong_sizes(problem: Problem, before: Long, after: Long, b: Long, said: Any) -> list[str]:
    """Counts, change, the least change, loss, variance by rank and canonical correlations that are not as said."""
    estimator = problem.estimator
    n, q = problem.a.shape
    weights = np.ones(n) if problem.weights is None else problem.weights
    counted = (said.rows, said.weight, said.features, said.sensitive)
    out = []
    if counted != (n, weights.sum(), q, problem.b.shape[1]):
        out.append(f"rows, weight, features and sensitive columns are said to be {counted}")
    lengths = np.sqrt((before**2).sum(axis=0))
    units = np.where(lengths > 0, lengths, 1) if estimator.standardize else np.ones(q)
    working, change = before / units, (after - before) / units
    whole = (working**2).sum()
    if whole == 0 or has_odd_units(problem):
        return out
    left = variances(residual(working, b))
    if said.rank > min(estimator.n_components or q, q):
        out.append(f"{said.rank} dimensions are kept, {estimator.n_components} were asked for")
    least = np.sqrt(max(0, float(1 - left[: said.rank].sum() / whole)))
    found = {
        "change": (float(np.sqrt((change**2).sum() / whole)), said.change),
        "least change": (least, said.minimum_change),
        "loss": (float(np.sqrt((change**2).sum() / whole)) - least, said.loss),
    }
    rounding = size_rounding(problem, lengths)
    for name, (value, was_said) in found.items():
        if was_said is None or abs(value - was_said) > rounding:
            out.append(f"{name} is {value:.3g}, and {was_said} was said")
    if left.sum() > 1e-9 * whole:
        shares = np.cumsum(left) / left.sum()
        if abs(shares - said.variance_by_rank[: len(shares)]).max() > rounding:
            out.append(f"variance by rank is {shares}, and {said.variance_by_rank} was said")
    return out


def size_rounding(problem: Problem, lengths: Long) -> float:
    """By how much the numbers of two computations may differ; what is returned as 32-bit floats differs by more."""
    of_b = 1e-6 + 1e-12 * problem.condition**2
    if problem.a.dtype == np.float64:
        return of_b
    spread = np.where(lengths > 0, lengths, np.inf) / np.sqrt(len(problem.a))
    return of_b + float((np.finfo(np.float32).eps * abs(problem.a).max(axis=0) / spread).max())


def wrong_canonical(a: Long, b: Long, said: NDArray[np.float64], rounding: float) -> list[str]:
    if len({orthonormal(a, share).shape[1] for share in (RANK_SHARE / 100, RANK_SHARE, 100 * RANK_SHARE)}) > 1:
        return []  # rounding decides whether a feature counts
    found = canonical(a, b, RANK_SHARE)
    if len(said) == len(found) and abs(found - said).max(initial=0) <= rounding:
        return []
    return [f"canonical correlations are {found}, and {said} was said"]


def has_odd_units(problem: Problem) -> bool:
    """The exception that include/plumbline/certificate.h names: only rows show what rounding of the largest left."""
    spread = problem.a.std(axis=0)
    spread = spread[spread > 0]
    reduced = problem.estimator.n_components is not None and not problem.estimator.standardize
    return reduced and len(spread) > 0 and spread.max() > 1e8 * spread.min()


def run(count: int, seed: int) -> Tally:
    tally = Tally("numeric problems", PROMISE)
    for one in range(count):
        rng = np.random.default_rng([seed, one])
        problem = random_problem(rng)
        end, wrong = check(problem)
        tally.add(end, [f"problem {one}: {what}" for what in wrong])
    return tally
