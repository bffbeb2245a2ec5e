"""The edges of what can be computed: few rows, many columns, no variance, huge and tiny numbers."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

from . import tool
from .tool import columns, distance, max_correlation, residuals


def outputs(table, folder, *flags, code=0):
    """The certificate and what fit --output writes; a NaN in it is never right. The code is 1 where nothing is left."""
    file, out = tool.write(table, folder / "t.csv"), folder / "o.csv"
    done = tool.run("fit", "-i", file, "-s", "s*", "-o", out, "--json", "--force", *flags)
    assert done.code == code, done.err
    assert ("nothing is left of any feature" in done.err) == (code == 1)
    found = pd.read_csv(out, float_precision="round_trip")
    assert np.isfinite(found.to_numpy(float)).all()
    return done.json["certificate"], found


def refused_fit(refused, table, folder, *flags, says=()):
    file = tool.write(table, folder / "t.csv")
    both = ("-m", folder / "m.json", "-o", folder / "o.csv")
    return refused("fit", "-i", file, "-s", "s*", *flags, *both, says=says, outputs=("m.json", "o.csv"))


def test_one_row_has_no_variance(tmp_path, refused):
    refused_fit(refused, tool.numbers(1, seed=61), tmp_path, says=["constant"])


def test_two_rows_are_explained_in_full(tmp_path):
    table = tool.numbers(2, seed=62, sensitive=1)
    certificate, found = outputs(table, tmp_path, code=1)
    assert np.allclose(found, columns(table, "x").mean(axis=0))
    assert certificate["fully_explained"] == ["x0", "x1", "x2", "x3"]


def test_more_features_than_rows(tmp_path):
    table = tool.numbers(8, seed=63, features=30, sensitive=2)
    _, found = outputs(table, tmp_path)
    assert distance(found, residuals(columns(table, "x"), columns(table, "s"))) < 1e-9
    _, found = outputs(table, tmp_path, "--rank", 3)
    assert np.linalg.matrix_rank(found - found.mean(), tol=1e-8) == 3
    assert max_correlation(found, columns(table, "s")) <= tool.ORTHOGONAL
    _, found = outputs(table, tmp_path, "--mode", "blind")
    assert max_correlation(found, columns(table, "s")) <= tool.ORTHOGONAL
    _, found = outputs(table, tmp_path, "--method", "sob", "--rank", 2)
    assert max_correlation(found, columns(table, "s")) <= tool.ORTHOGONAL


def test_more_sensitive_columns_than_rows(tmp_path):
    table = tool.numbers(8, seed=64, sensitive=20)
    certificate, found = outputs(table, tmp_path, code=1)
    assert certificate["sensitive_rank"] == 7
    assert np.allclose(found, columns(table, "x").mean(axis=0), rtol=1e-9), "all is explained"


def test_more_dimensions_than_features(tmp_path, refused):
    """k > q: refused, or all of them and a word on it."""
    table = tool.numbers(50, seed=65)
    file = tool.write(table, tmp_path / "t.csv")
    done = tool.run("fit", "-i", file, "-s", "s*", "--rank", 5, "-o", tmp_path / "o.csv")
    if done.code == 2:
        refused_fit(refused, table, tmp_path, "--rank", 5, says=["rank", "5", "4"])
        return
    assert done.code == 0
    assert "5" in done.err, "says what was done"
    assert "4" in done.err, "says what was done"
    found = pd.read_csv(tmp_path / "o.csv", float_precision="round_trip")
    assert distance(found, residuals(columns(table, "x"), columns(table, "s"))) < 1e-9


def test_constant_and_duplicate_features(tmp_path):
    table = tool.numbers(50, seed=66).assign(x4=7.25, x5=lambda t: t["x0"], x6=lambda t: 3 * t["s0"])
    certificate, found = outputs(table, tmp_path)
    assert (found["x4"] == 7.25).all()
    assert np.allclose(found["x5"], found["x0"], rtol=1e-12)
    assert np.allclose(found["x6"], table["x6"].mean(), rtol=1e-9)
    assert certificate["constant_features"] == ["x4"]
    assert certificate["fully_explained"] == ["x6"]
    a = columns(table, "x")[:, :4]
    assert distance(found[["x0", "x1", "x2", "x3"]], residuals(a, columns(table, "s"))) < 1e-9
    for flags in [("--mode", "blind"), ("--rank", 2), ("--method", "sob", "--rank", 2)]:
        _, found = outputs(table, tmp_path, *flags)
        assert max_correlation(found, columns(table, "s")) <= tool.ORTHOGONAL


def test_constant_and_duplicate_sensitive_columns(tmp_path):
    table = tool.numbers(50, seed=67).assign(s2=7.25, s3=lambda t: t["s0"])
    certificate, found = outputs(table, tmp_path)
    assert distance(found, residuals(columns(table, "x"), columns(table, "s")[:, :2])) < 1e-9
    assert certificate["constant_sensitive"] == ["s2"]
    assert certificate["sensitive_rank"] == 2


def test_all_sensitive_columns_constant(tmp_path, refused):
    table = tool.numbers(50, seed=68).assign(s0=1.5, s1=-3)
    refused_fit(refused, table, tmp_path, says=["constant"])


def test_one_category_alone_is_constant(tmp_path, refused):
    refused_fit(refused, tool.numbers(50, seed=68).assign(s0="A", s1="B"), tmp_path, says=["constant"])


def test_large_means_do_not_drown_small_spreads(tmp_path):
    """Mean 1e9, standard deviation 1: right to 1e-8, against long double."""
    rng = np.random.default_rng(69)
    b = rng.normal(size=(500, 2))
    a = b @ rng.normal(size=(2, 3)) + rng.normal(size=(500, 3))
    a, b = a + 1e9, b - 1e9
    table = pd.DataFrame(np.hstack([b, a]), columns=["s0", "s1", "x0", "x1", "x2"])
    _, found = outputs(table, tmp_path)
    exact_a, exact_b = a.astype(np.longdouble), b.astype(np.longdouble)
    mean_a, mean_b = exact_a.mean(axis=0), exact_b.mean(axis=0)
    slopes = np.linalg.lstsq((exact_b - mean_b).astype(float), (exact_a - mean_a).astype(float), rcond=None)[0]
    expected = exact_a - (exact_b - mean_b) @ slopes
    assert np.max(np.abs(found.to_numpy().astype(np.longdouble) - expected) / np.abs(expected)) < 1e-15, "of the values"
    # A double near 1e9 has steps of 1e-7: of the spread nothing finer can be written.
    assert np.max(np.abs(found.to_numpy().astype(np.longdouble) - expected)) < 4e-7
    assert max_correlation(found.to_numpy() - 1e9, b + 1e9) < 1e-8


@pytest.mark.parametrize("size_a", [1e300, 1e-300, 1e150, 1e-150, 1.0])
@pytest.mark.parametrize("size_b", [1e300, 1e-300, 1.0])
def test_huge_and_tiny_numbers(tmp_path, size_a, size_b):
    """Right to 1e-8 relative, or refused; never a silent NaN."""
    table = tool.numbers(60, seed=70)
    a, b = columns(table, "x") / 30, columns(table, "s") / 30
    expected = residuals(a, b) * size_a
    scaled = pd.DataFrame(np.hstack([b * size_b, a * size_a]), columns=table.columns)
    file, out, model = tool.write(scaled, tmp_path / "t.csv"), tmp_path / "o.csv", tmp_path / "m.json"
    done = tool.run("fit", "-i", file, "-s", "s*", "-o", out, "-m", model)
    if done.code == 2:
        assert done.err.count("\n") == 1
        assert "'x0'" in done.err or "'s0'" in done.err, "names the column"
        assert not 1e-150 < size_a < 1e150 or not 1e-150 < size_b < 1e150, "refused without need"
        assert not out.exists()
        assert not model.exists()
        return
    assert done.code == 0, done.err
    found = pd.read_csv(out, float_precision="round_trip").to_numpy(float)
    assert np.max(np.abs(found / size_a - expected / size_a)) < 1e-8 * np.max(np.abs(expected / size_a))


def test_the_place_of_a_number_that_is_too_large(tmp_path, refused):
    table = tool.numbers(tool.BLOCK + 5000, seed=74)
    table.loc[tool.BLOCK + 2000, "x1"] = 1e300
    refused_fit(refused, table, tmp_path, says=["t.csv", f"line {tool.BLOCK + 2002}", "'x1'"])


def test_rows_beyond_the_range_at_transform(tmp_path):
    """A value that leaves the range of doubles is refused with its place, or written as a finite number."""
    table = tool.numbers(50, seed=71)
    model = tool.fit(tool.write(table, tmp_path / "t.csv"), "s*")
    table.loc[5, "s0"] = 1.7e308
    table.loc[5, "x0"] = -1.7e308
    file, out = tool.write(table, tmp_path / "later.csv"), tmp_path / "o.csv"
    done = tool.run("transform", "-m", model, "-i", file, "-o", out)
    if done.code == 2:
        assert "later.csv" in done.err
        assert "line 7" in done.err
        assert not out.exists()
    else:
        assert np.isfinite(pd.read_csv(out).to_numpy(float)).all()


def test_subnormal_and_negative_zero_pass(tmp_path):
    table = tool.numbers(50, seed=72).assign(id=["-0", "5e-324"] * 25)
    file = tool.write(table, tmp_path / "t.csv")
    out = pd.read_csv(io.BytesIO(tool.transform(tool.fit(file, "s*", "--keep", "id"), file)), dtype={"id": str})
    assert list(out["id"]) == ["-0", "5e-324"] * 25


def test_empty_table_transforms_to_an_empty_table(tmp_path):
    table = tool.numbers(50, seed=73)
    model = tool.fit(tool.write(table, tmp_path / "t.csv"), "s*")
    out = tool.transform(model, tool.write(table.head(0), tmp_path / "none.csv"))
    assert out == b"x0,x1,x2,x3\n"
