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
