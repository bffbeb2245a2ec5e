"""Results in the kind that came in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ._tables import Column, Floats, Numbers, Table


def empty_like(column: Column, n_rows: int, n_columns: int, dtype: Any) -> Floats:
    """Room for a result, laid out as the table of which this is a column: row by row, or column by column."""
    by_rows = isinstance(column, Numbers) and column.values.strides[0] > column.values.itemsize
    return np.empty((n_rows, n_columns), dtype=dtype, order="C" if by_rows else "F")


def wrapped(table: Table, chunks: Iterator[Floats], names: Sequence[str], kind: str | None = None) -> Any:
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


def joined(chunks: Iterator[Floats]) -> Floats:
    parts = list(chunks)
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _as_pyarrow(like: Any, chunks: Iterator[Floats], names: Sequence[str]) -> Any:
    import pyarrow as pa

    def batch(chunk: Floats) -> Any:
        return pa.record_batch([pa.array(chunk[:, j]) for j in range(len(names))], names=list(names))

    if isinstance(like, pa.RecordBatchReader):
        first = batch(next(chunks))

        def batches() -> Iterator[Any]:
            yield first
            yield from map(batch, chunks)

        return pa.RecordBatchReader.from_batches(first.schema, batches())
    made = [batch(chunk) for chunk in chunks]
    return made[0] if isinstance(like, pa.RecordBatch) else pa.Table.from_batches(made)
