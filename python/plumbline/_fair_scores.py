"""Scores of any model, made fair as they are: the model sees all that it is given, and its scores have one law."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils import _safe_indexing

from . import _core, _names
from ._arrays import Floats
from ._columns import Chunk
from ._estimators import OrthogonalToBias
from ._tables import Table

_FOLDS = 5


class FairScores:
    """A fitted model whose scores are mapped to the barycentre of their laws.

    With s = f(x) the score of a row, F its law given the sensitive columns b, and Q the average of the laws' quantiles
    over b, the fair score is Q(F(s given b)): one law for all b, and of all such scores the nearest. F is learned from
    scores of rows that the model had not seen, as those that it will be asked for.
    """

    def __init__(self, estimator: Any, X: Any, y: Any, sensitive_features: Any, *, classifies: bool, seed: int):
        self.classifies = classifies
        folds = (StratifiedKFold if classifies else KFold)(_FOLDS, shuffle=True, random_state=seed % 2**32)
        scores = np.empty(len(y))
        for learned, judged in folds.split(y, y):
            one = clone(estimator).fit(_rows(X, learned), y[learned])
            scores[judged] = self._says(one, _rows(X, judged))
        self.name = _free_name(_names.of_columns(sensitive_features))
        self.map = OrthogonalToBias(remove="distribution", random_state=seed)
        self.map.fit(self._table(scores), sensitive_features=sensitive_features)
        self.estimator = clone(estimator).fit(X, y)

    def predict(self, X: Any, sensitive_features: Any) -> Floats:
        """Fair scores of rows: of a classifier probabilities of the second class."""
        scores = self._table(self._says(self.estimator, X))
        fair: Floats = self.map.transform(scores, sensitive_features=sensitive_features)[:, 0]
        return np.clip(fair, 0, 1) if self.classifies else fair

    def _says(self, estimator: Any, X: Any) -> Floats:
        said = np.asarray(estimator.predict_proba(X) if self.classifies else estimator.predict(X), dtype=np.float64)
        out: Floats = said[:, 1] if self.classifies else said
        if out.ndim != 1:
            raise _core.Error(f"the estimator predicts an array of shape {out.shape}; it must be one number a row")
        return out

    def _table(self, scores: Floats) -> Table:
        """One column, under its name."""
        array = np.ascontiguousarray(scores[:, None])
        return Table("array", 1, [self.name], iter([Chunk(len(array), array)]), array)


def _rows(X: Any, at: Any) -> Any:
    """Those of a table of pyarrow are not taken by every version of scikit-learn."""
    return X.take(at) if type(X).__module__.partition(".")[0] == "pyarrow" else _safe_indexing(X, at)


def _free_name(taken: list[str] | None) -> str:
    name = "score"
    while name in (taken or ()):
        name += "_"
    return name
