"""Arrow's types beyond those that tables usually have."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from plumbline import OrthogonalToBias, _core

pa = pytest.importorskip("pyarrow")


def people():
    rng = np.random.default_rng(3)
    return pd.DataFrame({"b": rng.normal(size=60), "a": rng.normal(size=60), "k": pd.Categorical([7, -1, 30] * 20)})


def test_dictionaries_of_integers_are_the_categories_that_pandas_has():
    frame = people()
    ours = OrthogonalToBias(sensitive_feature_ids=["b", "k"])
    expected = ours.fit_transform(frame)
    found = ours.fit_transform(pa.table(frame))
    assert found.column_names == list(expected.columns)
    np.testing.assert_array_equal(found.to_pandas().to_numpy(), expected.to_numpy())


def test_dictionaries_of_other_numbers_are_refused_by_their_own_type():
    table = pa.table(people()).set_column(2, "k", pa.array([0.5, 1.5, 2.5] * 20).dictionary_encode())
    with pytest.raises(ValueError, match="column 'k' is a dictionary of Arrow type double"):
        OrthogonalToBias(sensitive_feature_ids=["b", "k"]).fit(table)


@pytest.mark.parametrize("values", [["x", "y", None, "z"], [7, -1, None, 30]])
def test_dictionaries_of_arrow_in_pandas_are_categories(values):
    frame = people().assign(k=pd.Categorical(values * 15))
    coded = pa.chunked_array([pa.array(values * 15).dictionary_encode()])
    ours = OrthogonalToBias(sensitive_feature_ids=["b"], missing="mean")
    expected = ours.fit_transform(frame)
    found = ours.fit_transform(frame.assign(k=pd.Series(pd.arrays.ArrowExtensionArray(coded))))
    pd.testing.assert_frame_equal(found, expected, check_exact=True)


def test_decimals_are_the_nearest_doubles():
    polars = pytest.importorskip("polars")
    digits = "12345678901234567890123456789012345678"
    some = [f"{sign}{digits[:left]}.{digits[left : left + 4]}" for sign in ("", "-") for left in (1, 9, 15, 16, 19, 34)]
    cells = [Decimal(text) for text in [*some, "0.1", "-0.3", "0"]] + [None]
    column = pa.array(cells, type=pa.decimal128(38, 4))
    expected = [np.nan if cell is None else float(cell) for cell in cells]
    for table in (pa.table({"x": column}), polars.DataFrame({"x": polars.from_arrow(column)})):
        found = _core.ArrowStream(table.__arrow_c_stream__()).next().numbers(0)
        np.testing.assert_array_equal(found, expected)


def test_decimals_are_the_numbers_that_pandas_has():
    frame = people().assign(d=[Decimal(j * j % 17) / 8 for j in range(60)]).drop(columns="k")
    ours = OrthogonalToBias(sensitive_feature_ids=["b"])
    expected = ours.fit_transform(frame)
    found = ours.fit_transform(pa.table(frame))
    np.testing.assert_array_equal(found.to_pandas().to_numpy(), expected.to_numpy())


def structs(mask=None):
    """Columns of every form that is read in a way of its own, as one array of structs."""
    rng = np.random.default_rng(4)
    columns = {
        "b": pa.array(rng.normal(size=60)),
        "single": pa.array(rng.normal(size=60).astype(np.float32)),
        "whole": pa.array(rng.integers(0, 9, size=60)),
        "holes": pa.array([None if j % 7 == 0 else float(j * j % 11) for j in range(60)]),
        "truth": pa.array([bool(j % 3 == 0) for j in range(60)]),
        "text": pa.array(["u", "v", "w", "u"] * 15),
        "coded": pa.array(["x", "y", "z"] * 20).dictionary_encode(),
    }
    return pa.StructArray.from_arrays(list(columns.values()), names=list(columns), mask=mask)


@pytest.mark.parametrize("wrap", [lambda part: part, lambda part: pa.chunked_array([part])])
def test_rows_of_structs_are_those_of_the_slice(wrap):
    part = structs().slice(13, 40)
    table = pa.table(part.flatten(), names=[field.name for field in part.type])
    ours = OrthogonalToBias(sensitive_feature_ids=["b", "coded"], missing="mean")
    expected = ours.fit_transform(table)
    assert ours.fit_transform(wrap(part)).equals(expected)
    assert ours.certificate_.rows == 40
    assert ours.fit(table).transform(wrap(part)).equals(expected)


def test_rows_that_are_null_as_a_whole_are_refused():
    some = structs(mask=pa.array([True] * 10 + [False] * 50))
    ours = OrthogonalToBias(sensitive_feature_ids=["b", "coded"], missing="mean")
    with pytest.raises(ValueError, match="rows that are null as a whole"):
        ours.fit(some)
    assert ours.fit(some.slice(10)).certificate_.rows == 50


@pytest.mark.parametrize(
    ("cells", "name"),
    [
        (pa.array([0, 1], pa.date32()), "date"),
        (pa.array([0, 1], pa.date64()), "date"),
        (pa.array([0, 1], pa.time64("us")), "time"),
        (pa.array([0, 1], pa.timestamp("ns", "UTC")), "timestamp"),
        (pa.array([0, 1], pa.duration("s")), "duration"),
        (pa.array([[0], [1]]), "list"),
        (pa.array([[0], [1]], pa.large_list(pa.int8())), "list"),
        (pa.array([[0], [1]], pa.list_(pa.int8(), 1)), "list"),
        (pa.array([{"x": 0}, {"x": 1}]), "struct"),
        (pa.array([[("k", 0)], []], pa.map_(pa.string(), pa.int8())), "map"),
        (pa.array([b"0", b"1"]), "binary"),
        (pa.array([b"0", b"1"], pa.binary(1)), "binary"),
        (pa.array([Decimal(0), Decimal(1)], pa.decimal256(50, 2)), "decimal"),
    ],
)
def test_types_are_refused_by_their_names(cells, name):
    is_date = name in ("date", "timestamp")
    why = ", and a date is neither" if is_date else "; columns must be numbers, truth values, categories or text$"
    words = f"is of Arrow type {name}{why}"
    with pytest.raises(ValueError, match=f"^column 't' {words}"):
        OrthogonalToBias(sensitive_feature_ids="t").fit(pa.table({"t": cells, "x": [0.0, 1.0]}))
    if name != "struct":  # which is a table by itself
        with pytest.raises(ValueError, match=f"^a column without a name {words}"):
            OrthogonalToBias().fit(np.eye(2), sensitive_features=cells)
