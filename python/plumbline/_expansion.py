"""What `expand` says, in the terms of the command line."""

from __future__ import annotations

from typing import Any

from . import _core


def terms_of(expand: Any) -> list[str]:
    """Of a text, a dictionary or a list; of None there are none."""
    if expand is None:
        return []
    if isinstance(expand, dict):
        wanted = {name: number for name, number in expand.items() if number is not False}
        return [name if number is True else f"{name}={number}" for name, number in wanted.items()]
    return [expand] if isinstance(expand, str) else [str(term) for term in expand]


def expansion_of(expand: Any) -> _core.ExpansionOptions | None:
    return None if expand is None else _core.expansion_of(terms_of(expand))
