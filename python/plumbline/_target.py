"""The target, as far as the price of fairness needs it: numbers, or two labels as 0 and 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core

_NUMBERS = "biuf"  # kinds of NumPy


@dataclass(frozen=True)
class Target:
    """A target with a price."""

    values: NDArray[np.float64]
    levels: list[str]  # of labels: the one that is 0 and the one that is 1
    name: str = "y"

    @classmethod
    def of(cls, y: Any, n_rows: int) -> Target | None:
        """None of what has no price, such as several targets or more than two labels; nothing is refused here."""
        if y is None:
            return None
        try:
            values = np.asarray(y)
            if values.ndim == 2 and values.shape[1] == 1:
                values = values[:, 0]
            if values.shape != (n_rows,):
                return None
            name = getattr(y, "name", None)
            name = name if isinstance(name, str) and name else "y"
            if values.dtype.kind in _NUMBERS:
                return cls(np.ascontiguousarray(values, dtype=np.float64), [], name)
            levels, codes = np.unique(values, return_inverse=True)
            if not all(isinstance(level, str) for level in levels.tolist()):
                return cls(np.ascontiguousarray(values.astype(np.float64)), [], name)
        except (TypeError, ValueError):
            return None
        if len(levels) != 2:
            return None
        return cls(np.ascontiguousarray(codes.reshape(-1), dtype=np.float64), [str(one) for one in levels], name)

    def name_beside(self, names: Sequence[str]) -> str:
        """A name that no other column has."""
        name = self.name
        while name in names:
            name = f"({name})"
        return name


def with_predictions(
    certificate: _core.Certificate, price: _core.Price | None, y: Any, predictions: ArrayLike, weights: Any
) -> _core.Certificate:
    """The certificate of rows, with what is known of predictions of their target."""
    if price is None:
        raise _core.Error("predictions need a fit that was given y, so that its certificate has a price")
    if y is None:
        raise _core.Error("predictions are given without y, which they are compared with")
    given = np.asarray(predictions, dtype=np.float64)
    if given.ndim == 2 and given.shape[1] == 1:
        given = given[:, 0]
    truth = np.asarray(y)
    if truth.ndim == 2 and truth.shape[1] == 1:
        truth = truth[:, 0]
    if given.ndim != 1 or given.shape != truth.shape:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {[len(truth), len(given)]}")
    if price.levels:
        unknown = sorted({str(one) for one in np.unique(truth)} - set(price.levels))
        if unknown:
            raise _core.Error(f"y has the label {unknown[0]!r}; the fit had {price.levels[0]!r} and {price.levels[1]!r}")
        truth = truth == price.levels[1]
    errors = (truth.astype(np.float64) - given) ** 2
    if not np.isfinite(errors).all():
        raise _core.Error("y or predictions have a cell that is missing or infinite")
    each = None if weights is None else np.broadcast_to(np.asarray(weights, dtype=np.float64), errors.shape)
    return _core.with_predictions(certificate, price, "predictions", float(np.average(errors, weights=each)))
