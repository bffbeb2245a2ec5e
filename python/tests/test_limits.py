"""Numbers at the edges of what a fit takes: no weight, not finite, too large."""

import numpy as np
import pytest
from plumbline import OrthogonalToBias, SparseOrthogonalToBias


@pytest.mark.parametrize("parameters", [{}, {"expand": "powers=2"}, {"missing": "mean"}, {"n_components": 1}])
def test_weights_that_are_all_zero_are_refused(parameters):
    x = np.random.default_rng(5).normal(size=(20, 4))
    with pytest.raises(ValueError, match="every weight is zero"):
        OrthogonalToBias(sensitive_feature_ids=[0], **parameters).fit(x, sample_weight=np.zeros(20))


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_what_is_not_finite_is_missing_where_missing_cells_are_dropped_or_filled(value):
    """As the command line has it."""
    x = np.random.default_rng(6).normal(size=(40, 4))
    without = OrthogonalToBias(sensitive_feature_ids=[0]).fit(x[1:])
    x[0, 2] = value
    dropped = OrthogonalToBias(sensitive_feature_ids=[0], missing="drop").fit(x)
    assert dropped.n_dropped_ == 1
    np.testing.assert_allclose(dropped.coef_, without.coef_, atol=1e-12)
    assert np.isnan(dropped.transform(x)[0]).all()
    filled = OrthogonalToBias(sensitive_feature_ids=[0], missing="mean").fit(x)
    assert filled.n_filled_ == 1
    assert np.isfinite(filled.transform(x)).all()


def test_numbers_beyond_those_of_the_engine_are_refused_as_scikit_learn_does():
    x = np.random.default_rng(7).normal(size=(40, 4))
    with pytest.raises(ValueError, match="The 'n_components' parameter of OrthogonalToBias must be"):
        OrthogonalToBias(sensitive_feature_ids=[0], n_components=10**30).fit(x)
    with pytest.raises(ValueError, match="The 'max_iter' parameter of SparseOrthogonalToBias must be"):
        SparseOrthogonalToBias(sensitive_feature_ids=[0], n_components=2, max_iter=10**12).fit(x)
