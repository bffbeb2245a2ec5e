"""Pictures hold the numbers that they are of."""

from __future__ import annotations

import matplotlib

matplotlib.use("agg")

import numpy as np
import pandas as pd
import pytest
from people import numbers
from plumbline import OrthogonalToBias, plot


def test_correlation_map():
    x = pd.DataFrame(numbers(), columns=["age", "income", *"pqrst"])
    out = OrthogonalToBias(sensitive_feature_ids=["age", "income"]).fit_transform(x)
    figure = plot.correlation_map(x[list("pqrst")], out, x[["age", "income"]])
    before, after = (axis.images[0].get_array() for axis in figure.axes[:2])
    assert np.allclose(before, x.corr().loc[list("pqrst"), ["age", "income"]])
    assert np.abs(after).max() < 1e-12
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == list("pqrst")
    figure.canvas.draw()
    names, sensitive = np.array(list("abcde")), np.array(["u", "v"])
    figure = plot.correlation_map(
        x[list("pqrst")], out, x[["age", "income"]], feature_names=names, sensitive_names=sensitive
    )
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == list("abcde")


def test_a_missing_cell_costs_the_row_in_its_own_pairs_alone():
    x = pd.DataFrame(numbers(), columns=["age", "income", *"pqrst"])
    x.loc[3, "p"] = x.loc[5, "q"] = x.loc[7, "age"] = np.nan
    features, b = list("pqrst"), x[["age", "income"]]
    out = OrthogonalToBias(missing="drop").fit_transform(x[features], sensitive_features=b)
    assert out.isna().any(axis=None)
    figure = plot.correlation_map(x[features], out, b)
    before, after = (axis.images[0].get_array() for axis in figure.axes[:2])
    assert np.allclose(before, x.corr().loc[features, ["age", "income"]])
    assert np.abs(after).max() < 1e-12
    rough = plot.correlation_map(x[features], x[features].where(out.notna()), b)
    kept = x.dropna().corr().loc[features, ["age", "income"]]
    assert np.allclose(rough.axes[1].images[0].get_array(), kept)
    nothing = plot.correlation_map(x[features], out * np.nan, b)
    assert nothing.axes[1].images[0].get_array().mask.all()


def test_a_map_is_of_the_same_columns():
    x = numbers()
    with pytest.raises(ValueError, match="before has 5 columns and after has 4; they must be the same columns"):
        plot.correlation_map(x[:, 2:], x[:, 3:], x[:, 0])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        plot.correlation_map(x[:, 2:], x[1:, 2:], x[:, 0])


def test_certificate_and_trade_off():
    fair = OrthogonalToBias(sensitive_feature_ids=[0], n_components=2).fit(numbers())
    axis = plot.certificate(fair.certificate_)
    heights = [bar.get_height() for bar in axis.patches]
    assert heights[0] == pytest.approx(fair.certificate_.before.correlation.value)
    assert len(heights) == 6
    axis = plot.trade_off([0.9, 0.8], [0.3, 0.0], ["ML", "OB"])
    assert axis.collections[0].get_offsets().tolist() == [[0.3, 0.9], [0.0, 0.8]]
    assert [text.get_text() for text in axis.texts] == ["ML", "OB"]
    with pytest.raises(ValueError, match="each point has one each"):
        plot.trade_off([1], [1, 2], ["a"])


def test_probe():
    x = numbers(1500)
    fair = OrthogonalToBias(sensitive_feature_ids=[0, 1]).fit(x)
    made = fair.certificate_.probe
    axis = plot.probe(fair.certificate_)
    labels = [label.get_text() for label in axis.get_yticklabels()]
    assert sorted(labels) == ["x0", "x0, distance from median", "x1", "x1, distance from median"]
    for k, attacker in enumerate(made.attackers):
        drawn = dict(zip(labels, container_of(axis, f"{attacker}, before"), strict=True))
        for column in made.columns:
            name = column.name if column.read_as == "number" else f"{column.name}, distance from median"
            assert drawn[name] == pytest.approx(max(column.before[k].value, 0))
    axis.figure.canvas.draw()
    beside = plot.certificate(fair.certificate_).figure.axes
    assert len(beside) == 2
    assert len(plot.certificate(fair.certificate_, ax=beside[0]).figure.axes) == 2
    for certificate in (fair.set_params(probe="none").fit(x).certificate_, fair.fit(x[:50]).certificate_):
        assert len(plot.certificate(certificate).figure.axes) == 1
        with pytest.raises(ValueError, match="does not say what models can read back"):
            plot.probe(certificate)


def container_of(axis, label):
    return next(one for one in axis.containers if one.get_label() == label).lines[0].get_xdata()
