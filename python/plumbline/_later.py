"""Tables that come after a fit, or as a further chunk of it: whether they are of its columns, and where these are."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _core, _names
from ._learned import Learned, terms_of
from ._rows import Input, Roles, indices, roles_in_fit, tables_of
from ._scorer import how_to_hand_on
from ._tables import Table


def takes_chunks(estimator: Any) -> bool:
    if estimator.remove != "mean":
        raise AttributeError(f"remove='{estimator.remove}' needs all rows at once: moments show means alone; use fit")
    if estimator.expand is None or (isinstance(estimator.expand, Collection) and not terms_of(estimator.expand)):
        return True
    raise AttributeError("expand needs all rows at once: a chunk does not know the others' knots and bins; use fit")


def input_of_chunk(
    estimator: Any, learned: Learned, X: Any, sensitive_features: Any, sample_weight: ArrayLike | None
) -> Input:
    """A further chunk of rows, in the roles of the earlier ones."""
    table, apart = tables_of(estimator, X, sensitive_features, min_rows=1)
    _names.check(estimator, table)
    roles, earlier = roles_in_fit(estimator, table, apart), learned.roles
    if roles.apart != earlier.apart:
        given, before = ("given", "not given") if roles.apart else ("not given", "given")
        raise _core.Error(f"sensitive_features is {given}, and was {before} with earlier chunks; chunks must be alike")
    if apart is not None:
        _check_apart(estimator, apart, earlier)
    elif not np.array_equal(roles.sensitive, earlier.sensitive):
        raise _core.Error(
            f"sensitive_feature_ids chooses the columns {roles.sensitive_names}; earlier chunks had "
            f"{earlier.sensitive_names}"
        )
    return Input.of(estimator, table, apart, earlier, sample_weight)


def input_after_fit(
    estimator: Any,
    learned: Learned,
    X: Any,
    sensitive_features: Any,
    sample_weight: ArrayLike | None = None,
    *,
    sensitive: bool = False,
) -> Input:
    """Rows for the map, which may do without their sensitive columns unless these are asked for."""
    roles = learned.roles
    needs = learned.fit.needs_sensitive or sensitive
    needed = "a certificate needs them" if sensitive else "the map needs them, and a fit with mode='blind' would not"
    table, apart = tables_of(estimator, X, sensitive_features, min_rows=0)
    if apart is not None:
        _check_apart(estimator, apart, roles)
        if not roles.apart:
            _refuse_twice(table, roles)
    elif needs and roles.apart:
        hint = "" if sensitive else f"; {how_to_hand_on()}"
        raise _core.Error(f"the sensitive columns are not given as sensitive_features; {needed}{hint}")
    alone = roles.apart or apart is not None or (not needs and not _has_sensitive(table, learned))
    roles = _roles_after_fit(estimator, table, learned, features_alone=alone, needed=needed)
    return Input.of(estimator, table, apart, roles, sample_weight)


def _check_apart(estimator: Any, apart: Table, roles: Roles) -> None:
    """Whether sensitive columns that come after the fit are those of the fit."""
    names = roles.sensitive_names
    if apart.n_columns != len(names):
        raise _core.Error(f"sensitive_features has {apart.n_columns} columns; the fit had {len(names)}")
    _names.check_sensitive(estimator, apart.names, None if names[0] in roles.unnamed else names)


def _refuse_twice(table: Table, roles: Roles) -> None:
    """Where the fit found its sensitive columns in X, and they are now given apart: X must be without them."""
    both = [name for name in roles.sensitive_names if roles.named and name in (table.names or ())]
    if both:
        raise _core.Error(
            f"X has the sensitive column '{both[0]}', as sensitive_feature_ids told the fit, and sensitive_features is "
            "given too; leave it out, or the column out of X"
        )


def _has_sensitive(table: Table, learned: Learned) -> bool:
    roles = learned.roles
    if table.names is None or not roles.named:
        return table.n_columns == len(roles.columns)
    absent = [name for name in roles.sensitive_names if name not in table.names]
    if absent and len(absent) < len(roles.sensitive_names) and not learned.any_order:
        raise _core.Error(
            f"X has some sensitive columns and not {', '.join(absent)}; in blind mode give all of them or none"
        )
    return not absent


def _roles_after_fit(estimator: Any, table: Table, learned: Learned, *, features_alone: bool, needed: str) -> Roles:
    """Where the columns are now. X has the columns of the fit, or its features alone; `needed` says what for."""
    roles = learned.roles
    wanted = roles.feature_names if features_alone else roles.columns
    if roles.named and table.names is not None:
        absent = set(wanted).difference(table.names)
        sensitive_absent = [name for name in roles.sensitive_names if name in absent]
        if learned.any_order or sensitive_absent:
            features_absent = [name for name in roles.feature_names if name in absent]
            others = [name for name in table.names if name not in roles.feature_names + roles.sensitive_names]
            _core.check_present("X", features_absent, sensitive_absent, others, needed)
    if learned.any_order and table.names is not None:
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
    return roles._replace(features=indices([at(name) for name in roles.feature_names]), sensitive=indices(sensitive))


def _check_columns(estimator: Any, table: Table, roles: Roles, wanted: list[str], needed: str) -> None:
    _names.check_names(estimator, table, wanted if roles.named else None)
    if table.n_columns == len(roles.features) < len(wanted):
        raise ValueError(
            f"X has {table.n_columns} features, but {type(estimator).__name__} is expecting {len(wanted)} features as "
            f"input. It looks as if the sensitive columns were absent; {needed}"
        )
    _names.check_count(estimator, table, len(wanted))
