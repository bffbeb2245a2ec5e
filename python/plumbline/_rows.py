"""Rows of features and sensitive columns, with their weights, chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import assert_all_finite

from . import _core, _tables
from ._roles import Roles
from ._tables import Categories, Chunk, Column, Mask, Numbers, Table


@dataclass
class Rows:
    """Some rows of A and of B, with their weights. Chunks that differ are where B was given apart."""

    a: Chunk
    b: Chunk
    roles: Roles
    weights: NDArray[np.float64] | None = None
    first: int = 0  # which row of the whole input the first one is
    kept: NDArray[np.int64] | None = None  # counted from it, where they do not follow each other

    @property
    def n_rows(self) -> int:
        return self.a.n_rows

    def features(self) -> list[Column]:
        return [self.a.column(j) for j in self.roles.features.tolist()]

    def sensitive(self) -> list[Column]:
        return [self.b.column(j) for j in self.roles.sensitive.tolist()]

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of a result: float32 where all features are."""
        if self.a.array is not None:
            return self.a.array.dtype
        narrow = all(isinstance(one, Numbers) and one.values.dtype == np.float32 for one in self.features())
        return np.dtype(np.float32 if narrow else np.float64)

    def lacks_a_category(self) -> bool:
        columns = self.features() + self.sensitive()
        return any(isinstance(column, Categories) and column.missing().any() for column in columns)

    def __getitem__(self, keep: Mask) -> Rows:
        a = self.a[keep]
        weights = None if self.weights is None else self.weights[keep]
        kept = np.flatnonzero(keep) if self.kept is None else self.kept[keep]
        return Rows(a, a if self.b is self.a else self.b[keep], self.roles, weights, self.first, kept)

    def number(self, row: int) -> int:
        """Which row of the whole input one of these is."""
        return self.first + (row if self.kept is None else int(self.kept[row]))

    def missing(self, *, sensitive: bool = True) -> Mask:
        """Which rows lack a cell."""
        gone = np.zeros(self.n_rows, dtype=bool)
        for column in self.features() + (self.sensitive() if sensitive else []):
            gone |= column.missing()
        return gone

    def missing_cells(self) -> int:
        return sum(int(column.missing().sum()) for column in self.features() + self.sensitive())


class RowWeights:
    """Weights of rows, as scikit-learn takes them: one a row, one for all of them, or none."""

    def __init__(self, sample_weight: ArrayLike | None):
        self._one: float | None = None
        self._each: NDArray[np.float64] | None = None
        if sample_weight is None:
            return
        weights = np.asarray(_tables.unmasked(sample_weight), dtype=np.float64)
        if weights.ndim > 1:
            raise ValueError("Sample weights must be 1D array or scalar")
        each = np.ascontiguousarray(weights)
        _core.check_weights(each)
        if weights.ndim == 0:
            self._one = float(weights)
        else:
            self._each = each

    def of(self, rows: slice) -> NDArray[np.float64] | None:
        """Of rows from the first on, of which there may be more than weights."""
        if self._one is not None:
            return np.full(rows.stop - rows.start, self._one)
        self.check(rows.stop, complete=False)
        return None if self._each is None else self._each[rows]

    def check(self, n_rows: int, *, complete: bool = True) -> None:
        """Raises where there are too few of them or, for all rows, too many."""
        if self._each is not None and (len(self._each) < n_rows or (complete and len(self._each) > n_rows)):
            raise ValueError(f"sample_weight.shape == {self._each.shape}, expected ({n_rows},)!")


def rows_of(table: Table, apart: Table | None, roles: Roles, sample_weight: ArrayLike | None) -> Iterator[Rows]:
    """The chunks of X, each with its part of the sensitive columns and the weights."""
    weights = RowWeights(sample_weight)
    b = None if apart is None else concatenated(list(apart.chunks))
    first = 0
    for chunk in table.chunks:
        here = slice(first, first + chunk.n_rows)
        first += chunk.n_rows
        some = chunk if b is None else b if here == slice(0, b.n_rows) else b[here]
        if some.n_rows != chunk.n_rows:
            raise ValueError(
                f"Found input variables with inconsistent numbers of samples: {[first, b.n_rows if b else 0]}"
            )
        yield Rows(chunk, some, roles, weights.of(here), here.start)
    if b is not None and b.n_rows != first:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {[first, b.n_rows]}")
    weights.check(first)


def joined(parts: list[Rows], roles: Roles) -> Rows:
    if len(parts) == 1:
        return parts[0]
    if not parts:
        raise _core.Error("there are no rows")
    weights = None
    if parts[0].weights is not None:
        weights = np.concatenate([part.weights for part in parts if part.weights is not None])
    a = concatenated([part.a for part in parts])
    apart = parts[0].b is not parts[0].a
    return Rows(a, concatenated([part.b for part in parts]) if apart else a, roles, weights, parts[0].first)


# Chunks and columns as one


def concatenated(chunks: Sequence[Chunk]) -> Chunk:
    if len(chunks) == 1:
        return chunks[0]
    n_rows = sum(chunk.n_rows for chunk in chunks)
    if not chunks:
        return Chunk(0)
    return Chunk(n_rows, None, [_joined([chunk.columns[j] for chunk in chunks]) for j in range(len(chunks[0].columns))])


def _joined(parts: Sequence[Column]) -> Column:
    levels = sorted({level for part in parts if isinstance(part, Categories) for level in part.levels})
    if levels:
        return Categories(np.concatenate([codes_among(part, levels) for part in parts]), levels)
    numbers = [part for part in (of_kind(part, category=False) for part in parts) if isinstance(part, Numbers)]
    return Numbers(np.concatenate([part.values for part in numbers]), numbers[0].is_boolean)


def of_kind(column: Column, *, category: bool) -> Column | None:
    """The column as a category, or as numbers: None if it is not, but missing cells alone are either."""
    if isinstance(column, Categories) == category:
        return column
    missing = column.missing()
    if not missing.all():
        return None
    n_rows = len(missing)
    return Categories(np.full(n_rows, -1, dtype=np.int32), []) if category else Numbers(np.full(n_rows, np.nan))


def codes_among(column: Column, levels: Sequence[str]) -> NDArray[np.int32]:
    """Codes of a category's cells among given levels; -2 is a level that is not among them."""
    here = of_kind(column, category=True)
    if not isinstance(here, Categories):
        raise _core.Error("a column is a number in one chunk and a category in another")
    place = {level: code for code, level in enumerate(levels)}
    table = np.array([place.get(level, -2) for level in here.levels] + [-1], dtype=np.int32)
    return table[here.codes]


# Missing cells


def refuse_missing(rows: Rows, estimator: object, *, sensitive: bool = True) -> None:
    """Raises as scikit-learn does on the first cell that is NaN or infinite, if one is; on a category as we do."""
    named = zip(rows.features(), rows.roles.feature_names, strict=True)
    of_b = zip(rows.sensitive(), rows.roles.sensitive_names, strict=True) if sensitive else iter(())
    for input_name, columns in (("X", named), ("X" if rows.b is rows.a else "sensitive_features", of_b)):
        for column, name in columns:
            if isinstance(column, Numbers):
                assert_all_finite(column.values, estimator_name=type(estimator).__name__, input_name=input_name)
            elif column.missing().any():
                row = rows.number(int(np.argmax(column.missing())))
                raise _core.Error(
                    f"row {row}, column '{name}': the cell is missing; missing='drop' leaves such rows out, and "
                    "missing='mean' fills in the column's mean"
                )
