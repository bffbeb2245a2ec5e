"""Columns of frames of which nothing can be learned are refused, by name and with the ways out; each of them works."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import plumbline
import polars as pl
import pyarrow as pa
import pytest
from plumbline import OrthogonalToBias

ROWS = 60
DAYS = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.random.default_rng(1).integers(0, 2000, ROWS), unit="D")


def people(**more: object) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    age = rng.normal(40, 10, ROWS)
    return pd.DataFrame({"age": age, "x": age + rng.normal(size=ROWS), "y": rng.normal(size=ROWS), **more})


TABLES = {
    "pandas": lambda table: table,
    "polars": pl.from_pandas,
    "pyarrow": pa.Table.from_pandas,
    "stream": lambda table: pa.Table.from_pandas(table).to_reader(max_chunksize=40),
}


def fit(table: object, **parameters: object) -> OrthogonalToBias:
    return OrthogonalToBias(sensitive_feature_ids=["age"], min_level_rows=0, **parameters).fit(table)


def refused(table: object, remedy: str, *words: str, **parameters: object) -> None:
    with pytest.raises(plumbline.Error) as caught:
        fit(table, **parameters)
    assert caught.value.remedy == remedy
    for word in ("leave it out", "astype('category')", *words):
        assert word in str(caught.value)


@pytest.mark.parametrize("kind", TABLES)
def test_texts_that_are_all_different_are_ids(kind):
    names = [f"person {j}" for j in np.random.default_rng(2).permutation(ROWS)]
    table = people(who=names)
    refused(TABLES[kind](table), "no_ids", "column 'who'", names[0], "all different")
    fit(TABLES[kind](table.drop(columns="who")))
    fair = fit(TABLES[kind](table.assign(who=table["who"].astype("category"))))
    assert len(fair.get_feature_names_out()) == 2 + ROWS
    once_more = table.assign(who=[names[1], *names[1:]])
    assert len(fit(TABLES[kind](once_more)).get_feature_names_out()) == 2 + ROWS - 1


def test_few_texts_may_all_be_different():
    table = people(who=[f"person {j}" for j in range(ROWS)])
    fit(table.head(19))
    refused(table.head(20), "no_ids", "'who'")
    gaps = table.assign(who=table["who"].where(np.arange(ROWS) < 19, None))
    fit(gaps, missing="mean")


def test_later_chunks_may_happen_to_differ():
    towns = [f"town {j % 40}" for j in range(2 * ROWS)]
    table = pd.concat([people(), people()], ignore_index=True).assign(town=towns)
    fair = OrthogonalToBias(sensitive_feature_ids=["age"], min_level_rows=0).partial_fit(table.head(80))
    fair.partial_fit(table.tail(40))
    assert len(fair.get_feature_names_out()) == 2 + 40
    with pytest.raises(plumbline.Error, match="column 'town' looks like ids"):
        OrthogonalToBias(sensitive_feature_ids=["age"]).partial_fit(table.head(40))


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("sign", [1, -1])
def test_integers_are_numbers_unless_doubles_cannot_tell_them_apart(kind, sign):
    order = np.random.default_rng(3).permutation(ROWS)
    fit(TABLES[kind](people(number=sign * order)))
    fit(TABLES[kind](people(number=sign * (2**53 - order))))
    long = people(number=sign * (2**53 + 1 + order // 10))
    refused(TABLES[kind](long), "no_ids", "column 'number'", "2^53")
    fair = fit(TABLES[kind](long.assign(number=long["number"].astype(str).astype("category"))))
    assert len(fair.get_feature_names_out()) == 2 + len(set(order // 10))


@pytest.mark.parametrize("kind", TABLES)
def test_dates_are_refused(kind):
    table = people(born=DAYS)
    refused(TABLES[kind](table), "no_dates", "'born'", ".dt.days")
    fit(TABLES[kind](table.assign(born=(table["born"] - table["born"].min()).dt.days)))
    fit(TABLES[kind](table.assign(born=table["born"].dt.year.astype("category"))))


@pytest.mark.parametrize(
    "cells",
    [
        [str(day.date()) for day in DAYS],
        [day.isoformat() for day in DAYS],
        [day.date() for day in DAYS],
        list(DAYS),
        [datetime.datetime(2020, 5, 1 + j % 9) for j in range(ROWS)],
        DAYS.to_period("D"),
        DAYS.tz_localize("UTC"),
    ],
)
def test_dates_of_any_form_are_refused(cells):
    refused(people(born=pd.Series(cells)), "no_dates", "'born'", "a date is neither a number nor a category")


def test_what_the_sentence_says_of_dates_works():
    table = people(born=[str(day.date()) for day in DAYS])
    d = pd.to_datetime(table["born"])
    out = fit(table.assign(born=(d - d.min()).dt.days)).transform(
        table.assign(born=(d - d.min()).dt.days),
    )
    assert out["born"].std() > 0
    fit(table.assign(born=table["born"].astype("category")))


def test_sensitive_columns_may_be_ids_and_no_dates():
    names = [f"person {j}" for j in range(ROWS)]
    assert OrthogonalToBias().fit(people(), sensitive_features=names).certificate_.sensitive == ROWS
    with pytest.raises(plumbline.Error, match="holds dates"):
        OrthogonalToBias().fit(people(), sensitive_features=[str(day.date()) for day in DAYS])


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ([f"{j},5" for j in range(ROWS)], "decimal commas"),
        ([f"{1 + j % 5},{j:03}" for j in range(ROWS)], "thousands separators"),
        ([f"{1 + j % 5} {j:03},5" for j in range(ROWS)], "thousands separators"),
    ],
)
def test_numbers_that_are_text_are_refused(cells, words):
    table = people(price=cells)
    with pytest.raises(plumbline.Error, match=f"column 'price' holds text that looks like numbers with {words}"):
        fit(table)
    fit(table.assign(price=table["price"].astype("category")))


def test_text_among_numbers_is_refused_with_its_place():
    cells = [*range(ROWS - 2), "many", "few"]
    for fill in (None, np.nan, 2.5):
        given = pd.Series([fill, *cells[1:]], dtype=object)
        with pytest.raises(plumbline.Error, match=r"row 58, column 'x2': 'many' is text in a column that is mostly"):
            fit(people(x2=given))
    words = ["many", "few"] * (ROWS // 2)
    fit(people(x2=pd.Series([*words[: ROWS // 2], *range(ROWS // 2)], dtype=object)))
    fit(people(x2=pd.Series(cells, dtype=object).astype("category")))


def test_ids_after_the_fit_are_levels_that_it_has_not_seen():
    table = people(town=[f"t{j % 3}" for j in range(ROWS)])
    fair = fit(table)
    with pytest.raises(plumbline.Error, match="is a category that the fit has not seen"):
        fair.transform(table.assign(town=[f"t{j}" for j in range(ROWS)]))
