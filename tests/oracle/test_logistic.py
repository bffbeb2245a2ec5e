"""Logistic regression against statsmodels' Logit and GLM and scikit-learn's LogisticRegression."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from sklearn.linear_model import LogisticRegression

from .library import Matrix
from .methods_library import run_methods
from .reference import SEEDS

CLOSE = 1e-8  # both end with a Newton step from within 1e-8 or so


def sample(rng: np.random.Generator) -> tuple[Matrix, Matrix]:
    n, m = int(rng.integers(100, 3000)), int(rng.integers(1, 8))
    x = rng.standard_normal((n, m)) @ rng.standard_normal((m, m)) + rng.uniform(-3, 3, m)
    eta = (x - x.mean(axis=0)) @ rng.standard_normal(m) / m + rng.standard_normal()
    return x, (rng.random(n) < 1 / (1 + np.exp(-eta))).astype(float)


def cases() -> list[tuple[Matrix, Matrix]]:
    return [sample(np.random.default_rng(seed)) for seed in SEEDS]


def test_coefficients_errors_and_likelihood_are_those_of_statsmodels():
    samples = cases()
    for (x, y), found in zip(samples, run_methods([{"logistic": {"x": x, "y": y}} for x, y in samples]), strict=True):
        fit = sm.Logit(y, sm.add_constant(x)).fit(disp=0, method="newton", tol=1e-12, maxiter=100)
        assert found["status"] == "converged"
        assert np.allclose([found["intercept"], *found["coefficients"]], fit.params, rtol=CLOSE, atol=CLOSE)
        assert np.allclose([found["intercept_error"], *found["standard_errors"]], fit.bse, rtol=CLOSE)
        assert np.isclose(found["log_likelihood"], fit.llf, rtol=1e-12)
        assert np.allclose(found["probabilities"], fit.predict(), atol=CLOSE)


def test_weights_are_frequencies_of_statsmodels():
    rng = np.random.default_rng(5)
    samples = [(x, y, rng.exponential(size=len(y))) for x, y in cases()]
    answers = run_methods([{"logistic": {"x": x, "y": y, "weights": w, "intercept": False}} for x, y, w in samples])
    for (x, y, w), found in zip(samples, answers, strict=True):
        fit = sm.GLM(y, x, family=sm.families.Binomial(), freq_weights=w).fit(tol=1e-12, maxiter=100)
        assert np.allclose(found["coefficients"], fit.params, rtol=CLOSE, atol=CLOSE)
        assert np.allclose(found["standard_errors"], fit.bse, rtol=1e-6)
        assert np.isclose(found["log_likelihood"], fit.llf, rtol=1e-12)


@pytest.mark.parametrize("ridge", [0, 0.1, 1, 100])
def test_the_ridge_is_that_of_scikit_learn(ridge):
    samples = cases()
    later = [x + 0.5 for x, _ in samples]
    requests = [
        {"logistic": {"x": x, "y": y, "ridge": ridge, "later": new}} for (x, y), new in zip(samples, later, strict=True)
    ]
    for (x, y), new, found in zip(samples, later, run_methods(requests), strict=True):
        penalty = {"penalty": "l2", "C": 1 / ridge} if ridge else {"penalty": None}
        fit = LogisticRegression(solver="newton-cholesky", tol=1e-12, max_iter=1000, **penalty).fit(x, y)
        assert np.allclose(found["coefficients"], fit.coef_[0], rtol=1e-7, atol=1e-7)
        assert np.isclose(found["intercept"], fit.intercept_[0], rtol=1e-7, atol=1e-7)
        assert np.allclose(found["probabilities"], fit.predict_proba(new)[:, 1], atol=1e-7)


def test_redundant_columns_leave_the_predictions_of_a_basis():
    samples = [(np.hstack([x, x[:, :1] - 2, x @ np.ones((x.shape[1], 1))]), y) for x, y in cases()]
    for (x, y), found in zip(samples, run_methods([{"logistic": {"x": x, "y": y}} for x, y in samples]), strict=True):
        kept = np.setdiff1d(np.arange(x.shape[1]), found["redundant"])
        assert len(kept) == np.linalg.matrix_rank(x - x.mean(axis=0), tol=1e-8)
        left = np.linalg.svd(sm.add_constant(x), full_matrices=False)[0] * np.sqrt(len(y))
        fit = sm.Logit(y, left[:, : len(kept) + 1]).fit(disp=0, method="newton", tol=1e-12, maxiter=100)
        assert np.allclose(found["probabilities"], fit.predict(), atol=CLOSE)
