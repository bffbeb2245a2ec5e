"""Rows that lack a cell, where they are dropped: NaN in the result, which is said."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from people import numbers
from plumbline import OrthogonalToBias
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline


def test_what_is_dropped_is_said_before_a_later_step_fails():
    x = numbers(60)
    x[[3, 8], 2] = np.nan
    pipeline = make_pipeline(OrthogonalToBias(sensitive_feature_ids=[0], missing="drop"), LinearRegression())
    words = "missing='drop' leaves 2 of 60 rows NaN, which lack a cell; .* use missing='mean'"
    with pytest.warns(UserWarning, match=words), pytest.raises(ValueError, match="NaN"):
        pipeline.fit(x, x[:, 1])


def test_nothing_is_said_where_nothing_is_dropped():
    x = numbers(60)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        OrthogonalToBias(sensitive_feature_ids=[0], missing="drop").fit_transform(x)
