"""What fairness costs a prediction, what holds on new rows, and values of many rows, as a certificate tells them."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from plumbline import OrthogonalToBias
from plumbline.datasets import make_insurance
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline


def table(rows=800, seed=0):
    rng = np.random.default_rng(seed)
    b = rng.normal(size=rows)
    own = rng.normal(size=(rows, 3))
    a = own + np.outer(b, [1.0, -0.5, 0.0])
    y = own @ [1.0, 1.0, 2.0] + 3 * b + rng.normal(size=rows)
    return pd.DataFrame(np.column_stack([b, a]), columns=["b", "x", "y", "z"]), pd.Series(y, name="income")


def share_left(x, y):
    """1 − R², for the number of columns."""
    x = np.column_stack([np.ones(len(y)), x])
    slopes, *_ = np.linalg.lstsq(x, y, rcond=None)
    return np.square(y - x @ slopes).sum() / np.square(y - y.mean()).sum() * (len(y) - 1) / (len(y) - x.shape[1])


@pytest.fixture
def fair():
    return OrthogonalToBias(sensitive_feature_ids="b")


def test_the_floor_is_that_of_linear_regressions(fair):
    X, y = table()
    price = fair.fit(X, y).certificate_.price
    assert price.target == "income"
    assert price.variance == pytest.approx(y.var(ddof=0))
    assert price.unexplained == pytest.approx(share_left(X, y) * price.variance)
    assert price.by_sensitive == pytest.approx((1 - share_left(X[["b"]], y)) * price.variance)
    assert price.floor == price.unexplained + price.by_sensitive
    assert price.floor_share == pytest.approx(10 / 16, abs=0.1)
    assert "no counterfactually fair prediction of 'income'" in str(fair.certificate_)
    again = pickle.loads(pickle.dumps(fair)).certificate_.price
    assert (again.floor, again.target) == (price.floor, "income")


def test_the_map_does_not_know_y(fair):
    X, y = table()
    for missing in ("error", "drop"):
        plain = copy.deepcopy(fair).set_params(missing=missing).fit(X)
        told = copy.deepcopy(fair).set_params(missing=missing).fit(X, y)
        assert np.array_equal(plain.coef_, told.coef_)
        assert np.array_equal(plain.transform(X), told.transform(X))
        assert plain.certificate_.price is None
        assert told.to_json().count("income") == 1  # the price alone names it


@pytest.mark.parametrize("form", [np.asarray, list, lambda y: y.to_frame(), lambda y: np.asarray(y)[:, None]])
def test_y_comes_in_any_form(fair, form):
    X, y = table()
    expected = fair.fit(X, y).certificate_.price.floor
    assert fair.fit(X, form(y)).certificate_.price.floor == expected


def test_two_labels_are_a_probability(fair):
    X, y = table()
    labels = np.where(y > 1, "yes", "no")
    price = fair.fit(X, labels).certificate_.price
    assert price.levels == ["no", "yes"]
    assert price.is_probability
    assert price.variance == pytest.approx(np.var(y > 1))
    assert price.floor == pytest.approx(fair.fit(X, y > 1).certificate_.price.floor)
    checked = fair.fit(X, labels).certify(X, y=labels, predictions=np.where(y > 1, 0.9, 0.1)).price
    assert checked.predictions.error == pytest.approx(0.01)
    with pytest.raises(Exception, match="perhaps"):
        fair.certify(X, y=np.where(y > 1, "yes", "perhaps"), predictions=y)


@pytest.mark.parametrize(
    "y",
    [
        None,
        np.repeat(["a", "b", "c", "d"], 200),
        np.zeros((800, 2)),
        np.zeros(7),
        [None] * 800,
        np.full(800, np.nan),
        np.full(800, 3.0),
        object(),
    ],
    ids=["none", "four", "two targets", "short", "empty", "missing", "constant", "no array"],
)
def test_what_has_no_price_is_no_error(fair, y):
    assert fair.fit(table()[0], y).certificate_.price is None


def test_a_pipeline_hands_y_on():
    X, y = table()
    model = make_pipeline(OrthogonalToBias(sensitive_feature_ids="b"), LinearRegression()).fit(X, y)
    fair = model[0]
    price = fair.certificate_.price
    new, truth = table(seed=1)
    kept = fair.certify(new, y=truth, predictions=model.predict(new)).price.predictions
    assert kept.error == pytest.approx(np.square(truth - model.predict(new)).mean())
    assert kept.kept == pytest.approx(price.least_kept(kept.error))
    assert kept.kept < 0.3
    unfair = LinearRegression().fit(X, y)
    assert fair.certify(new, y=truth, predictions=unfair.predict(new)).price.predictions.kept > 0.7
    weights = np.arange(800) % 3
    weighted = fair.certify(new, sample_weight=weights, y=truth, predictions=model.predict(new)).price.predictions
    assert weighted.error == pytest.approx(np.average(np.square(truth - model.predict(new)), weights=weights))


def test_what_predictions_need_is_said(fair):
    X, y = table()
    with pytest.raises(Exception, match="given y"):
        fair.fit(X).certify(X, y=y, predictions=y)
    fair.fit(X, y)
    with pytest.raises(Exception, match="without y"):
        fair.certify(X, predictions=y)
    with pytest.raises(ValueError, match="inconsistent"):
        fair.certify(X, y=y, predictions=y[:5])
    assert fair.certify(X, y=y).price is None


def test_chunks_and_streams_have_no_price(fair):
    X, y = table()
    assert fair.partial_fit(X, y).certificate_.price is None
    fair.fit(X, y).partial_fit(X)
    assert fair.certificate_.price is None
    assert not any("price" in note for note in fair.certificate_.notes)


def test_new_rows_are_bounded_and_tested(fair):
    X = make_insurance(3000)
    old, new = X[:1500].drop(columns="y"), X[1500:].drop(columns="y")
    certificate = fair.fit(old).certificate_
    bound = certificate.population
    assert (bound.rows, bound.features, bound.sensitive, certificate.left_rank) == (1500, 4, 1, 4)
    assert 0.05 < bound.correlation <= bound.closed_form < 0.3
    assert certificate.independence is None
    test = fair.certify(new).independence
    assert test.degrees == 4
    assert 1e-4 < test.p_value <= 1
    assert fair.certify(new).population is None
    changed = new.assign(a1=new["a1"] + 0.3 * new["b"])
    assert fair.certify(changed).independence.p_value < 1e-6


def test_values_of_many_rows_are_named(fair):
    X, _ = table()
    X["x"] = X["x"].clip(lower=0)
    X["job"] = np.where(np.arange(800) % 4, "cook", "clerk")
    atoms = fair.fit(X).certificate_.atoms
    assert [(one.feature, one.value) for one in atoms] == [("x", "0"), ("job", "cook")]
    assert atoms[0].share == pytest.approx((X["x"] == 0).mean())
    assert atoms[1].share == pytest.approx(0.75)
    assert fair.set_params(mode="blind").fit(X).certificate_.atoms == []
