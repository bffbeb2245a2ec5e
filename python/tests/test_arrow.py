"""Arrow's types beyond those that tables usually have."""

import numpy as np
import pandas as pd
import pytest
from plumbline import OrthogonalToBias

pa = pytest.importorskip("pyarrow")


def people():
    rng = np.random.default_rng(3)
    return pd.DataFrame({"b": rng.normal(size=60), "a": rng.normal(size=60), "k": pd.Categorical([7, -1, 30] * 20)})


def test_dictionaries_of_integers_are_the_categories_that_pandas_has():
    frame = people()
    ours = OrthogonalToBias(sensitive_feature_ids=["b", "k"])
    expected = ours.fit_transform(frame)
    found = ours.fit_transform(pa.table(frame))
    assert found.column_names == list(expected.columns)
    np.testing.assert_array_equal(found.to_pandas().to_numpy(), expected.to_numpy())


def test_dictionaries_of_other_numbers_are_refused_by_their_own_type():
    table = pa.table(people()).set_column(2, "k", pa.array([0.5, 1.5, 2.5] * 20).dictionary_encode())
    with pytest.raises(ValueError, match="column 'k' is a dictionary of Arrow type 'g'"):
        OrthogonalToBias(sensitive_feature_ids=["b", "k"]).fit(table)
