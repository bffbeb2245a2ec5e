"""From chunks of a table to the matrices A and B: which columns they are, their levels, missing cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import assert_all_finite

from . import _core
from ._tables import Categories, Chunk, Column, Floats, Numbers, codes_among

Mask = NDArray[np.bool_]


class Roles(NamedTuple):
    """Positions of features and of sensitive columns; the latter are of X, or of a table of their own."""

    features: NDArray[np.int64]
    sensitive: NDArray[np.int64]
    feature_names: list[str]
    sensitive_names: list[str]


@dataclass
class Rows:
    """Some rows of A and of B, with their weights. Chunks that differ are where B was given apart."""

    a: Chunk
    b: Chunk
    roles: Roles
    weights: NDArray[np.float64] | None = None

    @property
    def n_rows(self) -> int:
        return self.a.n_rows

    def features(self) -> list[Column]:
        return [self.a.column(j) for j in self.roles.features.tolist()]

    def sensitive(self) -> list[Column]:
        return [self.b.column(j) for j in self.roles.sensitive.tolist()]

    def is_array(self) -> bool:
        return self.a.array is not None and self.b.array is not None


def positions(ids: object, labels: Sequence[str], names: Sequence[str] | None) -> list[int]:
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


# Kinds and levels


def spec_of(name: str, column: Column) -> _core.TableColumn:
    if isinstance(column, Categories):
        return _core.TableColumn(name, "category", column.levels)
    return _core.TableColumn(name, "boolean" if column.is_boolean else "number")


def united(known: _core.TableColumn, column: Column) -> _core.TableColumn:
    """What a column is, given another chunk of it."""
    if (known.kind == "category") != isinstance(column, Categories):
        _refuse_kind(known, column)
    if isinstance(column, Numbers):
        return known if column.is_boolean else _core.TableColumn(known.name, "number")
    levels = sorted({*known.levels, *column.levels})
    return known if levels == known.levels else _core.TableColumn(known.name, "category", levels)


def _refuse_kind(known: _core.TableColumn, column: Column) -> None:
    raise _core.Error(f"column '{known.name}' was a {known.kind} in fit, and is a {column.kind} here")


# Matrices


def matrix(columns: Sequence[Column], specs: Sequence[_core.TableColumn], fill: Floats | None) -> _core.Columns:
    """The columns as the engine reads them: as they lie in memory where one type and one stride allow that."""
    for column, spec in zip(columns, specs, strict=True):
        if (spec.kind == "category") != isinstance(column, Categories):
            _refuse_kind(spec, column)
    arrays = [column.values for column in columns if isinstance(column, Numbers)]
    if len(arrays) == len(columns) and fill is None and len({(a.dtype, a.strides) for a in arrays}) <= 1:
        return _core.Columns(arrays)
    n_rows = len(arrays[0]) if arrays else len(columns[0].codes) if isinstance(columns[0], Categories) else 0
    out = np.empty((n_rows, sum(spec.width for spec in specs)), order="F")
    at = 0
    for column, spec in zip(columns, specs, strict=True):
        to = out[:, at : at + spec.width]
        if isinstance(column, Numbers):
            to[:, 0] = column.values
            if fill is not None:
                np.copyto(to[:, 0], fill[at], where=np.isnan(to[:, 0]))
        else:
            codes = codes_among(column, spec.levels)
            _refuse_unknown(column, codes, spec)
            to[...] = codes[:, None] == np.arange(spec.width)
            if fill is not None:
                to[codes == -1] = fill[at : at + spec.width]
        at += spec.width
    return _core.Columns(out)


def _refuse_unknown(column: Categories, codes: NDArray[np.int32], spec: _core.TableColumn) -> None:
    unknown = np.flatnonzero(codes == -2)
    if len(unknown):
        level = column.levels[column.codes[unknown[0]]]
        raise _core.Error(f"row {unknown[0]}, column '{spec.name}': '{level}' is a category that the fit has not seen")


def matrices(
    rows: Rows, encoding: _core.Encoding, *, fill: bool = False, sensitive: bool = True
) -> tuple[_core.Columns, _core.Columns]:
    if rows.a.array is not None and rows.b.array is not None and not fill:
        a = _core.Columns(rows.a.array, rows.roles.features)
        return a, _core.Columns(rows.b.array, rows.roles.sensitive) if sensitive else _core.Columns([])
    a = matrix(rows.features(), encoding.features, encoding.fill_a if fill else None)
    b = matrix(rows.sensitive(), encoding.sensitive, encoding.fill_b if fill else None) if sensitive else None
    return a, b if b is not None else _core.Columns([])


# Missing cells


def missing_rows(rows: Rows, *, sensitive: bool = True) -> Mask:
    """Which rows lack a cell."""
    gone = np.zeros(rows.n_rows, dtype=bool)
    for column in rows.features() + (rows.sensitive() if sensitive else []):
        gone |= np.isnan(column.values) if isinstance(column, Numbers) else column.codes < 0
    return gone


def kept(rows: Rows, keep: Mask) -> Rows:
    weights = None if rows.weights is None else rows.weights[keep]
    a = _kept_chunk(rows.a, keep)
    return Rows(a, a if rows.b is rows.a else _kept_chunk(rows.b, keep), rows.roles, weights)


def _kept_chunk(chunk: Chunk, keep: Mask) -> Chunk:
    n_rows = int(keep.sum())
    if chunk.array is not None:
        return Chunk(n_rows, chunk.array[keep])
    columns: list[Column] = []
    for column in chunk.columns:
        if isinstance(column, Numbers):
            columns.append(Numbers(column.values[keep], column.is_boolean))
        else:
            codes = column.codes[keep]
            seen = np.unique(codes[codes >= 0])
            place = np.full(len(column.levels) + 1, -1, dtype=np.int32)
            place[seen] = np.arange(len(seen), dtype=np.int32)
            columns.append(Categories(place[codes], [column.levels[code] for code in seen]))
    return Chunk(n_rows, None, columns)


def refuse_missing(rows: Rows, estimator: object, *, sensitive: bool = True) -> None:
    """Raises as scikit-learn does on the first cell that is NaN or infinite, if one is; on a category as we do."""
    named = zip(rows.features(), rows.roles.feature_names, strict=True)
    of_b = zip(rows.sensitive(), rows.roles.sensitive_names, strict=True) if sensitive else iter(())
    for input_name, columns in (("X", named), ("X" if rows.b is rows.a else "sensitive_features", of_b)):
        for column, name in columns:
            if isinstance(column, Numbers):
                assert_all_finite(column.values, estimator_name=type(estimator).__name__, input_name=input_name)
            elif (column.codes < 0).any():
                row = int(np.argmax(column.codes < 0))
                raise _core.Error(
                    f"row {row}, column '{name}': the cell is missing; missing='drop' leaves such rows out, and "
                    "missing='mean' fills in the column's mean"
                )


def means_of(columns: Sequence[Column], weights: NDArray[np.float64] | None, names: Sequence[str]) -> Floats:
    """What missing cells become: the weighted means of the cells that are there, of a category its shares."""
    out: list[float] = []
    for column, name in zip(columns, names, strict=True):
        there = ~np.isnan(column.values) if isinstance(column, Numbers) else column.codes >= 0
        w = np.ones(int(there.sum())) if weights is None else weights[there]
        if not w.sum() > 0:
            raise _core.Error(f"column '{name}' has no cell, so it has no mean to fill in")
        if isinstance(column, Numbers):
            out.append(float(np.average(column.values[there].astype(np.float64), weights=w)))
        else:
            out.extend(np.bincount(column.codes[there], weights=w, minlength=len(column.levels)) / w.sum())
    return np.array(out)


# Moments


class Accumulator:
    """Moments of rows that come in chunks, each of which may bring new levels of categories."""

    def __init__(self, roles: Roles, full: bool):
        self.roles, self.full = roles, full
        self.features: list[_core.TableColumn] = []
        self.sensitive: list[_core.TableColumn] = []
        self.moments: _core.Moments | None = None

    def encoding(self, missing: str) -> _core.Encoding:
        return _core.Encoding(self.features, self.sensitive, missing)

    def add(self, rows: Rows, blocks: int | None = None) -> Iterator[int]:
        """Adds the rows, in blocks if asked, and yields how many each time; nothing is kept if it raises."""
        a, b = rows.features(), rows.sensitive()
        if self.moments is None:
            features = [spec_of(name, column) for name, column in zip(self.roles.feature_names, a, strict=True)]
            sensitive = [spec_of(name, column) for name, column in zip(self.roles.sensitive_names, b, strict=True)]
        else:
            features = [united(spec, column) for spec, column in zip(self.features, a, strict=True)]
            sensitive = [united(spec, column) for spec, column in zip(self.sensitive, b, strict=True)]
        encoding = _core.Encoding(features, sensitive)
        names = encoding.feature_names(), encoding.sensitive_names()
        sum_ = _core.Moments(*names, self.full) if self.moments is None else self.moments.widened(*names)
        columns = matrices(rows, encoding)
        step = blocks or max(rows.n_rows, 1)
        for first in range(0, rows.n_rows, step):
            count = min(step, rows.n_rows - first)
            weights = None if rows.weights is None else rows.weights[first : first + count]
            sum_.update(columns[0].rows(first, count), columns[1].rows(first, count), weights)
            yield count
        self.features, self.sensitive, self.moments = features, sensitive, sum_
