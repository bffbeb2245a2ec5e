"""Rows that come in chunks: what is learned is settled when they come, not when somebody looks."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import sys
import threading
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pytest
from people import numbers
from plumbline import OrthogonalToBias, SparseOrthogonalToBias
from plumbline.methods import FairRegressor
from plumbline.moments import Moments
from sklearn.base import clone

X = numbers(120)


@pytest.mark.parametrize(
    ("fair", "later"),
    [
        (OrthogonalToBias(sensitive_feature_ids=[0, 1]), {"alpha": 0.5}),
        (OrthogonalToBias(sensitive_feature_ids=[0, 1]), {"mode": "blind"}),
        (OrthogonalToBias(sensitive_feature_ids=[0, 1], n_components=3), {"n_components": 2, "basis": "paper"}),
        (OrthogonalToBias(sensitive_feature_ids=[0, 1]), {"missing": "drop"}),
        (OrthogonalToBias(sensitive_feature_ids=[0, 1]), {"expand": "powers=2"}),
        (SparseOrthogonalToBias(sensitive_feature_ids=[0, 1], n_components=2), {"l1_bound": 1.0, "standardize": False}),
        (SparseOrthogonalToBias(sensitive_feature_ids=[0, 1], n_components=2), {"random_state": 3}),
    ],
)
def test_it_does_not_matter_when_it_is_first_looked_at(fair, later):
    early, late = clone(fair).partial_fit(X), clone(fair).partial_fit(X)
    expected = early.to_json()
    late.set_params(**later)
    assert late.to_json() == expected
    assert early.set_params(**later).to_json() == expected


def sparse() -> SparseOrthogonalToBias:
    state = np.random.RandomState(7)
    return SparseOrthogonalToBias(sensitive_feature_ids=[0, 1], n_components=2, random_state=state)


def test_chunks_draw_the_starts_that_the_whole_draws():
    whole = sparse().fit(X)
    chunked, looked_at = sparse(), sparse()
    for first in range(0, len(X), 40):
        chunked.partial_fit(X[first : first + 40])
        assert looked_at.partial_fit(X[first : first + 40]).certificate_.rows == first + 40
    for found in (chunked, looked_at):
        assert found._fitted().fit.options.seed == whole._fitted().fit.options.seed
        assert np.allclose(found.transform(X), whole.transform(X), rtol=0, atol=1e-10 * np.abs(X).max())
    other = chunked.set_params(random_state=5).partial_fit(X)
    assert other._fitted().fit.options.seed == 5


def test_eight_threads_that_look_first_see_one_fit():
    fair = sparse().partial_fit(X)
    gate = threading.Barrier(8)

    def look(_: int) -> tuple[int, np.ndarray]:
        gate.wait()
        return id(fair._fitted().fit), fair.transform(X)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(look, range(8)))
    assert len({which for which, _ in found}) == 1
    assert all(np.array_equal(out, found[0][1]) for _, out in found)


def test_a_fork_does_not_wait_for_a_thread_that_it_does_not_have():
    fair = sparse().partial_fit(X)
    expected = sparse().partial_fit(X).to_json()
    with fair._learned.lock:  # as of a thread that has looked first
        child = multiprocessing.get_context("fork").Process(target=lambda: sys.exit(fair.to_json() != expected))
        child.start()
        child.join(30)
    child.kill()
    assert child.exitcode == 0


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda fair: pickle.loads(pickle.dumps(fair))])
def test_copies_before_anybody_looks_learn_the_same(copied):
    fair = sparse().partial_fit(X)
    other = copied(fair)
    again = copied(other.set_params(alpha=0.5))
    assert fair.to_json() == other.to_json() == again.to_json()
    assert not hasattr(clone(fair), "_learned")
    assert copied(fair).partial_fit(X)._fitted().fit.options.seed == fair._fitted().fit.options.seed


@pytest.mark.parametrize("expand", ["", [], {}, [""], {"powers": False}])
def test_an_expansion_without_terms_is_none(expand):
    fair = OrthogonalToBias(sensitive_feature_ids=[0, 1])
    nothing = clone(fair).set_params(expand=expand)
    assert nothing.partial_fit(X).to_json() == clone(fair).partial_fit(X).to_json()
    assert clone(nothing).fit(X).to_json() == clone(fair).fit(X).to_json()
    assert clone(nothing).fit(X).partial_fit(X).certificate_.rows == 2 * len(X)
    one = FairRegressor(expand=expand).fit(X[:, 2:], X[:, 3], sensitive_features=X[:, 0])
    other = FairRegressor().fit(X[:, 2:], X[:, 3], sensitive_features=X[:, 0])
    assert np.array_equal(*(each.predict(X[:, 2:], sensitive_features=X[:, 0]) for each in (one, other)))


def batches(made: list[int], count: int = 40, rows: int = 4000) -> pa.RecordBatchReader:
    """A stream whose chunks are made when they are asked for; tracemalloc sees which of them are alive."""
    names = [f"c{j}" for j in range(8)]

    def chunks() -> Iterator[pa.RecordBatch]:
        for seed in range(count):
            x = np.random.default_rng(seed).normal(size=(rows, len(names)))
            made.append(x.nbytes)
            yield pa.record_batch([pa.array(x[:, j].copy()) for j in range(len(names))], names)

    return pa.RecordBatchReader.from_batches(pa.schema([(name, pa.float64()) for name in names]), chunks())


STREAMED = {
    "fit": lambda stream, b: OrthogonalToBias(sensitive_feature_ids=["c0"]).fit(stream).to_json(),
    "partial_fit": lambda stream, b: OrthogonalToBias().partial_fit(stream, sensitive_features=b).to_json(),
    "certify": lambda stream, b: FITTED.certify(stream).to_json(),
    "certify with a bar": lambda stream, b: FITTED.certify(stream, progress=True).to_json(),
    "moments": lambda stream, b: Moments().update(stream, b)._core.__getstate__(),
    "weighted moments": lambda stream, b: Moments().update(stream, b, np.abs(b))._core.__getstate__(),
}
FITTED = OrthogonalToBias(sensitive_feature_ids=["c0"]).fit(batches([], 1))


@pytest.mark.parametrize("name", STREAMED)
def test_a_stream_is_never_in_memory_as_a_whole(name):
    made: list[int] = []
    b = np.random.default_rng(0).normal(size=160_000)
    stream = batches(made)
    tracemalloc.start()
    STREAMED[name](stream, b)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < sum(made) / 4


def test_chunks_are_the_whole_for_certificates_and_moments():
    table = batches([], 10, 500).read_all()
    whole, parts = table.combine_chunks(), lambda: batches([], 10, 500)
    b, weights = np.random.default_rng(1).normal(size=(2, 5000))
    weights = np.abs(weights)
    fair = OrthogonalToBias(sensitive_feature_ids=["c0"], n_components=3).fit(whole)
    found, expected = (fair.certify(given, sample_weight=weights) for given in (parts(), whole))
    assert found.rows == expected.rows == 5000
    assert found.change == pytest.approx(expected.change, rel=1e-12)
    assert found.before.correlation.value == pytest.approx(expected.before.correlation.value, rel=1e-10)
    assert found.after.canonical == pytest.approx(expected.after.canonical, abs=1e-10)
    sums = [Moments().update(given, b, weights) for given in (parts(), whole.to_pandas())]
    assert sums[0].rows == sums[1].rows
    for value in ("mean_a", "mean_b", "scatter_aa", "scatter_ba", "scatter_bb"):
        assert np.allclose(*(getattr(one, value) for one in sums), rtol=1e-12, atol=1e-9)


def test_a_chunk_that_is_refused_adds_nothing():
    moments = Moments().update(batches([], 1, 100), np.arange(100.0))
    before = moments.copy()
    for rows, weights in ((900, None), (1100, None), (1000, np.ones(900)), (1000, np.ones(1100))):
        with pytest.raises(ValueError, match=r"inconsistent numbers of samples|same rows|sample_weight|weights has"):
            moments.update(batches([], 10, 100), np.arange(float(rows)), weights)
        assert moments == before
    gap = pa.table({f"c{j}": pa.chunked_array([np.ones(5), [None] * 5], pa.float64()) for j in range(8)})
    with pytest.raises(ValueError, match="finite"):
        moments.update(gap, np.arange(10.0))
    assert moments == before
    with pytest.raises(ValueError, match="Input X contains NaN"):
        FITTED.certify(gap)
