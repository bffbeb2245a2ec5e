"""Frames of pandas, polars and pyarrow: in without copies where the layout allows, out as what came in."""

from __future__ import annotations

import tracemalloc
import warnings
from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset
import pytest
from people import mixed, numbers
from plumbline import OrthogonalToBias, _core, _tables
from plumbline._progress import BLOCK
from sklearn.base import clone

NAMES = [f"c{j}" for j in range(7)]


def frame(rows: int = 300) -> pd.DataFrame:
    return pd.DataFrame(numbers(rows), columns=NAMES)


KINDS = {
    "pandas": (lambda table: table, pd.DataFrame, lambda out: out),
    "polars": (pl.from_pandas, pl.DataFrame, pl.DataFrame.to_pandas),
    "pyarrow": (lambda table: pa.Table.from_pandas(table, preserve_index=False), pa.Table, pa.Table.to_pandas),
    "batch": (
        lambda table: pa.RecordBatch.from_pandas(table, preserve_index=False),
        pa.RecordBatch,
        lambda out: out.to_pandas(),
    ),
    "reader": (
        lambda table: pa.Table.from_pandas(table, preserve_index=False).to_reader(max_chunksize=37),
        pa.RecordBatchReader,
        lambda out: out.read_all().to_pandas(),
    ),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("missing", ["error", "drop", "mean"])
def test_the_kind_that_came_in_comes_out(kind, missing):
    make, expected, back = KINDS[kind]
    table = mixed()
    if missing != "error":
        table.loc[3, "age"] = None
        table.loc[7, "race"] = None
    fair = OrthogonalToBias(sensitive_feature_ids=["race", "age"], missing=missing)
    plain = fair.fit_transform(table)
    here = clone(fair)
    out = here.fit_transform(make(table))
    assert isinstance(out, expected)
    pd.testing.assert_frame_equal(back(out), plain, check_exact=False, rtol=1e-12, atol=1e-12)
    out = here.transform(make(table))
    assert isinstance(out, expected)
    pd.testing.assert_frame_equal(back(out), plain, check_exact=False, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("missing", ["error", "drop", "mean"])
def test_float32_in_float32_out(kind, missing):
    make, _, back = KINDS[kind]
    x = numbers(80).astype(np.float32)
    if missing != "error":
        x[50, 3] = np.nan
    fair = OrthogonalToBias(sensitive_feature_ids=[0], missing=missing)
    expected = fair.fit_transform(x)
    assert expected.dtype == np.float32
    table = pd.DataFrame(x, columns=NAMES)
    for given in (table, table.astype({"c0": np.float64})):  # sensitive columns are no part of the result
        out = back(clone(fair).fit_transform(make(given)))
        assert (out.dtypes == np.float32).all()
        assert np.allclose(out, expected, rtol=1e-6, atol=0, equal_nan=True)
    assert (back(fair.fit_transform(make(table.astype({"c3": np.float64})))).dtypes == np.float64).all()


def test_a_frame_is_what_its_columns_are():
    table = mixed()
    out = OrthogonalToBias(sensitive_feature_ids="age").fit_transform(table)
    assert list(out.columns) == [
        "income", "race=Asian", "race=Black", "race=White", "married", "job=a", "job=m", "job=z", "hours",
    ]  # fmt: skip
    assert out.index is table.index or out.index.equals(table.index)


def test_sensitive_columns_apart_of_any_kind():
    table = mixed()
    race, rest = table["race"], table[["income", "hours"]]
    expected = OrthogonalToBias().fit_transform(rest, sensitive_features=race)
    for given in (
        race.to_numpy(),
        race.tolist(),
        race.to_frame(),
        race.astype("category"),
        race.rename(3),
        pl.Series("race", race),
        pl.from_pandas(race.to_frame()),
        pa.array(race),
        pa.chunked_array([race.iloc[:50], race.iloc[50:]]),
        pa.table({"race": race}),
    ):
        out = OrthogonalToBias().fit_transform(rest, sensitive_features=given)
        pd.testing.assert_frame_equal(out, expected)
    assert _tables.read_sensitive(race.to_numpy(), None, taken=["b0", "c"]).labels == ["b_0"]


@pytest.mark.parametrize("levels", [[7, -1, 30], ["x", "y", "z"]])
def test_categories_apart_are_categories_in_all_their_forms(levels):
    rng = np.random.default_rng(0)
    k, x = rng.choice(levels, size=60), rng.normal(size=(60, 4))
    coded = pa.array(k).dictionary_encode()
    parts = [pa.array(k[:25]).dictionary_encode(), pa.array(k[25:]).dictionary_encode()]  # of different dictionaries
    series = pd.Series(pd.Categorical(k))
    expected = OrthogonalToBias().fit(x, sensitive_features=series)
    assert expected.coef_.shape == (4, 3)
    for given in (
        pd.Categorical(k),
        pd.CategoricalIndex(k),
        series.to_frame(0),
        series.array,
        pd.arrays.ArrowExtensionArray(pa.chunked_array([coded])),
        coded,
        coded.slice(0),
        pa.chunked_array(parts),
        pa.table({"k": coded}),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fair = OrthogonalToBias().fit(x, sensitive_features=given)
            assert np.array_equal(fair.coef_, expected.coef_)
            assert np.array_equal(
                fair.transform(x, sensitive_features=given), expected.transform(x, sensitive_features=series)
            )


@pytest.mark.parametrize("type_", [pa.float64(), pa.float32(), pa.int16(), pa.bool_(), pa.decimal128(9, 1)])
def test_arrays_of_arrow_apart_are_the_numbers_that_tables_have(type_):
    rng = np.random.default_rng(0)
    x, cells = rng.normal(size=(60, 3)), pa.array(rng.integers(0, 2, size=60).astype(np.float32)).cast(type_)
    cells = pa.concat_arrays([cells, pa.array([None], type_), cells.slice(0, 5)]).slice(0, 61)
    x = np.vstack([x, x[:1]])
    fair = OrthogonalToBias(missing="drop")
    expected = clone(fair).fit(x, sensitive_features=pa.table({"b": cells}))
    for given in (cells, pa.chunked_array([cells.slice(0, 7), cells.slice(7, 0), cells.slice(7)])):
        found = clone(fair).fit(x, sensitive_features=given)
        assert found.n_dropped_ == 1
        assert np.array_equal(found.coef_, expected.coef_)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        fair.fit(x, sensitive_features=pa.chunked_array([], type_))
    with pytest.raises(ValueError, match="not of a table, but of single values"):
        fair.fit(cells, sensitive_features=x)


def test_objects_are_what_they_are_written_as():
    """Texts, numbers and gaps in one column: levels are the texts of its cells, and every gap is one."""
    rng = np.random.default_rng(0)
    texts, gaps = ["a", "", "b c", "d", "e", "f", np.str_("a")], [None, np.nan, float("nan"), pd.NA, pd.NaT]
    some = [*texts, 2, 2.0, True, Decimal("0.5"), *gaps]
    cells = np.array([some[j] for j in rng.integers(0, len(some), size=400)], dtype=object)
    (column,) = next(_tables.read_sensitive(cells, None).chunks).columns
    assert column.levels == sorted({str(cell) for cell in cells if not pd.isna(cell)})
    for cell, code in zip(cells, column.codes, strict=True):
        assert code == -1 if pd.isna(cell) else column.levels[code] == str(cell)


def test_pandas_keeps_its_index_and_nullable_types():
    table = frame(50)
    table.index = pd.Index([f"row {i}" for i in range(50)])
    nullable = table.astype({"c2": "Float64", "c3": "Float32"}).assign(c4=table["c4"].round().astype("Int64"))
    plain = table.assign(c3=table["c3"].astype("float32").astype(float), c4=table["c4"].round())
    fair = OrthogonalToBias(sensitive_feature_ids=["c0"])
    pd.testing.assert_frame_equal(fair.fit_transform(nullable), fair.fit_transform(plain))
    for narrow in ("Float32", pd.ArrowDtype(pa.float32())):
        assert (fair.fit_transform(table.astype(narrow)).dtypes == np.float32).all()


@pytest.mark.parametrize("dtype", ["category", object, "string", pd.ArrowDtype(pa.string())])
def test_text_in_any_of_its_forms_is_one_category(dtype):
    table = mixed()
    expected = OrthogonalToBias(sensitive_feature_ids=["race"]).fit_transform(table)
    other = table.assign(race=table["race"].astype(dtype))
    pd.testing.assert_frame_equal(OrthogonalToBias(sensitive_feature_ids=["race"]).fit_transform(other), expected)


@pytest.mark.parametrize("dtype", [pl.Categorical, pl.Enum(["Asian", "Black", "White", "unused"]), pl.String])
def test_categories_of_polars(dtype):
    table = mixed()
    expected = OrthogonalToBias(sensitive_feature_ids=["race"]).fit_transform(table)
    other = pl.from_pandas(table).with_columns(pl.col("race").cast(dtype))
    out = OrthogonalToBias(sensitive_feature_ids=["race"]).fit_transform(other)
    pd.testing.assert_frame_equal(out.to_pandas(), expected)


@pytest.mark.parametrize(
    "type_", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())]
)
def test_text_of_arrow(type_):
    table = mixed()
    long = table["race"] + " of a name that is longer than twelve bytes"
    table = table.assign(race=long)
    expected = OrthogonalToBias(sensitive_feature_ids=["race"]).fit_transform(table)
    plain = pa.Table.from_pandas(table, preserve_index=False)
    at = plain.schema.get_field_index("race")
    other = plain.set_column(at, "race", pa.chunked_array([pa.array(long.tolist(), pa.string())]).cast(type_))
    out = OrthogonalToBias(sensitive_feature_ids=["race"]).fit_transform(other)
    pd.testing.assert_frame_equal(out.to_pandas(), expected)


@pytest.mark.parametrize(
    "type_",
    [pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64(), pa.float16()],
)
def test_numbers_of_arrow(type_):
    rng = np.random.default_rng(0)
    whole = rng.integers(0, 100, size=60)
    columns = {"s": rng.normal(size=60) + whole, "x": whole.astype(float)}
    expected = OrthogonalToBias(sensitive_feature_ids="s").fit_transform(pd.DataFrame(columns))
    values = pa.array(whole.astype(np.float16)) if type_ == pa.float16() else pa.array(whole, type_)
    table = pa.table({"s": columns["s"], "x": values})
    out = OrthogonalToBias(sensitive_feature_ids="s").fit_transform(table.slice(0))
    pd.testing.assert_frame_equal(out.to_pandas(), expected)
    part = OrthogonalToBias(sensitive_feature_ids="s").fit(table.slice(7, 40)).transform(table.slice(7, 40))
    plain = OrthogonalToBias(sensitive_feature_ids="s").fit_transform(pd.DataFrame(columns).iloc[7:47])
    assert np.allclose(part.to_pandas(), plain, rtol=0, atol=1e-12)


def test_nulls_and_truth_values_of_arrow():
    rng = np.random.default_rng(0)
    flags = [None if i % 7 == 0 else bool(i % 2) for i in range(60)]
    cells = [None if i % 11 == 0 else float(i) for i in range(60)]
    table = pa.table(
        {"s": rng.normal(size=60), "flag": flags, "x": cells, "n": pa.array(rng.normal(size=60), pa.float32())}
    )
    fair = OrthogonalToBias(sensitive_feature_ids="s", missing="drop")
    sliced = table.slice(3, 50)
    expected = fair.fit_transform(sliced.to_pandas())
    out = fair.fit_transform(sliced)
    assert np.allclose(out.to_pandas(), expected, rtol=0, atol=1e-12, equal_nan=True)
    assert fair.n_dropped_ == sum(flags[i] is None or cells[i] is None for i in range(3, 53))


def test_dates_are_refused_by_name():
    with pytest.raises(ValueError, match=r"sensitive_features is of type datetime64\[D\]; columns must be numbers"):
        OrthogonalToBias().fit(numbers(2), sensitive_features=np.array(["2020-01-01", "2020-01-02"], dtype="M8[D]"))
    for table in (
        pd.DataFrame({"s": [1.0, 2.0], "day": pd.to_datetime(["2020-01-01", "2020-01-02"])}),
        pa.table({"s": [1.0, 2.0], "day": pa.array([1, 2], pa.date32())}),
    ):
        with pytest.raises(ValueError, match=r"'day' .*, and a date is neither a number nor a category; leave it out"):
            OrthogonalToBias(sensitive_feature_ids="s").fit(table)


TEXTS = ["x", "y", "x"] * 13
TWO = ["k=x", "k=y"]
CELLS = {
    "decimal": ([Decimal("1.5"), Decimal("2.5")] * 20, ["k"]),
    "string": (pd.array([None, *TEXTS], dtype="string"), TWO),
    "texts and NA": ([pd.NA, *TEXTS], TWO),
    "texts and NaN": ([np.nan, *TEXTS], TWO),
    "numbers and NA": ([pd.NA] + [1, 2, 4] * 13, ["k"]),
    "text and numbers": ([None] + [2, "ten", "x"] * 13, ["k=2", "k=ten", "k=x"]),
}


@pytest.mark.parametrize("kind", CELLS)
def test_cells_of_objects(kind):
    cells, columns = CELLS[kind]
    fair = OrthogonalToBias(sensitive_feature_ids="c0", missing="mean").fit(frame(40).assign(k=cells))
    assert list(fair.get_feature_names_out()) == [*NAMES[1:], *columns]
    apart = OrthogonalToBias(missing="mean").fit(frame(40), sensitive_features=list(cells))
    assert apart.coef_.shape == (7, len(columns))
    assert apart.n_filled_ == fair.n_filled_ == pd.isna(pd.Series(cells)).sum()


def test_missing_cells_alone_are_of_the_kind_of_the_fit():
    table = frame(40).assign(k=list("ab") * 20)
    none = table.iloc[:1].assign(k=None)
    for missing, holds in (("mean", np.isfinite), ("drop", np.isnan)):
        fair = OrthogonalToBias(sensitive_feature_ids="k", missing=missing).fit(table)
        for later in (none, pa.table(none), pl.from_pandas(none), none.assign(c2=pd.array([None], dtype="string"))):
            assert holds(np.asarray(fair.transform(later))).all()
    for later in (none, table.assign(k=[None] + ["a"] * 39)):
        with pytest.raises(ValueError, match=r"NaN|row 0, column 'k': the cell is missing"):
            OrthogonalToBias(sensitive_feature_ids="c0").fit(table).transform(later)


def test_what_is_no_table_is_refused():
    table, s = frame(40), numbers(40)[:, 0]
    for x, b, words in (
        (pl.from_pandas(table).lazy(), s, r"X is of type LazyFrame, not read yet; call its collect\(\) first"),
        (pa.dataset.dataset(pa.table(table)), s, r"X is of type .*, not read yet; call its to_table\(\) first"),
        (table, {"k": s}, "sensitive_features has 0 dimensions, of type dict"),
        (table[[]], s, r"Found array with 0 feature\(s\) \(shape=\(40, 0\)\)"),
        (table, [10**400] + [0] * 39, "column 'b0' has a number that is too large"),
        (table, pd.Series([1j] + [0] * 39, name="k", dtype=object), "column 'k' has a cell of type complex"),
        (table, pd.Series([np.ones(2)] + [0] * 39, name="k"), "column 'k' has a cell of type ndarray"),
        (table.assign(k=[(0, 1)] * 40), s, "column 'k' has a cell of type tuple; columns must be numbers"),
        (table.assign(k=[date(2020, 1, 1)] * 40), s, "'k' holds dates, such as '2020-01-01'"),
        (table.assign(k=pd.Series([pd.Timestamp(0)] * 40, dtype=object)), s, "'k' holds dates, such as '1970-01-01"),
        (table.assign(k=[b"a", b"b"] * 20), s, "column 'k' has a cell of type bytes; columns must be numbers"),
        (table, np.array([b"a", b"b"] * 20), "column 'b0' has a cell of type bytes"),
        (table.assign(k=[1, "1"] * 20), s, "column 'k' has '1' as text and as a number or truth value"),
        (table, [True, "True", "no", "no"] * 10, "column 'b0' has 'True' as text and as a number or truth value"),
        (table.assign(k=pd.Categorical([1, "1"] * 20)), s, "column 'k' has different .* both written '1'; rename one"),
    ):
        with pytest.raises(ValueError, match=words):
            OrthogonalToBias().fit(x, sensitive_features=b)


# Without copies


def data_pointer(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def test_arrays_and_columns_are_read_where_they_lie():
    """The bytes that Python allocates in a fit do not grow with the table; tracemalloc sees all of NumPy's."""
    x = np.random.default_rng(0).normal(size=(20_000, 30))
    tables = {
        "C": x,
        "F": np.asfortranarray(x),
        "float32": x.astype(np.float32),
        "pandas": pd.DataFrame(x, columns=[f"c{j}" for j in range(30)]),
        "pandas by columns": pd.DataFrame({f"c{j}": x[:, j].copy() for j in range(30)}),
        "polars": pl.DataFrame({f"c{j}": x[:, j].copy() for j in range(30)}),
        "pyarrow": pa.table({f"c{j}": x[:, j].copy() for j in range(30)}),
    }
    for name, table in tables.items():
        fair = OrthogonalToBias(sensitive_feature_ids=[0, 1])
        fair.fit(table)
        tracemalloc.start()
        fair.fit(table)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < x.nbytes / 10, name


@pytest.mark.parametrize("missing", ["error", "mean"])
def test_categories_are_encoded_block_by_block(missing):
    """A category of many levels is never in memory as the matrix that it stands for, and blocks change no number."""
    rng = np.random.default_rng(0)
    rows, levels = 4 * BLOCK + 11, 40
    k, x = rng.integers(0, levels, size=rows), rng.normal(size=rows)
    table = pd.DataFrame({"k": pd.Categorical(k), "x": x + k, "n": rng.integers(0, 9, size=rows)})
    if missing == "mean":
        table.loc[BLOCK + 3, "x"] = np.nan
        table.loc[2 * BLOCK + 5, "k"] = np.nan
    fair = OrthogonalToBias(sensitive_feature_ids="k", missing=missing)
    for call in (fair.fit, fair.transform, fair.fit_transform):
        tracemalloc.start()
        out = call(table)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < rows * levels * 8 / 2
    filled = table.assign(x=table["x"].fillna(table["x"].mean()))
    b = pd.get_dummies(table["k"]).to_numpy(float)
    b[table["k"].isna().to_numpy()] = b[table["k"].notna().to_numpy()].mean(axis=0)
    a = filled[["x", "n"]].to_numpy(float)
    slopes, *_ = np.linalg.lstsq(b - b.mean(axis=0), a - a.mean(axis=0), rcond=None)
    assert np.allclose(out, a - (b - b.mean(axis=0)) @ slopes, rtol=0, atol=1e-10)
    unseen = table.astype({"k": object})
    unseen.loc[3 * BLOCK + 7, "k"] = 99
    with pytest.raises(ValueError, match=f"row {3 * BLOCK + 7}, column 'k': '99' is a category that the fit has not"):
        fair.transform(unseen.astype({"k": "category"}))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_frame_that_is_one_array_is_read_as_one(dtype):
    x = numbers(50).astype(dtype)
    table, apart = pd.DataFrame(x, columns=NAMES), pd.DataFrame(index=range(50))
    for j, name in enumerate(NAMES):
        apart[name] = x[:, j]
    chunk, columns = (next(_tables.read(one, None).chunks) for one in (table, apart))
    assert np.shares_memory(chunk.array, table.to_numpy())
    assert columns.array is None
    assert next(_tables.read(table.assign(k="a"), None).chunks).array is None
    fair = OrthogonalToBias(sensitive_feature_ids=["c1"])
    pd.testing.assert_frame_equal(fair.fit_transform(table), fair.fit_transform(apart))
    pd.testing.assert_frame_equal(fair.transform(table.iloc[:1]), fair.transform(table).iloc[:1])


def test_arrow_columns_share_memory():
    values = np.random.default_rng(0).normal(size=100)
    column = pa.array(values)
    chunk = next(_tables.read(pa.table({"x": column}), None).chunks)
    assert data_pointer(chunk.column(0).values) == column.buffers()[1].address


def test_a_reader_is_streamed():
    """No more than a few chunks are in memory: each is made when the one before has been summed."""
    alive: list[int] = []
    schema = pa.schema([("s", pa.float64()), ("x", pa.float64())])
    rng = np.random.default_rng(0)

    def column():
        return pc.add(pa.array(rng.normal(size=10_000)), 0.0)  # in memory of Arrow's own, which it counts

    def batches():
        for _ in range(50):
            yield pa.record_batch([column(), column()], schema=schema)
            alive.append(pa.total_allocated_bytes())

    fair = OrthogonalToBias(sensitive_feature_ids="s").fit(pa.RecordBatchReader.from_batches(schema, batches()))
    assert fair.certificate_.rows == 500_000
    assert len(alive) == 50
    assert max(alive) - min(alive) < 5 * 160_000


def test_a_table_handed_over_twice_is_refused():
    capsule = pa.table({"x": [1.0]}).__arrow_c_stream__()
    _core.ArrowStream(capsule)
    with pytest.raises(ValueError, match="read once only"):
        _core.ArrowStream(capsule)


# set_output


@pytest.mark.parametrize(("wanted", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
@pytest.mark.parametrize("given", KINDS)
def test_set_output_is_honoured(wanted, kind, given):
    table = frame(40)
    fair = OrthogonalToBias(sensitive_feature_ids=["c0"]).set_output(transform=wanted)
    for out in (fair.fit_transform(KINDS[given][0](table)), fair.transform(KINDS[given][0](table))):
        assert isinstance(out, kind)
        assert list(out.columns) == NAMES[1:]
    scores = fair.set_params(n_components=2).fit(table).transform_scores(KINDS[given][0](table))
    assert isinstance(scores, kind)
    assert list(scores.columns) == ["score1", "score2"]


@pytest.mark.parametrize("kind", KINDS)
def test_scores_are_of_the_kind_that_came_in(kind):
    make, expected, back = KINDS[kind]
    table = frame(80).set_index(pd.RangeIndex(80))
    fair = OrthogonalToBias(sensitive_feature_ids=["c0"], n_components=2).fit(table)
    out = fair.transform_scores(make(table))
    assert isinstance(out, expected)
    with pytest.warns(UserWarning, match="valid feature names"):
        cells = fair.transform_scores(table.to_numpy())
    plain = pd.DataFrame(cells, columns=["score1", "score2"])
    pd.testing.assert_frame_equal(back(out), plain, check_exact=False, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", ["aware", "blind"])
def test_a_level_of_rows_that_are_left_out_is_not_looked_at(kind, mode):
    """A row that is left out is NaN, and the others are what they would be without it."""
    make, _, back = KINDS[kind]
    table = mixed().astype({"job": object})
    gone = np.zeros(len(table), dtype=bool)
    gone[[3, 77]] = True
    table.loc[gone, "job"] = "rare"
    table.loc[gone, "income"] = None
    table.loc[77, "age"] = 1e308
    fair = OrthogonalToBias(sensitive_feature_ids=["race", "age"], mode=mode, missing="drop", n_components=3)
    expected = clone(fair).fit_transform(table[~gone])
    for out in (
        back(clone(fair).fit_transform(make(table))),
        back(clone(fair).fit(make(table)).transform(make(table))),
        back(clone(fair).partial_fit(make(table)).transform(make(table), progress=True)),
    ):
        assert out[gone].isna().all(axis=None)
        assert np.allclose(out[~gone], expected, rtol=0, atol=1e-10 * np.abs(expected).max(axis=None))
    scores = back(clone(fair).fit(make(table)).transform_scores(make(table)))
    assert scores[gone].isna().all(axis=None)
    assert scores[~gone].notna().all(axis=None)


def test_rows_that_are_left_out_count_where_a_row_is_named():
    table = mixed().astype({"job": object})
    fair = OrthogonalToBias(sensitive_feature_ids=["race", "age"], missing="drop").fit(table)
    later = table.assign(job=["a", "a", "a", "new", *table["job"][4:]], income=[None, *table["income"][1:]])
    for call in (fair.transform, fair.certify):
        with pytest.raises(ValueError, match="row 3, column 'job': 'new' is a category"):
            call(later)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32, bool])
def test_cells_that_numpy_masks_are_missing(dtype):
    rng = np.random.default_rng(8)
    cells = rng.integers(0, 2, size=(40, 3)).astype(dtype)
    mask = rng.random((40, 3)) < 0.1
    assert mask.any()
    expected = np.where(mask, np.nan, cells.astype(np.float32 if dtype == np.float32 else np.float64))
    masked = np.ma.array(cells, mask=mask)
    with pytest.raises(ValueError, match="NaN"):
        OrthogonalToBias(sensitive_feature_ids=[0]).fit(masked)
    ours = OrthogonalToBias(sensitive_feature_ids=[0], missing="mean")
    np.testing.assert_array_equal(ours.fit_transform(masked), ours.fit_transform(expected))
    b, hidden = expected[:, 0].copy(), np.ma.array(cells[:, 0], mask=mask[:, 0])
    x = rng.normal(size=(40, 2))
    ours = OrthogonalToBias(missing="mean")
    np.testing.assert_array_equal(
        ours.fit_transform(x, sensitive_features=hidden), ours.fit_transform(x, sensitive_features=b)
    )


def test_masked_texts_and_weights():
    rng = np.random.default_rng(9)
    x, mask = rng.normal(size=(20, 2)), np.arange(20) % 5 == 0
    texts = np.ma.array(["u", "v"] * 10, mask=mask)
    with pytest.raises(ValueError, match="missing"):
        OrthogonalToBias().fit(x, sensitive_features=texts)
    with pytest.raises(ValueError, match="weight"):
        OrthogonalToBias(sensitive_feature_ids=[0]).fit(x, sample_weight=np.ma.array(np.ones(20), mask=mask))
