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
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _core
from ._arrays import Floats
from ._fair_scores import FairScores
from ._feature_encoder import features_of, fitted_encoder, keep_columns
from ._generator import COUNT
from ._progress import Progress
from ._scorer import how_to_hand_on
from ._sensitive_numbers import SEED


class FairPredictor(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Predictors that the engine asks to be fitted, and kept, so that pickles hold them."""

    __metadata_request__fit: ClassVar = {"sensitive_features": True, "progress": UNUSED}
    __metadata_request__predict: ClassVar = {"sensitive_features": True}

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "method": [str],
        "n_components": [None, COUNT, Interval(Real, 0, 1, closed="right")],
        "basis": [StrOptions({"optimal", "paper"})],
        "on": [StrOptions({"features", "scores"})],
        "random_state": [None, SEED],
    }

    estimator: Any
    method: str
    n_components: int | float | None
    basis: str
    on: str
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
        self.__dict__.pop("_scores", None)

    def _fit_scores(
        self, default: Any, X: Any, y: Any, sensitive_features: Any, *, classifies: bool, progress: bool
    ) -> None:
        """The same of scores. An estimator of the caller's sees X as it is; the default one wants numbers."""
        encoder, encoded = fitted_encoder(X, sensitive_features) if self.estimator is None else (None, None)
        estimator, seed = default if self.estimator is None else self.estimator, int(self.random_state or 0)
        with Progress(progress, "fit of fair scores", 1, "predictors") as bar:
            rows = X if encoded is None else encoded
            scores = FairScores(estimator, rows, y, sensitive_features, classifies=classifies, seed=seed)
            bar.add(1)
        if encoder is None:
            validate_data(self, X, skip_check_array=True)
        keep_columns(self, encoder)
        self._scores, self.estimators_ = scores, [scores.estimator]
        for name in ("_training", "_engine", "groups_"):
            self.__dict__.pop(name, None)

    def _fair_scores(self, X: Any, sensitive_features: Any) -> Floats:
        if sensitive_features is None:
            raise _core.Error(
                f"sensitive_features is not given; fair scores need the sensitive columns of each row; "
                f"{how_to_hand_on()}"
            )
        if self._encoder is not None:
            return self._scores.predict(features_of(self, X), sensitive_features)
        validate_data(self, X, reset=False, skip_check_array=True)
        return self._scores.predict(X, sensitive_features)

    @property
    def certificate_(self) -> _core.Certificate:
        """Of ``on="scores"``: what the map of the scores does, and what models can still read back from them."""
        check_is_fitted(self)
        if not hasattr(self, "_scores"):
            raise AttributeError("certificate_ is of the map of scores, and there is one with on='scores' alone")
        return self._scores.map.certificate_

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
    _encoder: Any
    _scores: FairScores
    _training: tuple[Any, ...]
    _sensitive_names: list[str] | None
