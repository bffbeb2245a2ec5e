"""What is removed beyond means: spreads, and laws."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import plumbline
import pyarrow as pa
import pytest
from plumbline import OrthogonalToBias, SparseOrthogonalToBias
from plumbline.moments import Moments
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score

RUNGS = [
    OrthogonalToBias(sensitive_feature_ids=["age", "sex"], remove="spread", probe="none"),
    OrthogonalToBias(
        sensitive_feature_ids=["age", "sex"], remove="spread", spread="diagonal", n_components=3, probe="none"
    ),
    OrthogonalToBias(sensitive_feature_ids=["age", "sex"], remove="distribution", random_state=3, probe="none"),
]
each_rung = pytest.mark.parametrize("rung", RUNGS, ids=["spread", "diagonal", "distribution"])


def people(rows: int = 3000, seed: int = 0) -> pd.DataFrame:
    """What people earn and do depends on age and sex, in mean, spread and share."""
    rng = np.random.default_rng(seed)
    age, male = np.round(rng.normal(45, 12, rows), 1), rng.integers(0, 2, rows)
    job = np.where(rng.random(rows) < 0.3 + 0.3 * male, "crafts", rng.choice(["office", "care"], rows))
    return pd.DataFrame(
        {
            "age": age,
            "sex": np.where(male == 1, "m", "f"),
            "income": age / 12 + (1 + male) * rng.normal(size=rows),
            "hours": rng.normal(size=rows) * np.exp((age - 45) / 24),
            "children": rng.poisson(1 + 0.5 * (age > 45), rows).astype(float),
            "job": job,
        }
    )


def numbers(rows: int = 2000, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    b = rng.normal(size=rows)
    return np.column_stack([b, b**2 + rng.normal(size=rows), np.exp(b / 2) * rng.normal(size=rows)])


@each_rung
def test_a_row_has_the_same_bits_alone_and_among_others(rung):
    table = people()
    fair = clone(rung).fit(table)
    whole = fair.transform(table)
    turned = np.random.default_rng(0).permutation(len(table))
    pd.testing.assert_frame_equal(fair.transform(table.iloc[turned]), whole.iloc[turned], check_exact=True)
    for rows in (slice(0, 1), slice(7, 8), slice(100, 103), slice(1500, 3000)):
        pd.testing.assert_frame_equal(fair.transform(table.iloc[rows]), whole.iloc[rows], check_exact=True)


@each_rung
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", ["C", "F"])
def test_so_has_a_row_of_an_array(rung, dtype, order):
    x = np.asarray(numbers(), dtype=dtype, order=order)
    fair = clone(rung).set_params(sensitive_feature_ids=[0])
    if fair.n_components is not None:
        fair.set_params(n_components=1)
    whole = fair.fit(x).transform(x)
    assert whole.dtype == dtype
    assert np.array_equal(np.vstack([fair.transform(x[i : i + 1]) for i in range(50)]), whole[:50])
    assert np.array_equal(fair.transform(x[::-1]), whole[::-1])
    assert np.array_equal(fair.transform(x[:, 1:], sensitive_features=x[:, 0]), whole)


@each_rung
def test_models_come_back_from_files_pickles_and_clones(rung):
    table = people()
    fair = clone(rung).fit(table)
    expected = fair.transform(table)
    again = OrthogonalToBias.from_json(fair.to_json())
    asked = ("remove", "spread", "regions", "order", "random_state", "n_components")
    assert {name: again.get_params()[name] for name in asked} == {name: rung.get_params()[name] for name in asked}
    for one in (again, pickle.loads(pickle.dumps(fair)), clone(fair).fit(table)):
        pd.testing.assert_frame_equal(one.transform(table), expected, check_exact=True)
        assert one.to_json() == fair.to_json()


@each_rung
def test_a_stream_gives_what_its_table_gives(rung):
    table = pa.Table.from_pandas(people(), preserve_index=False)
    whole = clone(rung).fit(table)
    stream = clone(rung).fit(table.to_reader(max_chunksize=700))
    assert stream.to_json() == whole.to_json()
    out = whole.transform(table.to_reader(max_chunksize=311)).read_all()
    assert out.to_pandas().equals(whole.transform(table).to_pandas())


@each_rung
def test_chunks_and_moments_are_not_taken_up(rung):
    for method in ("partial_fit", "fit_moments"):
        assert not hasattr(rung, method)
        with pytest.raises(AttributeError, match=f"'{method}'") as caught:
            getattr(rung, method)
        assert "needs all rows at once" in str(caught.value.__cause__)
    assert hasattr(clone(rung).set_params(remove="mean"), "partial_fit")
    fair = clone(rung).fit(people()).set_params(remove="mean")
    with pytest.raises(ValueError, match="fitted to all rows at once"):
        fair.partial_fit(people(seed=1))


@each_rung
def test_what_is_of_affine_maps_alone_is_not_there(rung):
    fair = clone(rung).fit(people())
    for name in ("coef_", "feature_coef_", "intercept_"):
        assert not hasattr(fair, name)
        with pytest.raises(AttributeError, match=f"{name} is of an affine map, which no map of remove="):
            getattr(fair, name)
    assert (fair.components_ is None) == (rung.n_components is None)
    assert fair.n_components_ == fair.certificate_.rank


def spread_of(x: pd.DataFrame, rows: pd.Series) -> np.ndarray:
    return np.cov(x[rows].to_numpy().T)


def test_spreads_are_equal_on_new_rows():
    table, later = people(20_000), people(20_000, seed=1)
    names = ["income", "hours"]
    mean = OrthogonalToBias(sensitive_feature_ids=["age", "sex"], probe="none").fit(table)
    fair = clone(RUNGS[0]).fit(table)
    old, male = later["age"] > 50, later["sex"] == "m"
    for rows in (old, male):
        before, after = (one.transform(later)[names] for one in (mean, fair))
        gap = [np.abs(spread_of(out, rows) - spread_of(out, ~rows)).max() for out in (before, after)]
        assert gap[0] > 0.5
        assert gap[1] < 0.2
    assert fair.certificate_.holds()


def test_laws_are_equal_on_new_rows_and_kinds_stay():
    table, later = people(20_000), people(20_000, seed=1)
    fair = clone(RUNGS[2]).fit(table)
    out, male = fair.transform(later), later["sex"] == "m"
    assert list(out.columns) == list(fair.get_feature_names_out())
    assert list(out.columns) == ["income", "hours", "children", "job=care", "job=crafts", "job=office"]
    jobs = out.filter(like="job=")
    assert set(np.unique(jobs)) == {0.0, 1.0}
    assert (jobs.sum(axis=1) == 1).all()
    assert set(out["children"]) <= set(table["children"])
    for name in out:
        ours = np.sort(out[name])
        shares = [np.searchsorted(np.sort(out[name][rows]), ours, "right") / rows.sum() for rows in (male, ~male)]
        assert np.abs(shares[0] - shares[1]).max() < 0.03
    assert r2_score(later["age"], LinearRegression().fit(out**2, later["age"]).predict(out**2)) < 0.01


def test_values_that_are_held_are_held_in_arrays_too():
    """Of a feature that hardly varies the map leaves nothing, whether a row comes alone, among others or in a frame."""
    x = numbers()
    x = np.column_stack([x, np.where(np.arange(len(x)) < 10, x[:, 0], 0.0)])
    for rung in RUNGS[::2]:
        fair = clone(rung).set_params(sensitive_feature_ids=[0]).fit(x)
        out = fair.transform(x)
        assert (out[:, 2] == 0).all()
        assert np.array_equal(fair.transform(x[:1]), out[:1])
        assert np.array_equal(fair.transform(pd.DataFrame(x).rename(columns=str).to_numpy()), out)


def test_draws_are_of_the_seed_and_the_row():
    table = people()
    one, same, other = (clone(RUNGS[2]).set_params(random_state=seed).fit(table) for seed in (3, np.int64(3), 4))
    assert one.to_json() == same.to_json()
    ours = one.transform(table)
    assert not ours["children"].equals(other.transform(table)["children"])
    pd.testing.assert_frame_equal(same.transform(table), ours, check_exact=True)


def test_the_order_is_of_features():
    table = people()
    fair = clone(RUNGS[2]).set_params(order=["job", "hours"]).fit(table)
    note = next(note for note in fair.certificate_.notes if "in the order of the map" in note)
    assert note.partition("map: ")[2].startswith("job ")
    assert note.index("hours") < note.index("income")
    assert clone(fair).set_params(order="job").fit(table).order == "job"
    array = OrthogonalToBias(sensitive_feature_ids=[0], remove="distribution", order=["x2"], probe="none").fit(
        numbers()
    )
    assert OrthogonalToBias.from_json(array.to_json()).order == ["x2"]


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"mode": "blind"}, "mode is blind"),
        ({"n_components": 2}, "a rank is given"),
        ({"alpha": 0.5}, "alpha is not 1"),
        ({"expand": "powers=2"}, "without terms"),
        ({"order": ["rank"]}, "order names 'rank', which is no feature"),
        ({"order": ["job", "job"]}, "order names 'job' twice"),
        ({"order": ["age"]}, "order names 'age', which is no feature"),
        ({"order": [2]}, "order has 2; it must be the name of a feature"),
        ({"noise_b": {"age": 0.8}}, "a reliability is given"),
        ({"regions": 1}, "The 'regions' parameter"),
        ({"random_state": None}, "The 'random_state' parameter"),
        ({"random_state": -1}, "The 'random_state' parameter"),
        ({"remove": "law"}, "The 'remove' parameter"),
        ({"remove": "spread", "spread": "half"}, "The 'spread' parameter"),
        ({"remove": "spread", "mode": "blind"}, "mode is blind"),
        ({"remove": "spread", "expand": "auto"}, "expand is automatic"),
        ({"remove": "spread", "noise_b": {"age": 0.8}}, "a reliability is given"),
    ],
)
def test_what_does_not_go_together_is_refused(parameters, words):
    fair = OrthogonalToBias(sensitive_feature_ids=["age", "sex"], probe="none")
    with pytest.raises(ValueError) as caught:
        fair.set_params(**{"remove": "distribution", **parameters}).fit(people(300))
    assert words in str(caught.value)
    assert " --" not in str(caught.value)
    assert not hasattr(fair, "n_features_in_")


def test_sparse_directions_have_spreads_and_no_laws():
    table = people()
    fair = SparseOrthogonalToBias(sensitive_feature_ids=["age", "sex"], n_components=2, remove="spread").fit(table)
    assert fair.certificate_.holds()
    assert SparseOrthogonalToBias.from_json(fair.to_json()).remove == "spread"
    with pytest.raises(ValueError, match="The 'remove' parameter of SparseOrthogonalToBias must be"):
        clone(fair).set_params(remove="distribution").fit(table)
    laws = clone(RUNGS[2]).fit(table)
    with pytest.raises(ValueError, match="has no scores"):
        laws.transform_scores(table)


@each_rung
def test_other_rows_are_certified_and_probed(rung):
    fair = clone(rung).set_params(probe="quick").fit(people(), y=people()["income"] > 4)
    assert fair.certificate_.probe is not None
    assert fair.certificate_.price is not None
    later = fair.certify(people(seed=1))
    assert later.probe is not None
    assert later.after.correlation.value < 0.1


def test_the_affine_map_is_as_it_was():
    """Parameters of other rungs change nothing, and a file without them is of means."""
    table = people()
    plain = OrthogonalToBias(sensitive_feature_ids=["age", "sex"]).fit(table)
    other = OrthogonalToBias(sensitive_feature_ids=["age", "sex"], spread="diagonal", regions=4, order=["job"])
    assert other.fit(table).to_json() == plain.to_json()
    restored = OrthogonalToBias.from_json(plain.to_json())
    assert (restored.remove, restored.spread, restored.regions, restored.order) == ("mean", "full", None, None)
    x = numbers()
    assert isinstance(plumbline.OrthogonalToBias().fit_moments(Moments().update(x[:, 1:], x[:, 0])), OrthogonalToBias)
