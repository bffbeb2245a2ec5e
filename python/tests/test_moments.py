"""Laws of the statistic, and of fits that keep one."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from people import mixed, numbers
from plumbline import OrthogonalToBias, SparseOrthogonalToBias
from plumbline.moments import Moments
from sklearn.base import clone

X = numbers(500)
A, B = X[:, 2:], X[:, :2]
SPREAD = 1e-11 * np.abs(X - X.mean(axis=0)).max() ** 2 * len(X)


def close(one: Moments, two: Moments) -> None:
    assert (one.rows, one.feature_names, one.sensitive_names) == (two.rows, two.feature_names, two.sensitive_names)
    assert one.weight == pytest.approx(two.weight, rel=1e-14)
    assert np.allclose(one.mean_a, two.mean_a, rtol=1e-13)
    for name in ("scatter_aa", "scatter_ba", "scatter_bb"):
        assert np.allclose(getattr(one, name), getattr(two, name), rtol=0, atol=SPREAD)


def test_numbers():
    moments = Moments().update(A, B)
    a, b = A - A.mean(axis=0), B - B.mean(axis=0)
    assert moments.rows == moments.weight == 500
    assert np.allclose(moments.mean_b, B.mean(axis=0), rtol=1e-14)
    for name, expected in (("scatter_aa", a.T @ a), ("scatter_ba", b.T @ a), ("scatter_bb", b.T @ b)):
        assert np.allclose(getattr(moments, name), expected, rtol=0, atol=SPREAD)


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, Moments.copy, lambda one: pickle.loads(pickle.dumps(one))]
)
def test_a_copy_goes_its_own_way(copied):
    for one in (Moments().update(A[:100], B[:100]), Moments(full=False), Moments(5, 2)):
        expected, other = one.rows, copied(one)
        assert other == one
        assert other.full == one.full
        other.update(A[100:], B[100:])
        assert (one.rows, other.rows) == (expected, expected + 400)


@pytest.mark.parametrize("parts", [1, 2, 5])
def test_sum_is_the_sum(parts):
    each = [Moments().update(a, b) for a, b in zip(np.array_split(A, parts), np.array_split(B, parts), strict=True)]
    rows = each[0].rows
    both = sum(each)
    close(both, Moments().update(A, B))
    both.update(A, B)
    assert each[0].rows == rows
    for other in (1, 0.5, "x"):
        with pytest.raises(TypeError):
            other + each[0]


@pytest.mark.parametrize("cut", [0, 1, 137, 500])
def test_parts_add_up_to_the_whole(cut):
    whole = Moments().update(A, B)
    parts = [Moments(5, 2) for _ in range(2)]
    for part, rows in zip(parts, (slice(0, cut), slice(cut, None)), strict=False):
        if len(A[rows]):
            part.update(A[rows], B[rows])
    close(parts[0] + parts[1], whole)
    close(parts[1].copy().merge(parts[0]), whole)


def test_the_empty_statistic_is_the_identity():
    whole = Moments().update(A, B)
    assert Moments() + whole == whole == whole + Moments()
    assert whole != Moments()


def test_adding_changes_neither_side():
    one, two = Moments().update(A[:100], B[:100]), Moments().update(A[100:], B[100:])
    before = one.copy(), two.copy()
    assert (one + two).rows == 500
    assert (one, two) == before


def test_whole_weights_are_repeated_rows():
    weights = np.random.default_rng(0).integers(0, 4, size=500)
    weighted = Moments().update(A, B, sample_weight=weights)
    repeated = Moments().update(np.repeat(A, weights, axis=0), np.repeat(B, weights, axis=0))
    assert np.allclose(weighted.scatter_aa, repeated.scatter_aa, rtol=0, atol=4 * SPREAD)


@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("ending", ["plm", "plm.gz", "plm.zst"])
def test_files_and_pickles(tmp_path, full, ending):
    moments = Moments(full=full).update(pd.DataFrame(A, columns=list("abcde")), pd.DataFrame(B, columns=["u", "v"]))
    moments.save(tmp_path / f"m.{ending}")
    for again in (Moments.load(tmp_path / f"m.{ending}"), pickle.loads(pickle.dumps(moments))):
        assert again == moments
        assert again.full is full
        assert again.feature_names == list("abcde")


def test_pickles_and_clones_of_fits():
    table = mixed()
    fair = OrthogonalToBias(sensitive_feature_ids=["race"], n_components=2).fit(table)
    again = pickle.loads(pickle.dumps(fair))
    pd.testing.assert_frame_equal(again.transform(table), fair.transform(table))
    assert str(again.certificate_) == str(fair.certificate_)
    assert clone(fair).get_params() == fair.get_params()
    chunked = OrthogonalToBias(sensitive_feature_ids=["race"]).partial_fit(table.iloc[:90])
    both = [pickle.loads(pickle.dumps(chunked)).partial_fit(table.iloc[90:]), chunked.partial_fit(table.iloc[90:])]
    assert both[0].to_json() == both[1].to_json()


def test_columns_of_frames_are_found_by_name():
    frame = pd.DataFrame(X[:, :4], columns=["u", "v", "p", "q"])
    expected = Moments().update(frame[["p", "q"]], frame[["u", "v"]]).update(frame[["p", "q"]], frame[["u", "v"]])
    found = Moments().update(frame[["p", "q"]], frame[["u", "v"]]).update(frame[["q", "p"]], frame[["v", "u"]])
    assert found == expected
    assert Moments(["p", "q"], ["u", "v"]).update(frame[["q", "p"]], frame[["v", "u"]]).rows == 500
    assert Moments(2, 2).update(frame[["p", "q"]], frame[["u", "v"]]).rows == 500
    assert Moments("age", "b").feature_names == ["age"]
    assert Moments(frame.columns, np.int64(2)).feature_names == ["u", "v", "p", "q"]
    with pytest.raises(ValueError, match=r"a has the columns \['u', 'q'\]; the statistic is of \['p', 'q'\]"):
        expected.update(frame[["u", "q"]], frame[["u", "v"]])
    with pytest.raises(ValueError, match=r"b has the columns \['u'\]; the statistic is of \['u', 'v'\]"):
        expected.update(frame[["p", "q"]], frame["u"])
    assert expected.rows == 1000


@pytest.mark.parametrize(
    "fair",
    [
        OrthogonalToBias(),
        OrthogonalToBias(n_components=2, mode="blind", missing="mean"),
        SparseOrthogonalToBias(n_components=2),
    ],
)
def test_a_fit_to_moments_is_the_fit_to_their_rows(fair):
    a, b = pd.DataFrame(A, columns=list("pqrst")), pd.DataFrame(B, columns=list("uv"))
    weights = np.random.default_rng(1).integers(0, 3, size=len(A)).astype(float)
    parts = [slice(0, 120), slice(120, 130), slice(130, None)]
    full = True  # as of any table of this size
    moments = [Moments(full=full).update(a[rows], b[rows], weights[rows]) for rows in parts]
    found = clone(fair).fit_moments(moments[0] + moments[1] + moments[2])
    whole = clone(fair).fit(a, sensitive_features=b, sample_weight=weights)
    expected = whole.transform(a, sensitive_features=b)
    scale = np.abs(A).max()
    pd.testing.assert_frame_equal(found.transform(a, sensitive_features=b), expected, rtol=0, atol=1e-12 * scale)
    assert found.feature_names_in_.tolist() == whole.feature_names_in_.tolist()
    assert found.certificate_.rows == whole.certificate_.rows

    chunked = clone(fair)
    for rows in parts:
        chunked.partial_fit(a[rows], sensitive_features=b[rows], sample_weight=weights[rows])
    straight = Moments(full=full)
    for rows in parts:
        straight.update(a[rows], b[rows], weights[rows])
    assert clone(fair).fit_moments(straight).to_json() == chunked.to_json()

    before, further = moments[0].copy(), clone(fair).fit_moments(moments[0])
    for rows in parts[1:]:
        further.partial_fit(a[rows], sensitive_features=b[rows], sample_weight=weights[rows])
    assert further.to_json() == chunked.to_json()
    assert moments[0] == before

    arrays = clone(fair).fit_moments(Moments(full=True).update(A, B, weights))  # as a fit of so few rows has them
    assert not hasattr(arrays, "feature_names_in_")
    plain = clone(fair).fit(A, sensitive_features=B, sample_weight=weights)
    assert np.array_equal(arrays.transform(A, sensitive_features=B), plain.transform(A, sensitive_features=B))
    assert arrays.get_feature_names_out().tolist() == plain.get_feature_names_out().tolist()


def test_what_moments_cannot_be_fitted():
    moments = Moments().update(A, B)
    for fair, given, words in (
        (OrthogonalToBias(), Moments(), "it must be Moments of some rows"),
        (OrthogonalToBias(), A, "it must be Moments of some rows"),
        (OrthogonalToBias(sensitive_feature_ids=[0]), moments, "sensitive_feature_ids must then be None"),
        (OrthogonalToBias(mode="blind"), Moments(full=False).update(A, B), "mode='blind' needs products of features"),
    ):
        with pytest.raises(ValueError, match=words):
            fair.fit_moments(given)
        assert not hasattr(fair, "n_features_in_")
    with pytest.raises(AttributeError, match="fit_moments"):
        OrthogonalToBias(expand="powers=2").fit_moments(moments)


def test_no_rows_add_nothing():
    frame = pa.table({"p": A[:, 0], "u": B[:, 0]})
    moments = Moments().update(frame.select(["p"])[:0], frame.select(["u"])[:0])
    assert moments.rows == 0
    assert moments.update(frame.select(["p"]), frame.select(["u"])).rows == 500


def test_no_rows_in_no_rows_out():
    frame = pd.DataFrame(X, columns=list("abcdefg"))
    fair = OrthogonalToBias(sensitive_feature_ids="a", n_components=2).fit(frame)
    table = pa.table(frame)
    for none in (table[:0], table.to_batches()[0][:0], pl.from_arrow(table)[:0], frame[:0]):
        assert fair.transform(none).shape == (0, 6)
        assert fair.transform_scores(none).shape == (0, 2)
    plain = OrthogonalToBias(sensitive_feature_ids=[0], n_components=2).fit(X)
    for dtype in (np.float64, np.float32, int, object):
        assert plain.transform(X[:0].astype(dtype)).shape == (0, 6)
        assert plain.transform_scores(X[:0].astype(dtype)).shape == (0, 2)
        with pytest.raises(ValueError, match="no rows"):
            plain.certify(X[:0].astype(dtype))
    reader = table.to_reader()
    fair.fit(reader)
    for use in (fair.transform, fair.transform_scores, fair.fit):
        with pytest.raises(ValueError, match=r"Found array with 0 sample\(s\)"):
            use(reader)


def test_rows_are_counted_from_the_first_of_all():
    table = pd.DataFrame(X[:40], columns=list("abcdefg")).assign(k=["a", "b"] * 20)
    fair = OrthogonalToBias(sensitive_feature_ids="a").fit(table)
    for cell, words in (("c", "'c' is a category"), (None, "the cell is missing")):
        later = pa.table(table.assign(k=["a", "b"] * 17 + ["a", cell] * 3)).to_reader(max_chunksize=10)
        with pytest.raises(ValueError, match=f"row 35, column 'k': {words}"):
            fair.transform(later).read_all()
    weights = np.ones(40)
    weights[35] = np.nan
    with pytest.raises(ValueError, match="row 35: the weight is nan; weights must be finite"):
        fair.set_params(missing="mean").fit(table.assign(c=[None] + [1.0, 2.0, 4.0] * 13), sample_weight=weights)


def test_sums_of_other_kinds():
    assert not (Moments() + Moments(full=False).update(A, B)).full
    assert (Moments(full=False) + Moments().update(A, B)).full
    with pytest.raises(TypeError, match="unsupported operand"):
        Moments() + 1
    with pytest.raises(ValueError, match="other is 1; it must be Moments"):
        Moments().merge(1)


def test_bad_input():
    moments = Moments().update(A, B)
    before = moments.copy()
    gap = A.copy()
    gap[3, 1] = np.nan
    for call in (
        lambda: moments.update(A[:, :3], B),
        lambda: moments.update(gap, B),
        lambda: moments.update(A, B, sample_weight=-np.ones(500)),
        lambda: moments.merge(Moments(["other"], ["names"]).update(A[:, :1], B[:, :1])),
    ):
        with pytest.raises(ValueError):
            call()
        assert moments == before
    with pytest.raises(ValueError, match="column 'job' is a category"):
        Moments().update(pd.DataFrame({"job": ["a", "b"]}), [1.0, 2.0])
    with pytest.raises(ValueError, match="Sample weights must be 1D"):
        moments.update(A, B, np.ones((500, 1)))
    with pytest.raises(ValueError, match="give both or none"):
        Moments(["a"])
    with pytest.raises(ValueError):
        _ = Moments(full=False).update(A, B).scatter_aa
