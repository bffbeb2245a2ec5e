"""Laws over shapes, types, orders, missing cells and weights."""

from __future__ import annotations

import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from people import correlation, residuals
from plumbline import OrthogonalToBias, SparseOrthogonalToBias
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

ORDERS = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "slice": lambda x: np.repeat(np.repeat(x, 2, axis=0), 3, axis=1)[::2, ::3],
    "reversed": lambda x: np.ascontiguousarray(x[::-1])[::-1],
    "read-only": lambda x: _frozen(x.copy()),
}
law = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def _frozen(x):
    x.flags.writeable = False
    return x


@st.composite
def tables(draw, dtypes=(np.float64, np.float32)):
    p, q = draw(st.integers(1, 3)), draw(st.integers(1, 7))
    rows = draw(st.integers(p + q + 5, 90))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    b = rng.normal(size=(rows, p)) * 2 + 5
    a = b @ rng.normal(size=(p, q)) + rng.normal(size=(rows, q)) + rng.normal(size=q) * 10
    order = draw(st.sampled_from(sorted(ORDERS)))
    return ORDERS[order](np.hstack([b, a]).astype(draw(st.sampled_from(dtypes)))), p


@law
@given(tables())
def test_full_rank_is_least_squares_in_any_layout(table):
    x, p = table
    before = x.copy()
    fair = OrthogonalToBias(sensitive_feature_ids=list(range(p)))
    out = fair.fit_transform(x)
    assert np.array_equal(x, before)
    assert out.dtype == x.dtype
    exact = residuals(x.astype(np.float64), p)
    assert np.max(np.abs(out - exact)) <= (1e-11 if x.dtype == np.float64 else 1e-5) * np.abs(x).max()
    assert np.array_equal(fair.transform(np.ascontiguousarray(x)), np.ascontiguousarray(out))
    assert np.array_equal(fair.transform(np.asfortranarray(x)), np.ascontiguousarray(out))


@law
@given(tables(dtypes=(np.float64,)), st.integers(1, 9), st.sampled_from(["aware", "blind"]), st.booleans())
def test_nothing_linear_is_left_at_any_rank(table, k, mode, sparse):
    x, p = table
    make = SparseOrthogonalToBias if sparse else OrthogonalToBias
    fair = make(sensitive_feature_ids=list(range(p)), n_components=k, mode=mode)
    out = fair.fit_transform(x)
    scale = np.abs(x[:, p:] - x[:, p:].mean(axis=0)).max()
    left = np.abs((out - out.mean(axis=0)).T @ (x[:, :p] - x[:, :p].mean(axis=0))).max() / len(x)
    assert left <= 1e-10 * scale
    assert fair.certificate_.holds() == (fair.certificate_.varying > 0)
    assert np.linalg.matrix_rank(out - out.mean(axis=0), tol=1e-8 * scale) <= k
    if mode == "blind":
        assert np.array_equal(fair.transform(x[:, p:]), fair.transform(x))


@pytest.mark.parametrize("rows", [100, 12])  # by their moments; one by one, for there are more features
def test_directions_that_are_not_found_are_a_warning(rows):
    x = np.random.default_rng(0).normal(size=(rows, 20))
    fair = SparseOrthogonalToBias(sensitive_feature_ids=0, n_components=3, max_iter=1)
    with pytest.warns(ConvergenceWarning, match="3 of 3 sparse components stopped at the iteration limit"):
        fair.fit(x)
    with pytest.warns(ConvergenceWarning, match="3 of 3"):
        clone(fair).partial_fit(np.repeat(x, 3, axis=0)).transform(x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fair.set_params(max_iter=10_000).fit(x)


@law
@given(tables(dtypes=(np.float64,)), st.integers(0, 2**32), st.sampled_from([None, 2]))
def test_whole_weights_are_repeated_rows(table, seed, k):
    x, p = table
    weights = np.random.default_rng(seed).integers(0, 3, size=len(x))
    weights[: p + x.shape[1] + 3] += 1
    ids = list(range(p))
    weighted = OrthogonalToBias(sensitive_feature_ids=ids, n_components=k).fit(x, sample_weight=weights)
    repeated = OrthogonalToBias(sensitive_feature_ids=ids, n_components=k).fit(np.repeat(x, weights, axis=0))
    assert np.allclose(weighted.transform(x), repeated.transform(x), rtol=0, atol=1e-9 * np.abs(x).max())


@law
@given(tables(dtypes=(np.float64,)), st.lists(st.floats(0.01, 0.99), max_size=4), st.sampled_from([None, 2]))
def test_chunks_are_the_whole(table, cuts, k):
    x, p = table
    places = sorted({0, len(x), *(int(cut * len(x)) for cut in cuts)})
    ids = list(range(p))
    chunked = OrthogonalToBias(sensitive_feature_ids=ids, n_components=k)
    for first, last in pairwise(places):
        chunked.partial_fit(x[first:last])
    whole = OrthogonalToBias(sensitive_feature_ids=ids, n_components=k).fit(x)
    assert np.allclose(chunked.transform(x), whole.transform(x), rtol=0, atol=1e-10 * np.abs(x).max())


@law
@given(tables(dtypes=(np.float64,)), st.integers(0, 2**32), st.sampled_from(["drop", "mean"]), st.booleans())
def test_missing_cells(table, seed, missing, as_frame):
    x, p = table
    x = x.copy()
    rng = np.random.default_rng(seed)
    for row in rng.choice(len(x), 3, replace=False):
        x[row, rng.integers(x.shape[1])] = np.nan
    gone = np.isnan(x).any(axis=1)
    ids = list(range(p))
    given_ = pd.DataFrame(x).rename(columns=lambda j: f"c{j}") if as_frame else x
    fair = OrthogonalToBias(sensitive_feature_ids=ids, missing=missing)
    out = np.asarray(fair.fit_transform(given_))
    if missing == "drop":
        assert np.isnan(out[gone]).all()
        assert fair.n_dropped_ == 3 or gone.sum() == fair.n_dropped_
        assert np.allclose(out[~gone], residuals(x[~gone], p), rtol=0, atol=1e-10 * np.nanmax(np.abs(x)))
    else:
        filled = np.where(np.isnan(x), np.nanmean(x, axis=0), x)
        assert fair.n_filled_ == np.isnan(x).sum()
        assert np.allclose(out, residuals(filled, p), rtol=0, atol=1e-10 * np.nanmax(np.abs(x)))


@law
@given(tables(dtypes=(np.float64,)), st.floats(0, 1))
def test_strength_mixes_the_result_with_the_features(table, alpha):
    x, p = table
    ids = list(range(p))
    part = OrthogonalToBias(sensitive_feature_ids=ids, alpha=alpha).fit_transform(x)
    whole = OrthogonalToBias(sensitive_feature_ids=ids).fit_transform(x)
    assert np.allclose(part, alpha * whole + (1 - alpha) * x[:, p:], rtol=0, atol=1e-11 * np.abs(x).max())


@pytest.mark.filterwarnings("ignore:sensitive_features does not have valid feature names")
@law
@given(
    tables(),
    st.sampled_from(["aware", "blind"]),
    st.sampled_from(["error", "drop", "mean"]),
    st.sampled_from(["whole", "alone", "apart"]),
    st.booleans(),
    st.sampled_from([None, 2]),
)
def test_a_row_by_itself_is_the_row_of_its_table(table, mode, missing, given_as, named, k):
    """The short way of a plain array and the long one of all else; a row that lacks a cell is never short."""
    x, p = table
    names = [f"c{j}" for j in range(x.shape[1])]
    fair = OrthogonalToBias(sensitive_feature_ids=list(range(p)), mode=mode, missing=missing, n_components=k)
    fair.fit(pd.DataFrame(x, columns=names) if named else x)
    part = {
        "whole": lambda rows: {"X": x[rows]},
        "alone": lambda rows: {"X": x[rows, p:]},
        "apart": lambda rows: {"X": x[rows, p:], "sensitive_features": x[rows, :p].astype(np.float64)},
    }[given_as if mode == "blind" or given_as != "alone" else "apart"]
    rounding = 64 * np.finfo(x.dtype).eps * np.abs(x).max()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = fair.transform(**{name: cells.tolist() for name, cells in part(slice(None)).items()}).astype(x.dtype)
        for i in range(3):
            one = part(slice(i, i + 1))
            out = fair.transform(**{name: np.array(cells) for name, cells in one.items()})
            assert out.dtype == x.dtype
            assert np.max(np.abs(out - whole[i : i + 1])) <= rounding
            assert np.max(np.abs(fair.transform(**part(slice(i, i + 3)))[:1] - out)) <= rounding
    if named:
        with pytest.warns(UserWarning, match="X does not have valid feature names"):
            fair.transform(**one)


def test_a_number_is_no_category_of_one_level():
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 3)), columns=list("abc")).assign(k="one")
    fair = OrthogonalToBias(sensitive_feature_ids="a").fit(table)
    for rows in (1, 5):
        with (
            pytest.warns(UserWarning, match="X does not have valid feature names"),
            pytest.raises(ValueError, match="column 'k' was a category in fit, and is a number here"),
        ):
            fair.transform(np.ones((rows, 4)))


@pytest.mark.parametrize("rows", [100, 12])
def test_a_random_state_is_drawn_from_once_a_fit(rows):
    x = np.random.default_rng(0).normal(size=(rows, 20))
    state, expected = np.random.RandomState(7), np.random.RandomState(7)
    fair = SparseOrthogonalToBias(sensitive_feature_ids=0, n_components=2, max_iter=10_000, random_state=state)
    found = fair.fit(x).to_json()
    assert fair.set_params(random_state=int(expected.randint(2**31))).fit(x).to_json() == found
    assert state.randint(2**31) == expected.randint(2**31)


def test_sensitive_columns_apart_are_the_same():
    rng = np.random.default_rng(0)
    b, a = rng.normal(size=(80, 2)), rng.normal(size=(80, 4))
    together = OrthogonalToBias(sensitive_feature_ids=[0, 1]).fit_transform(np.hstack([b, a]))
    for given_ in (b, b.tolist(), pd.DataFrame(b, columns=["u", "v"])):
        apart = OrthogonalToBias()
        assert np.allclose(apart.fit_transform(a, sensitive_features=given_), together, rtol=0, atol=1e-14)
        assert np.array_equal(apart.transform(a, sensitive_features=given_), together) or np.allclose(
            apart.transform(a, sensitive_features=given_), together, rtol=0, atol=1e-14
        )
    assert correlation(together, b) < 1e-12


@pytest.mark.parametrize("text", [True, False])
def test_groups_apart_leave_equal_means(text):
    rng = np.random.default_rng(0)
    s = rng.choice(["a", "b", "c"], size=90)
    a = rng.normal(size=(90, 3)) + (s == "a")[:, None]
    out = OrthogonalToBias().fit_transform(a, sensitive_features=s if text else pd.Series(s, dtype="category"))
    means = [out[s == g].mean(axis=0) for g in "abc"]
    assert np.ptp(means, axis=0).max() < 1e-12


def test_the_map_that_is_stated_is_the_map_that_is_applied():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 6))
    fair = OrthogonalToBias(sensitive_feature_ids=[0, 1], n_components=2).fit(x)
    stated = fair.intercept_ + x[:, 2:] @ fair.feature_coef_.T + x[:, :2] @ fair.coef_.T
    assert np.allclose(stated, fair.transform(x), rtol=0, atol=1e-12)
    scores = fair.transform_scores(x)
    assert np.allclose(scores @ fair.components_ + x[:, 2:].mean(axis=0), fair.transform(x), rtol=0, atol=1e-12)
    assert fair.n_components_ == 2
