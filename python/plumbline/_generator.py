"""What rows would look like with other sensitive numbers, learned by an adversarial autoencoder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _core, _tables
from ._arrays import Floats
from ._progress import Progress
from ._sensitive_numbers import SEED, numbers_after, numbers_of

POSITIVE = Interval(Real, 0, None, closed="neither")
AT_LEAST_0 = Interval(Real, 0, None, closed="left")
COUNT = Interval(Integral, 1, 2**31 - 1, closed="both")
COUNT_OR_0 = Interval(Integral, 0, 2**31 - 1, closed="both")


class AdversarialGenerator(BaseEstimator):  # type: ignore[misc]
    """A generator of counterfactuals: the features of rows, had their sensitive numbers been others.

    A variational autoencoder whose latent part of a row is trained not to tell the sensitive numbers: an adversary
    guesses them from it, and the autoencoder is punished where the guess is good. A row is encoded with its own
    sensitive numbers and outcome, and decoded with others. It is the generator of the paper's Adv, after Grari et al.
    (2020).

    Parameters
    ----------
    encoder, decoder : sequences of int
        Units of the hidden layers.
    latent : int
        Dimensions of the latent part, from 1 to 64.
    adversary_weight : float
        How much the adversary counts; 0 is none.
    epochs, batch : int
        Rounds of training, and rows of a step.
    learning_rate : float
        Of all three networks.
    adversary_steps, first_adversary_steps : int
        Steps of the adversary before each of the others, and the same in the first epoch.
    random_state : int
        The same number gives the same bits.

    Attributes
    ----------
    feature_names_in_, n_features_in_
        Columns of X, as in all of scikit-learn.

    Examples
    --------
    >>> from plumbline.datasets import make_insurance
    >>> from plumbline.methods import AdversarialGenerator
    >>> prices = make_insurance(300)
    >>> X, b, y = prices[["A1", "A2", "A3", "A4"]], prices["b"], prices["y"]
    >>> generator = AdversarialGenerator(epochs=3, adversary_steps=5).fit(X, y, sensitive_features=b)
    >>> generator.counterfactuals(X, y, sensitive_features=b, to=b.max()).shape
    (300, 4)
    """

    __metadata_request__fit: ClassVar = {"sensitive_features": True, "progress": UNUSED}

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "encoder": ["array-like"],
        "decoder": ["array-like"],
        "latent": [Interval(Integral, 1, 64, closed="both")],
        "adversary_weight": [AT_LEAST_0],
        "epochs": [COUNT],
        "batch": [COUNT],
        "learning_rate": [POSITIVE],
        "adversary_steps": [COUNT_OR_0],
        "first_adversary_steps": [COUNT_OR_0],
        "random_state": [SEED],
    }

    _needs_outcome: ClassVar[bool] = True

    def __init__(
        self,
        *,
        encoder: Sequence[int] = (128, 64, 32),
        decoder: Sequence[int] = (60,),
        latent: int = 5,
        adversary_weight: float = 100.0,
        epochs: int = 100,
        batch: int = 512,
        learning_rate: float = 1e-3,
        adversary_steps: int = 50,
        first_adversary_steps: int = 300,
        random_state: int = 0,
    ):
        self.encoder = encoder
        self.decoder = decoder
        self.latent = latent
        self.adversary_weight = adversary_weight
        self.epochs = epochs
        self.batch = batch
        self.learning_rate = learning_rate
        self.adversary_steps = adversary_steps
        self.first_adversary_steps = first_adversary_steps
        self.random_state = random_state

    def fit(self, X: Any, y: Any, *, sensitive_features: Any = None, progress: bool = False) -> AdversarialGenerator:
        """Learn from rows, their outcomes and their sensitive numbers.

        Parameters
        ----------
        X : array or frame of shape (n, q)
        y : array of shape (n,)
        sensitive_features : array, series or frame of shape (n,) or (n, p)
        progress : bool
            Show a bar.
        """
        self._validate_params()
        a, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        b, names = numbers_of(sensitive_features, a)
        with Progress(progress, "generator", self.epochs, "epochs") as bar:
            self._engine = _core.AdversarialVae(a, b, y.astype(np.float64), self._options(), bar.reporter())
        self._sensitive_names = names
        return self

    def _options(self) -> _core.VaeOptions:
        out = _core.VaeOptions()
        out.encoder, out.decoder = widths_of("encoder", self.encoder), widths_of("decoder", self.decoder)
        out.latent = int(self.latent)
        out.adversary_weight = float(self.adversary_weight)
        out.epochs, out.batch, out.learning_rate = int(self.epochs), int(self.batch), float(self.learning_rate)
        out.adversary_steps = int(self.adversary_steps)
        out.first_adversary_steps = int(self.first_adversary_steps)
        out.seed = int(self.random_state)
        return out

    def infer(self, X: Any, y: Any, *, sensitive_features: Any = None) -> Floats:
        """The latent part of rows, from which the adversary was to guess the sensitive numbers.

        Parameters
        ----------
        X, y, sensitive_features
            The rows, as of `fit`.

        Returns
        -------
        array of shape (n, latent)
        """
        return self._latent(*self._rows(X, y, sensitive_features))

    def counterfactuals(self, X: Any, y: Any, *, sensitive_features: Any = None, to: ArrayLike) -> Any:
        """The features of rows, had their sensitive numbers been others.

        Parameters
        ----------
        X, y, sensitive_features
            The rows as they are.
        to : float, or array of shape (p,), (n,) or (n, p)
            The other numbers: the same for all rows, or some for each. Of shape (n,) where p is 1.

        Returns
        -------
        array or frame of shape (n, q)
            In the units of X and of its kind. Rows with their own numbers come back as the generator sees them, which
            is not exactly as they are.
        """
        a, b, y = self._rows(X, y, sensitive_features)
        there = np.asarray(to, dtype=np.float64)
        if there.shape == (len(b),) and b.shape[1] == 1:
            there = there.reshape(-1, 1)
        if there.shape not in ((), (b.shape[1],), b.shape) or (there.ndim == 0 and b.shape[1] != 1):
            raise _core.Error(
                f"to has shape {there.shape}; it must be one number a sensitive column, or have the shape of the "
                f"sensitive columns, {b.shape}"
            )
        if not np.isfinite(there).all():
            raise _core.Error("to has a cell that is not finite; cells must be numbers")
        out: Floats = self._engine.decode(self._latent(a, b, y), np.broadcast_to(there, b.shape))
        table = _tables.read(X, self)
        names = list(X.columns) if table.kind == "pandas" else table.labels
        return _tables.wrapped(table, iter([finite(out, "to")]), names)

    def _gap(
        self, predict: Callable[..., Floats], a: Floats, b: Floats, y: Floats, others: Floats, draws: int, seed: int
    ) -> tuple[float, float]:
        """Of `plumbline.metrics.continuous_counterfactual_gap`."""
        return self._engine.gap(predict, a, b, y, others, draws, seed)

    def _rows(self, X: Any, y: Any, sensitive_features: Any) -> tuple[Floats, Floats, Floats]:
        check_is_fitted(self)
        a, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True, reset=False)
        return a, numbers_after(self, sensitive_features, a), y.astype(np.float64)

    def _latent(self, a: Floats, b: Floats, y: Floats) -> Floats:
        out: Floats = self._engine.infer(a, b, y)
        return finite(out, "sensitive_features or y")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_engine")

    _engine: _core.AdversarialVae
    _sensitive_names: list[str] | None
    n_features_in_: int


def widths_of(name: str, layers: Any) -> list[int]:
    """Units of hidden layers."""
    out = list(layers)
    if not all(isinstance(width, Integral) and 1 <= int(width) < 2**31 for width in out):
        raise _core.Error(f"{name} is {layers!r}; it must be a list of whole numbers, each at least 1")
    return [int(width) for width in out]


def finite(out: Floats, what: str) -> Floats:
    """What a network of floats gives, unless numbers too large for it went in."""
    if not np.isfinite(out).all():
        raise _core.Error(f"{what} has a number too far from those of the fit; scaled, it must fit a 32-bit float")
    return out
