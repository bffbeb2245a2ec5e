"""What FairClassifier takes: frames with categories, and groups that are not too many."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from people import mixed
from plumbline.methods import FairClassifier

TABLE = mixed(400)
X, GROUP = TABLE[["income", "married", "job", "hours"]], TABLE["race"]
Y = (TABLE["income"] > TABLE["income"].median()).to_numpy()
BY_HAND = np.column_stack(
    [X["income"], X["married"].astype(float), *(X["job"] == job for job in "amz"), X["hours"]]
).astype(float)

KINDS = {
    "pandas": lambda table: table,
    "text": lambda table: table.astype({"job": object}),
    "polars": pl.from_pandas,
    "pyarrow": lambda table: pa.Table.from_pandas(table, preserve_index=False),
    "reader": lambda table: pa.Table.from_pandas(table, preserve_index=False).to_reader(max_chunksize=37),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["FTU", "OB_2"])
def test_categories_are_encoded(kind, method):
    model = FairClassifier(method=method).fit(KINDS[kind](X), Y, sensitive_features=GROUP)
    expected = FairClassifier(method=method).fit(BY_HAND, Y, sensitive_features=GROUP)
    p = model.predict_proba(KINDS[kind](X), sensitive_features=GROUP)
    assert np.allclose(p, expected.predict_proba(BY_HAND, sensitive_features=GROUP), rtol=0, atol=1e-4)
    assert model.n_features_in_ == 4
    assert list(model.feature_names_in_) == list(X.columns)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict_proba(KINDS[kind](X), sensitive_features=GROUP), p)
    bare = FairClassifier().fit(BY_HAND, Y, sensitive_features=GROUP)
    assert not hasattr(bare, "feature_names_in_")
    assert np.array_equal(model.fit(BY_HAND, Y, sensitive_features=GROUP).classes_, bare.classes_)
    assert model.predict(BY_HAND, sensitive_features=GROUP).shape == Y.shape  # what a later fit saw is what counts


def test_later_tables_are_those_of_the_fit():
    model = FairClassifier().fit(X, Y, sensitive_features=GROUP)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(X.rename(columns={"job": "work"}), sensitive_features=GROUP)
    with pytest.raises(ValueError, match="'tailor' is a category that the fit has not seen"):
        model.predict(X.astype({"job": object}).replace({"job": {"z": "tailor"}}), sensitive_features=GROUP)
    with pytest.raises(ValueError, match="row 3, column 'job': the cell is missing"):
        FairClassifier().fit(X.assign(job=[*X["job"][:3], None, *X["job"][4:]]), Y, sensitive_features=GROUP)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        FairClassifier().fit(X, Y[:-1], sensitive_features=GROUP)


def test_a_group_for_every_year_of_age_is_warned_of():
    age = np.arange(400) % 50 + 20
    people = pd.DataFrame({"race": GROUP, "age": age})
    sentence = r"sensitive column 'age' is a number with 50 values, .* bins first, with pandas.cut or KBinsDiscretizer"
    with pytest.warns(UserWarning, match=sentence):
        FairClassifier(method="FTU").fit(X, Y, sensitive_features=people)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        model = FairClassifier(method="FTU")
        model.fit(X, Y, sensitive_features=people.assign(age=pd.cut(people["age"], 4)))
        assert len(model.groups_) == 12
        model.fit(X, Y, sensitive_features=age % 20)
