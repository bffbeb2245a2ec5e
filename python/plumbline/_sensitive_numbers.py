"""Numbers that are given: sensitive columns beside the features, counts and seeds."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils import check_array
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_consistent_length

from . import _core, _names
from ._arrays import Floats
from ._scorer import how_to_hand_on

SEED = Interval(Integral, 0, 2**63 - 1, closed="both")


def numbers_of(sensitive_features: Any, X: Floats) -> tuple[Floats, list[str] | None]:
    """The sensitive numbers of the rows of X, a column each, and the names of the columns if they have some."""
    if sensitive_features is None:
        raise _core.Error(
            f"sensitive_features is not given; the method needs the sensitive numbers of each row; {how_to_hand_on()}"
        )
    b: Floats = check_array(
        sensitive_features, dtype=np.float64, ensure_2d=False, input_name="sensitive_features", allow_nd=False
    )
    check_consistent_length(X, b)
    return b.reshape(-1, 1) if b.ndim == 1 else b, _names.of_columns(sensitive_features)


def numbers_after(estimator: Any, sensitive_features: Any, X: Floats) -> Floats:
    """The same after a fit, of the columns that it had."""
    b, names = numbers_of(sensitive_features, X)
    _names.check_sensitive(estimator, names, estimator._sensitive_names)
    return b


def whole_number(name: str, value: Any, least: int = 0, most: int = 2**63 - 1) -> int:
    """A count or a seed, as the engine takes it."""
    if not isinstance(value, Integral) or not least <= int(value) <= most:
        raise _core.Error(f"{name} is {value!r}; it must be a whole number from {least} to {most}")
    return int(value)


class SensitiveRegressor(RegressorMixin):  # type: ignore[misc]
    """A regressor that predicts from features and sensitive numbers."""

    __metadata_request__score: ClassVar = {"sensitive_features": True}

    def predict(self, X: Any, *, sensitive_features: Any = None) -> Floats:
        raise NotImplementedError

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None, *, sensitive_features: Any = None) -> float:
        """R squared of the predictions.

        Parameters
        ----------
        X, sensitive_features
            As of `predict`.
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
        """
        predicted = self.predict(X, sensitive_features=sensitive_features)
        return float(r2_score(y, predicted, sample_weight=sample_weight))
