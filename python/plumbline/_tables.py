"""Tables of any kind as chunks of columns, and results of the same kind.

NumPy arrays stay arrays. Frames of pandas are taken column by column. All else that speaks the Arrow PyCapsule
interface (polars, pyarrow, ...) is read through it, chunk by chunk, and neither library is imported here.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array

from . import _core
from ._columns import KINDS_OF_COLUMNS, Array, Chunk, Numbers, aligned, of_arrow, of_objects, of_series

_TEXTS = ("string", "large_string", "string_view")  # of pyarrow


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
    if isinstance(x, Table):
        return x
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
    columns = [of_objects(values[:, j], f"b{j}") for j in range(values.shape[1])]
    return Table("columns", values.shape[1], None, iter([Chunk(values.shape[0], None, columns)]))


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
    columns = [] if array is not None else [of_series(frame.iloc[:, j]) for j in range(frame.shape[1])]
    return Table("pandas", frame.shape[1], names, iter([Chunk(frame.shape[0], array, columns)]), frame)


def _block_of(frame: Any) -> Array | None:
    """The cells of a frame that are one array already, or a row, where a copy costs less than a look at each column."""
    kinds = set(frame.dtypes)
    dtype = kinds.pop() if len(kinds) == 1 else None
    if not isinstance(dtype, np.dtype) or dtype not in (np.float64, np.float32):
        return None
    if len(frame) > 1 and not np.may_share_memory(frame.iloc[:1].to_numpy(), frame.iloc[:, 0].to_numpy()):
        return None
    return aligned(frame.to_numpy())


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
            yield Chunk(chunk.n_rows, None, [of_arrow(chunk, j) for j in range(len(names))])
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


# Results


def wrapped(table: Table, chunks: Iterator[Array], names: Sequence[str], kind: str | None = None) -> Any:
    """The transformed chunks of a table as pandas, polars or pyarrow have them, as it came if no kind is asked for."""
    kind = kind or table.kind
    if kind == "pandas":
        import pandas as pd

        index = table.like.index if table.kind == "pandas" else None
        return pd.DataFrame(joined(chunks), index=index, columns=list(names), copy=False)
    if kind == "polars":
        import polars as pl

        frames = [pl.DataFrame({name: chunk[:, j] for j, name in enumerate(names)}) for chunk in chunks]
        return pl.concat(frames, rechunk=False)
    if kind == "pyarrow":
        return _as_pyarrow(table.like, chunks, names)
    return joined(chunks)


def joined(chunks: Iterator[Array]) -> Array:
    parts = list(chunks)
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _as_pyarrow(like: Any, chunks: Iterator[Array], names: Sequence[str]) -> Any:
    import pyarrow as pa

    def batch(chunk: Array) -> Any:
        return pa.record_batch([pa.array(chunk[:, j]) for j in range(len(names))], names=list(names))

    if isinstance(like, pa.RecordBatchReader):
        first = batch(next(chunks))

        def batches() -> Iterator[Any]:
            yield first
            yield from map(batch, chunks)

        return pa.RecordBatchReader.from_batches(first.schema, batches())
    made = [batch(chunk) for chunk in chunks]
    return made[0] if isinstance(like, pa.RecordBatch) else pa.Table.from_batches(made)
