"""What a fitted transformer tells: attributes, names of columns, and its model as text."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from . import _core
from ._arrays import Floats
from ._learned import Learned


class Fitted:
    """Holds what a fit has learned, and tells it."""

    feature_names_in_: NDArray[np.object_]
    n_features_in_: int
    n_dropped_: int
    n_filled_: int
    _learned: Learned

    def _fitted(self) -> Learned:
        learned: Learned | None = getattr(self, "_learned", None)
        if learned is None:
            check_is_fitted(self)
        return self._learned

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_learned")

    @property
    def certificate_(self) -> _core.Certificate:
        """What the fit did to the rows that it saw, and what models can still read back, as `probe` asked."""
        return self._fitted().probed.certificate

    @property
    def components_(self) -> Floats | None:
        """What a unit of each score adds to the features, (k, q); None where all q dimensions are kept."""
        fitted = self._fitted().fit
        return fitted.output.T.copy() if fitted.scores else None

    @property
    def coef_(self) -> Floats:
        """With which factors the sensitive columns, or their terms with `expand`, enter the result, (q, p).

        They are in the order in which X has them, whatever that of `sensitive_feature_ids`, or `sensitive_features` if
        they were given apart. 0 in blind mode. This, `feature_coef_` and `intercept_` are there if ``remove="mean"``:
        no other map is affine.
        """
        return self._affine("coef_").dense_b

    @property
    def feature_coef_(self) -> Floats:
        """The same of the features, (q, q): result = intercept_ + A @ feature_coef_.T + φ(B) @ coef_.T.

        φ(B) is B itself without `expand`.
        """
        return self._affine("feature_coef_").dense_a

    @property
    def intercept_(self) -> Floats:
        """What is added to each column of the result, (q,)."""
        return self._affine("intercept_").constant

    def _affine(self, name: str) -> _core.Fit:
        fit = self._fitted().fit
        if fit.options.remove != "mean":
            raise AttributeError(f"{name} is of an affine map, which no map of remove='{fit.options.remove}' is")
        return fit

    @property
    def n_components_(self) -> int:
        """How many dimensions are kept."""
        return int(self._fitted().fit.rank)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """Names of the columns that `transform` gives; a category has one column a level.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the columns of X, where it was an array; else they must be those of the fit.
        """
        learned = self._fitted()
        if input_features is None or not hasattr(self, "n_features_in_"):  # a file may tell no order of columns
            return np.array(learned.feature_names_out, dtype=object)
        names = np.asarray(_check_feature_names_in(self, input_features), dtype=object)
        if learned.has_categories:
            return np.array(learned.feature_names_out, dtype=object)
        return names[learned.roles.features]

    def to_json(self) -> str:
        """The model file of the command line, as text; numbers read back exactly.

        The command line strips blanks around names of columns and cells of a CSV file, and nothing does so here: strip
        those of the frame before the fit, or it finds neither such columns nor such levels.
        """
        return self._fitted().probed.to_json()
