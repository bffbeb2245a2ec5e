"""Model files and certificates of older versions are read: the files in `old/` were written by the programs of then."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import plumbline
import pytest
from plumbline import Certificate

from cli import tool

OLD = Path(__file__).parent / "old"
NEW_NAMES = {"max_correlation": "correlation", "max_explained": "explained", "canonical_correlations": "canonical"}


def renamed(value: Any) -> Any:
    """With the names of today, and without what seals a file."""
    if isinstance(value, list):
        return [renamed(one) for one in value]
    if not isinstance(value, dict):
        return value
    sealed = ("version", "checksum")
    return {NEW_NAMES.get(name, name): renamed(one) for name, one in value.items() if name not in sealed}


def unsealed(text: str) -> dict[str, Any]:
    return {name: value for name, value in json.loads(text).items() if name not in ("version", "checksum")}


@pytest.mark.parametrize("version", [1, 2])
def test_old_models_say_what_they_said(version):
    path = OLD / f"model_{version}.json"
    old = json.loads(path.read_text())
    assert old["version"] == version
    assert NEW_NAMES.keys() == old["certificate"]["before"].keys()
    new = plumbline.load_model(path).to_json()
    assert json.loads(new)["version"] > version
    expected = renamed(old)
    expected["options"]["remove"] = expected["certificate"]["removed"] = "mean"  # there was nothing else
    assert unsealed(new) == expected


@pytest.mark.parametrize("version", [1, 2])
def test_the_command_line_applies_old_models(tmp_path, version):
    path = OLD / f"model_{version}.json"
    fair = plumbline.load_model(path)
    rng = np.random.default_rng(version)
    columns = {"s": rng.normal(size=30), "x": rng.normal(size=30), "y": rng.normal(size=30)}
    table = pd.DataFrame(columns).assign(town=rng.choice(["b", "c"], 30), rare=rng.integers(0, 2, 30))
    table = table[[*fair.feature_names_in_]] if hasattr(fair, "feature_names_in_") else table
    out = pd.read_csv(_transformed(path, table, tmp_path))
    names = fair.get_feature_names_out().tolist()
    assert np.allclose(out[names], fair.transform(table)[names], rtol=0, atol=1e-12)


def _transformed(model: Path, table: pd.DataFrame, folder: Path) -> Path:
    done = tool.run("transform", "-m", model, "-i", tool.write(table, folder / "t.csv"), "-o", folder / "o.csv")
    assert done.code == 0, done.err
    return folder / "o.csv"


def test_old_certificates_say_what_they_said():
    text = (OLD / "certificate_1.json").read_text()
    again = Certificate.from_json(text)
    assert unsealed(again.to_json()) == renamed(json.loads(text)) | {"removed": "mean"}
    model = json.loads((OLD / "model_2.json").read_text())["certificate"]
    assert again.before.correlation.value == model["before"]["max_correlation"]["value"]
    assert again.before.explained.value == model["before"]["max_explained"]["value"]
    assert again.before.canonical.tolist() == model["before"]["canonical_correlations"]
