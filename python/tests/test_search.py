"""Grid searches over pipelines whose sensitive columns are named in X."""

from __future__ import annotations

import os

import numpy as np
import pytest
from people import mixed
from plumbline import OrthogonalToBias
from plumbline.datasets import load_adult
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


def search(sensitive: list[str], *, unknown: str = "merge", **parameters: object) -> GridSearchCV:
    fair = OrthogonalToBias(sensitive_feature_ids=sensitive, unknown=unknown)
    model = make_pipeline(fair, StandardScaler(), LogisticRegression(solver="newton-cholesky"))
    return GridSearchCV(model, {"orthogonaltobias__alpha": [0.0, 1.0]}, **parameters)


@pytest.mark.skipif("PLUMBLINE_DATA_DIR" not in os.environ, reason="PLUMBLINE_DATA_DIR names no published data")
def test_a_search_on_adult():
    table = load_adult("train").dropna()
    x, y = table.drop(columns="income"), table["income"]
    assert (x["native-country"] == "Holand-Netherlands").sum() == 1  # no other fold has it
    found = search(["race", "sex", "age"], cv=3, error_score="raise").fit(x, y)
    unfair, fair = found.cv_results_["mean_test_score"]
    assert 0.87 > unfair > fair > 0.78


def test_a_level_that_is_in_one_fold_only():
    table = mixed(240).astype({"job": object})
    table.loc[7, "job"] = "tailor"
    y = (table["income"] > table["income"].median()).to_numpy()
    with pytest.raises(ValueError, match=r"column 'job': 'tailor' is a category .* unknown='ignore'"):
        search(["race", "age"], cv=KFold(3), error_score="raise").fit(table, y)
    found = search(["race", "age"], unknown="ignore", cv=KFold(3), error_score="raise").fit(table, y)
    assert np.isfinite(found.cv_results_["mean_test_score"]).all()


def test_a_rare_level_that_is_in_one_fold_only_joins_other_rare_ones():
    table = mixed(240).astype({"job": object})
    table.loc[[7, 100, 230], "job"] = ["tailor", "smith", "smith"]
    y = (table["income"] > table["income"].median()).to_numpy()
    found = search(["race", "age"], cv=KFold(3), error_score="raise").fit(table, y)
    assert np.isfinite(found.cv_results_["mean_test_score"]).all()
