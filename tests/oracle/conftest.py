"""The library under test, as a fixture; a program that is not built is a failure, never a skip."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from . import library


@pytest.fixture(scope="session")
def oracle() -> Callable[[Sequence[library.Case]], list[library.Result]]:
    return library.run
