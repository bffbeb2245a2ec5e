"""Which columns of a table are features and which are sensitive, in a fit and after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _core, _names
from ._tables import Table


class Roles(NamedTuple):
    """Positions of features and of sensitive columns; the latter are of X, or of a table of their own."""

    features: NDArray[np.int64]
    sensitive: NDArray[np.int64]
    feature_names: list[str]
    sensitive_names: list[str]
    columns: list[str]  # of X, in their order
    unnamed: list[str]  # columns of X, or given apart, that had no names but got these

    @property
    def named(self) -> bool:
        """Whether X had names."""
        return self.columns[0] not in self.unnamed


def positions(ids: object, labels: Sequence[str], names: Sequence[str] | None) -> list[int]:
    """Where the columns are that names or positions choose; a bare name or position is one column."""
    listed: list[Any] = [ids] if isinstance(ids, (str, int, np.integer)) else list(ids)  # type: ignore[call-overload]
    out: list[int] = []
    for one in listed:
        if isinstance(one, str):
            if names is None:
                raise _core.Error(f"sensitive_feature_ids names '{one}', and X has no column names; give its position")
            if one not in names:
                _core.refuse_column("sensitive_feature_ids", one, list(names))
            at = names.index(one)
        elif isinstance(one, (int, np.integer)) and not isinstance(one, bool):
            at = int(one)
            if not -len(labels) <= at < len(labels):
                raise _core.Error(f"sensitive_feature_ids has {at}; X has columns 0 to {len(labels) - 1}")
            at %= len(labels)
        else:
            raise _core.Error(f"sensitive_feature_ids has {one!r}; it must be a column's name or position")
        if at not in out:
            out.append(at)
    return sorted(out)


def _indices(at: Sequence[int]) -> NDArray[np.int64]:
    return np.array(at, dtype=np.int64)


def in_fit(ids: object, table: Table, apart: Table | None) -> Roles:
    """Roles as a fit is told: by `sensitive_feature_ids`, or by a table of sensitive columns alone."""
    labels = table.labels
    unnamed = list(labels) if table.names is None else []
    _core.check_distinct("X", labels)
    if apart is not None:
        if ids is not None:
            raise _core.Error(
                "sensitive_features and sensitive_feature_ids are both given; a fit takes its sensitive columns from "
                "one of them"
            )
        _core.check_distinct("sensitive_features", apart.labels)
        for name in apart.labels:
            if name in labels:
                raise _core.Error(
                    f"column '{name}' is in X and in sensitive_features; leave it out of X, or name it in "
                    "sensitive_feature_ids"
                )
        unnamed += apart.labels if apart.names is None else []
        features = _indices(range(table.n_columns))
        return Roles(features, _indices(range(apart.n_columns)), labels, apart.labels, labels, unnamed)
    if ids is None:
        raise _core.Error(
            "nothing is sensitive; name columns of X in sensitive_feature_ids, or give sensitive_features"
        )
    sensitive = positions(ids, labels, table.names)
    others = [j for j in range(table.n_columns) if j not in set(sensitive)]
    if not sensitive:
        raise _core.Error("sensitive_feature_ids is empty; name at least one column")
    if not others:
        raise _core.Error(f"X has n_features={table.n_columns} and all are sensitive; there is no feature to change")
    names = [labels[j] for j in others], [labels[j] for j in sensitive]
    return Roles(_indices(others), _indices(sensitive), *names, labels, unnamed)


def check_apart(estimator: Any, apart: Table, roles: Roles) -> None:
    """Whether sensitive columns that come after the fit are those of the fit."""
    names = roles.sensitive_names
    if apart.n_columns != len(names):
        raise _core.Error(f"sensitive_features has {apart.n_columns} columns; the fit had {len(names)}")
    _names.check_sensitive(estimator, apart.names, None if names[0] in roles.unnamed else names)


def refuse_twice(table: Table, roles: Roles) -> None:
    """Where the fit found its sensitive columns in X, and they are now given apart: X must be without them."""
    both = [name for name in roles.sensitive_names if roles.named and name in (table.names or ())]
    if both:
        raise _core.Error(
            f"X has the sensitive column '{both[0]}', as sensitive_feature_ids told the fit, and sensitive_features is "
            "given too; leave it out, or the column out of X"
        )


def as_in_earlier_chunks(estimator: Any, roles: Roles, apart: Table | None) -> Roles:
    """The roles of earlier chunks, if those of a further one are the same."""
    earlier: Roles = estimator._roles_of_fit
    was_apart: bool = estimator._apart
    if (apart is not None) != was_apart:
        given, before = ("given", "not given") if apart else ("not given", "given")
        raise _core.Error(f"sensitive_features is {given}, and was {before} with earlier chunks; chunks must be alike")
    if apart is not None:
        check_apart(estimator, apart, earlier)
    elif not np.array_equal(roles.sensitive, earlier.sensitive):
        raise _core.Error(
            f"sensitive_feature_ids chooses the columns {roles.sensitive_names}; earlier chunks had "
            f"{earlier.sensitive_names}"
        )
    return earlier


def after_fit(estimator: Any, table: Table, roles: Roles, *, features_alone: bool, needed: str) -> Roles:
    """Where the columns are now. X has the columns of the fit, or its features alone; `needed` says what for."""
    wanted = roles.feature_names if features_alone else roles.columns
    if roles.named and table.names is not None:
        absent = set(wanted).difference(table.names)
        sensitive_absent = [name for name in roles.sensitive_names if name in absent]
        if estimator._any_order or sensitive_absent:
            features_absent = [name for name in roles.feature_names if name in absent]
            others = [name for name in table.names if name not in roles.feature_names + roles.sensitive_names]
            _core.check_present("X", features_absent, sensitive_absent, others, needed)
    if estimator._any_order and table.names is not None:
        at = table.names.index
    else:
        if not features_alone and not hasattr(estimator, "n_features_in_") and table.n_columns == len(wanted):
            raise _core.Error(
                f"X has {table.n_columns} columns and no names, and the model file does not tell the order of columns; "
                "give a frame, or the features alone and sensitive_features"
            )
        _check_columns(estimator, table, roles, wanted, needed)
        at = wanted.index
    n_sensitive = len(roles.sensitive_names)
    sensitive = list(range(n_sensitive)) if features_alone else [at(name) for name in roles.sensitive_names]
    return roles._replace(features=_indices([at(name) for name in roles.feature_names]), sensitive=_indices(sensitive))


def _check_columns(estimator: Any, table: Table, roles: Roles, wanted: list[str], needed: str) -> None:
    _names.check_names(estimator, table, wanted if roles.named else None)
    if table.n_columns == len(roles.features) < len(wanted):
        raise ValueError(
            f"X has {table.n_columns} features, but {type(estimator).__name__} is expecting {len(wanted)} features as "
            f"input. It looks as if the sensitive columns were absent; {needed}"
        )
    _names.check_count(estimator, table, len(wanted))
