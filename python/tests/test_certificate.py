"""What `certificate_` says of a fit."""

from __future__ import annotations

import numpy as np
import pytest
from plumbline import OrthogonalToBias


@pytest.mark.parametrize("expand", [None, "powers=2"])
def test_a_small_table_has_canonical_correlations(expand):
    rng = np.random.default_rng(3)
    b = rng.normal(size=(300, 2))
    a = b @ rng.normal(size=(2, 4)) + rng.normal(size=(300, 4))
    found = OrthogonalToBias(expand=expand).fit(a, sensitive_features=b).certificate_
    if expand is None:
        x, y = (np.linalg.qr(m - m.mean(axis=0))[0] for m in (a, b))
        np.testing.assert_allclose(found.before.canonical, np.linalg.svd(x.T @ y)[1], atol=1e-12)
    assert max(found.after.canonical) < 1e-12
    assert len(found.after.canonical) == len(found.before.canonical) > 0


def largest_correlation(x, b):
    x, b = (np.asarray(m, dtype=np.longdouble) for m in (x, b))
    x, b = x - x.mean(axis=0), b - b.mean(axis=0)
    scale = np.sqrt((x**2).sum(axis=0))[:, None] * np.sqrt((b**2).sum(axis=0))
    return float((abs(x.T @ b) / scale).max())


@pytest.mark.parametrize("mean", [0, 1000])
def test_what_is_measured_is_what_is_returned(mean):
    """float32 columns come back as float32, and their rounding is part of the certificate."""
    rng = np.random.default_rng(4)
    b = rng.normal(size=(500, 2))
    a = b @ rng.normal(size=(2, 4)) + rng.normal(size=(500, 4)) + mean
    for dtype in (np.float64, np.float32):
        x, s = a.astype(dtype), b.astype(dtype)
        ours = OrthogonalToBias().fit(x, sensitive_features=s)
        fair = ours.transform(x, sensitive_features=s)
        assert fair.dtype == dtype
        measured = ours.certify(x, sensitive_features=s)
        # a certificate reads each row once, in doubles
        assert measured.after.correlation.value == pytest.approx(largest_correlation(fair, s), rel=1e-3, abs=1e-15)
        assert any("32-bit" in note for note in measured.notes) == (dtype == np.float32)


def test_a_certificate_that_cannot_be_written_is_refused():
    rng = np.random.default_rng(5)
    b, a = rng.normal(size=(40, 1)), rng.normal(size=(40, 2))
    ours = OrthogonalToBias().fit(a, sensitive_features=b)
    for size in (1e140, 1e152, 1e155, 1e200, 1e307):
        try:
            found = ours.certify(a * size, sensitive_features=b)
        except ValueError as refused:
            assert "a double" in str(refused)  # noqa: PT017
        else:
            type(found).from_json(found.to_json())
