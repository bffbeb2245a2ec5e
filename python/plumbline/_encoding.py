"""From rows of a table to the matrices A and B and their moments: kinds and levels of columns, what is filled in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._progress import BLOCK
from ._roles import Roles
from ._rows import Rows, codes_among, of_kind
from ._tables import Categories, Column, Floats, Numbers

# Kinds and levels


def spec_of(name: str, column: Column) -> _core.TableColumn:
    if isinstance(column, Categories):
        return _core.TableColumn(name, "category", column.levels)
    return _core.TableColumn(name, "boolean" if column.is_boolean else "number")


def united(known: _core.TableColumn, column: Column) -> _core.TableColumn:
    """What a column is, given another chunk of it."""
    column = as_fitted(column, known)
    if isinstance(column, Numbers):
        return known if column.is_boolean else _core.TableColumn(known.name, "number")
    levels = sorted({*known.levels, *column.levels})
    return known if levels == known.levels else _core.TableColumn(known.name, "category", levels)


def as_fitted(column: Column, known: _core.TableColumn) -> Column:
    out = of_kind(column, category=known.kind == "category")
    if out is None:
        raise _core.Error(f"column '{known.name}' was a {known.kind} in fit, and is a {column.kind} here")
    return out


# Matrices


@dataclass(frozen=True)
class Blocks:
    """Columns that must be written anew for the engine, of which it sees so many rows at a time."""

    columns: Sequence[Column]
    specs: Sequence[_core.TableColumn]
    fill: Floats | None
    number: Callable[[int], int]  # which row of the whole input one of these is
    n_rows: int
    ignore: bool  # levels that the fit has not seen, which are then none of its own

    def rows(self, first: int, count: int) -> _core.Columns:
        out = np.empty((count, sum(spec.width for spec in self.specs)), order="F")
        here, at = slice(first, first + count), 0
        for column, spec in zip(self.columns, self.specs, strict=True):
            to = out[:, at : at + spec.width]
            if isinstance(column, Numbers):
                to[:, 0] = column.values[here]
                if self.fill is not None:
                    np.copyto(to[:, 0], self.fill[at], where=~np.isfinite(to[:, 0]))
            else:
                some = Categories(column.codes[here], column.levels)
                codes = codes_among(some, spec.levels)
                if not self.ignore:
                    _refuse_unknown(some, codes, spec, lambda row: self.number(first + row))
                there = codes >= 0
                to[...] = 0
                to[np.flatnonzero(there), codes[there]] = 1
                to[codes == -1] = np.nan if self.fill is None else self.fill[at : at + spec.width]
            at += spec.width
        return _core.Columns(out)


Matrix: TypeAlias = _core.Columns | Blocks


def whole(matrix: Matrix) -> _core.Columns:
    return matrix.rows(0, matrix.n_rows) if isinstance(matrix, Blocks) else matrix


def step_of(n_rows: int, block: int | None, *parts: Matrix) -> int:
    """How many rows to take at a time: all of them, unless a bar wants to move or they are encoded on the way."""
    if block is None and any(isinstance(part, Blocks) for part in parts):
        block = BLOCK
    return max(n_rows, 1) if block is None else block


def matrix(
    columns: Sequence[Column],
    specs: Sequence[_core.TableColumn],
    fill: Floats | None,
    number: Callable[[int], int],
    ignore: bool = False,
) -> Matrix:
    """The columns as the engine reads them: as they lie in memory where one type and one stride allow that."""
    columns = [as_fitted(column, spec) for column, spec in zip(columns, specs, strict=True)]
    arrays = [column.values for column in columns if isinstance(column, Numbers)]
    if len(arrays) == len(columns) and fill is None and len({(a.dtype, a.strides) for a in arrays}) <= 1:
        return _core.Columns(arrays)
    n_rows = len(arrays[0]) if arrays else len(columns[0].codes) if isinstance(columns[0], Categories) else 0
    return Blocks(columns, specs, fill, number, n_rows, ignore)


def _refuse_unknown(
    column: Categories, codes: NDArray[np.int32], spec: _core.TableColumn, number: Callable[[int], int]
) -> None:
    unknown = np.flatnonzero(codes == -2)
    if len(unknown):
        level = column.levels[column.codes[unknown[0]]]
        row = number(int(unknown[0]))
        raise _core.Error(
            f"row {row}, column '{spec.name}': '{level}' is a category that the fit has not seen; "
            "unknown='ignore' maps it to none of them"
        )


def matrices(
    rows: Rows, encoding: _core.Encoding, *, fill: bool = False, sensitive: bool = True, ignore: bool = False
) -> tuple[Matrix, Matrix]:
    if rows.a.array is not None and rows.b.array is not None and not fill and not encoding.has_categories:
        straight = _core.Columns(rows.a.array, rows.roles.features)
        return straight, _core.Columns(rows.b.array, rows.roles.sensitive) if sensitive else _core.Columns([])
    a = matrix(rows.features(), encoding.features, encoding.fill_a if fill else None, rows.number, ignore)
    if not sensitive:
        return a, _core.Columns([])
    return a, matrix(rows.sensitive(), encoding.sensitive, encoding.fill_b if fill else None, rows.number, ignore)


def means_of(columns: Sequence[Column], weights: NDArray[np.float64] | None, names: Sequence[str]) -> Floats:
    """What missing cells become: the weighted means of the cells that are there, of a category its shares."""
    out: list[float] = []
    for column, name in zip(columns, names, strict=True):
        there = ~column.missing()
        w = np.ones(int(there.sum())) if weights is None else weights[there]
        if not w.sum() > 0:
            _core.refuse_empty(name)
        if isinstance(column, Numbers):
            out.append(float(np.average(column.values[there].astype(np.float64), weights=w)))
        else:
            out.extend(np.bincount(column.codes[there], weights=w, minlength=len(column.levels)) / w.sum())
    return np.array(out)


# Moments


def summed(
    into: _core.Moments | _core.Measurement,
    a: Matrix,
    b: Matrix,
    weights: NDArray[np.float64] | None,
    block: int | None,
    expansion: _core.Expansion | None = None,
) -> Iterator[int]:
    """Adds rows, in blocks if asked, and yields how many each time. Where they do not match, the engine says so."""
    match = a.n_rows == b.n_rows and (weights is None or len(weights) == a.n_rows)
    step = step_of(a.n_rows, block, a, b) if match else max(a.n_rows, 1)

    def part(first: int, count: int) -> tuple[_core.Columns, _core.Columns, NDArray[np.float64] | None]:
        if step >= a.n_rows:
            of_a, of_b, w = whole(a), whole(b), weights
        else:
            w = None if weights is None else weights[first : first + count]
            of_a, of_b = a.rows(first, count), b.rows(first, count)
        return of_a, of_b if expansion is None else _core.Columns(expansion.transform(of_b, w)), w

    for first in range(0, max(a.n_rows, 1), step):
        count = min(step, a.n_rows - first)
        into.update(*part(first, count))  # which nobody holds while the next is made
        yield count


class Accumulator:
    """Moments of rows that come in chunks, each of which may bring new levels of categories."""

    def __init__(self, roles: Roles, full: bool):
        self.roles, self.full = roles, full
        self.features: list[_core.TableColumn] = []
        self.sensitive: list[_core.TableColumn] = []
        self.moments: _core.Moments | None = None

    @classmethod
    def of(cls, moments: _core.Moments, roles: Roles) -> Accumulator:
        """With what was summed elsewhere, of columns of numbers."""
        out = cls(roles, moments.full)
        out.features = [_core.TableColumn(name) for name in roles.feature_names]
        out.sensitive = [_core.TableColumn(name) for name in roles.sensitive_names]
        out.moments = moments
        return out

    def encoding(self, missing: str) -> _core.Encoding:
        roles = self.roles
        return _core.Encoding(self.features, self.sensitive, missing, columns=roles.columns, unnamed=roles.unnamed)

    def add(self, rows: Rows, block: int | None = None) -> Iterator[int]:
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
        yield from summed(sum_, *matrices(rows, encoding), rows.weights, block)
        self.features, self.sensitive, self.moments = features, sensitive, sum_
