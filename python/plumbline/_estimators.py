"""Transformers that remove the influence of sensitive columns from all others."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import (
    _check_feature_names,
    _check_feature_names_in,
    _check_n_features,
    check_is_fitted,
)

from . import _core, _encoding, _output, _tables
from ._encoding import Accumulator, Roles, Rows
from ._progress import Progress
from ._tables import Floats, Table

Self = TypeVar("Self", bound="_Remover")
RANDOM_STARTS = 10  # beside the deterministic one, where a random_state is given


class _Named:
    """The names and the shape of a table, in the form in which scikit-learn asks for them."""

    def __init__(self, table: Table):
        self.shape = (0, table.n_columns)
        self.names = table.names

    def __getattr__(self, name: str) -> Any:
        if name == "__dataframe__" and self.names is not None:
            return lambda *args, **kwargs: self
        raise AttributeError(name)

    def column_names(self) -> list[str]:
        return self.names or []


def _takes_chunks(self: Any) -> bool:
    if self.expand is not None:
        raise AttributeError("expand needs all rows at once: a chunk does not know the others' knots and bins; use fit")
    return True


class _Remover(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """What both transformers share: all but their parameters."""

    # Sensitive columns that are given apart are wanted wherever they can be used; a bar is nobody's metadata.
    __metadata_request__fit: ClassVar = {"sensitive_features": True, "progress": UNUSED}
    __metadata_request__partial_fit: ClassVar = {"sensitive_features": True, "progress": UNUSED}
    __metadata_request__transform: ClassVar = {"sensitive_features": True, "progress": UNUSED}

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "sensitive_feature_ids": [None, str, Integral, "array-like"],
        "n_components": [None, Interval(Integral, 1, None, closed="left"), Interval(Real, 0, 1, closed="right")],
        "mode": [StrOptions({"aware", "blind"})],
        "alpha": [Interval(Real, 0, 1, closed="both")],
        "expand": [None, str, dict, "array-like"],
        "standardize": ["boolean"],
        "missing": [StrOptions({"error", "drop", "mean"})],
    }

    sensitive_feature_ids: Any
    n_components: int | float | None
    mode: str
    alpha: float
    expand: Any
    standardize: bool
    missing: str
    feature_names_in_: NDArray[np.object_]
    n_features_in_: int

    # Options of the engine

    def _method(self) -> dict[str, Any]:
        raise NotImplementedError

    def _options(self, n_features: int) -> _core.FitOptions:
        is_share = self.n_components is not None and not isinstance(self.n_components, Integral)
        return _core.FitOptions(
            mode=self.mode,
            components=0 if is_share or self.n_components is None else int(self.n_components),
            share=float(self.n_components or 0) if is_share else 0.0,
            alpha=float(self.alpha),
            standardize=bool(self.standardize),
            **self._method(),
        )

    def _expansion(self) -> _core.ExpansionOptions | None:
        if self.expand is None:
            return None
        if isinstance(self.expand, str):
            return _core.expansion_of([self.expand])
        if isinstance(self.expand, dict):
            terms = [name if number is True else f"{name}={number}" for name, number in self.expand.items()]
            return _core.expansion_of([term for term in terms if not term.endswith("=False")])
        return _core.expansion_of([str(term) for term in self.expand])

    # Tables

    def _roles(self, table: Table, apart: Table | None) -> Roles:
        """Which columns are what, in a fit."""
        labels = table.labels
        _refuse_twice(labels)
        if apart is not None:
            if self.sensitive_feature_ids is not None:
                raise _core.Error(
                    "sensitive_features and sensitive_feature_ids are both given; a fit takes its sensitive columns "
                    "from one of them"
                )
            _refuse_twice(apart.labels)
            for name in apart.labels:
                if name in labels:
                    raise _core.Error(
                        f"column '{name}' is in X and in sensitive_features; leave it out of X, or name it in "
                        "sensitive_feature_ids"
                    )
            sensitive, names = list(range(apart.n_columns)), apart.labels
            features = list(range(table.n_columns))
        else:
            if self.sensitive_feature_ids is None:
                raise _core.Error(
                    "nothing is sensitive; name columns of X in sensitive_feature_ids, or give sensitive_features"
                )
            sensitive = _encoding.positions(self.sensitive_feature_ids, labels, table.names)
            if not sensitive:
                raise _core.Error("sensitive_feature_ids is empty; name at least one column")
            names = [labels[j] for j in sensitive]
            features = [j for j in range(table.n_columns) if j not in set(sensitive)]
            if not features:
                raise _core.Error(
                    f"X has n_features={table.n_columns} and all are sensitive; there is no feature to change"
                )
        return Roles(
            np.array(features, dtype=np.int64),
            np.array(sensitive, dtype=np.int64),
            [labels[j] for j in features],
            list(names),
        )

    def _open(
        self, X: Any, sensitive_features: Any, sample_weight: ArrayLike | None, *, reset: bool, min_rows: int = 2
    ) -> tuple[Table, Roles, Iterator[Rows]]:
        table = _tables.read(X, self, min_rows=min_rows)
        apart = None if sensitive_features is None else _tables.read_sensitive(sensitive_features, self)
        named = _Named(table)
        _check_feature_names(self, named, reset=reset)
        _check_n_features(self, named, reset=reset)
        roles = self._roles(table, apart)
        return table, roles, _rows_of(table, apart, roles, sample_weight)

    # Fitting

    def fit(
        self: Self,
        X: Any,
        y: Any = None,
        *,
        sensitive_features: Any = None,
        sample_weight: ArrayLike | None = None,
        progress: bool = False,
    ) -> Self:
        """Learn how to remove the sensitive columns.

        Parameters
        ----------
        X : array, or frame of pandas, polars or Arrow, of shape (n, q + p) or (n, q)
            All columns, or the features alone where the sensitive ones are given apart.
        y : ignored
        sensitive_features : array, series or frame of shape (n,) or (n, p), optional
            Sensitive columns that are not part of X.
        sample_weight : array of shape (n,), optional
            Weights of the rows; a weight of 2 is the row twice.
        progress : bool
            Show a bar.

        Returns
        -------
        self
        """
        self._validate_params()
        table, roles, rows = self._open(X, sensitive_features, sample_weight, reset=True)
        self._learn(table, roles, rows, sensitive_features is not None, progress)
        return self

    @available_if(_takes_chunks)  # type: ignore[misc]
    def partial_fit(
        self: Self,
        X: Any,
        y: Any = None,
        *,
        sensitive_features: Any = None,
        sample_weight: ArrayLike | None = None,
        progress: bool = False,
    ) -> Self:
        """Add rows to those that were seen. Chunks give what all of their rows would give at once.

        Parameters are those of `fit`. What is learned is computed when it is next asked for. `expand` and
        ``missing="mean"`` need all rows at once, so they need `fit`.
        """
        first = not hasattr(self, "_sum")
        if first:
            self._validate_params()
        _, roles, rows = self._open(X, sensitive_features, sample_weight, reset=first, min_rows=1)
        if not first and self._sum is None:
            raise _core.Error("this was fitted to all rows at once and cannot take up more; fit anew")
        accumulator = Accumulator(roles, self._options(1).needs_full_moments) if first else copy.copy(self._sum)
        assert accumulator is not None
        dropped = 0 if first else self.n_dropped_
        with Progress(progress, "moments", None) as bar:
            for some in rows:
                ready, gone = self._ready(some)
                dropped += gone
                if ready.n_rows:
                    self._counted(bar, accumulator, ready)
        self._sum, self._fit = accumulator, None
        self._roles_of_fit, self._apart, self._any_order = roles, sensitive_features is not None, False
        self.n_dropped_, self.n_filled_ = dropped, 0
        return self

    def _learn(self, table: Table, roles: Roles, rows: Iterator[Rows], apart: bool, progress: bool) -> None:
        self.n_dropped_ = self.n_filled_ = 0
        accumulator = Accumulator(roles, self._options(1).needs_full_moments)
        whole = self.expand is not None
        if self.missing == "mean" and not whole:
            kept = list(rows)
            rows, whole = iter(kept), any(_encoding.missing_rows(some).any() for some in kept)
        with Progress(progress, "fit", None) as bar:
            if not whole:
                for some in rows:
                    some, gone = self._ready(some)
                    self.n_dropped_ += gone
                    if accumulator.moments is None and self._wants_rows(some):
                        rows, whole = _chained(some, rows), True
                        break
                    if some.n_rows:
                        self._counted(bar, accumulator, some)
            if whole:
                self._sum, self._fit = None, self._fit_whole(list(rows), roles)
            else:
                self._sum = accumulator
                self._fit = self._solve(accumulator)
        self._roles_of_fit, self._apart, self._any_order = roles, apart, False

    def _counted(self, bar: Progress, accumulator: Accumulator, rows: Rows) -> None:
        try:
            bar.count(accumulator.add(rows, bar.block))
        except _core.Error:
            _encoding.refuse_missing(rows, self)
            raise

    def _wants_rows(self, rows: Rows) -> bool:
        """Whether the fit looks at rows again after their moments are known."""
        return False

    def _ready(self, rows: Rows) -> tuple[Rows, int]:
        """Rows without missing cells, and how many had some; for a fit that does not fill them in."""
        if self.missing == "error":
            if not rows.is_array():
                _encoding.refuse_missing(rows, self)
            return rows, 0
        gone = _encoding.missing_rows(rows)
        if not gone.any():
            return rows, 0
        if self.missing == "mean":
            raise _core.Error(
                "missing cells cannot become a mean that later chunks still change; use fit, or missing='drop'"
            )
        return _encoding.kept(rows, ~gone), int(gone.sum())

    def _fit_whole(self, parts: list[Rows], roles: Roles) -> _core.Fit:
        rows = _joined(parts, roles)
        fill_a = fill_b = None
        if self.missing == "mean":
            weights = rows.weights
            fill_a = _encoding.means_of(rows.features(), weights, roles.feature_names)
            fill_b = _encoding.means_of(rows.sensitive(), weights, roles.sensitive_names)
            self.n_filled_ = _missing_cells(rows)
        else:
            rows, gone = self._ready(rows)
            self.n_dropped_ += gone
        encoding = _core.Encoding(
            list(map(_encoding.spec_of, roles.feature_names, rows.features())),
            list(map(_encoding.spec_of, roles.sensitive_names, rows.sensitive())),
            self.missing,
            fill_a,
            fill_b,
        )
        a, b = _encoding.matrices(rows, encoding, fill=self.missing == "mean")
        names = encoding.feature_names(), encoding.sensitive_names()
        try:
            out = _core.fit(a, b, self._options(len(names[0])), *names, self._expansion(), rows.weights)
        except _core.Error:
            if self.missing == "error":
                _encoding.refuse_missing(rows, self)
            raise
        out.encoding = encoding
        return out

    def _solve(self, accumulator: Accumulator) -> _core.Fit:
        if accumulator.moments is None or accumulator.moments.rows == 0:
            raise _core.Error("no row is left; every one lacks a cell" if self.n_dropped_ else "there are no rows")
        out = _core.fit(accumulator.moments, self._options(len(accumulator.moments.feature_names)))
        out.encoding = accumulator.encoding(self.missing)
        return out

    def _fitted(self) -> _core.Fit:
        check_is_fitted(self)
        if self._fit is None:  # after partial_fit
            assert self._sum is not None
            self._fit = self._solve(self._sum)
        return self._fit

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_roles_of_fit")

    # Transforming

    def transform(self, X: Any, *, sensitive_features: Any = None, progress: bool = False) -> Any:
        """Remove the sensitive columns' influence.

        Parameters
        ----------
        X : array or frame, as in `fit`
            In blind mode the sensitive columns may be absent.
        sensitive_features : array, series or frame, optional
            Sensitive columns that are not part of X; not needed in blind mode.
        progress : bool
            Show a bar.

        Returns
        -------
        array or frame of shape (n, q)
            The features, of the kind that came in unless `set_output` asks for another. Where
            ``missing="drop"``, rows that lack a cell are NaN, so that rows keep their places.
        """
        fitted = getattr(self, "_fit", None) or self._fitted()
        if type(X) is np.ndarray and sensitive_features is None and not progress:
            out = self._transform_array(X, fitted)
            if out is not None:
                return out
        table, rows = self._open_later(X, sensitive_features)
        return self._transform_rows(table, rows, progress)

    def _transform_array(self, X: Floats, fitted: _core.Fit) -> Floats | None:
        """The short way for plain arrays: no look at anything that the engine looks at. None: take the long one."""
        roles = self._roles_of_fit
        if (
            self._apart
            or self.missing != "error"
            or X.ndim != 2
            or X.shape[1] != self.n_features_in_
            or not X.flags.forc
            or not X.flags.aligned
            or X.dtype not in _FLOATS
            or hasattr(self, "feature_names_in_")
        ):
            return None
        out = np.empty((X.shape[0], len(roles.features)), X.dtype, "C" if X.flags.c_contiguous else "F")
        try:
            if X.shape[0] == 1 and X.dtype == np.float64:
                fitted.apply_row(X, roles.features, roles.sensitive, out)
            else:
                fitted.apply(_core.Columns(X, roles.features), _core.Columns(X, roles.sensitive), out)
        except _core.Error:
            return None
        return out

    def fit_transform(
        self,
        X: Any,
        y: Any = None,
        *,
        sensitive_features: Any = None,
        sample_weight: ArrayLike | None = None,
        progress: bool = False,
    ) -> Any:
        """`fit`, then `transform` of the same rows; a stream is read once, and kept for it."""
        self._validate_params()
        table, roles, rows = self._open(X, sensitive_features, sample_weight, reset=True)
        kept = list(rows)
        self._learn(table, roles, iter(kept), sensitive_features is not None, progress)
        return self._transform_rows(table, iter(kept), progress)

    def transform_scores(self, X: Any, *, sensitive_features: Any = None) -> Floats:
        """The k scores of the rows in place of their q features; needs `n_components`.

        Returns
        -------
        array of shape (n, k)
            Uncorrelated with every sensitive column, on the rows of the fit.
        """
        fitted = self._fitted()
        _, rows = self._open_later(X, sensitive_features)
        return _output.joined(self._applied(fitted, some, scores=True) for some in rows)

    def certify(self, X: Any, *, sensitive_features: Any = None, sample_weight: ArrayLike | None = None) -> Any:
        """A certificate of other rows: what the fitted map does to them, measured on the result.

        Returns
        -------
        Certificate
        """
        fitted = self._fitted()
        _, parts = self._open_later(X, sensitive_features, sample_weight, sensitive=True)
        rows, _ = self._ready(_joined(list(parts), self._roles_of_fit))
        assert fitted.encoding is not None
        return fitted.certify(*_encoding.matrices(rows, fitted.encoding), rows.weights)

    def _open_later(
        self, X: Any, sensitive_features: Any, sample_weight: ArrayLike | None = None, *, sensitive: bool = False
    ) -> tuple[Table, Iterator[Rows]]:
        """Rows that come after the fit, in its roles."""
        fitted, roles = self._fitted(), self._roles_of_fit
        needs = fitted.needs_sensitive or sensitive
        table = _tables.read(X, self)
        apart = None
        if sensitive_features is not None:
            apart = _tables.read_sensitive(sensitive_features, self)
            self._check_apart(apart)
        elif needs and self._apart:
            raise _core.Error(
                "sensitive_features is not given, and the map needs it; a fit with mode='blind' needs no sensitive "
                "column in transform"
            )
        features_alone = self._apart or apart is not None or (not needs and not self._has_all(table))
        roles = self._roles_now(table, roles, features_alone)
        return table, _rows_of(table, apart, roles, sample_weight)

    def _has_all(self, table: Table) -> bool:
        if table.names is None:
            return table.n_columns == self.n_features_in_
        return set(self._roles_of_fit.sensitive_names) <= set(table.names)

    def _check_apart(self, apart: Table) -> None:
        names = self._roles_of_fit.sensitive_names
        if apart.n_columns != len(names):
            raise _core.Error(f"sensitive_features has {apart.n_columns} columns; the fit had {len(names)}")
        if apart.kind not in ("array", "columns") and apart.labels != names:
            raise _core.Error(f"sensitive_features has the columns {apart.labels}; the fit had {names}")

    def _roles_now(self, table: Table, roles: Roles, features_alone: bool) -> Roles:
        """Where the columns are now; the checks, and their words, are scikit-learn's."""
        wanted = roles.feature_names if features_alone else self._all_names()
        if table.names is not None:
            lacking = [name for name in roles.sensitive_names if name in wanted and name not in table.names]
            if lacking:
                raise _core.Error(
                    f"sensitive columns are absent: {', '.join(lacking)}; the map needs them, and a fit with "
                    "mode='blind' would not"
                )
        if table.names is not None and self._any_order:
            for name in wanted:
                if name not in table.names:
                    _core.refuse_column("the model", name, table.names)
            at = table.names.index
        else:
            probe = copy.copy(self)
            probe.n_features_in_ = len(wanted)
            if hasattr(probe, "feature_names_in_"):
                probe.feature_names_in_ = np.array(wanted, dtype=object)
            named = _Named(table)
            _check_feature_names(probe, named, reset=False)
            if not features_alone and not self._apart and table.n_columns == len(roles.features):
                raise ValueError(
                    f"X has {table.n_columns} features, but {type(self).__name__} is expecting {len(wanted)} features "
                    "as input. As many sensitive columns are absent as are missing; the map needs them, and a fit "
                    "with mode='blind' would not"
                )
            _check_n_features(probe, named, reset=False)
            at = wanted.index
        features = [at(name) for name in roles.feature_names]
        sensitive = (
            list(range(len(roles.sensitive_names))) if features_alone else [at(n) for n in roles.sensitive_names]
        )
        return roles._replace(
            features=np.array(features, dtype=np.int64), sensitive=np.array(sensitive, dtype=np.int64)
        )

    def _all_names(self) -> list[str]:
        if hasattr(self, "feature_names_in_"):
            return [str(name) for name in self.feature_names_in_]
        return [f"x{j}" for j in range(self.n_features_in_)]

    def _transform_rows(self, table: Table, rows: Iterator[Rows], progress: bool) -> Any:
        fitted = self._fitted()

        def chunks() -> Iterator[Floats]:
            with Progress(progress, "transform", None) as bar:
                for some in rows:
                    yield self._applied(fitted, some, bar=bar)

        if _get_output_config("transform", self)["dense"] != "default":
            return _output.joined(chunks())
        return _output.wrapped(table, chunks(), self.get_feature_names_out().tolist())

    def _applied(self, fitted: _core.Fit, rows: Rows, *, scores: bool = False, bar: Progress | None = None) -> Floats:
        encoding = fitted.encoding
        assert encoding is not None
        sensitive = fitted.needs_sensitive
        fill = self.missing != "error"
        gone = _encoding.missing_rows(rows, sensitive=sensitive) if fill else None
        fill = gone is not None and bool(gone.any())
        a, b = _encoding.matrices(rows, encoding, fill=fill, sensitive=sensitive)
        like = rows.a.array
        dtype = np.float64 if like is None or fill else like.dtype
        out = _output.empty_like(like, rows.n_rows, fitted.scores if scores else fitted.features, dtype)
        apply = fitted.apply_scores if scores else fitted.apply
        step = (bar.block if bar else None) or max(rows.n_rows, 1)
        try:
            for first in range(0, rows.n_rows, step):
                count = min(step, rows.n_rows - first)
                some = b.rows(first, count) if sensitive else b
                apply(a.rows(first, count), some, out[first : first + count])
                if bar:
                    bar.add(count)
        except _core.Error:
            if not fill:
                _encoding.refuse_missing(rows, self, sensitive=sensitive)
            raise
        if gone is not None and self.missing == "drop":
            out[gone] = np.nan
        return out if like is None else out.astype(like.dtype, copy=False)

    # What was learned

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """Names of the columns that `transform` gives; a category has one column a level.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the columns of X, where it was an array; else they must be those of the fit.
        """
        fitted = self._fitted()
        if self._any_order and input_features is None:
            return np.array(fitted.feature_names, dtype=object)
        names = _check_feature_names_in(self, input_features)
        assert fitted.encoding is not None
        if all(column.kind != "category" for column in fitted.encoding.features):
            return np.asarray(names, dtype=object)[self._roles_of_fit.features]
        return np.array(fitted.feature_names, dtype=object)

    @property
    def certificate_(self) -> _core.Certificate:
        """What the fit did to the rows that it saw."""
        return self._fitted().certificate

    @property
    def components_(self) -> Floats | None:
        """What a unit of each score adds to the features, (k, q); None where all q dimensions are kept."""
        fitted = self._fitted()
        return fitted.output.T.copy() if fitted.scores else None

    @property
    def coef_(self) -> Floats:
        """With which factors the sensitive columns enter the result, (q, p): 0 in blind mode."""
        return self._fitted().dense_b

    @property
    def feature_coef_(self) -> Floats:
        """The same of the features, (q, q): result = intercept_ + A @ feature_coef_.T + B @ coef_.T."""
        return self._fitted().dense_a

    @property
    def intercept_(self) -> Floats:
        """What is added to each column of the result, (q,)."""
        return self._fitted().constant

    @property
    def n_components_(self) -> int:
        """How many dimensions are kept."""
        return int(self._fitted().rank)

    # Files

    def to_json(self) -> str:
        """The model file of the command line, as text; numbers read back exactly."""
        return self._fitted().to_json()

    @classmethod
    def from_json(cls: type[Self], text: str) -> Self:
        """An estimator that is fitted as a model file says, whoever wrote it.

        Frames are then matched by name, whatever the order of their columns, and further columns are left out of the
        result.
        """
        fitted = _core.Fit.from_json(text)
        method = fitted.options.method
        if method != cls._name:
            raise _core.Error(f"the model is of method {method}, which {cls.__name__} is not; use plumbline.load_model")
        if fitted.encoding is None:  # it was fitted to moments: all columns are numbers
            fitted.encoding = _core.Encoding(
                [_core.TableColumn(name) for name in fitted.feature_names],
                [_core.TableColumn(name) for name in fitted.sensitive_inputs],
            )
        assert fitted.encoding is not None
        out = cls(**_parameters_of(fitted))
        names = [column.name for column in fitted.encoding.features]
        sensitive = [column.name for column in fitted.encoding.sensitive]
        every = names + sensitive
        out.n_features_in_ = len(every)
        if sorted(every) == sorted(f"x{j}" for j in range(len(every))):  # it was fitted to an array
            at = [int(name[1:]) for name in every]
        else:
            at = list(range(len(every)))
            out.feature_names_in_ = np.array(every, dtype=object)
        out._roles_of_fit = Roles(
            np.array(at[: len(names)], dtype=np.int64), np.array(at[len(names) :], dtype=np.int64), names, sensitive
        )
        out._apart, out._any_order, out._sum, out._fit = False, True, None, fitted
        out.n_dropped_ = out.n_filled_ = 0
        return out

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    _name: ClassVar[str]
    _roles_of_fit: Roles
    _apart: bool  # the sensitive columns were given apart
    _any_order: bool  # columns are found by name
    _sum: Accumulator | None  # none: the fit looked at more than moments
    _fit: _core.Fit | None  # none: not yet computed from the moments
    n_dropped_: int
    n_filled_: int


_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


class OrthogonalToBias(_Remover):
    """Remove the linear influence of sensitive columns, changing the others as little as possible.

    Each feature loses what a least-squares fit on all sensitive columns explains of it; below full rank the result
    is projected on the directions that keep most of what is left. Every column of the result is uncorrelated with
    every sensitive column, and `certificate_` says by how much.

    Parameters
    ----------
    sensitive_feature_ids : str, int, or list of them, optional
        Names or positions of the sensitive columns of X. A bare name is one column. None: they are given apart, as
        `sensitive_features` of `fit` and `transform`.
    n_components : int, float or None
        Dimensions to keep: a number, a share of the variance that is left such as 0.95, or None for all.
    basis : {"optimal", "paper"}
        Below full rank: the directions that change the features least, or those that the paper prints.
    mode : {"aware", "blind"}
        The map of ``"blind"`` uses the features alone: `transform` then needs no sensitive column.
    alpha : float
        Strength, from 0 (no change) to 1 (no linear influence left).
    expand : str, dict or list of str, optional
        Remove more than the linear influence: ``"powers=3"``, ``"splines=5"``, ``"bins=4"``, ``"interactions"``,
        several of them separated by commas or in a list, or ``{"powers": 3}``.
    standardize : bool
        Whether features weigh alike in the choice of directions, or by their variance.
    missing : {"error", "drop", "mean"}
        What becomes of missing cells: they are refused, cost the row, or become the mean that the fit has seen. A row
        that is dropped counts for nothing in `fit` and is NaN in the result of `transform`.

    Attributes
    ----------
    certificate_ : Certificate
        What the fit did to the rows that it saw.
    coef_, feature_coef_, intercept_ : arrays of shape (q, p), (q, q) and (q,)
        The result is ``intercept_ + A @ feature_coef_.T + B @ coef_.T``.
    components_ : array of shape (k, q) or None
        What a unit of each score adds to the features.
    n_components_ : int
        Dimensions kept.
    n_dropped_, n_filled_ : int
        Rows that were left out of the fit, and cells that were filled in, for want of a cell.
    feature_names_in_, n_features_in_
        Columns of X, as in all of scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from plumbline import OrthogonalToBias
    >>> rng = np.random.default_rng(0)
    >>> age = rng.normal(40, 10, size=200)
    >>> X = np.column_stack([age, 2 * age + rng.normal(size=200), rng.normal(size=200)])
    >>> fair = OrthogonalToBias(sensitive_feature_ids=[0])
    >>> out = fair.fit_transform(X)
    >>> out.shape
    (200, 2)
    >>> bool(abs(np.corrcoef(age, out[:, 0])[0, 1]) < 1e-12)
    True
    >>> fair.certificate_.holds()
    True
    """

    _name = "ob"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_Remover._parameter_constraints,
        "basis": [StrOptions({"optimal", "paper"})],
    }

    def __init__(
        self,
        *,
        sensitive_feature_ids: Any = None,
        n_components: int | float | None = None,
        basis: str = "optimal",
        mode: str = "aware",
        alpha: float = 1.0,
        expand: Any = None,
        standardize: bool = True,
        missing: str = "error",
    ):
        self.sensitive_feature_ids = sensitive_feature_ids
        self.n_components = n_components
        self.basis = basis
        self.mode = mode
        self.alpha = alpha
        self.expand = expand
        self.standardize = standardize
        self.missing = missing

    def _method(self) -> dict[str, Any]:
        return {"method": "ob", "basis": self.basis}


class SparseOrthogonalToBias(_Remover):
    """Remove the linear influence of sensitive columns, along directions that use few features each.

    The sparse variant (SOB) of `OrthogonalToBias`: what is left of the features is written with directions whose
    1-norm is bounded. The result is uncorrelated with every sensitive column all the same.

    Parameters
    ----------
    sensitive_feature_ids, mode, alpha, expand, standardize, missing
        As of `OrthogonalToBias`.
    n_components : int, float or None
        Directions to find: a number, a share of the variance that is left, or None for as many as features.
    l1_bound : float or None
        Bound of the 1-norm of each direction, from 1 (one feature each) to the root of q (no bound); None is half
        of that root.
    tol : float
        A direction is found when it moves by less.
    max_iter : int
        Iterations for each direction; `certificate_` has a note where they were not enough.
    random_state : int, RandomState or None
        None: the start is the leading direction, and the result is deterministic. Else ten random starts are tried
        beside it, and the best is kept.

    Attributes
    ----------
    certificate_, coef_, feature_coef_, intercept_, components_, n_components_, n_dropped_, n_filled_
        As of `OrthogonalToBias`.
    n_iter_ : int
        Iterations that the slowest direction took.
    feature_names_in_, n_features_in_
        Columns of X, as in all of scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from plumbline import SparseOrthogonalToBias
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 8)) @ rng.normal(size=(8, 8))
    >>> fair = SparseOrthogonalToBias(sensitive_feature_ids=0, n_components=2, l1_bound=1.0).fit(X)
    >>> (fair.components_ != 0).sum(axis=1).tolist()
    [1, 1]
    """

    _name = "sob"

    @property
    def n_iter_(self) -> int:
        """Iterations that the slowest direction took."""
        return max(self._fitted().sob_iterations, default=0)

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_Remover._parameter_constraints,
        "l1_bound": [None, Interval(Real, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        sensitive_feature_ids: Any = None,
        n_components: int | float | None = None,
        mode: str = "aware",
        alpha: float = 1.0,
        expand: Any = None,
        l1_bound: float | None = None,
        tol: float = 1e-6,
        max_iter: int = 1000,
        random_state: Any = None,
        standardize: bool = True,
        missing: str = "error",
    ):
        self.sensitive_feature_ids = sensitive_feature_ids
        self.n_components = n_components
        self.mode = mode
        self.alpha = alpha
        self.expand = expand
        self.l1_bound = l1_bound
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.standardize = standardize
        self.missing = missing

    def _options(self, n_features: int) -> _core.FitOptions:
        if self.n_components is not None:
            return super()._options(n_features)
        every = copy.copy(self)
        every.n_components = n_features
        return super(SparseOrthogonalToBias, every)._options(n_features)

    def _method(self) -> dict[str, Any]:
        out: dict[str, Any] = {
            "method": "sob",
            "l1_bound": float(self.l1_bound or 0),
            "tolerance": float(self.tol),
            "max_iterations": int(self.max_iter),
        }
        if self.random_state is not None:
            from sklearn.utils import check_random_state

            is_seed = isinstance(self.random_state, Integral)
            seed = self.random_state if is_seed else check_random_state(self.random_state).randint(2**31)
            out |= {"random_starts": RANDOM_STARTS, "seed": int(seed)}
        return out

    def _wants_rows(self, rows: Rows) -> bool:
        return self.mode == "aware" and len(rows.roles.features) > rows.n_rows > 0


def load_model(path: str | Path) -> OrthogonalToBias | SparseOrthogonalToBias:
    """The fitted transformer in a model file, which `to_json` or ``plumbline fit`` has written.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    OrthogonalToBias or SparseOrthogonalToBias
    """
    text = Path(path).read_text(encoding="utf-8")
    try:
        is_sparse = _core.Fit.from_json(text).options.method == "sob"
        return (SparseOrthogonalToBias if is_sparse else OrthogonalToBias).from_json(text)
    except _core.Error as error:
        raise _core.Error(f"{path}: {error}") from None


def _parameters_of(fitted: _core.Fit) -> dict[str, Any]:
    options, encoding = fitted.options, fitted.encoding
    assert encoding is not None
    out: dict[str, Any] = {
        "sensitive_feature_ids": [column.name for column in encoding.sensitive],
        "n_components": options.components or options.share or None,
        "mode": options.mode,
        "alpha": options.alpha,
        "standardize": options.standardize,
        "missing": encoding.missing,
    }
    if options.method == "ob":
        return out | {"basis": options.basis}
    return out | {
        "l1_bound": options.l1_bound or None,
        "tol": options.tolerance,
        "max_iter": options.max_iterations,
        "random_state": options.seed if options.random_starts else None,
    }


def _refuse_twice(names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise _core.Error(f"there are two columns '{name}'; columns need names of their own")
        seen.add(name)


def _weights_of(sample_weight: ArrayLike | None) -> NDArray[np.float64] | None:
    if sample_weight is None:
        return None
    weights = np.ascontiguousarray(sample_weight, dtype=np.float64)
    if weights.ndim != 1:
        raise ValueError("Sample weights must be 1D array or scalar")
    return weights


def _rows_of(table: Table, apart: Table | None, roles: Roles, sample_weight: ArrayLike | None) -> Iterator[Rows]:
    """The chunks of X, each with its part of the sensitive columns and the weights."""
    weights = _weights_of(sample_weight)
    b = None if apart is None else _tables.concatenated(list(apart.chunks))
    first = 0
    for chunk in table.chunks:
        here = slice(first, first + chunk.n_rows)
        first += chunk.n_rows
        if weights is not None and len(weights) < first:
            raise ValueError(f"sample_weight.shape == {weights.shape}, expected ({first},)!")
        some = chunk if b is None else b if here == slice(0, b.n_rows) else _sliced(b, here)
        if some.n_rows != chunk.n_rows:
            raise ValueError(
                f"Found input variables with inconsistent numbers of samples: {[first, b.n_rows if b else 0]}"
            )
        yield Rows(chunk, some, roles, None if weights is None else weights[here])
    if b is not None and b.n_rows != first:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {[first, b.n_rows]}")
    if weights is not None and len(weights) != first:
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected ({first},)!")


def _sliced(chunk: _tables.Chunk, rows: slice) -> _tables.Chunk:
    if chunk.array is not None:
        part = chunk.array[rows]
        return _tables.Chunk(len(part), part)
    columns = [column[rows] for column in chunk.columns]
    n_rows = max(0, min(rows.stop, chunk.n_rows) - rows.start)
    return _tables.Chunk(n_rows, None, columns)


def _chained(first: Rows, others: Iterator[Rows]) -> Iterator[Rows]:
    yield first
    yield from others


def _joined(parts: list[Rows], roles: Roles) -> Rows:
    if len(parts) == 1:
        return parts[0]
    if not parts:
        raise _core.Error("there are no rows")
    weights = None
    if parts[0].weights is not None:
        weights = np.concatenate([part.weights for part in parts if part.weights is not None])
    a = _tables.concatenated([part.a for part in parts])
    apart = parts[0].b is not parts[0].a
    return Rows(a, _tables.concatenated([part.b for part in parts]) if apart else a, roles, weights)


def _missing_cells(rows: Rows) -> int:
    return sum(
        int(np.isnan(column.values).sum() if isinstance(column, _tables.Numbers) else (column.codes < 0).sum())
        for column in rows.features() + rows.sensitive()
    )
