"""Sentences for bad input: scikit-learn's where it has one, else those of the command line."""

from __future__ import annotations

import gzip
import warnings

import numpy as np
import pandas as pd
import plumbline
import pytest
from people import mixed, numbers
from plumbline import OrthogonalToBias, SparseOrthogonalToBias
from plumbline.moments import Moments
from sklearn.exceptions import NotFittedError

X = numbers(60)
TABLE = pd.DataFrame(X, columns=["age", "income", *(f"x{j}" for j in range(5))])


def test_not_fitted():
    for call in (
        lambda fair: fair.transform(X),
        lambda fair: fair.certificate_,
        lambda fair: fair.get_feature_names_out(),
        lambda fair: fair.to_json(),
    ):
        with pytest.raises(NotFittedError, match="This OrthogonalToBias instance is not fitted yet"):
            call(OrthogonalToBias(sensitive_feature_ids=[0]))


def test_feature_names():
    fair = OrthogonalToBias(sensitive_feature_ids=["age"]).fit(TABLE)
    with pytest.raises(ValueError, match=r"(?s)The feature names should match those that were passed during fit.*y1"):
        fair.transform(TABLE.rename(columns={"x1": "y1"}))
    with pytest.raises(ValueError, match="Feature names must be in the same order as they were in fit"):
        fair.transform(TABLE[TABLE.columns[::-1]])
    with pytest.warns(UserWarning, match="X does not have valid feature names, but OrthogonalToBias was fitted with"):
        fair.transform(X)
    with pytest.raises(ValueError, match="X has 9 features, but OrthogonalToBias is expecting 7 features as input"):
        OrthogonalToBias(sensitive_feature_ids=[0]).fit(X).transform(np.ones((3, 9)))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("column", [0, 4])
def test_cells_that_are_not_finite(value, column):
    bad = X.copy()
    bad[5, column] = value
    words = "Input X contains NaN" if np.isnan(value) else "Input X contains infinity"
    fitted = OrthogonalToBias(sensitive_feature_ids=[0]).fit(X)
    frame = pd.DataFrame(bad, columns=TABLE.columns)
    for call in (
        lambda: OrthogonalToBias(sensitive_feature_ids=[0]).fit(bad),
        lambda: OrthogonalToBias(sensitive_feature_ids=[0], expand="powers=2").fit(bad),
        lambda: OrthogonalToBias(sensitive_feature_ids=[0]).partial_fit(bad),
        lambda: fitted.transform(bad),
        lambda: OrthogonalToBias(sensitive_feature_ids=[0]).fit(frame),
    ):
        with pytest.raises(ValueError, match=words):
            call()
    assert np.isfinite(fitted.transform(X)).all()


def test_nothing_is_left_of_a_fit_that_failed():
    chunked = OrthogonalToBias(sensitive_feature_ids=[0]).partial_fit(X)
    before = chunked.to_json()
    bad = X.copy()
    bad[3, 3] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        chunked.partial_fit(bad)
    assert chunked.to_json() == before


def test_a_refit_that_failed_changes_nothing():
    bad = X[:, :3].copy()
    bad[3, 1] = np.nan
    gap = X.copy()
    gap[0, 3] = np.nan
    dropping = OrthogonalToBias(sensitive_feature_ids=[0], missing="drop").fit(gap)
    constant = gap.copy()
    constant[:, 0] = 1
    constant[:5, 4] = np.nan
    for fair, table in (
        (OrthogonalToBias(sensitive_feature_ids=[0]).fit(X), bad),
        (OrthogonalToBias(sensitive_feature_ids=["age"]).fit(TABLE), TABLE.iloc[:, :3] * np.nan),
        (dropping, constant),
    ):
        before = dict(vars(fair))
        for again in (fair.fit, fair.fit_transform):
            with pytest.raises(ValueError, match=r"NaN|constant"):
                again(table)
            assert vars(fair) == before
    assert dropping.n_dropped_ == 1
    new = OrthogonalToBias(sensitive_feature_ids=[0])
    with pytest.raises(ValueError, match="NaN"):
        new.partial_fit(bad)
    assert not hasattr(new, "n_features_in_")


@pytest.mark.parametrize("missing", ["error", "drop", "mean"])
def test_results_that_leave_the_range_of_their_type(missing):
    fair = OrthogonalToBias(sensitive_feature_ids=[0], missing=missing).fit(X)
    large = X.astype(np.float32)
    large[5, 0] = 3e38
    large[5, 1:] = -3e38
    if missing != "error":
        large[7, 3] = np.nan
    with pytest.raises(ValueError, match="so large that the result leaves the range of"):
        fair.transform(large)
    large[5] = large[4]
    assert fair.transform(large).dtype == np.float32


def test_a_certificate_of_rows_with_missing_cells():
    table = mixed()
    table.loc[3, "age"] = np.nan
    table.loc[5, "race"] = None
    for missing, rows in (("mean", len(table)), ("drop", len(table) - 2)):
        fair = OrthogonalToBias(sensitive_feature_ids=["race", "age"], missing=missing).fit(table)
        assert fair.certify(table).rows == rows
        assert fair.certify(table).after.correlation.value < 1e-12


def test_missing_category():
    table = mixed()
    table.loc[4, "race"] = None
    with pytest.raises(ValueError, match=r"row 4, column 'race': the cell is missing; missing='drop' leaves such rows"):
        OrthogonalToBias(sensitive_feature_ids=["race"]).fit(table)


def test_unknown_category_and_kind():
    table = mixed()
    fair = OrthogonalToBias(sensitive_feature_ids=["race"]).fit(table)
    other = table.assign(race=["Martian", *table["race"][1:]])
    with pytest.raises(ValueError, match="row 0, column 'race': 'Martian' is a category that the fit has not seen"):
        fair.transform(other)
    with pytest.raises(ValueError, match="column 'age' was a number in fit, and is a category here"):
        fair.transform(table.assign(age="old"))


def test_sensitive_column_absent_in_transform():
    fair = OrthogonalToBias(sensitive_feature_ids=["age", "income"]).fit(TABLE)
    with pytest.raises(ValueError, match=r"X lacks sensitive columns of the model: 'age'; .* mode='blind' would not"):
        fair.transform(TABLE.drop(columns="age"))
    with pytest.raises(ValueError, match=r"X has 5 features, but .* is expecting 7 .* mode='blind' would not"):
        OrthogonalToBias(sensitive_feature_ids=[0, 1]).fit(X).transform(X[:, 2:])
    apart = OrthogonalToBias().fit(X[:, 2:], sensitive_features=X[:, :2])
    with pytest.raises(ValueError, match=r"not given as sensitive_features; .* mode='blind' would not"):
        apart.transform(X[:, 2:])
    for blind in (
        OrthogonalToBias(sensitive_feature_ids=["age", "income"], mode="blind").fit(TABLE),
        OrthogonalToBias(mode="blind").fit(TABLE.iloc[:, 2:], sensitive_features=TABLE[["age", "income"]]),
    ):
        out = blind.transform(TABLE.drop(columns=["age", "income"]))
        assert list(out.columns) == [f"x{j}" for j in range(5)]


def test_sensitive_columns_absent_of_a_blind_fit():
    blind = OrthogonalToBias(sensitive_feature_ids=["age", "income"], mode="blind").fit(TABLE)
    with pytest.raises(ValueError, match=r"^X lacks sensitive columns of the model: 'age', 'income'; a certificate"):
        blind.certify(TABLE.iloc[:, 2:])
    with pytest.raises(ValueError, match=r"^X has some sensitive columns and not age; in blind mode give all of them"):
        blind.transform(TABLE.drop(columns="age"))
    with pytest.raises(ValueError, match=r"X has 5 features, but .*; a certificate needs them$"):
        OrthogonalToBias(sensitive_feature_ids=[0, 1], mode="blind").fit(X).certify(X[:, 2:])
    with pytest.raises(ValueError, match=r"not given as sensitive_features; a certificate needs them$"):
        OrthogonalToBias(mode="blind").fit(X[:, 2:], sensitive_features=X[:, :2]).certify(X[:, 2:])


def test_names_of_sensitive_columns():
    for ids, words in (
        (["agee"], "sensitive_feature_ids names 'agee', and there is no such column; did you mean 'age'?"),
        ([9], "sensitive_feature_ids has 9; X has columns 0 to 6"),
        ([], "sensitive_feature_ids is empty"),
        ([1.5], "sensitive_feature_ids has 1.5; it must be a column's name or position"),
        (None, "nothing is sensitive; name columns of X in sensitive_feature_ids, or give sensitive_features"),
    ):
        with pytest.raises(ValueError) as caught:
            OrthogonalToBias(sensitive_feature_ids=ids).fit(TABLE)
        assert words in str(caught.value)
    with pytest.raises(ValueError, match="names 'age', and X has no column names; give its position"):
        OrthogonalToBias(sensitive_feature_ids=["age"]).fit(X)
    with pytest.raises(ValueError, match="there is no feature to change"):
        OrthogonalToBias(sensitive_feature_ids=list(TABLE.columns)).fit(TABLE)


def test_a_bare_string_is_one_column():
    one = OrthogonalToBias(sensitive_feature_ids="age").fit_transform(TABLE)
    pd.testing.assert_frame_equal(one, OrthogonalToBias(sensitive_feature_ids=["age"]).fit_transform(TABLE))
    named_by_letters = TABLE.rename(columns={"x0": "a", "x1": "g", "x2": "e"})
    assert list(OrthogonalToBias(sensitive_feature_ids="age").fit_transform(named_by_letters).columns)[1] == "a"


def test_columns_that_are_given_twice():
    with pytest.raises(ValueError, match="column 'age' is in X and in sensitive_features"):
        OrthogonalToBias().fit(TABLE, sensitive_features=TABLE[["age"]])
    with pytest.raises(ValueError, match="sensitive_features and sensitive_feature_ids are both given"):
        OrthogonalToBias(sensitive_feature_ids=["income"]).fit(TABLE, sensitive_features=X[:, 0])
    with pytest.raises(ValueError, match="X: more than one column is named 'age'; rename all but one"):
        OrthogonalToBias(sensitive_feature_ids="age").fit(TABLE.rename(columns={"x0": "age"}))


def test_lengths():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        OrthogonalToBias().fit(X, sensitive_features=X[:10, :1])
    with pytest.raises(ValueError, match=r"sample_weight.shape == \(10,\), expected \(60,\)"):
        OrthogonalToBias(sensitive_feature_ids=[0]).fit(X, sample_weight=np.ones(10))
    with pytest.raises(ValueError, match="weight"):
        OrthogonalToBias(sensitive_feature_ids=[0]).fit(X, sample_weight=-np.ones(60))


def test_parameters():
    for make, parameters, words in (
        (OrthogonalToBias, {"alpha": 2}, "The 'alpha' parameter of OrthogonalToBias must be"),
        (OrthogonalToBias, {"n_components": 0}, "The 'n_components' parameter"),
        (OrthogonalToBias, {"basis": "best"}, "The 'basis' parameter"),
        (SparseOrthogonalToBias, {"l1_bound": 0.5}, "The 'l1_bound' parameter"),
        (OrthogonalToBias, {"expand": "splines=2"}, "expand splines is '2'; it must be a whole number from 3 to 1000"),
        (OrthogonalToBias, {"expand": {"waves": 2}}, "expand is 'waves=2'; it must be one of"),
    ):
        with pytest.raises(ValueError) as caught:
            make(sensitive_feature_ids=[0], **parameters).fit(X)
        assert words in str(caught.value)


def test_nothing_to_be_orthogonal_to():
    with pytest.raises(ValueError, match="every sensitive column is constant: there is nothing to be orthogonal to"):
        OrthogonalToBias(sensitive_feature_ids=[0]).fit(np.hstack([np.ones((60, 1)), X]))


def test_what_chunks_cannot_know():
    with pytest.raises(AttributeError) as caught:
        OrthogonalToBias(sensitive_feature_ids=[0], expand="powers=2").partial_fit(X)
    assert "expand needs all rows at once" in str(caught.value.__cause__)
    for parameters, words in (({"n_components": 2}, "n_components=2"), ({"mode": "blind"}, "mode='blind'")):
        moments = Moments(full=False).update(X[:, 1:], X[:, 0])
        late = OrthogonalToBias().fit_moments(moments).set_params(**parameters)
        with pytest.raises(ValueError, match=f"^{words} needs products .* set it before the first chunk$"):
            late.partial_fit(X[:, 1:], sensitive_features=X[:, 0])
        assert late.certificate_.rows == len(X)  # as it was
    gap = X.copy()
    gap[0, 3] = np.nan
    with pytest.raises(ValueError, match="missing cells cannot become a mean that later chunks still change"):
        OrthogonalToBias(sensitive_feature_ids=[0], missing="mean").partial_fit(gap)
    with pytest.raises(ValueError, match="fitted to all rows at once and cannot take up more"):
        OrthogonalToBias(sensitive_feature_ids=[0], expand="powers=2").fit(X).set_params(expand=None).partial_fit(X)


def test_chunks_with_other_sensitive_columns():
    a, b = TABLE.iloc[:, 2:], TABLE[["age", "income"]]
    for other, words in (
        (
            b[["income", "age"]],
            r"sensitive_features has the columns \['income', 'age'\]; the fit had \['age', 'income'\]",
        ),
        (b.rename(columns={"age": "agee"}), r"sensitive_features has the columns \['agee', 'income'\]"),
        (b[["age"]], "sensitive_features has 1 columns; the fit had 2"),
        (X[:, :1], "sensitive_features has 1 columns; the fit had 2"),
    ):
        chunked = OrthogonalToBias().partial_fit(a, sensitive_features=b)
        before = chunked.to_json()
        with pytest.raises(ValueError, match=words):
            chunked.partial_fit(a, sensitive_features=other)
        assert chunked.to_json() == before
    named = OrthogonalToBias(sensitive_feature_ids=["age"]).partial_fit(TABLE)
    with pytest.raises(ValueError, match=r"chooses the columns \['income'\]; earlier chunks had \['age'\]"):
        named.set_params(sensitive_feature_ids=["income"]).partial_fit(TABLE)
    with pytest.raises(ValueError, match="sensitive_features is given, and was not given with earlier chunks"):
        named.set_params(sensitive_feature_ids=None).partial_fit(TABLE, sensitive_features=X[:, 0])
    named.set_params(sensitive_feature_ids=[0])
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        named.partial_fit(X)
    assert named.certificate_.rows == 120
    assert list(named.transform(TABLE).columns) == list(TABLE.columns[1:])


def test_sensitive_columns_with_names_and_without():
    a, b = X[:, 2:], TABLE[["age", "income"]]
    expected = OrthogonalToBias().fit_transform(a, sensitive_features=b.to_numpy())
    for first, then, words in (
        (b.to_numpy(), b, "sensitive_features has feature names, but OrthogonalToBias was fitted without"),
        (b, b.to_numpy(), "sensitive_features does not have valid feature names, but OrthogonalToBias was fitted with"),
        (b, b.to_numpy().tolist(), "sensitive_features does not have valid feature names"),
        (b.rename(columns={"age": "b1", "income": "b0"}), b.to_numpy(), "does not have valid feature names"),
    ):
        fair = OrthogonalToBias().fit(a, sensitive_features=first)
        for one in (fair, OrthogonalToBias.from_json(fair.to_json())):
            with pytest.warns(UserWarning, match=words):
                assert np.array_equal(one.transform(a, sensitive_features=then), expected)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                one.transform(a, sensitive_features=first)
        if first is not b and isinstance(first, pd.DataFrame):
            with pytest.raises(ValueError, match=r"has the columns \['b0', 'b1'\]; the fit had \['b1', 'b0'\]"):
                fair.transform(a, sensitive_features=first[["b0", "b1"]])


def test_files(tmp_path):
    text = OrthogonalToBias(sensitive_feature_ids=[0]).fit(X).to_json()
    for bad in (text[:-30], text.replace("0.", "1.", 1), "{}", "nonsense"):
        with pytest.raises(ValueError):
            OrthogonalToBias.from_json(bad)
        (tmp_path / "bad.json").write_text(bad)
        with pytest.raises(ValueError, match=r"bad.json: "):
            plumbline.load_model(tmp_path / "bad.json")
    for number, bad in enumerate((b"\xff\xfe\x00", text.encode().replace(b"x1", b"\xff1"))):
        (tmp_path / f"{number}.json").write_bytes(bad)
        with pytest.raises(plumbline.Error, match=rf"{number}.json: "):
            plumbline.load_model(tmp_path / f"{number}.json")
    (tmp_path / "cut.json.gz").write_bytes(gzip.compress(text.encode())[:-20])
    with pytest.raises(plumbline.Error, match=r"cut.json.gz' is cut short"):
        plumbline.load_model(tmp_path / "cut.json.gz")
    with pytest.raises(ValueError, match="the model is of method ob, which SparseOrthogonalToBias is not"):
        SparseOrthogonalToBias.from_json(text)
    with pytest.raises(FileNotFoundError):
        plumbline.load_model(tmp_path / "none.json")
    with pytest.raises(plumbline.Error):
        OrthogonalToBias.from_json("{}")
    assert issubclass(plumbline.Error, ValueError)
