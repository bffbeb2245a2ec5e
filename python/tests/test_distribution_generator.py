"""Counterfactual rows by the laws of features, and what takes their generator."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from plumbline.methods import AdversarialGenerator, AdversarialRegressor, DistributionGenerator
from plumbline.metrics import continuous_counterfactual_gap
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

ORDER = ["x0", "x1"]


def world(b: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """Triangular, rising in each noise, neither linear nor normal."""
    first = b[:, 0] + 0.5 * b[:, 1] ** 2 + np.exp(0.5 * noise[:, 0]) * (1 + 0.3 * np.tanh(b[:, 1]))
    second = 0.8 * first + np.sin(b[:, 1]) + (1 + 0.4 * np.tanh(b[:, 0])) * noise[:, 1]
    return np.column_stack([first, second])


def rows(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, 2)), rng.normal(size=(count, 2))


def people(count: int = 2000, seed: int = 0) -> tuple[pd.DataFrame, pd.DataFrame]:
    rng = np.random.default_rng(seed)
    male, age = rng.random(count) < 0.5, np.round(rng.normal(45, 12, count))
    x = pd.DataFrame(
        {
            "income": age / 12 + (1 + male) * rng.normal(size=count),
            "job": np.where(rng.random(count) < 0.2 + 0.5 * male, "crafts", rng.choice(["office", "care"], count)),
            "rare": np.where(np.arange(count) < 5, 1.0, 0.0),
        }
    )
    return x, pd.DataFrame({"sex": np.where(male, "m", "f"), "age": age})


def test_at_its_own_place_a_row_is_itself():
    b, noise = rows(2000, 0)
    for x in (world(b, noise), world(b, noise).astype(np.float32), world(b, noise).round(1)):
        generator = DistributionGenerator().fit(x, sensitive_features=b)
        assert np.array_equal(generator.counterfactuals(x, sensitive_features=b, to=b), x)
    x, s = people()
    generator = DistributionGenerator().fit(x, sensitive_features=s)
    indicators = pd.get_dummies(x["job"], prefix="job", prefix_sep="=", dtype=float)
    expected = pd.concat([x["income"], indicators, x["rare"]], axis=1)
    same = generator.counterfactuals(x, sensitive_features=s, to=s)
    pd.testing.assert_frame_equal(same, expected, check_exact=True)


def error(count: int, seed: int) -> float:
    """Mean distance from the truth, as a share of how far the truth is."""
    b, noise = rows(count, seed)
    generator = DistributionGenerator(order=ORDER).fit(world(b, noise), sensitive_features=b)
    (here, noise), (there, _) = rows(2000, seed + 100), rows(2000, seed + 200)
    made = generator.counterfactuals(world(here, noise), sensitive_features=here, to=there)
    truth = world(there, noise)
    return np.abs(made - truth).mean() / np.abs(world(here, noise) - truth).mean()


def test_counterfactuals_tend_to_the_truth():
    small, large = (np.mean([error(count, seed) for seed in range(3)]) for count in (500, 16_000))
    assert large < 0.6 * small
    assert large < 0.1


def test_levels_follow_the_law_of_the_other_group():
    x, s = people(20_000)
    generator = DistributionGenerator().fit(x, sensitive_features=s)
    later, group = people(20_000, seed=1)
    women = group["sex"] == "f"
    as_men = generator.counterfactuals(later[women], sensitive_features=group[women], to=group[women].assign(sex="m"))
    assert list(as_men.index) == list(later.index[women])
    jobs = pd.get_dummies(later["job"], prefix="job", prefix_sep="=", dtype=float)
    for name in jobs:
        assert abs(as_men[name].mean() - jobs[name][~women].mean()) < 0.03
    assert as_men["income"].std() > 1.5 * later["income"][women].std()
    kept = (as_men[jobs.columns] == jobs[women]).all(axis=1).mean()
    assert abs(kept - 0.5) < 0.03  # shares of .2 .4 .4 become .7 .15 .15: no coupling keeps more than half


@pytest.mark.parametrize("to", [1.5, [1.5], np.full(50, 1.5), np.full((50, 1), 1.5), pd.Series(np.full(50, 1.5))])
def test_other_places_come_in_all_shapes(to):
    b, noise = rows(500, 0)
    x = world(b, noise)
    generator = DistributionGenerator().fit(x, sensitive_features=b[:, 0])
    expected = generator.counterfactuals(x[:50], sensitive_features=b[:50, 0], to=np.full(50, 1.5))
    found = generator.counterfactuals(x[:50], sensitive_features=b[:50, 0], to=to)
    assert np.array_equal(found, expected)
    alone = generator.counterfactuals(x[:1], sensitive_features=b[:1, 0], to=1.5)
    assert np.array_equal(alone, expected[:1])


def test_one_place_for_all_rows_of_a_frame():
    x, s = people()
    generator = DistributionGenerator(random_state=2).fit(x, sensitive_features=s)
    older = generator.counterfactuals(x, sensitive_features=s, to=["m", 60])
    frame = pd.DataFrame({"sex": ["m"] * len(x), "age": [60.0] * len(x)}, index=x.index)
    pd.testing.assert_frame_equal(generator.counterfactuals(x, sensitive_features=s, to=frame), older)
    table = generator.counterfactuals(pa.Table.from_pandas(x, preserve_index=False), sensitive_features=s, to=frame)
    pd.testing.assert_frame_equal(table.to_pandas(), older)
    with pytest.raises(ValueError, match="to has the columns"):
        generator.counterfactuals(x, sensitive_features=s, to=frame[["age", "sex"]])
    with pytest.raises(ValueError, match="'x' is a category that the fit has not seen"):
        generator.counterfactuals(x, sensitive_features=s, to=["x", 60])
    with pytest.raises(ValueError, match="to has shape"):
        generator.counterfactuals(x, sensitive_features=s, to=frame.head(3))


@pytest.mark.parametrize("shape", [(2,), (3, 2), (500, 2), (400, 3), ()])
def test_other_shapes_are_refused(shape):
    b, noise = rows(500, 0)
    x, b = world(b, noise), np.column_stack([b, b[:, 0] ** 2])
    generator = DistributionGenerator().fit(x, sensitive_features=b)
    with pytest.raises(ValueError, match=r"to has shape .*\(500, 3\)"):
        generator.counterfactuals(x, sensitive_features=b, to=np.ones(shape))


def test_bad_cells_and_missing_columns_are_refused():
    b, noise = rows(500, 0)
    x = world(b, noise)
    generator = DistributionGenerator().fit(x, sensitive_features=b)
    for bad, words in (
        (lambda: DistributionGenerator().fit(x), "sensitive_features is not given"),
        (lambda: generator.counterfactuals(x, to=b), "not given"),
        (lambda: generator.counterfactuals(x[:, :1], sensitive_features=b, to=b), "DistributionGenerator is expecting"),
        (lambda: generator.counterfactuals(x, sensitive_features=b, to=[np.nan, 0]), "NaN"),
        (lambda: generator.counterfactuals(x * np.nan, sensitive_features=b, to=b), "NaN"),
        (lambda: DistributionGenerator(order=["x9"]).fit(x, sensitive_features=b), "order names 'x9'"),
        (lambda: DistributionGenerator(regions=1).fit(x, sensitive_features=b), "The 'regions' parameter"),
    ):
        with pytest.raises(ValueError, match=words):
            bad()


def test_clones_and_pickles():
    x, s = people()
    generator = DistributionGenerator(order=["job"], regions=4, random_state=5).fit(x, sensitive_features=s)
    expected = generator.counterfactuals(x, sensitive_features=s, to=["f", 30])
    for one in (
        pickle.loads(pickle.dumps(generator)),
        clone(generator).fit(x, sensitive_features=s),
        FrozenEstimator(generator),
    ):
        pd.testing.assert_frame_equal(one.counterfactuals(x, sensitive_features=s, to=["f", 30]), expected)
    assert generator.feature_names_in_.tolist() == ["income", "job", "rare"]
    other = clone(generator).set_params(random_state=6).fit(x, sensitive_features=s)
    assert not other.counterfactuals(x, sensitive_features=s, to=["f", 30]).equals(expected)


def test_gaps_are_measured_by_it():
    """Of a predictor that says the first feature: how far that moves, which the world knows."""
    b, noise = rows(4000, 0)
    x = world(b, noise)
    generator = DistributionGenerator(order=ORDER).fit(x, sensitive_features=b)
    given = {"sensitive_features": b[:300], "training": (x, b), "draws": 40}
    found = continuous_counterfactual_gap(lambda a, _: a[:, 0], x[:300], generator=generator, **given)
    rng = np.random.default_rng(1)
    low, high = b.min(axis=0), b.max(axis=0)
    moves = [np.abs(world(rng.uniform(low, high, (300, 2)), noise[:300]) - x[:300])[:, 0].mean() for _ in range(40)]
    assert abs(found.absolute / np.mean(moves) - 1) < 0.15
    none = continuous_counterfactual_gap(lambda a, _: 0 * a[:, 0], x[:300], generator=generator, **given)
    assert none == (0, 0)
    again = continuous_counterfactual_gap(
        lambda a, _: a[:, 0], x[:300], generator=FrozenEstimator(generator), y=x[:300, 0], **given
    )
    assert again == found
    with pytest.raises(ValueError, match="y is not given"):
        continuous_counterfactual_gap(lambda a, _: a[:, 0], x[:300], generator=AdversarialGenerator(), **given)
    x, s = people(300)
    mixed = DistributionGenerator().fit(x, sensitive_features=s["age"])
    with pytest.raises(ValueError, match="fitted to categories"):
        continuous_counterfactual_gap(
            lambda a, _: a[:, 0], b[:300], generator=mixed, sensitive_features=b[:300, 0], training=(b, b[:, 0])
        )


def test_adv_needs_a_network():
    b, noise = rows(300, 0)
    with pytest.raises(ValueError, match="generator is of type DistributionGenerator"):
        AdversarialRegressor(DistributionGenerator(), epochs=1).fit(world(b, noise), noise[:, 0], sensitive_features=b)
