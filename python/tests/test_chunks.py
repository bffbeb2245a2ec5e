"""Rows that come in chunks: what is learned is settled when they come, not when somebody looks."""

from __future__ import annotations

import copy
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from people import numbers
from plumbline import OrthogonalToBias, SparseOrthogonalToBias
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
        assert found._fitted().options.seed == whole._fitted().options.seed
        assert np.allclose(found.transform(X), whole.transform(X), rtol=0, atol=1e-10 * np.abs(X).max())
    other = chunked.set_params(random_state=5).partial_fit(X)
    assert other._fitted().options.seed == 5


def test_eight_threads_that_look_first_see_one_fit():
    fair = sparse().partial_fit(X)
    gate = threading.Barrier(8)

    def look(_: int) -> tuple[int, np.ndarray]:
        gate.wait()
        return id(fair._fitted()), fair.transform(X)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(look, range(8)))
    assert len({which for which, _ in found}) == 1
    assert all(np.array_equal(out, found[0][1]) for _, out in found)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda fair: pickle.loads(pickle.dumps(fair))])
def test_copies_before_anybody_looks_learn_the_same(copied):
    fair = sparse().partial_fit(X)
    other = copied(fair)
    again = copied(other.set_params(alpha=0.5))
    assert fair.to_json() == other.to_json() == again.to_json()
    assert not hasattr(clone(fair), "_task")
    assert copied(fair).partial_fit(X)._fitted().options.seed == fair._fitted().options.seed
