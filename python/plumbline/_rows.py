"""Rows of features and sensitive columns, with their weights, chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import assert_all_finite

from . import _core, _tables
from ._roles import Roles
from ._tables import Categories, Chunk, Column, Numbers, Table


@dataclass
class Rows:
    """Some rows of A and of B, with their weights. Chunks that differ are where B was given apart."""

    a: Chunk
    b: Chunk
    roles: Roles
    weights: NDArray[np.float64] | None = None
    first: int = 0  # which row of the whole input the first one is

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


# For the engine


def _part(column: Column) -> Any:
    if isinstance(column, Categories):
        return column.codes, column.levels
    numbers = _core.Columns([column.values])
    return (numbers, True) if column.is_boolean else numbers


def _parts(chunk: Chunk, at: NDArray[np.int64]) -> list[Any]:
    if chunk.array is not None:
        return [_core.Columns(chunk.array, at)]
    return [_part(chunk.column(j)) for j in at.tolist()]


def engine_table(parts: Sequence[Rows], *, sensitive: bool = True, weights: bool = True) -> _core.Table:
    """Rows as the engine reads them: features, sensitive columns and weights, as they lie in memory."""
    roles, weighted = parts[0].roles, weights and parts[0].weights is not None
    names = [*roles.feature_names, *(roles.sensitive_names if sensitive else ()), *(["(weights)"] if weighted else ())]
    table = _core.Table("X", names, parts[0].first)
    for rows in parts:
        columns = _parts(rows.a, roles.features)
        if sensitive:
            columns += _parts(rows.b, roles.sensitive)
        if weighted and rows.weights is not None:
            columns.append(_core.Columns([rows.weights]))
        table.add(rows.n_rows, columns)
    return table


@contextmanager
def in_words_of_sklearn(estimator: object, rows: Rows, *, means: bool = False) -> Iterator[None]:
    """A number that is missing or infinite is refused in scikit-learn's words, for which it has some."""
    try:
        yield
    except _core.Error as error:
        if getattr(error, "remedy", "") != "allow_missing":
            raise
        if means:
            raise _core.Error(
                "missing cells cannot become a mean that later chunks still change; use fit, or missing='drop'"
            ) from None
        if cell := getattr(error, "cell", ""):
            apart = rows.b is not rows.a and getattr(error, "column", "") in rows.roles.sensitive_names
            name, input_name = type(estimator).__name__, "sensitive_features" if apart else "X"
            assert_all_finite(np.array([float(cell)]), estimator_name=name, input_name=input_name)
        raise


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
