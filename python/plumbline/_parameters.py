"""Parameters of both transformers, and what they tell the engine."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions

from . import _core


def rank_of(n_components: int | float | None) -> dict[str, int | float]:
    """`n_components` as the engine takes it: a number of components or a share of the variance; both 0 is all."""
    if n_components is None or isinstance(n_components, Integral):
        return {"components": int(n_components or 0), "share": 0.0}
    return {"components": 0, "share": float(n_components)}


class Parameters(BaseEstimator):  # type: ignore[misc]
    """What both transformers are told, as options of a fit."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "sensitive_feature_ids": [None, str, Integral, "array-like"],
        "n_components": [None, Interval(Integral, 1, 2**31 - 1, closed="both"), Interval(Real, 0, 1, closed="right")],
        "mode": [StrOptions({"aware", "blind"})],
        "alpha": [Interval(Real, 0, 1, closed="both")],
        "expand": [None, str, dict, "array-like"],
        "standardize": ["boolean"],
        "missing": [StrOptions({"error", "drop", "mean"})],
        "unknown": [StrOptions({"error", "ignore"})],
    }

    sensitive_feature_ids: Any
    n_components: int | float | None
    mode: str
    alpha: float
    expand: Any
    standardize: bool
    missing: str
    unknown: str

    def _method(self) -> dict[str, Any]:
        raise NotImplementedError

    def _starts(self) -> dict[str, Any]:
        """Options that draw from a random state, so they are asked for once a fit."""
        return {}

    def _components(self, n_features: int) -> int | float | None:
        return self.n_components

    def _told(self, n_features: int) -> dict[str, Any]:
        """All options but those of `_starts`."""
        return {
            "mode": self.mode,
            **rank_of(self._components(n_features)),
            "alpha": float(self.alpha),
            "standardize": bool(self.standardize),
            **self._method(),
        }

    def _options(self, n_features: int, **starts: Any) -> _core.FitOptions:
        return _core.FitOptions(**self._told(n_features), **starts)
