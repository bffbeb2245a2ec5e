"""Mappings, baselines and gaps against plain NumPy, on random people and on COMPAS, and against the printed cells."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import by_hand

from . import people as ref
from .methods_library import run_methods

# ACC, AUC, CF, EO, AA, as printed and reproduced; None: printed cells that are not what the definitions give.
PRINTED = {
    "ML": (0.5744, 0.7206, 0.2274, 0.1046, 0.2258),
    "FTU": (0.5726, 0.7225, 0.1406, 0, 0.1460),
    "FL": (0.5598, 0.6928, 0.0054, 0.1374, 0),
    "EO": (0.5710, 0.7225, 0.1377, 0, 0.1424),
    "AA": (0.5609, 0.6927, 0.0060, 0.1405, 0),
    "FLAP_1(O)": (0.5605, 0.6927, 0.0058, None, None),
    "FLAP_2(O)": (0.5598, 0.6928, 0.0054, None, None),
    "FLAP_1(M)": (0.5607, 0.7015, 0.0026, None, None),
    "FLAP_2(M)": (0.5607, 0.7019, 0.0027, None, None),
}


def test_mappings_are_those_of_a_plain_loop():
    splits = [ref.random_split(seed, ties=seed % 2 == 0) for seed in range(6)]
    for split, found in zip(splits, run_methods([{"mapping": split.request()} for split in splits]), strict=True):
        train, a, s = split.train, split.a, split.s
        assert np.allclose(found["shares"], train.share, rtol=1e-15)
        for g in range(train.levels):
            assert np.array_equal(found["marginal"][g], train.marginal(a, s, g))
            assert np.allclose(found["orthogonal"][g], train.orthogonal(a, s, g), atol=1e-12)
        assert np.allclose(found["averaged_marginal"], train.mean_of(train.marginal, a, s), atol=1e-12)
        assert np.allclose(found["averaged_orthogonal"], train.mean_of(train.orthogonal, a, s), atol=1e-12)


def check_baselines(split: ref.Split, found: dict[str, dict[str, object]]) -> None:
    methods = by_hand.published_methods(split.train, [])
    expected = split.metrics(methods)
    assert {name for name, _ in methods} == set(found)
    for (name, rank), f in methods.items():
        assert np.allclose(found[name]["p"], f(split.a, split.s), atol=1e-8), name
        for metric in ("CF", "EO", "AA"):
            assert np.isclose(found[name][metric.lower()], expected[name, rank, metric], atol=1e-8), (name, metric)


@pytest.mark.parametrize("ties", [False, True])
def test_baselines_are_those_of_numpy(ties):
    splits = [ref.random_split(seed, ties) for seed in range(6)]
    requests = [{"methods": {**split.request(), "names": list(PRINTED)}} for split in splits]
    for split, found in zip(splits, run_methods(requests), strict=True):
        check_baselines(split, found)


@pytest.fixture(scope="module")
def compas() -> ref.Split:
    return ref.compas()


def test_compas_baselines_are_those_of_numpy_and_print(compas):
    (found,) = run_methods([{"methods": {**compas.request(), "names": list(PRINTED)}}])
    check_baselines(compas, found)
    y = compas.y
    for name in PRINTED:
        p = np.array(found[name]["p"])
        ours = (
            (p * y + (1 - p) * (1 - y)).mean(),
            roc_auc_score(y, p),
            *(found[name][key] for key in ("cf", "eo", "aa")),
        )
        for mine, printed in zip(ours, PRINTED[name], strict=True):
            assert printed is None or abs(mine - printed) <= 0.5e-4 + 1e-9, (name, ours)


def test_sound_orthogonalization_of_compas(compas):
    """Of indicators it is FLAP(O); of the group's number, which is no number, it is far from fair."""
    names = ["OB_1", "OB_2", "FLAP_1(O)", "FLAP_2(O)"]
    hot, coded = run_methods(
        [
            {"methods": {**compas.request(), "names": names}},
            {"methods": {**compas.request(), "names": ["OB_2"], "coding": "code"}},
        ]
    )
    assert np.allclose(hot["OB_1"]["p"], hot["FLAP_1(O)"]["p"], atol=1e-8)
    assert np.allclose(hot["OB_2"]["p"], hot["FLAP_2(O)"]["p"], atol=1e-8)
    assert round(coded["OB_2"]["cf"], 4) == 0.1285
    p, y = np.array(coded["OB_2"]["p"]), compas.y
    assert round((p * y + (1 - p) * (1 - y)).mean(), 4) == 0.5678
    assert round(roc_auc_score(y, p), 4) == 0.7128


def test_ranks_of_compas_are_those_of_a_projection(compas):
    """OB of rank k in the units of the data: regress on the indicators, keep the top k directions of what is left."""
    train = compas.train
    ranks = range(1, 6)
    answers = run_methods(
        [{"methods": {**compas.request(), "names": ["OB_2"], "rank": k, "standardize": False}} for k in ranks]
    )
    residual, later = train.a - train.mean[train.s], compas.a - train.mean[compas.s]
    basis = np.linalg.svd(residual, full_matrices=False)[2]
    for k, found in zip(ranks, answers, strict=True):
        top = basis[:k].T
        f = by_hand.logistic(by_hand.with_constant(residual @ top), train.y)
        assert np.allclose(found["OB_2"]["p"], f(by_hand.with_constant(later @ top)), atol=1e-7), k
