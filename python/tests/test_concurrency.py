"""Threads, processes and Ctrl-C."""

from __future__ import annotations

import multiprocessing
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pytest
from people import numbers
from plumbline import OrthogonalToBias


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


def test_other_threads_go_on_meanwhile():
    """While the engine computes, a thread of Python counts; with the GIL held it could not."""
    x = np.random.default_rng(0).normal(size=(400_000, 60))
    fair = OrthogonalToBias(sensitive_feature_ids=[0], n_components=5)
    counted, done = [0], threading.Event()

    def count() -> None:
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    before = counted[0]
    fair.fit(x)
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
fair = OrthogonalToBias(sensitive_feature_ids=list(range(6000)))
x = np.random.default_rng(0).normal(size=(6200, 6002))
say()
fair.fit(x)
""",
    "dependence": """
from plumbline.metrics import dependence
x = np.random.default_rng(0).normal(size=(4100, 4000))
say()
dependence(x, x[:, 0])
""",
    "certificate": """
x = np.random.default_rng(0).normal(size=(4100, 4001))
fair = OrthogonalToBias(sensitive_feature_ids=[0]).fit(x)
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
