"""Rows of features and sensitive columns with their weights: which columns are which, and how the engine reads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import assert_all_finite

from . import _core, _tables
from ._columns import Categories, Chunk, Column, Numbers, concatenated
from ._tables import Table
from ._target import Target


class Roles(NamedTuple):
    """Positions of features and of sensitive columns; the latter are of X, or of a table of their own."""

    features: NDArray[np.int64]
    sensitive: NDArray[np.int64]
    feature_names: list[str]
    sensitive_names: list[str]
    columns: list[str]  # of X, in their order
    unnamed: list[str]  # columns of X, or given apart, that had no names but got these
    apart: bool = False  # the sensitive columns of the fit were given apart

    @property
    def named(self) -> bool:
        """Whether X had names."""
        return self.columns[0] not in self.unnamed


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

    @property
    def lie_by_rows(self) -> bool:
        """Row by row in memory, and not column by column; so will their result."""
        first = self.a.column(int(self.roles.features[0]))
        return isinstance(first, Numbers) and first.values.strides[0] > first.values.itemsize


@dataclass(frozen=True)
class Input:
    """What a call of an estimator is given: a table of X, its rows in their roles, and rules for their cells."""

    table: Table
    roles: Roles
    rows: Iterable[Rows]  # of a stream they can be read once; a list is in memory
    estimator: str
    missing: str
    unknown: str

    @classmethod
    def of(cls, estimator: Any, table: Table, apart: Table | None, roles: Roles, sample_weight: Any) -> Input:
        rows = _rows_of(table, apart, roles, sample_weight)
        return cls(table, roles, rows, type(estimator).__name__, estimator.missing, estimator.unknown)

    def kept(self) -> Input:
        """The same, to be read more than once."""
        return replace(self, rows=list(self.rows))


def input_of_fit(estimator: Any, X: Any, sensitive_features: Any, sample_weight: Any, *, min_rows: int = 2) -> Input:
    """X with its sensitive columns, which `sensitive_feature_ids` chooses, or which are given apart."""
    table, apart = tables_of(estimator, X, sensitive_features, min_rows=min_rows)
    return Input.of(estimator, table, apart, roles_in_fit(estimator, table, apart), sample_weight)


def tables_of(estimator: Any, X: Any, sensitive_features: Any, *, min_rows: int) -> tuple[Table, Table | None]:
    """X, and the sensitive columns if they are given apart."""
    table = _tables.read(X, estimator, min_rows=min_rows)
    if sensitive_features is None:
        return table, None
    return table, _tables.read_sensitive(sensitive_features, estimator, taken=table.labels)


# Roles


def roles_in_fit(estimator: Any, table: Table, apart: Table | None) -> Roles:
    """Roles as a fit is told: by `sensitive_feature_ids`, or by a table of sensitive columns alone."""
    ids = estimator.sensitive_feature_ids
    labels = table.labels
    unnamed = list(labels) if table.names is None else []
    _core.check_distinct("X", labels)
    if apart is not None:
        if ids is not None:
            raise _core.Error(
                "sensitive_features and sensitive_feature_ids are both given; a fit takes its sensitive columns from "
                "one of them"
            )
        _core.check_distinct("sensitive_features", apart.labels)
        for name in apart.labels:
            if name in labels:
                raise _core.Error(
                    f"column '{name}' is in X and in sensitive_features; leave it out of X, or name it in "
                    "sensitive_feature_ids"
                )
        unnamed += apart.labels if apart.names is None else []
        features = indices(range(table.n_columns))
        return Roles(features, indices(range(apart.n_columns)), labels, apart.labels, labels, unnamed, apart=True)
    if ids is None:
        raise _core.Error(
            "nothing is sensitive; name columns of X in sensitive_feature_ids, or give sensitive_features"
        )
    sensitive = _positions(ids, labels, table.names)
    others = [j for j in range(table.n_columns) if j not in set(sensitive)]
    if not sensitive:
        raise _core.Error("sensitive_feature_ids is empty; name at least one column")
    if not others:
        raise _core.Error(f"X has n_features={table.n_columns} and all are sensitive; there is no feature to change")
    names = [labels[j] for j in others], [labels[j] for j in sensitive]
    return Roles(indices(others), indices(sensitive), *names, labels, unnamed)


def _positions(ids: object, labels: Sequence[str], names: Sequence[str] | None) -> list[int]:
    """Where the columns are that names or positions choose; a bare name or position is one column."""
    listed: list[Any] = [ids] if isinstance(ids, (str, int, np.integer)) else list(ids)  # type: ignore[call-overload]
    out: list[int] = []
    for one in listed:
        if isinstance(one, str):
            if names is None:
                raise _core.Error(f"sensitive_feature_ids names '{one}', and X has no column names; give its position")
            if one not in names:
                _core.refuse_column("sensitive_feature_ids", one, list(names))
            at = names.index(one)
        elif isinstance(one, (int, np.integer)) and not isinstance(one, bool):
            at = int(one)
            if not -len(labels) <= at < len(labels):
                raise _core.Error(f"sensitive_feature_ids has {at}; X has columns 0 to {len(labels) - 1}")
            at %= len(labels)
        else:
            raise _core.Error(f"sensitive_feature_ids has {one!r}; it must be a column's name or position")
        if at not in out:
            out.append(at)
    return sorted(out)


def indices(at: Sequence[int]) -> NDArray[np.int64]:
    return np.array(at, dtype=np.int64)


# Weights


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


def _rows_of(table: Table, apart: Table | None, roles: Roles, sample_weight: ArrayLike | None) -> Iterator[Rows]:
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
        return column.codes, column.levels, column.is_text
    numbers = _core.Columns([column.values])
    if column.is_boolean:
        return numbers, "boolean"
    return (numbers, "beyond_double") if column.is_beyond_double else numbers


def _parts(chunk: Chunk, at: NDArray[np.int64]) -> list[Any]:
    if chunk.array is not None:
        return [_core.Columns(chunk.array, at)]
    return [_part(chunk.column(j)) for j in at.tolist()]


def engine_table(
    parts: Sequence[Rows], *, sensitive: bool = True, weights: bool = True, target: Target | None = None
) -> _core.Table:
    """Rows as the engine reads them: features, sensitive columns, weights and target, as they lie in memory."""
    roles, weighted = parts[0].roles, weights and parts[0].weights is not None
    names = [*roles.feature_names, *(roles.sensitive_names if sensitive else ()), *(["(weights)"] if weighted else ())]
    if target is not None:
        names.append(target.name_beside(names))
    n_sensitive = len(roles.sensitive_names) if sensitive else 0
    table = _core.Table("X", names, len(roles.feature_names), n_sensitive, parts[0].first, target is not None)
    for rows in parts:
        columns = _parts(rows.a, roles.features)
        if sensitive:
            columns += _parts(rows.b, roles.sensitive)
        if weighted and rows.weights is not None:
            columns.append(_core.Columns([rows.weights]))
        if target is not None:
            columns.append(_core.Columns([target.values[rows.first : rows.first + rows.n_rows]]))
        table.add(rows.n_rows, columns)
    return table


@contextmanager
def in_words_of_sklearn(given: Input, rows: Rows, *, means: bool = False) -> Iterator[None]:
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
            input_name = "sensitive_features" if apart else "X"
            assert_all_finite(np.array([float(cell)]), estimator_name=given.estimator, input_name=input_name)
        raise
