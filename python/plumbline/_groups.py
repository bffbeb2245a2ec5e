"""Groups of people: every combination of values of the sensitive columns is one."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core, _tables
from ._columns import Categories, Column, Numbers, concatenated

_MOST_VALUES = 20  # of a number, each of which is a group of its own


def labels_of(sensitive_features: Any, *, is_fit: bool = False) -> tuple[NDArray[np.object_], list[str] | None]:
    """The group of each row, as text, and the names of the columns if they have some.

    Several columns are joined by commas, and what has commas stands in quotes. A fit warns of numbers with many
    values.
    """
    table = _tables.read_sensitive(sensitive_features, None)
    chunk = concatenated(list(table.chunks))
    texts = [_texts(chunk.column(j), name) for j, name in enumerate(table.labels)]
    if is_fit:
        for j, name in enumerate(table.labels):
            _warn_of_many_values(chunk.column(j), name)
    if len(texts) == 1:
        return texts[0], table.names
    return np.array([", ".join(map(_quoted, row)) for row in zip(*texts, strict=True)], dtype=object), table.names


def _warn_of_many_values(column: Column, name: str) -> None:
    count = len(np.unique(column.values)) if isinstance(column, Numbers) else 0
    if count > _MOST_VALUES:
        warnings.warn(
            f"sensitive column '{_core.printable(name)}' is a number with {count} values, each of which makes a group "
            "of its own; cut it into bins first, with pandas.cut or KBinsDiscretizer of scikit-learn",
            UserWarning,
            stacklevel=4,
        )


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if "," in text or text.startswith('"') else text


def _texts(column: Column, name: str) -> NDArray[np.object_]:
    if isinstance(column, Categories):
        if (column.codes < 0).any():
            raise _core.Error(f"sensitive column '{name}' has a missing cell; every row needs a group")
        return np.array([*column.levels, ""], dtype=object)[column.codes]
    if np.isnan(column.values).any():
        raise _core.Error(f"sensitive column '{name}' has a missing cell; every row needs a group")
    large = np.abs(column.values) >= _core.LARGEST_EXACT
    if large.any():
        value = column.values[large][0]
        raise _core.Error(f"sensitive column '{name}' has {value:g}; groups beyond 2**53 merge, so give them as text")
    return np.array([str(value).removesuffix(".0") for value in column.values + 0.0], dtype=object)  # -0.0 is 0


def codes_of(labels: NDArray[np.object_], levels: list[str]) -> NDArray[np.int32]:
    """Numbers of groups among the levels of a fit."""
    place = {level: code for code, level in enumerate(levels)}
    for label in labels:
        if label not in place:
            raise _core.Error(f"'{label}' is a group that the fit has not seen; it has seen {', '.join(levels)}")
    return np.array([place[label] for label in labels], dtype=np.int32)
