"""Estimators out of model files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from . import _core
from ._learned import Learned
from ._rows import Roles
from ._tables import Table

if TYPE_CHECKING:
    from ._transformer import Transformer

AnyTransformer = TypeVar("AnyTransformer", bound="Transformer")


def restored(kind: type[AnyTransformer], text: str) -> AnyTransformer:
    """An estimator of this kind, fitted as the text of a model file says."""
    fitted = _core.Fit.from_json(text)
    method = fitted.options.method
    if method != kind._name:
        raise _core.Error(f"the model is of method {method}, which {kind.__name__} is not; use plumbline.load_model")
    if fitted.encoding is None:  # it was fitted to moments: all columns are numbers
        fitted.encoding = _core.Encoding(
            [_core.TableColumn(name) for name in fitted.feature_names],
            [_core.TableColumn(name) for name in fitted.sensitive_inputs],
        )
    assert fitted.encoding is not None
    roles = _roles_of(fitted.encoding)
    ids = None if roles.apart else roles.sensitive_names if roles.named else roles.sensitive.tolist()
    out = kind(sensitive_feature_ids=ids, expand=_expand_of(text), **_parameters_of(fitted, kind))
    learned = Learned(roles, None, solved=fitted, any_order=roles.named)
    columns = fitted.encoding.columns  # a file may tell no order of them
    names = columns if roles.named else None
    out._keep(learned, Table("file", len(columns), names, iter(())) if columns else None)
    return out


def _roles_of(encoding: _core.Encoding) -> Roles:
    names, sensitive = [one.name for one in encoding.features], [one.name for one in encoding.sensitive]
    columns = encoding.columns or names + sensitive
    at = {name: j for j, name in enumerate(columns)}
    features = np.array([at[name] for name in names], dtype=np.int64)
    places = np.array([at.get(name, j) for j, name in enumerate(sensitive)], dtype=np.int64)
    apart = sensitive[0] not in columns
    return Roles(features, places, names, sensitive, columns, encoding.unnamed, apart)


def _expand_of(text: str) -> str | None:
    """The terms of the expansion in a model file; of splines and bins as many as the richest column has."""
    expansion = json.loads(text)["map"]["expansion"]
    if expansion is None:
        return None
    asked = expansion.get("candidates")
    if asked is not None:
        powers, knots, bins = asked["powers"], asked["knots"], asked["bins"]
    else:
        columns, powers = expansion["columns"], expansion["powers"]
        knots = max((len(column.get("knots", ())) for column in columns), default=0)
        edges = max((len(column.get("edges", ())) for column in columns), default=0)
        bins = edges + 1 if edges else 0
    terms = [
        "auto" if asked is not None else "",
        f"powers={powers}",
        f"splines={knots}" if knots else "",
        f"bins={bins}" if bins else "",
        "interactions" if (asked or expansion)["interactions"] else "",
    ]
    return ",".join(term for term in terms if term)


def _parameters_of(fitted: _core.Fit, kind: type[Transformer]) -> dict[str, Any]:
    """Those that the engine knows by name, and what the file says otherwise."""
    options, encoding = fitted.options, fitted.encoding
    assert encoding is not None
    known = [name for name in kind._get_param_names() if hasattr(options, name)]
    out: dict[str, Any] = {name: getattr(options, name) for name in known} | {"missing": encoding.missing}
    is_drawn = options.method == "ob" or options.random_starts > 0
    out["random_state"] = options.seed if is_drawn else None
    return out
