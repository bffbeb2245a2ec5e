"""The package with nothing but NumPy and scikit-learn."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BLOCK = """
import sys
class Blocked:
    names = {"pandas", "polars", "pyarrow", "matplotlib", "tqdm"}
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.names:
            raise ImportError(name + " is not installed")
sys.meta_path.insert(0, Blocked())
"""

PROGRAM = (
    BLOCK
    + """
import pickle
import numpy as np
import plumbline
from plumbline import datasets, methods, metrics, moments, plot
from plumbline import OrthogonalToBias, SparseOrthogonalToBias
x = np.random.default_rng(0).normal(size=(50, 6))
for make in (OrthogonalToBias, SparseOrthogonalToBias):
    fair = make(sensitive_feature_ids=[0], n_components=2)
    out = fair.fit_transform(x, progress=True)
    assert fair.certificate_.holds()
    assert np.array_equal(pickle.loads(pickle.dumps(fair)).transform(x), out)
text = np.array(["a", "b"] * 25)
assert OrthogonalToBias().fit(x, sensitive_features=text).certificate_.holds()
methods.FairClassifier(method="FLAP_2(M)").fit(x, x[:, 0] > 0, sensitive_features=text)
assert metrics.distance_correlation(x, x) > 0.99
assert moments.Moments().update(x, x[:, 0]).rows == 50
for call, words in (
    (lambda: plot.trade_off([1], [1], ["OB"]), "plots need matplotlib; install it with: pip install matplotlib"),
    *((load, "the data are frames of pandas; install it with: pip install pandas") for load in (
        lambda: datasets.make_loan(10),
        lambda: datasets.make_insurance(10),
        lambda: datasets.loan_counterfactual(["r0"]),
        lambda: datasets.insurance_counterfactual([0.0]),
        datasets.load_adult,
        datasets.load_compas,
        datasets.load_crime,
    )),
):
    try:
        call()
    except ImportError as error:
        assert words in str(error), error
    else:
        raise AssertionError(words)
assert not {"pandas", "polars", "pyarrow", "matplotlib"} & set(sys.modules)
"""
)


def test_the_package_works_alone():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_nothing_is_imported_needlessly():
    """Beyond what scikit-learn imports by itself."""
    program = (
        "import sys, sklearn.linear_model; before = set(sys.modules); import plumbline; "
        "print(sorted({'pandas', 'polars', 'pyarrow', 'matplotlib', 'tqdm'} & (set(sys.modules) - before)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_first_example_of_the_readme_runs_alone():
    page = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
    first = page.partition("```python\n")[2].partition("```")[0]
    assert "fit_transform" in first
    done = subprocess.run([sys.executable, "-c", BLOCK + first], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Certificate" in done.stdout
