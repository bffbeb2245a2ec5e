"""Every kind of thing that Python can hand over as a table, and as sensitive columns."""

from __future__ import annotations

import decimal
import fractions
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse
from plumbline import OrthogonalToBias

from .tally import Tally, is_harmless

PROMISE = "a finite result of the right shape, or ValueError or TypeError with a sentence"
ROWS = 24


def base() -> np.ndarray:
    return np.random.default_rng(9).normal(size=(ROWS, 3))


def kinds() -> Iterator[tuple[str, Callable[[], Any]]]:
    x = base()
    for dtype in (
        "f2",
        "f4",
        "f8",
        "f16",
        "i1",
        "i2",
        "i4",
        "i8",
        "u1",
        "u2",
        "u4",
        "u8",
        "?",
        "c8",
        "c16",
        "O",
        "S8",
        "U8",
    ):
        yield f"array of {dtype}", lambda dtype=dtype: (x * 10).astype(dtype) if dtype != "?" else x > 0
        yield f"array of {dtype} in Fortran's order", lambda dtype=dtype: np.asfortranarray((x * 10).astype(dtype))
    for order in "<>":
        yield f"array of {order}f8", lambda order=order: x.astype(order + "f8")
    yield "array of dates", lambda: np.full((ROWS, 3), np.datetime64("2020-01-01"))
    yield "array of durations", lambda: np.full((ROWS, 3), np.timedelta64(3, "s"))
    yield "record array", lambda: np.rec.fromarrays(x.T, names="a,b,c")
    yield "structured array", lambda: np.zeros(ROWS, dtype=[("a", "f8"), ("b", "i4")])
    yield "matrix", lambda: np.matrix(x)
    yield "masked array", lambda: np.ma.array(x, mask=x > 2)
    yield "masked array of integers", lambda: np.ma.array((x * 10).astype(int), mask=x > 2)
    yield "read-only array", lambda: _read_only(x)
    yield "array backwards", lambda: x[::-1, ::-1]
    yield "array with strides", lambda: np.zeros((ROWS * 2, 6))[::2, ::2] + x
    yield "array without rows", lambda: x[:0]
    yield "array without columns", lambda: x[:, :0]
    yield "array of one dimension", lambda: x[:, 0]
    yield "array of three dimensions", lambda: x[None]
    yield "array of no dimension", lambda: np.array(3.0)
    yield "broadcast array", lambda: np.broadcast_to(x[:, :1], (ROWS, 3))
    yield "array off its place", lambda: np.frombuffer(b"\0" + x.tobytes(), dtype="u1")[1:].view("f8").reshape(ROWS, 3)
    for value in (np.nan, np.inf, -np.inf, 1e308, -1e308, 1e-308, 5e-324, 1e200, 1e-146, 1e-200, 0.0, -0.0):
        yield f"a cell of {value}", lambda value=value: _with(x, value)
        yield f"a column of {value}", lambda value=value: _with(x, value, whole=True)
        yield f"everything times {value}", lambda value=value: x * value
    yield "list of lists", lambda: x.tolist()
    yield "tuple of tuples", lambda: tuple(map(tuple, x.tolist()))
    yield "ragged lists", lambda: [[1.0], [2.0, 3.0]]
    yield "list of texts", lambda: [["a", "b", "c"]] * ROWS
    yield "list of None", lambda: [[None, 1.0, 2.0]] * ROWS
    yield "list of decimals", lambda: [[decimal.Decimal("1.5")] * 3] * ROWS
    yield "list of fractions", lambda: [[fractions.Fraction(1, 3)] * 3] * ROWS
    yield "list of large integers", lambda: [[2**70, 1, 2]] * ROWS
    yield "nothing", lambda: None
    yield "a number", lambda: 3.0
    yield "a text", lambda: "abc"
    yield "bytes", lambda: b"abc"
    yield "a dictionary", lambda: {"a": x[:, 0], "b": x[:, 1]}
    yield "a set", lambda: {1.0, 2.0}
    yield "a generator", lambda: (row for row in x)
    yield "an object", object
    yield "memoryview", lambda: memoryview(x)
    for name in ("csr_matrix", "csc_array", "coo_matrix", "dia_matrix"):
        yield f"sparse {name}", lambda name=name: getattr(scipy.sparse, name)(x)
    frame = pd.DataFrame(x, columns=list("abc"))
    yield "pandas", lambda: frame
    yield "pandas with numbers for names", lambda: pd.DataFrame(x)
    yield "pandas with mixed names", lambda: pd.DataFrame(x, columns=["a", 1, "c"])
    yield "pandas with names twice", lambda: pd.DataFrame(x, columns=["a", "a", "c"])
    yield "pandas with names of escapes", lambda: pd.DataFrame(x, columns=["\x1b[2J", "b\n", "\u202e"])
    yield "pandas with empty names", lambda: pd.DataFrame(x, columns=["", " ", "c"])
    yield "pandas with levels of names", lambda: pd.DataFrame(x, columns=pd.MultiIndex.from_product([["a"], [1, 2, 3]]))
    yield "pandas with an odd index", lambda: frame.set_axis(pd.date_range("2020-01-01", periods=ROWS))
    yield "pandas with an index twice", lambda: frame.set_axis([0] * ROWS)
    yield "pandas without rows", lambda: frame.iloc[:0]
    yield "pandas without columns", lambda: frame.iloc[:, :0]
    yield "pandas series", lambda: frame["a"]
    for cells in (
        pd.array([1, None] * (ROWS // 2), dtype="Int64"),
        pd.array([True, None] * (ROWS // 2), dtype="boolean"),
        pd.array(["x", None] * (ROWS // 2), dtype="string"),
        pd.Categorical(["x", "y"] * (ROWS // 2)),
        pd.Categorical([None] * ROWS),
        pd.Categorical([1.5, 2.5] * (ROWS // 2)),
        pd.Categorical(["\x1b[2J", "y\n"] * (ROWS // 2)),
        pd.array(np.arange(ROWS), dtype="datetime64[ns]"),
        pd.period_range("2020", periods=ROWS, freq="D"),
        pd.interval_range(0, ROWS),
        pd.arrays.SparseArray([0.0, 1.0] * (ROWS // 2)),
        np.array(["x"] * ROWS, dtype=object),
        np.array([b"x", "y"] * (ROWS // 2), dtype=object),
        np.array([1, "1"] * (ROWS // 2), dtype=object),
        np.array([{}, []] * (ROWS // 2), dtype=object),
        np.array([2**70] * ROWS, dtype=object),
        np.arange(ROWS) + 1j,
    ):
        yield f"pandas column of {getattr(cells, 'dtype', type(cells))}", lambda cells=cells: frame.assign(d=cells)
    yield "polars", lambda: pl.from_pandas(frame)
    yield "polars lazy", lambda: pl.from_pandas(frame).lazy()
    yield "polars series", lambda: pl.Series("a", x[:, 0])
    for kind in (
        pl.Int8,
        pl.UInt64,
        pl.Float32,
        pl.Boolean,
        pl.String,
        pl.Categorical,
        pl.Date,
        pl.Datetime,
        pl.Null,
        pl.Binary,
    ):
        yield f"polars column of {kind}", lambda kind=kind: _polars(kind)
    yield "polars column of lists", lambda: pl.from_pandas(frame).with_columns(d=pl.Series([[1]] * ROWS))
    yield "Arrow table", lambda: pa.table(frame)
    yield "Arrow reader", lambda: pa.table(frame).to_reader()
    yield "Arrow batch", lambda: pa.record_batch(frame)
    yield "Arrow array", lambda: pa.array(x[:, 0])
    yield "Arrow chunked array", lambda: pa.chunked_array([x[:, 0]])
    yield "Arrow table in chunks of none", lambda: pa.table(frame).slice(0, 0)
    yield "Arrow table with names twice", lambda: pa.table([pa.array(x[:, 0])] * 3, names=["a", "a", "b"])
    yield "Arrow index beyond a dictionary", lambda: _bad_dictionary(frame)


def _read_only(x: np.ndarray) -> np.ndarray:
    out = x.copy()
    out.flags.writeable = False
    return out


def _with(x: np.ndarray, value: float, *, whole: bool = False) -> np.ndarray:
    out = x.copy()
    out[slice(None) if whole else 3, 1] = value
    return out


def _polars(kind: Any) -> pl.DataFrame:
    cells = {pl.String: "x", pl.Categorical: "x", pl.Binary: b"x", pl.Boolean: True, pl.Null: None}.get(kind, 1)
    return pl.from_pandas(pd.DataFrame(base(), columns=list("abc"))).with_columns(
        d=pl.Series([cells] * ROWS, dtype=kind, strict=False)
    )


def _bad_dictionary(frame: pd.DataFrame) -> pa.Table:
    codes = pa.array([0, 1, 99] * (ROWS // 3), type=pa.int32())
    kind = pa.dictionary(pa.int32(), pa.string())
    column = pa.DictionaryArray.from_buffers(kind, ROWS, codes.buffers(), pa.array(["x", "y"]))
    return pa.table(frame).append_column("d", column)


def attempt(call: Callable[[], Any]) -> tuple[str, list[str]]:
    try:
        result = call()
    except (ValueError, TypeError, pa.ArrowException) as refused:  # what pyarrow refuses by itself is refused
        return "refused", [] if is_harmless(str(refused)) else [f"raw text: {str(refused)!a}"]
    except Exception as other:
        return "failed", [f"{type(other).__name__}: {other}"]
    if isinstance(result, pa.RecordBatchReader):
        result = result.read_all()
    frame = result.to_pandas() if hasattr(result, "to_pandas") else result
    cells = np.asarray(frame, dtype=float)
    wrong = (
        []
        if cells.ndim == 2 and np.isfinite(cells).all()
        else [f"a result of shape {cells.shape} with cells that are not finite"]
    )
    return "transformed", wrong


def as_x(x: Any) -> Any:
    return OrthogonalToBias(sensitive_feature_ids=[0]).fit_transform(x)


def as_x_in_blind_mode(x: Any) -> Any:
    return OrthogonalToBias(sensitive_feature_ids=[0], mode="blind", n_components=1, missing="mean").fit_transform(x)


def as_sensitive_features(x: Any) -> Any:
    return OrthogonalToBias().fit_transform(base(), sensitive_features=x)


def as_sample_weight(x: Any) -> Any:
    return OrthogonalToBias(sensitive_feature_ids=[0]).fit(base(), sample_weight=x).transform(base())


def run() -> Tally:
    tally = Tally("kinds of Python input", PROMISE)
    warnings.simplefilter("ignore")
    for name, make in kinds():
        for use in (as_x, as_x_in_blind_mode, as_sensitive_features, as_sample_weight):
            try:
                made = make()
            except (ValueError, TypeError, OverflowError):  # NumPy's or pandas' own refusal
                break
            end, wrong = attempt(partial(use, made))
            tally.add(end, [f"{name} {use.__name__}: {w}" for w in wrong])
    return tally
