"""FairClassifier and FairRegressor on scores: any model, any sensitive columns."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from plumbline.methods import FairClassifier, FairRegressor
from plumbline.metrics import SensitiveScorer
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from threadpoolctl import threadpool_limits

TREES = HistGradientBoostingClassifier(max_iter=30, categorical_features="from_dtype", random_state=0)


@pytest.fixture(autouse=True)
def _one_thread():
    """To so few rows a team of threads gives less than it takes."""
    with threadpool_limits(1, "openmp"):
        yield


def people(rows: int = 4000, seed: int = 0):
    """Features, sensitive columns of both kinds, and outcomes that depend on both."""
    rng = np.random.default_rng(seed)
    age, male = rng.normal(45, 12, rows), rng.random(rows) < 0.5
    skill = rng.normal(size=rows)
    job = np.where(rng.random(rows) < 0.2 + 0.5 * male, "crafts", rng.choice(["office", "care"], rows))
    x = pd.DataFrame(
        {
            "income": skill + (age - 45) / 12 + male,
            "hours": rng.normal(size=rows) * np.exp((age - 45) / 24) + skill,
            "job": pd.Categorical(job, categories=["care", "crafts", "office"]),
        }
    )
    b = pd.DataFrame({"sex": np.where(male, "m", "f"), "age": age})
    effect = skill + 0.8 * male + (age - 45) / 15 + 0.5 * (job == "crafts")
    return x, b, effect + rng.logistic(size=rows)


def gaps(scores: np.ndarray, b: pd.DataFrame) -> list[float]:
    """Between groups: of means, and of shares below any value."""
    groups = {"sex": b["sex"] == "m", "age": b["age"] > 45, "both": (b["sex"] == "m") & (b["age"] > 45)}
    out = []
    for one in groups.values():
        sides = [np.sort(scores[side.to_numpy()]) for side in (one, ~one)]
        below = [np.searchsorted(side, np.sort(scores), "right") / len(side) for side in sides]
        out += [abs(sides[0].mean() - sides[1].mean()) / scores.std(), np.abs(below[0] - below[1]).max()]
    return out


def test_probabilities_have_one_law_on_new_rows():
    (x, b, y), (later, there, outcome) = people(20_000), people(20_000, seed=1)
    plain = clone(TREES).fit(x, y > 0).predict_proba(later)[:, 1]
    fair = FairClassifier(TREES, on="scores").fit(x, y > 0, sensitive_features=b)
    p = fair.predict_proba(later, sensitive_features=there)
    assert p.shape == (20_000, 2)
    assert np.allclose(p.sum(axis=1), 1)
    assert ((p >= 0) & (p <= 1)).all()
    assert min(gaps(plain, there)) > 0.3
    assert max(gaps(p[:, 1], there)) < 0.1  # scores of cross-validation are not quite those of the whole
    assert roc_auc_score(outcome > 0, p[:, 1]) > 0.6
    male = there["sex"] == "m"  # within a group the order stays, but for what the age does
    assert np.corrcoef(plain[male], p[male, 1])[0, 1] > 0.5
    assert fair.classes_.tolist() == [False, True]
    assert np.array_equal(fair.predict(later, sensitive_features=there), p[:, 1] > 0.5)


def test_so_have_predictions_of_numbers():
    (x, b, y), (later, there, _) = people(20_000), people(20_000, seed=1)
    trees = HistGradientBoostingRegressor(max_iter=30, categorical_features="from_dtype", random_state=0)
    plain = clone(trees).fit(x, y).predict(later)
    fair = FairRegressor(trees, on="scores").fit(x, y, sensitive_features=b)
    said = fair.predict(later, sensitive_features=there)
    assert min(gaps(plain, there)) > 0.3
    assert max(gaps(said, there)) < 0.1
    assert abs(said.mean() - plain.mean()) < 0.1 * plain.std()


def test_the_certificate_is_of_the_map_of_scores():
    x, b, y = people()
    fair = FairClassifier(TREES, on="scores").fit(x, y > 0, sensitive_features=b)
    assert fair.certificate_.features == 1
    assert fair.certificate_.before.correlation.feature == "score"
    assert fair.certificate_.before.correlation.value > 0.3 > 0.05 > fair.certificate_.after.correlation.value
    assert fair.certificate_.probe is not None
    other = FairClassifier().fit(x[["income"]], y > 0, sensitive_features=b["sex"])
    with pytest.raises(AttributeError, match="on='scores' alone"):
        other.certificate_
    named = FairRegressor(Ridge(), on="scores").fit(
        x[["income"]], y, sensitive_features=b.rename(columns={"age": "score"})
    )
    assert named.certificate_.before.correlation.feature == "score_"


def test_the_estimator_sees_what_it_is_given():
    class Remembers(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.seen_, self.classes_ = X, np.unique(y)
            return self

        def predict_proba(self, X):
            assert list(X.columns) == list(self.seen_.columns)
            p = 1 / (1 + np.exp(-X["income"].to_numpy()))
            return np.column_stack([1 - p, p])

    x, b, y = people(500)
    fair = FairClassifier(Remembers(), on="scores").fit(x, y > 0, sensitive_features=b)
    assert fair.estimators_[0].seen_ is x
    assert fair.estimators_[0].classes_.tolist() == [0, 1]
    assert fair.feature_names_in_.tolist() == ["income", "hours", "job"]
    with pytest.raises(ValueError, match="feature names should match"):
        fair.predict(x[["hours", "income", "job"]], sensitive_features=b)


def test_text_numbers_and_pipelines():
    x, b, y = people(1000)
    labels = np.where(y > 0, "yes", "no")
    encode = make_column_transformer((OneHotEncoder(), ["job"]), remainder=StandardScaler())
    for estimator, given in (
        (make_pipeline(encode, LogisticRegression()), x),
        (None, x),  # a logistic regression, of categories as they are encoded elsewhere
        (LogisticRegression(), x[["income", "hours"]]),
        (LogisticRegression(), x[["income", "hours"]].to_numpy()),
    ):
        for sensitive in (b, b["sex"], b["age"].to_numpy()):
            fair = FairClassifier(estimator, on="scores").fit(given, labels, sensitive_features=sensitive)
            said = fair.predict(given, sensitive_features=sensitive)
            assert set(said) == {"no", "yes"}
            assert fair.score(given, labels, sensitive_features=sensitive) > 0.55
    fair = FairRegressor(on="scores").fit(x[["income", "hours"]], y, sensitive_features=b)
    assert fair.score(x[["income", "hours"]], y, sensitive_features=b) > 0


def test_tables_of_all_kinds():
    x, b, y = people(500)
    x = x[["income", "hours"]]
    expected = FairRegressor(Ridge(), on="scores").fit(x, y, sensitive_features=b).predict(x, sensitive_features=b)
    for make in (pl.from_pandas, lambda frame: pa.Table.from_pandas(frame, preserve_index=False)):
        fair = FairRegressor(Ridge(), on="scores").fit(make(x), y, sensitive_features=make(b))
        assert np.allclose(fair.predict(make(x), sensitive_features=make(b)), expected, rtol=1e-9)
    fair = FairRegressor(Ridge(), on="scores").fit(x.to_numpy().tolist(), y.tolist(), sensitive_features=b)
    assert np.allclose(fair.predict(x.to_numpy().tolist(), sensitive_features=b), expected, rtol=1e-9)
    stream = pa.Table.from_pandas(x, preserve_index=False).to_reader()
    with pytest.raises(TypeError, match="RecordBatchReader"):
        FairRegressor(Ridge(), on="scores").fit(stream, y, sensitive_features=b)


def test_rows_alone_get_what_they_get_among_others():
    x, b, y = people()
    fair = FairRegressor(Ridge(), on="scores").fit(x[["income", "hours"]], y, sensitive_features=b)
    whole = fair.predict(x[["income", "hours"]], sensitive_features=b)
    for i in range(5):
        alone = fair.predict(x[["income", "hours"]].iloc[i : i + 1], sensitive_features=b.iloc[i : i + 1])
        assert np.allclose(alone, whole[i], rtol=1e-9)  # a matrix product of one row rounds otherwise


def test_clones_pickles_and_seeds():
    x, b, y = people(1500)
    fair = FairClassifier(TREES, on="scores", random_state=3).fit(x, y > 0, sensitive_features=b)
    expected = fair.predict_proba(x, sensitive_features=b)
    for one in (pickle.loads(pickle.dumps(fair)), clone(fair).fit(x, y > 0, sensitive_features=b)):
        assert np.array_equal(one.predict_proba(x, sensitive_features=b), expected)
    other = clone(fair).set_params(random_state=4).fit(x, y > 0, sensitive_features=b)
    assert not np.array_equal(other.predict_proba(x, sensitive_features=b), expected)


def test_a_fit_on_the_other_leaves_nothing_of_the_first():
    x, b, y = people(1000)
    x, s = x[["income", "hours"]], b["sex"]
    both = FairClassifier(method="FTU").fit(x, y > 0, sensitive_features=s)
    on_features = both.predict_proba(x, sensitive_features=s)
    both.set_params(on="scores").fit(x, y > 0, sensitive_features=s)
    assert not hasattr(both, "groups_")
    assert both.certificate_.features == 1
    both = pickle.loads(pickle.dumps(both)).set_params(on="features").fit(x, y > 0, sensitive_features=s)
    assert np.array_equal(both.predict_proba(x, sensitive_features=s), on_features)
    assert both.groups_ == ["f", "m"]
    assert not hasattr(both, "certificate_")


def test_sensitive_columns_are_routed():
    x, b, y = people(1500)
    with sklearn.config_context(enable_metadata_routing=True):
        scores = cross_val_score(
            FairClassifier(TREES, on="scores"),
            x,
            y > 0,
            params={"sensitive_features": b},
            cv=3,
            scoring=SensitiveScorer(),
        )
        search = GridSearchCV(
            make_pipeline(StandardScaler(), FairRegressor(Ridge(), on="scores")),
            {"fairregressor__estimator__alpha": [1.0, 100.0]},
            scoring=SensitiveScorer(),
            cv=2,
        )
        search.fit(x[["income", "hours"]], y, sensitive_features=b)
    assert (scores > 0.5).all()
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_bad_input():
    x, b, y = people(300)
    numbers, s = x[["income", "hours"]], b["sex"]
    fair = FairClassifier(LogisticRegression(), on="scores").fit(numbers, y > 0, sensitive_features=b)
    for call, words in (
        (lambda: FairClassifier(on="rows").fit(numbers, y > 0, sensitive_features=s), "The 'on' parameter"),
        (lambda: FairRegressor(on=None).fit(numbers, y, sensitive_features=s), "The 'on' parameter"),
        (lambda: FairClassifier(on="scores").fit(numbers, y > 0), "sensitive_features is not given"),
        (lambda: FairRegressor(on="scores").fit(numbers, y), "sensitive_features is not given"),
        (lambda: FairClassifier(on="scores").fit(numbers, np.arange(300) % 3, sensitive_features=s), "Only binary"),
        (lambda: FairClassifier(on="scores").fit(numbers, y[:5] > 0, sensitive_features=s), "inconsistent numbers"),
        (lambda: FairRegressor(on="scores").fit(numbers, y * np.nan, sensitive_features=s), "NaN"),
        (lambda: FairClassifier(on="scores").fit(numbers, y > 0, sensitive_features=s[:5]), "inconsistent numbers"),
        (lambda: fair.predict(numbers), "sensitive_features is not given"),
        (lambda: fair.predict(numbers, sensitive_features=b.assign(sex="x")), "'x' is a category that the fit has not"),
        (lambda: fair.predict(numbers, sensitive_features=b[["age", "sex"]]), "sensitive_features has the columns"),
        (lambda: fair.predict(numbers[["income"]], sensitive_features=b), "feature names should match"),
        (
            lambda: FairRegressor(on="scores").fit(numbers, y, sensitive_features=0 * y),
            "every sensitive column is const",
        ),
    ):
        with pytest.raises(ValueError) as caught:
            call()
        assert words in str(caught.value)
