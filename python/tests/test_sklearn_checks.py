"""All of scikit-learn's estimator checks."""

from __future__ import annotations

import pytest
from plumbline import OrthogonalToBias, SparseOrthogonalToBias
from plumbline.methods import (
    AdversarialGenerator,
    AdversarialRegressor,
    DistributionGenerator,
    FairClassifier,
    FairRegressor,
)
from sklearn.base import clone
from sklearn.utils import estimator_checks as checks
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

ESTIMATORS = [
    OrthogonalToBias(sensitive_feature_ids=[0]),
    OrthogonalToBias(sensitive_feature_ids=[0], n_components=1, basis="paper"),
    OrthogonalToBias(sensitive_feature_ids=[0], mode="blind"),
    OrthogonalToBias(sensitive_feature_ids=[0], missing="drop"),
    OrthogonalToBias(sensitive_feature_ids=[0], missing="mean"),
    OrthogonalToBias(sensitive_feature_ids=[0], expand="powers=2"),
    SparseOrthogonalToBias(sensitive_feature_ids=[0], n_components=1),
    OrthogonalToBias(sensitive_feature_ids=[0], remove="spread"),
    OrthogonalToBias(sensitive_feature_ids=[0], remove="spread", spread="diagonal", n_components=1),
    SparseOrthogonalToBias(sensitive_feature_ids=[0], n_components=1, remove="spread"),
    OrthogonalToBias(sensitive_feature_ids=[0], remove="distribution"),
]

# Blind mode exists so that transform can do without the sensitive columns: X of one column less is what it is for.
_FEWER = "blind mode takes X without its sensitive column, which is the one column that the check leaves out"
_UNSEEN = "the check hides its NaN in the sensitive column, which blind mode does not look at"
BLIND = {
    "check_n_features_in_after_fitting": _FEWER,
    "check_transformer_general": _FEWER,
    "check_estimators_nan_inf": _UNSEEN,
}

# Laws are of features one by one, and of a number of rows; test_rungs.py asks the same questions of more rows.
_COMBINED = "the check sets n_components=1, which combines features"
_FEW = "the check fits to less than 20 rows, which show no law"
LAWS = {
    "check_dont_overwrite_parameters": _COMBINED,
    "check_fit2d_predict1d": _COMBINED,
    "check_methods_sample_order_invariance": _COMBINED,
    "check_methods_subset_invariance": _COMBINED,
    "check_estimators_nan_inf": _FEW,
    "check_n_features_in_after_fitting": _FEW,
    "check_sample_weight_equivalence_on_dense_data": _FEW,
    "check_sample_weights_not_an_array": _FEW,
    "check_sample_weights_not_overwritten": _FEW,
    "check_sample_weights_pandas_series": _FEW,
    "check_sample_weights_shape": _FEW,
}


# All others pass, and none is skipped by 1.6; the one that a later version may skip, and why.
SKIPPED = {
    "check_array_api_input": "needs SCIPY_ARRAY_API=1 in the environment before SciPy is imported, and is about arrays "
    "that stay where they are; array_api_support is not declared: the engine reads memory of the CPU, and its results "
    "are arrays of NumPy or frames"
}

# The checks call fit(X, y) and nothing else; the methods need sensitive_features beside X. What needs no rows is asked.
METHODS = [
    FairClassifier(),
    FairClassifier(on="scores"),
    FairRegressor(),
    FairRegressor(on="scores"),
    AdversarialGenerator(),
    AdversarialRegressor(),
    DistributionGenerator(),
]
WITHOUT_ROWS = [
    checks.check_estimator_cloneable,
    checks.check_estimator_repr,
    checks.check_get_params_invariance,
    checks.check_no_attributes_set_in_init,
    checks.check_parameters_default_constructible,
    checks.check_set_params,
]


def expected_failures(estimator):
    if estimator.remove == "distribution":
        return LAWS
    return BLIND if estimator.mode == "blind" else {}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_estimator(estimator, check):
    check(estimator)


def test_no_check_is_skipped():
    """pytest would report a skip and go on."""
    for estimator in ESTIMATORS:
        results = check_estimator(
            estimator, expected_failed_checks=expected_failures(estimator), on_skip=None, on_fail=None
        )
        status = {result["check_name"]: result["status"] for result in results}
        assert {name for name, value in status.items() if value == "xfail"} == set(expected_failures(estimator))
        assert {name for name, value in status.items() if value == "skipped"} <= set(SKIPPED)
        assert "failed" not in status.values()
        assert len(status) > 40


@pytest.mark.parametrize("method", METHODS)
def test_methods_pass_what_needs_no_rows_and_refuse_the_rest(method):
    for check in WITHOUT_ROWS:
        check(type(method).__name__, clone(method))
    with pytest.raises(ValueError, match="sensitive_features is not given"):
        clone(method).fit([[0.0], [1.0], [2.0]], [0, 1, 0])
