"""The short way of plain arrays through a map, in microseconds: no look at anything that the engine looks at."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core, _names
from ._columns import Array
from ._learned import Learned

_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


def transformed_array(estimator: Any, learned: Learned, X: Array, b: Any) -> Array | None:
    """The rows as the map gives them. None: take the long way, which says what is wrong."""
    fit, roles = learned.fit, learned.roles
    needs = fit.needs_sensitive
    if not _is_plain(X) or not learned.takes_cells_as_they_are or (b is not None and not needs):
        return None
    alone = roles.apart or b is not None or (not needs and X.shape[1] == len(roles.features))
    if X.shape[1] != len(roles.feature_names if alone else roles.columns):
        return None
    features, sensitive = roles.features, roles.sensitive
    if alone:
        features, sensitive = np.arange(len(features)), np.arange(len(sensitive))
        b = b[:, None] if type(b) is np.ndarray and b.ndim == 1 else b
    elif hasattr(estimator, "n_features_in_"):
        b = X
    else:  # a file that tells no order of columns
        return None
    if not needs:
        b, sensitive = X, sensitive[:0]
    elif not _is_plain(b) or len(b) != len(X) or (alone and b.shape[1] != len(sensitive)):
        return None
    out = np.empty((X.shape[0], len(features)), X.dtype, "C" if X.flags.c_contiguous else "F")
    try:
        if X.shape[0] == 1 and fit.options.remove != "spread":  # whose row alone may differ by rounding
            fit.apply_row(X, features, b, sensitive, out)
        else:
            fit.apply(_core.Columns(X, features), _core.Columns(b, sensitive), out)
    except _core.Error:
        return None
    if roles.named:
        _names.warn(estimator, "X", was_named=True)
    if b is not X:
        known = roles.sensitive_names
        _names.check_sensitive(estimator, None, None if known[0] in roles.unnamed else known)
    return out


def _is_plain(x: Any) -> bool:
    return type(x) is np.ndarray and x.ndim == 2 and x.flags.forc and x.flags.aligned and x.dtype in _FLOATS
