"""Metrics against scikit-learn."""

from __future__ import annotations

import numpy as np
from sklearn import metrics

from .methods_library import run_methods
from .reference import SEEDS


def cases() -> list[dict[str, np.ndarray]]:
    out = []
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        n = int(rng.integers(5, 2000))
        p = rng.random(n)
        if seed % 2 == 0:
            p = np.round(p, 1)  # many ties
        y = (rng.random(n) < p).astype(float)
        y[:2] = [0, 1]
        out.append({"p": p, "y": y, "weights": rng.exponential(size=n) if seed % 3 == 0 else None})
    return out


def test_metrics_are_those_of_scikit_learn():
    samples = cases()
    for case, found in zip(samples, run_methods([{"metrics": case} for case in samples]), strict=True):
        p, y, w = case["p"], case["y"], case["weights"]
        assert np.isclose(found["auc"], metrics.roc_auc_score(y, p, sample_weight=w), rtol=1e-12)
        assert np.isclose(
            found["average_precision"], metrics.average_precision_score(y, p, sample_weight=w), rtol=1e-12
        )
        assert np.isclose(found["hard_accuracy"], metrics.accuracy_score(y, p > 0.5, sample_weight=w), rtol=1e-12)
        assert np.isclose(found["soft_accuracy"], np.average(p * y + (1 - p) * (1 - y), weights=w), rtol=1e-12)
