"""The certificate's numbers, computed from the rows alone, in long doubles: none of Plumbline's code is used."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Long = NDArray[np.longdouble]


def centred(x: NDArray[np.floating], weights: Long) -> Long:
    """√w (x − mean), of long doubles."""
    wide = np.asarray(x, dtype=np.longdouble)
    mean = (weights[:, None] * wide).sum(axis=0) / weights.sum()
    return (wide - mean) * np.sqrt(weights)[:, None]


def orthonormal(x: Long, share: float) -> Long:
    """Columns that span those of x, by Gram and Schmidt, twice, largest first; a column that keeps no more than that
    share of its length is one of the others."""
    left = x.copy()
    length = np.sqrt((x**2).sum(axis=0))
    out: list[Long] = []
    for _ in range(x.shape[1]):
        rest = np.sqrt((left**2).sum(axis=0))
        kept = np.where(rest > share * length, rest / np.where(length > 0, length, 1), 0)
        at = int(np.argmax(kept))
        if kept[at] == 0:
            break
        one = left[:, at] / rest[at]
        for _ in range(2):
            for other in out:
                one = one - other * (other @ one)
            one = one / np.sqrt(one @ one)
        out.append(one)
        left -= np.outer(one, one @ left)
        left -= np.outer(one, one @ left)
    return np.stack(out, axis=1) if out else np.empty((len(x), 0), dtype=np.longdouble)


def correlations(a: Long, b: Long) -> Long:
    """|corr| of each pair; 0 where one has no spread."""
    of_a, of_b = np.sqrt((a**2).sum(axis=0)), np.sqrt((b**2).sum(axis=0))
    scale = np.outer(np.where(of_a > 0, of_a, np.inf), np.where(of_b > 0, of_b, np.inf))
    return abs(a.T @ b) / scale


def explained(a: Long, b: Long) -> Long:
    """R² of each column of a on all of b."""
    base = orthonormal(b, 1e-9)
    whole = (a**2).sum(axis=0)
    return ((base.T @ a) ** 2).sum(axis=0) / np.where(whole > 0, whole, np.inf)


def canonical(a: Long, b: Long, share: float) -> NDArray[np.float64]:
    """Cosines of the angles between the spaces that the columns of a and of b span, largest first."""
    cosines = np.asarray(orthonormal(a, share).T @ orthonormal(b, 1e-9), dtype=np.float64)
    return np.linalg.svd(cosines, compute_uv=False) if cosines.size else np.empty(0)


def residual(a: Long, b: Long) -> Long:
    """What is left of each column of a beyond all of b."""
    base = orthonormal(b, 1e-9)
    left = a - base @ (base.T @ a)
    return left - base @ (base.T @ left)


def variances(x: Long) -> NDArray[np.float64]:
    """Eigenvalues of the covariances, largest first, as shares of the largest column."""
    return np.linalg.svd(np.asarray(x, dtype=np.float64), compute_uv=False) ** 2
