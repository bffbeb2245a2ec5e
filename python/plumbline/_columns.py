"""Columns of a table: numbers, with NaN where a cell is missing, and categories; and chunks of them.

A column of pandas, of Arrow or of Python objects becomes one or the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import _core

Array: TypeAlias = NDArray[Any]  # of float64 or float32
Mask: TypeAlias = NDArray[np.bool_]
KINDS_OF_COLUMNS = "columns must be numbers, truth values, categories or text"


@dataclass(frozen=True)
class Numbers:
    values: Array  # float64 or float32; what is not finite is a missing cell
    is_boolean: bool = False
    is_beyond_double: bool = False  # an integer was beyond 2^53, from where on doubles skip whole numbers

    kind = "number"

    def __getitem__(self, rows: slice | Mask) -> Numbers:
        return replace(self, values=self.values[rows])

    def missing(self) -> Mask:
        return ~np.isfinite(self.values)


@dataclass(frozen=True)
class Categories:
    codes: NDArray[np.int32]  # -1 is a missing cell
    levels: list[str]
    is_text: bool = False  # which nobody has declared to be a category

    kind = "category"

    def __getitem__(self, rows: slice | Mask) -> Categories:
        return _without_unused(replace(self, codes=self.codes[rows]))

    def missing(self) -> Mask:
        return self.codes < 0


Column: TypeAlias = Numbers | Categories


@dataclass(frozen=True)
class Chunk:
    """Some rows: an array, or columns of their own."""

    n_rows: int
    array: Array | None = None
    columns: Sequence[Column] = ()

    def column(self, j: int) -> Column:
        return self.columns[j] if self.array is None else Numbers(self.array[:, j])

    def __getitem__(self, rows: slice | Mask) -> Chunk:
        if self.array is not None:
            part = self.array[rows]
            return Chunk(len(part), part)
        n_rows = len(range(self.n_rows)[rows]) if isinstance(rows, slice) else int(rows.sum())
        return Chunk(n_rows, None, [column[rows] for column in self.columns])


def aligned(array: Array) -> Array:
    """The array itself where the engine can walk it: steps forward by whole cells, in native byte order."""
    walkable = all(step >= 0 and step % array.itemsize == 0 for step in array.strides)
    return array if walkable and array.flags.aligned and array.dtype.isnative else np.ascontiguousarray(array)


# Columns out of what others have


def of_series(series: Any) -> Column:
    import pandas as pd

    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _of_codes(series.cat.codes.to_numpy(), series.cat.categories, series.name)
    if str(dtype).startswith("dictionary"):  # of Arrow
        coded = pd.Categorical(series.to_numpy(dtype=object))
        return _of_codes(coded.codes, coded.categories, series.name)
    if pd.api.types.is_bool_dtype(dtype):
        return Numbers(series.to_numpy(dtype=np.float64, na_value=np.nan), is_boolean=True)
    if pd.api.types.is_complex_dtype(dtype):
        raise ValueError(f"Complex data not supported\n{_core.printable(str(series.name))}\n")
    if pd.api.types.is_datetime64_any_dtype(dtype) or isinstance(dtype, pd.PeriodDtype):
        _core.refuse_dates(str(series.name), str(series.min()))
    if pd.api.types.is_numeric_dtype(dtype):
        if isinstance(dtype, pd.SparseDtype):
            return Numbers(np.asarray(series, dtype=np.float64))
        if isinstance(dtype, np.dtype) and dtype in (np.float64, np.float32):
            return Numbers(aligned(series.to_numpy()))
        is_narrow = getattr(dtype, "numpy_dtype", dtype) == np.float32
        values = series.to_numpy(dtype=np.float32 if is_narrow else np.float64, na_value=np.nan)
        return Numbers(values, is_beyond_double=pd.api.types.is_integer_dtype(dtype) and _is_beyond(series))
    is_text = isinstance(dtype, pd.StringDtype) or str(dtype).startswith(("string", "large_string", "null"))  # of Arrow
    if is_text or pd.api.types.is_object_dtype(dtype):
        return of_objects(series.to_numpy(dtype=object), series.name)
    raise _core.Error(f"column '{series.name}' is of type {dtype}; {KINDS_OF_COLUMNS}")


def _is_beyond(series: Any) -> bool:
    """Whether a column of integers has one that doubles cannot tell from its neighbour."""
    least, most = series.min(), series.max()
    return not _is_missing(most) and max(-int(least), int(most)) > _core.LARGEST_EXACT


def _of_codes(codes: NDArray[Any], categories: Any, name: object) -> Categories:
    """Levels as text, ascending."""
    texts = [str(category) for category in categories]
    levels = sorted(set(texts))
    if len(levels) < len(texts):
        twice = next(text for text in texts if texts.count(text) > 1)
        raise _core.Error(f"column '{name}' has different categories that are both written '{twice}'; rename one")
    place = {level: code for code, level in enumerate(levels)}
    table = np.array([place[text] for text in texts] + [-1], dtype=np.int32)
    return _without_unused(Categories(table[codes], levels))


def _without_unused(column: Categories) -> Categories:
    seen = np.unique(column.codes[column.codes >= 0])
    if len(seen) == len(column.levels):
        return column
    levels = [column.levels[code] for code in seen]
    table = np.full(len(column.levels) + 1, -1, dtype=np.int32)
    table[seen] = np.arange(len(seen), dtype=np.int32)
    return replace(column, codes=table[column.codes], levels=levels)


def _is_missing(value: Any) -> bool:
    is_nan = isinstance(value, (Real, Decimal, np.generic)) and bool(value != value)
    return value is None or is_nan or type(value).__name__ in ("NAType", "NaTType")


def of_objects(values: NDArray[Any], name: object) -> Column:
    """Numbers and truth values if they are nothing else; text otherwise."""
    cells = values.tolist()
    kinds = set(map(type, cells))
    numbers = None if any(issubclass(kind, str) for kind in kinds) else _numbers_among(cells, name)
    return _texts_among(cells, kinds, name) if numbers is None else numbers


def _numbers_among(cells: list[Any], name: object) -> Numbers | None:
    there = [cell for cell in cells if not _is_missing(cell)]
    is_boolean = bool(there) and all(isinstance(cell, (bool, np.bool_)) for cell in there)
    if not is_boolean and not all(isinstance(cell, (Real, Decimal)) for cell in there):
        return None
    try:
        values = np.array([np.nan if _is_missing(cell) else float(cell) for cell in cells])
        beyond = any(isinstance(cell, Integral) and abs(int(cell)) > _core.LARGEST_EXACT for cell in there)
        return Numbers(values, is_boolean, beyond)
    except OverflowError:
        raise _core.Error(f"column '{name}' has a number that is too large for a 64-bit float") from None


def _texts_among(cells: list[Any], kinds: set[type], name: object) -> Categories:
    """By one look-up a cell; what is asked of cells is asked once of each that differs from the others."""
    for kind in kinds:
        if kind.__hash__ is None:
            raise _core.Error(f"column '{name}' has a cell of type {kind.__name__}; {KINDS_OF_COLUMNS}")
    distinct = dict.fromkeys(zip(map(type, cells), cells, strict=True))  # True, 1 and 1.0 are written differently
    there = {key: str(key[1]) for key in distinct if not _is_missing(key[1])}
    for kind, cell in there:
        if issubclass(kind, date):  # a datetime or a Timestamp is one
            _core.refuse_dates(str(name), str(cell))
        if not issubclass(kind, (str, Real, Decimal, np.bool_)):
            raise _core.Error(f"column '{name}' has a cell of type {kind.__name__}; {KINDS_OF_COLUMNS}")
    if any(not issubclass(kind, str) for kind, _ in there):
        _refuse_text_among_numbers(cells, name)
    words = {text for (kind, _), text in there.items() if issubclass(kind, str)}
    both = words.intersection(text for (kind, _), text in there.items() if not issubclass(kind, str))
    if both:
        raise _core.Error(f"column '{name}' has '{min(both)}' as text and as a number or truth value; give it as one")
    levels = sorted(set(there.values()))
    place = {level: code for code, level in enumerate(levels)}
    codes = {key: place[there[key]] if key in there else -1 for key in distinct}
    keys = zip(map(type, cells), cells, strict=True)
    return Categories(np.fromiter(map(codes.__getitem__, keys), dtype=np.int32, count=len(cells)), levels, is_text=True)


def _refuse_text_among_numbers(cells: list[Any], name: object) -> None:
    numbers = sum(isinstance(cell, (Real, Decimal)) and not _is_missing(cell) for cell in cells)
    texts = [row for row, cell in enumerate(cells) if isinstance(cell, str)]
    if numbers > len(texts) > 0:
        raise _core.Error(
            f"row {texts[0]}, column '{name}': '{cells[texts[0]]}' is text in a column that is mostly numbers; make "
            "numbers of it, as by pandas.to_numeric(column, errors='coerce'), or a category, as by "
            "column.astype('category')"
        )


def of_arrow(chunk: Any, j: int) -> Column:
    if chunk.is_category(j):
        codes, levels = chunk.category(j)
        order = sorted(range(len(levels)), key=levels.__getitem__)
        table = np.full(len(levels) + 1, -1, dtype=np.int32)
        table[order] = np.arange(len(levels), dtype=np.int32)
        return _without_unused(Categories(table[codes], [levels[code] for code in order], chunk.is_text(j)))
    return Numbers(chunk.numbers(j), chunk.is_boolean(j), chunk.is_beyond_double(j))


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
        codes = np.concatenate([codes_among(part, levels) for part in parts])
        return Categories(codes, levels, any(isinstance(part, Categories) and part.is_text for part in parts))
    numbers = [part for part in (of_kind(part, category=False) for part in parts) if isinstance(part, Numbers)]
    beyond = any(part.is_beyond_double for part in numbers)
    return Numbers(np.concatenate([part.values for part in numbers]), numbers[0].is_boolean, beyond)


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
