"""Tables of any kind as chunks of columns: numbers, with NaN where a cell is missing, and categories.

NumPy arrays stay arrays. Frames of pandas are taken column by column. All else that speaks the Arrow PyCapsule
interface (polars, pyarrow, ...) is read through it, chunk by chunk, and neither library is imported here.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array

from . import _core

Floats: TypeAlias = NDArray[Any]
Mask: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True)
class Numbers:
    values: Floats  # float64 or float32; NaN is a missing cell
    is_boolean: bool = False

    kind = "number"

    def __getitem__(self, rows: slice | Mask) -> Numbers:
        return Numbers(self.values[rows], self.is_boolean)

    def missing(self) -> Mask:
        return np.isnan(self.values)


@dataclass(frozen=True)
class Categories:
    codes: NDArray[np.int32]  # -1 is a missing cell
    levels: list[str]

    kind = "category"

    def __getitem__(self, rows: slice | Mask) -> Categories:
        return _without_unused(Categories(self.codes[rows], self.levels))

    def missing(self) -> Mask:
        return self.codes < 0


Column: TypeAlias = Numbers | Categories


@dataclass(frozen=True)
class Chunk:
    """Some rows: an array, or columns of their own."""

    n_rows: int
    array: Floats | None = None
    columns: Sequence[Column] = ()

    def column(self, j: int) -> Column:
        return self.columns[j] if self.array is None else Numbers(self.array[:, j])

    def __getitem__(self, rows: slice | Mask) -> Chunk:
        if self.array is not None:
            part = self.array[rows]
            return Chunk(len(part), part)
        n_rows = len(range(self.n_rows)[rows]) if isinstance(rows, slice) else int(rows.sum())
        return Chunk(n_rows, None, [column[rows] for column in self.columns])


@dataclass
class Table:
    kind: str  # "array", "pandas", or the module that the table is from
    n_columns: int
    names: list[str] | None  # none: as an array has none
    chunks: Iterator[Chunk] = field(repr=False)
    like: Any = field(repr=False, default=None)  # what came in

    @property
    def n_rows(self) -> int | None:
        """None: not known before a stream ends."""
        shape = getattr(self.like, "shape", None)
        return int(shape[0]) if shape is not None else None

    @property
    def labels(self) -> list[str]:
        """Names of the columns, made up as scikit-learn does where there are none."""
        return self.names if self.names is not None else [f"x{j}" for j in range(self.n_columns)]


def is_frame(x: object) -> bool:
    return _is_pandas(x, "DataFrame") or hasattr(x, "__arrow_c_stream__") or hasattr(x, "__arrow_c_array__")


def read(x: object, estimator: object, *, min_rows: int = 1, input_name: str = "X") -> Table:
    """The table that x is; array-likes pass through scikit-learn's check_array, but may hold NaN."""
    if _is_pandas(x, "DataFrame"):
        return _read_pandas(x)
    if hasattr(x, "__arrow_c_stream__") or hasattr(x, "__arrow_c_array__"):
        return _read_arrow(x)
    array = check_array(
        x,
        dtype=[np.float64, np.float32],
        ensure_all_finite=False,
        ensure_min_samples=min_rows,
        estimator=estimator,
        input_name=input_name,
    )
    array = aligned(array)
    return Table("array", array.shape[1], None, iter([Chunk(array.shape[0], array)]), array)


def read_sensitive(b: object, estimator: object) -> Table:
    """The same for sensitive columns given apart, which may be one column without a second dimension."""
    given: Any = b
    if _is_pandas(given, "Series"):
        return _read_pandas(given.to_frame("b0" if given.name is None else given.name))
    if hasattr(given, "to_frame"):  # a series of polars
        return read(given.to_frame(), estimator)
    if hasattr(given, "to_pylist") and not hasattr(given, "schema"):  # an array of pyarrow
        b = np.array(given.to_pylist(), dtype=object)
    if not is_frame(b):
        values = np.asarray(b)
        if values.ndim == 1:
            values = values.reshape(-1, 1)
        if values.dtype.kind in "USO":
            columns = [_of_objects(values[:, j]) for j in range(values.shape[1])]
            table = Table("columns", values.shape[1], None, iter([Chunk(values.shape[0], None, columns)]))
        else:
            table = read(values, estimator, input_name="sensitive_features")
        table.names = [f"b{j}" for j in range(table.n_columns)]
        return table
    table = read(b, estimator)
    if table.names is None:
        table.names = [f"b{j}" for j in range(table.n_columns)]
    return table


def aligned(array: Floats) -> Floats:
    """The array itself where the engine can walk it: steps forward by whole cells, in native byte order."""
    walkable = all(step >= 0 and step % array.itemsize == 0 for step in array.strides)
    return array if walkable and array.flags.aligned and array.dtype.isnative else np.ascontiguousarray(array)


def concatenated(chunks: Sequence[Chunk]) -> Chunk:
    if len(chunks) == 1:
        return chunks[0]
    n_rows = sum(chunk.n_rows for chunk in chunks)
    if not chunks:
        return Chunk(0)
    return Chunk(n_rows, None, [_joined([chunk.columns[j] for chunk in chunks]) for j in range(len(chunks[0].columns))])


def _joined(parts: Sequence[Column]) -> Column:
    numbers = [part for part in parts if isinstance(part, Numbers)]
    if len(numbers) == len(parts):
        return Numbers(np.concatenate([part.values for part in numbers]), numbers[0].is_boolean)
    levels = sorted({level for part in parts if isinstance(part, Categories) for level in part.levels})
    return Categories(np.concatenate([codes_among(part, levels) for part in parts]), levels)


def codes_among(column: Column, levels: Sequence[str]) -> NDArray[np.int32]:
    """Codes of a category's cells among given levels; -2 is a level that is not among them."""
    if isinstance(column, Numbers):
        raise _core.Error("a column is a number in one chunk and a category in another")
    place = {level: code for code, level in enumerate(levels)}
    table = np.array([place.get(level, -2) for level in column.levels] + [-1], dtype=np.int32)
    return table[column.codes]


# pandas


def _is_pandas(x: object, name: str) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(x, getattr(pandas, name))


def _read_pandas(frame: Any) -> Table:
    labels = list(frame.columns)
    names = labels if labels and all(isinstance(label, str) for label in labels) else None
    if names is None and any(isinstance(label, str) for label in labels):
        raise TypeError(
            "Feature names are only supported if all input features have string names, but your input has "
            f"{sorted({type(label).__name__ for label in labels})} as feature name / column name types. If you want "
            "feature names to be stored and validated, you must convert them all to strings, by using "
            "X.columns = X.columns.astype(str) for example."
        )
    columns = [_of_series(frame.iloc[:, j]) for j in range(frame.shape[1])]
    return Table("pandas", frame.shape[1], names, iter([Chunk(frame.shape[0], None, columns)]), frame)


def _of_series(series: Any) -> Column:
    import pandas as pd

    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _of_codes(series.cat.codes.to_numpy(), series.cat.categories)
    if pd.api.types.is_bool_dtype(dtype):
        return Numbers(series.to_numpy(dtype=np.float64, na_value=np.nan), is_boolean=True)
    if pd.api.types.is_complex_dtype(dtype):
        raise ValueError(f"Complex data not supported\n{series}\n")
    if pd.api.types.is_numeric_dtype(dtype):
        if getattr(pd.api.types, "is_sparse", None) and isinstance(dtype, pd.SparseDtype):
            return Numbers(np.asarray(series, dtype=np.float64))
        if isinstance(dtype, np.dtype) and dtype in (np.float64, np.float32):
            return Numbers(aligned(series.to_numpy()))
        return Numbers(series.to_numpy(dtype=np.float64, na_value=np.nan))
    if pd.api.types.is_object_dtype(dtype) or isinstance(dtype, pd.StringDtype):
        return _of_objects(series.to_numpy(dtype=object))
    if str(dtype).startswith(("string", "large_string")):  # a column of Arrow inside pandas
        return _of_objects(series.to_numpy(dtype=object))
    raise _core.Error(
        f"column '{series.name}' is of type {dtype}; columns must be numbers, truth values, categories or text"
    )


def _of_codes(codes: NDArray[Any], categories: Any) -> Categories:
    """Levels as text, ascending; categories of equal text are one level."""
    texts = [str(category) for category in categories]
    levels = sorted(set(texts))
    table = np.array([levels.index(text) for text in texts] + [-1], dtype=np.int32)
    return _without_unused(Categories(table[codes], levels))


def _without_unused(column: Categories) -> Categories:
    seen = np.unique(column.codes[column.codes >= 0])
    if len(seen) == len(column.levels):
        return column
    levels = [column.levels[code] for code in seen]
    table = np.full(len(column.levels) + 1, -1, dtype=np.int32)
    table[seen] = np.arange(len(seen), dtype=np.int32)
    return Categories(table[column.codes], levels)


def _of_objects(values: NDArray[Any]) -> Column:
    """Numbers and truth values if they are nothing else; text otherwise."""
    gone = np.array(
        [value is None or value != value or type(value).__name__ == "NAType" for value in values], dtype=bool
    )
    there = values[~gone].tolist()
    is_boolean = bool(there) and all(isinstance(value, (bool, np.bool_)) for value in there)
    if is_boolean or all(isinstance(value, (int, float, np.number)) for value in there):
        cells = np.full(len(values), np.nan)
        cells[~gone] = [float(value) for value in there]
        return Numbers(cells, is_boolean)
    texts = [str(value) for value in there]
    levels = sorted(set(texts))
    place = {level: code for code, level in enumerate(levels)}
    codes = np.full(len(values), -1, dtype=np.int32)
    codes[~gone] = [place[text] for text in texts]
    return Categories(codes, levels)


# Arrow


def _read_arrow(x: Any) -> Table:
    """Chunks are read when they are asked for, so a stream of any length is never in memory as a whole."""
    if hasattr(x, "__arrow_c_stream__"):
        stream = _core.ArrowStream(x.__arrow_c_stream__())
    else:
        stream = _core.ArrowStream.of_array(*x.__arrow_c_array__())
    names = list(stream.names)

    def chunks() -> Iterator[Chunk]:
        while (chunk := stream.next()) is not None:
            yield Chunk(chunk.n_rows, None, [_of_arrow(chunk, j) for j in range(len(names))])

    return Table(type(x).__module__.partition(".")[0], len(names), names, chunks(), x)


def _of_arrow(chunk: Any, j: int) -> Column:
    if chunk.is_category(j):
        codes, levels = chunk.category(j)
        order = sorted(range(len(levels)), key=levels.__getitem__)
        table = np.full(len(levels) + 1, -1, dtype=np.int32)
        table[order] = np.arange(len(levels), dtype=np.int32)
        return _without_unused(Categories(table[codes], [levels[code] for code in order]))
    return Numbers(chunk.numbers(j), chunk.is_boolean(j))
