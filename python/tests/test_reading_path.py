"""How many modules a reader goes through: those whose functions run while a frame is fitted and transformed."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import plumbline
import polars as pl
import pyarrow as pa
import pytest
from people import mixed
from plumbline import OrthogonalToBias, SparseOrthogonalToBias

PACKAGE = Path(plumbline.__file__).parent
ARCHITECTURE = Path(__file__).parents[2] / "ARCHITECTURE.md"
MOST_MODULES = 5


def modules_of(fair: Any, table: Any) -> list[str]:
    """In the order in which a fit_transform first enters them."""
    seen: dict[str, None] = {}

    def look(frame: FrameType, event: str, _: Any) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.parent == PACKAGE:
            seen[path.name] = None

    sys.setprofile(look)
    try:
        fair.fit_transform(table)
    finally:
        sys.setprofile(None)
    return list(seen)


FRAMES = {
    "pandas": mixed,
    "pandas of numbers": lambda: mixed()[["income", "age", "hours"]].assign(race=1.0 * np.arange(200)),
    "polars": lambda: pl.from_pandas(mixed()),
    "pyarrow": lambda: pa.table(mixed()),
    "gaps": lambda: mixed().mask(np.random.default_rng(0).random((200, 6)) < 0.1)[["income", "age", "race"]],
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("kind", [OrthogonalToBias, SparseOrthogonalToBias])
def test_a_reader_of_fit_transform_goes_through_five_modules(frame, kind):
    fair = kind(sensitive_feature_ids=["race", "age"], n_components=2, missing="mean", expand="powers=2")
    found = modules_of(fair, FRAMES[frame]())
    assert len(found) <= MOST_MODULES, found
    text = ARCHITECTURE.read_text(encoding="utf-8")
    said = [text.index(f"`{name}`") for name in found]
    assert said == sorted(said), f"ARCHITECTURE.md names them in another order than they are entered: {found}"
