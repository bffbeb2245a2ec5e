"""sensitive_features and sample_weight through pipelines, searches and column transformers."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
import sklearn
from people import correlation
from plumbline import OrthogonalToBias
from plumbline.methods import FairClassifier
from plumbline.metrics import SensitiveScorer
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import get_scorer, make_scorer, r2_score
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler


@pytest.fixture(autouse=True)
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    b = rng.normal(size=(120, 2))
    a = b @ rng.normal(size=(2, 4)) + rng.normal(size=(120, 4))
    return a, b, a.sum(axis=1) + rng.normal(size=120), rng.integers(1, 4, size=120)


def test_pipeline(data):
    a, b, y, w = data
    remover = OrthogonalToBias().set_fit_request(sample_weight=True)
    last = LinearRegression().set_fit_request(sample_weight=True)
    model = Pipeline(
        [("fair", remover), ("scale", StandardScaler().set_fit_request(sample_weight=False)), ("lin", last)]
    )
    model.fit(a, y, sensitive_features=b, sample_weight=w)
    by_hand = OrthogonalToBias().fit(a, sensitive_features=b, sample_weight=w)
    assert np.array_equal(model["fair"].transform(a, sensitive_features=b), by_hand.transform(a, sensitive_features=b))
    predicted = model.predict(a, sensitive_features=b)
    assert np.isfinite(predicted).all()
    assert model.score(a, y, sensitive_features=b) > 0.1


ALPHAS = {"orthogonaltobias__alpha": [0.0, 0.5, 1.0]}


def test_grid_search_with_sensitive_features(data):
    a, b, y, _ = data
    model = make_pipeline(OrthogonalToBias(), LinearRegression())
    search = GridSearchCV(model, ALPHAS, cv=KFold(3), scoring=SensitiveScorer(), error_score="raise")
    search.fit(a, y, sensitive_features=b)
    for alpha, found in zip(ALPHAS["orthogonaltobias__alpha"], search.cv_results_["mean_test_score"], strict=True):
        by_hand = []
        for train, test in KFold(3).split(a):
            fair = OrthogonalToBias(alpha=alpha).fit(a[train], sensitive_features=b[train])
            last = LinearRegression().fit(fair.transform(a[train], sensitive_features=b[train]), y[train])
            by_hand.append(last.score(fair.transform(a[test], sensitive_features=b[test]), y[test]))
        assert np.isclose(found, np.mean(by_hand), rtol=1e-12)
    assert search.best_estimator_.predict(a, sensitive_features=b).shape == y.shape


def test_grid_search_with_sample_weight(data):
    a, b, y, w = data
    last = LinearRegression().set_fit_request(sample_weight=True)
    model = make_pipeline(OrthogonalToBias().set_fit_request(sample_weight=True), last)
    scoring = SensitiveScorer(make_scorer(r2_score).set_score_request(sample_weight=True))
    search = GridSearchCV(model, ALPHAS, cv=KFold(3), scoring=scoring, error_score="raise")
    search.fit(a, y, sensitive_features=b, sample_weight=w)
    by_hand = []
    for train, test in KFold(3).split(a):
        fair = OrthogonalToBias().fit(a[train], sensitive_features=b[train], sample_weight=w[train])
        x = fair.transform(a[train], sensitive_features=b[train])
        linear = LinearRegression().fit(x, y[train], sample_weight=w[train])
        x = fair.transform(a[test], sensitive_features=b[test])
        by_hand.append(linear.score(x, y[test], sample_weight=w[test]))
    assert np.isclose(search.cv_results_["mean_test_score"][2], np.mean(by_hand), rtol=1e-12)


def test_grid_search_with_a_scorer_of_scikit_learn(data):
    """Such a scorer takes weights, and hands nothing to a transform: what it scores must be blind."""
    a, b, y, w = data
    model = make_pipeline(
        OrthogonalToBias(mode="blind").set_fit_request(sample_weight=True),
        LinearRegression().set_fit_request(sample_weight=True),
    )
    scoring = make_scorer(r2_score).set_score_request(sample_weight=True)
    search = GridSearchCV(model, ALPHAS, cv=3, scoring=scoring, error_score="raise")
    search.fit(a, y, sensitive_features=b, sample_weight=w)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    aware = GridSearchCV(model.set_params(orthogonaltobias__mode="aware"), ALPHAS, scoring=scoring, error_score="raise")
    with pytest.raises(ValueError, match="not given as sensitive_features"):
        aware.fit(a, y, sensitive_features=b, sample_weight=w)


@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc", "neg_log_loss", "average_precision"])
def test_the_scorers_of_scikit_learn_within_ours(data, scoring):
    """As by hand: with the sensitive columns, a scorer sees what it would see of a model without them."""
    a, b, y, _ = data
    y = y > 0
    model = make_pipeline(OrthogonalToBias(), LogisticRegression())
    keys = {"cv": KFold(3), "params": {"sensitive_features": b}, "error_score": "raise"}
    found = cross_val_score(model, a, y, scoring=SensitiveScorer(scoring), **keys)
    by_hand = []
    for train, test in KFold(3).split(a):
        fair = OrthogonalToBias().fit(a[train], sensitive_features=b[train])
        last = LogisticRegression().fit(fair.transform(a[train], sensitive_features=b[train]), y[train])
        by_hand.append(get_scorer(scoring)(last, fair.transform(a[test], sensitive_features=b[test]), y[test]))
    assert np.allclose(found, by_hand, rtol=1e-9)
    both = cross_validate(model, a, y, scoring={"one": SensitiveScorer(scoring), "two": SensitiveScorer()}, **keys)
    assert np.array_equal(both["test_one"], found)


def test_our_scorer_hands_groups_on_to_a_fair_classifier(data):
    a, _, y, w = data
    group = np.where(w > 2, "old", "young")
    for model in (FairClassifier(), make_pipeline(StandardScaler(), FairClassifier())):
        found = [
            cross_val_score(model, a, y > 0, scoring=scoring, params={"sensitive_features": group}, error_score="raise")
            for scoring in (SensitiveScorer(), SensitiveScorer("accuracy"))
        ]
        assert np.array_equal(*found)


CALL = re.escape("plumbline.metrics.SensitiveScorer()")


def test_a_scorer_that_hands_nothing_on_is_told_of_ours(data):
    a, b, y, _ = data
    model = make_pipeline(OrthogonalToBias(), LinearRegression())
    with pytest.warns(UserWarning, match=f"(?s)Scoring failed.*{CALL}"):
        GridSearchCV(model, ALPHAS, scoring="r2").fit(a, y, sensitive_features=b)
    with pytest.raises(ValueError, match=CALL):
        GridSearchCV(model, ALPHAS, scoring="r2", error_score="raise").fit(a, y, sensitive_features=b)


def test_a_search_without_a_scorer_works_or_tells_of_ours(data):
    """scikit-learn 1.6 hands nothing on; later versions do."""
    a, b, y, _ = data
    search = GridSearchCV(make_pipeline(OrthogonalToBias(), LinearRegression()), ALPHAS, error_score="raise")
    if sklearn.__version__.startswith("1.6."):
        with pytest.raises(ValueError, match=CALL):
            search.fit(a, y, sensitive_features=b)
    else:
        search.fit(a, y, sensitive_features=b)
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_without_routing_the_sentence_names_it(data):
    a, b, y, _ = data
    with sklearn.config_context(enable_metadata_routing=False):
        search = GridSearchCV(make_pipeline(OrthogonalToBias(), LinearRegression()), ALPHAS)
        with pytest.warns(UserWarning, match=r"enable_metadata_routing=True\), and a search"):
            search.fit(a, y, orthogonaltobias__sensitive_features=b)


def test_grid_search_in_blind_mode(data):
    a, b, y, _ = data
    model = make_pipeline(OrthogonalToBias(mode="blind"), LinearRegression())
    search = GridSearchCV(model, ALPHAS, cv=3)
    search.fit(a, y, sensitive_features=b)
    scores = search.cv_results_["mean_test_score"]
    assert search.best_params_["orthogonaltobias__alpha"] < 1
    assert scores[2] < scores[0] - 0.1


def test_grid_search_without_routing():
    with sklearn.config_context(enable_metadata_routing=False):
        rng = np.random.default_rng(0)
        x = rng.normal(size=(90, 5))
        model = make_pipeline(OrthogonalToBias(sensitive_feature_ids=[0]), LinearRegression())
        search = GridSearchCV(model, {"orthogonaltobias__n_components": [1, 2, None]}, cv=3, n_jobs=2)
        search.fit(x, x[:, 1] + x[:, 2] - x[:, 3])
        assert search.best_params_ == {"orthogonaltobias__n_components": None}


def test_column_transformer(data):
    a, b, _, w = data
    table = pd.DataFrame(a, columns=list("pqrs"))
    made = ColumnTransformer(
        [("fair", OrthogonalToBias().set_fit_request(sample_weight=True), ["p", "r"])], remainder="passthrough"
    )
    out = made.fit_transform(table, sensitive_features=b, sample_weight=w)
    assert list(made.get_feature_names_out()) == ["fair__p", "fair__r", "remainder__q", "remainder__s"]
    inside = np.asarray(out)[:, :2]
    expected = OrthogonalToBias().fit_transform(table[["p", "r"]], sensitive_features=b, sample_weight=w)
    assert np.array_equal(inside, np.asarray(expected))
    again = made.transform(table, sensitive_features=b)
    assert np.array_equal(np.asarray(again)[:, :2], inside)


def test_column_transformer_with_columns_by_name(data):
    a, b, _, _ = data
    table = pd.DataFrame(np.hstack([b, a]), columns=list("uvpqrs"))
    made = ColumnTransformer([("fair", OrthogonalToBias(sensitive_feature_ids=["u", "v"]), list("uvpq"))])
    out = np.asarray(made.fit_transform(table))
    assert correlation(out, b) < 1e-12
