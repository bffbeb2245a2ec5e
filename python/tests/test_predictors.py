"""What a predictor of the caller's may answer."""

import numpy as np
import pytest
from plumbline.datasets import make_loan
from plumbline.methods import FairRegressor
from plumbline.metrics import continuous_counterfactual_gap, counterfactual_predictions
from sklearn.linear_model import LinearRegression

WRONG = {
    "none": lambda a: a[:0, 0],
    "few": lambda a: a[:3, 0],
    "many": lambda a: np.append(a[:, 0], 1.0),
}


def loan():
    people = make_loan(300)
    return people[["education", "income"]].to_numpy(), people["race"].to_numpy()


@pytest.mark.parametrize("answer", WRONG.values(), ids=WRONG)
def test_an_answer_of_another_length_is_refused(answer):
    a, s = loan()
    with pytest.raises(ValueError, match=r"numbers for 300 rows; it must give one for each"):
        counterfactual_predictions(lambda a, s: answer(a), a, sensitive_features=s, training=(a, s))
    with pytest.raises(ValueError, match="it must give one for each"):
        continuous_counterfactual_gap(
            lambda a, b: answer(a), a[:, :1], sensitive_features=a[:, 1:], training=(a[:, :1], a[:, 1:])
        )


def test_an_answer_in_columns_is_refused():
    a, s = loan()
    with pytest.raises(ValueError, match="dimension"):
        counterfactual_predictions(lambda a, s: a[:, :2], a, sensitive_features=s, training=(a, s))


@pytest.mark.parametrize("method", ["AA", "FLAP_1(O)", "OB_1", "FL", "ML"])
def test_an_estimator_that_answers_for_too_few_rows_is_refused(method):
    class Short(LinearRegression):
        def predict(self, X):
            return super().predict(X)[:3]

    a, _ = loan()
    model = FairRegressor(Short(), method=method).fit(a[:, :1], a[:, 0], sensitive_features=a[:, 1])
    with pytest.raises(ValueError, match="it must give one for each"):
        model.predict(a[:, :1], sensitive_features=a[:, 1])
