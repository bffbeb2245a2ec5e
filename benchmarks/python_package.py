"""The Python package beside fairlearn: the same table, the same call."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from fairlearn.preprocessing import CorrelationRemover
from plumbline import OrthogonalToBias
from plumbline.datasets import load_crime
from plumbline.methods import AdversarialRegressor


class Times(NamedTuple):
    ours: float  # fit_transform, seconds
    beside: float  # what it took turns with
    fairlearn: float
    one_row: float  # transform of one row of 100 features


def _seconds(call: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def times(x: np.ndarray, sensitive: int, beside: Callable[[], float]) -> Times:
    """x holds the sensitive columns first. fit_transform takes turns with `beside`, which measures itself; the best
    turn of each counts, for what the host of a virtual machine adds, when it hands out memory, belongs to neither."""
    ids = list(range(sensitive))
    ours, theirs = OrthogonalToBias(sensitive_feature_ids=ids), CorrelationRemover(sensitive_feature_ids=ids)
    rows = np.random.default_rng(2).random((1000, 105))
    fair = OrthogonalToBias(sensitive_feature_ids=list(range(5))).fit(rows)
    row, calls = rows[:1].copy(), 2000

    def many() -> None:
        for _ in range(calls):
            fair.transform(row)

    def turn() -> tuple[float, float]:
        ours.fit_transform(x)  # whoever is first pays for the pages
        return _seconds(lambda: ours.fit_transform(x), 5), beside()

    turns = [turn() for _ in range(5)]
    return Times(
        min(mine for mine, _ in turns),
        min(other for _, other in turns),
        _seconds(lambda: theirs.fit_transform(x), 3),
        _seconds(many, 9) / calls,
    )


def adversarial_seconds() -> float:
    """Adv with its defaults, those of the paper, on Communities and Crime less its first fold; generator included."""
    table = load_crime().fillna(0)
    table = table[table["fold"] != 1].drop(columns=["state", "county", "community", "communityname", "fold"])
    y, b = table.pop("ViolentCrimesPerPop"), table.pop("racepctblack")
    return _seconds(lambda: AdversarialRegressor(penalty=0.2).fit(table, y, sensitive_features=b), 1)
