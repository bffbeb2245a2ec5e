"""What a fit has learned, as attributes."""

from __future__ import annotations

from . import _core
from ._tables import Floats


class Learned:
    """Attributes that follow from a fit of the engine."""

    def _fitted(self) -> _core.Fit:
        raise NotImplementedError

    @property
    def certificate_(self) -> _core.Certificate:
        """What the fit did to the rows that it saw."""
        return self._fitted().certificate

    @property
    def components_(self) -> Floats | None:
        """What a unit of each score adds to the features, (k, q); None where all q dimensions are kept."""
        fitted = self._fitted()
        return fitted.output.T.copy() if fitted.scores else None

    @property
    def coef_(self) -> Floats:
        """With which factors the sensitive columns, or their terms with `expand`, enter the result, (q, p).

        They are in the order in which X has them, whatever that of `sensitive_feature_ids`, or `sensitive_features` if
        they were given apart. 0 in blind mode.
        """
        return self._fitted().dense_b

    @property
    def feature_coef_(self) -> Floats:
        """The same of the features, (q, q): result = intercept_ + A @ feature_coef_.T + φ(B) @ coef_.T.

        φ(B) is B itself without `expand`.
        """
        return self._fitted().dense_a

    @property
    def intercept_(self) -> Floats:
        """What is added to each column of the result, (q,)."""
        return self._fitted().constant

    @property
    def n_components_(self) -> int:
        """How many dimensions are kept."""
        return int(self._fitted().rank)
