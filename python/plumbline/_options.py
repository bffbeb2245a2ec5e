"""What parameters say, in the terms of the engine."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from . import _core


def terms_of(expand: Any) -> list[str]:
    """Of a text, a dictionary or a list; of None there are none, and of one that is empty neither."""
    if expand is None:
        return []
    if isinstance(expand, dict):
        wanted = {name: number for name, number in expand.items() if number is not False}
        return [name if number is True else f"{name}={number}" for name, number in wanted.items()]
    terms = [expand] if isinstance(expand, str) else [str(term) for term in expand]
    return [term for term in terms if term]


def expansion_of(expand: Any) -> _core.ExpansionOptions | None:
    terms = terms_of(expand)
    return _core.expansion_of(terms) if terms else None


def rank_of(n_components: int | float | None) -> dict[str, int | float]:
    """`n_components` as the engine takes it: a number of components or a share of the variance; both 0 is all."""
    if n_components is None or isinstance(n_components, Integral):
        return {"components": int(n_components or 0), "share": 0.0}
    return {"components": 0, "share": float(n_components)}
