"""Frames with categories as arrays of numbers, for estimators that take nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from . import _tables
from ._arrays import Floats
from ._columns import Categories, Numbers, concatenated
from ._estimators import OrthogonalToBias


def fitted_encoder(X: Any, sensitive: Any) -> tuple[Any, Floats | None]:
    """An encoder of X and what it makes of X; without one where scikit-learn itself reads X as numbers.

    A blind map of strength 0 changes no feature: it encodes them, with the rules of `OrthogonalToBias` for rare and
    unseen levels.
    """
    if not _needs_encoder(X):
        return None, None
    encoder = OrthogonalToBias(mode="blind", alpha=0.0)
    return encoder, _as_array(encoder.fit_transform(X, sensitive_features=sensitive))


def features_of(estimator: Any, X: Any) -> Floats:
    """X after the fit of an estimator, as the array that it was fitted to had it."""
    encoder = getattr(estimator, "_encoder", None)
    if encoder is not None:
        return _as_array(encoder.transform(X))
    out: Floats = validate_data(estimator, X, dtype=np.float64, reset=False)
    return out


def keep_columns(estimator: Any, encoder: Any) -> None:
    """The columns of X, which the estimator tells as all of scikit-learn do."""
    estimator._encoder = encoder
    if encoder is None:
        return
    estimator.n_features_in_ = encoder.n_features_in_
    if hasattr(encoder, "feature_names_in_"):
        estimator.feature_names_in_ = encoder.feature_names_in_
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def _needs_encoder(X: Any) -> bool:
    if not _tables.is_frame(X):
        return False
    if not hasattr(X, "shape"):
        return True  # a stream, which is read only once
    chunks = _tables.read(X, None).chunks
    return any(isinstance(column, Categories) for chunk in chunks for column in chunk.columns)


def _as_array(X: Any) -> Floats:
    chunk = concatenated(list(_tables.read(X, None, min_rows=0).chunks))
    if chunk.array is not None:
        return np.ascontiguousarray(chunk.array, dtype=np.float64)
    numbers = [column.values for column in chunk.columns if isinstance(column, Numbers)]
    return np.column_stack(numbers).astype(np.float64)
