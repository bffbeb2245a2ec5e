"""The paper's Adv: a perceptron that is punished for telling rows from their counterfactuals."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone
from sklearn.utils._param_validation import HasMethods, Interval
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _core
from ._arrays import Floats
from ._generator import AT_LEAST_0, COUNT, POSITIVE, AdversarialGenerator, finite, widths_of
from ._progress import Progress
from ._sensitive_numbers import SEED, SensitiveRegressor, numbers_after, numbers_of


class AdversarialRegressor(SensitiveRegressor, BaseEstimator):  # type: ignore[misc]
    """The paper's Adv: predictions that hardly change where a generator changes the sensitive numbers.

    A perceptron f of features and sensitive numbers makes small::

        mean (f(a, b) - y)^2 + penalty * mean over draws b' of (f(a of b', b') - f(a of b, b))^2

    where a of b' is what the generator makes of a row with b', drawn between the smallest and the largest number.

    Parameters
    ----------
    generator : AdversarialGenerator or None
        None is one with its defaults and this random_state. A copy of it is fitted to the same rows; to share one that
        is fitted among several regressors, wrap it in ``sklearn.frozen.FrozenEstimator``.
    penalty : float
        The paper's lambda: 0 is a plain perceptron.
    draws : int
        Of b' for each row of each step, from 1 to 1,000.
    hidden : sequence of int
        Units of the hidden layers.
    epochs, batch : int
        Rounds of training, and rows of a step.
    learning_rate : float
    random_state : int
        The same number gives the same bits, on any number of cores; all of them are used, or as many as
        OMP_NUM_THREADS says.

    Attributes
    ----------
    generator_ : the fitted generator
    feature_names_in_, n_features_in_
        Columns of X, as in all of scikit-learn.

    Notes
    -----
    Fair by its own generator is what it is trained to be. `plumbline.metrics.continuous_counterfactual_gap` asks
    another one, or lines.

    Examples
    --------
    >>> from plumbline.datasets import make_insurance
    >>> from plumbline.methods import AdversarialGenerator, AdversarialRegressor
    >>> prices = make_insurance(300)
    >>> X, b, y = prices[["A1", "A2", "A3", "A4"]], prices["b"], prices["y"]
    >>> quick = AdversarialGenerator(epochs=3, adversary_steps=5)
    >>> model = AdversarialRegressor(quick, penalty=0.5, draws=2, epochs=5).fit(X, y, sensitive_features=b)
    >>> model.predict(X, sensitive_features=b).shape
    (300,)
    >>> older = model.counterfactuals(X, y, sensitive_features=b, to=b.max())
    >>> model.predict(older, sensitive_features=0 * b + b.max()).shape
    (300,)
    """

    __metadata_request__fit: ClassVar = {"sensitive_features": True, "progress": UNUSED}
    __metadata_request__predict: ClassVar = {"sensitive_features": True}

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "generator": [None, HasMethods(["fit", "counterfactuals"])],
        "penalty": [AT_LEAST_0],
        "draws": [Interval(Integral, 1, 1000, closed="both")],
        "hidden": ["array-like"],
        "epochs": [COUNT],
        "batch": [COUNT],
        "learning_rate": [POSITIVE],
        "random_state": [SEED],
    }

    def __init__(
        self,
        generator: Any = None,
        *,
        penalty: float = 0.1,
        draws: int = 20,
        hidden: Sequence[int] = (64, 32, 16),
        epochs: int = 2000,
        batch: int = 256,
        learning_rate: float = 1e-4,
        random_state: int = 0,
    ):
        self.generator = generator
        self.penalty = penalty
        self.draws = draws
        self.hidden = hidden
        self.epochs = epochs
        self.batch = batch
        self.learning_rate = learning_rate
        self.random_state = random_state

    def fit(self, X: Any, y: Any, *, sensitive_features: Any = None, progress: bool = False) -> AdversarialRegressor:
        """Fit a generator, then the perceptron, to rows, their outcomes and their sensitive numbers.

        Parameters
        ----------
        X : array or frame of shape (n, q)
        y : array of shape (n,)
        sensitive_features : array, series or frame of shape (n,) or (n, p)
        progress : bool
            Show a bar for each of the two.
        """
        self._validate_params()
        options = self._options()
        a, outcome = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        b, names = numbers_of(sensitive_features, a)
        default = AdversarialGenerator(random_state=self.random_state)
        generator = clone(default if self.generator is None else self.generator)
        generator.fit(X, y, sensitive_features=sensitive_features, progress=progress)
        if not isinstance(getattr(generator, "_engine", None), _core.AdversarialVae):
            raise _core.Error(
                f"generator is of type {type(generator).__name__}; Adv is trained through the network of an "
                "AdversarialGenerator"
            )
        with Progress(progress, "predictor", self.epochs, "epochs") as bar:
            engine = _core.fit_adversarial(a, b, outcome.astype(np.float64), generator._engine, options, bar.reporter())
        self.generator_, self._engine, self._sensitive_names = generator, engine, names
        return self

    def _options(self) -> _core.AdversarialOptions:
        out = _core.AdversarialOptions()
        out.penalty, out.draws, out.hidden = float(self.penalty), int(self.draws), widths_of("hidden", self.hidden)
        out.epochs, out.batch, out.learning_rate = int(self.epochs), int(self.batch), float(self.learning_rate)
        out.seed = int(self.random_state)
        return out

    def predict(self, X: Any, *, sensitive_features: Any = None) -> Floats:
        """Predictions of rows, given their sensitive numbers.

        Parameters
        ----------
        X : array or frame of shape (n, q)
        sensitive_features : array, series or frame of shape (n,) or (n, p)

        Returns
        -------
        array of shape (n,)
        """
        check_is_fitted(self)
        a = validate_data(self, X, dtype=np.float64, reset=False)
        out: Floats = self._engine.predict(a, numbers_after(self, sensitive_features, a))
        return finite(out, "sensitive_features")

    def counterfactuals(self, X: Any, y: Any, *, sensitive_features: Any = None, to: ArrayLike) -> Any:
        """The features of rows, had their sensitive numbers been others.

        Parameters
        ----------
        X, y, sensitive_features, to
            As of `AdversarialGenerator.counterfactuals`.

        Returns
        -------
        array or frame of shape (n, q)
        """
        check_is_fitted(self)
        return self.generator_.counterfactuals(X, y, sensitive_features=sensitive_features, to=to)

    _engine: _core.AdversarialMethod
    _sensitive_names: list[str] | None
    generator_: Any
    n_features_in_: int
