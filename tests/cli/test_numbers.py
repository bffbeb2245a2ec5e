"""What the tool computes, against NumPy."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

from . import tool
from .tool import columns, distance, max_correlation, residuals


@pytest.fixture
def table():
    return tool.numbers(400, seed=11)


@pytest.fixture
def file(table, tmp_path):
    return tool.write(table, tmp_path / "t.csv")


def standardised(table):
    a, b = columns(table, "x"), columns(table, "s")
    mean, scale = a.mean(axis=0), a.std(axis=0)
    return mean, scale, (a - mean) / scale, b - b.mean(axis=0)


def top(matrix, k):
    """The k eigenvectors of the largest eigenvalues."""
    return np.linalg.eigh(matrix)[1][:, ::-1][:, :k]


@pytest.mark.parametrize(("rows", "features", "sensitive"), [(400, 4, 2), (5, 3, 1), (3000, 1, 3), (50, 20, 10)])
def test_residuals_of_least_squares(tmp_path, rows, features, sensitive):
    table = tool.numbers(rows, seed=rows, features=features, sensitive=sensitive)
    names = ",".join(f"s{j}" for j in range(sensitive))
    found = tool.fitted_output(tool.write(table, tmp_path / "t.csv"), names)
    assert list(found.columns) == [f"x{j}" for j in range(features)]
    assert distance(found, residuals(columns(table, "x"), columns(table, "s"))) < 1e-9
    assert max_correlation(found, columns(table, "s")) <= tool.ORTHOGONAL


def test_collinear_sensitive_columns_are_normal(tmp_path, table):
    table["s2"] = table["s0"] - 2 * table["s1"]
    found = tool.fitted_output(tool.write(table, tmp_path / "t.csv"), "s*")
    assert distance(found, residuals(columns(table, "x"), columns(table, "s"))) < 1e-9


def test_model_applies_to_rows_that_the_fit_has_not_seen(tmp_path, table, file):
    model, later = tool.fit(file, "s*"), tool.numbers(100, seed=12)
    found = pd.read_csv(io.BytesIO(tool.transform(model, tool.write(later, tmp_path / "later.csv"))))
    a, b = columns(table, "x"), columns(table, "s")
    slopes, *_ = np.linalg.lstsq(b - b.mean(axis=0), a - a.mean(axis=0), rcond=None)
    assert distance(found, columns(later, "x") - (columns(later, "s") - b.mean(axis=0)) @ slopes) < 1e-9


@pytest.mark.parametrize("basis", ["optimal", "paper"])
@pytest.mark.parametrize("k", [1, 3])
def test_rank_and_scores(file, table, basis, k):
    mean, scale, a, b = standardised(table)
    r = residuals(a, b)
    u = top(r.T @ r if basis == "optimal" else a.T @ a, k)
    found = tool.fitted_output(file, "s*", "--rank", k, "--basis", basis)
    assert distance(found, mean + scale * (r @ u @ u.T)) < 1e-9
    model = tool.fit(file, "s*", "--rank", k, "--basis", basis)
    scores = pd.read_csv(io.BytesIO(tool.transform(model, file, "--scores")))
    assert list(scores.columns) == [f"score{j + 1}" for j in range(k)]
    sign = np.sign(np.sum(scores.to_numpy() * (r @ u), axis=0))
    assert distance(scores * sign, r @ u) < 1e-9


def test_rank_as_a_share_of_variance(file, table):
    _, _, a, b = standardised(table)
    r = residuals(a, b)
    share = np.cumsum(np.linalg.eigvalsh(r.T @ r)[::-1]) / np.sum(r * r)
    asked = f"{(share[0] + share[1]) / 2:.6f}"  # one dimension is too few, two are enough
    certificate = tool.load(tool.fit(file, "s*", "--rank", asked))["certificate"]
    assert certificate["rank"] == 2
    assert np.allclose(certificate["variance_by_rank"], share, rtol=1e-10)


def test_without_standardisation_features_weigh_by_their_variance(file, table):
    table["x0"] *= 100
    tool.write(table, file)
    a, r = columns(table, "x"), residuals(columns(table, "x"), columns(table, "s"))
    r = r - r.mean(axis=0)
    u = top(r.T @ r, 2)
    found = tool.fitted_output(file, "s*", "--rank", 2, "--no-standardize")
    assert distance(found, a.mean(axis=0) + r @ u @ u.T) < 1e-9


@pytest.mark.parametrize("alpha", [0, 0.3, 1])
def test_alpha_mixes_old_and_new(file, table, alpha):
    a, r = columns(table, "x"), residuals(columns(table, "x"), columns(table, "s"))
    assert distance(tool.fitted_output(file, "s*", "--alpha", alpha), alpha * r + (1 - alpha) * a) < 1e-9


def test_blind_is_the_smallest_change_by_features_alone(file, table, tmp_path):
    mean, scale, a, b = standardised(table)
    values, vectors = np.linalg.eigh(a.T @ a / len(a))
    root = vectors * np.sqrt(values) @ vectors.T
    inverse = np.linalg.inv(root)
    q, _ = np.linalg.qr(inverse @ a.T @ b)
    expected = mean + scale * (a - a @ (inverse @ q @ q.T @ root))
    model = tool.fit(file, "s*", "--mode", "blind")
    unseen = tool.write(table.drop(columns=["s0", "s1"]), tmp_path / "unseen.csv")
    out = tool.transform(model, unseen)
    assert distance(pd.read_csv(io.BytesIO(out)), expected) < 1e-9
    assert out == tool.transform(model, file), "the sensitive columns change nothing"


def test_expansion_removes_more_than_the_linear_part(file, table):
    table["x0"] += table["s0"] ** 2 + table["s0"] * table["s1"]
    tool.write(table, file)
    b = columns(table, "s") - columns(table, "s").mean(axis=0)
    phi = np.hstack([b, b**2, b[:, :1] * b[:, 1:]])
    found = tool.fitted_output(file, "s*", "--expand", "powers=2,interactions")
    assert distance(found, residuals(columns(table, "x"), phi)) < 1e-9


def test_terms_enter_where_a_bend_is_found_and_nowhere_else(file, table, tmp_path):
    straight = tool.load(tool.fit(file, "s*", "--expand", "auto", name="straight.json"))
    assert straight["map"].pop("expansion")["outputs"] == ["s0", "s1"], "the line alone"
    plain = tool.load(tool.fit(file, "s*"))["map"]
    assert straight["map"] == {name: part for name, part in plain.items() if name != "expansion"}
    assert "none enters" in straight["certificate"]["notes"][0]
    table["x0"] += table["s1"] ** 2
    model = tool.fit(tool.write(table, file), "s*", "--expand", "auto,powers=2,interactions")
    expansion = tool.load(model)["map"]["expansion"]
    assert expansion["outputs"] == ["s0", "s1", "s1^2"]
    assert "1 enters: s1 (" in tool.load(model)["certificate"]["notes"][0]
    b = columns(table, "s")
    phi = np.column_stack([b, b[:, 1] ** 2])
    later = tool.numbers(100, seed=12)
    found = pd.read_csv(io.BytesIO(tool.transform(model, tool.write(later, tmp_path / "later.csv"))))
    slopes, *_ = np.linalg.lstsq(phi - phi.mean(axis=0), columns(table, "x"), rcond=None)
    of_later = np.column_stack([columns(later, "s"), columns(later, "s")[:, 1] ** 2])
    assert distance(found, columns(later, "x") - (of_later - phi.mean(axis=0)) @ slopes) < 1e-8


def test_terms_are_chosen_with_categories_and_a_probe(tmp_path):
    rng = np.random.default_rng(7)
    n = 3000
    age, race = rng.normal(40, 10, n), rng.choice(["A", "B", "C"], n)
    x = ((age - 40) / 10) ** 2 + (race == "B") + rng.normal(size=n)
    frame = pd.DataFrame({"age": age, "race": race, "x": x, "town": rng.choice(["P", "Q"], n)})
    file = tool.write(frame, tmp_path / "t.csv")
    model = tool.load(tool.fit(file, "age,race", "--expand", "auto"))
    outputs = model["map"]["expansion"]["outputs"]
    assert outputs == ["age", "age:spline1", "age:spline2", "age:spline3", "race=A", "race=B", "race=C"]
    assert model["certificate"]["probe"]
    found = tool.fitted_output(file, "age,race", "--expand", "auto")
    assert abs(np.corrcoef(found["x"], (age - 40) ** 2)[0, 1]) < 0.2


def test_noise_in_sensitive_columns_is_taken_away_where_it_is_known(tmp_path):
    rng = np.random.default_rng(3)
    n = 20000
    true = rng.normal(50, 10, size=n)
    table = pd.DataFrame({"income": true + rng.normal(0, 5, size=n), "age": rng.normal(size=n)})
    table["x"] = 0.2 * true + table["age"] + rng.normal(size=n)
    table["y"], table["z"] = true + 10 * rng.normal(size=n), table["age"] + rng.normal(size=n)
    file = tool.write(table, tmp_path / "t.csv")

    def left(*flags):
        return abs(np.corrcoef(tool.fitted_output(file, "income,age", *flags)["x"], true)[0, 1])

    assert left() > 0.2
    assert left("--noise-b", "income=0.8,age=1") < 6 / np.sqrt(n)
    assert left("--mode", "blind") < 6 / np.sqrt(n)
    model = tool.fit(file, "income,age", "--noise-b", "income=0.8")
    assert "income 0.8" in tool.load(model)["certificate"]["notes"][0]
    flags = ("--input", file, "--output", tmp_path / "o.csv", "--check")
    assert tool.run("transform", "--model", model, *flags).code == 0


def test_bins_leave_no_difference_of_means_between_them(file, table):
    found = tool.fitted_output(file, "s0", "--features", "x*", "--expand", "bins=4", "--drop", "s1")
    bins = pd.qcut(table["s0"], 4, labels=False)
    means = found[["x0", "x1", "x2", "x3"]].groupby(bins).mean()
    assert np.ptp(means.to_numpy(), axis=0).max() < 1e-9


def test_sob_without_a_bound_that_binds_is_ob(file):
    found, expected = (
        tool.fitted_output(file, "s*", "--rank", 2, *options)
        for options in [("--method", "sob", "--l1", 2, "--tol", 1e-12), ()]  # 2 is the root of 4 features
    )
    assert distance(found, expected) < 1e-6


def test_sob_is_sparse_and_orthogonal(file, table):
    found = tool.fitted_output(file, "s*", "--method", "sob", "--rank", 1, "--l1", 1)
    assert max_correlation(found, columns(table, "s")) <= tool.ORTHOGONAL
    assert np.sum(found.std() > 1e-9) == 1, "a direction of 1-norm 1 has one feature"


def test_weights_are_repeated_rows(tmp_path, table):
    times = np.random.default_rng(13).integers(0, 4, len(table))
    weighted = tool.write(table.assign(w=times), tmp_path / "weighted.csv")
    repeated = tool.write(table.loc[table.index.repeat(times)], tmp_path / "repeated.csv")
    one = tool.load(tool.fit(weighted, "s*", "--weights", "w", name="one.json"))
    two = tool.load(tool.fit(repeated, "s*", name="two.json"))
    assert tool.differences(one["map"], two["map"], 1e-12) == []
    found = tool.fitted_output(weighted, "s*", "--weights", "w")
    assert distance(found.drop(columns="w"), residuals(columns(table, "x"), columns(table, "s"), times)) < 1e-9
    assert list(found["w"]) == list(times), "weights pass through"


def with_gaps(table):
    rng = np.random.default_rng(14)
    for name in ("s0", "x0", "x2"):
        table.loc[rng.choice(len(table), 25, replace=False), name] = np.nan
    return table


def test_missing_drop_leaves_rows_out(tmp_path, table):
    file, whole = tool.write(with_gaps(table), tmp_path / "t.csv", na_rep="NA"), table.dropna()
    done = tool.succeed(
        "fit", "--input", file, "--sensitive", "s*", "--missing", "drop", "--output", tmp_path / "o.csv", "--json"
    )
    found = pd.read_csv(tmp_path / "o.csv")
    assert distance(found, residuals(columns(whole, "x"), columns(whole, "s"))) < 1e-9
    assert (done.json["rows"], done.json["dropped"]) == (len(whole), len(table) - len(whole))
    assert f"{len(table) - len(whole)} rows" in done.err


def test_missing_mean_fills_in(tmp_path, table):
    file = tool.write(with_gaps(table), tmp_path / "t.csv", na_rep="?")
    filled = table.fillna(table.mean())
    found = tool.fitted_output(file, "s*", "--missing", "mean")
    assert distance(found, residuals(columns(filled, "x"), columns(filled, "s"))) < 1e-9
    done = tool.succeed("fit", "--input", file, "--sensitive", "s*", "--missing", "mean", "--json")
    assert done.json["filled"] == 75
    assert "75 missing cells" in done.err
    later = tool.numbers(20, seed=15)
    later.loc[3, "x0"] = np.nan
    model = tool.fit(file, "s*", "--missing", "mean")
    text = tool.transform(model, tool.write(later, tmp_path / "later.csv"))
    later.loc[3, "x0"] = table["x0"].mean()
    expected = tool.transform(model, tool.write(later, tmp_path / "later.csv"))
    apart = distance(pd.read_csv(io.BytesIO(text)), pd.read_csv(io.BytesIO(expected)))
    assert apart < 1e-12, "later gaps get the mean of the fit"


def test_missing_mean_of_weighted_rows(tmp_path, table):
    times = np.random.default_rng(16).integers(1, 4, len(table))
    table = with_gaps(table)
    mean = [np.average(c.dropna(), weights=times[c.notna()]) for _, c in table.items()]
    filled = table.fillna(dict(zip(table.columns, mean, strict=True)))
    file = tool.write(table.assign(w=times), tmp_path / "t.csv")
    found = tool.fitted_output(file, "s*", "--weights", "w", "--missing", "mean").drop(columns="w")
    assert distance(found, residuals(columns(filled, "x"), columns(filled, "s"), times)) < 1e-9


def test_numbers_have_the_shortest_text_that_reads_back(file):
    def digits(number):
        return len(number.split("e")[0].replace("-", "").replace(".", "").strip("0"))

    text = tool.transform(tool.fit(file, "s*"), file).decode()
    cells = [cell for line in text.splitlines()[1:] for cell in line.split(",")]
    assert len(cells) == 1600
    assert all(digits(cell) == digits(repr(float(cell))) for cell in cells)


def test_check_measures_later_rows(tmp_path, file):
    model = tool.fit(file, "s*")
    assert tool.run("transform", "-m", model, "-i", file, "-o", tmp_path / "o.csv", "--check").code == 0
    later = tool.numbers(100, seed=17)
    path = tool.write(later, tmp_path / "later.csv")
    done = tool.run("transform", "-m", model, "-i", path, "-o", tmp_path / "later-o.csv", "--check", "--json")
    left = max_correlation(pd.read_csv(tmp_path / "later-o.csv"), columns(later, "s"))
    assert left > 0.01, "other rows leave what chance does"
    assert (done.code, done.json["met"]) == (1, False)
    assert done.json["certificate"]["after"]["correlation"]["value"] == pytest.approx(left, rel=1e-9)
    args = ("transform", "-m", model, "-i", path, "-o", tmp_path / "o.csv", "--check", "--force", "--tolerance")
    assert [tool.run(*args, left * factor).code for factor in (1.01, 0.99)] == [0, 1]


def test_check_needs_sensitive_columns_that_vary(tmp_path, file):
    model = tool.fit(file, "s*")
    same = tool.numbers(20, seed=18)
    for name in same.columns[same.columns.str.startswith("s")]:
        same[name] = 1.5
    path = tool.write(same, tmp_path / "same.csv")
    done = tool.run("transform", "-m", model, "-i", path, "-o", tmp_path / "o.csv", "--check")
    assert done.code == 2
    assert "the sensitive columns of" in done.err
    assert "are constant, which cannot show a correlation; check more" in done.err
    assert not (tmp_path / "o.csv").exists()


def test_certificate_is_what_numpy_finds(file, table):
    found = tool.load(tool.fit(file, "s*"))["certificate"]
    a, b = columns(table, "x"), columns(table, "s")
    r = residuals(a, b)
    assert found["before"]["correlation"]["value"] == pytest.approx(max_correlation(a, b), rel=1e-10)
    explained = 1 - r.var(axis=0) / a.var(axis=0)
    assert found["before"]["explained"]["value"] == pytest.approx(explained.max(), rel=1e-10)
    scaled = (a - r) / a.std(axis=0)
    assert found["change"] == pytest.approx(np.linalg.norm(scaled) / np.sqrt(a.size), rel=1e-10)
    assert found["after"]["correlation"]["value"] <= tool.ORTHOGONAL


def test_export_writes_the_map_out(file, table):
    model = tool.fit(file, "s*", "--rank", 2)
    exported = tool.succeed("export", "--model", model, "--format", "json").json
    t_a, t_b = np.array(exported["t_a"]), np.array(exported["t_b"])
    found = exported["constant"] + columns(table, "x") @ t_a.T + columns(table, "s") @ t_b.T
    assert distance(found, tool.fitted_output(file, "s*", "--rank", 2)) < 1e-12
