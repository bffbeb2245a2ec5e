"""Metrics against the formulas that they state, written out in NumPy."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from fairlearn import metrics as theirs
from plumbline import metrics
from plumbline.datasets import insurance_counterfactual, make_insurance, make_loan
from sklearn.linear_model import LinearRegression


@pytest.fixture
def people():
    rng = np.random.default_rng(0)
    s = rng.choice(["a", "b", "c"], size=200, p=[0.5, 0.3, 0.2])
    y = (rng.random(200) < 0.4 + 0.2 * (s == "a")).astype(int)
    return s, y, (rng.random(200) < 0.3 + 0.4 * y).astype(int), rng.integers(1, 4, size=200)


def test_groups_agree_with_fairlearn(people):
    s, y, predicted, w = people
    for weights in (None, w):
        mine = metrics.demographic_parity_difference(predicted, sensitive_features=s, sample_weight=weights)
        other = theirs.demographic_parity_difference(y, predicted, sensitive_features=s, sample_weight=weights)
        assert mine == pytest.approx(other, abs=1e-14)
        mine = metrics.equalized_odds_difference(y, predicted, sensitive_features=s, sample_weight=weights)
        other = theirs.equalized_odds_difference(y, predicted, sensitive_features=s, sample_weight=weights)
        assert mine == pytest.approx(other, abs=1e-14)
        mine = metrics.equal_opportunity_difference(y, predicted, sensitive_features=s, sample_weight=weights)
        other = theirs.equal_opportunity_difference(y, predicted, sensitive_features=s, sample_weight=weights)
        assert mine == pytest.approx(other, abs=1e-14)


def test_group_means_of_combinations():
    table = pd.DataFrame({"sex": ["f", "m", "f", "m"], "old": [1, 1, 0, 1]})
    assert metrics.group_means([1, 0, 1, 1], sensitive_features=table) == {"f, 0": 1.0, "f, 1": 1.0, "m, 1": 0.5}


def test_groups_that_differ_stay_apart():
    for groups in (
        [1000001, 1000002] * 2,
        [0.1, 0.1 + 1e-15] * 2,
        np.array([1, 1 + 1e-6] * 2, dtype=np.float32),
        pd.DataFrame({"u": ["a, b", "a"] * 2, "v": ["c", "b, c"] * 2}),
        pd.DataFrame({"u": ['"a', "a"] * 2, "v": ["b", '"b'] * 2}),
    ):
        assert sorted(metrics.group_means([1, 0, 1, 0], sensitive_features=groups).values()) == [0, 1]
    whole = metrics.group_means([1, 0, 1, 1], sensitive_features=[1000001, 1000002, -0.0, 0.0])
    assert whole == {"0": 1.0, "1000001": 1.0, "1000002": 0.0}
    assert list(metrics.group_means([1, 0], sensitive_features=np.array([0.1, 2], dtype=np.float32))) == ["0.1", "2"]


def test_groups_that_floats_cannot_tell_apart_are_refused():
    with pytest.raises(ValueError, match=r"column 'b0' has 9.0072e\+15; groups beyond 2\*\*53 merge"):
        metrics.group_means([1, 0], sensitive_features=[2**53, 2**53 + 1])
    assert len(metrics.group_means([1, 0], sensitive_features=[str(2**53), str(2**53 + 1)])) == 2


def test_dependence_is_correlation_and_least_squares():
    rng = np.random.default_rng(0)
    b = rng.normal(size=(300, 2))
    x = np.column_stack([b[:, 0] + rng.normal(size=300), rng.normal(size=300)])
    found = metrics.dependence(x, b)
    pairs = np.abs(np.corrcoef(x.T, b.T)[:2, 2:])
    assert found.correlation == pytest.approx(pairs.max(), rel=1e-12)
    explained = max(LinearRegression().fit(b, x[:, j]).score(b, x[:, j]) for j in range(2))
    assert found.explained == pytest.approx(explained, rel=1e-10)

    def root(m):
        return np.linalg.qr(m - m.mean(axis=0))[0]

    expected = np.linalg.svd(root(x).T @ root(b))[1]
    assert np.allclose(found.canonical, expected, rtol=0, atol=1e-10)


def test_distance_correlation_is_its_formula():
    rng = np.random.default_rng(0)
    x, b = rng.normal(size=(80, 3)), rng.normal(size=(80, 2))
    x[:, 0] += b[:, 0] ** 2

    def centred(m):
        d = np.linalg.norm(m[:, None] - m[None], axis=2)
        return d - d.mean(axis=0) - d.mean(axis=1)[:, None] + d.mean()

    one, two = centred(x), centred(b)
    expected = np.sqrt((one * two).sum() / np.sqrt((one**2).sum() * (two**2).sum()))
    assert metrics.distance_correlation(x, b) == pytest.approx(expected, rel=1e-12)
    assert metrics.distance_correlation(x, x) == pytest.approx(1, rel=1e-12)
    assert metrics.distance_correlation(np.ones(80), b) == 0


def test_counterfactual_gap_by_hand():
    rng = np.random.default_rng(0)
    s = rng.choice(["a", "b"], size=100)
    a = rng.normal(size=(100, 2)) + 2 * (s == "b")[:, None]

    def predict(features, groups):
        return features.sum(axis=1) + (groups == "b")

    shift = (a[s == "b"].mean(axis=0) - a[s == "a"].mean(axis=0)).sum()
    for mapping, gap in (("none", 1.0), ("orthogonal", 1 + shift)):
        found = metrics.counterfactual_predictions(predict, a, sensitive_features=s, training=(a, s), mapping=mapping)
        assert sorted(found) == ["a", "b"]
        assert np.allclose(found["b"][s == "b"], predict(a, s)[s == "b"])
        assert metrics.counterfactual_gap(found) == pytest.approx(gap, rel=1e-12)
    with pytest.raises(ValueError, match="mapping is 'other'; it must be one of"):
        metrics.counterfactual_predictions(predict, a, sensitive_features=s, training=(a, s), mapping="other")


def test_continuous_gap_of_a_line():
    """f = c a + d b along lines a = slope b + rest moves by (c slope + d)(b' - b)."""
    table = make_insurance(2000)
    a, b = table[["A1", "A2", "A3", "A4"]].to_numpy(), table["b"].to_numpy()
    slopes = LinearRegression().fit(b[:, None], a).coef_[:, 0]
    gap = metrics.continuous_counterfactual_gap(
        lambda x, z: x @ [1, 2, 3, 4] + 5 * z[:, 0],
        a[:200],
        sensitive_features=b[:200],
        training=(a, b),
        draws=500,
    )
    factor = abs(slopes @ [1, 2, 3, 4] + 5)
    low, high = b.min(), b.max()
    expected = np.mean(((b[:200] - low) ** 2 + (high - b[:200]) ** 2) / 2 / (high - low))
    assert gap.absolute == pytest.approx(factor * expected, rel=0.02)
    assert gap.square >= gap.absolute**2


def test_simulated_counterfactuals_are_exact():
    table = make_insurance(50)
    other = insurance_counterfactual(table["b"] + 1)
    assert np.allclose((other - table)[["A1", "A2", "A3", "A4"]], [0.1, 1, 5, 5], rtol=0, atol=1e-9)
    assert np.allclose(other["y"] - table["y"], 458, rtol=0, atol=1e-6)


def test_soft_accuracy_and_refusals():
    assert metrics.soft_accuracy([1, 0, 1], [0.9, 0.2, 0.4]) == pytest.approx((0.9 + 0.8 + 0.4) / 3)
    for call in (
        lambda: metrics.demographic_parity_difference([1.0], sensitive_features=["a", "b"]),
        lambda: metrics.demographic_parity_difference([np.nan, 1], sensitive_features=["a", "b"]),
        lambda: metrics.equalized_odds_difference([2, 1], [0, 1], sensitive_features=["a", "b"]),
        lambda: metrics.distance_correlation([1.0, 2.0], [1.0]),
        lambda: metrics.group_means([1.0, 2.0], sensitive_features=["a", None]),
    ):
        with pytest.raises(ValueError):
            call()
    with pytest.warns(UserWarning, match="no row with outcome 1 is of group a, b"):
        assert np.isnan(metrics.equal_opportunity_difference([0, 0], [0.5, 1], sensitive_features=["a", "b"]))


def test_shapes_and_whole_numbers():
    assert metrics.group_means(np.ones((2, 1)), sensitive_features=["a", "b"]) == {"a": 1.0, "b": 1.0}
    a, b = np.random.default_rng(0).normal(size=(2, 50, 1))

    def gap(**options):
        return metrics.continuous_counterfactual_gap(
            lambda x, z: x[:, 0], a, sensitive_features=b, training=(a, b), **options
        )

    for call, words in (
        (lambda: metrics.group_means(np.ones((2, 2)), sensitive_features=["a", "b"]), r"y_pred has shape \(2, 2\)"),
        (
            lambda: metrics.soft_accuracy([1, 0], np.ones((2, 2))),
            r"y_prob has shape \(2, 2\); it must have one dimension",
        ),
        (lambda: metrics.distance_correlation(np.ones((2, 2, 2)), [1, 2]), r"x has shape \(2, 2, 2\)"),
        (lambda: gap(random_state=-1), "random_state is -1; it must be a whole number from 0 to"),
        (lambda: gap(draws=10.0), "draws is 10.0; it must be a whole number from 1 to 1000000"),
        (lambda: gap(draws=10**30), "draws is 1000"),
    ):
        with pytest.raises(ValueError, match=words):
            call()


def test_loan_gap_is_that_of_the_model():
    loan = make_loan(3000)
    x, s = loan[["education", "income"]].to_numpy(), loan["race"]
    found = metrics.counterfactual_predictions(
        lambda a, g: (a[:, 0] > 1).astype(float), x, sensitive_features=s, training=(x, s)
    )
    assert metrics.counterfactual_gap(found) > 0.3


def test_groups_that_cannot_be_judged_are_named():
    """Without them the difference is that of the others; with none to compare it is 0, and said to say nothing."""
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 2, size=60), rng.random(60)
    group = np.array(["a", "b", "c"])[np.arange(60) % 3]
    y[group == "b"] = 0
    others = group != "b"
    for metric in (metrics.equal_opportunity_difference, metrics.equalized_odds_difference):
        with pytest.warns(
            UserWarning, match="^no row with outcome 1 is of group b; what cannot be judged is left out$"
        ):
            found = metric(y, p, sensitive_features=group)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            expected = metric(y[others], p[others], sensitive_features=group[others])
        if metric is metrics.equal_opportunity_difference:
            assert found == expected
        else:
            assert found >= expected
    weights = 1.0 - ((group == "a") & (y == 1))
    with pytest.warns(UserWarning, match="outcome 1 is of group a, b"):
        assert metrics.equal_opportunity_difference(y, p, sensitive_features=group, sample_weight=weights) == 0
    with pytest.warns(UserWarning, match="outcome 0 is of group b"):
        metrics.equalized_odds_difference(1 - y, p, sensitive_features=group)


def test_columns_are_those_of_the_training_rows():
    rng = np.random.default_rng(0)
    b = pd.DataFrame(rng.normal(size=(100, 2)) * [3, 0.1], columns=["s", "t"])
    a = pd.DataFrame(b.to_numpy() @ rng.normal(size=(2, 3)) + rng.normal(size=(100, 3)), columns=list("uvw"))
    groups = pd.DataFrame({"old": b["s"] > 0, "tall": b["t"] > 0}).astype(str)
    turned = a[list("wvu")]

    def discrete(x, s, training):
        return metrics.counterfactual_predictions(lambda x, s: x[:, 0], x, sensitive_features=s, training=training)

    def continuous(x, s, training):
        return metrics.continuous_counterfactual_gap(
            lambda x, s: x[:, 0], x, sensitive_features=s, training=training, draws=3
        )

    assert continuous(a, b, (a, b)) == continuous(a.to_numpy(), b, (a, b.to_numpy()))
    named, bare = discrete(a, groups, (a, groups)), discrete(a.to_numpy(), groups, (a, groups.to_numpy()))
    assert all(np.array_equal(named[group], bare[group]) for group in named)
    for call, words in (
        (
            lambda: discrete(turned, groups, (a, groups)),
            "X has the columns ['w', 'v', 'u']; training[0] has ['u', 'v', 'w']",
        ),
        (
            lambda: discrete(a, groups, (a, groups.rename(columns={"old": "age"}))),
            "sensitive_features has the columns ['old', 'tall']; training[1] has ['age', 'tall']",
        ),
        (
            lambda: continuous(turned, b, (a, b)),
            "X has the columns ['w', 'v', 'u']; training[0] has ['u', 'v', 'w']",
        ),
        (
            lambda: continuous(a, b[["t", "s"]], (a, b)),
            "sensitive_features has the columns ['t', 's']; training[1] has ['s', 't']",
        ),
    ):
        with pytest.raises(ValueError) as caught:
            call()
        assert str(caught.value) == words


def test_probabilities_are_from_0_to_1():
    groups = {"sensitive_features": ["a", "b"]}
    for bad, shown in ((1.5, "1.5"), (-0.25, "-0.25"), (np.inf, "inf")):
        for name, call in (
            ("y_prob", lambda p: metrics.soft_accuracy([1, 0], p)),
            ("y_pred", lambda p: metrics.demographic_parity_difference(p, **groups)),
            ("y_pred", lambda p: metrics.equal_opportunity_difference([1, 1], p, **groups)),
            ("y_pred", lambda p: metrics.equalized_odds_difference([1, 0], p, **groups)),
        ):
            with pytest.raises(ValueError) as caught:
                call([0.5, bad])
            assert str(caught.value) == f"{name} is {shown} in row 1; it must be a probability, from 0 to 1"
    assert metrics.soft_accuracy([1, 1], [0.0, 1 + 1e-15]) == pytest.approx(0.5)
    assert metrics.group_means([7, -7], **groups) == {"a": 7.0, "b": -7.0}


@pytest.mark.parametrize("groups", [[], pd.Series([], dtype=object), pd.DataFrame({"s": [], "t": []})])
def test_no_rows_have_no_metric(groups):
    for call in (
        lambda: metrics.group_means([], sensitive_features=groups),
        lambda: metrics.demographic_parity_difference([], sensitive_features=groups),
        lambda: metrics.equal_opportunity_difference([], [], sensitive_features=groups),
        lambda: metrics.equalized_odds_difference([], [], sensitive_features=groups),
        lambda: metrics.soft_accuracy([], []),
    ):
        with pytest.raises(ValueError, match="has no rows; a metric needs at least one"):
            call()
