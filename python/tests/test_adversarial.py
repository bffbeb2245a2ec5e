"""Adv: a generator of counterfactuals, and the perceptron that is punished by it."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from plumbline import _core
from plumbline.methods import AdversarialGenerator, AdversarialRegressor
from plumbline.metrics import continuous_counterfactual_gap
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import cross_val_score

GENERATOR = AdversarialGenerator(epochs=40, batch=128, adversary_steps=5, first_adversary_steps=20)
REGRESSOR = AdversarialRegressor(GENERATOR, draws=4, hidden=(32, 16), epochs=60, batch=64, learning_rate=1e-3)
BRIEF = AdversarialRegressor(clone(GENERATOR).set_params(epochs=2), draws=2, hidden=(8,), epochs=3)


def people(rows: int = 500, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two features follow b and noise, one is noise; the outcome follows features and b."""
    rng = np.random.default_rng(seed)
    b = rng.uniform(20, 60, size=rows)
    noise = rng.normal(size=(rows, 3))
    a = noise + np.outer((b - 40) / 10, [1, -0.5, 0])
    return a, b, 3 * a[:, 0] - a[:, 1] + a[:, 2] + 0.2 * b + 0.1 * rng.normal(size=rows)


@pytest.fixture(scope="module")
def rows():
    return people()


@pytest.fixture(scope="module")
def brief(rows):
    a, b, y = rows
    return clone(BRIEF).fit(a, y, sensitive_features=b)


def test_defaults_are_those_of_the_engine():
    vae, options = _core.VaeOptions(), _core.AdversarialOptions()
    for estimator, engine in ((AdversarialGenerator(), vae), (AdversarialRegressor(), options)):
        for name, value in estimator.get_params(deep=False).items():
            if name != "generator":
                theirs = getattr(engine, "seed" if name == "random_state" else name)
                assert (tuple(theirs) if isinstance(theirs, list) else theirs) == value, name


def test_a_larger_penalty_gives_a_smaller_gap(rows):
    a, b, y = rows
    later_a, later_b, later_y = people(200, seed=1)
    generator = FrozenEstimator(clone(GENERATOR).fit(a, y, sensitive_features=b))
    gaps, errors = [], []
    for penalty in (0.0, 0.5, 50.0):
        model = clone(REGRESSOR).set_params(generator=generator, penalty=penalty).fit(a, y, sensitive_features=b)
        gap = continuous_counterfactual_gap(
            lambda x, s, model=model: model.predict(x, sensitive_features=s),
            later_a,
            sensitive_features=later_b,
            training=(a, b),
            generator=model.generator_,
            y=later_y,
            draws=50,
        )
        gaps.append(gap.absolute)
        errors.append(1 - model.score(later_a, later_y, sensitive_features=later_b))
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < 0.2 * gaps[0]
    assert errors[0] < errors[1] < errors[2]
    assert errors[0] < 0.1


def test_the_gap_of_a_generator_is_the_mean_over_its_counterfactuals(rows, brief):
    """f of b' drawn between the smallest and the largest b; here f is what a feature becomes, and b has one value."""
    a, b, y = rows
    own = brief.counterfactuals(a, y, sensitive_features=b, to=b)
    there = brief.counterfactuals(a, y, sensitive_features=b, to=30.0)
    gap = continuous_counterfactual_gap(
        lambda x, s: x[:, 0],
        a,
        sensitive_features=b,
        training=(a, np.full(len(b), 30.0)),
        generator=brief.generator_,
        y=y,
        draws=3,
    )
    assert gap.absolute == pytest.approx(np.abs(there - own)[:, 0].mean(), rel=1e-6)
    assert gap.square == pytest.approx(((there - own)[:, 0] ** 2).mean(), rel=1e-6)


def test_counterfactuals_move_with_b(rows):
    a, b, y = rows
    generator = clone(GENERATOR).fit(a, y, sensitive_features=b)
    low, high = (generator.counterfactuals(a, y, sensitive_features=b, to=to) for to in (b.min(), b.max()))
    moved = (high - low).mean(axis=0)
    assert moved[0] > 1
    assert moved[1] < -0.5
    assert abs(moved[2]) < 0.5
    assert generator.infer(a, y, sensitive_features=b).shape == (len(a), 5)


def test_the_same_seed_gives_the_same_bits(rows, brief):
    a, b, y = rows
    expected = brief.predict(a, sensitive_features=b)
    worlds = brief.counterfactuals(a, y, sensitive_features=b, to=40)
    again = clone(BRIEF).fit(a, y, sensitive_features=b)
    assert np.array_equal(again.predict(a, sensitive_features=b), expected)
    assert np.array_equal(again.counterfactuals(a, y, sensitive_features=b, to=40), worlds)
    kept = pickle.loads(pickle.dumps(brief))
    assert np.array_equal(kept.predict(a, sensitive_features=b), expected)
    assert np.array_equal(kept.counterfactuals(a, y, sensitive_features=b, to=40), worlds)
    other = clone(BRIEF).set_params(random_state=1).fit(a, y, sensitive_features=b)
    assert not np.array_equal(other.predict(a, sensitive_features=b), expected)


def test_a_bar_leaves_the_bits_alone(rows, brief, capfd):
    a, b, y = rows
    shown = clone(BRIEF).fit(a, y, sensitive_features=b, progress=True)
    seen = capfd.readouterr().err
    assert "generator: 100%" in seen
    assert "predictor: 100%" in seen
    assert np.array_equal(shown.predict(a, sensitive_features=b), brief.predict(a, sensitive_features=b))


def test_the_other_numbers_are_for_all_rows_or_for_each(rows):
    a, b, y = rows
    two = np.column_stack([b, -b])
    generator = clone(BRIEF.generator).fit(a, y, sensitive_features=two)

    def moved(to):
        return generator.counterfactuals(a, y, sensitive_features=two, to=to)

    assert np.array_equal(moved([30, -50]), moved(np.tile([30.0, -50.0], (len(b), 1))))
    one = clone(BRIEF.generator).fit(a, y, sensitive_features=b)
    assert np.array_equal(
        one.counterfactuals(a, y, sensitive_features=b, to=b),
        one.counterfactuals(a, y, sensitive_features=b, to=b.reshape(-1, 1)),
    )


def test_frames_and_routing(rows):
    a, b, y = rows
    table = pd.DataFrame(a, columns=["a", "b", "c"])
    model = clone(BRIEF).fit(table, y, sensitive_features=pd.Series(b))
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert model.generator_.feature_names_in_.tolist() == ["a", "b", "c"]
    older = model.counterfactuals(table, y, sensitive_features=b, to=60)
    assert isinstance(older, pd.DataFrame)
    assert older.index.equals(table.index)
    unnamed = clone(BRIEF).fit(a, y, sensitive_features=b)
    assert np.array_equal(older, unnamed.counterfactuals(a, y, sensitive_features=b, to=60))
    assert older.columns.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(table[["b", "a", "c"]], sensitive_features=b)
    with sklearn.config_context(enable_metadata_routing=True):
        scores = cross_val_score(clone(BRIEF), table, y, params={"sensitive_features": b}, cv=2)
    assert scores.shape == (2,)


def test_sensitive_columns_are_those_of_the_fit(rows):
    a, b, y = rows
    table = pd.DataFrame({"s": b, "t": -b})
    model = clone(BRIEF).fit(a, y, sensitive_features=table)
    model.predict(a, sensitive_features=table)
    turned = table[["t", "s"]]
    for call in (
        lambda: model.predict(a, sensitive_features=turned),
        lambda: model.counterfactuals(a, y, sensitive_features=turned, to=[30, -30]),
        lambda: model.generator_.infer(a, y, sensitive_features=turned),
    ):
        with pytest.raises(ValueError) as caught:
            call()
        assert str(caught.value) == "sensitive_features has the columns ['t', 's']; the fit had ['s', 't']"


def test_the_gap_of_a_generator_is_of_the_columns_of_its_fit(rows):
    a, b, y = rows
    table, numbers = pd.DataFrame(a, columns=list("uvw")), pd.DataFrame({"s": b, "t": -b})
    generator = clone(BRIEF.generator).fit(table, y, sensitive_features=numbers)
    for x, s, words in (
        (table[list("wvu")], numbers, "X has the columns ['w', 'v', 'u']; the generator's fit has ['u', 'v', 'w']"),
        (
            table,
            numbers[["t", "s"]],
            "sensitive_features has the columns ['t', 's']; the generator's fit has ['s', 't']",
        ),
    ):
        with pytest.raises(ValueError) as caught:
            continuous_counterfactual_gap(
                lambda x, s: x[:, 0], x, sensitive_features=s, training=(x, s), generator=generator, y=y, draws=2
            )
        assert str(caught.value) == words


def test_frames_without_the_names_of_the_fit(rows):
    a, b, y = rows
    generator = clone(BRIEF.generator)
    expected = generator.fit(a, y, sensitive_features=b).counterfactuals(a, y, sensitive_features=b, to=30)
    with pytest.warns(UserWarning, match="X has feature names"):
        named = generator.counterfactuals(pd.DataFrame(a, columns=list("uvw")), y, sensitive_features=b, to=30)
    assert list(named.columns) == list("uvw")
    frame = pd.DataFrame(a, columns=[3, 1, 2], index=range(500, 1000))
    numbered = generator.fit(frame, y, sensitive_features=b).counterfactuals(frame, y, sensitive_features=b, to=30)
    assert (list(numbered.columns), numbered.index[0]) == ([3, 1, 2], 500)
    assert np.array_equal(named, expected)
    assert np.array_equal(numbered, expected)


def test_nothing_is_said_before_a_fit():
    with pytest.raises(NotFittedError):
        AdversarialGenerator().counterfactuals([[1.0]], [1.0], sensitive_features=[1.0], to=1)
    with pytest.raises(NotFittedError):
        AdversarialRegressor().predict([[1.0]], sensitive_features=[1.0])


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        (
            {"penalty": -1},
            "The 'penalty' parameter of AdversarialRegressor must be a float in the range [0.0, inf). Got -1",
        ),
        ({"draws": 0}, "The 'draws' parameter of AdversarialRegressor must be an int in the range [1, 1000]. Got 0"),
        ({"epochs": 1.5}, "The 'epochs' parameter of AdversarialRegressor must be an int"),
        ({"hidden": (8, 0)}, "hidden is (8, 0); it must be a list of whole numbers, each at least 1"),
        ({"random_state": -1}, "The 'random_state' parameter of AdversarialRegressor must be an int"),
        ({"generator": "vae"}, "The 'generator' parameter of AdversarialRegressor must be"),
        (
            {"generator__latent": 65},
            "The 'latent' parameter of AdversarialGenerator must be an int in the range [1, 64]",
        ),
        ({"generator__encoder": ["x"]}, "encoder is ['x']; it must be a list of whole numbers, each at least 1"),
        ({"learning_rate": 1e30}, "diverged in epoch 1"),
    ],
)
def test_parameters_out_of_range(rows, parameters, words):
    a, b, y = rows
    with pytest.raises(ValueError) as caught:
        clone(BRIEF).set_params(**parameters).fit(a, y, sensitive_features=b)
    assert words in str(caught.value)


def test_bad_input(rows, brief):
    a, b, y = rows
    gap = {"sensitive_features": b, "training": (a, b)}
    for call, words in (
        (lambda: clone(BRIEF).fit(a, y), "sensitive_features is not given"),
        (lambda: clone(BRIEF).fit(a, y, sensitive_features=b[1:]), "inconsistent numbers of samples"),
        (lambda: clone(BRIEF).fit(a, y, sensitive_features=np.where(b > 50, np.nan, b)), "contains NaN"),
        (lambda: brief.predict(a[:, :2], sensitive_features=b), "X has 2 features, but AdversarialRegressor"),
        (lambda: brief.predict(a, sensitive_features=np.column_stack([b, b])), "they must have the same rows, 3 and 1"),
        (lambda: brief.predict(a, sensitive_features=b * 1e300), "sensitive_features has a number too far from those"),
        (
            lambda: brief.counterfactuals(a, y, sensitive_features=b, to=[1, 2, 3]),
            "to has shape (3,); it must be one number a sensitive column, or have the shape of the sensitive columns, "
            "(500, 1)",
        ),
        (lambda: brief.counterfactuals(a, y, sensitive_features=b, to=np.nan), "to has a cell that is not finite"),
        (
            lambda: continuous_counterfactual_gap(lambda x, s: s[:, 0], a, generator=brief.generator_, **gap),
            "y is not given",
        ),
    ):
        with pytest.raises(ValueError) as caught:
            call()
        assert words in str(caught.value)


def test_a_failed_fit_leaves_what_was_there(rows, brief):
    a, b, y = rows
    model = clone(BRIEF).fit(a, y, sensitive_features=b)
    with pytest.raises(ValueError, match="diverged"):
        model.set_params(learning_rate=1e30).fit(a, y, sensitive_features=b)
    assert np.array_equal(model.predict(a, sensitive_features=b), brief.predict(a, sensitive_features=b))
