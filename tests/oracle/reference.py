"""Random cases, textbook linear algebra on rows, and how exact a comparison may be asked to be.

Everything here works on the n rows themselves (least squares, QR, SVD); the library works on second moments alone.

Tolerances follow from two facts. An entry of the library's correlation matrices is a sum over tiles of 512 rows, whose
rounding errors have random signs: it is off by about √512 ε, which ROUNDING rounds up. What this does to a result is
first-order perturbation theory, written out with each function below. All are for columns in units of their spread.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .library import Case, Matrix, matrix

EPS = float(np.finfo(np.float64).eps)
ROUNDING = 32 * EPS
SEEDS = range(12)


def weights_of(case: Case) -> Matrix:
    return np.ones(len(case.a)) if case.weights is None else case.weights


def mean(x: Matrix, w: Matrix) -> Matrix:
    """In two passes, for one loses as many digits as the mean has more than the spread."""
    first = w @ x / w.sum()
    return first + w @ (x - first) / w.sum()


def centred(x: Matrix, w: Matrix) -> Matrix:
    return x - mean(x, w)


def rms(x: Matrix, w: Matrix) -> Matrix:
    """Of each column."""
    return np.sqrt(mean(x**2, w))


def size(x: Matrix, w: Matrix) -> float:
    """‖x‖ / √n, the rows weighted: its square is a sum of second moments."""
    return float(np.linalg.norm(rms(x, w)))


def deviations(x: Matrix, w: Matrix) -> Matrix:
    return rms(centred(x, w), w)


def standardised(x: Matrix, w: Matrix) -> Matrix:
    spread = deviations(x, w)
    return centred(x, w) / np.where(spread > 8 * EPS * np.abs(mean(x, w)), spread, 1)


def slopes(b: Matrix, y: Matrix, w: Matrix) -> Matrix:
    """Of the least squares regression of y on b and an intercept; the shortest if b is collinear. Both are centred
    first, for lstsq would lose in digits what their means exceed their spreads by."""
    root = np.sqrt(w)[:, None]
    return matrix(np.linalg.lstsq(root * centred(b, w), root * centred(y, w), rcond=None)[0])


def residuals(y: Matrix, b: Matrix, w: Matrix) -> Matrix:
    return centred(y, w) - centred(b, w) @ slopes(b, y, w)


@dataclass(frozen=True)
class Work:
    """A case in working units: x = (a − mean) / scale, r = what is left of x once b is removed."""

    w: Matrix
    mean: Matrix
    scale: Matrix
    x: Matrix
    r: Matrix
    regression_error: float
    covariance_error: float

    @property
    def root(self) -> Matrix:
        return np.sqrt(self.w / self.w.sum())[:, None]

    def back(self, x: Matrix) -> Matrix:
        return self.mean + self.scale * x

    def distance(self, fair: Matrix, expected: Matrix) -> float:
        """Of two tables, in working units, relative to A."""
        return size((fair - expected) / self.scale, self.w) / size(self.x, self.w)


def work(case: Case, b: Matrix | None = None) -> Work:
    """`b` in place of the case's own, where that is expanded."""
    w = weights_of(case)
    scale = deviations(case.a, w) if case.options.get("standardize", True) else np.ones(case.a.shape[1])
    x = centred(case.a, w) / scale
    z = standardised(case.b if b is None else b, w)
    values = np.linalg.svd(np.sqrt(w / w.sum())[:, None] * z, compute_uv=False)
    kept = values[values > values[0] * np.sqrt(z.shape[1] * EPS)]
    slope = float(np.linalg.norm(slopes(z, standardised(case.a, w), w), 2))
    dimension = case.a.shape[1] + z.shape[1]
    # δΛ = Σ_BB⁻¹ (δΣ_BA − δΣ_BB Λ), and B δΛ is √Σ_BB δΛ in size. Then the mean is added, and the sum rounded.
    offset = np.max(np.abs(mean(case.a, w)) / deviations(case.a, w))
    regression = ROUNDING * dimension * (1 + slope) / kept[-1] + EPS * offset
    # δΣ_A|B = δΣ_AA − ΛᵀδΣ_BA − δΣ_AB Λ + ΛᵀδΣ_BB Λ
    covariance = ROUNDING * dimension * (1 + slope) ** 2
    return Work(w, mean(case.a, w), scale, x, residuals(x, z, w), regression, covariance)


def spectrum(work: Work) -> tuple[Matrix, Matrix]:
    """Eigenvalues, falling, and eigenvectors of the covariance of r, from the SVD of its rows."""
    _, values, vectors = np.linalg.svd(work.root * work.r, full_matrices=False)
    return values**2, vectors.T


def eigenspace_error(work: Work, values: Matrix, k: int) -> float:
    """Davis and Kahan: the top-k eigenspace turns by at most ‖δΣ‖ over the gap below λ_k; the result of rank k turns
    with it, and has the error of r itself. The norm of Σ_AA bounds that of all others."""
    gap = values[k - 1] - (values[k] if k < len(values) else 0)
    largest = np.linalg.norm(work.root * work.x, 2) ** 2
    return 2 * work.covariance_error * largest / gap + work.regression_error


def rank_with_gap(rng: np.random.Generator, values: Matrix) -> int:
    """A rank below full, of those whose eigenspace is well determined."""
    return int(rng.choice(1 + np.flatnonzero(-np.diff(values) > 0.02 * values[0])))


def random_features(rng: np.random.Generator, b: Matrix, features: int) -> Matrix:
    """That depend on b linearly and on each other, with means and spreads of their own."""
    n, p = b.shape
    latent = int(rng.integers(1, features + 1))
    a = b @ rng.normal(size=(p, features)) + rng.normal(size=(n, latent)) @ rng.normal(size=(latent, features))
    a += rng.normal(size=(n, features))
    return a * np.exp(rng.uniform(-3, 3, features)) + rng.uniform(-10, 10, features)


def random_case(rng: np.random.Generator, rows: tuple[int, int] = (60, 500)) -> Case:
    p = int(rng.integers(1, 5))
    b = rng.normal(size=(int(rng.integers(*rows)), p)) @ (np.eye(p) + rng.uniform(-0.5, 0.5, (p, p)))
    return Case(random_features(rng, b, p + int(rng.integers(1, 9))), b + rng.uniform(-5, 5, p))


def random_weights(rng: np.random.Generator, n: int) -> Matrix:
    """Uneven, and some of them zero."""
    return np.where(rng.random(n) < 0.1, 0.0, rng.gamma(2.0, size=n))


def one_hot(codes: Matrix) -> Matrix:
    return (codes[:, None] == np.unique(codes)).astype(np.float64)


def max_correlation(x: Matrix, y: Matrix, w: Matrix | None = None) -> float:
    """max |corr(x_j, y_l)| by the weighted covariance; columns without spread count as uncorrelated."""
    c = np.cov(x, y, rowvar=False, aweights=w, ddof=0)
    d = np.sqrt(np.diag(c))
    q = x.shape[1]
    scale = np.outer(d[:q], d[q:])
    return float(np.max(np.abs(c[:q, q:])[scale > 0] / scale[scale > 0], initial=0))
