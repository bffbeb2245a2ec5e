"""Names and number of columns, compared with those of a fit; those of X in scikit-learn's words.

scikit-learn's own functions ask a frame for its names, in a way that changes from version to version; a stream of Arrow
is no frame for any of them.
"""

from __future__ import annotations

import warnings
from typing import Any

from . import _core, _tables
from ._tables import Table

_MOST_SHOWN = 5


def check(estimator: Any, table: Table) -> None:
    """What is asked of a table after the fit: the names, and the number, that it kept."""
    known = getattr(estimator, "feature_names_in_", None)
    check_names(estimator, table, None if known is None else [str(name) for name in known])
    check_count(estimator, table, estimator.n_features_in_)


def check_names(estimator: Any, table: Table, known: list[str] | None) -> None:
    if (table.names is None) != (known is None):
        warn(estimator, "X", was_named=known is not None)
    if table.names is None or known is None or table.names == known:
        return
    parts = ["The feature names should match those that were passed during fit."]
    unseen, missing = set(table.names) - set(known), set(known) - set(table.names)
    if unseen:
        parts += ["Feature names unseen at fit time:", *_shown(unseen)]
    if missing:
        parts += ["Feature names seen at fit time, yet now missing:", *_shown(missing)]
    if not unseen and not missing:
        parts.append("Feature names must be in the same order as they were in fit.")
    raise ValueError("\n".join(parts) + "\n")


def warn(estimator: Any, what: str, *, was_named: bool) -> None:
    """Where one of the fit and what comes after it has names of columns, and the other has not."""
    has, was = ("does not have valid", "with") if was_named else ("has", "without")
    words = f"{what} {has} feature names, but {type(estimator).__name__} was fitted {was} feature names"
    warnings.warn(words, stacklevel=2)


def of_columns(table: Any) -> list[str] | None:
    """Names of the columns of a frame, or of a series that has one."""
    return _tables.read_sensitive(table, None).names


def check_sensitive(estimator: Any, given: list[str] | None, known: list[str] | None) -> None:
    """Whether sensitive columns that come after the fit are those of the fit, as far as both have names.

    One column without a name is no other than the one that there was.
    """
    if given is None or known is None:
        if len(given or known or ()) > 1:
            warn(estimator, "sensitive_features", was_named=known is not None)
    elif given != known:
        raise _core.Error(f"sensitive_features has the columns {given}; the fit had {known}")


def check_count(estimator: Any, table: Table, count: int) -> None:
    if table.n_columns != count:
        raise ValueError(
            f"X has {table.n_columns} features, but {type(estimator).__name__} is expecting {count} features as input"
        )


def _shown(names: set[str]) -> list[str]:
    lines = [f"- {_core.printable(name)}" for name in sorted(names)]
    return lines if len(lines) <= _MOST_SHOWN else [*lines[:_MOST_SHOWN], "- ..."]
