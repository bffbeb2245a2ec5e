"""What methods share that fit estimators of scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar

from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metadata_routing import UNUSED

from ._arrays import Floats
from ._generator import COUNT, SEED
from ._progress import Progress


class FairPredictor(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Predictors that the engine asks to be fitted, and kept, so that pickles hold them."""

    __metadata_request__fit: ClassVar = {"sensitive_features": True, "progress": UNUSED}
    __metadata_request__predict: ClassVar = {"sensitive_features": True}

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "method": [str],
        "n_components": [None, COUNT, Interval(Real, 0, 1, closed="right")],
        "basis": [StrOptions({"optimal", "paper"})],
        "random_state": [None, SEED],
    }

    estimator: Any
    method: str
    n_components: int | float | None
    basis: str
    random_state: int
    estimators_: list[Any]
    n_features_in_: int

    def _recipe(self, n_features: int) -> dict[str, Any]:
        """What the engine is told by the parameters, kept so that they may change after the fit."""
        method = "sob" if self.method.startswith("SOB") else "ob"
        every = n_features if method == "sob" else None
        options = {
            "method": method,
            "basis": self.basis,
            "n_components": every if self.n_components is None else self.n_components,
            "seed": int(self.random_state or 0),
        }
        return {"name": self.method, "options": options}

    def _fit_to(self, *training: Any, progress: bool) -> None:
        """Fits the engine to rows; what was there before stays if that fails."""
        estimators: list[Any] = []
        with Progress(progress, f"fit of {self.method}", 1, "predictors") as bar:
            engine = self._prepare(training, estimators)
            bar.add(1)
        self._training, self.estimators_, self._engine = training, estimators, engine

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
            self._engine = self._prepare(self._training, self.estimators_)

    def _prepare(self, training: tuple[Any, ...], estimators: list[Any]) -> Any:
        raise NotImplementedError

    _engine: Any
    _training: tuple[Any, ...]
    _sensitive_names: list[str] | None
