"""What methods share that fit estimators of scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.exceptions import ConvergenceWarning

from . import _core

Floats = NDArray[np.float64]


class FairPredictor(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Predictors that the engine asks to be fitted, and kept, so that pickles hold them."""

    __metadata_request__fit: ClassVar = {"sensitive_features": True}
    __metadata_request__predict: ClassVar = {"sensitive_features": True}

    estimator: Any
    method: str
    n_components: int | float | None
    basis: str
    random_state: int
    estimators_: list[Any]
    n_features_in_: int

    def _options(self, method: str, n_features: int) -> _core.FitOptions:
        count, share = 0, 0.0
        if self.n_components is not None:
            is_share = isinstance(self.n_components, float)
            count, share = (0, self.n_components) if is_share else (int(self.n_components), 0.0)
        elif method == "sob":
            count = n_features
        return _core.FitOptions(
            method=method, basis=self.basis, components=count, share=share, seed=int(self.random_state or 0)
        )

    def _learner(self, predict: Callable[[Any, Floats], Floats], fitted: list[Any]) -> Callable[..., Any]:
        """Fits clones of the estimator, or, after a pickle, hands out those that were fitted."""
        again = iter(list(fitted))

        def learn(x: Floats, y: Floats) -> Callable[[Floats], Floats]:
            one = next(again, None)
            if one is None:
                one = self._fit_one(x, y)
                fitted.append(one)
            return lambda later: predict(one, later)

        return learn

    def _fit_one(self, x: Floats, y: Floats) -> Any:
        raise NotImplementedError

    def _warn(self) -> None:
        for sentence in self._engine.warnings:
            warnings.warn(sentence, ConvergenceWarning, stacklevel=3)

    def __getstate__(self) -> dict[str, Any]:
        """Without the engine's half, which is made again from the training rows and the fitted estimators."""
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_engine"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "_training" in state:
            self._engine = self._prepare()

    def _prepare(self) -> Any:
        raise NotImplementedError

    _engine: Any
    _training: tuple[Any, ...]
