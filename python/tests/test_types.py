"""Programs of users under mypy --strict."""

from __future__ import annotations

import pytest

PROGRAM = """
from typing import assert_type

import numpy as np
import pandas as pd
from plumbline import Certificate, OrthogonalToBias, SparseOrthogonalToBias, load_model, plot
from plumbline.datasets import make_loan
from plumbline.methods import DistributionGenerator, FairClassifier, FairRegressor
from plumbline.metrics import counterfactual_gap, counterfactual_predictions, dependence, group_means
from plumbline.moments import Moments

loans = make_loan(100)
assert_type(loans, pd.DataFrame)
fair = OrthogonalToBias(sensitive_feature_ids="race", n_components=0.9)
assert_type(fair.fit(loans), OrthogonalToBias)
assert_type(fair.partial_fit(loans), OrthogonalToBias)
assert_type(fair.fit_moments(Moments()), OrthogonalToBias)
assert_type(fair.certify(loans), Certificate)
assert_type(fair.certificate_, Certificate)
assert_type(fair.certificate_.before.correlation.value, float)
assert_type(load_model("model.json"), OrthogonalToBias | SparseOrthogonalToBias)
assert_type(SparseOrthogonalToBias.from_json(fair.to_json()), SparseOrthogonalToBias)
X, race = loans[["income"]], loans["race"]
assert_type(FairClassifier().fit(X, loans["approved"], sensitive_features=race), FairClassifier)
assert_type(OrthogonalToBias(remove="distribution", order=["income"], random_state=1).fit(loans), OrthogonalToBias)
scores = FairRegressor(on="scores").fit(X, loans["education"], sensitive_features=race)
assert_type(scores, FairRegressor)
assert_type(scores.certificate_, Certificate)
assert_type(DistributionGenerator(regions=4).fit(X, sensitive_features=race), DistributionGenerator)
assert_type(Moments().update(np.ones((3, 2)), np.ones(3)) + Moments(), Moments)
assert_type(group_means(loans["approved"], sensitive_features=race), dict[str, float])
assert_type(dependence(X, loans["education"]).correlation, float)
said = counterfactual_predictions(lambda a, groups: a[:, 0], X, sensitive_features=race, training=(X, race))
assert_type(counterfactual_gap(said), float)
plot.certificate(fair.certificate_)
plot.probe(fair.certify(loans, probe="full"))
if (probe := fair.certificate_.probe) is not None and (most := probe.most_exposed(linear_only=True)) is not None:
    assert_type(most.column.after[0].value, float)
    assert_type(most.attacker, str)
    assert_type(probe.columns[0].read_as, str)
"""


def test_a_program_is_typed(tmp_path, pytestconfig):
    api = pytest.importorskip("mypy.api")
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    cache = pytestconfig.cache.mkdir("mypy") if pytestconfig.cache else tmp_path
    said, _, code = api.run(["--strict", "--python-version=3.11", "--config-file=", f"--cache-dir={cache}", str(path)])
    assert code == 0, said
