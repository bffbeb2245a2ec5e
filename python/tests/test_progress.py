"""Bars change nothing but what is seen."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
from people import numbers
from plumbline import OrthogonalToBias


def test_a_bar_leaves_the_bits_alone(capfd):
    x = numbers(200_000)
    plain = OrthogonalToBias(sensitive_feature_ids=[0, 1], n_components=2)
    shown = OrthogonalToBias(sensitive_feature_ids=[0, 1], n_components=2)
    expected = plain.fit_transform(x)
    assert capfd.readouterr().err == ""
    assert np.array_equal(shown.fit_transform(x, progress=True), expected)
    seen = capfd.readouterr().err
    assert "fit: 100%" in seen
    assert "transform: 100%" in seen
    assert shown.to_json() == plain.to_json()


def test_bars_of_frames_streams_and_chunks(capfd):
    table = pd.DataFrame(numbers(1000), columns=[f"c{j}" for j in range(7)])
    reader = pa.Table.from_pandas(table).to_reader(max_chunksize=300)
    for call in (
        lambda fair: fair.fit(table, progress=True),
        lambda fair: fair.fit(reader, progress=True),
        lambda fair: fair.partial_fit(table, progress=True).transform(table, progress=True),
    ):
        call(OrthogonalToBias(sensitive_feature_ids=["c0"]))
        assert "1.00k" in capfd.readouterr().err
