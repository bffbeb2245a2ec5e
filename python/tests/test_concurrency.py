"""Threads, processes and Ctrl-C."""

from __future__ import annotations

import multiprocessing
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import joblib
import numpy as np
import pyarrow as pa
import pytest
from people import numbers
from plumbline import OrthogonalToBias, _core
from plumbline.moments import Moments


def fitted(rows: int = 20_000) -> tuple[OrthogonalToBias, np.ndarray]:
    x = numbers(rows, features=12)
    return OrthogonalToBias(sensitive_feature_ids=[0, 1], n_components=4).fit(x), x


def work(fair: OrthogonalToBias, x: np.ndarray) -> np.ndarray:
    again = OrthogonalToBias(sensitive_feature_ids=[0, 1], n_components=4).fit(x)
    assert again.to_json() == fair.to_json()
    return fair.transform(x)


def test_eight_threads_transform_at_once():
    fair, x = fitted()
    expected = fair.transform(x)
    gate = threading.Barrier(8)

    def run(_: int) -> list[np.ndarray]:
        gate.wait()
        return [fair.transform(x) for _ in range(5)]

    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(run, range(8)):
            for one in found:
                assert np.array_equal(one, expected)


@pytest.fixture(scope="module")
def wide() -> OrthogonalToBias:
    x = np.random.default_rng(0).normal(size=(1200, 1001))
    return OrthogonalToBias(sensitive_feature_ids=[0], n_components=500).fit(x)


def long_fit(wide: OrthogonalToBias) -> Callable[[], object]:
    x = np.random.default_rng(0).normal(size=(400_000, 60))
    fair = OrthogonalToBias(sensitive_feature_ids=[0], n_components=5)
    return lambda: fair.fit(x)


def from_json(wide: OrthogonalToBias) -> Callable[[], object]:
    text = wide.to_json()
    return lambda: _core.Fit.from_json(text)


def from_pickle(wide: OrthogonalToBias) -> Callable[[], object]:
    state = wide._fitted().fit.__getstate__()
    return lambda: _core.Fit.__new__(_core.Fit).__setstate__(state)


def moments(wide: OrthogonalToBias) -> _core.Moments:
    x = np.random.default_rng(0).normal(size=(10, 2501))
    return Moments().update(x[:, 1:], x[:, 0])._core


def arrow(column: Any) -> Any:
    return _core.ArrowStream(pa.table({"x": column}).__arrow_c_stream__()).next()


def texts(wide: OrthogonalToBias) -> Callable[[], object]:
    levels = pa.array([f"level number {j} of a text" for j in range(200)])
    chunk = arrow(levels.take(pa.array(np.arange(4_000_000) % 200)))
    return lambda: chunk.category(0)


def halves(wide: OrthogonalToBias) -> Callable[[], object]:
    chunk = arrow(pa.array((np.arange(10_000_000) % 1000).astype(np.float16)))
    return lambda: chunk.numbers(0)


LONG = {
    "fit": long_fit,
    "to_json": lambda wide: wide.to_json,
    "from_json": from_json,
    "__getstate__": lambda wide: wide._fitted().fit.__getstate__,
    "__setstate__": from_pickle,
    "dense_a": lambda wide: lambda: wide._fitted().fit.dense_a,
    "moments to bytes": lambda wide: moments(wide).__getstate__,
    "moments widened": lambda wide: (lambda m: lambda: m.widened(m.feature_names, m.sensitive_names))(moments(wide)),
    "text of Arrow": texts,
    "half floats of Arrow": halves,
}


@pytest.mark.parametrize("name", LONG)
def test_other_threads_go_on_meanwhile(name, wide):
    """While the engine computes, a thread of Python counts; with the GIL held it could not."""
    call = LONG[name](wide)
    counted, done = [0], threading.Event()

    def count() -> None:
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    before = counted[0]
    call()
    after = counted[0]
    done.set()
    thread.join()
    assert after - before >= 5


@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_joblib(backend):
    fair, x = fitted()
    for found in joblib.Parallel(n_jobs=2, backend=backend)(joblib.delayed(work)(fair, x) for _ in range(4)):
        assert np.array_equal(found, fair.transform(x))


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_multiprocessing(start):
    """A fork after the engine has used its threads must not wait for threads that it does not have."""
    fair, x = fitted()
    with multiprocessing.get_context(start).Pool(2) as pool:
        for found in pool.starmap(work, [(fair, x)] * 2):
            assert np.array_equal(found, fair.transform(x))


ENDLESS = {
    "fit": """
fair = OrthogonalToBias(sensitive_feature_ids=[0], n_components=3)
say()
while True: fair.fit(x)
""",
    "transform": """
fair = OrthogonalToBias(sensitive_feature_ids=[0], n_components=3).fit(x)
say()
while True: fair.transform(x)
""",
    "sparse": """
fair = SparseOrthogonalToBias(sensitive_feature_ids=0, n_components=300, l1_bound=12.0, tol=1e-300, max_iter=2**30)
x = np.random.default_rng(0).normal(size=(1000, 400))
say()
fair.fit(x)
""",
    "eigenvectors": """
fair = OrthogonalToBias(sensitive_feature_ids=[0], n_components=3)
x = np.random.default_rng(0).normal(size=(4000, 2000))
say()
while True: fair.fit(x)
""",
    "eigenvectors of an expansion": """
fair = OrthogonalToBias(sensitive_feature_ids=[0], n_components=3, expand="powers=2")
x = np.random.default_rng(0).normal(size=(4000, 2000))
say()
while True: fair.fit(x)
""",
    "many sensitive columns": """
fair = OrthogonalToBias(sensitive_feature_ids=list(range(2000)))
x = np.random.default_rng(0).normal(size=(2200, 2002))
say()
fair.fit(x)
""",
    "a probe of wide rows": """
fair = OrthogonalToBias(sensitive_feature_ids=[0], mode="blind")
x = np.random.default_rng(0).normal(size=(2600, 1500))
fair.fit(x)
say()
while True:
    fair.certificate_
    fair.fit(x)
""",
    "boosted trees": """
fair = OrthogonalToBias(sensitive_feature_ids=list(range(10)), probe="full")
say()
fair.fit(x[:60_000])
""",
    "dependence": """
from plumbline.metrics import dependence
x = np.random.default_rng(0).normal(size=(2600, 2500))
say()
dependence(x, x[:, 0])
""",
    "certificate": """
x = np.random.default_rng(0).normal(size=(2600, 2001))
fair = OrthogonalToBias(sensitive_feature_ids=[0], mode="blind").fit(x)
say()
fair.certify(x)
""",
    "generator": """
from plumbline.methods import AdversarialGenerator
say()
AdversarialGenerator(epochs=2**30).fit(x[:2000, 1:], x[:2000, 1], sensitive_features=x[:2000, 0])
""",
    "penalised": """
from plumbline.methods import AdversarialGenerator, AdversarialRegressor
quick = AdversarialGenerator(epochs=1, adversary_steps=0, first_adversary_steps=0)
say()
AdversarialRegressor(quick, epochs=2**30).fit(x[:2000, 1:], x[:2000, 1], sensitive_features=x[:2000, 0])
""",
    "certificate of blocks": """
from plumbline import _core
x = np.random.default_rng(0).normal(size=(40, 2501))
blocks = _core.Check(OrthogonalToBias(sensitive_feature_ids=[0], mode="blind").fit(x)._fitted().fit, "error", "error")
table = _core.Table("X", [f"x{j}" for j in range(2501)], 2500, 1)
table.add(40, [_core.Columns(x, np.arange(1, 2501)), _core.Columns(x, np.arange(1))])
blocks.add(table, False, None)
say()
blocks.certificate()
""",
    "eigenvectors of a fair regressor": """
from plumbline.methods import FairRegressor
x = np.random.default_rng(0).normal(size=(40, 5001))
fair = FairRegressor(method="OB", n_components=3)
say()
fair.fit(x[:, 1:], x[:, 1], sensitive_features=x[:, 0])
""",
    "eigenvectors of a fair classifier": """
from plumbline.methods import FairClassifier
x = np.random.default_rng(0).normal(size=(40, 5001))
fair = FairClassifier(method="OB_1", n_components=3)
say()
fair.fit(x, x[:, 1] > 0, sensitive_features=x[:, 0] > 0)
""",
    "maps between groups": """
from plumbline.methods import FairClassifier
groups = np.arange(len(x)) % 9000
say()
FairClassifier(method="FLAP_2(M)").fit(x, x[:, 1] > 0, sensitive_features=groups)
""",
    "a learner of Python": """
from sklearn.linear_model import LinearRegression
from plumbline.methods import FairRegressor
class Endless(LinearRegression):
    def fit(self, x, y):
        while True: pass
x = np.random.default_rng(0).normal(size=(40, 300))
say()
FairRegressor(Endless(), method="OB").fit(x, x[:, 0], sensitive_features=x[:, 1])
""",
    "distances": """
from plumbline.metrics import distance_correlation
say()
distance_correlation(x[:, :2], x[:, 2:4])
""",
}


@pytest.mark.parametrize("name", ENDLESS)
def test_interrupts_end_long_calls(name):
    """Work that has no end, or takes minutes, ends by Ctrl-C."""
    program = f"""
import sys
import numpy as np
from plumbline import OrthogonalToBias, SparseOrthogonalToBias
x = np.random.default_rng(0).normal(size=(400_000, 40))
def say(): print("ready", flush=True)
try:
{"".join("    " + line + chr(10) for line in ENDLESS[name].splitlines())}
except KeyboardInterrupt:
    sys.exit(7)
"""
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 7
    finally:
        process.kill()
        process.wait()
