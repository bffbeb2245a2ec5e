"""Sentences for rows, weights and columns that are too few, too many or not there."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from people import numbers
from plumbline import OrthogonalToBias, load_model
from plumbline.methods import FairClassifier, FairRegressor
from plumbline.metrics import counterfactual_gap, dependence
from plumbline.moments import Moments

X = numbers(60)
TABLE = pd.DataFrame(X, columns=["age", "income", *(f"x{j}" for j in range(5))])
KINDS_OF_FRAMES = (lambda table: table, pa.table, pl.from_pandas, lambda table: pa.table(table).to_batches()[0])


@pytest.mark.parametrize("make", KINDS_OF_FRAMES)
def test_frames_of_too_few_rows_are_refused_as_arrays_are(make):
    for rows in (0, 1):
        with pytest.raises(ValueError) as caught:
            OrthogonalToBias(sensitive_feature_ids=[0]).fit(X[:rows])
        with pytest.raises(ValueError) as found:
            OrthogonalToBias(sensitive_feature_ids=[0]).fit(make(TABLE)[:rows])
        assert str(found.value) == str(caught.value)
        assert f"Found array with {rows} sample(s)" in str(found.value)
    fair = OrthogonalToBias().fit(X[:, 2:], sensitive_features=X[:, :2])
    assert fair.transform(X[:0, 2:], sensitive_features=X[:0, :2]).shape == (0, X.shape[1] - 2)


def test_one_weight_is_the_weight_of_every_row():
    for weight in (2, 0.5, np.float32(3)):
        one = OrthogonalToBias(sensitive_feature_ids=[0]).fit(X, sample_weight=weight)
        each = OrthogonalToBias(sensitive_feature_ids=[0]).fit(X, sample_weight=np.full(len(X), weight))
        assert one.to_json() == each.to_json()
        assert one.certificate_.weight == len(X) * weight
        assert one.certify(TABLE.to_numpy(), sample_weight=weight).weight == len(X) * weight
        assert Moments().update(X[:, 1:], X[:, 0], weight) == Moments().update(X[:, 1:], X[:, 0], [weight] * len(X))
    for weight, words in ((0, "zero"), (-1, "negative"), (np.nan, "nan")):
        with pytest.raises(ValueError, match=words):
            OrthogonalToBias(sensitive_feature_ids=[0]).fit(X, sample_weight=weight)


def test_predictors_are_given_as_many_groups_as_rows():
    group, y = np.where(X[:, 0] > 10, "a", "b"), X[:, 2] > np.median(X[:, 2])
    fair = FairClassifier().fit(X[:, 2:], y, sensitive_features=group)
    numbers = FairRegressor().fit(X[:, 2:], X[:, 3], sensitive_features=X[:, 0])
    for call in (
        lambda: fair.predict(X[:, 2:], sensitive_features=group[1:]),
        lambda: fair.predict_proba(X[1:, 2:], sensitive_features=group),
        lambda: numbers.predict(X[1:, 2:], sensitive_features=X[:, 0]),
    ):
        with pytest.raises(ValueError, match="Found input variables with inconsistent numbers of samples"):
            call()


def test_metrics_say_what_they_were_not_given():
    for call, words in (
        (lambda: counterfactual_gap({}), "^predictions is empty; it must have those of at least one group$"),
        (
            lambda: counterfactual_gap({"a": [1.0], "b": [1.0, 2.0]}),
            "^predictions of 'a' has 1 rows and predictions of 'b' has 2; they must have the same$",
        ),
        (lambda: dependence(X, ["a"] * len(X)), "^sensitive_features of type list is not an array of numbers; encode"),
        (lambda: dependence(np.array(["a", "b"]), [1.0, 2.0]), "^x of type <U1 is not an array of numbers; encode"),
    ):
        with pytest.raises(ValueError, match=words):
            call()


def test_files_hold_no_moments_and_may_be_absent(tmp_path):
    fair = OrthogonalToBias(sensitive_feature_ids=[0]).fit(X)
    with pytest.raises(ValueError, match=r"^a model file holds no moments, so it cannot take up more rows; fit anew$"):
        OrthogonalToBias.from_json(fair.to_json()).partial_fit(X)
    for load in (Moments.load, load_model):
        with pytest.raises(FileNotFoundError) as caught:
            load(tmp_path / "none")
        assert str(caught.value).count(str(tmp_path / "none")) == 1
    (tmp_path / "some").write_text("text")
    with pytest.raises(ValueError) as refused:
        Moments.load(tmp_path / "some")
    assert str(refused.value).count(str(tmp_path / "some")) == 1


def test_a_column_with_a_part_in_the_model_is_no_mistyped_one():
    table = pd.DataFrame(X[:, :4], columns=["age", "wage", "hours", "b"])
    fair = OrthogonalToBias(sensitive_feature_ids=["age", "b"]).fit(table)
    with pytest.raises(ValueError, match="'age'") as caught:
        fair.transform(table.drop(columns="age"))
    assert "did you mean" not in str(caught.value)
    with pytest.raises(ValueError, match=r"'age' \(did you mean 'Age'\?\)"):
        fair.transform(table.rename(columns={"age": "Age"}))


def test_sensitive_columns_that_are_given_twice():
    fair = OrthogonalToBias(sensitive_feature_ids="age").fit(TABLE)
    rest, age = TABLE.drop(columns="age"), TABLE["age"]
    pd.testing.assert_frame_equal(fair.transform(rest, sensitive_features=age), fair.transform(TABLE))
    with pytest.raises(ValueError) as caught:
        fair.transform(TABLE, sensitive_features=age)
    assert str(caught.value) == (
        "X has the sensitive column 'age', as sensitive_feature_ids told the fit, and sensitive_features is given too; "
        "leave it out, or the column out of X"
    )
