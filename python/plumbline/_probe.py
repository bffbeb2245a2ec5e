"""How hard to look for what models can still read back, and scikit-learn's boosted trees, which look too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from threadpoolctl import threadpool_limits

from . import _core
from ._arrays import Floats

_CELLS_OF_A_TEAM = 2_000_000

Attacker = tuple[str, Callable[..., Floats]]

PROBE_ROWS = {"quick": _core.QUICK_PROBE_ROWS, "full": _core.FULL_PROBE_ROWS, "none": 0}  # of the sample


def attackers(effort: str) -> list[Attacker]:
    """Those beside the engine's own."""
    return [("boosted trees", _boosted_trees)] if effort == "full" else []


def _boosted_trees(
    learned: Floats, y: Floats, weights: Floats | None, read_as: Sequence[str], judged: Floats
) -> Floats:
    """What trees at scikit-learn's defaults predict of each column of y, after they have learned it."""
    out = np.empty((len(judged), y.shape[1]))
    with _threads_worth(learned.size):
        for j, one in enumerate(read_as):
            if one == "level" and y[:, j].min() < y[:, j].max():
                classifier = HistGradientBoostingClassifier(random_state=0).fit(learned, y[:, j], sample_weight=weights)
                out[:, j] = classifier.predict_proba(judged)[:, 1]
            else:
                regressor = HistGradientBoostingRegressor(random_state=0).fit(learned, y[:, j], sample_weight=weights)
                out[:, j] = regressor.predict(judged)
    return out


def _threads_worth(cells: int) -> AbstractContextManager[object]:
    """To few cells a team of threads gives less than it takes, and far less where cores are busy."""
    return threadpool_limits(1, "openmp") if cells < _CELLS_OF_A_TEAM else nullcontext()


def checked_effort(probe: Any) -> str:
    if probe not in PROBE_ROWS:
        raise _core.Error(f"probe is {probe!r}; it must be 'quick', 'full' or 'none'")
    return str(probe)
