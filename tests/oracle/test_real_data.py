"""The published data sets, read from PLUMBLINE_DATA_DIR: orthogonal, and the residual of least squares."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import numpy as np
import pytest

from . import reference as ref
from .library import Case, Matrix

ORTHOGONAL = 1e-8  # what a certificate promises


def data_file(name: str) -> Path:
    folder = os.environ.get("PLUMBLINE_DATA_DIR")
    if folder is None:
        pytest.skip("PLUMBLINE_DATA_DIR is not set; set it to the folder that holds " + name)
    return Path(folder) / name


def compas() -> Case:
    features = ["age", "juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count"]
    races = ["African-American", "Caucasian", "Hispanic"]
    with data_file("compas-scores-two-years.csv").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["race"] in races]
    assert len(rows) == 6787
    b = np.hstack([ref.one_hot(np.array([row[name] for row in rows])) for name in ("race", "sex")])
    return Case(np.array([[float(row[name]) for name in features] for row in rows]), b)


def communities() -> Case:
    """128 columns without a header: five that identify, 122 numbers of which the third is racepctblack, the target."""
    with data_file("communities.data").open(newline="", encoding="utf-8") as file:
        rows = [row[5:-1] for row in csv.reader(file)]
    x: Matrix = np.array([[0.0 if cell == "?" else float(cell) for cell in row] for row in rows])
    assert x.shape == (1994, 122)
    return Case(np.delete(x, 2, axis=1), x[:, [2]])


@pytest.mark.parametrize("load", [compas, communities])
def test_residual_of_least_squares_and_orthogonal(oracle, load):
    case = load()
    work = ref.work(case)
    (result,) = oracle([case])
    assert work.distance(result.fair, work.back(work.r)) <= work.regression_error < 1e-9
    assert ref.max_correlation(result.fair, case.b) <= ORTHOGONAL
    assert result.certificate["after"]["correlation"]["value"] <= ORTHOGONAL


@pytest.mark.parametrize("load", [compas, communities])
def test_every_kind_of_fit_is_orthogonal(oracle, load):
    case = load()
    k = 3
    kinds = [{"rank": k}, {"rank": k, "basis": "paper"}, {"rank": k, "method": "sob"}, {"mode": "blind"}]
    cases = [case.asking(**kind) for kind in kinds]
    for result in oracle(cases):
        assert ref.max_correlation(result.fair, case.b) <= ORTHOGONAL
