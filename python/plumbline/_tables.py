"""Tables of any kind as chunks of columns: numbers, with NaN where a cell is missing, and categories.

NumPy arrays stay arrays. Frames of pandas are taken column by column. All else that speaks the Arrow PyCapsule
interface (polars, pyarrow, ...) is read through it, chunk by chunk, and neither library is imported here.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from numbers import Real
from operator import attrgetter
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array

from . import _core

Floats: TypeAlias = NDArray[Any]
Mask: TypeAlias = NDArray[np.bool_]
_TEXTS = ("string", "large_string", "string_view")  # of pyarrow
KINDS_OF_COLUMNS = "columns must be numbers, truth values, categories or text"


@dataclass(frozen=True)
class Numbers:
    values: Floats  # float64 or float32; what is not finite is a missing cell
    is_boolean: bool = False

    kind = "number"

    def __getitem__(self, rows: slice | Mask) -> Numbers:
        return Numbers(self.values[rows], self.is_boolean)

    def missing(self) -> Mask:
        return ~np.isfinite(self.values)


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
    prefix: str = "x"  # of names that are made up

    @property
    def n_rows(self) -> int | None:
        """None: not known before a stream ends."""
        shape = getattr(self.like, "shape", None)
        return int(shape[0]) if shape is not None else None

    @property
    def labels(self) -> list[str]:
        """Names of the columns, made up as scikit-learn does where there are none."""
        return self.names if self.names is not None else [f"{self.prefix}{j}" for j in range(self.n_columns)]


def is_frame(x: object) -> bool:
    return _is_pandas(x, "DataFrame") or hasattr(x, "__arrow_c_stream__") or hasattr(x, "__arrow_c_array__")


def read(x: object, estimator: object, *, min_rows: int = 1, input_name: str = "X", column: bool = False) -> Table:
    """The table that x is; array-likes pass through scikit-learn's check_array, but may hold NaN.

    An array of Arrow is one column without a name, where that will do.
    """
    if _is_pandas(x, "DataFrame"):
        table = _read_pandas(x)
    elif is_frame(x):
        table = _read_arrow(x, column=column)
    else:
        _refuse(x, input_name)
        x = unmasked(x)
        kinds = [np.float64, np.float32]
        rules = {"dtype": kinds, "ensure_all_finite": False, "ensure_min_samples": min_rows}
        array = aligned(check_array(x, estimator=estimator, input_name=input_name, **rules))
        return Table("array", array.shape[1], None, iter([Chunk(array.shape[0], array)]), array)
    n_rows = table.n_rows
    if n_rows is not None and (n_rows < min_rows or not table.n_columns):  # scikit-learn says it
        shape = np.empty((n_rows, table.n_columns))
        check_array(shape, estimator=estimator, input_name=input_name, ensure_min_samples=min_rows)
    if not table.n_columns:
        raise ValueError("Found array with 0 feature(s) in a stream while a minimum of 1 is required.")
    return table


def _refuse(x: Any, input_name: str) -> None:
    """Refuses what NumPy would make numbers or objects of, though it is neither."""
    for method in ("collect", "to_table"):  # of a lazy frame of polars; of a dataset or scanner of pyarrow
        if hasattr(x, method):
            raise _core.Error(f"{input_name} is of type {type(x).__name__}, not read yet; call its {method}() first")
    if getattr(getattr(x, "dtype", None), "kind", None) in ("m", "M"):
        raise _core.Error(f"{input_name} is of type {x.dtype}; {KINDS_OF_COLUMNS}")


def read_sensitive(b: object, estimator: object, taken: Collection[str] = ()) -> Table:
    """The same for sensitive columns given apart, which may be one column without a second dimension.

    Columns without names get labels that are not taken.
    """
    table = _read_apart(b, estimator)
    table.prefix = "b"
    while table.names is None and not set(table.labels).isdisjoint(taken):
        table.prefix += "_"
    return table


def _read_apart(b: Any, estimator: object) -> Table:
    if _is_pandas(b, "Series"):
        return _read_pandas(b.to_frame(b.name if isinstance(b.name, str) else 0))
    if hasattr(b, "to_frame"):  # a series of polars
        return read(b.to_frame(), estimator, min_rows=0, input_name="sensitive_features")
    if _is_pandas(b, "api.extensions.ExtensionArray"):  # pd.Categorical among them
        return _read_pandas(sys.modules["pandas"].Series(b).to_frame(0))
    if is_frame(b):
        return read(b, estimator, min_rows=0, input_name="sensitive_features", column=True)
    _refuse(b, "sensitive_features")
    b = unmasked(b)
    values = np.asarray(b)
    if values.dtype.kind == "U" and not isinstance(b, np.ndarray):
        values = np.asarray(b, dtype=object)  # NaN among texts of a list became the text 'nan'
    if values.ndim not in (1, 2):
        what = f"{values.ndim} dimensions, of type {type(b).__name__}"
        raise _core.Error(f"sensitive_features has {what}; it must be an array, series or frame, of 1 or 2 dimensions")
    values = values[:, None] if values.ndim == 1 else values
    if values.dtype.kind not in "USO":
        return read(values, estimator, min_rows=0, input_name="sensitive_features")
    columns = [_of_objects(values[:, j], f"b{j}") for j in range(values.shape[1])]
    return Table("columns", values.shape[1], None, iter([Chunk(values.shape[0], None, columns)]))


def aligned(array: Floats) -> Floats:
    """The array itself where the engine can walk it: steps forward by whole cells, in native byte order."""
    walkable = all(step >= 0 and step % array.itemsize == 0 for step in array.strides)
    return array if walkable and array.flags.aligned and array.dtype.isnative else np.ascontiguousarray(array)


def unmasked(x: Any) -> Any:
    """A cell that numpy.ma masks is a missing one."""
    if not isinstance(x, np.ma.MaskedArray):
        return x
    if x.dtype.kind not in "biufUSO":
        return x
    narrow = x.dtype == np.float32
    cells: Any = np.array(x.data, dtype=object if x.dtype.kind in "USO" else np.float32 if narrow else np.float64)
    cells[np.broadcast_to(x.mask, x.shape)] = None if cells.dtype == object else np.nan
    return cells


# pandas


def _is_pandas(x: object, name: str) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(x, attrgetter(name)(pandas))


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
    array = _block_of(frame)
    columns = [] if array is not None else [_of_series(frame.iloc[:, j]) for j in range(frame.shape[1])]
    return Table("pandas", frame.shape[1], names, iter([Chunk(frame.shape[0], array, columns)]), frame)


def _block_of(frame: Any) -> Floats | None:
    """The cells of a frame that are one array already, or a row, where a copy costs less than a look at each column."""
    kinds = set(frame.dtypes)
    dtype = kinds.pop() if len(kinds) == 1 else None
    if not isinstance(dtype, np.dtype) or dtype not in (np.float64, np.float32):
        return None
    if len(frame) > 1 and not np.may_share_memory(frame.iloc[:1].to_numpy(), frame.iloc[:, 0].to_numpy()):
        return None
    return aligned(frame.to_numpy())


def _of_series(series: Any) -> Column:
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
    if pd.api.types.is_numeric_dtype(dtype):
        if isinstance(dtype, pd.SparseDtype):
            return Numbers(np.asarray(series, dtype=np.float64))
        if isinstance(dtype, np.dtype) and dtype in (np.float64, np.float32):
            return Numbers(aligned(series.to_numpy()))
        is_narrow = getattr(dtype, "numpy_dtype", dtype) == np.float32
        return Numbers(series.to_numpy(dtype=np.float32 if is_narrow else np.float64, na_value=np.nan))
    is_text = isinstance(dtype, pd.StringDtype) or str(dtype).startswith(("string", "large_string", "null"))  # of Arrow
    if is_text or pd.api.types.is_object_dtype(dtype):
        return _of_objects(series.to_numpy(dtype=object), series.name)
    raise _core.Error(f"column '{series.name}' is of type {dtype}; {KINDS_OF_COLUMNS}")


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
    return Categories(table[column.codes], levels)


def _is_missing(value: Any) -> bool:
    is_nan = isinstance(value, (Real, Decimal, np.generic)) and bool(value != value)
    return value is None or is_nan or type(value).__name__ in ("NAType", "NaTType")


def _of_objects(values: NDArray[Any], name: object) -> Column:
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
        return Numbers(np.array([np.nan if _is_missing(cell) else float(cell) for cell in cells]), is_boolean)
    except OverflowError:
        raise _core.Error(f"column '{name}' has a number that is too large for a 64-bit float") from None


def _texts_among(cells: list[Any], kinds: set[type], name: object) -> Categories:
    """By one look-up a cell; what is asked of cells is asked once of each that differs from the others."""
    for kind in kinds:
        if kind.__hash__ is None:
            raise _core.Error(f"column '{name}' has a cell of type {kind.__name__}; {KINDS_OF_COLUMNS}")
    distinct = dict.fromkeys(zip(map(type, cells), cells, strict=True))  # True, 1 and 1.0 are written differently
    there = {key: str(key[1]) for key in distinct if not _is_missing(key[1])}
    for kind, _ in there:
        if not issubclass(kind, (str, Real, Decimal, np.bool_)):
            raise _core.Error(f"column '{name}' has a cell of type {kind.__name__}; {KINDS_OF_COLUMNS}")
    words = {text for (kind, _), text in there.items() if issubclass(kind, str)}
    both = words.intersection(text for (kind, _), text in there.items() if not issubclass(kind, str))
    if both:
        raise _core.Error(f"column '{name}' has '{min(both)}' as text and as a number or truth value; give it as one")
    levels = sorted(set(there.values()))
    place = {level: code for code, level in enumerate(levels)}
    codes = {key: place[there[key]] if key in there else -1 for key in distinct}
    keys = zip(map(type, cells), cells, strict=True)
    return Categories(np.fromiter(map(codes.__getitem__, keys), dtype=np.int32, count=len(cells)), levels)


# Arrow


def _read_arrow(x: Any, *, column: bool) -> Table:
    """Chunks are read when they are asked for, so a stream of any length is never in memory as a whole."""
    checked = _checked(x)
    if hasattr(x, "__arrow_c_stream__"):
        try:
            stream = _core.ArrowStream(checked.__arrow_c_stream__(), column)
        except UnicodeDecodeError:  # pyarrow's
            raise _core.Error("the table has a column whose name is not UTF-8 text") from None
    else:
        schema, array = checked.__arrow_c_array__()
        stream = _core.ArrowStream.of_array(schema, array, column)
    names = list(stream.names)
    has_length = hasattr(x, "shape") or hasattr(x, "__len__")

    def chunks() -> Iterator[Chunk]:
        n_rows = 0
        while (chunk := stream.next()) is not None:
            n_rows += chunk.n_rows
            yield Chunk(chunk.n_rows, None, [_of_arrow(chunk, j) for j in range(len(names))])
        if n_rows == 0 and not has_length:
            raise ValueError(
                f"Found array with 0 sample(s) (shape=(0, {len(names)})) in a stream, which is read once only"
            )
        if n_rows == 0:
            yield Chunk(0, None, [Numbers(np.empty(0)) for _ in names])

    given = None if stream.is_column else names
    return Table(type(x).__module__.partition(".")[0], len(names), given, chunks(), x)


def _checked(x: Any) -> Any:
    """pyarrow reads files without a look at the sizes of their buffers, nor at the offsets of their texts, and what is
    handed over does not say them: this is where they can be looked at."""
    if type(x).__module__.partition(".")[0] != "pyarrow":
        return x
    if hasattr(x, "read_next_batch"):
        batches = (_checked(batch) for batch in x)
        return sys.modules["pyarrow"].RecordBatchReader.from_batches(x.schema, batches)
    try:
        columns = getattr(x, "columns", [x])
    except UnicodeDecodeError:
        raise _core.Error("the table has a column whose name is not UTF-8 text") from None
    for j, column in enumerate(columns):
        try:
            column.validate(full=str(column.type) in _TEXTS)
            for chunk in getattr(column, "chunks", [column]):
                if hasattr(chunk, "dictionary"):
                    chunk.dictionary.validate(full=True)
        except ValueError as problem:
            raise _core.Error(f"column {j + 1} of the Arrow data is not valid: {problem}") from None
    return x


def _of_arrow(chunk: Any, j: int) -> Column:
    if chunk.is_category(j):
        codes, levels = chunk.category(j)
        order = sorted(range(len(levels)), key=levels.__getitem__)
        table = np.full(len(levels) + 1, -1, dtype=np.int32)
        table[order] = np.arange(len(levels), dtype=np.int32)
        return _without_unused(Categories(table[codes], [levels[code] for code in order]))
    return Numbers(chunk.numbers(j), chunk.is_boolean(j))
