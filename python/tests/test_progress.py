"""Bars change nothing but what is seen."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from people import mixed, numbers
from plumbline import OrthogonalToBias, SparseOrthogonalToBias
from plumbline._progress import Progress
from plumbline.datasets import make_insurance, make_loan
from plumbline.methods import FairClassifier, FairRegressor
from plumbline.metrics import continuous_counterfactual_gap, distance_correlation
from plumbline.moments import Moments

ROWS = numbers(200_000)
GAP = np.where(np.arange(ROWS.size).reshape(ROWS.shape) == 3, np.nan, ROWS)
FEW = np.random.default_rng(0).normal(size=(20, 40))
PRICES, LOANS = make_insurance(100), make_loan(100)
FEATURES, AGE = PRICES[["A1", "A2", "A3", "A4"]], PRICES["b"]


def fitted(parameters, x=ROWS, kind=OrthogonalToBias):
    return lambda **bar: kind(sensitive_feature_ids=[0, 1], **parameters).fit(x, **bar).to_json()


CALLS = {
    "fit": fitted({}),
    "fit with terms": fitted({"expand": "powers=2,bins=3", "n_components": 2}),
    "fit with means": fitted({"missing": "mean"}, GAP),
    "fit with means and terms": fitted({"missing": "mean", "expand": "splines=4"}, GAP),
    "sparse fit": fitted({"n_components": 2}, ROWS[:, :5], SparseOrthogonalToBias),
    "sparse fit of few rows": fitted({"n_components": 2}, FEW, SparseOrthogonalToBias),
    "scores": lambda **bar: OrthogonalToBias(sensitive_feature_ids=[0], n_components=2)
    .fit(ROWS)
    .transform_scores(ROWS, **bar)
    .tobytes(),
    "certificate": lambda **bar: OrthogonalToBias(sensitive_feature_ids=[0], n_components=2)
    .fit(ROWS)
    .certify(ROWS, sample_weight=np.arange(len(ROWS)) % 3, **bar)
    .to_json(),
    "certificate of terms": lambda **bar: OrthogonalToBias(sensitive_feature_ids=["race", "age"], expand="powers=2")
    .fit(mixed())
    .certify(mixed(seed=1), **bar)
    .to_json(),
    "moments": lambda **bar: Moments()
    .update(ROWS[:, 1:], ROWS[:, 0], np.arange(len(ROWS)) % 3, **bar)
    .scatter_aa.tobytes(),
    "distance correlation": lambda **bar: distance_correlation(ROWS[:500, 0], ROWS[:500, 1], **bar),
    "counterfactuals": lambda **bar: continuous_counterfactual_gap(
        lambda a, b: a[:, 0] + b[:, 0], FEATURES, sensitive_features=AGE, training=(FEATURES, AGE), draws=50, **bar
    ),
    "classifier": lambda **bar: FairClassifier()
    .fit(LOANS[["education", "income"]], LOANS["approved"], sensitive_features=LOANS["race"], **bar)
    .predict_proba(LOANS[["education", "income"]], sensitive_features=LOANS["race"])
    .tobytes(),
    "regressor": lambda **bar: FairRegressor()
    .fit(FEATURES, PRICES["y"], sensitive_features=AGE, **bar)
    .predict(FEATURES, sensitive_features=AGE)
    .tobytes(),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_bar_ends_full_and_leaves_the_bits_alone(name, capfd):
    expected = CALLS[name]()
    assert capfd.readouterr().err == ""
    assert CALLS[name](progress=True) == expected
    assert "100%" in capfd.readouterr().err.split("\r")[-1]


MANY = ["fit", "fit with terms", "fit with means", "certificate", "moments", "distance correlation", "counterfactuals"]


@pytest.mark.parametrize("name", MANY)
def test_a_bar_moves(name, capfd, monkeypatch):
    seen = []
    monkeypatch.setattr(Progress, "_add", lambda bar, count: seen.append((count, bar.total)) if bar.wanted else None)
    CALLS[name](progress=True)
    assert len(seen) > 2
    assert sum(count for count, _ in seen) == seen[0][1]


def test_rows_that_are_refused_change_nothing_behind_a_bar():
    bad = ROWS.copy()
    bad[150_000, 3] = np.nan
    moments = Moments().update(ROWS[:100, 1:], ROWS[:100, 0])
    before = moments.copy()
    for b in (bad[:, 0], bad[:50, 0]):
        with pytest.raises(ValueError, match=r"NaN|finite|they must have the same rows"):
            moments.update(bad[:, 1:], b, progress=True)
        assert moments == before


def test_a_bar_leaves_the_bits_alone(capfd):
    x = numbers(200_000)
    plain = OrthogonalToBias(sensitive_feature_ids=[0, 1], n_components=2)
    shown = OrthogonalToBias(sensitive_feature_ids=[0, 1], n_components=2)
    expected = plain.fit_transform(x)
    assert capfd.readouterr().err == ""
    assert np.array_equal(shown.fit_transform(x, progress=True), expected)
    seen = capfd.readouterr().err
    assert "fit: 100%" in seen
    assert "transform: 100%" in seen
    assert shown.to_json() == plain.to_json()


def test_bars_of_frames_streams_and_chunks(capfd):
    table = pd.DataFrame(numbers(1000), columns=[f"c{j}" for j in range(7)])
    reader = pa.Table.from_pandas(table).to_reader(max_chunksize=300)
    for call in (
        lambda fair: fair.fit(table, progress=True),
        lambda fair: fair.fit(reader, progress=True),
        lambda fair: fair.partial_fit(table, progress=True).transform(table, progress=True),
    ):
        call(OrthogonalToBias(sensitive_feature_ids=["c0"]))
        assert "1.00k" in capfd.readouterr().err
