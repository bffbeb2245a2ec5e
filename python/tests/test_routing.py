"""sensitive_features and sample_weight through pipelines, searches and column transformers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import sklearn
from people import correlation
from plumbline import OrthogonalToBias
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
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


def test_grid_search(data):
    """Searches hand metadata to fit and not to the transform before a score, so what is scored must be blind."""
    a, b, y, _ = data
    model = make_pipeline(OrthogonalToBias(mode="blind"), LinearRegression())
    search = GridSearchCV(model, {"orthogonaltobias__alpha": [0.0, 0.5, 1.0]}, cv=3)
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
