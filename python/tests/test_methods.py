"""The paper's methods around estimators of scikit-learn."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from plumbline import OrthogonalToBias, metrics
from plumbline.datasets import make_insurance, make_loan
from plumbline.methods import METHODS, FairClassifier, FairRegressor
from sklearn.base import clone
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeRegressor


@pytest.fixture(scope="module")
def loan():
    table = make_loan(600)
    return table[["education", "income"]].to_numpy(), table["race"].to_numpy(), table["approved"].to_numpy()


@pytest.fixture(scope="module")
def prices():
    table = make_insurance(400)
    return table[["A1", "A2", "A3", "A4"]].to_numpy(), table["b"].to_numpy(), table["y"].to_numpy()


@pytest.mark.parametrize("method", METHODS)
def test_every_method_takes_any_classifier(loan, method):
    x, s, y = loan
    model = FairClassifier(GradientBoostingClassifier(n_estimators=5, random_state=0), method=method)
    p = model.fit(x, y, sensitive_features=s).predict_proba(x, sensitive_features=s)
    assert np.allclose(p.sum(axis=1), 1)
    assert ((p >= 0) & (p <= 1)).all()
    assert set(model.predict(x, sensitive_features=s)) <= {0, 1}
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict_proba(x, sensitive_features=s), p)


def test_ftu_and_ml_are_the_estimators_themselves(loan):
    x, s, y = loan
    plain = LogisticRegression(C=np.inf, max_iter=1000)
    ftu = FairClassifier(plain, method="FTU").fit(x, y, sensitive_features=s)
    expected = clone(plain).fit(x, y).predict_proba(x)
    assert np.allclose(ftu.predict_proba(x, sensitive_features=s), expected, rtol=0, atol=1e-12)
    indicators = (s[:, None] == np.array(["r0", "r1", "r2"])).astype(float)
    ml = FairClassifier(plain, method="ML").fit(x, y, sensitive_features=s)
    expected = clone(plain).fit(np.hstack([indicators, x]), y).predict_proba(np.hstack([indicators, x]))
    assert np.allclose(ml.predict_proba(x, sensitive_features=s), expected, rtol=0, atol=1e-9)


def test_ob_2_is_the_transformer_and_the_estimator(loan):
    x, s, y = loan
    fair = OrthogonalToBias().fit(x, sensitive_features=s)
    prepared = fair.transform(x, sensitive_features=s)
    expected = LogisticRegression(C=np.inf, max_iter=1000).fit(prepared, y).predict_proba(prepared)
    ours = FairClassifier(method="OB_2").fit(x, y, sensitive_features=s).predict_proba(x, sensitive_features=s)
    assert np.allclose(ours, expected, rtol=0, atol=1e-6)


def test_no_default_is_deprecated(loan, prices):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for method, (x, s, y) in ((FairClassifier(), loan), (FairRegressor(), prices)):
            method.fit(x, y, sensitive_features=s).predict(x, sensitive_features=s)


def test_fair_methods_have_a_smaller_gap(loan):
    x, s, y = loan

    def gap(method):
        model = FairClassifier(method=method).fit(x, y, sensitive_features=s)
        found = metrics.counterfactual_predictions(
            lambda a, g: model.predict_proba(a, sensitive_features=g)[:, 1],
            x,
            sensitive_features=s,
            training=(x, s),
            mapping="orthogonal",
        )
        return metrics.counterfactual_gap(found)

    assert gap("OB_2") < 0.01 < 0.2 < gap("ML")
    assert gap("FLAP_2(O)") < 0.01


def test_regressors(prices):
    x, b, y = prices
    for method in ("ML", "FTU", "OB", "SOB", "FL", "FLAP_2(O)"):
        model = FairRegressor(DecisionTreeRegressor(max_depth=3), method=method)
        predicted = model.fit(x, y, sensitive_features=b).predict(x, sensitive_features=b)
        assert predicted.shape == y.shape
        assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(x, sensitive_features=b), predicted)
    ftu = FairRegressor(method="FTU").fit(x, y, sensitive_features=b).predict(x, sensitive_features=b)
    assert np.allclose(ftu, LinearRegression().fit(x, y).predict(x), rtol=1e-9)
    ob = FairRegressor(method="OB").fit(x, y, sensitive_features=b).predict(x, sensitive_features=b)
    assert abs(np.corrcoef(ob, b)[0, 1]) < 1e-9 < 0.01 < abs(np.corrcoef(ftu, b)[0, 1])


def test_cross_validation_routes_the_groups(loan):
    x, s, y = loan
    with sklearn.config_context(enable_metadata_routing=True):
        scores = cross_val_score(FairClassifier(method="OB_2"), x, y, params={"sensitive_features": s}, cv=3)
    assert (scores > 0.5).all()


def test_sensitive_columns_are_those_of_the_fit(loan, prices):
    people = pd.DataFrame({"race": loan[1], "sex": np.where(loan[2] > 0, "f", "m")})
    numbers = pd.DataFrame({"s": prices[1], "t": prices[0][:, 0]})
    for model, (x, _, y), table in ((FairClassifier(), loan, people), (FairRegressor(), prices, numbers)):
        given, turned = table.columns.tolist(), table.columns.tolist()[::-1]
        expected = model.fit(x, y, sensitive_features=table).predict(x, sensitive_features=table)
        again = pickle.loads(pickle.dumps(model))
        assert np.array_equal(again.predict(x, sensitive_features=table), expected)
        for one in (model, again):
            with pytest.raises(ValueError) as caught:
                one.predict(x, sensitive_features=table[turned])
            assert str(caught.value) == f"sensitive_features has the columns {turned}; the fit had {given}"
        with pytest.warns(UserWarning, match="sensitive_features does not have valid feature names"):
            assert np.array_equal(model.predict(x, sensitive_features=table.to_numpy()), expected)
        bare = clone(model).fit(x, y, sensitive_features=table.to_numpy())
        with pytest.warns(UserWarning, match="sensitive_features has feature names"):
            assert np.array_equal(bare.predict(x, sensitive_features=table), expected)
        column = table[given[0]]
        one = clone(model).fit(x, y, sensitive_features=column)
        expected = one.predict(x, sensitive_features=column)
        assert np.array_equal(one.predict(x, sensitive_features=column.to_frame()), expected)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert np.array_equal(one.predict(x, sensitive_features=column.rename(None)), expected)


def test_bad_input(loan, prices):
    x, s, y = loan
    for call, words in (
        (lambda: FairClassifier(method="OC").fit(x, y, sensitive_features=s), "there is no method 'OC'"),
        (lambda: FairClassifier().fit(x, y), "sensitive_features is not given"),
        (lambda: FairClassifier().fit(x, np.arange(len(y)), sensitive_features=s), "Only binary classification"),
        (
            lambda: FairClassifier().fit(x, y, sensitive_features=s).predict(x, sensitive_features=["r9"] * len(s)),
            "'r9' is a group that the fit has not seen; it has seen r0, r1, r2",
        ),
        (lambda: FairRegressor().fit(prices[0], prices[2]), "sensitive_features is not given"),
    ):
        with pytest.raises(ValueError) as caught:
            call()
        assert words in str(caught.value)


def test_pickles_are_of_the_fit_and_not_of_later_parameters(loan, prices):
    for model, (x, s, y), other in (
        (FairClassifier(method="OB_1"), loan, {"method": "ML", "n_components": 1, "coding": "code"}),
        (
            FairRegressor(method="OB", n_components=2),
            prices,
            {"method": "FTU", "n_components": 3, "expand": "powers=2"},
        ),
    ):
        expected = model.fit(x, y, sensitive_features=s).predict(x, sensitive_features=s)
        again = pickle.loads(pickle.dumps(model.set_params(**other)))
        assert np.array_equal(again.predict(x, sensitive_features=s), expected)


def test_parameters_are_looked_at(loan, prices):
    x, s, y = loan
    for given in (
        {"n_components": 0},
        {"n_components": 10**30},
        {"random_state": -1},
        {"basis": "other"},
        {"coding": "other"},
        {"estimator": SVC()},
        {"method": None},
    ):
        with pytest.raises(ValueError, match=f"The '{next(iter(given))}' parameter of FairClassifier must be"):
            FairClassifier(**given).fit(x, y, sensitive_features=s)
    x, b, y = prices
    for given in ({"bins": 0}, {"bins": 2.5}, {"expand": 2}, {"estimator": 1}, {"n_components": 1.5}):
        with pytest.raises(ValueError, match=f"The '{next(iter(given))}' parameter of FairRegressor must be"):
            FairRegressor(**given).fit(x, y, sensitive_features=b)

    def predicted(**given):
        return FairRegressor(**given).fit(x, y, sensitive_features=b).predict(x, sensitive_features=b)

    assert np.array_equal(predicted(n_components=np.float32(0.5)), predicted(n_components=0.5))
    assert np.array_equal(predicted(expand={"powers": 2}), predicted(expand="powers=2"))
    assert np.array_equal(predicted(expand={"powers": 2, "interactions": False}), predicted(expand=["powers=2"]))


def test_a_fit_that_fails_leaves_what_was_there(loan, prices):
    for model, (x, s, y) in ((FairClassifier(), loan), (FairRegressor(), prices)):
        expected = model.fit(x, y, sensitive_features=s).predict(x, sensitive_features=s)
        with pytest.raises(ValueError, match="there is no method 'OC'"):
            model.set_params(method="OC").fit(x, y + 1, sensitive_features=s)
        assert model.estimators_
        assert np.array_equal(model.predict(x, sensitive_features=s), expected)
        assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(x, sensitive_features=s), expected)


def test_what_an_estimator_raises_comes_through(loan):
    x, _, y = loan

    class Broken(Ridge):
        def fit(self, X, y):
            raise RuntimeError("this estimator is broken")

    with pytest.raises(RuntimeError, match="this estimator is broken"):
        FairRegressor(Broken(), method="FTU").fit(x, y, sensitive_features=y)
