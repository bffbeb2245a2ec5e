"""Arrow columns that contradict themselves, as a crafted file may hold them, end in a sentence and never in memory that
is not theirs. pyarrow makes them without a look at their buffers."""

import numpy as np
import pytest
from plumbline import OrthogonalToBias, _core

pa = pytest.importorskip("pyarrow")

ROWS = 4


def numbers(seed):
    return pa.array(np.random.default_rng(seed).normal(size=ROWS))


class Foreign:
    """A table of some other library, which nobody validates."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def fit(column, wrap=lambda table: table):
    table = pa.table({"b": numbers(1), "a": numbers(2), "k": column})
    return OrthogonalToBias(sensitive_feature_ids=["b"]).fit(wrap(table))


def indices(cells, kind, values):
    codes = pa.array(cells, type=kind)
    return pa.DictionaryArray.from_buffers(
        pa.dictionary(kind, values.type), len(codes), codes.buffers(), values, null_count=codes.null_count
    )


@pytest.mark.parametrize("kind", [pa.int8(), pa.int16(), pa.int32(), pa.int64()])
@pytest.mark.parametrize("code", [2, 7, 100, -1, -128])
def test_indices_outside_of_their_dictionary_are_refused(kind, code):
    with pytest.raises(
        _core.Error, match=rf"^column 'k', row 3: {code} is not an index of its dictionary, which has 2 values$"
    ):
        fit(indices([0, 1, code, 1], kind, pa.array(["x", "y"])))


@pytest.mark.parametrize("code", [2**31 - 1, 2**31, 2**62, -(2**63)])
def test_indices_far_outside_are_too(code):
    with pytest.raises(_core.Error, match=f"row 1: {code} is not an index"):
        fit(indices([code, 0, 1, 0], pa.int64(), pa.array(["x", "y"])))


def test_unsigned_indices_are_compared_as_they_are():
    with pytest.raises(_core.Error, match=f"{2**64 - 1} is not an index"):
        fit(indices([0, 1, 2**64 - 1, 0], pa.uint64(), pa.array(["x", "y"])))


def test_an_index_that_is_null_may_be_anything():
    codes = pa.array([0, 1, 99, 1], mask=np.array([False, False, True, False]), type=pa.int32())
    column = pa.DictionaryArray.from_buffers(
        pa.dictionary(pa.int32(), pa.string()), ROWS, codes.buffers(), pa.array(["x", "y"]), null_count=1
    )
    table = pa.table({"b": numbers(1), "a": numbers(2), "k": column})
    OrthogonalToBias(sensitive_feature_ids=["b"], missing="mean").fit(table)


def test_integers_in_a_dictionary_are_bounded_as_texts_are():
    with pytest.raises(_core.Error, match="row 4: 3 is not an index of its dictionary, which has 3 values"):
        fit(indices([0, 1, 2, 3], pa.int32(), pa.array([7, 8, 9])))


def text(offsets, cells, kind=None, width=np.int32):
    kind = kind or pa.string()
    buffers = [None, pa.py_buffer(np.asarray(offsets, dtype=width)), pa.py_buffer(cells)]
    return pa.Array.from_buffers(kind, len(offsets) - 1, buffers)


@pytest.mark.parametrize("width", [np.int32, np.int64])
@pytest.mark.parametrize("offsets", [[0, 2, 1, 3, 4], [0, 10**6, 1, 3, 4], [0, 1, -5, 3, 4]])
def test_texts_outside_of_their_buffer_are_refused(offsets, width):
    kind = pa.string() if width is np.int32 else pa.large_string()
    with pytest.raises(_core.Error, match="column 3 of the Arrow data is not valid"):
        fit(text(offsets, b"abcd", kind, width))


@pytest.mark.parametrize("offsets", [[0, 2, 1, 3, 4], [0, 1, -5, 3, 4]])
def test_so_are_those_of_a_stream(offsets):
    table = pa.table({"b": numbers(1), "a": numbers(2), "k": text(offsets, b"abcd")})
    with pytest.raises(_core.Error, match="column 3 of the Arrow data is not valid"):
        OrthogonalToBias(sensitive_feature_ids=["b"]).fit(table.to_reader())


@pytest.mark.parametrize("wrap", [pa.Table.to_reader, lambda table: table, lambda table: table.to_batches()[0]])
def test_texts_that_are_not_utf8_are_refused(wrap):
    table = pa.table({"b": numbers(1), "a": numbers(2), "k": text([0, 1, 2, 3, 4], b"ab\xff\x1b")})
    with pytest.raises(_core.Error, match=r"column 3 of the Arrow data is not valid: .*UTF8"):
        OrthogonalToBias(sensitive_feature_ids=["b"]).fit(wrap(table))


@pytest.mark.parametrize("offsets", [[0, 2, 1, 3, 4], [0, 10**6, 1, 3, 4]])
def test_columns_by_themselves_are_looked_at_too(offsets):
    column = text(offsets, b"abcd")
    for given in (column, pa.chunked_array([column])):
        with pytest.raises(_core.Error, match="is not valid"):
            OrthogonalToBias().fit(np.ones((ROWS, 2)), sensitive_features=given)


def views(cells, *texts):
    buffers = [None, pa.py_buffer(b"".join(cells)), *map(pa.py_buffer, texts)]
    return pa.Array.from_buffers(pa.string_view(), len(cells), buffers)


def view(length, buffer=0, start=0):
    return np.array([length, 0, buffer, start], dtype=np.int32).tobytes()


@pytest.mark.parametrize("broken", [view(20, 1), view(20, -1), view(20, 0, 25), view(20, 0, -1), view(-1), view(2**30)])
def test_views_of_text_are_bounded_by_their_buffers(broken):
    whole = view(20)
    with pytest.raises(_core.Error, match=r"column 'k', row 2: the text lies outside of its buffer"):
        fit(views([whole, broken, whole, whole], b"a" * 40), Foreign)


def test_whole_views_are_read():
    fit(views([view(20), view(20, 0, 20), view(13), view(20)], b"a" * 20 + b"b" * 20), Foreign)


@pytest.mark.parametrize("offsets", [[0, 2, 1, 3, 4], [0, 1, -5, 3, 4]])
def test_texts_that_end_before_they_start_are_refused_whoever_sends_them(offsets):
    with pytest.raises(_core.Error, match=r"column 'k', row \d: the text lies outside of its buffer"):
        fit(text(offsets, b"abcd"), Foreign)


def test_texts_of_others_that_are_not_utf8_are_refused():
    with pytest.raises(_core.Error, match=r"column 'k', row 3: the text is not UTF-8: '\\xFF'"):
        fit(text([0, 1, 2, 3, 4], b"ab\xff\x1b"), Foreign)
